// RUN: tg-opt --tg-scatter-sums --canonicalize -split-input-file %s | FileCheck %s

// A histogram: the sum of one-hot rows.
// CHECK-LABEL: func @histogram
// CHECK-SAME: (%[[X:.*]]: tensor<1000xi32>)
func.func @histogram(%x: tensor<1000xi32>) -> tensor<1x64xi32> {
  %0 = tg.reshape %x : tensor<1000xi32> -> tensor<1000x1xi32>
  %i = tg.expand %0 : tensor<1000x1xi32> -> tensor<1000x64xi32>
  %p = tg.iota 1 : tensor<1000x64xi32>
  %c = tg.cmpeq %p, %i : tensor<1000x64xi32>
  %o = tg.cast %c : tensor<1000x64xi1> -> tensor<1000x64xi32>
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : i32) : tensor<1x64xi32>
  // CHECK-DAG: %[[ONE:.*]] = tg.const(1 : i32) : tensor<1x1000xi32>
  // CHECK-DAG: %[[I:.*]] = tg.reshape %[[X]] : tensor<1000xi32> -> tensor<1x1000xi32>
  // CHECK: tg.scatter add %[[ZERO]][%[[I]]], %[[ONE]] axis 1 : tensor<1x64xi32>, tensor<1x1000xi32>, tensor<1x1000xi32>
  %r = tg.reduce add %o axes [0] : tensor<1000x64xi32> -> tensor<1x64xi32>
  return %r : tensor<1x64xi32>
}

// -----

// Values that are selected, of floats too, and with a further condition; along
// rows, and the other way round in the comparison.
// CHECK-LABEL: func @weighted
func.func @weighted(%x: tensor<1000x1x1xi64>, %v: tensor<1000x1x8xf32>, %m: tensor<1000x1x1xi1>) -> tensor<1x32x8xf32> {
  %i = tg.expand %x : tensor<1000x1x1xi64> -> tensor<1000x32x8xi64>
  %p = tg.iota 1 : tensor<1000x32x8xi64>
  %c = tg.cmpeq %i, %p : tensor<1000x32x8xi64>
  %n = tg.expand %m : tensor<1000x1x1xi1> -> tensor<1000x32x8xi1>
  %a = tg.and %c, %n : tensor<1000x32x8xi1>
  %w = tg.expand %v : tensor<1000x1x8xf32> -> tensor<1000x32x8xf32>
  %z = tg.const(0.0 : f32) : tensor<1000x32x8xf32>
  %s = tg.where %a, %w, %z : tensor<1000x32x8xf32>
  // CHECK: tg.where
  // CHECK: tg.scatter add %{{.*}}[%{{.*}}], %{{.*}} axis 1 : tensor<1x32x8xf32>, tensor<1x1000x8xi64>, tensor<1x1000x8xf32>
  %r = tg.reduce add %s axes [0] : tensor<1000x32x8xf32> -> tensor<1x32x8xf32>
  return %r : tensor<1x32x8xf32>
}

// -----

// 0 times an infinity is not 0.
// CHECK-LABEL: func @float_product
// CHECK-NOT: tg.scatter
// CHECK: tg.reduce add
func.func @float_product(%x: tensor<1000x1xi32>, %v: tensor<1000x1xf32>) -> tensor<1x64xf32> {
  %i = tg.expand %x : tensor<1000x1xi32> -> tensor<1000x64xi32>
  %p = tg.iota 1 : tensor<1000x64xi32>
  %c = tg.cmpeq %p, %i : tensor<1000x64xi32>
  %o = tg.cast %c : tensor<1000x64xi1> -> tensor<1000x64xf32>
  %w = tg.expand %v : tensor<1000x1xf32> -> tensor<1000x64xf32>
  %s = tg.mul %o, %w : tensor<1000x64xf32>
  %r = tg.reduce add %s axes [0] : tensor<1000x64xf32> -> tensor<1x64xf32>
  return %r : tensor<1x64xf32>
}

// -----

// A position along what is summed over selects one element: a load.
// CHECK-LABEL: func @gather
// CHECK-NOT: tg.scatter
// CHECK: tg.reduce add
func.func @gather(%x: tensor<1000x1xi32>, %v: tensor<1x64xf32>) -> tensor<1000x1xf32> {
  %i = tg.expand %x : tensor<1000x1xi32> -> tensor<1000x64xi32>
  %p = tg.iota 1 : tensor<1000x64xi32>
  %c = tg.cmpeq %p, %i : tensor<1000x64xi32>
  %w = tg.expand %v : tensor<1x64xf32> -> tensor<1000x64xf32>
  %z = tg.const(0.0 : f32) : tensor<1000x64xf32>
  %s = tg.where %c, %w, %z : tensor<1000x64xf32>
  %r = tg.reduce add %s axes [1] : tensor<1000x64xf32> -> tensor<1000x1xf32>
  return %r : tensor<1000x1xf32>
}

// -----

// Sums of points by class, written by hand: the comparison is repeated along
// the points.
// CHECK-LABEL: func @points
// CHECK-SAME: (%[[X:.*]]: tensor<1000xi32>, %[[V:.*]]: tensor<1000x16xf32>)
func.func @points(%x: tensor<1000xi32>, %v: tensor<1000x16xf32>) -> tensor<1x64x16xf32> {
  %0 = tg.reshape %x : tensor<1000xi32> -> tensor<1000x1xi32>
  %i = tg.expand %0 : tensor<1000x1xi32> -> tensor<1000x64xi32>
  %p = tg.iota 1 : tensor<1000x64xi32>
  %c = tg.cmpeq %i, %p : tensor<1000x64xi32>
  %c1 = tg.reshape %c : tensor<1000x64xi1> -> tensor<1000x64x1xi1>
  %c2 = tg.expand %c1 : tensor<1000x64x1xi1> -> tensor<1000x64x16xi1>
  %v1 = tg.reshape %v : tensor<1000x16xf32> -> tensor<1000x1x16xf32>
  %v2 = tg.expand %v1 : tensor<1000x1x16xf32> -> tensor<1000x64x16xf32>
  %z = tg.const(0.0 : f32) : tensor<1000x64x16xf32>
  %s = tg.where %c2, %v2, %z : tensor<1000x64x16xf32>
  // CHECK: tg.scatter add %{{.*}} axis 1 : tensor<1x64x16xf32>, tensor<1x1000x16xi32>, tensor<1x1000x16xf32>
  // CHECK-NOT: tg.reduce
  %r = tg.reduce add %s axes [0] : tensor<1000x64x16xf32> -> tensor<1x64x16xf32>
  return %r : tensor<1x64x16xf32>
}

// -----

// The value depends on the class; few classes; a type that does not hold the
// classes; a maximum: all of them stay.
// CHECK-LABEL: func @others
// CHECK-NOT: tg.scatter
func.func @others(%x: tensor<1000x1xi32>, %y: tensor<1000x1xi8>, %v: tensor<1000x64xf32>)
    -> (tensor<1x64xf32>, tensor<1x2xi32>, tensor<1x300xi32>, tensor<1x64xi32>) {
  %i = tg.expand %x : tensor<1000x1xi32> -> tensor<1000x64xi32>
  %p = tg.iota 1 : tensor<1000x64xi32>
  %c = tg.cmpeq %p, %i : tensor<1000x64xi32>
  %z = tg.const(0.0 : f32) : tensor<1000x64xf32>
  %s = tg.where %c, %v, %z : tensor<1000x64xf32>
  %0 = tg.reduce add %s axes [0] : tensor<1000x64xf32> -> tensor<1x64xf32>

  %i1 = tg.expand %x : tensor<1000x1xi32> -> tensor<1000x2xi32>
  %p1 = tg.iota 1 : tensor<1000x2xi32>
  %c1 = tg.cmpeq %p1, %i1 : tensor<1000x2xi32>
  %s1 = tg.cast %c1 : tensor<1000x2xi1> -> tensor<1000x2xi32>
  %1 = tg.reduce add %s1 axes [0] : tensor<1000x2xi32> -> tensor<1x2xi32>

  %i2 = tg.expand %y : tensor<1000x1xi8> -> tensor<1000x300xi8>
  %p2 = tg.iota 1 : tensor<1000x300xi8>
  %c2 = tg.cmpeq %p2, %i2 : tensor<1000x300xi8>
  %s2 = tg.cast %c2 : tensor<1000x300xi1> -> tensor<1000x300xi32>
  %2 = tg.reduce add %s2 axes [0] : tensor<1000x300xi32> -> tensor<1x300xi32>

  %s3 = tg.cast %c : tensor<1000x64xi1> -> tensor<1000x64xi32>
  %3 = tg.reduce max %s3 axes [0] : tensor<1000x64xi32> -> tensor<1x64xi32>
  return %0, %1, %2, %3 : tensor<1x64xf32>, tensor<1x2xi32>, tensor<1x300xi32>, tensor<1x64xi32>
}

// -----

// Many updates of few elements are shared out: each part has a copy.
// CHECK-LABEL: func @parts
func.func @parts(%b: tensor<64xf32>, %i: tensor<1000001xi32>, %u: tensor<1000001xf32>) -> tensor<64xf32> {
  // CHECK: %[[S:.*]] = tg.scatter add %{{.*}} axis 1 : tensor<61x64xf32>, tensor<61x16394xi64>, tensor<61x16394xf32>
  // CHECK: tg.reduce add %[[S]] axes [0]
  %0 = tg.scatter add %b[%i], %u axis 0 : tensor<64xf32>, tensor<1000001xi32>, tensor<1000001xf32>
  return %0 : tensor<64xf32>
}

// -----

// The last one stays, so these have an order as a whole.
// CHECK-LABEL: func @no_parts
func.func @no_parts(%b: tensor<64xf32>, %i: tensor<1000001xi32>, %u: tensor<1000001xf32>) -> tensor<64xf32> {
  // CHECK: tg.scatter set %{{.*}} axis 0 : tensor<64xf32>, tensor<1000001xi32>, tensor<1000001xf32>
  // CHECK-NOT: tg.reduce
  %0 = tg.scatter set %b[%i], %u axis 0 : tensor<64xf32>, tensor<1000001xi32>, tensor<1000001xf32>
  return %0 : tensor<64xf32>
}

// -----

// Conjunctions share operands, behind movements too: as many as there are paths
// to them are not followed.
// CHECK-LABEL: func @shared_operands
// CHECK: tg.reduce add
func.func @shared_operands(%x: tensor<1000x1xi32>, %m: tensor<1000x1xi1>) -> tensor<1x64xi32> {
  %i = tg.expand %x : tensor<1000x1xi32> -> tensor<1000x64xi32>
  %p = tg.iota 1 : tensor<1000x64xi32>
  %c = tg.cmpeq %p, %i : tensor<1000x64xi32>
  %c0 = tg.expand %m : tensor<1000x1xi1> -> tensor<1000x64xi1>
  %c1 = tg.and %c, %c0 : tensor<1000x64xi1>
  %c2 = tg.and %c1, %c0 : tensor<1000x64xi1>
  %t3 = tg.and %c2, %c1 : tensor<1000x64xi1>
  %u3 = tg.permute %t3 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v3 = tg.and %u3, %u3 : tensor<64x1000xi1>
  %c3 = tg.permute %v3 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c4 = tg.and %c3, %c2 : tensor<1000x64xi1>
  %t5 = tg.and %c4, %c3 : tensor<1000x64xi1>
  %u5 = tg.permute %t5 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v5 = tg.and %u5, %u5 : tensor<64x1000xi1>
  %c5 = tg.permute %v5 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c6 = tg.and %c5, %c4 : tensor<1000x64xi1>
  %t7 = tg.and %c6, %c5 : tensor<1000x64xi1>
  %u7 = tg.permute %t7 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v7 = tg.and %u7, %u7 : tensor<64x1000xi1>
  %c7 = tg.permute %v7 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c8 = tg.and %c7, %c6 : tensor<1000x64xi1>
  %t9 = tg.and %c8, %c7 : tensor<1000x64xi1>
  %u9 = tg.permute %t9 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v9 = tg.and %u9, %u9 : tensor<64x1000xi1>
  %c9 = tg.permute %v9 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c10 = tg.and %c9, %c8 : tensor<1000x64xi1>
  %t11 = tg.and %c10, %c9 : tensor<1000x64xi1>
  %u11 = tg.permute %t11 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v11 = tg.and %u11, %u11 : tensor<64x1000xi1>
  %c11 = tg.permute %v11 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c12 = tg.and %c11, %c10 : tensor<1000x64xi1>
  %t13 = tg.and %c12, %c11 : tensor<1000x64xi1>
  %u13 = tg.permute %t13 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v13 = tg.and %u13, %u13 : tensor<64x1000xi1>
  %c13 = tg.permute %v13 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c14 = tg.and %c13, %c12 : tensor<1000x64xi1>
  %t15 = tg.and %c14, %c13 : tensor<1000x64xi1>
  %u15 = tg.permute %t15 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v15 = tg.and %u15, %u15 : tensor<64x1000xi1>
  %c15 = tg.permute %v15 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c16 = tg.and %c15, %c14 : tensor<1000x64xi1>
  %t17 = tg.and %c16, %c15 : tensor<1000x64xi1>
  %u17 = tg.permute %t17 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v17 = tg.and %u17, %u17 : tensor<64x1000xi1>
  %c17 = tg.permute %v17 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c18 = tg.and %c17, %c16 : tensor<1000x64xi1>
  %t19 = tg.and %c18, %c17 : tensor<1000x64xi1>
  %u19 = tg.permute %t19 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v19 = tg.and %u19, %u19 : tensor<64x1000xi1>
  %c19 = tg.permute %v19 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c20 = tg.and %c19, %c18 : tensor<1000x64xi1>
  %t21 = tg.and %c20, %c19 : tensor<1000x64xi1>
  %u21 = tg.permute %t21 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v21 = tg.and %u21, %u21 : tensor<64x1000xi1>
  %c21 = tg.permute %v21 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c22 = tg.and %c21, %c20 : tensor<1000x64xi1>
  %t23 = tg.and %c22, %c21 : tensor<1000x64xi1>
  %u23 = tg.permute %t23 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v23 = tg.and %u23, %u23 : tensor<64x1000xi1>
  %c23 = tg.permute %v23 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c24 = tg.and %c23, %c22 : tensor<1000x64xi1>
  %t25 = tg.and %c24, %c23 : tensor<1000x64xi1>
  %u25 = tg.permute %t25 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v25 = tg.and %u25, %u25 : tensor<64x1000xi1>
  %c25 = tg.permute %v25 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c26 = tg.and %c25, %c24 : tensor<1000x64xi1>
  %t27 = tg.and %c26, %c25 : tensor<1000x64xi1>
  %u27 = tg.permute %t27 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v27 = tg.and %u27, %u27 : tensor<64x1000xi1>
  %c27 = tg.permute %v27 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c28 = tg.and %c27, %c26 : tensor<1000x64xi1>
  %t29 = tg.and %c28, %c27 : tensor<1000x64xi1>
  %u29 = tg.permute %t29 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v29 = tg.and %u29, %u29 : tensor<64x1000xi1>
  %c29 = tg.permute %v29 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c30 = tg.and %c29, %c28 : tensor<1000x64xi1>
  %t31 = tg.and %c30, %c29 : tensor<1000x64xi1>
  %u31 = tg.permute %t31 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v31 = tg.and %u31, %u31 : tensor<64x1000xi1>
  %c31 = tg.permute %v31 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c32 = tg.and %c31, %c30 : tensor<1000x64xi1>
  %t33 = tg.and %c32, %c31 : tensor<1000x64xi1>
  %u33 = tg.permute %t33 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v33 = tg.and %u33, %u33 : tensor<64x1000xi1>
  %c33 = tg.permute %v33 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c34 = tg.and %c33, %c32 : tensor<1000x64xi1>
  %t35 = tg.and %c34, %c33 : tensor<1000x64xi1>
  %u35 = tg.permute %t35 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v35 = tg.and %u35, %u35 : tensor<64x1000xi1>
  %c35 = tg.permute %v35 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c36 = tg.and %c35, %c34 : tensor<1000x64xi1>
  %t37 = tg.and %c36, %c35 : tensor<1000x64xi1>
  %u37 = tg.permute %t37 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v37 = tg.and %u37, %u37 : tensor<64x1000xi1>
  %c37 = tg.permute %v37 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c38 = tg.and %c37, %c36 : tensor<1000x64xi1>
  %t39 = tg.and %c38, %c37 : tensor<1000x64xi1>
  %u39 = tg.permute %t39 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v39 = tg.and %u39, %u39 : tensor<64x1000xi1>
  %c39 = tg.permute %v39 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %c40 = tg.and %c39, %c38 : tensor<1000x64xi1>
  %t41 = tg.and %c40, %c39 : tensor<1000x64xi1>
  %u41 = tg.permute %t41 [1, 0] : tensor<1000x64xi1> -> tensor<64x1000xi1>
  %v41 = tg.and %u41, %u41 : tensor<64x1000xi1>
  %c41 = tg.permute %v41 [1, 0] : tensor<64x1000xi1> -> tensor<1000x64xi1>
  %o = tg.cast %c41 : tensor<1000x64xi1> -> tensor<1000x64xi32>
  %r = tg.reduce add %o axes [0] : tensor<1000x64xi32> -> tensor<1x64xi32>
  return %r : tensor<1x64xi32>
}

// -----

// Sums of narrow floats are rounded once.
// CHECK-LABEL: func @narrow
func.func @narrow(%x: tensor<1000x1xi32>, %v: tensor<1000x1xbf16>) -> tensor<1x64xbf16> {
  %i = tg.expand %x : tensor<1000x1xi32> -> tensor<1000x64xi32>
  %p = tg.iota 1 : tensor<1000x64xi32>
  %c = tg.cmpeq %p, %i : tensor<1000x64xi32>
  %w = tg.expand %v : tensor<1000x1xbf16> -> tensor<1000x64xbf16>
  %z = tg.const(0.0 : bf16) : tensor<1000x64xbf16>
  %s = tg.where %c, %w, %z : tensor<1000x64xbf16>
  // CHECK: tg.cast %{{.*}} : tensor<1x1000xbf16> -> tensor<1x1000xf32>
  // CHECK: %[[SUM:.*]] = tg.scatter add %{{.*}}[%{{.*}}], %{{.*}} axis 1 : tensor<1x64xf32>, tensor<1x1000xi32>, tensor<1x1000xf32>
  // CHECK: tg.cast %[[SUM]] : tensor<1x64xf32> -> tensor<1x64xbf16>
  %r = tg.reduce add %s axes [0] : tensor<1000x64xbf16> -> tensor<1x64xbf16>
  return %r : tensor<1x64xbf16>
}

// -----

// What a scatter into zeros is added to becomes its base, through a reshape, and
// in the order of axes in which the sum is read. Its negative zeros become
// positive ones, as in the sum.
// CHECK-LABEL: func @sum
// CHECK-SAME: (%[[P:.*]]: tensor<16x1000xf32>, %[[I:.*]]: tensor<1x16x128xi32>, %[[U:.*]]: tensor<1x16x128xf32>)
func.func @sum(%p: tensor<16x1000xf32>, %i: tensor<1x16x128xi32>, %u: tensor<1x16x128xf32>) -> tensor<1000x16xf32> {
  // CHECK-DAG: %[[Z:.*]] = tg.const(0.000000e+00 : f32) : tensor<16x1000xf32>
  // CHECK: %[[S:.*]] = tg.add %[[P]], %[[Z]]
  // CHECK: %[[P1:.*]] = tg.permute %[[S]] [1, 0]
  // CHECK: %[[R:.*]] = tg.scatter add %[[P1]][%{{.*}}], %{{.*}} axis 0 : tensor<1000x16xf32>, tensor<128x16xi32>, tensor<128x16xf32>
  // CHECK-NEXT: return %[[R]]
  %z = tg.const(0.0 : f32) : tensor<1x16x1000xf32>
  %0 = tg.scatter add %z[%i], %u axis 2 : tensor<1x16x1000xf32>, tensor<1x16x128xi32>, tensor<1x16x128xf32>
  %1 = tg.reshape %0 : tensor<1x16x1000xf32> -> tensor<16x1000xf32>
  %2 = tg.add %p, %1 : tensor<16x1000xf32>
  %3 = tg.permute %2 [1, 0] : tensor<16x1000xf32> -> tensor<1000x16xf32>
  return %3 : tensor<1000x16xf32>
}

// -----

// Without other axes and orders.
// CHECK-LABEL: func @plain_sum
// CHECK-SAME: (%[[P:.*]]: tensor<1000xf32>, %[[I:.*]]: tensor<128xi32>, %[[U:.*]]: tensor<128xf32>)
func.func @plain_sum(%p: tensor<1000xf32>, %i: tensor<128xi32>, %u: tensor<128xf32>) -> tensor<1000xf32> {
  // CHECK: %[[S:.*]] = tg.add %[[P]], %{{.*}}
  // CHECK-NEXT: %[[R:.*]] = tg.scatter add %[[S]][%[[I]]], %[[U]] axis 0
  // CHECK-NEXT: return %[[R]]
  %z = tg.const(0.0 : f32) : tensor<1000xf32>
  %0 = tg.scatter add %z[%i], %u axis 0 : tensor<1000xf32>, tensor<128xi32>, tensor<128xf32>
  %1 = tg.add %0, %p : tensor<1000xf32>
  return %1 : tensor<1000xf32>
}

// -----

// Not if the base is not zero, the updates are no sums, or the axes of the
// reshape are others.
// CHECK-LABEL: func @no_sum
// CHECK: tg.scatter
// CHECK: tg.add
// CHECK: tg.scatter max
// CHECK: tg.add
// CHECK: %[[S:.*]] = tg.scatter add
// CHECK: %[[R:.*]] = tg.reshape %[[S]]
// CHECK: tg.add %[[R]]
func.func @no_sum(%p: tensor<1000xf32>, %i: tensor<128xi32>, %u: tensor<128xf32>)
    -> (tensor<1000xf32>, tensor<1000xf32>, tensor<10x100xf32>) {
  %z = tg.const(0.0 : f32) : tensor<1000xf32>
  %one = tg.const(1.0 : f32) : tensor<1000xf32>
  %0 = tg.scatter add %one[%i], %u axis 0 : tensor<1000xf32>, tensor<128xi32>, tensor<128xf32>
  %1 = tg.add %0, %p : tensor<1000xf32>
  %2 = tg.scatter max %z[%i], %u axis 0 : tensor<1000xf32>, tensor<128xi32>, tensor<128xf32>
  %3 = tg.add %2, %p : tensor<1000xf32>
  %w = tg.exp %u : tensor<128xf32>
  %6 = tg.scatter add %z[%i], %w axis 0 : tensor<1000xf32>, tensor<128xi32>, tensor<128xf32>
  %7 = tg.reshape %6 : tensor<1000xf32> -> tensor<10x100xf32>
  %8 = tg.reshape %p : tensor<1000xf32> -> tensor<10x100xf32>
  %9 = tg.add %7, %8 : tensor<10x100xf32>
  return %1, %3, %9 : tensor<1000xf32>, tensor<1000xf32>, tensor<10x100xf32>
}

// -----

// Types of 16 bits would lose small updates, as would many updates of an element;
// a scatter that is read again stays.
// CHECK-LABEL: func @rounded_sum
// CHECK: %[[A:.*]] = tg.scatter add
// CHECK: tg.add %[[A]]
// CHECK: %[[B:.*]] = tg.scatter add
// CHECK: tg.add %[[B]]
// CHECK: %[[C:.*]] = tg.scatter add
// CHECK: tg.add %[[C]]
func.func @rounded_sum(%p: tensor<1000xbf16>, %i: tensor<128xi32>, %u: tensor<128xbf16>,
                       %q: tensor<1000xf32>, %j: tensor<1025xi32>, %v: tensor<1025xf32>, %w: tensor<128xf32>)
    -> (tensor<1000xbf16>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) {
  %z = tg.const(0.0 : bf16) : tensor<1000xbf16>
  %0 = tg.scatter add %z[%i], %u axis 0 : tensor<1000xbf16>, tensor<128xi32>, tensor<128xbf16>
  %1 = tg.add %0, %p : tensor<1000xbf16>
  %zero = tg.const(0.0 : f32) : tensor<1000xf32>
  %2 = tg.scatter add %zero[%j], %v axis 0 : tensor<1000xf32>, tensor<1025xi32>, tensor<1025xf32>
  %3 = tg.add %2, %q : tensor<1000xf32>
  %4 = tg.scatter add %zero[%i], %w axis 0 : tensor<1000xf32>, tensor<128xi32>, tensor<128xf32>
  %5 = tg.add %4, %q : tensor<1000xf32>
  return %1, %3, %4, %5 : tensor<1000xbf16>, tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>
}
