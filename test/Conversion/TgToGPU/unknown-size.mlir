// RUN: tg-opt %s --convert-tg-to-gpu | FileCheck %s

// Buffers of unknown size: indices are all that is known of them. Their accesses
// are not left out, as those of empty buffers are.

module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, group_items = 256, subgroup_items = 32, group_bytes = 4096>} {

// CHECK-LABEL: gpu.func @elements(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<?xf32>, %[[A:[a-z0-9]+]]: memref<?xf32>, %{{.*}}: index
// CHECK: %[[X:.*]] = memref.load %[[A]][%[[I:.*]]] : memref<?xf32>
// CHECK: memref.store %[[X]], %[[OUT]][%[[I]]] : memref<?xf32>
tg.kernel @elements(%out: memref<?xf32>, %a: memref<?xf32>) attributes {outputs = 1 : i64} {
  %g = tg.range 0 global #tg.var<"n", 1, 64>
  %l = tg.range 1 local 32
  %c32 = tg.const(32 : index) : index
  %0 = tg.mul %g, %c32 : index
  %1 = tg.add %0, %l : index
  %x = tg.load %a[%1] : memref<?xf32>
  tg.store %x, %out[%1] : memref<?xf32>
}

// Vectors, and masks of them.
// CHECK-LABEL: gpu.func @vectors(
// CHECK: scf.if
// CHECK: vector.load %{{.*}} {alignment = 4 : i64} : memref<?xf32>, vector<4xf32>
// CHECK: scf.if
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<?xf32>, vector<4xf32>
tg.kernel @vectors(%out: memref<?xf32>, %a: memref<?xf32>) attributes {outputs = 1 : i64} {
  %n = tg.dim(#tg.var<"n", 1, 64>) : index
  %g = tg.range 0 global #tg.var<"n", 1, 64>
  %l = tg.range 1 local 32
  %v = tg.range 2 upcast 4
  %c4 = tg.const(4 : index) : index
  %c128 = tg.const(128 : index) : index
  %0 = tg.mul %g, %c128 : index
  %1 = tg.mul %l, %c4 : index
  %2 = tg.add %0, %1 : index
  %3 = tg.add %2, %v : index
  %m = tg.cmplt %l, %n : index
  %x = tg.load %a[%3] mask %m : memref<?xf32>
  tg.store %x, %out[%3] mask %m : memref<?xf32>
}

// A tile is of known size, whatever it is filled from, and so are sums of items.
// CHECK-LABEL: gpu.func @sums(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<4xf32>, %[[A:[a-z0-9]+]]: memref<?xf32>
// CHECK-SAME: workgroup(%[[TILE:.*]] : memref<32xf32, #gpu.address_space<workgroup>>)
// CHECK: memref.load %[[A]][%{{.*}}] : memref<?xf32>
// CHECK: memref.store %{{.*}}, %[[TILE]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[TILE]]
// CHECK: memref.store %{{.*}}, %[[OUT]]
tg.kernel @sums(%out: memref<4xf32>, %a: memref<?xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 4
  %k = tg.range 1 local 8
  %j = tg.range 2 loop 8
  %c8 = tg.const(8 : index) : index
  %0 = tg.mul %i, %c8 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<?xf32>
  %t = tg.stage %x over %i, %k in group : memref<32xf32>
  %b = tg.barrier %t : memref<32xf32>
  %2 = tg.add %0, %j : index
  %y = tg.load %b[%2] : memref<32xf32>
  %s = tg.ranged_reduce add %y over %j : f32
  tg.store %s, %out[%i] : memref<4xf32>
}

// An empty buffer has no elements to access.
// CHECK-LABEL: gpu.func @empty(
// CHECK-NOT: memref.load
// CHECK: gpu.return
tg.kernel @empty(%out: memref<32xf32>, %a: memref<0xf32>) attributes {outputs = 1 : i64} {
  %l = tg.range 0 local 32
  %n = tg.dim(#tg.var<"n", 1, 64>) : index
  %m = tg.cmplt %l, %n : index
  %x = tg.load %a[%l] mask %m : memref<0xf32>
  tg.store %x, %out[%l] : memref<32xf32>
}
}
