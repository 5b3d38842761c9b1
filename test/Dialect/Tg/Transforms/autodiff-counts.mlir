// RUN: tg-opt %s --split-input-file --tg-autodiff=wrt=0 | FileCheck %s

// Equal elements are counted in a type that has all numbers up to the greatest
// count: f32, and integers above 2^24.

// CHECK-LABEL: func.func @main
// CHECK: %[[COUNT:.*]] = tg.reduce add %{{.*}} axes [0] : tensor<70000xf32> -> tensor<1xf32>
// CHECK: %[[SHARE:.*]] = tg.fdiv %{{.*}}, %[[COUNT]] : tensor<1xf32>
// CHECK: %[[ALL:.*]] = tg.expand %[[SHARE]] : tensor<1xf32> -> tensor<70000xf32>
// CHECK: %[[SELECTED:.*]] = tg.where %{{.*}}, %[[ALL]], %{{.*}} : tensor<70000xf32>
// CHECK: tg.cast %[[SELECTED]] : tensor<70000xf32> -> tensor<70000xf16>
func.func @main(%x: tensor<70000xf16>) -> tensor<1xf16> {
  %0 = tg.reduce max %x axes [0] : tensor<70000xf16> -> tensor<1xf16>
  return %0 : tensor<1xf16>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: %[[COUNT:.*]] = tg.reduce add %{{.*}} axes [1] : tensor<3x16777216xf32> -> tensor<3x1xf32>
// CHECK-NEXT: tg.fdiv %{{.*}}, %[[COUNT]] : tensor<3x1xf32>
// CHECK-NOT: tg.cast
func.func @main(%x: tensor<3x16777216xf32>) -> tensor<3x1xf32> {
  %0 = tg.reduce max %x axes [1] : tensor<3x16777216xf32> -> tensor<3x1xf32>
  return %0 : tensor<3x1xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: %[[COUNT:.*]] = tg.reduce add %{{.*}} axes [0, 1] : tensor<3x5592406xi32> -> tensor<1x1xi32>
// CHECK-NEXT: %[[WIDE:.*]] = tg.cast %[[COUNT]] : tensor<1x1xi32> -> tensor<1x1xf32>
// CHECK-NEXT: tg.fdiv %{{.*}}, %[[WIDE]] : tensor<1x1xf32>
func.func @main(%x: tensor<3x5592406xf32>) -> tensor<1x1xf32> {
  %0 = tg.reduce max %x axes [0, 1] : tensor<3x5592406xf32> -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tg.reduce add %{{.*}} axes [0] : tensor<2147483648xi64> -> tensor<1xi64>
func.func @main(%x: tensor<2147483648xbf16>) -> tensor<1xbf16> {
  %0 = tg.reduce max %x axes [0] : tensor<2147483648xbf16> -> tensor<1xbf16>
  return %0 : tensor<1xbf16>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tg.reduce add %{{.*}} axes [0] : tensor<2147483648xf64> -> tensor<1xf64>
func.func @main(%x: tensor<2147483648xf64>) -> tensor<1xf64> {
  %0 = tg.reduce max %x axes [0] : tensor<2147483648xf64> -> tensor<1xf64>
  return %0 : tensor<1xf64>
}

// -----

// The base counts, too.
// CHECK-LABEL: func.func @main
// CHECK: tg.scatter add {{.*}}tensor<2xi32>
func.func @main(%base: tensor<2xf32>, %index: tensor<16777216xi32>, %x: tensor<16777216xf32>) -> tensor<2xf32> {
  %0 = tg.scatter max %base[%index], %x axis 0 : tensor<2xf32>, tensor<16777216xi32>, tensor<16777216xf32>
  return %0 : tensor<2xf32>
}
