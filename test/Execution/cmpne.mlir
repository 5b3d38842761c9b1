// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// True where an operand is NaN.
func.func @main(
    %a0: tensor<6xf32> {tg.input = dense<[1.0, 2.0, 0x7FC00000, 0.0, -0.0, 0xFF800000]> : tensor<6xf32>},
    %b0: tensor<6xf32> {tg.input = dense<[2.0, 2.0, 0x7FC00000, 0x7FC00000, 0.0, 0x7F800000]> : tensor<6xf32>},
    %a1: tensor<1xf64> {tg.input = dense<[1.0]> : tensor<1xf64>},
    %b1: tensor<1xf64> {tg.input = dense<[1.0]> : tensor<1xf64>},
    %a2: tensor<2xi16> {tg.input = dense<[-1, 1]> : tensor<2xi16>},
    %b2: tensor<2xi16> {tg.input = dense<[-1, 2]> : tensor<2xi16>},
    %a3: tensor<2xi1> {tg.input = dense<[false, true]> : tensor<2xi1>},
    %b3: tensor<2xi1> {tg.input = dense<[true, true]> : tensor<2xi1>})
    -> (tensor<6xi1>, tensor<1xi1>, tensor<2xi1>, tensor<2xi1>) {
  %0 = tg.cmpne %a0, %b0 : tensor<6xf32>
  %1 = tg.cmpne %a1, %b1 : tensor<1xf64>
  %2 = tg.cmpne %a2, %b2 : tensor<2xi16>
  %3 = tg.cmpne %a3, %b3 : tensor<2xi1>
  return %0, %1, %2, %3
      : tensor<6xi1>, tensor<1xi1>, tensor<2xi1>, tensor<2xi1>
}

// CHECK: result 0: tensor<6xi1> = [true, false, true, true, false, true]
// CHECK-NEXT: result 1: tensor<1xi1> = [false]
// CHECK-NEXT: result 2: tensor<2xi1> = [false, true]
// CHECK-NEXT: result 3: tensor<2xi1> = [true, false]
