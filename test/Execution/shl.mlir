// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The amount is unsigned; from the width on nothing is left.
func.func @main(
    %a0: tensor<5xi8> {tg.input = dense<[1, 1, 1, -1, 3]> : tensor<5xi8>},
    %b0: tensor<5xi8> {tg.input = dense<[6, 7, 8, 100, -1]> : tensor<5xi8>},
    %a1: tensor<2xui8> {tg.input = dense<[255, 255]> : tensor<2xui8>},
    %b1: tensor<2xui8> {tg.input = dense<[1, 255]> : tensor<2xui8>},
    %a2: tensor<2xi32> {tg.input = dense<[1, 1]> : tensor<2xi32>},
    %b2: tensor<2xi32> {tg.input = dense<[31, 32]> : tensor<2xi32>},
    %a3: tensor<2xui64> {tg.input = dense<[1, 1]> : tensor<2xui64>},
    %b3: tensor<2xui64> {tg.input = dense<[63, 64]> : tensor<2xui64>})
    -> (tensor<5xi8>, tensor<2xui8>, tensor<2xi32>, tensor<2xui64>) {
  %0 = tg.shl %a0, %b0 : tensor<5xi8>
  %1 = tg.shl %a1, %b1 : tensor<2xui8>
  %2 = tg.shl %a2, %b2 : tensor<2xi32>
  %3 = tg.shl %a3, %b3 : tensor<2xui64>
  return %0, %1, %2, %3
      : tensor<5xi8>, tensor<2xui8>, tensor<2xi32>, tensor<2xui64>
}

// CHECK: result 0: tensor<5xi8> = [64, -128, 0, 0, 0]
// CHECK-NEXT: result 1: tensor<2xui8> = [254, 0]
// CHECK-NEXT: result 2: tensor<2xi32> = [-2147483648, 0]
// CHECK-NEXT: result 3: tensor<2xui64> = [9223372036854775808, 0]
