// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v3 --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s --check-prefix=V256
// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Columns of stride 2: lanes run along the channels. Their weights are packed,
// and a row of results is transposed into a tile of which the store's own lanes
// run along the columns. Without a mask the input is read where it is.

// CHECK-LABEL: tg.kernel @r_32_14_14_16_2_2
// CHECK: tg.range {{.*}} thread 2
// CHECK: tg.range {{.*}} loop 7
// CHECK: tg.range {{.*}} unroll 16
// CHECK: tg.range {{.*}} upcast 16
// CHECK: tg.range {{.*}} upcast 32
// CHECK: tg.range {{.*}} unroll 14
// CHECK-NOT: mask
// CHECK: tg.stage
// CHECK-NOT: mask
// CHECK: tg.ranged_reduce
// CHECK: tg.stage
// V256-LABEL: tg.kernel @r_32_14_14_16_2_2
// V256: tg.range {{.*}} unroll 8
// V256: tg.range {{.*}} upcast 8
// V256: tg.stage
// REMARK: remark: {{.*}}r_32_14_14_16_2_2{{.*}}lanes across range
// REMARK: remark: {{.*}}r_32_14_14_16_2_2{{.*}}pack range
func.func @strided(%x: tensor<12544xf32>, %w: tensor<32x64xf32>) -> tensor<32x14x14x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[1, 14, 14, 16, 2, 2] strides [0, 56, 2, 784, 28, 1]>] : tensor<12544xf32> -> tensor<1x14x14x16x2x2xf32>
  %1 = tg.expand %0 : tensor<1x14x14x16x2x2xf32> -> tensor<32x14x14x16x2x2xf32>
  %2 = tg.reshape %w : tensor<32x64xf32> -> tensor<32x1x1x16x2x2xf32>
  %3 = tg.expand %2 : tensor<32x1x1x16x2x2xf32> -> tensor<32x14x14x16x2x2xf32>
  %4 = tg.mul %1, %3 : tensor<32x14x14x16x2x2xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<32x14x14x16x2x2xf32> -> tensor<32x14x14x1x1x1xf32>
  return %5 : tensor<32x14x14x1x1x1xf32>
}

// -----

// With padding, the input is kept in a tile as well: one element for each sum
// of row and window, and of column and window (2 * 13 + 2 + 1 = 29), in which
// the mask is evaluated once. What comes later is fetched ahead. The sum leaves
// out the rows and columns of padding, unless a weight is not finite. (Below and
// on the right there are none.)

// CHECK-LABEL: tg.kernel @r_40_14_14_16_3_3
// CHECK: tg.load {{.*}} mask {{.*}} prefetch
// CHECK: tg.stage {{.*}} : memref<14848xf32>
// CHECK: tg.load {{.*}} prefetch 64
// CHECK: %[[PRODUCT:.*]] = tg.mul {{.*}} : f32
// CHECK: %[[OF_PART:.*]] = tg.ranged_reduce max {{.*}} : i32
// CHECK: tg.stage %[[OF_PART]]
// CHECK: %[[GREATEST:.*]] = tg.ranged_reduce max {{.*}} : i32
// CHECK: %[[IS_INFINITE:.*]] = tg.cmplt {{.*}}, %[[GREATEST]] : i32
// CHECK: %[[ROWS:.*]] = tg.or %{{.*}}, %[[IS_INFINITE]] : i1
// CHECK: %[[COLUMNS:.*]] = tg.or %{{.*}}, %[[IS_INFINITE]] : i1
// CHECK: %[[COUNTS:.*]] = tg.and %[[ROWS]], %[[COLUMNS]] : i1
// CHECK: %[[VALUE:.*]] = tg.where %[[COUNTS]], %[[PRODUCT]], {{.*}} : f32
// CHECK: tg.ranged_reduce add %[[VALUE]]
// REMARK: remark: {{.*}}r_40_14_14_16_3_3{{.*}}stage window range {{[0-9]+}} by 29
// REMARK: remark: {{.*}}r_40_14_14_16_3_3{{.*}}stage window range {{[0-9]+}} by 29
func.func @padded(%x: tensor<12544xf32>, %w: tensor<40x144xf32>) -> tensor<40x14x14x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[16, 30, 30] strides [784, 28, 1] offset -29 mask [0 to 16, 1 to 29, 1 to 29]>, #tg.view<[1, 14, 14, 16, 3, 3] strides [0, 60, 2, 900, 30, 1]>] : tensor<12544xf32> -> tensor<1x14x14x16x3x3xf32>
  %1 = tg.expand %0 : tensor<1x14x14x16x3x3xf32> -> tensor<40x14x14x16x3x3xf32>
  %2 = tg.reshape %w : tensor<40x144xf32> -> tensor<40x1x1x16x3x3xf32>
  %3 = tg.expand %2 : tensor<40x1x1x16x3x3xf32> -> tensor<40x14x14x16x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<40x14x14x16x3x3xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<40x14x14x16x3x3xf32> -> tensor<40x14x14x1x1x1xf32>
  return %5 : tensor<40x14x14x1x1x1xf32>
}

// -----

// A branch for one of 900 products in a row is not worth it: rows alone.

// CHECK-LABEL: tg.kernel @r_40_2_300_16_3_3
// CHECK: tg.ranged_reduce max
// CHECK: %[[GREATEST:.*]] = tg.ranged_reduce max {{.*}} : i32
// CHECK: %[[IS_INFINITE:.*]] = tg.cmplt {{.*}}, %[[GREATEST]] : i32
// CHECK: %[[ROWS:.*]] = tg.or {{.*}}, %[[IS_INFINITE]] : i1
// CHECK-NEXT: tg.where %[[ROWS]]
func.func @wide(%x: tensor<38400xf32>, %w: tensor<40x144xf32>) -> tensor<40x2x300x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[16, 6, 602] strides [2400, 600, 1] offset -601 mask [0 to 16, 1 to 5, 1 to 601]>, #tg.view<[1, 2, 300, 16, 3, 3] strides [0, 1204, 2, 3612, 602, 1]>] : tensor<38400xf32> -> tensor<1x2x300x16x3x3xf32>
  %1 = tg.expand %0 : tensor<1x2x300x16x3x3xf32> -> tensor<40x2x300x16x3x3xf32>
  %2 = tg.reshape %w : tensor<40x144xf32> -> tensor<40x1x1x16x3x3xf32>
  %3 = tg.expand %2 : tensor<40x1x1x16x3x3xf32> -> tensor<40x2x300x16x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<40x2x300x16x3x3xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<40x2x300x16x3x3xf32> -> tensor<40x2x300x1x1x1xf32>
  return %5 : tensor<40x2x300x1x1x1xf32>
}

// -----

// Nor for integers, whose products and sums are operations of their own. They
// are always finite.

// CHECK-LABEL: tg.kernel @r_48_14_14_16_3_3
// CHECK-NOT: tg.ranged_reduce max
// CHECK: tg.load %{{.*}} mask
// CHECK-NOT: tg.and
// CHECK: tg.where %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: tg.ranged_reduce add
func.func @integers(%x: tensor<12544xi32>, %w: tensor<48x144xi32>) -> tensor<48x14x14x1x1x1xi32> {
  %0 = tg.strided %x [#tg.view<[16, 30, 30] strides [784, 28, 1] offset -29 mask [0 to 16, 1 to 29, 1 to 29]>, #tg.view<[1, 14, 14, 16, 3, 3] strides [0, 60, 2, 900, 30, 1]>] : tensor<12544xi32> -> tensor<1x14x14x16x3x3xi32>
  %1 = tg.expand %0 : tensor<1x14x14x16x3x3xi32> -> tensor<48x14x14x16x3x3xi32>
  %2 = tg.reshape %w : tensor<48x144xi32> -> tensor<48x1x1x16x3x3xi32>
  %3 = tg.expand %2 : tensor<48x1x1x16x3x3xi32> -> tensor<48x14x14x16x3x3xi32>
  %4 = tg.mul %1, %3 : tensor<48x14x14x16x3x3xi32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<48x14x14x16x3x3xi32> -> tensor<48x14x14x1x1x1xi32>
  return %5 : tensor<48x14x14x1x1x1xi32>
}

// -----

// Columns that follow one another are lanes themselves.

// CHECK-LABEL: tg.kernel @r_32_32_32_16_3_3
// CHECK-NOT: tg.stage
// CHECK: tg.ranged_reduce
// REMARK-NOT: remark: {{.*}}r_32_32_32_16_3_3{{.*}}lanes across
func.func @contiguous(%x: tensor<16384xf32>, %w: tensor<32x144xf32>) -> tensor<32x32x32x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[16, 34, 34] strides [1024, 32, 1] offset -33 mask [0 to 16, 1 to 33, 1 to 33]>, #tg.view<[1, 32, 32, 16, 3, 3] strides [0, 34, 1, 1156, 34, 1]>] : tensor<16384xf32> -> tensor<1x32x32x16x3x3xf32>
  %1 = tg.expand %0 : tensor<1x32x32x16x3x3xf32> -> tensor<32x32x32x16x3x3xf32>
  %2 = tg.reshape %w : tensor<32x144xf32> -> tensor<32x1x1x16x3x3xf32>
  %3 = tg.expand %2 : tensor<32x1x1x16x3x3xf32> -> tensor<32x32x32x16x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<32x32x32x16x3x3xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<32x32x32x16x3x3xf32> -> tensor<32x32x32x1x1x1xf32>
  return %5 : tensor<32x32x32x1x1x1xf32>
}

// -----

// 14 columns would leave lanes empty, and the windows of 20 rows of 256 channels
// are more than a tile holds: those of 10 rows are computed together.

// REMARK: remark: {{.*}}r_16_40_14_256_3_3{{.*}}lanes across
// REMARK: remark: {{.*}}r_16_40_14_256_3_3{{.*}}share range {{[0-9]+}} by 20
// REMARK: remark: {{.*}}r_16_40_14_256_3_3{{.*}}group range {{[0-9]+}} by 10
// CHECK-LABEL: tg.kernel @r_16_40_14_256_3_3
// CHECK: tg.stage {{.*}} : memref<49152xf32>
func.func @small(%x: tensor<143360xf32>, %w: tensor<16x2304xf32>) -> tensor<16x40x14x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[256, 42, 16] strides [560, 14, 1] offset -15 mask [0 to 256, 1 to 41, 1 to 15]>, #tg.view<[1, 40, 14, 256, 3, 3] strides [0, 16, 1, 672, 16, 1]>] : tensor<143360xf32> -> tensor<1x40x14x256x3x3xf32>
  %1 = tg.expand %0 : tensor<1x40x14x256x3x3xf32> -> tensor<16x40x14x256x3x3xf32>
  %2 = tg.reshape %w : tensor<16x2304xf32> -> tensor<16x1x1x256x3x3xf32>
  %3 = tg.expand %2 : tensor<16x1x1x256x3x3xf32> -> tensor<16x40x14x256x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<16x40x14x256x3x3xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<16x40x14x256x3x3xf32> -> tensor<16x40x14x1x1x1xf32>
  return %5 : tensor<16x40x14x1x1x1xf32>
}

// -----

// Each block of channels computes the windows again. Where these are larger than
// the weights of a block, as with stride 2, blocks are of 64 channels: two
// tiles, one after the other, each with its part of the weights. The places of
// the next row's results are fetched.

// CHECK-LABEL: tg.kernel @r_128_28_28_64_3_3
// CHECK: tg.range {{.*}} thread 2
// CHECK: %[[TILES:[0-9]+]] = tg.range {{[0-9]+}} loop 2
// CHECK: %[[PARTS:[0-9]+]] = tg.range {{[0-9]+}} loop 2
// CHECK: tg.stage {{.*}} : memref<61440xf32>
// CHECK: tg.stage {{.*}} over %[[TILES]], {{.*}} : memref<36864xf32>
// CHECK: tg.stage {{.*}} over %[[PARTS]], {{.*}} : memref<1792xf32>
// CHECK: tg.store {{.*}} prefetch 28 : memref<100352xf32>
// REMARK: remark: {{.*}}r_128_28_28_64_3_3{{.*}}lanes across range {{[0-9]+}} by 64
func.func @costly_windows(%x: tensor<200704xf32>, %w: tensor<128x576xf32>) -> tensor<128x28x28x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[64, 58, 58] strides [3136, 56, 1] offset -57 mask [0 to 64, 1 to 57, 1 to 57]>, #tg.view<[1, 28, 28, 64, 3, 3] strides [0, 116, 2, 3364, 58, 1]>] : tensor<200704xf32> -> tensor<1x28x28x64x3x3xf32>
  %1 = tg.expand %0 : tensor<1x28x28x64x3x3xf32> -> tensor<128x28x28x64x3x3xf32>
  %2 = tg.reshape %w : tensor<128x576xf32> -> tensor<128x1x1x64x3x3xf32>
  %3 = tg.expand %2 : tensor<128x1x1x64x3x3xf32> -> tensor<128x28x28x64x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<128x28x28x64x3x3xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<128x28x28x64x3x3xf32> -> tensor<128x28x28x1x1x1xf32>
  return %5 : tensor<128x28x28x1x1x1xf32>
}

// -----

// Work items are blocks of channels of one image: a thread fills a tile with the
// windows of all rows once. Of two images, each item would fill it again: rows
// are in groups.

// REMARK-NOT: remark: {{.*}}r_256_14_14_128_3_3{{.*}}group range
// CHECK-LABEL: tg.kernel @r_256_14_14_128_3_3
// CHECK: tg.range {{[0-9]+}} thread 8
// CHECK: tg.stage {{.*}} : memref<118784xf32>
func.func @shared_windows(%x: tensor<100352xf32>, %w: tensor<256x1152xf32>) -> tensor<256x14x14x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[128, 30, 30] strides [784, 28, 1] offset -29 mask [0 to 128, 1 to 29, 1 to 29]>, #tg.view<[1, 14, 14, 128, 3, 3] strides [0, 60, 2, 900, 30, 1]>] : tensor<100352xf32> -> tensor<1x14x14x128x3x3xf32>
  %1 = tg.expand %0 : tensor<1x14x14x128x3x3xf32> -> tensor<256x14x14x128x3x3xf32>
  %2 = tg.reshape %w : tensor<256x1152xf32> -> tensor<256x1x1x128x3x3xf32>
  %3 = tg.expand %2 : tensor<256x1x1x128x3x3xf32> -> tensor<256x14x14x128x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<256x14x14x128x3x3xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<256x14x14x128x3x3xf32> -> tensor<256x14x14x1x1x1xf32>
  return %5 : tensor<256x14x14x1x1x1xf32>
}

// -----

// REMARK: remark: {{.*}}r_2_256_14_14_128_3_3{{.*}}group range {{[0-9]+}} by 7
// CHECK-LABEL: tg.kernel @r_2_256_14_14_128_3_3
// CHECK: tg.stage {{.*}} : memref<61440xf32>
func.func @windows_of_two(%x: tensor<2x100352xf32>, %w: tensor<256x1152xf32>) -> tensor<2x256x14x14x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[2, 128, 30, 30] strides [100352, 784, 28, 1] offset -29 mask [0 to 2, 0 to 128, 1 to 29, 1 to 29]>, #tg.view<[2, 1, 14, 14, 128, 3, 3] strides [115200, 0, 60, 2, 900, 30, 1]>] : tensor<2x100352xf32> -> tensor<2x1x14x14x128x3x3xf32>
  %1 = tg.expand %0 : tensor<2x1x14x14x128x3x3xf32> -> tensor<2x256x14x14x128x3x3xf32>
  %2 = tg.reshape %w : tensor<256x1152xf32> -> tensor<1x256x1x1x128x3x3xf32>
  %3 = tg.expand %2 : tensor<1x256x1x1x128x3x3xf32> -> tensor<2x256x14x14x128x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<2x256x14x14x128x3x3xf32>
  %5 = tg.reduce add %4 axes [4, 5, 6] : tensor<2x256x14x14x128x3x3xf32> -> tensor<2x256x14x14x1x1x1xf32>
  return %5 : tensor<2x256x14x14x1x1x1xf32>
}

// -----

// These weights are larger than the windows: as much work for more cores.

// REMARK: remark: {{.*}}r_512_14_14_256_3_3{{.*}}lanes across range {{[0-9]+}} by 32
func.func @cheap_windows(%x: tensor<50176xf32>, %w: tensor<512x2304xf32>) -> tensor<512x14x14x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[256, 16, 16] strides [196, 14, 1] offset -15 mask [0 to 256, 1 to 15, 1 to 15]>, #tg.view<[1, 14, 14, 256, 3, 3] strides [0, 16, 1, 256, 16, 1]>] : tensor<50176xf32> -> tensor<1x14x14x256x3x3xf32>
  %1 = tg.expand %0 : tensor<1x14x14x256x3x3xf32> -> tensor<512x14x14x256x3x3xf32>
  %2 = tg.reshape %w : tensor<512x2304xf32> -> tensor<512x1x1x256x3x3xf32>
  %3 = tg.expand %2 : tensor<512x1x1x256x3x3xf32> -> tensor<512x14x14x256x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<512x14x14x256x3x3xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<512x14x14x256x3x3xf32> -> tensor<512x14x14x1x1x1xf32>
  return %5 : tensor<512x14x14x1x1x1xf32>
}

// -----

// One block of channels is work for several cores all the same.

// REMARK: remark: {{.*}}r_16_14_14_32_3_3{{.*}}share range {{[0-9]+}} by 7
// CHECK-LABEL: tg.kernel @r_16_14_14_32_3_3
// CHECK: tg.range {{[0-9]+}} thread 2
// Rows of 14 results share lines with their neighbours.
// CHECK: tg.store {{.*}} mask %{{[0-9]+}} : memref<3136xf32>
func.func @few_channels(%x: tensor<6272xf32>, %w: tensor<16x288xf32>) -> tensor<16x14x14x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[32, 16, 16] strides [196, 14, 1] offset -15 mask [0 to 32, 1 to 15, 1 to 15]>, #tg.view<[1, 14, 14, 32, 3, 3] strides [0, 16, 1, 256, 16, 1]>] : tensor<6272xf32> -> tensor<1x14x14x32x3x3xf32>
  %1 = tg.expand %0 : tensor<1x14x14x32x3x3xf32> -> tensor<16x14x14x32x3x3xf32>
  %2 = tg.reshape %w : tensor<16x288xf32> -> tensor<16x1x1x32x3x3xf32>
  %3 = tg.expand %2 : tensor<16x1x1x32x3x3xf32> -> tensor<16x14x14x32x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<16x14x14x32x3x3xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<16x14x14x32x3x3xf32> -> tensor<16x14x14x1x1x1xf32>
  return %5 : tensor<16x14x14x1x1x1xf32>
}

// -----

// A product that is stored transposed: results are turned rather than what
// they are computed from.

// REMARK: remark: {{.*}}r_64_64_64{{.*}}lanes across
// CHECK-LABEL: tg.kernel @r_64_64_64
// CHECK: tg.stage
// CHECK: tg.store %{{[0-9]+}}, %arg0[%{{[0-9]+}}] : memref<4096xf32>
func.func @transposed(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64x1xf32> {
  %0 = tg.strided %b [#tg.view<[64, 64, 64] strides [1, 0, 64]>] : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %1 = tg.strided %a [#tg.view<[64, 64, 64] strides [0, 64, 1]>] : tensor<64x64xf32> -> tensor<64x64x64xf32>
  %2 = tg.mul %0, %1 : tensor<64x64x64xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x64x64xf32> -> tensor<64x64x1xf32>
  return %3 : tensor<64x64x1xf32>
}

// -----

// Weights that few positions use are not packed.

// CHECK-LABEL: tg.kernel @r_32_4_4_16_2_2
// CHECK-NOT: tg.stage
// CHECK: tg.ranged_reduce
func.func @few(%x: tensor<1024xf32>, %w: tensor<32x64xf32>) -> tensor<32x4x4x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[1, 4, 4, 16, 2, 2] strides [0, 16, 2, 64, 8, 1]>] : tensor<1024xf32> -> tensor<1x4x4x16x2x2xf32>
  %1 = tg.expand %0 : tensor<1x4x4x16x2x2xf32> -> tensor<32x4x4x16x2x2xf32>
  %2 = tg.reshape %w : tensor<32x64xf32> -> tensor<32x1x1x16x2x2xf32>
  %3 = tg.expand %2 : tensor<32x1x1x16x2x2xf32> -> tensor<32x4x4x16x2x2xf32>
  %4 = tg.mul %1, %3 : tensor<32x4x4x16x2x2xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<32x4x4x16x2x2xf32> -> tensor<32x4x4x1x1x1xf32>
  return %5 : tensor<32x4x4x1x1x1xf32>
}

// -----

// Nor are there lanes of channels where each channel has an input of its own.

// CHECK-LABEL: tg.kernel @r_32_14_14_2_2
// CHECK-NOT: tg.stage
// CHECK: tg.ranged_reduce
func.func @depthwise(%x: tensor<25088xf32>, %w: tensor<32x4xf32>) -> tensor<32x14x14x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[32, 14, 14, 2, 2] strides [784, 56, 2, 28, 1]>] : tensor<25088xf32> -> tensor<32x14x14x2x2xf32>
  %1 = tg.reshape %w : tensor<32x4xf32> -> tensor<32x1x1x2x2xf32>
  %2 = tg.expand %1 : tensor<32x1x1x2x2xf32> -> tensor<32x14x14x2x2xf32>
  %3 = tg.mul %0, %2 : tensor<32x14x14x2x2xf32>
  %4 = tg.reduce add %3 axes [3, 4] : tensor<32x14x14x2x2xf32> -> tensor<32x14x14x1x1xf32>
  return %4 : tensor<32x14x14x1x1xf32>
}

// -----

// A row of a window that is contiguous, but does not fill lanes, leaves them to
// the channels too.

// CHECK-LABEL: tg.kernel @r_16_9_9_4_9_9
// CHECK: tg.stage {{.*}} : memref<5376xf32>
// REMARK: remark: {{.*}}r_16_9_9_4_9_9{{.*}}lanes across range {{[0-9]+}} by 16
func.func @short_rows(%x: tensor<6724xf32>, %w: tensor<16x324xf32>) -> tensor<16x9x9x1x1x1xf32> {
  %0 = tg.strided %x [#tg.view<[1, 9, 9, 4, 9, 9] strides [0, 164, 4, 1681, 41, 1]>] : tensor<6724xf32> -> tensor<1x9x9x4x9x9xf32>
  %1 = tg.expand %0 : tensor<1x9x9x4x9x9xf32> -> tensor<16x9x9x4x9x9xf32>
  %2 = tg.reshape %w : tensor<16x324xf32> -> tensor<16x1x1x4x9x9xf32>
  %3 = tg.expand %2 : tensor<16x1x1x4x9x9xf32> -> tensor<16x9x9x4x9x9xf32>
  %4 = tg.mul %1, %3 : tensor<16x9x9x4x9x9xf32>
  %5 = tg.reduce add %4 axes [3, 4, 5] : tensor<16x9x9x4x9x9xf32> -> tensor<16x9x9x1x1x1xf32>
  return %5 : tensor<16x9x9x1x1x1xf32>
}
