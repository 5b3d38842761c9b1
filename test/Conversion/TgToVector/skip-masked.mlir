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
