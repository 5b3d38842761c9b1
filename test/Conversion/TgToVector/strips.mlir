// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Lanes 3 elements apart, with 3 unrolled positions between them: whole vectors
// of the strip, of which each position takes its elements, and orders them.

// CHECK-LABEL: func.func @strip
// CHECK: %[[A:.*]] = vector.load {{.*}} : memref<24xf32>, vector<8xf32>
// CHECK: %[[B:.*]] = vector.load {{.*}} : memref<24xf32>, vector<8xf32>
// CHECK: %[[C:.*]] = vector.load {{.*}} : memref<24xf32>, vector<8xf32>
// CHECK-NOT: load
// CHECK: %[[AB:.*]] = vector.shuffle %[[A]], %[[B]] [0, 9, 2, 3, 12, 5, 6, 15]
// CHECK: %[[ABC:.*]] = vector.shuffle %[[AB]], %[[C]] [0, 1, 10, 3, 4, 13, 6, 7]
// CHECK: vector.shuffle %[[ABC]], %[[ABC]] [0, 3, 6, 1, 4, 7, 2, 5]
// CHECK-NOT: load
// CHECK-COUNT-3: vector.store
tg.kernel @strip(%o: memref<24xf32>, %a: memref<24xf32>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 3
  %l = tg.range 1 upcast 8
  %c3 = tg.const(3 : index) : index
  %c8 = tg.const(8 : index) : index
  %l0 = tg.mul %l, %c3 : index
  %p = tg.add %l0, %u : index
  %u0 = tg.mul %u, %c8 : index
  %q = tg.add %u0, %l : index
  %x = tg.load %a[%p] : memref<24xf32>
  tg.store %x, %o[%q] : memref<24xf32>
}

// -----

// The same in descending order: the first position takes the last elements. The
// lines of each vector are prefetched.

// CHECK-LABEL: func.func @descending
// CHECK: %[[A:.*]] = vector.load {{.*}} : memref<24xf32>, vector<8xf32>
// CHECK: memref.prefetch
// CHECK: %[[B:.*]] = vector.load {{.*}} : memref<24xf32>, vector<8xf32>
// CHECK: memref.prefetch
// CHECK: %[[C:.*]] = vector.load {{.*}} : memref<24xf32>, vector<8xf32>
// CHECK: memref.prefetch
// CHECK: %[[BA:.*]] = vector.shuffle %[[B]], %[[A]] [0, 1, 10, 3, 4, 13, 6, 7]
// CHECK: %[[BAC:.*]] = vector.shuffle %[[BA]], %[[C]] [0, 9, 2, 3, 12, 5, 6, 15]
// CHECK: vector.shuffle %[[BAC]], %[[BAC]] [2, 5, 0, 3, 6, 1, 4, 7]
// CHECK-COUNT-3: vector.store
tg.kernel @descending(%o: memref<24xf32>, %a: memref<24xf32>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 3
  %l = tg.range 1 upcast 8
  %c2 = tg.const(2 : index) : index
  %c3 = tg.const(3 : index) : index
  %c8 = tg.const(8 : index) : index
  %l0 = tg.mul %l, %c3 : index
  %l1 = tg.add %l0, %c2 : index
  %p = tg.sub %l1, %u : index
  %u0 = tg.mul %u, %c8 : index
  %q = tg.add %u0, %l : index
  %x = tg.load %a[%p] prefetch 48 : memref<24xf32>
  tg.store %x, %o[%q] : memref<24xf32>
}

// -----

// Not with an even number of positions, whose elements share lanes.

// CHECK-LABEL: func.func @even
// CHECK-NOT: vector.shuffle
// CHECK: vector.from_elements
tg.kernel @even(%o: memref<48xf32>, %a: memref<48xf32>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 6
  %l = tg.range 1 upcast 8
  %c6 = tg.const(6 : index) : index
  %c8 = tg.const(8 : index) : index
  %l0 = tg.mul %l, %c6 : index
  %p = tg.add %l0, %u : index
  %u0 = tg.mul %u, %c8 : index
  %q = tg.add %u0, %l : index
  %x = tg.load %a[%p] : memref<48xf32>
  tg.store %x, %o[%q] : memref<48xf32>
}

// -----

// Not if there are gaps between the lanes, which may be outside of the buffer.

// CHECK-LABEL: func.func @gaps
// CHECK-NOT: vector.shuffle
// CHECK: vector.from_elements
tg.kernel @gaps(%o: memref<24xf32>, %a: memref<38xf32>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 3
  %l = tg.range 1 upcast 8
  %c5 = tg.const(5 : index) : index
  %c8 = tg.const(8 : index) : index
  %l0 = tg.mul %l, %c5 : index
  %p = tg.add %l0, %u : index
  %u0 = tg.mul %u, %c8 : index
  %q = tg.add %u0, %l : index
  %x = tg.load %a[%p] : memref<38xf32>
  tg.store %x, %o[%q] : memref<24xf32>
}

// -----

// Nor with a mask that is not known.

// CHECK-LABEL: func.func @masked
// CHECK-NOT: vector.shuffle
// CHECK: vector.gather
tg.kernel @masked(%o: memref<24xf32>, %a: memref<24xf32>, %m: memref<1xi1>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 3
  %l = tg.range 1 upcast 8
  %c0 = tg.const(0 : index) : index
  %c3 = tg.const(3 : index) : index
  %c8 = tg.const(8 : index) : index
  %l0 = tg.mul %l, %c3 : index
  %p = tg.add %l0, %u : index
  %u0 = tg.mul %u, %c8 : index
  %q = tg.add %u0, %l : index
  %c = tg.load %m[%c0] : memref<1xi1>
  %x = tg.load %a[%p] mask %c : memref<24xf32>
  tg.store %x, %o[%q] : memref<24xf32>
}
