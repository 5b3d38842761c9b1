// RUN: tg-opt %s --convert-linalg-to-tg -split-input-file | FileCheck %s

// Each ? is a variable, of which other sizes are expressions.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %arg0: tensor<?x3xf32, #tg.shape<#arg0_0, 3>>
// CHECK-SAME: -> tensor<?x2xf32, #tg.shape<#arg0_0, 2>>
// CHECK: tg.reduce add
func.func @rows(%x: tensor<?x3xf32>, %w: tensor<3x2xf32>) -> tensor<?x2xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3xf32>
  %e = tensor.empty(%n) : tensor<?x2xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x2xf32>) outs(%i : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// The operands have one size, which is that of the second argument.

// CHECK-LABEL: func.func @equal(
// CHECK-SAME: %arg0: tensor<?xf32, #tg.shape<[[N:#arg[01]_0]]>>
// CHECK-SAME: %arg1: tensor<?xf32, #tg.shape<[[N]]>>
func.func @equal(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A size that an operation fixes is a number.

// CHECK-LABEL: func.func @number(
// CHECK-SAME: %arg0: tensor<5xf32>, %arg1: tensor<5xf32>) -> tensor<5xf32>
func.func @number(%x: tensor<?xf32>, %y: tensor<5xf32>) -> tensor<5xf32> {
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<5xf32>) outs(%y : tensor<5xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Sizes are computed: by arith, by affine.apply, by operations.

// CHECK-LABEL: func.func @sizes(
// CHECK-SAME: -> (tensor<?xf32, #tg.shape<#arg0_0 * 4>>,
// CHECK-SAME: tensor<?x4xf32, #tg.shape<#arg0_0 + 2, 4>>,
// CHECK-SAME: tensor<?x4xf32, #tg.shape<(#arg0_0 + 1) floordiv 2, 4>>,
// CHECK-SAME: tensor<i64>)
// CHECK: tg.dim(#arg0_0) : tensor<i64>
// CHECK: tg.reshape
// CHECK: tg.pad
// CHECK: tg.shrink
func.func @sizes(%x: tensor<?x4xf32>) -> (tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>, index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %0 = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %1 = tensor.pad %x low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x4xf32> to tensor<?x4xf32>
  %half = affine.apply affine_map<(d0) -> (d0 ceildiv 2)>(%n)
  %2 = tensor.extract_slice %x[0, 0] [%half, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
  return %0, %1, %2, %n : tensor<?xf32>, tensor<?x4xf32>, tensor<?x4xf32>, index
}
