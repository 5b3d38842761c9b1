// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The remainder of idiv has the sign of the left operand.
func.func @main(
    %a0: tensor<8xi8> {tg.input = dense<[7, -7, 7, -7, 5, -5, 0, -128]> : tensor<8xi8>},
    %b0: tensor<8xi8> {tg.input = dense<[2, 2, -2, -2, 0, 0, 3, -1]> : tensor<8xi8>},
    %a1: tensor<1xi64> {tg.input = dense<[-9223372036854775808]> : tensor<1xi64>},
    %b1: tensor<1xi64> {tg.input = dense<[-1]> : tensor<1xi64>},
    %a2: tensor<2xui8> {tg.input = dense<[255, 7]> : tensor<2xui8>},
    %b2: tensor<2xui8> {tg.input = dense<[16, 0]> : tensor<2xui8>})
    -> (tensor<8xi8>, tensor<1xi64>, tensor<2xui8>) {
  %0 = tg.mod %a0, %b0 : tensor<8xi8>
  %1 = tg.mod %a1, %b1 : tensor<1xi64>
  %2 = tg.mod %a2, %b2 : tensor<2xui8>
  return %0, %1, %2
      : tensor<8xi8>, tensor<1xi64>, tensor<2xui8>
}

// CHECK: result 0: tensor<8xi8> = [1, -1, 1, -1, 0, 0, 0, 0]
// CHECK-NEXT: result 1: tensor<1xi64> = [0]
// CHECK-NEXT: result 2: tensor<2xui8> = [15, 0]
