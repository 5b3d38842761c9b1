// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:gfx942 --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s

// Matrix operations along a depth that is no multiple of theirs: products past the
// end add nothing, since both factors are zero.

// A tile of what is computed from a load is masked as the load is: the reciprocal
// of zero times zero would be no zero.
// CHECK-LABEL: tg.kernel @r_16_16_6
// CHECK: %[[BOTH:.*]] = tg.and %{{.*}}, %[[MASK:.*]] : i1
// CHECK: %[[X:.*]] = tg.load %{{.*}}[%{{.*}}] mask %[[BOTH]] : memref<96xf32>
// CHECK-NEXT: %[[R:.*]] = tg.recip %[[X]]
// CHECK: %[[W:.*]] = tg.where %[[MASK]], %[[R]], %{{.*}} : f32
// CHECK: tg.stage %[[W]] over
// CHECK: tg.ranged_reduce add %{{.*}} on "mfma_16x16x4_f32"
func.func @reciprocals(%a: tensor<16x6xf32>, %b: tensor<16x6xf32>) -> tensor<16x16xf32> {
  %r = tg.recip %a : tensor<16x6xf32>
  %x = tg.reshape %r : tensor<16x6xf32> -> tensor<16x1x6xf32>
  %y = tg.reshape %b : tensor<16x6xf32> -> tensor<1x16x6xf32>
  %xe = tg.expand %x : tensor<16x1x6xf32> -> tensor<16x16x6xf32>
  %ye = tg.expand %y : tensor<1x16x6xf32> -> tensor<16x16x6xf32>
  %p = tg.mul %xe, %ye : tensor<16x16x6xf32>
  %s = tg.reduce add %p axes [2] : tensor<16x16x6xf32> -> tensor<16x16x1xf32>
  %o = tg.reshape %s : tensor<16x16x1xf32> -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}

// -----

// A factor without loads has no mask.
// CHECK-LABEL: tg.kernel @r_16_16_6
// CHECK: tg.ranged_reduce add %{{.*}} over %{{.*}} : f32
func.func @numbers(%b: tensor<16x6xf32>) -> tensor<16x16xf32> {
  %i = tg.iota 1 : tensor<16x6xi32>
  %j = tg.iota 0 : tensor<16x6xi32>
  %q = tg.add %i, %j : tensor<16x6xi32>
  %a = tg.cast %q : tensor<16x6xi32> -> tensor<16x6xf32>
  %x = tg.reshape %a : tensor<16x6xf32> -> tensor<16x1x6xf32>
  %y = tg.reshape %b : tensor<16x6xf32> -> tensor<1x16x6xf32>
  %xe = tg.expand %x : tensor<16x1x6xf32> -> tensor<16x16x6xf32>
  %ye = tg.expand %y : tensor<1x16x6xf32> -> tensor<16x16x6xf32>
  %p = tg.mul %xe, %ye : tensor<16x16x6xf32>
  %s = tg.reduce add %p axes [2] : tensor<16x16x6xf32> -> tensor<16x16x1xf32>
  %o = tg.reshape %s : tensor<16x16x1xf32> -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}

// -----

// None is needed for a depth of 16.
// CHECK-LABEL: tg.kernel @r_16_16_16
// CHECK: tg.ranged_reduce add %{{.*}} on "mfma_16x16x4_f32"
func.func @whole(%b: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %i = tg.iota 1 : tensor<16x16xi32>
  %j = tg.iota 0 : tensor<16x16xi32>
  %q = tg.add %i, %j : tensor<16x16xi32>
  %a = tg.cast %q : tensor<16x16xi32> -> tensor<16x16xf32>
  %x = tg.reshape %a : tensor<16x16xf32> -> tensor<16x1x16xf32>
  %y = tg.reshape %b : tensor<16x16xf32> -> tensor<1x16x16xf32>
  %xe = tg.expand %x : tensor<16x1x16xf32> -> tensor<16x16x16xf32>
  %ye = tg.expand %y : tensor<1x16x16xf32> -> tensor<16x16x16xf32>
  %p = tg.mul %xe, %ye : tensor<16x16x16xf32>
  %s = tg.reduce add %p axes [2] : tensor<16x16x16xf32> -> tensor<16x16x1xf32>
  %o = tg.reshape %s : tensor<16x16x1xf32> -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}
