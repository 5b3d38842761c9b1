// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:gfx942 --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:gfx942 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

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
// REMARK: r_16_16_6{{.*}}: no tiles for matrix units: a factor that is not loaded has no zeros past the end
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

// -----

// A depth whose bound is a multiple, but which is any number.
// REMARK: r_16_16_k{{.*}}: no tiles for matrix units: a factor that is not loaded has no zeros past the end
// CHECK-LABEL: tg.kernel @r_16_16_k
// CHECK: tg.ranged_reduce add %{{.*}} over %{{.*}} : f32
#k = #tg.var<"k", 1, 64>
func.func @any_depth(%b: tensor<16x?xf32, #tg.shape<16, #k>>) -> tensor<16x16xf32> {
  %i = tg.iota 1 : tensor<16x?xi32, #tg.shape<16, #k>>
  %j = tg.iota 0 : tensor<16x?xi32, #tg.shape<16, #k>>
  %q = tg.add %i, %j : tensor<16x?xi32, #tg.shape<16, #k>>
  %a = tg.cast %q : tensor<16x?xi32, #tg.shape<16, #k>> -> tensor<16x?xf32, #tg.shape<16, #k>>
  %x = tg.reshape %a : tensor<16x?xf32, #tg.shape<16, #k>> -> tensor<16x1x?xf32, #tg.shape<16, 1, #k>>
  %y = tg.reshape %b : tensor<16x?xf32, #tg.shape<16, #k>> -> tensor<1x16x?xf32, #tg.shape<1, 16, #k>>
  %xe = tg.expand %x : tensor<16x1x?xf32, #tg.shape<16, 1, #k>> -> tensor<16x16x?xf32, #tg.shape<16, 16, #k>>
  %ye = tg.expand %y : tensor<1x16x?xf32, #tg.shape<1, 16, #k>> -> tensor<16x16x?xf32, #tg.shape<16, 16, #k>>
  %p = tg.mul %xe, %ye : tensor<16x16x?xf32, #tg.shape<16, 16, #k>>
  %s = tg.reduce add %p axes [2] : tensor<16x16x?xf32, #tg.shape<16, 16, #k>> -> tensor<16x16x1xf32>
  %o = tg.reshape %s : tensor<16x16x1xf32> -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}

// -----

// Too few columns, and too few positions of the sum.
// REMARK: r_32_8_16{{.*}}: no tiles for matrix units: results that are neighbors in memory are fewer than 16
func.func @few_columns(%a: tensor<32x1x16xf32>, %b: tensor<1x8x16xf32>) -> tensor<32x8x1xf32> {
  %xe = tg.expand %a : tensor<32x1x16xf32> -> tensor<32x8x16xf32>
  %ye = tg.expand %b : tensor<1x8x16xf32> -> tensor<32x8x16xf32>
  %p = tg.mul %xe, %ye : tensor<32x8x16xf32>
  %s = tg.reduce add %p axes [2] : tensor<32x8x16xf32> -> tensor<32x8x1xf32>
  return %s : tensor<32x8x1xf32>
}

// -----

// REMARK: r_32_32_3{{.*}}: no tiles for matrix units: fewer than 4 positions of the sum
func.func @short_depth(%a: tensor<32x1x3xf32>, %b: tensor<1x32x3xf32>) -> tensor<32x32x1xf32> {
  %xe = tg.expand %a : tensor<32x1x3xf32> -> tensor<32x32x3xf32>
  %ye = tg.expand %b : tensor<1x32x3xf32> -> tensor<32x32x3xf32>
  %p = tg.mul %xe, %ye : tensor<32x32x3xf32>
  %s = tg.reduce add %p axes [2] : tensor<32x32x3xf32> -> tensor<32x32x1xf32>
  return %s : tensor<32x32x1xf32>
}

// -----

// REMARK: r_32_32_32{{.*}}: no tiles for matrix units: the target has no operation for factors of i32 and sums of i32
func.func @integers(%a: tensor<32x1x32xi32>, %b: tensor<1x32x32xi32>) -> tensor<32x32x1xi32> {
  %xe = tg.expand %a : tensor<32x1x32xi32> -> tensor<32x32x32xi32>
  %ye = tg.expand %b : tensor<1x32x32xi32> -> tensor<32x32x32xi32>
  %p = tg.mul %xe, %ye : tensor<32x32x32xi32>
  %s = tg.reduce add %p axes [2] : tensor<32x32x32xi32> -> tensor<32x32x1xi32>
  return %s : tensor<32x32x1xi32>
}

// -----

// REMARK: r_32_32_16{{.*}}: no tiles for matrix units: one factor has no range of at least 2 results that the other one lacks
func.func @same_rows(%a: tensor<32x32x16xf32>, %b: tensor<1x32x16xf32>) -> tensor<32x32x1xf32> {
  %ye = tg.expand %b : tensor<1x32x16xf32> -> tensor<32x32x16xf32>
  %p = tg.mul %a, %ye : tensor<32x32x16xf32>
  %s = tg.reduce add %p axes [2] : tensor<32x32x16xf32> -> tensor<32x32x1xf32>
  return %s : tensor<32x32x1xf32>
}
