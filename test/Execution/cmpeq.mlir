// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// NaN equals nothing; -0 equals +0.
func.func @main(
    %a0: tensor<6xf32> {tg.input = dense<[1.0, 2.0, 0x7FC00000, 0.0, -0.0, 0xFF800000]> : tensor<6xf32>},
    %b0: tensor<6xf32> {tg.input = dense<[2.0, 2.0, 0x7FC00000, 0x7FC00000, 0.0, 0x7F800000]> : tensor<6xf32>},
    %a1: tensor<1xbf16> {tg.input = dense<[1.0]> : tensor<1xbf16>},
    %b1: tensor<1xbf16> {tg.input = dense<[1.0]> : tensor<1xbf16>},
    %a2: tensor<2xi8> {tg.input = dense<[-1, 1]> : tensor<2xi8>},
    %b2: tensor<2xi8> {tg.input = dense<[-1, 2]> : tensor<2xi8>},
    %a3: tensor<1xui64> {tg.input = dense<[18446744073709551615]> : tensor<1xui64>},
    %b3: tensor<1xui64> {tg.input = dense<[18446744073709551615]> : tensor<1xui64>},
    %a4: tensor<2xi1> {tg.input = dense<[false, true]> : tensor<2xi1>},
    %b4: tensor<2xi1> {tg.input = dense<[true, true]> : tensor<2xi1>})
    -> (tensor<6xi1>, tensor<1xi1>, tensor<2xi1>, tensor<1xi1>, tensor<2xi1>) {
  %0 = tg.cmpeq %a0, %b0 : tensor<6xf32>
  %1 = tg.cmpeq %a1, %b1 : tensor<1xbf16>
  %2 = tg.cmpeq %a2, %b2 : tensor<2xi8>
  %3 = tg.cmpeq %a3, %b3 : tensor<1xui64>
  %4 = tg.cmpeq %a4, %b4 : tensor<2xi1>
  return %0, %1, %2, %3, %4
      : tensor<6xi1>, tensor<1xi1>, tensor<2xi1>, tensor<1xi1>, tensor<2xi1>
}

// CHECK: result 0: tensor<6xi1> = [false, true, false, false, true, false]
// CHECK-NEXT: result 1: tensor<1xi1> = [true]
// CHECK-NEXT: result 2: tensor<2xi1> = [true, false]
// CHECK-NEXT: result 3: tensor<1xi1> = [true]
// CHECK-NEXT: result 4: tensor<2xi1> = [false, true]
