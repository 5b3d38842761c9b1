// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// A chain of movement operations: pad after flip after shrink after permute, and a
// reduce through it.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>})
    -> (tensor<3x3xi32>, tensor<3x1xi32>, tensor<4x2xi32>) {
  %t = tg.permute %x [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  %s = tg.shrink %t from [1, 0] to [3, 2] : tensor<3x2xi32> -> tensor<2x2xi32>
  %f = tg.flip %s axes [0] : tensor<2x2xi32>
  %p = tg.pad %f low [0, 1] high [1, 0] : tensor<2x2xi32> -> tensor<3x3xi32>
  %r = tg.reshape %p : tensor<3x3xi32> -> tensor<9xi32>
  %m = tg.reduce add %p axes [1] : tensor<3x3xi32> -> tensor<3x1xi32>
  %v = tg.shrink %r from [1] to [9] : tensor<9xi32> -> tensor<8xi32>
  %w = tg.reshape %v : tensor<8xi32> -> tensor<4x2xi32>
  %n = tg.neg %w : tensor<4x2xi32>
  return %p, %m, %n
      : tensor<3x3xi32>, tensor<3x1xi32>, tensor<4x2xi32>
}

// CHECK: result 0: tensor<3x3xi32> = {{\[\[}}0, 3, 6], [0, 2, 5], [0, 0, 0]]
// CHECK-NEXT: result 1: tensor<3x1xi32> = {{\[\[}}9], [7], [0]]
// CHECK-NEXT: result 2: tensor<4x2xi32> = {{\[\[}}-3, -6], [0, -2], [-5, 0], [0, 0]]
