// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=amd:gfx942 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=AMD

// First convolutions of networks: none of the channels, rows and columns of a
// window is a depth by itself.
// One channel: the nine positions of the window are in the tiles, without a loop
// around them, of which nothing is past the end. Rows of an image are merged.
// REMARK: r_128_32_28_28_3_3{{.*}}: tiles of products
// REMARK: r_128_32_28_28_3_3{{.*}}: merge range {{[0-9]+}} by 28
// REMARK: r_128_32_28_28_3_3{{.*}}: merge range {{[0-9]+}} by 3
// REMARK: r_128_32_28_28_3_3{{.*}}: depth range {{[0-9]+}} by 9
// AMD: r_128_32_28_28_3_3{{.*}}: tiles for matrix units
// AMD: r_128_32_28_28_3_3{{.*}}: matrix depth range {{[0-9]+}} by 16
// CHECK-LABEL: tg.kernel @r_128_32_28_28_3_3
// CHECK: tg.range {{[0-9]+}} global 7
// CHECK: tg.range {{[0-9]+}} loop 1
// CHECK-NEXT: tg.range {{[0-9]+}} unroll 2
// CHECK-NEXT: tg.range {{[0-9]+}} local 8
// CHECK-NEXT: tg.range {{[0-9]+}} unroll 9
// CHECK-NEXT: %[[OWN:.*]] = tg.range {{[0-9]+}} unroll 9
// CHECK-NOT: tg.range
// CHECK: tg.stage {{.*}} in group : memref<1152xf32>
// CHECK: tg.load {{.*}} mask
// CHECK-NEXT: tg.stage {{.*}} in group : memref<512xf32>
// CHECK: tg.ranged_reduce add {{.*}} over %{{.*}}, %[[OWN]] : f32
func.func @one_channel(%a0: tensor<128x1x28x28xf32>, %a1: tensor<32x1x3x3xf32>) -> (tensor<128x32x1x28x28x1x1xf32>) {
  %v0 = tg.strided %a0 [#tg.view<[128, 1, 30, 30] strides [784, 784, 28, 1] offset -29 mask [0 to 128, 0 to 1, 1 to 29, 1 to 29]>, #tg.view<[128, 1, 28, 28, 3, 3] strides [900, 900, 30, 1, 30, 1]>] : tensor<128x1x28x28xf32> -> tensor<128x1x28x28x3x3xf32>
  %v1 = tg.reshape %v0 : tensor<128x1x28x28x3x3xf32> -> tensor<128x1x1x28x28x3x3xf32>
  %v2 = tg.expand %v1 : tensor<128x1x1x28x28x3x3xf32> -> tensor<128x32x1x28x28x3x3xf32>
  %v3 = tg.reshape %a1 : tensor<32x1x3x3xf32> -> tensor<1x32x1x1x1x3x3xf32>
  %v4 = tg.expand %v3 : tensor<1x32x1x1x1x3x3xf32> -> tensor<128x32x1x28x28x3x3xf32>
  %v5 = tg.mul %v2, %v4 : tensor<128x32x1x28x28x3x3xf32>
  %v6 = tg.reduce add %v5 axes [2, 5, 6] : tensor<128x32x1x28x28x3x3xf32> -> tensor<128x32x1x28x28x1x1xf32>
  return %v6 : tensor<128x32x1x28x28x1x1xf32>
}

// -----

// Three channels: 27 positions, which are multiplied nine at a time.
// REMARK: r_64_64_32_32_3_3_3{{.*}}: tiles of products
// REMARK: r_64_64_32_32_3_3_3{{.*}}: depth range {{[0-9]+}} by 27
// AMD: r_64_64_32_32_3_3_3{{.*}}: tiles for matrix units
// CHECK-LABEL: tg.kernel @r_64_64_32_32_3_3_3
// CHECK: tg.range {{[0-9]+}} unroll 27
// CHECK-NEXT: %[[STEPS:.*]] = tg.range {{[0-9]+}} loop 3
// CHECK-NEXT: %[[OWN:.*]] = tg.range {{[0-9]+}} unroll 9
// CHECK: tg.stage {{.*}} in group : memref<3456xf32>
// CHECK: tg.stage {{.*}} in group : memref<2048xf32>
// CHECK: tg.ranged_reduce add {{.*}} over %{{.*}}, %[[STEPS]], %[[OWN]] : f32
func.func @three_channels(%a0: tensor<64x3x32x32xf32>, %a1: tensor<64x3x3x3xf32>) -> (tensor<64x64x1x32x32x1x1xf32>) {
  %v0 = tg.strided %a0 [#tg.view<[64, 3, 34, 34] strides [3072, 1024, 32, 1] offset -33 mask [0 to 64, 0 to 3, 1 to 33, 1 to 33]>, #tg.view<[64, 3, 32, 32, 3, 3] strides [3468, 1156, 34, 1, 34, 1]>] : tensor<64x3x32x32xf32> -> tensor<64x3x32x32x3x3xf32>
  %v1 = tg.reshape %v0 : tensor<64x3x32x32x3x3xf32> -> tensor<64x1x3x32x32x3x3xf32>
  %v2 = tg.expand %v1 : tensor<64x1x3x32x32x3x3xf32> -> tensor<64x64x3x32x32x3x3xf32>
  %v3 = tg.reshape %a1 : tensor<64x3x3x3xf32> -> tensor<1x64x3x1x1x3x3xf32>
  %v4 = tg.expand %v3 : tensor<1x64x3x1x1x3x3xf32> -> tensor<64x64x3x32x32x3x3xf32>
  %v5 = tg.mul %v2, %v4 : tensor<64x64x3x32x32x3x3xf32>
  %v6 = tg.reduce add %v5 axes [2, 5, 6] : tensor<64x64x3x32x32x3x3xf32> -> tensor<64x64x1x32x32x1x1xf32>
  return %v6 : tensor<64x64x1x32x32x1x1xf32>
}

// -----

// With a stride, only the columns of a window are neighbors in memory: they stay a
// range of their own. 112 pixels would be padded to 128, those of an image are not.
// REMARK: r_16_64_112_112_3_7_7{{.*}}: tiles of products
// REMARK: r_16_64_112_112_3_7_7{{.*}}: merge range {{[0-9]+}} by 112
// REMARK: r_16_64_112_112_3_7_7{{.*}}: depth range {{[0-9]+}} by 7
// REMARK: r_16_64_112_112_3_7_7{{.*}}: buffers range {{[0-9]+}} by 3
// AMD: r_16_64_112_112_3_7_7{{.*}}: tiles for matrix units
// AMD: r_16_64_112_112_3_7_7{{.*}}: merge range {{[0-9]+}} by 7
// AMD: r_16_64_112_112_3_7_7{{.*}}: merge range {{[0-9]+}} by 3
// AMD: r_16_64_112_112_3_7_7{{.*}}: matrix depth range {{[0-9]+}} by 16
// CHECK-LABEL: tg.kernel @r_16_64_112_112_3_7_7
// CHECK: tg.range {{[0-9]+}} global 98
// CHECK: tg.range {{[0-9]+}} loop 21
// CHECK: tg.range {{[0-9]+}} local 8
// CHECK: tg.range {{[0-9]+}} local 8
// CHECK: tg.range {{[0-9]+}} unroll 7
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<1024xf32>
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<512xf32>
func.func @strided(%a0: tensor<16x3x224x224xf32>, %a1: tensor<64x3x7x7xf32>) -> (tensor<16x64x1x112x112x1x1xf32>) {
  %v0 = tg.strided %a0 [#tg.view<[16, 3, 230, 230] strides [150528, 50176, 224, 1] offset -675 mask [0 to 16, 0 to 3, 3 to 227, 3 to 227]>, #tg.view<[16, 3, 112, 112, 7, 7] strides [158700, 52900, 460, 2, 230, 1]>] : tensor<16x3x224x224xf32> -> tensor<16x3x112x112x7x7xf32>
  %v1 = tg.reshape %v0 : tensor<16x3x112x112x7x7xf32> -> tensor<16x1x3x112x112x7x7xf32>
  %v2 = tg.expand %v1 : tensor<16x1x3x112x112x7x7xf32> -> tensor<16x64x3x112x112x7x7xf32>
  %v3 = tg.reshape %a1 : tensor<64x3x7x7xf32> -> tensor<1x64x3x1x1x7x7xf32>
  %v4 = tg.expand %v3 : tensor<1x64x3x1x1x7x7xf32> -> tensor<16x64x3x112x112x7x7xf32>
  %v5 = tg.mul %v2, %v4 : tensor<16x64x3x112x112x7x7xf32>
  %v6 = tg.reduce add %v5 axes [2, 5, 6] : tensor<16x64x3x112x112x7x7xf32> -> tensor<16x64x1x112x112x1x1xf32>
  return %v6 : tensor<16x64x1x112x112x1x1xf32>
}

// -----

// More channels than fit: a loop over them, and asynchronous copies.
// REMARK: r_64_64_32_32_10_3_3{{.*}}: depth range {{[0-9]+}} by 9
// REMARK: r_64_64_32_32_10_3_3{{.*}}: buffers range {{[0-9]+}} by 3
// CHECK-LABEL: tg.kernel @r_64_64_32_32_10_3_3
// CHECK: tg.range {{[0-9]+}} loop 10
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<1152xf32>
func.func @ten_channels(%a0: tensor<64x10x32x32xf32>, %a1: tensor<64x10x3x3xf32>) -> (tensor<64x64x1x32x32x1x1xf32>) {
  %v0 = tg.strided %a0 [#tg.view<[64, 10, 34, 34] strides [10240, 1024, 32, 1] offset -33 mask [0 to 64, 0 to 10, 1 to 33, 1 to 33]>, #tg.view<[64, 10, 32, 32, 3, 3] strides [11560, 1156, 34, 1, 34, 1]>] : tensor<64x10x32x32xf32> -> tensor<64x10x32x32x3x3xf32>
  %v1 = tg.reshape %v0 : tensor<64x10x32x32x3x3xf32> -> tensor<64x1x10x32x32x3x3xf32>
  %v2 = tg.expand %v1 : tensor<64x1x10x32x32x3x3xf32> -> tensor<64x64x10x32x32x3x3xf32>
  %v3 = tg.reshape %a1 : tensor<64x10x3x3xf32> -> tensor<1x64x10x1x1x3x3xf32>
  %v4 = tg.expand %v3 : tensor<1x64x10x1x1x3x3xf32> -> tensor<64x64x10x32x32x3x3xf32>
  %v5 = tg.mul %v2, %v4 : tensor<64x64x10x32x32x3x3xf32>
  %v6 = tg.reduce add %v5 axes [2, 5, 6] : tensor<64x64x10x32x32x3x3xf32> -> tensor<64x64x1x32x32x1x1xf32>
  return %v6 : tensor<64x64x1x32x32x1x1xf32>
}

// -----

// A window of two positions of three channels has too few terms.
// REMARK: r_16_64_64_64_3_2{{.*}}: no tiles of products: sums have fewer than 8 terms
// CHECK-LABEL: tg.kernel @r_16_64_64_64_3_2
// CHECK-NOT: tg.stage
// CHECK: tg.store
func.func @two_positions(%a0: tensor<16x3x64x65xf32>, %a1: tensor<64x3x2xf32>) -> (tensor<16x64x1x64x64x1xf32>) {
  %v0 = tg.strided %a0 [#tg.view<[16, 3, 64, 64, 2] strides [12480, 4160, 65, 1, 1]>] : tensor<16x3x64x65xf32> -> tensor<16x3x64x64x2xf32>
  %v1 = tg.reshape %v0 : tensor<16x3x64x64x2xf32> -> tensor<16x1x3x64x64x2xf32>
  %v2 = tg.expand %v1 : tensor<16x1x3x64x64x2xf32> -> tensor<16x64x3x64x64x2xf32>
  %v3 = tg.reshape %a1 : tensor<64x3x2xf32> -> tensor<1x64x3x1x1x2xf32>
  %v4 = tg.expand %v3 : tensor<1x64x3x1x1x2xf32> -> tensor<16x64x3x64x64x2xf32>
  %v5 = tg.mul %v2, %v4 : tensor<16x64x3x64x64x2xf32>
  %v6 = tg.reduce add %v5 axes [2, 5] : tensor<16x64x3x64x64x2xf32> -> tensor<16x64x1x64x64x1xf32>
  return %v6 : tensor<16x64x1x64x64x1xf32>
}

// -----

// Sixteen channels are a depth by themselves.
// REMARK: r_64_64_32_32_16_3_3{{.*}}: depth range {{[0-9]+}} by 8
// REMARK: r_64_64_32_32_16_3_3{{.*}}: merge range {{[0-9]+}} by 3
// CHECK-LABEL: tg.kernel @r_64_64_32_32_16_3_3
// CHECK: tg.range {{[0-9]+}} loop 18
func.func @sixteen_channels(%a0: tensor<64x16x32x32xf32>, %a1: tensor<64x16x3x3xf32>) -> (tensor<64x64x1x32x32x1x1xf32>) {
  %v0 = tg.strided %a0 [#tg.view<[64, 16, 34, 34] strides [16384, 1024, 32, 1] offset -33 mask [0 to 64, 0 to 16, 1 to 33, 1 to 33]>, #tg.view<[64, 16, 32, 32, 3, 3] strides [18496, 1156, 34, 1, 34, 1]>] : tensor<64x16x32x32xf32> -> tensor<64x16x32x32x3x3xf32>
  %v1 = tg.reshape %v0 : tensor<64x16x32x32x3x3xf32> -> tensor<64x1x16x32x32x3x3xf32>
  %v2 = tg.expand %v1 : tensor<64x1x16x32x32x3x3xf32> -> tensor<64x64x16x32x32x3x3xf32>
  %v3 = tg.reshape %a1 : tensor<64x16x3x3xf32> -> tensor<1x64x16x1x1x3x3xf32>
  %v4 = tg.expand %v3 : tensor<1x64x16x1x1x3x3xf32> -> tensor<64x64x16x32x32x3x3xf32>
  %v5 = tg.mul %v2, %v4 : tensor<64x64x16x32x32x3x3xf32>
  %v6 = tg.reduce add %v5 axes [2, 5, 6] : tensor<64x64x16x32x32x3x3xf32> -> tensor<64x64x1x32x32x1x1xf32>
  return %v6 : tensor<64x64x1x32x32x1x1xf32>
}
