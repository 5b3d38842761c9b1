// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Sums of products of which few results use each factor: lanes along what is
// reduced, and a tile of accumulators.

// The gradient by the weights of a convolution of one channel: nine results of
// two output channels.
// CHECK-LABEL: tg.kernel @r_32_3_3_4_26_26
// CHECK: tg.range {{.*}} unroll 2
// CHECK: tg.range {{.*}} unroll 3
// CHECK: tg.range {{.*}} unroll 3
// CHECK: tg.range {{.*}} upcast 16
// CHECK-NOT: tg.stage
// REMARK: remark: {{.*}}r_32_3_3_4_26_26{{.*}}unroll range 0 by 2
func.func @weights(%y: tensor<4x32x26x26xf32>, %x: tensor<4x28x28xf32>) -> tensor<1x32x1x1x3x3xf32> {
  %y1 = tg.reshape %y : tensor<4x32x26x26xf32> -> tensor<4x32x26x26x1x1xf32>
  %y2 = tg.expand %y1 : tensor<4x32x26x26x1x1xf32> -> tensor<4x32x26x26x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[4, 32, 26, 26, 3, 3] strides [784, 0, 28, 1, 28, 1]>] : tensor<4x28x28xf32> -> tensor<4x32x26x26x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<4x32x26x26x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<4x32x26x26x3x3xf32> -> tensor<1x32x1x1x3x3xf32>
  return %g : tensor<1x32x1x1x3x3xf32>
}

// -----

// Eight channels use each element of the gradient 72 times, which pays for
// packing it.
// CHECK-LABEL: tg.kernel @r_32_8_3_3_4_26_26
// CHECK: tg.stage
// REMARK: remark: {{.*}}r_32_8_3_3_4_26_26{{.*}}lanes across
func.func @channels(%y: tensor<4x32x26x26xf32>, %x: tensor<4x8x28x28xf32>) -> tensor<1x32x1x1x8x3x3xf32> {
  %y1 = tg.reshape %y : tensor<4x32x26x26xf32> -> tensor<4x32x26x26x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<4x32x26x26x1x1x1xf32> -> tensor<4x32x26x26x8x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[4, 32, 26, 26, 8, 3, 3] strides [6272, 0, 28, 1, 784, 28, 1]>] : tensor<4x8x28x28xf32> -> tensor<4x32x26x26x8x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<4x32x26x26x8x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<4x32x26x26x8x3x3xf32> -> tensor<1x32x1x1x8x3x3xf32>
  return %g : tensor<1x32x1x1x8x3x3xf32>
}

// -----

// With padding, each copy would compute a mask of its own.
// CHECK-LABEL: tg.kernel @r_32_3_3_4_28_28
// CHECK: tg.stage
func.func @padded(%y: tensor<4x32x28x28xf32>, %x: tensor<4x28x28xf32>) -> tensor<1x32x1x1x3x3xf32> {
  %y1 = tg.reshape %y : tensor<4x32x28x28xf32> -> tensor<4x32x28x28x1x1xf32>
  %y2 = tg.expand %y1 : tensor<4x32x28x28x1x1xf32> -> tensor<4x32x28x28x3x3xf32>
  %x0 = tg.pad %x low [0, 1, 1] high [0, 1, 1] : tensor<4x28x28xf32> -> tensor<4x30x30xf32>
  %x1 = tg.strided %x0 [#tg.view<[4, 32, 28, 28, 3, 3] strides [900, 0, 30, 1, 30, 1]>] : tensor<4x30x30xf32> -> tensor<4x32x28x28x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<4x32x28x28x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<4x32x28x28x3x3xf32> -> tensor<1x32x1x1x3x3xf32>
  return %g : tensor<1x32x1x1x3x3xf32>
}

// -----

// A product with eight columns, each contiguous along the depth.
// CHECK-LABEL: tg.kernel @r_512_8_1024
// CHECK: tg.range {{.*}} unroll 2
// CHECK: tg.range {{.*}} unroll 8
// CHECK: tg.range {{.*}} upcast 16
func.func @columns(%a: tensor<512x1024xf32>, %b: tensor<8x1024xf32>) -> tensor<512x8x1xf32> {
  %a1 = tg.reshape %a : tensor<512x1024xf32> -> tensor<512x1x1024xf32>
  %a2 = tg.expand %a1 : tensor<512x1x1024xf32> -> tensor<512x8x1024xf32>
  %b1 = tg.reshape %b : tensor<8x1024xf32> -> tensor<1x8x1024xf32>
  %b2 = tg.expand %b1 : tensor<1x8x1024xf32> -> tensor<512x8x1024xf32>
  %p = tg.mul %a2, %b2 : tensor<512x8x1024xf32>
  %r = tg.reduce add %p axes [2] : tensor<512x8x1024xf32> -> tensor<512x8x1xf32>
  return %r : tensor<512x8x1xf32>
}
