// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// From inclusive, to exclusive; nothing may be left.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>})
    -> (tensor<1x2xi32>, tensor<2x1xi32>, tensor<0x2xi32>) {
  %0 = tg.shrink %x from [1, 0] to [2, 2] : tensor<2x3xi32> -> tensor<1x2xi32>
  %1 = tg.shrink %x from [0, 2] to [2, 3] : tensor<2x3xi32> -> tensor<2x1xi32>
  %2 = tg.shrink %x from [1, 1] to [1, 3] : tensor<2x3xi32> -> tensor<0x2xi32>
  return %0, %1, %2
      : tensor<1x2xi32>, tensor<2x1xi32>, tensor<0x2xi32>
}

// CHECK: result 0: tensor<1x2xi32> = {{\[\[}}4, 5]]
// CHECK-NEXT: result 1: tensor<2x1xi32> = {{\[\[}}3], [6]]
// CHECK-NEXT: result 2: tensor<0x2xi32> = []
