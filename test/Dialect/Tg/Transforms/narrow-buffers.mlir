// RUN: tg-opt %s -tg-narrow-buffers -split-input-file | FileCheck %s
// RUN: tg-opt %s -tg-narrow-buffers -tg-dedup-kernels -split-input-file \
// RUN:   | FileCheck %s --check-prefix=DEDUP

// Kernels that read different parts of a buffer become one. The first part
// begins at 0, where no index changes.

// CHECK-LABEL: tg.kernel @first
// CHECK-SAME:    (%{{.*}}: memref<4xf32>, %[[A:.*]]: memref<4xf32>)
// CHECK:         %[[I:.*]] = tg.range 0 loop 4
// CHECK-NOT:     tg.const
// CHECK:         tg.load %[[A]][%[[I]]] : memref<4xf32>
tg.kernel @first(%out: memref<4xf32>, %a: memref<12xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<12xf32>
  tg.store %x, %out[%i] : memref<4xf32>
}

// CHECK-LABEL: tg.kernel @last
// CHECK-SAME:    (%{{.*}}: memref<4xf32>, %[[A:.*]]: memref<4xf32>)
// CHECK:         %[[I:.*]] = tg.range 0 loop 4
// CHECK-NOT:     tg.const
// CHECK:         tg.load %[[A]][%[[I]]] : memref<4xf32>
tg.kernel @last(%out: memref<4xf32>, %a: memref<12xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %c = tg.const(8 : index) : index
  %j = tg.add %i, %c : index
  %x = tg.load %a[%j] : memref<12xf32>
  tg.store %x, %out[%i] : memref<4xf32>
}

// CHECK-LABEL: func.func @parts
// CHECK:         %[[V0:.*]] = tg.subbuffer %[[A:.*]] at (0) : memref<12xf32> -> memref<4xf32>
// CHECK:         tg.launch @first(%{{.*}}, %[[V0]])
// CHECK:         %[[V1:.*]] = tg.subbuffer %[[A]] at (32) : memref<12xf32> -> memref<4xf32>
// CHECK:         tg.launch @last(%{{.*}}, %[[V1]])

// DEDUP-LABEL: func.func @parts
// DEDUP:         tg.launch @first
// DEDUP:         tg.launch @first
func.func @parts(%a: memref<12xf32>) -> (memref<4xf32>, memref<4xf32>) {
  %b = tg.alloc on "CPU" : memref<4xf32>
  %c = tg.alloc on "CPU" : memref<4xf32>
  tg.launch @first(%b, %a) : memref<4xf32>, memref<12xf32>
  tg.launch @last(%c, %a) : memref<4xf32>, memref<12xf32>
  return %b, %c : memref<4xf32>, memref<4xf32>
}

// -----

// All loads of a buffer lie in the part; bools take a byte each.

// CHECK-LABEL: tg.kernel @several
// CHECK-SAME:    (%{{.*}}: memref<2xi1>, %[[A:.*]]: memref<6xi1>)
// CHECK:         %[[I:.*]] = tg.range 0 loop 2
// CHECK:         tg.load %[[A]][%[[I]]] : memref<6xi1>
// CHECK:         %[[C:.*]] = tg.const(4 : index) : index
// CHECK:         %[[J:.*]] = tg.add %[[I]], %[[C]] : index
// CHECK:         tg.load %[[A]][%[[J]]] : memref<6xi1>
tg.kernel @several(%out: memref<2xi1>, %a: memref<9xi1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 2
  %c3 = tg.const(3 : index) : index
  %c7 = tg.const(7 : index) : index
  %j = tg.add %i, %c3 : index
  %k = tg.add %i, %c7 : index
  %x = tg.load %a[%j] : memref<9xi1>
  %y = tg.load %a[%k] : memref<9xi1>
  %z = tg.and %x, %y : i1
  tg.store %z, %out[%i] : memref<2xi1>
}
// CHECK-LABEL: func.func @bools
// CHECK:         tg.subbuffer %{{.*}} at (3) : memref<9xi1> -> memref<6xi1>
func.func @bools(%a: memref<9xi1>) -> memref<2xi1> {
  %b = tg.alloc on "CPU" : memref<2xi1>
  tg.launch @several(%b, %a) : memref<2xi1>, memref<9xi1>
  return %b : memref<2xi1>
}

// -----

// Nothing changes where a mask, not the index, keeps a load inside ...

// CHECK-LABEL: tg.kernel @masked
// CHECK-SAME:    memref<6xf32>, %{{.*}}: memref<4xf32>
tg.kernel @masked(%out: memref<6xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 6
  %c4 = tg.const(4 : index) : index
  %m = tg.cmplt %i, %c4 : index
  %x = tg.load %a[%i] mask %m : memref<4xf32>
  tg.store %x, %out[%i] : memref<6xf32>
}
// ... and where an index is not known.
// CHECK-LABEL: tg.kernel @gather
// CHECK-SAME:    memref<2xf32>, %{{.*}}: memref<4xf32>, %{{.*}}: memref<2xi32>
tg.kernel @gather(%out: memref<2xf32>, %a: memref<4xf32>, %p: memref<2xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 2
  %q = tg.load %p[%i] : memref<2xi32>
  %j = tg.cast %q : i32 -> index
  %x = tg.load %a[%j] : memref<4xf32>
  tg.store %x, %out[%i] : memref<2xf32>
}
// CHECK-LABEL: func.func @unchanged
// CHECK-NOT:     tg.subbuffer
func.func @unchanged(%a: memref<4xf32>, %p: memref<2xi32>) -> (memref<6xf32>, memref<2xf32>) {
  %b = tg.alloc on "CPU" : memref<6xf32>
  %c = tg.alloc on "CPU" : memref<2xf32>
  tg.launch @masked(%b, %a) : memref<6xf32>, memref<4xf32>
  tg.launch @gather(%c, %a, %p) : memref<2xf32>, memref<4xf32>, memref<2xi32>
  return %b, %c : memref<6xf32>, memref<2xf32>
}

// -----

// What a kernel in place writes, and may read, stays whole. What else it reads
// may be the same memory, of which a view is the same memory too.

// CHECK-LABEL: tg.kernel @in_place
// CHECK-SAME:    (%[[OUT:.*]]: memref<4xf32>, %[[A:.*]]: memref<2xf32>)
// CHECK:         tg.load %[[A]][%{{.*}}] : memref<2xf32>
// CHECK:         tg.load %[[OUT]][%{{.*}}] : memref<4xf32>
tg.kernel @in_place(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64, in_place} {
  %i = tg.range 0 loop 2
  %x = tg.load %a[%i] : memref<4xf32>
  %y = tg.load %out[%i] : memref<4xf32>
  %z = tg.add %x, %y : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
// CHECK-LABEL: func.func @same
// CHECK-SAME:    (%[[A:.*]]: memref<4xf32>)
// CHECK:         %[[V:.*]] = tg.subbuffer %[[A]] at (0) : memref<4xf32> -> memref<2xf32>
// CHECK:         tg.launch @in_place(%[[A]], %[[V]])
func.func @same(%a: memref<4xf32>) {
  tg.launch @in_place(%a, %a) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// A part stays in its memory space.

// CHECK-LABEL: tg.kernel @space
// CHECK-SAME:    (%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32, 1>)
tg.kernel @space(%out: memref<4xf32>, %a: memref<12xf32, 1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %c = tg.const(8 : index) : index
  %j = tg.add %i, %c : index
  %x = tg.load %a[%j] : memref<12xf32, 1>
  tg.store %x, %out[%i] : memref<4xf32>
}
// CHECK: tg.subbuffer %{{.*}} at (32) : memref<12xf32, 1> -> memref<4xf32, 1>
func.func @main(%out: memref<4xf32>, %a: memref<12xf32, 1>) {
  tg.launch @space(%out, %a) : memref<4xf32>, memref<12xf32, 1>
  return
}
