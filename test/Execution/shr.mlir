// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Signed operands are filled with their sign.
func.func @main(
    %a0: tensor<5xi8> {tg.input = dense<[-128, -128, -128, 64, 64]> : tensor<5xi8>},
    %b0: tensor<5xi8> {tg.input = dense<[7, 8, -1, 6, 9]> : tensor<5xi8>},
    %a1: tensor<3xui8> {tg.input = dense<[255, 255, 255]> : tensor<3xui8>},
    %b1: tensor<3xui8> {tg.input = dense<[7, 8, 255]> : tensor<3xui8>},
    %a2: tensor<2xi64> {tg.input = dense<[-1, 1]> : tensor<2xi64>},
    %b2: tensor<2xi64> {tg.input = dense<[64, 64]> : tensor<2xi64>},
    %a3: tensor<1xui32> {tg.input = dense<[4294967295]> : tensor<1xui32>},
    %b3: tensor<1xui32> {tg.input = dense<[31]> : tensor<1xui32>})
    -> (tensor<5xi8>, tensor<3xui8>, tensor<2xi64>, tensor<1xui32>) {
  %0 = tg.shr %a0, %b0 : tensor<5xi8>
  %1 = tg.shr %a1, %b1 : tensor<3xui8>
  %2 = tg.shr %a2, %b2 : tensor<2xi64>
  %3 = tg.shr %a3, %b3 : tensor<1xui32>
  return %0, %1, %2, %3
      : tensor<5xi8>, tensor<3xui8>, tensor<2xi64>, tensor<1xui32>
}

// CHECK: result 0: tensor<5xi8> = [-1, -1, -1, 1, 0]
// CHECK-NEXT: result 1: tensor<3xui8> = [1, 0, 0]
// CHECK-NEXT: result 2: tensor<2xi64> = [-1, 0]
// CHECK-NEXT: result 3: tensor<1xui32> = [1]
