// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s

// Sums that follow the same one, but not each other, share ranges: a mean, and
// then the sums of the differences from it and of their squares.

// CHECK-LABEL: tg.kernel @r_64_256
// CHECK: %[[MEAN:.*]] = tg.ranged_reduce add %{{.*}} over %[[K:.*]], %[[L:.*]] : f32
// CHECK: tg.ranged_reduce add %{{.*}} over %[[OUTER:.*]], %[[INNER:.*]] : f32
// CHECK: tg.ranged_reduce add %{{.*}} over %[[OUTER]], %[[INNER]] : f32
// CHECK-NOT: tg.ranged_reduce
tg.kernel @r_64_256_n0(%arg0: memref<64xf32>, %arg1: memref<16384xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(256 : index) : index
  %1 = tg.range 0 loop 64
  %2 = tg.range 1 loop 256
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<16384xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  %7 = tg.sub %5, %6 : f32
  %8 = tg.mul %7, %7 : f32
  %9 = tg.ranged_reduce add %8 over %2 : f32
  %10 = tg.ranged_reduce add %7 over %2 : f32
  %11 = tg.sub %9, %10 : f32
  tg.store %11, %arg0[%1] : memref<64xf32>
}

// -----

// Each of three that follow one another has ranges of its own.

// CHECK-LABEL: tg.kernel @r_64_256
// CHECK: tg.ranged_reduce max %{{.*}} over %[[A:.*]], %[[B:.*]] : f32
// CHECK: tg.ranged_reduce add %{{.*}} over %[[C:.*]], %[[D:.*]] : f32
// CHECK-NOT: over %[[A]],
// CHECK-NOT: over %[[C]],
// CHECK: tg.ranged_reduce add
tg.kernel @r_64_256_n0(%arg0: memref<64xf32>, %arg1: memref<16384xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(256 : index) : index
  %1 = tg.range 0 loop 64
  %2 = tg.range 1 loop 256
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<16384xf32>
  %6 = tg.ranged_reduce max %5 over %2 : f32
  %7 = tg.sub %5, %6 : f32
  %8 = tg.ranged_reduce add %7 over %2 : f32
  %9 = tg.mul %7, %8 : f32
  %10 = tg.ranged_reduce add %9 over %2 : f32
  tg.store %10, %arg0[%1] : memref<64xf32>
}
