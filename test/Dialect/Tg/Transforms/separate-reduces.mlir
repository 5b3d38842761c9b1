// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s

// Sums that follow the same one, but not each other, share ranges: a mean, and
// then the sums of the differences from it and of their squares.

// CHECK-LABEL: tg.kernel @r_64_256
// CHECK: %[[MEAN:.*]] = tg.ranged_reduce add %{{.*}} over %[[K:.*]], %[[L:.*]] : f32
// CHECK: tg.ranged_reduce add %{{.*}} over %[[OUTER:.*]], %[[INNER:.*]] : f32
// CHECK: tg.ranged_reduce add %{{.*}} over %[[OUTER]], %[[INNER]] : f32
// CHECK-NOT: tg.ranged_reduce
func.func @moments(%x: tensor<64x256xf32>) -> tensor<64x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  %1 = tg.expand %0 : tensor<64x1xf32> -> tensor<64x256xf32>
  %2 = tg.sub %x, %1 : tensor<64x256xf32>
  %3 = tg.reduce add %2 axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  %4 = tg.mul %2, %2 : tensor<64x256xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  %6 = tg.sub %5, %3 : tensor<64x1xf32>
  return %6 : tensor<64x1xf32>
}

// -----

// Each of three that follow one another has ranges of its own.

// CHECK-LABEL: tg.kernel @r_64_256
// CHECK: tg.ranged_reduce max %{{.*}} over %[[A:.*]], %[[B:.*]] : f32
// CHECK: tg.ranged_reduce add %{{.*}} over %[[C:.*]], %[[D:.*]] : f32
// CHECK-NOT: over %[[A]],
// CHECK-NOT: over %[[C]],
// CHECK: tg.ranged_reduce add
func.func @chain(%x: tensor<64x256xf32>) -> tensor<64x1xf32> {
  %0 = tg.reduce max %x axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  %1 = tg.expand %0 : tensor<64x1xf32> -> tensor<64x256xf32>
  %2 = tg.sub %x, %1 : tensor<64x256xf32>
  %3 = tg.reduce add %2 axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  %4 = tg.expand %3 : tensor<64x1xf32> -> tensor<64x256xf32>
  %5 = tg.mul %2, %4 : tensor<64x256xf32>
  %6 = tg.reduce add %5 axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  return %6 : tensor<64x1xf32>
}
