// RUN: tg-test-opt --canonicalize %s | FileCheck %s

// Constants are folded by what an operation is composed of, and by the views
// that it says it is.

// CHECK-LABEL: func.func @elementwise
// CHECK: %[[C:.*]] = tg.const(dense<[-5.000000e-01, 7.500000e-01]> : tensor<2xf32>)
// CHECK: return %[[C]]
func.func @elementwise() -> tensor<2xf32> {
  %0 = tg.const(dense<[-1.0, 3.0]> : tensor<2xf32>) : tensor<2xf32>
  %1 = tg_test.softsign %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @splat
// CHECK: tg.const(5.000000e-01 : f32) : tensor<4x4xf32>
// CHECK-NOT: tg_test
func.func @splat() -> tensor<4x4xf32> {
  %0 = tg.const(1.0 : f32) : tensor<4x4xf32>
  %1 = tg_test.softsign %0 : tensor<4x4xf32>
  %2 = tg_test.rot180 %1 : tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func @movement
// CHECK: tg.const(dense<{{\[}}[4, 3], [2, 1]]> : tensor<2x2xi32>)
func.func @movement() -> tensor<2x2xi32> {
  %0 = tg.const(dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>) : tensor<2x2xi32>
  %1 = tg_test.rot180 %0 : tensor<2x2xi32>
  return %1 : tensor<2x2xi32>
}

// CHECK-LABEL: func.func @zeros_come_in
// CHECK: %[[F:.*]] = tg_test.frame
// CHECK: return %[[F]]
func.func @zeros_come_in() -> tensor<10x10xi32> {
  %0 = tg.const(1 : i32) : tensor<8x8xi32>
  %1 = tg_test.frame %0 : tensor<8x8xi32> -> tensor<10x10xi32>
  return %1 : tensor<10x10xi32>
}

// CHECK-LABEL: func.func @frame
// CHECK: tg.const(dense<[0, 1, 2, 0]> : tensor<4xi32>)
func.func @frame() -> tensor<4xi32> {
  %0 = tg.const(dense<[1, 2]> : tensor<2xi32>) : tensor<2xi32>
  %1 = tg_test.frame %0 : tensor<2xi32> -> tensor<4xi32>
  return %1 : tensor<4xi32>
}

// CHECK-LABEL: func.func @expanded
// CHECK: tg_test.softsign %{{.*}} : tensor<4x1xf32>
// CHECK: tg.expand
func.func @expanded(%x: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %0 = tg.expand %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tg_test.softsign %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @opaque
// CHECK: tg_test.opaque %{{.*}} : tensor<4x8xf32>
func.func @opaque(%x: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %0 = tg.expand %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tg_test.opaque %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
