// RUN: tg-opt %s --split-input-file --tg-linearize | FileCheck %s

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[DX:[^:]*]]: tensor<4xf32>, %[[DY:[^:]*]]: tensor<4xf32>)
// CHECK-SAME:    -> (tensor<1xf32>, tensor<1xf32>)
// CHECK:         %[[P:.*]] = tg.mul %[[X]], %[[Y]]
// CHECK:         %[[S:.*]] = tg.reduce add %[[P]]
// CHECK-DAG:     %[[A:.*]] = tg.mul %[[DX]], %[[Y]]
// CHECK-DAG:     %[[B:.*]] = tg.mul %[[DY]], %[[X]]
// CHECK:         %[[SUM:.*]] = tg.add
// CHECK:         %[[T:.*]] = tg.reduce add %[[SUM]]
// CHECK:         return %[[S]], %[[T]]
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<1xf32> {
  %0 = tg.mul %x, %y : tensor<4xf32>
  %1 = tg.reduce add %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// -----

// A result that no argument has an influence on has the tangent zero.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<4xf32>
// CHECK:         return %{{.*}}, %[[ZERO]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.detach %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The tangent of a copy is a copy to the same device.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32> {tg.device = "CPU"},
// CHECK-SAME:    %[[DX:[^:]*]]: tensor<4xf32> {tg.device = "CPU"})
// CHECK-NOT:     tg.copy %{{.*}} to "CPU"
// CHECK:         tg.copy %[[DX]] to "SIM"
// CHECK-NOT:     tg.copy
// CHECK:         return
func.func @main(%x: tensor<4xf32> {tg.device = "CPU"}) -> tensor<4xf32> {
  %0 = tg.copy %x to "SIM" : tensor<4xf32>
  %1 = tg.sin %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
