// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Axis i of the result is axis order[i] of the operand.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
    %y: tensor<1x3x2xf8E4M3FN> {tg.input = dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf8E4M3FN>})
    -> (tensor<3x2xi32>, tensor<2x1x3xf8E4M3FN>) {
  %0 = tg.permute %x [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %1 = tg.permute %y [2, 0, 1] : tensor<1x3x2xf8E4M3FN> -> tensor<2x1x3xf8E4M3FN>
  return %0, %1
      : tensor<3x2xi32>, tensor<2x1x3xf8E4M3FN>
}

// CHECK: result 0: tensor<3x2xi32> = {{\[\[}}1, 4], [2, 5], [3, 6]]
// CHECK-NEXT: result 1: tensor<2x1x3xf8E4M3FN> = {{\[\[}}[1, 3, 5]], {{\[\[}}2, 4, 6]]]
