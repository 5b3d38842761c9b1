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
