// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Stores with the same ranges share their loops; those with fewer share a part.

// CHECK-LABEL: func.func @shared
// CHECK: scf.for %[[I:.*]] = %arg4 to %arg5
// CHECK: memref.store %{{.*}}, %arg0[%[[I]]]
// CHECK: scf.for
// CHECK-DAG: memref.store %{{.*}}, %arg1
// CHECK-DAG: memref.store %{{.*}}, %arg2
// CHECK-NOT: scf.for
// CHECK: return
tg.kernel @shared(%p: memref<4xf32>, %o: memref<40xf32>, %q: memref<40xf32>, %a: memref<40xf32>) attributes {outputs = 3 : i64} {
  %i = tg.range 0 thread 4
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %f = tg.load %a[%row] : memref<40xf32>
  tg.store %f, %p[%i] : memref<4xf32>
  %n = tg.add %row, %j : index
  %x = tg.load %a[%n] : memref<40xf32>
  %y = tg.neg %x : f32
  tg.store %x, %o[%n] : memref<40xf32>
  tg.store %y, %q[%n] : memref<40xf32>
}

// -----

// A store outside of the threads' range is done at its first position.

// CHECK-LABEL: func.func @once
// CHECK: scf.for %[[I:.*]] = %arg3 to %arg4
// CHECK: memref.store %{{.*}}, %arg0[%[[I]]]
// CHECK: %[[F:.*]] = arith.cmpi eq, %[[I]]
// CHECK: scf.if %[[F]] {
// CHECK-NEXT: memref.store %{{.*}}, %arg1
tg.kernel @once(%o: memref<4xf32>, %p: memref<1xf32>, %a: memref<4xf32>) attributes {outputs = 2 : i64} {
  %i = tg.range 0 thread 4
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%i] : memref<4xf32>
  tg.store %x, %o[%i] : memref<4xf32>
  %y = tg.load %a[%z] : memref<4xf32>
  tg.store %y, %p[%z] : memref<1xf32>
}

// -----

// Two ranges of threads are one for the caller.

// CHECK-LABEL: func.func @grid
// CHECK-SAME: tg.parallel_extent = 15 : i64
// CHECK: scf.for %[[I:.*]] = %arg1 to %arg2
// CHECK-DAG: arith.remui %[[I]]
// CHECK-DAG: arith.divui %[[I]]
tg.kernel @grid(%o: memref<15xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 3
  %j = tg.range 1 global 5
  %c5 = tg.const(5 : index) : index
  %m = tg.mul %i, %c5 : index
  %p = tg.add %m, %j : index
  %v = tg.cast %j : index -> i32
  tg.store %v, %o[%p] : memref<15xi32>
}

// -----

// The host program goes; it speaks of kernels.

// CHECK-NOT: @main
// CHECK: func.func @k
func.func @main(%o: memref<4xf32>) {
  tg.launch @k(%o) : memref<4xf32>
  return
}
tg.kernel @k(%o: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %o[%i] : memref<4xf32>
}

// -----

// Updates of different buffers share their loop; those of one buffer do not,
// nor do those of a buffer that is read.

// CHECK-LABEL: func.func @updates
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %arg0
// CHECK: memref.store %{{.*}}, %arg1
// CHECK-NOT: scf.for
// CHECK: return
// CHECK-LABEL: func.func @updates_of_one
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %arg0
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %arg0
// CHECK-LABEL: func.func @updates_that_read
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %arg0
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %arg1
tg.kernel @updates(%o: memref<4xf32>, %q: memref<4xf32>, %a: memref<40xf32>) attributes {in_place, outputs = 2 : i64} {
  %i = tg.range 0 thread 4
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %n = tg.add %row, %j : index
  %x = tg.load %a[%n] : memref<40xf32>
  tg.store %x, %o[%i] update add over %j : memref<4xf32>
  tg.store %x, %q[%i] update max over %j : memref<4xf32>
}
tg.kernel @updates_of_one(%o: memref<4xf32>, %a: memref<40xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 thread 4
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %n = tg.add %row, %j : index
  %x = tg.load %a[%n] : memref<40xf32>
  tg.store %x, %o[%i] update add over %j : memref<4xf32>
  tg.store %x, %o[%i] update max over %j : memref<4xf32>
}
tg.kernel @updates_that_read(%o: memref<4xf32>, %q: memref<4xf32>, %a: memref<40xf32>) attributes {in_place, outputs = 2 : i64} {
  %i = tg.range 0 thread 4
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %n = tg.add %row, %j : index
  %x = tg.load %a[%n] : memref<40xf32>
  %y = tg.load %o[%i] : memref<4xf32>
  tg.store %x, %o[%i] update add over %j : memref<4xf32>
  tg.store %y, %q[%i] update add over %j : memref<4xf32>
}

// -----

// A kernel in place: the store of a row's first element does not split the loop
// over the row, in which %s is read and written.

// CHECK-LABEL: func.func @in_place
// CHECK: scf.for
// CHECK: scf.for
// CHECK: memref.load %arg1
// CHECK-DAG: memref.store %{{.*}}, %arg0
// CHECK-DAG: memref.store %{{.*}}, %arg1
// CHECK-DAG: memref.store %{{.*}}, %arg3
// CHECK: memref.store %{{.*}}, %arg2
// CHECK-NOT: memref.load
// CHECK: return
tg.kernel @in_place(%e: memref<40xf32>, %s: memref<40xf32>, %r: memref<4xf32>, %m: memref<40xf32>, %x: memref<40xf32>) attributes {in_place, outputs = 4 : i64} {
  %i = tg.range 0 thread 4
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %n = tg.add %row, %j : index
  %f = tg.load %x[%row] : memref<40xf32>
  %a = tg.load %x[%n] : memref<40xf32>
  %old = tg.load %s[%n] : memref<40xf32>
  %y = tg.neg %a : f32
  %z = tg.exp2 %old : f32
  tg.store %old, %e[%n] : memref<40xf32>
  tg.store %y, %s[%n] : memref<40xf32>
  tg.store %f, %r[%i] : memref<4xf32>
  tg.store %z, %m[%n] : memref<40xf32>
}

// -----

// What reads memory comes before what overwrites it.

// CHECK-LABEL: func.func @reader_first
// CHECK: memref.load %arg0
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %arg1
// CHECK: memref.store %{{.*}}, %arg0
// CHECK-NOT: memref.load
// CHECK: return
tg.kernel @reader_first(%s: memref<4xf32>, %y: memref<40xf32>, %x: memref<40xf32>) attributes {in_place, outputs = 2 : i64} {
  %i = tg.range 0 thread 4
  %j = tg.range 1 loop 10
  %c10 = tg.const(10 : index) : index
  %row = tg.mul %i, %c10 : index
  %n = tg.add %row, %j : index
  %f = tg.load %x[%row] : memref<40xf32>
  %old = tg.load %s[%i] : memref<4xf32>
  %a = tg.load %x[%n] : memref<40xf32>
  %m = tg.mul %a, %old : f32
  tg.store %f, %s[%i] : memref<4xf32>
  tg.store %m, %y[%n] : memref<40xf32>
}
