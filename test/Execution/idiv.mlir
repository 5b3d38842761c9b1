// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Rounds towards zero; by zero gives 0; the least value by -1 is itself.
func.func @main(
    %a0: tensor<8xi8> {tg.input = dense<[7, -7, 7, -7, 5, -5, 0, -128]> : tensor<8xi8>},
    %b0: tensor<8xi8> {tg.input = dense<[2, 2, -2, -2, 0, 0, 3, -1]> : tensor<8xi8>},
    %a1: tensor<2xi32> {tg.input = dense<[-2147483648, 100]> : tensor<2xi32>},
    %b1: tensor<2xi32> {tg.input = dense<[-1, -7]> : tensor<2xi32>},
    %a2: tensor<2xi64> {tg.input = dense<[-9223372036854775808, 1]> : tensor<2xi64>},
    %b2: tensor<2xi64> {tg.input = dense<[-1, 0]> : tensor<2xi64>},
    %a3: tensor<3xui8> {tg.input = dense<[255, 255, 7]> : tensor<3xui8>},
    %b3: tensor<3xui8> {tg.input = dense<[16, 255, 0]> : tensor<3xui8>},
    %a4: tensor<1xui64> {tg.input = dense<[18446744073709551615]> : tensor<1xui64>},
    %b4: tensor<1xui64> {tg.input = dense<[2]> : tensor<1xui64>})
    -> (tensor<8xi8>, tensor<2xi32>, tensor<2xi64>, tensor<3xui8>, tensor<1xui64>) {
  %0 = tg.idiv %a0, %b0 : tensor<8xi8>
  %1 = tg.idiv %a1, %b1 : tensor<2xi32>
  %2 = tg.idiv %a2, %b2 : tensor<2xi64>
  %3 = tg.idiv %a3, %b3 : tensor<3xui8>
  %4 = tg.idiv %a4, %b4 : tensor<1xui64>
  return %0, %1, %2, %3, %4
      : tensor<8xi8>, tensor<2xi32>, tensor<2xi64>, tensor<3xui8>, tensor<1xui64>
}

// CHECK: result 0: tensor<8xi8> = [3, -3, -3, 3, 0, 0, 0, -128]
// CHECK-NEXT: result 1: tensor<2xi32> = [-2147483648, -14]
// CHECK-NEXT: result 2: tensor<2xi64> = [-9223372036854775808, 0]
// CHECK-NEXT: result 3: tensor<3xui8> = [15, 1, 0]
// CHECK-NEXT: result 4: tensor<1xui64> = [9223372036854775807]
