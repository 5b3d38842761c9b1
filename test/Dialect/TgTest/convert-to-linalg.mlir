// RUN: tg-test-opt --convert-tg-to-linalg %s | FileCheck %s

// Operations of other dialects are composed, and their views taken.

// CHECK: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d0 * -6 - d1 + 23)>
// CHECK-LABEL: func.func @swish(
// CHECK-NOT: tg_test
// CHECK: arith.cmpf
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: arith.mulf
func.func @swish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg_test.swish %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @rot180(
// CHECK: tensor.collapse_shape %arg0
// CHECK: linalg.generic {indexing_maps = [#[[TURNED]],
func.func @rot180(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tg_test.rot180 %x : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
