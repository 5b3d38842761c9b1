// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Any set of axes, also none.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>})
    -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>) {
  %0 = tg.flip %x axes [1] : tensor<2x3xi32>
  %1 = tg.flip %x axes [0, 1] : tensor<2x3xi32>
  %2 = tg.flip %x axes [] : tensor<2x3xi32>
  return %0, %1, %2
      : tensor<2x3xi32>, tensor<2x3xi32>, tensor<2x3xi32>
}

// CHECK: result 0: tensor<2x3xi32> = {{\[\[}}3, 2, 1], [6, 5, 4]]
// CHECK-NEXT: result 1: tensor<2x3xi32> = {{\[\[}}6, 5, 4], [3, 2, 1]]
// CHECK-NEXT: result 2: tensor<2x3xi32> = {{\[\[}}1, 2, 3], [4, 5, 6]]
