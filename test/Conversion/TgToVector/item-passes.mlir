// RUN: tg-opt %s --split-input-file --convert-tg-to-vector | FileCheck %s

// A loop of the result before the work items runs around them: a thread computes the
// first position of all its items, then the next one. The first position begins with
// the constant, which is not stored, the others with what is in memory.

// CHECK-LABEL: func.func @sums
// CHECK-SAME:    (%[[OUT:.*]]: memref<24xf32>, %[[A:.*]]: memref<96xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK-NOT:     scf.for
// CHECK:         scf.for %[[K:.*]] = %c0 to %c4
// CHECK:           %[[LATER:.*]] = arith.cmpi ne, %[[K]], %c0
// CHECK:           scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CHECK:             %[[NEW:.*]] = vector.load %[[A]]
// CHECK:             %[[OLD:.*]] = scf.if %[[LATER]]
// CHECK:               vector.load %[[OUT]]
// CHECK:             } else {
// CHECK-NEXT:          scf.yield %{{.*}} : vector<8xf32>
// CHECK:             %[[SUM:.*]] = arith.addf %[[OLD]], %[[NEW]]
// CHECK-NOT:         read, locality
// CHECK:             vector.store %[[SUM]], %[[OUT]]
// CHECK-NOT:         vector.store
// CHECK:             memref.prefetch %[[OUT]]{{.*}}, write
// CHECK-NOT:         vector.store
tg.kernel @sums(%out: memref<24xf32>, %a: memref<96xf32>) attributes {in_place, outputs = 1 : i64} {
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %c24 = tg.const(24 : index) : index
  %k = tg.range 2 loop 4
  %i = tg.range 0 thread 3
  %j = tg.range 1 upcast 8
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %d = tg.mul %k, %c24 : index
  %from = tg.add %at, %d : index
  %x = tg.load %a[%from] : memref<96xf32>
  tg.store %zero, %out[%at] : memref<24xf32>
  tg.store %x, %out[%at] update add over %k prefetch 8 : memref<24xf32>
}

// -----

// Two stores update one buffer, all positions of the first one before the second one:
// the loops are inside of the work items.

// CHECK-LABEL: func.func @two
// CHECK:         scf.for %{{.*}} = %arg2 to %arg3
// CHECK:           vector.store
// CHECK:           scf.for %{{.*}} = %c0 to %c4
// CHECK:             arith.addf
// CHECK:             vector.store
// CHECK:           }
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %c4
// CHECK:             arith.negf
// CHECK:             vector.store
tg.kernel @two(%out: memref<24xf32>, %a: memref<96xf32>) attributes {in_place, outputs = 1 : i64} {
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %c24 = tg.const(24 : index) : index
  %k = tg.range 2 loop 4
  %i = tg.range 0 thread 3
  %j = tg.range 1 upcast 8
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %d = tg.mul %k, %c24 : index
  %from = tg.add %at, %d : index
  %x = tg.load %a[%from] : memref<96xf32>
  %y = tg.neg %x : f32
  tg.store %zero, %out[%at] : memref<24xf32>
  tg.store %x, %out[%at] update add over %k : memref<24xf32>
  tg.store %y, %out[%at] update max over %k : memref<24xf32>
}

// -----

// What was there before is updated: the loop is inside of the work items.

// CHECK-LABEL: func.func @old
// CHECK:         scf.for %{{.*}} = %arg2 to %arg3
// CHECK:           scf.for %{{.*}} = %c0 to %c4
tg.kernel @old(%out: memref<24xf32>, %a: memref<96xf32>) attributes {in_place, outputs = 1 : i64} {
  %c8 = tg.const(8 : index) : index
  %c24 = tg.const(24 : index) : index
  %k = tg.range 2 loop 4
  %i = tg.range 0 thread 3
  %j = tg.range 1 upcast 8
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %d = tg.mul %k, %c24 : index
  %from = tg.add %at, %d : index
  %x = tg.load %a[%from] : memref<96xf32>
  tg.store %x, %out[%at] update add over %k : memref<24xf32>
}

// -----

// Another range that the update repeats comes after the items: in each position of the
// first one, only its first position could begin with the constant.

// CHECK-LABEL: func.func @twice
// CHECK:         scf.for %{{.*}} = %arg2 to %arg3
// CHECK:           vector.store
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %c4
// CHECK:             scf.for %{{.*}} = %c0{{.*}} to %c2
// CHECK-NOT:           scf.if
// CHECK:               vector.store
tg.kernel @twice(%out: memref<24xf32>, %a: memref<192xf32>) attributes {in_place, outputs = 1 : i64} {
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %c24 = tg.const(24 : index) : index
  %c96 = tg.const(96 : index) : index
  %k = tg.range 2 loop 4
  %i = tg.range 0 thread 3
  %l = tg.range 3 loop 2
  %j = tg.range 1 upcast 8
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %d = tg.mul %k, %c24 : index
  %e = tg.mul %l, %c96 : index
  %0 = tg.add %at, %d : index
  %from = tg.add %0, %e : index
  %x = tg.load %a[%from] : memref<192xf32>
  tg.store %zero, %out[%at] : memref<24xf32>
  tg.store %x, %out[%at] update add over %k, %l : memref<24xf32>
}

// -----

// Its own output is read: the loop is inside of the work items.

// CHECK-LABEL: func.func @own
// CHECK:         scf.for %{{.*}} = %arg1 to %arg2
// CHECK:           scf.for %{{.*}} = %c0{{.*}} to %c4
tg.kernel @own(%out: memref<24xf32>) attributes {in_place, outputs = 1 : i64} {
  %one = tg.const(1.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %k = tg.range 2 loop 4
  %i = tg.range 0 thread 3
  %j = tg.range 1 upcast 8
  %r = tg.mul %i, %c8 : index
  %at = tg.add %r, %j : index
  %x = tg.load %out[%at] : memref<24xf32>
  tg.store %one, %out[%at] : memref<24xf32>
  tg.store %x, %out[%at] update add over %k : memref<24xf32>
}
