// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s --check-prefixes=CHECK,V4
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v3 --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s --check-prefixes=CHECK,V3

// With 16 registers, 12 accumulators are worth a rest of rows: 512 is no
// multiple of 6. With 32, the 16 of 4 rows are enough.
// CHECK-LABEL: tg.kernel @r_512_1024_256_n0
// V4: tg.range {{.*}} unroll 4
// V4: tg.range {{.*}} upcast 64
// V3: tg.range {{.*}} loop 86 peel 1
// V3: tg.range {{.*}} unroll 6
// V3: tg.range {{.*}} upcast 16
func.func @manyRows(%x: tensor<512x256xf32>, %y: tensor<256x1024xf32>) -> tensor<512x1x1024xf32> {
  %0 = tg.reshape %x : tensor<512x256xf32> -> tensor<512x256x1xf32>
  %1 = tg.expand %0 : tensor<512x256x1xf32> -> tensor<512x256x1024xf32>
  %2 = tg.reshape %y : tensor<256x1024xf32> -> tensor<1x256x1024xf32>
  %3 = tg.expand %2 : tensor<1x256x1024xf32> -> tensor<512x256x1024xf32>
  %4 = tg.mul %1, %3 : tensor<512x256x1024xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<512x256x1024xf32> -> tensor<512x1x1024xf32>
  return %5 : tensor<512x1x1024xf32>
}

// -----

// Of few rows, a rest would be a large part.
// CHECK-LABEL: tg.kernel @r_32_1024_256_n0
// V4: tg.range {{.*}} unroll 4
// V3-NOT: peel
// V3: tg.range {{.*}} unroll 4
func.func @fewRows(%x: tensor<32x256xf32>, %y: tensor<256x1024xf32>) -> tensor<32x1x1024xf32> {
  %0 = tg.reshape %x : tensor<32x256xf32> -> tensor<32x256x1xf32>
  %1 = tg.expand %0 : tensor<32x256x1xf32> -> tensor<32x256x1024xf32>
  %2 = tg.reshape %y : tensor<256x1024xf32> -> tensor<1x256x1024xf32>
  %3 = tg.expand %2 : tensor<1x256x1024xf32> -> tensor<32x256x1024xf32>
  %4 = tg.mul %1, %3 : tensor<32x256x1024xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<32x256x1024xf32> -> tensor<32x1x1024xf32>
  return %5 : tensor<32x1x1024xf32>
}

// -----

// 16 KB of rows that are 16 KB apart lie in 4 of the first-level cache's 64
// sets: they are copied. With 4000 bytes in between they use all sets.
// CHECK-LABEL: tg.kernel @r_512_4096_64_n0
// V4: tg.stage
func.func @rowsInFewSets(%x: tensor<512x64xf32>, %y: tensor<64x4096xf32>) -> tensor<512x1x4096xf32> {
  %0 = tg.reshape %x : tensor<512x64xf32> -> tensor<512x64x1xf32>
  %1 = tg.expand %0 : tensor<512x64x1xf32> -> tensor<512x64x4096xf32>
  %2 = tg.reshape %y : tensor<64x4096xf32> -> tensor<1x64x4096xf32>
  %3 = tg.expand %2 : tensor<1x64x4096xf32> -> tensor<512x64x4096xf32>
  %4 = tg.mul %1, %3 : tensor<512x64x4096xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<512x64x4096xf32> -> tensor<512x1x4096xf32>
  return %5 : tensor<512x1x4096xf32>
}

// -----

// CHECK-LABEL: tg.kernel @r_512_4000_64_n0
// CHECK-NOT: tg.stage
// CHECK: tg.store
func.func @rowsInAllSets(%x: tensor<512x64xf32>, %y: tensor<64x4000xf32>) -> tensor<512x1x4000xf32> {
  %0 = tg.reshape %x : tensor<512x64xf32> -> tensor<512x64x1xf32>
  %1 = tg.expand %0 : tensor<512x64x1xf32> -> tensor<512x64x4000xf32>
  %2 = tg.reshape %y : tensor<64x4000xf32> -> tensor<1x64x4000xf32>
  %3 = tg.expand %2 : tensor<1x64x4000xf32> -> tensor<512x64x4000xf32>
  %4 = tg.mul %1, %3 : tensor<512x64x4000xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<512x64x4000xf32> -> tensor<512x1x4000xf32>
  return %5 : tensor<512x1x4000xf32>
}
