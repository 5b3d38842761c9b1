// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Sums over pixels for each position of a window, which groups share.

// The weights of one channel: rows of 28 pixels for 32 items, 8 rows at once;
// each item computes all nine positions for two channels.
// REMARK: r_32_32_3_3_4_28_28{{.*}}: windows shared by groups
// REMARK: r_32_32_3_3_4_28_28{{.*}}: group reduce range {{[0-9]+}} by 32
// REMARK: r_32_32_3_3_4_28_28{{.*}}: group reduce range {{[0-9]+}} by 8
// REMARK: r_32_32_3_3_4_28_28{{.*}}: tile range {{[0-9]+}} by 2
// CHECK-LABEL: tg.kernel @r_32_32_3_3_4_28_28
// CHECK: tg.range 0 global 32
// CHECK-NEXT: tg.range {{[0-9]+}} global 16
// CHECK-NEXT: tg.range {{[0-9]+}} unroll 2
// CHECK-NEXT: tg.range {{[0-9]+}} unroll 3
// CHECK-NEXT: tg.range {{[0-9]+}} unroll 3
// CHECK: %[[ROWS:.*]] = tg.range {{[0-9]+}} group_reduce 8
// CHECK-NEXT: %[[ROW:.*]] = tg.range {{[0-9]+}} group_reduce 32
// CHECK: tg.ranged_reduce add {{.*}}%[[ROWS]]{{.*}}%[[ROW]] :
func.func @one_channel(%x: tensor<128x1x28x28xf32>, %g: tensor<128x32x28x28xf32>) -> tensor<1x32x1x1x1x3x3xf32> {
  %v0 = tg.strided %x [#tg.view<[128, 1, 30, 30] strides [784, 784, 28, 1] offset -29 mask [0 to 128, 0 to 1, 1 to 29, 1 to 29]>, #tg.view<[128, 1, 28, 28, 3, 3] strides [900, 900, 30, 1, 30, 1]>] : tensor<128x1x28x28xf32> -> tensor<128x1x28x28x3x3xf32>
  %v1 = tg.reshape %v0 : tensor<128x1x28x28x3x3xf32> -> tensor<128x1x1x28x28x3x3xf32>
  %v2 = tg.expand %v1 : tensor<128x1x1x28x28x3x3xf32> -> tensor<128x32x1x28x28x3x3xf32>
  %v3 = tg.reshape %g : tensor<128x32x28x28xf32> -> tensor<128x32x1x28x28x1x1xf32>
  %v4 = tg.expand %v3 : tensor<128x32x1x28x28x1x1xf32> -> tensor<128x32x1x28x28x3x3xf32>
  %v5 = tg.mul %v2, %v4 : tensor<128x32x1x28x28x3x3xf32>
  %v6 = tg.reduce add %v5 axes [0, 3, 4] : tensor<128x32x1x28x28x3x3xf32> -> tensor<1x32x1x1x1x3x3xf32>
  return %v6 : tensor<1x32x1x1x1x3x3xf32>
}

// -----

// A window for each channel (depthwise): no channels share a factor.
// REMARK: r_4_64_3_3_32_28_28{{.*}}: windows shared by groups
// REMARK-NOT: r_4_64_3_3_32_28_28{{.*}}: tile
// CHECK-LABEL: tg.kernel @r_4_64_3_3_32_28_28
// CHECK: tg.range 0 global 4
// CHECK-NEXT: tg.range 1 global 64
// CHECK-NEXT: tg.range {{[0-9]+}} unroll 3
// CHECK-NEXT: tg.range {{[0-9]+}} unroll 3
// CHECK: tg.range {{[0-9]+}} group_reduce 32
func.func @depthwise(%x: tensor<128x64x30x30xf32>, %g: tensor<128x64x28x28xf32>) -> tensor<1x64x1x1x3x3xf32> {
  %v0 = tg.strided %x [#tg.view<[128, 64, 28, 28, 3, 3] strides [57600, 900, 30, 1, 30, 1]>] : tensor<128x64x30x30xf32> -> tensor<128x64x28x28x3x3xf32>
  %v1 = tg.reshape %g : tensor<128x64x28x28xf32> -> tensor<128x64x28x28x1x1xf32>
  %v2 = tg.expand %v1 : tensor<128x64x28x28x1x1xf32> -> tensor<128x64x28x28x3x3xf32>
  %v3 = tg.mul %v0, %v2 : tensor<128x64x28x28x3x3xf32>
  %v4 = tg.reduce add %v3 axes [0, 2, 3] : tensor<128x64x28x28x3x3xf32> -> tensor<1x64x1x1x3x3xf32>
  return %v4 : tensor<1x64x1x1x3x3xf32>
}

// -----

// Two images of 8x8: too few pixels to be worth adding the sums of the items.
// REMARK: r_64_3_3_2_8_8{{.*}}: no windows shared by groups: sums of 128 pixels are too short to be shared by 32 items
// REMARK-NOT: r_64_3_3_2_8_8{{.*}}: windows shared by groups
// CHECK-LABEL: tg.kernel @r_64_3_3_2_8_8
func.func @few_pixels(%x: tensor<2x64x10x10xf32>, %g: tensor<2x64x8x8xf32>) -> tensor<1x64x1x1x3x3xf32> {
  %v0 = tg.strided %x [#tg.view<[2, 64, 8, 8, 3, 3] strides [6400, 100, 10, 1, 10, 1]>] : tensor<2x64x10x10xf32> -> tensor<2x64x8x8x3x3xf32>
  %v1 = tg.reshape %g : tensor<2x64x8x8xf32> -> tensor<2x64x8x8x1x1xf32>
  %v2 = tg.expand %v1 : tensor<2x64x8x8x1x1xf32> -> tensor<2x64x8x8x3x3xf32>
  %v3 = tg.mul %v0, %v2 : tensor<2x64x8x8x3x3xf32>
  %v4 = tg.reduce add %v3 axes [0, 2, 3] : tensor<2x64x8x8x3x3xf32> -> tensor<1x64x1x1x3x3xf32>
  return %v4 : tensor<1x64x1x1x3x3xf32>
}

// -----

// A window of 31 positions: a long convolution, whose results are rows.
// REMARK-NOT: r_16_200_31{{.*}}: windows shared by groups
// CHECK-LABEL: tg.kernel @r_16_200_31
func.func @long_window(%x: tensor<16x230xf32>, %w: tensor<31xf32>) -> tensor<16x200x1xf32> {
  %v0 = tg.strided %x [#tg.view<[16, 200, 31] strides [230, 1, 1]>] : tensor<16x230xf32> -> tensor<16x200x31xf32>
  %v1 = tg.reshape %w : tensor<31xf32> -> tensor<1x1x31xf32>
  %v2 = tg.expand %v1 : tensor<1x1x31xf32> -> tensor<16x200x31xf32>
  %v3 = tg.mul %v0, %v2 : tensor<16x200x31xf32>
  %v4 = tg.reduce add %v3 axes [2] : tensor<16x200x31xf32> -> tensor<16x200x1xf32>
  return %v4 : tensor<16x200x1xf32>
}
