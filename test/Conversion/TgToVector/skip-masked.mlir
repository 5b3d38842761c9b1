// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// A loop over what is reduced leaves out positions that add nothing.

// CHECK-LABEL: func.func @triangle
// CHECK: scf.for %[[ROW:.*]] = %arg3 to %arg4
// CHECK: %[[END:.*]] = arith.addi %[[ROW]], %c1
// CHECK: %[[BOUND:.*]] = arith.minsi %{{.*}}, %[[END]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[BOUND]]
// CHECK-NOT: arith.select
// CHECK: math.fma
tg.kernel @triangle(%o: memref<20xf32>, %a: memref<400xf32>, %b: memref<20xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 20
  %j = tg.range 1 loop 20
  %c1 = tg.const(1 : index) : index
  %c20 = tg.const(20 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %i0 = tg.mul %i, %c20 : index
  %ij = tg.add %i0, %j : index
  %x = tg.load %a[%ij] : memref<400xf32>
  %y = tg.load %b[%j] : memref<20xf32>
  %xy = tg.mul %x, %y : f32
  %end = tg.add %i, %c1 : index
  %lower = tg.cmplt %j, %end : index
  %v = tg.where %lower, %xy, %zero : f32
  %s = tg.ranged_reduce add %v over %j : f32
  tg.store %s, %o[%i] : memref<20xf32>
}

// -----

// Both ends, unless something else holds that does not depend on the position.

// CHECK-LABEL: func.func @window
// CHECK: scf.for %[[ROW:.*]] = %arg4 to %arg5
// CHECK: %[[ALL:.*]] = arith.cmpf
// CHECK: arith.select %[[ALL]], %c0
// CHECK: %[[LOWER:.*]] = arith.maxsi %c0
// CHECK: arith.select %[[ALL]], %c3
// CHECK: %[[UPPER:.*]] = arith.minsi %c3
// CHECK: scf.for %{{.*}} = %[[LOWER]] to %[[UPPER]]
// CHECK-NOT: arith.select
// CHECK: math.fma
tg.kernel @window(%o: memref<20xf32>, %a: memref<22xf32>, %b: memref<3xf32>, %c: memref<20xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 20
  %j = tg.range 1 loop 3
  %c0 = tg.const(0 : index) : index
  %c21 = tg.const(21 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %ij = tg.add %i, %j : index
  %x = tg.load %a[%ij] : memref<22xf32>
  %y = tg.load %b[%j] : memref<3xf32>
  %xy = tg.mul %x, %y : f32
  %first = tg.cmplt %c0, %ij : index
  %last = tg.cmplt %ij, %c21 : index
  %inside = tg.and %first, %last : i1
  %z = tg.load %c[%i] : memref<20xf32>
  %all = tg.cmplt %zero, %z : f32
  %counts = tg.or %inside, %all : i1
  %v = tg.where %counts, %xy, %zero : f32
  %s = tg.ranged_reduce add %v over %j : f32
  tg.store %s, %o[%i] : memref<20xf32>
}

// -----

// What is added elsewhere is no zero, or positions are lanes: a select.

// CHECK-LABEL: func.func @other
// CHECK: scf.for %{{.*}} = %c0 to %c20 step
// CHECK: arith.select
tg.kernel @other(%o: memref<20xf32>, %a: memref<20xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 20
  %j = tg.range 1 loop 20
  %one = tg.const(1.0 : f32) : f32
  %x = tg.load %a[%j] : memref<20xf32>
  %lower = tg.cmplt %j, %i : index
  %v = tg.where %lower, %x, %one : f32
  %s = tg.ranged_reduce add %v over %j : f32
  tg.store %s, %o[%i] : memref<20xf32>
}

// -----

// A short loop around others branches.

// CHECK-LABEL: func.func @nested
// CHECK: %[[END:.*]] = arith.minsi
// CHECK: scf.for %[[J:.*]] = %c0 to %c3
// CHECK: arith.cmpi slt, %[[J]], %[[END]]
// CHECK: scf.if
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: math.fma
// CHECK: } else {
tg.kernel @nested(%o: memref<3xf32>, %a: memref<12xf32>, %b: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 3
  %j = tg.range 1 loop 3
  %k = tg.range 2 loop 4
  %c4 = tg.const(4 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %j0 = tg.mul %j, %c4 : index
  %jk = tg.add %j0, %k : index
  %x = tg.load %a[%jk] : memref<12xf32>
  %y = tg.load %b[%k] : memref<4xf32>
  %xy = tg.mul %x, %y : f32
  %lower = tg.cmplt %j, %i : index
  %v = tg.where %lower, %xy, %zero : f32
  %s = tg.ranged_reduce add %v over %j, %k : f32
  tg.store %s, %o[%i] : memref<3xf32>
}

// -----

// Where the condition differs between the unrolled copies, only the copies for
// which it is not known branch; the rows still bound their loop. Once the rows
// are inside, or everything counts, only the columns decide.

// CHECK-LABEL: func.func @columns
// CHECK: %[[ALL:.*]] = arith.cmpi
// CHECK: scf.for %{{.*}} = %c0 to %c3
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %c0 to %c3 {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK-NOT: scf.if
// CHECK: %[[LEFT:.*]] = arith.cmpi slt
// CHECK: %[[COUNTS:.*]] = arith.ori %[[LEFT]], %[[ALL]]
// CHECK: %[[FIRST:.*]] = scf.if %[[COUNTS]] -> (vector<32xf32>)
// CHECK-NEXT: %[[SUM:.*]] = math.fma {{.*}}, %[[A]] :
// CHECK-NEXT: scf.yield %[[SUM]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[A]]
// CHECK-NEXT: }
// CHECK-NOT: scf.if
// CHECK: %[[MIDDLE:.*]] = math.fma {{.*}}, %[[B]] :
// CHECK: %[[LAST:.*]] = scf.if
// CHECK-NEXT: math.fma {{.*}}, %[[C]] :
// CHECK-NOT: arith.select
// CHECK: scf.yield %[[FIRST]], %[[MIDDLE]], %[[LAST]]
tg.kernel @columns(%o: memref<480xf32>, %a: memref<35xf32>, %w: memref<288xf32>, %g: memref<1xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 5
  %u = tg.range 1 unroll 3
  %l = tg.range 2 upcast 32
  %ky = tg.range 3 loop 3
  %kx = tg.range 4 loop 3
  %c0 = tg.const(0 : index) : index
  %c3 = tg.const(3 : index) : index
  %c4 = tg.const(4 : index) : index
  %c5 = tg.const(5 : index) : index
  %c6 = tg.const(6 : index) : index
  %c32 = tg.const(32 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %limit = tg.const(2139095039 : i32) : i32
  %greatest = tg.load %g[%c0] : memref<1xi32>
  %all = tg.cmplt %limit, %greatest : i32
  %row = tg.add %i, %ky : index
  %column = tg.add %u, %kx : index
  %r5 = tg.mul %row, %c5 : index
  %rc = tg.add %r5, %column : index
  %x = tg.load %a[%rc] : memref<35xf32>
  %k3 = tg.mul %ky, %c3 : index
  %kk = tg.add %k3, %kx : index
  %k32 = tg.mul %kk, %c32 : index
  %kl = tg.add %k32, %l : index
  %y = tg.load %w[%kl] : memref<288xf32>
  %xy = tg.mul %x, %y : f32
  %above = tg.cmplt %c0, %row : index
  %below = tg.cmplt %row, %c6 : index
  %left = tg.cmplt %c0, %column : index
  %right = tg.cmplt %column, %c4 : index
  %n0 = tg.or %above, %all : i1
  %n1 = tg.or %below, %all : i1
  %n2 = tg.or %left, %all : i1
  %n3 = tg.or %right, %all : i1
  %m0 = tg.and %n0, %n1 : i1
  %m1 = tg.and %m0, %n2 : i1
  %m2 = tg.and %m1, %n3 : i1
  %v = tg.where %m2, %xy, %zero : f32
  %s = tg.ranged_reduce add %v over %ky, %kx : f32
  %i3 = tg.mul %i, %c3 : index
  %iu = tg.add %i3, %u : index
  %i32 = tg.mul %iu, %c32 : index
  %il = tg.add %i32, %l : index
  tg.store %s, %o[%il] : memref<480xf32>
}

// -----

// With the window unrolled, it is known which columns are padding, unless
// everything counts: a version with all nine products of the three columns, and
// one with seven of them. Neither has branches. The rows bound the loop of the
// latter.

// CHECK-LABEL: func.func @versions
// CHECK: %[[ALL:.*]] = arith.cmpi
// CHECK: scf.if %[[ALL]]
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK-COUNT-9: math.fma
// CHECK-NOT: math.fma
// CHECK: } else {
// CHECK: arith.select %false
// CHECK: %[[FIRST:.*]] = arith.maxsi
// CHECK: arith.select %false
// CHECK: %[[LAST:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[FIRST]] to %[[LAST]]
// CHECK-NOT: scf.if
// CHECK-NOT: arith.addf
// CHECK-COUNT-7: math.fma
// CHECK-NOT: math.fma
// CHECK: vector.store
tg.kernel @versions(%o: memref<480xf32>, %a: memref<35xf32>, %w: memref<288xf32>, %g: memref<1xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 5
  %u = tg.range 1 unroll 3
  %l = tg.range 2 upcast 32
  %ky = tg.range 3 loop 3
  %kx = tg.range 4 unroll 3
  %c0 = tg.const(0 : index) : index
  %c3 = tg.const(3 : index) : index
  %c4 = tg.const(4 : index) : index
  %c5 = tg.const(5 : index) : index
  %c6 = tg.const(6 : index) : index
  %c32 = tg.const(32 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %limit = tg.const(2139095039 : i32) : i32
  %greatest = tg.load %g[%c0] : memref<1xi32>
  %all = tg.cmplt %limit, %greatest : i32
  %row = tg.add %i, %ky : index
  %column = tg.add %u, %kx : index
  %r5 = tg.mul %row, %c5 : index
  %rc = tg.add %r5, %column : index
  %x = tg.load %a[%rc] : memref<35xf32>
  %k3 = tg.mul %ky, %c3 : index
  %kk = tg.add %k3, %kx : index
  %k32 = tg.mul %kk, %c32 : index
  %kl = tg.add %k32, %l : index
  %y = tg.load %w[%kl] : memref<288xf32>
  %xy = tg.mul %x, %y : f32
  %above = tg.cmplt %c0, %row : index
  %below = tg.cmplt %row, %c6 : index
  %left = tg.cmplt %c0, %column : index
  %right = tg.cmplt %column, %c4 : index
  %n0 = tg.or %above, %all : i1
  %n1 = tg.or %below, %all : i1
  %n2 = tg.or %left, %all : i1
  %n3 = tg.or %right, %all : i1
  %m0 = tg.and %n0, %n1 : i1
  %m1 = tg.and %m0, %n2 : i1
  %m2 = tg.and %m1, %n3 : i1
  %v = tg.where %m2, %xy, %zero : f32
  %s = tg.ranged_reduce add %v over %ky, %kx : f32
  %i3 = tg.mul %i, %c3 : index
  %iu = tg.add %i3, %u : index
  %i32 = tg.mul %iu, %c32 : index
  %il = tg.add %i32, %l : index
  tg.store %s, %o[%il] : memref<480xf32>
}

// -----

// No branch that a processor cannot foresee: the condition is read from memory.

// CHECK-LABEL: func.func @unforeseen
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: arith.select
// CHECK-NOT: scf.if
// CHECK: return
tg.kernel @unforeseen(%o: memref<128xf32>, %a: memref<12xf32>, %w: memref<96xf32>, %g: memref<12xi32>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 4
  %l = tg.range 1 upcast 32
  %k = tg.range 2 loop 3
  %c4 = tg.const(4 : index) : index
  %c32 = tg.const(32 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %none = tg.const(0 : i32) : i32
  %k4 = tg.mul %k, %c4 : index
  %ku = tg.add %k4, %u : index
  %x = tg.load %a[%ku] : memref<12xf32>
  %k32 = tg.mul %k, %c32 : index
  %kl = tg.add %k32, %l : index
  %y = tg.load %w[%kl] : memref<96xf32>
  %xy = tg.mul %x, %y : f32
  %flag = tg.load %g[%ku] : memref<12xi32>
  %inside = tg.cmplt %none, %flag : i32
  %v = tg.where %inside, %xy, %zero : f32
  %s = tg.ranged_reduce add %v over %k : f32
  %u32 = tg.mul %u, %c32 : index
  %ul = tg.add %u32, %l : index
  tg.store %s, %o[%ul] : memref<128xf32>
}

// -----

// Nor for lanes, of which some count and some do not.

// CHECK-LABEL: func.func @lanes
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: arith.select
// CHECK-NOT: scf.if
// CHECK: return
tg.kernel @lanes(%o: memref<128xf32>, %a: memref<12xf32>, %w: memref<96xf32>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 4
  %l = tg.range 1 upcast 32
  %k = tg.range 2 loop 3
  %c4 = tg.const(4 : index) : index
  %c20 = tg.const(20 : index) : index
  %c32 = tg.const(32 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %k4 = tg.mul %k, %c4 : index
  %ku = tg.add %k4, %u : index
  %x = tg.load %a[%ku] : memref<12xf32>
  %k32 = tg.mul %k, %c32 : index
  %kl = tg.add %k32, %l : index
  %y = tg.load %w[%kl] : memref<96xf32>
  %xy = tg.mul %x, %y : f32
  %lu = tg.add %ku, %l : index
  %inside = tg.cmplt %lu, %c20 : index
  %v = tg.where %inside, %xy, %zero : f32
  %s = tg.ranged_reduce add %v over %k : f32
  %u32 = tg.mul %u, %c32 : index
  %ul = tg.add %u32, %l : index
  tg.store %s, %o[%ul] : memref<128xf32>
}

// -----

// Conjunctions that share operands are no more work than there are of them.

// CHECK-LABEL: func.func @shared_operands
// CHECK: math.fma
tg.kernel @shared_operands(%o: memref<20xf32>, %a: memref<400xf32>, %b: memref<20xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 20
  %j = tg.range 1 loop 20
  %n1 = tg.const(1 : index) : index
  %n20 = tg.const(20 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %i0 = tg.mul %i, %n20 : index
  %ij = tg.add %i0, %j : index
  %x = tg.load %a[%ij] : memref<400xf32>
  %y = tg.load %b[%j] : memref<20xf32>
  %xy = tg.mul %x, %y : f32
  %end = tg.add %i, %n1 : index
  %c0 = tg.cmplt %j, %end : index
  %c1 = tg.cmplt %i, %j : index
  %c2 = tg.and %c1, %c0 : i1
  %c3 = tg.and %c2, %c1 : i1
  %c4 = tg.and %c3, %c2 : i1
  %c5 = tg.and %c4, %c3 : i1
  %c6 = tg.and %c5, %c4 : i1
  %c7 = tg.and %c6, %c5 : i1
  %c8 = tg.and %c7, %c6 : i1
  %c9 = tg.and %c8, %c7 : i1
  %c10 = tg.and %c9, %c8 : i1
  %c11 = tg.and %c10, %c9 : i1
  %c12 = tg.and %c11, %c10 : i1
  %c13 = tg.and %c12, %c11 : i1
  %c14 = tg.and %c13, %c12 : i1
  %c15 = tg.and %c14, %c13 : i1
  %c16 = tg.and %c15, %c14 : i1
  %c17 = tg.and %c16, %c15 : i1
  %c18 = tg.and %c17, %c16 : i1
  %c19 = tg.and %c18, %c17 : i1
  %c20 = tg.and %c19, %c18 : i1
  %c21 = tg.and %c20, %c19 : i1
  %c22 = tg.and %c21, %c20 : i1
  %c23 = tg.and %c22, %c21 : i1
  %c24 = tg.and %c23, %c22 : i1
  %c25 = tg.and %c24, %c23 : i1
  %c26 = tg.and %c25, %c24 : i1
  %c27 = tg.and %c26, %c25 : i1
  %c28 = tg.and %c27, %c26 : i1
  %c29 = tg.and %c28, %c27 : i1
  %c30 = tg.and %c29, %c28 : i1
  %c31 = tg.and %c30, %c29 : i1
  %c32 = tg.and %c31, %c30 : i1
  %c33 = tg.and %c32, %c31 : i1
  %c34 = tg.and %c33, %c32 : i1
  %c35 = tg.and %c34, %c33 : i1
  %c36 = tg.and %c35, %c34 : i1
  %c37 = tg.and %c36, %c35 : i1
  %c38 = tg.and %c37, %c36 : i1
  %c39 = tg.and %c38, %c37 : i1
  %c40 = tg.and %c39, %c38 : i1
  %c41 = tg.and %c40, %c39 : i1
  %c42 = tg.and %c41, %c40 : i1
  %c43 = tg.and %c42, %c41 : i1
  %c44 = tg.and %c43, %c42 : i1
  %c45 = tg.and %c44, %c43 : i1
  %c46 = tg.and %c45, %c44 : i1
  %c47 = tg.and %c46, %c45 : i1
  %c48 = tg.and %c47, %c46 : i1
  %c49 = tg.and %c48, %c47 : i1
  %c50 = tg.and %c49, %c48 : i1
  %c51 = tg.and %c50, %c49 : i1
  %c52 = tg.and %c51, %c50 : i1
  %c53 = tg.and %c52, %c51 : i1
  %c54 = tg.and %c53, %c52 : i1
  %c55 = tg.and %c54, %c53 : i1
  %c56 = tg.and %c55, %c54 : i1
  %c57 = tg.and %c56, %c55 : i1
  %c58 = tg.and %c57, %c56 : i1
  %c59 = tg.and %c58, %c57 : i1
  %c60 = tg.and %c59, %c58 : i1
  %c61 = tg.and %c60, %c59 : i1
  %c62 = tg.and %c61, %c60 : i1
  %c63 = tg.and %c62, %c61 : i1
  %c64 = tg.and %c63, %c62 : i1
  %c65 = tg.and %c64, %c63 : i1
  %v = tg.where %c65, %xy, %zero : f32
  %s = tg.ranged_reduce add %v over %j : f32
  tg.store %s, %o[%i] : memref<20xf32>
}
