// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Rounds towards negative infinity.
func.func @main(
    %a0: tensor<8xi8> {tg.input = dense<[7, -7, 7, -7, 5, -5, 0, -128]> : tensor<8xi8>},
    %b0: tensor<8xi8> {tg.input = dense<[2, 2, -2, -2, 0, 0, 3, -1]> : tensor<8xi8>},
    %a1: tensor<3xi32> {tg.input = dense<[-1, 1, -2147483648]> : tensor<3xi32>},
    %b1: tensor<3xi32> {tg.input = dense<[2, -2147483648, 2147483647]> : tensor<3xi32>},
    %a2: tensor<1xi64> {tg.input = dense<[-9223372036854775808]> : tensor<1xi64>},
    %b2: tensor<1xi64> {tg.input = dense<[-1]> : tensor<1xi64>},
    %a3: tensor<2xui8> {tg.input = dense<[255, 7]> : tensor<2xui8>},
    %b3: tensor<2xui8> {tg.input = dense<[16, 0]> : tensor<2xui8>})
    -> (tensor<8xi8>, tensor<3xi32>, tensor<1xi64>, tensor<2xui8>) {
  %0 = tg.floordiv %a0, %b0 : tensor<8xi8>
  %1 = tg.floordiv %a1, %b1 : tensor<3xi32>
  %2 = tg.floordiv %a2, %b2 : tensor<1xi64>
  %3 = tg.floordiv %a3, %b3 : tensor<2xui8>
  return %0, %1, %2, %3
      : tensor<8xi8>, tensor<3xi32>, tensor<1xi64>, tensor<2xui8>
}

// CHECK: result 0: tensor<8xi8> = [3, -4, -4, 3, 0, 0, 0, -128]
// CHECK-NEXT: result 1: tensor<3xi32> = [-1, -1, -2]
// CHECK-NEXT: result 2: tensor<1xi64> = [-9223372036854775808]
// CHECK-NEXT: result 3: tensor<2xui8> = [15, 0]
