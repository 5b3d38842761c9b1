// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Upcast ranges are lanes; contiguous ones are loaded and stored as vectors.

// CHECK-LABEL: func.func @contiguous
// CHECK-SAME: (%[[O:.*]]: memref<64xf32>, %[[A:.*]]: memref<64xf32>, %{{.*}}: index, %{{.*}}: index)
// CHECK-SAME: tg.outputs = 1 : i64, tg.parallel_extent = 1 : i64
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[C4:.*]] step
// CHECK: %[[P:.*]] = arith.muli %[[I]], %{{.*}} : index
// CHECK-NEXT: %[[X:.*]] = vector.load %[[A]][%[[P]]] : memref<64xf32>, vector<16xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.negf %[[X]] : vector<16xf32>
// CHECK-NEXT: vector.store %[[Y]], %[[O]][%[[P]]] : memref<64xf32>, vector<16xf32>
tg.kernel @contiguous(%o: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %v = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %m = tg.mul %i, %c16 : index
  %p = tg.add %m, %v : index
  %x = tg.load %a[%p] : memref<64xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%p] : memref<64xf32>
}

// -----

// A value that no lane changes stays a scalar until it meets a vector.

// CHECK-LABEL: func.func @broadcast
// CHECK: %[[X:.*]] = vector.load
// CHECK: %[[S:.*]] = memref.load
// CHECK: %[[R:.*]] = math.sqrt %[[S]] : f32
// CHECK: %[[B:.*]] = vector.broadcast %[[R]] : f32 to vector<8xf32>
// CHECK: arith.mulf %[[X]], %[[B]] : vector<8xf32>
tg.kernel @broadcast(%o: memref<8xf32>, %a: memref<8xf32>, %s: memref<1xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 8
  %z = tg.const(0 : index) : index
  %b = tg.load %s[%z] : memref<1xf32>
  %r = tg.sqrt %b : f32
  %x = tg.load %a[%v] : memref<8xf32>
  %y = tg.mul %x, %r : f32
  tg.store %y, %o[%v] : memref<8xf32>
}

// -----

// Backwards: one load and a shuffle.

// CHECK-LABEL: func.func @reversed
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[X:.*]] = vector.load %{{.*}}[%[[C0]]] : memref<4xi32>, vector<4xi32>
// CHECK: vector.shuffle %[[X]], %[[X]] [3, 2, 1, 0]
tg.kernel @reversed(%o: memref<4xi32>, %a: memref<4xi32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 4
  %c3 = tg.const(3 : index) : index
  %p = tg.sub %c3, %v : index
  %x = tg.load %a[%p] : memref<4xi32>
  tg.store %x, %o[%v] : memref<4xi32>
}

// -----

// Strided: a load for each lane, at constant distances.

// CHECK-LABEL: func.func @strided
// CHECK-COUNT-4: memref.load
// CHECK: vector.from_elements {{.*}} : vector<4xf32>
// CHECK: vector.store
tg.kernel @strided(%o: memref<4xf32>, %a: memref<12xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 4
  %c3 = tg.const(3 : index) : index
  %p = tg.mul %v, %c3 : index
  %x = tg.load %a[%p] : memref<12xf32>
  tg.store %x, %o[%v] : memref<4xf32>
}

// -----

// Loaded indices: gathered, with offsets of 32 bits.

// CHECK-LABEL: func.func @gathered
// CHECK: vector.gather %{{.*}}[%{{.*}}] [%{{.*}}], %{{.*}}, %{{.*}} : memref<100xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
tg.kernel @gathered(%o: memref<8xf32>, %a: memref<100xf32>, %i: memref<8xi64>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 8
  %n = tg.load %i[%v] : memref<8xi64>
  %p = tg.cast %n : i64 -> index
  %x = tg.load %a[%p] : memref<100xf32>
  tg.store %x, %o[%v] : memref<8xf32>
}

// -----

// Quotients and remainders that lanes do not cross keep their accesses whole.

// CHECK-LABEL: func.func @aligned_division
// CHECK: scf.for
// CHECK-DAG: arith.divui %{{.*}}, %{{.*}} : index
// CHECK-DAG: arith.remui %{{.*}}, %{{.*}} : index
// CHECK: vector.load %{{.*}} : memref<128xf32>, vector<16xf32>
// CHECK-NOT: gather
tg.kernel @aligned_division(%o: memref<128xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %v = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c64 = tg.const(64 : index) : index
  %c1 = tg.const(1 : index) : index
  %m = tg.mul %i, %c16 : index
  %p = tg.add %m, %v : index
  %q = tg.idiv %p, %c64 : index
  %r = tg.mod %p, %c64 : index
  %q1 = tg.sub %c1, %q : index
  %s = tg.mul %q1, %c64 : index
  %t = tg.add %s, %r : index
  %x = tg.load %a[%t] : memref<128xf32>
  tg.store %x, %o[%p] : memref<128xf32>
}

// -----

// Every second element: two contiguous loads, from the first lane on and up to
// the last one, and one shuffle.

// CHECK-LABEL: func.func @even
// CHECK: %[[X:.*]] = vector.load %arg1[%[[P:.*]]] : memref<15xf32>, vector<8xf32>
// CHECK: %[[Y:.*]] = vector.load %arg1[%{{.*}}] : memref<15xf32>, vector<8xf32>
// CHECK: vector.shuffle %[[X]], %[[Y]] [0, 2, 4, 6, 9, 11, 13, 15]
// CHECK-NOT: memref.load
tg.kernel @even(%o: memref<8xf32>, %a: memref<15xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 8
  %c2 = tg.const(2 : index) : index
  %p = tg.mul %v, %c2 : index
  %x = tg.load %a[%p] : memref<15xf32>
  tg.store %x, %o[%v] : memref<8xf32>
}

// -----

// A mask excludes the elements in between, too.

// CHECK-LABEL: func.func @even_masked
// CHECK: vector.shuffle %[[M:.*]], %{{.*}} [0, 4, 1, 4] : vector<4xi1>, vector<4xi1>
// CHECK: vector.maskedload
// CHECK: vector.shuffle %[[M]], %{{.*}} [4, 2, 4, 3] : vector<4xi1>, vector<4xi1>
// CHECK: vector.maskedload
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 2, 5, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NOT: vector.gather
tg.kernel @even_masked(%o: memref<4xf32>, %a: memref<7xf32>, %m: memref<4xi1>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 4
  %c2 = tg.const(2 : index) : index
  %p = tg.mul %v, %c2 : index
  %c = tg.load %m[%v] : memref<4xi1>
  %x = tg.load %a[%p] mask %c : memref<7xf32>
  tg.store %x, %o[%v] : memref<4xf32>
}
