// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s

// Reductions whose results are stored in another order than that in which
// memory holds what they read.

// Sums of columns with the outermost axis innermost in the result: lanes run
// along what is read, not along the two positions that are stored together.

// CHECK-LABEL: tg.kernel @r_64_64_2_30
// CHECK: tg.range {{.*}} upcast 64
// CHECK-NOT: upcast
// CHECK: tg.ranged_reduce
func.func @columns(%x: tensor<2x30x64x64xf32>) -> tensor<64x64x2xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<2x30x64x64xf32> -> tensor<2x1x64x64xf32>
  %1 = tg.reshape %0 : tensor<2x1x64x64xf32> -> tensor<2x64x64xf32>
  %2 = tg.permute %1 [1, 2, 0] : tensor<2x64x64xf32> -> tensor<64x64x2xf32>
  return %2 : tensor<64x64x2xf32>
}

// -----

// Products of a batch with the batch innermost: neither lanes of the batch nor
// lanes along what is reduced, which is strided in one operand.

// CHECK-LABEL: tg.kernel @r_64_32_2_64
// CHECK: tg.range {{.*}} upcast 64
// CHECK: tg.range {{.*}} loop 64
// CHECK: tg.ranged_reduce
func.func @batch(%x: tensor<2x64x64xf32>, %y: tensor<2x32x64xf32>) -> tensor<64x32x2xf32> {
  %0 = tg.strided %x [#tg.view<[2, 32, 64, 64] strides [4096, 0, 1, 64]>] : tensor<2x64x64xf32> -> tensor<2x32x64x64xf32>
  %1 = tg.strided %y [#tg.view<[2, 32, 64, 64] strides [2048, 64, 0, 1]>] : tensor<2x32x64xf32> -> tensor<2x32x64x64xf32>
  %2 = tg.mul %0, %1 : tensor<2x32x64x64xf32>
  %3 = tg.reduce add %2 axes [3] : tensor<2x32x64x64xf32> -> tensor<2x32x64x1xf32>
  %4 = tg.reshape %3 : tensor<2x32x64x1xf32> -> tensor<2x32x64xf32>
  %5 = tg.permute %4 [2, 1, 0] : tensor<2x32x64xf32> -> tensor<64x32x2xf32>
  return %5 : tensor<64x32x2xf32>
}

// -----

// Sums of the rows of a tensor that caches do not hold are computed in the
// order of the rows.

// CHECK-LABEL: tg.kernel @r_512_128_3_32
// CHECK: tg.range {{[0-9]+}} thread 3
// CHECK: tg.range {{[0-9]+}} thread 128
// CHECK: tg.range {{[0-9]+}} loop 512
func.func @rows(%x: tensor<3x128x512x32xf32>) -> tensor<512x128x3xf32> {
  %0 = tg.reduce add %x axes [3] : tensor<3x128x512x32xf32> -> tensor<3x128x512x1xf32>
  %1 = tg.reshape %0 : tensor<3x128x512x1xf32> -> tensor<3x128x512xf32>
  %2 = tg.permute %1 [2, 1, 0] : tensor<3x128x512xf32> -> tensor<512x128x3xf32>
  return %2 : tensor<512x128x3xf32>
}

// -----

// And forward, where the result is flipped: the store goes backward.

// CHECK-LABEL: tg.kernel @r_256_300
// CHECK-DAG: %[[LAST:.*]] = tg.const(255 : index)
// CHECK-DAG: %[[LENGTH:.*]] = tg.const(300 : index)
// CHECK-DAG: %[[ROW:.*]] = tg.range {{.*}} thread 256
// CHECK-DAG: %[[BACK:.*]] = tg.sub %[[LAST]], %[[ROW]]
// CHECK-DAG: tg.mul %[[ROW]], %[[LENGTH]]
// CHECK: tg.load
// CHECK: tg.store %{{.*}}, %arg0[%[[BACK]]]
func.func @flipped(%x: tensor<256x300xf32>) -> tensor<256x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<256x300xf32> -> tensor<256x1xf32>
  %1 = tg.flip %0 axes [0] : tensor<256x1xf32>
  return %1 : tensor<256x1xf32>
}

// -----

// A product of rows by rows that is flipped has the tile that it has without:
// lanes along the result, which are stored backward.

// CHECK-LABEL: tg.kernel @r_256_1024_64
// CHECK: tg.range {{.*}} upcast 64
// CHECK: tg.stage
// CHECK: tg.ranged_reduce
func.func @flipped_product(%x: tensor<256x64xf32>, %y: tensor<1024x64xf32>) -> tensor<262144xf32> {
  %0 = tg.strided %x [#tg.view<[256, 1024, 64] strides [64, 0, 1]>] : tensor<256x64xf32> -> tensor<256x1024x64xf32>
  %1 = tg.strided %y [#tg.view<[256, 1024, 64] strides [0, 64, 1]>] : tensor<1024x64xf32> -> tensor<256x1024x64xf32>
  %2 = tg.mul %0, %1 : tensor<256x1024x64xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<256x1024x64xf32> -> tensor<256x1024x1xf32>
  %4 = tg.reshape %3 : tensor<256x1024x1xf32> -> tensor<262144xf32>
  %5 = tg.flip %4 axes [0] : tensor<262144xf32>
  return %5 : tensor<262144xf32>
}

// -----

// Products of a batch whose sums are kept in a tile, with the batch innermost
// in the result: its loop is outside of those that read the tile, which would
// be filled again at each step otherwise.

// CHECK-LABEL: tg.kernel @r_128_64_3_64
// CHECK: tg.range {{.*}} thread 3
// CHECK: tg.range 0 loop 128
// CHECK: tg.ranged_reduce
// CHECK: tg.stage
func.func @batch_across(%x: tensor<3x64x64xf32>, %y: tensor<3x128x64xf32>) -> tensor<128x64x3xf32> {
  %0 = tg.strided %x [#tg.view<[3, 64, 128, 64] strides [4096, 1, 0, 64]>] : tensor<3x64x64xf32> -> tensor<3x64x128x64xf32>
  %1 = tg.strided %y [#tg.view<[3, 64, 128, 64] strides [8192, 0, 64, 1]>] : tensor<3x128x64xf32> -> tensor<3x64x128x64xf32>
  %2 = tg.mul %0, %1 : tensor<3x64x128x64xf32>
  %3 = tg.reduce add %2 axes [3] : tensor<3x64x128x64xf32> -> tensor<3x64x128x1xf32>
  %4 = tg.reshape %3 : tensor<3x64x128x1xf32> -> tensor<3x64x128xf32>
  %5 = tg.permute %4 [2, 1, 0] : tensor<3x64x128xf32> -> tensor<128x64x3xf32>
  return %5 : tensor<128x64x3xf32>
}

// -----

// Columns less their maxima, transposed: squares that are turned in registers
// would have the loop over the maxima inside of that over what they are used
// for, and compute each again there.

// CHECK-LABEL: tg.kernel @{{.*}}384_300
// CHECK-NOT: unroll 16
// CHECK: tg.ranged_reduce max
func.func @columns_less_maxima(%x: tensor<300x384xf32>) -> tensor<384x300xf32> {
  %0 = tg.permute %x [1, 0] : tensor<300x384xf32> -> tensor<384x300xf32>
  %1 = tg.reduce max %0 axes [1] : tensor<384x300xf32> -> tensor<384x1xf32>
  %2 = tg.expand %1 : tensor<384x1xf32> -> tensor<384x300xf32>
  %3 = tg.sub %0, %2 : tensor<384x300xf32>
  return %3 : tensor<384x300xf32>
}
