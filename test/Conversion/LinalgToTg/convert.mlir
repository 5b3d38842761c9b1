// RUN: tg-opt %s --convert-linalg-to-tg -split-input-file | FileCheck %s

// f16 factors are extended before they are multiplied; the initial value is
// added.

// CHECK-LABEL: func.func @matmul(
// CHECK: %[[A:.*]] = tg.reshape %arg0 : tensor<4x8xf16> -> tensor<4x1x8xf16>
// CHECK: %[[T:.*]] = tg.permute %arg1 [1, 0]
// CHECK: %[[B:.*]] = tg.reshape %[[T]] : tensor<6x8xf16> -> tensor<1x6x8xf16>
// CHECK: %[[AW:.*]] = tg.cast %[[A]]
// CHECK: %[[BW:.*]] = tg.cast %[[B]]
// CHECK: %[[AE:.*]] = tg.expand %[[AW]]
// CHECK: %[[BE:.*]] = tg.expand %[[BW]]
// CHECK: %[[P:.*]] = tg.mul %[[AE]], %[[BE]] : tensor<4x6x8xf32>
// CHECK: %[[S:.*]] = tg.reduce add %[[P]] axes [2]
// CHECK: %[[R:.*]] = tg.reshape %[[S]]
// CHECK: tg.add %arg2, %[[R]] : tensor<4x6xf32>
func.func @matmul(%a: tensor<4x8xf16>, %b: tensor<8x6xf16>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x6xf16>)
      outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// Adding zero is left out, and so are tensors and numbers that nothing reads.

// CHECK-LABEL: func.func @zero(
// CHECK-NEXT: %[[S:.*]] = tg.reduce add %arg0 axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %[[R:.*]] = tg.reshape %[[S]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK-NEXT: return %[[R]]
func.func @zero(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

// The lowest number of f32 is not the identity of a maximum.

// CHECK-LABEL: func.func @lowest(
// CHECK: %[[C:.*]] = tg.const(dense<-3.40282347E+38> : tensor<4xf32>)
// CHECK: tg.reduce max
// CHECK: tg.max %[[C]],
func.func @lowest(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %i = arith.constant dense<-3.40282347e+38> : tensor<4xf32>
  %0 = linalg.reduce {arith.maximumf} ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

// -----

// Windows are a view; nothing is copied.

// CHECK-LABEL: func.func @windows(
// CHECK: tg.strided %arg0 [#tg.view<[1, 1, 2, 2, 3, 3] strides [0, 0, 10, 2, 5, 1]>]
// CHECK-SAME: tensor<1x1x5x5xf32> -> tensor<1x1x2x2x3x3xf32>
// CHECK-NOT: tg.max
// CHECK: tg.reduce max {{.*}} axes [4, 5]
// CHECK-NOT: tg.max
func.func @windows(%x: tensor<1x1x5x5xf32>) -> tensor<1x1x2x2xf32> {
  %w = tensor.empty() : tensor<3x3xf32>
  %i = arith.constant dense<0xFF800000> : tensor<1x1x2x2xf32>
  %0 = linalg.pooling_nchw_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x1x5x5xf32>, tensor<3x3xf32>) outs(%i : tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %0 : tensor<1x1x2x2xf32>
}

// -----

// Unsigned division works on the bits; numbers and indices are tensors.

// CHECK-LABEL: func.func @numbers(
// CHECK-SAME: %arg0: tensor<i32>, %arg1: tensor<i64>) -> (tensor<i32>, tensor<i64>)
// CHECK: %[[L:.*]] = tg.bitcast %arg0 : tensor<i32> -> tensor<ui32>
// CHECK: %[[R:.*]] = tg.bitcast %arg0 : tensor<i32> -> tensor<ui32>
// CHECK: %[[Q:.*]] = tg.idiv %[[L]], %[[R]] : tensor<ui32>
// CHECK: tg.bitcast %[[Q]] : tensor<ui32> -> tensor<i32>
func.func @numbers(%x: i32, %i: index) -> (i32, index) {
  %0 = arith.divui %x, %x : i32
  return %0, %i : i32, index
}

// -----

// What is of tg already stays.

// CHECK-LABEL: func.func @mixed(
// CHECK: tg.neg
// CHECK: tg.exp
func.func @mixed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
