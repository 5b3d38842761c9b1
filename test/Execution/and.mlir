// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Bitwise on integers.
func.func @main(
    %a0: tensor<2xi8> {tg.input = dense<[12, -1]> : tensor<2xi8>},
    %b0: tensor<2xi8> {tg.input = dense<[10, -128]> : tensor<2xi8>},
    %a1: tensor<1xui64> {tg.input = dense<[18446744073709551615]> : tensor<1xui64>},
    %b1: tensor<1xui64> {tg.input = dense<[255]> : tensor<1xui64>},
    %a2: tensor<3xi1> {tg.input = dense<[false, true, true]> : tensor<3xi1>},
    %b2: tensor<3xi1> {tg.input = dense<[true, false, true]> : tensor<3xi1>})
    -> (tensor<2xi8>, tensor<1xui64>, tensor<3xi1>) {
  %0 = tg.and %a0, %b0 : tensor<2xi8>
  %1 = tg.and %a1, %b1 : tensor<1xui64>
  %2 = tg.and %a2, %b2 : tensor<3xi1>
  return %0, %1, %2
      : tensor<2xi8>, tensor<1xui64>, tensor<3xi1>
}

// CHECK: result 0: tensor<2xi8> = [8, -128]
// CHECK-NEXT: result 1: tensor<1xui64> = [255]
// CHECK-NEXT: result 2: tensor<3xi1> = [false, false, true]
