// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Strided along the lanes, contiguous along as many unrolled positions: one
// vector of neighbors for each lane, exchanged in two steps.

// CHECK-LABEL: func.func @square
// CHECK-COUNT-4: vector.load {{.*}} : memref<64xf32>, vector<4xf32>
// CHECK-NOT: load
// CHECK: vector.shuffle %[[A:.*]], %[[C:.*]] [0, 1, 4, 5]
// CHECK: vector.shuffle %[[A]], %[[C]] [2, 3, 6, 7]
// CHECK-COUNT-2: vector.shuffle {{.*}} [{{[0-9, ]+}}]
// CHECK: vector.shuffle %[[E:.*]], %[[F:.*]] [0, 4, 2, 6]
// CHECK: vector.shuffle %[[E]], %[[F]] [1, 5, 3, 7]
// CHECK-COUNT-2: vector.shuffle
// CHECK-NOT: load
// CHECK-COUNT-4: vector.store
tg.kernel @square(%o: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 4
  %l = tg.range 1 upcast 4
  %c8 = tg.const(8 : index) : index
  %l0 = tg.mul %l, %c8 : index
  %p = tg.add %l0, %u : index
  %u0 = tg.mul %u, %c8 : index
  %q = tg.add %u0, %l : index
  %x = tg.load %a[%p] : memref<64xf32>
  tg.store %x, %o[%q] : memref<64xf32>
}

// -----

// Not with a mask that is not known.

// CHECK-LABEL: func.func @masked
// CHECK-NOT: vector.shuffle
// CHECK: vector.gather
tg.kernel @masked(%o: memref<64xf32>, %a: memref<64xf32>, %m: memref<1xi1>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 4
  %l = tg.range 1 upcast 4
  %c0 = tg.const(0 : index) : index
  %c8 = tg.const(8 : index) : index
  %l0 = tg.mul %l, %c8 : index
  %p = tg.add %l0, %u : index
  %u0 = tg.mul %u, %c8 : index
  %q = tg.add %u0, %l : index
  %c = tg.load %m[%c0] : memref<1xi1>
  %x = tg.load %a[%p] mask %c : memref<64xf32>
  tg.store %x, %o[%q] : memref<64xf32>
}

// -----

// Not if the rows are longer than the lanes are many.

// CHECK-LABEL: func.func @oblong
// CHECK-NOT: vector.shuffle
// CHECK: vector.from_elements
tg.kernel @oblong(%o: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 8
  %l = tg.range 1 upcast 4
  %c8 = tg.const(8 : index) : index
  %l0 = tg.mul %l, %c8 : index
  %p = tg.add %l0, %u : index
  %u0 = tg.mul %u, %c8 : index
  %q = tg.add %u0, %l : index
  %x = tg.load %a[%p] : memref<64xf32>
  tg.store %x, %o[%q] : memref<64xf32>
}

// -----

// A tile that is strided along the lanes and contiguous along unrolled
// positions: rows of lanes are exchanged, three to a square of four, and what is
// missing of the square is not written.

// CHECK-LABEL: func.func @tile
// CHECK-COUNT-3: vector.load %arg1
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: vector.maskedstore
// CHECK: vector.load
tg.kernel @tile(%o: memref<12xf32>, %a: memref<12xf32>) attributes {outputs = 1 : i64} {
  %l = tg.range 0 upcast 4
  %u = tg.range 1 unroll 3
  %r = tg.range 2 upcast 12
  %c4 = tg.const(4 : index) : index
  %u0 = tg.mul %u, %c4 : index
  %p = tg.add %u0, %l : index
  %x = tg.load %a[%p] : memref<12xf32>
  %t = tg.stage %x over %l, %u : memref<12xf32>
  %s = tg.barrier %t : memref<12xf32>
  %y = tg.load %s[%r] : memref<12xf32>
  tg.store %y, %o[%r] : memref<12xf32>
}
