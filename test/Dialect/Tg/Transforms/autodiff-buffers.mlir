// RUN: tg-opt %s --tg-autodiff | FileCheck %s

// Buffers and scalars are not differentiated by.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%{{.*}}: memref<4xf32>, %[[X:.*]]: tensor<1xf32>, %{{.*}}: f32)
// CHECK-SAME: -> (tensor<1xf32>, tensor<1xf32>)
// CHECK: %[[Y:.*]] = tg.exp %[[X]]
// CHECK: return %[[Y]], %{{.*}} : tensor<1xf32>, tensor<1xf32>
func.func @main(%m: memref<4xf32>, %x: tensor<1xf32>, %s: f32)
    -> tensor<1xf32> {
  %0 = tg.exp %x : tensor<1xf32>
  return %0 : tensor<1xf32>
}
