// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Bitwise on integers.
func.func @main(
    %a0: tensor<2xi8> {tg.input = dense<[12, -1]> : tensor<2xi8>},
    %b0: tensor<2xi8> {tg.input = dense<[10, 1]> : tensor<2xi8>},
    %a1: tensor<1xui32> {tg.input = dense<[4294967295]> : tensor<1xui32>},
    %b1: tensor<1xui32> {tg.input = dense<[1]> : tensor<1xui32>},
    %a2: tensor<3xi1> {tg.input = dense<[false, true, true]> : tensor<3xi1>},
    %b2: tensor<3xi1> {tg.input = dense<[true, false, true]> : tensor<3xi1>})
    -> (tensor<2xi8>, tensor<1xui32>, tensor<3xi1>) {
  %0 = tg.xor %a0, %b0 : tensor<2xi8>
  %1 = tg.xor %a1, %b1 : tensor<1xui32>
  %2 = tg.xor %a2, %b2 : tensor<3xi1>
  return %0, %1, %2
      : tensor<2xi8>, tensor<1xui32>, tensor<3xi1>
}

// CHECK: result 0: tensor<2xi8> = [6, -2]
// CHECK-NEXT: result 1: tensor<1xui32> = [4294967294]
// CHECK-NEXT: result 2: tensor<3xi1> = [true, true, false]
