// RUN: tg-opt %s --convert-tg-to-gpu | FileCheck %s

// Loads, stores and tiles.

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {

// Contiguous lanes are vectors. Results are aligned; what is read may be a view
// of anything.
// CHECK-LABEL: gpu.func @contiguous(
// CHECK: vector.load %{{.*}} {alignment = 4 : i64} : memref<64xf32>, vector<4xf32>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
tg.kernel @contiguous(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %v = tg.range 1 upcast 4
  %c4 = tg.const(4 : index) : index
  %0 = tg.mul %i, %c4 : index
  %1 = tg.add %0, %v : index
  %x = tg.load %a[%1] : memref<64xf32>
  tg.store %x, %out[%1] : memref<64xf32>
}

// Other lanes are accessed one by one, each under its own mask.
// CHECK-LABEL: gpu.func @strided(
// CHECK-COUNT-2: scf.if
// CHECK: vector.from_elements
// CHECK: scf.if
// CHECK: memref.store
// CHECK: scf.if
// CHECK: memref.store
tg.kernel @strided(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %v = tg.range 1 upcast 2
  %c16 = tg.const(16 : index) : index
  %c20 = tg.const(20 : index) : index
  %0 = tg.mul %v, %c16 : index
  %1 = tg.add %0, %i : index
  %m = tg.cmplt %1, %c20 : index
  %x = tg.load %a[%1] mask %m : memref<64xf32>
  tg.store %x, %out[%1] mask %m : memref<64xf32>
}

// One mask for all lanes guards the vector. Masked-out elements are zeros.
// CHECK-LABEL: gpu.func @masked(
// CHECK: scf.if %[[IN:.*]] -> (vector<4xf32>) {
// CHECK: vector.load
// CHECK: } else {
// CHECK: arith.constant dense<0.000000e+00>
// CHECK: scf.if %[[IN]] {
// CHECK: vector.store
tg.kernel @masked(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %v = tg.range 1 upcast 4
  %c4 = tg.const(4 : index) : index
  %c9 = tg.const(9 : index) : index
  %0 = tg.mul %i, %c4 : index
  %1 = tg.add %0, %v : index
  %m = tg.cmplt %i, %c9 : index
  %x = tg.load %a[%1] mask %m : memref<64xf32>
  tg.store %x, %out[%1] mask %m : memref<64xf32>
}

// A tile of the group: each item writes its own position, and reads after a
// barrier. Items that have the same positions of the tile write once.
// CHECK-LABEL: gpu.func @tiles(
// CHECK-SAME: workgroup(%[[TILE:.*]] : memref<16xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 4, 16, 1>
// CHECK-DAG: %[[COLUMN:.*]] = gpu.thread_id x
// CHECK-DAG: %[[ROW:.*]] = gpu.thread_id y
// CHECK: %[[X:.*]] = memref.load %{{.*}}[%[[ROW]]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[COLUMN]],
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: memref.store %[[X]], %[[TILE]][%[[ROW]]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK: memref.load %[[TILE]]
tg.kernel @tiles(%out: memref<64xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %j = tg.range 1 local 4
  %x = tg.load %a[%i] : memref<16xf32>
  %t = tg.stage %x over %i in group : memref<16xf32>
  %b = tg.barrier %t : memref<16xf32>
  %last = tg.const(15 : index) : index
  %other = tg.sub %last, %i : index
  %y = tg.load %b[%other] : memref<16xf32>
  %c4 = tg.const(4 : index) : index
  %0 = tg.mul %i, %c4 : index
  %1 = tg.add %0, %j : index
  tg.store %y, %out[%1] : memref<64xf32>
}

// Two tiles that are filled along one range: it has one direction, in which all
// items write.
// CHECK-LABEL: gpu.func @two_tiles(
// CHECK-SAME: workgroup(%[[T:.*]] : memref<16xf32, {{.*}}>, %[[U:.*]] : memref<16xf32, {{.*}}>)
// CHECK-SAME: known_block_size = array<i32: 16, 1, 1>
// CHECK-NOT: scf.if
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK-NOT: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[U]]
// CHECK: gpu.barrier
// CHECK-NOT: scf.if
// CHECK: gpu.return
tg.kernel @two_tiles(%out: memref<16xf32>, %a: memref<16xf32>, %b: memref<16xf32>) attributes {outputs = 1 : i64} {
  %l = tg.range 0 local 16
  %m = tg.range 1 local 16
  %c15 = tg.const(15 : index) : index
  %x = tg.load %a[%l] : memref<16xf32>
  %t = tg.stage %x over %l in group : memref<16xf32>
  %tb = tg.barrier %t : memref<16xf32>
  %y = tg.load %b[%l] : memref<16xf32>
  %u = tg.stage %y over %l in group : memref<16xf32>
  %ub = tg.barrier %u : memref<16xf32>
  %r = tg.sub %c15, %m : index
  %v = tg.load %tb[%r] : memref<16xf32>
  %w = tg.load %ub[%m] : memref<16xf32>
  %z = tg.add %v, %w : f32
  tg.store %z, %out[%m] : memref<16xf32>
}

// An item's tile is private memory.
// CHECK-LABEL: gpu.func @own_tile(
// CHECK-NOT: workgroup
// CHECK: %[[OWN:.*]] = memref.alloca() : memref<4xf32>
// CHECK: memref.store %{{.*}}, %[[OWN]]
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
tg.kernel @own_tile(%out: memref<16xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %k = tg.range 1 loop 4
  %c4 = tg.const(4 : index) : index
  %0 = tg.mul %i, %c4 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<64xf32>
  %t = tg.stage %x over %k : memref<4xf32>
  %b = tg.barrier %t : memref<4xf32>
  %j = tg.range 2 loop 4
  %y = tg.load %b[%j] : memref<4xf32>
  %s = tg.ranged_reduce mul %y over %j : f32
  tg.store %s, %out[%i] : memref<16xf32>
}

// An update reads, combines and writes; one item updates an element.
// CHECK-LABEL: gpu.func @update(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<64xi32>
// CHECK: %[[OLD:.*]] = memref.load %[[OUT]][
// CHECK: %[[NEW:.*]] = arith.addi
// CHECK: memref.store %[[NEW]], %[[OUT]]
tg.kernel @update(%out: memref<64xi32>, %a: memref<32xi32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %k = tg.range 1 loop 2
  %c2 = tg.const(2 : index) : index
  %c4 = tg.const(4 : index) : index
  %0 = tg.mul %i, %c2 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<32xi32>
  %2 = tg.mul %i, %c4 : index
  tg.store %x, %out[%2] update add over %k : memref<64xi32>
}

// f16 and bf16 are floats in memory and in registers, computed with in f32.
// Bool is a byte in memory.
// CHECK-LABEL: gpu.func @types(
// CHECK-SAME: memref<8xbf16>, %{{.*}}: memref<8xf16>, %{{.*}}: memref<8xi8>
// CHECK: memref.load %{{.*}} : memref<8xi8>
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: math.sqrt %{{.*}} : f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
tg.kernel @types(%out: memref<8xbf16>, %a: memref<8xf16>, %c: memref<8xi1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 8
  %k = tg.load %c[%i] : memref<8xi1>
  %x = tg.load %a[%i] : memref<8xf16>
  %y = tg.sqrt %x : f16
  %z = tg.cast %y : f16 -> bf16
  %zero = tg.const(0.0 : bf16) : bf16
  %w = tg.where %k, %z, %zero : bf16
  tg.store %w, %out[%i] : memref<8xbf16>
}
}
