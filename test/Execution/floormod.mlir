// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The remainder of floordiv has the sign of the right operand.
func.func @main(
    %a0: tensor<8xi8> {tg.input = dense<[7, -7, 7, -7, 5, -5, 0, -128]> : tensor<8xi8>},
    %b0: tensor<8xi8> {tg.input = dense<[2, 2, -2, -2, 0, 0, 3, -1]> : tensor<8xi8>},
    %a1: tensor<2xi32> {tg.input = dense<[-1, 1]> : tensor<2xi32>},
    %b1: tensor<2xi32> {tg.input = dense<[2147483647, -2147483648]> : tensor<2xi32>},
    %a2: tensor<2xui8> {tg.input = dense<[255, 7]> : tensor<2xui8>},
    %b2: tensor<2xui8> {tg.input = dense<[16, 0]> : tensor<2xui8>})
    -> (tensor<8xi8>, tensor<2xi32>, tensor<2xui8>) {
  %0 = tg.floormod %a0, %b0 : tensor<8xi8>
  %1 = tg.floormod %a1, %b1 : tensor<2xi32>
  %2 = tg.floormod %a2, %b2 : tensor<2xui8>
  return %0, %1, %2
      : tensor<8xi8>, tensor<2xi32>, tensor<2xui8>
}

// CHECK: result 0: tensor<8xi8> = [1, 1, -1, -1, 0, 0, 0, 0]
// CHECK-NEXT: result 1: tensor<2xi32> = [2147483646, -2147483647]
// CHECK-NEXT: result 2: tensor<2xui8> = [15, 0]
