// RUN: tg-opt %s --convert-tg-to-gpu | FileCheck %s

// Reductions over the items of a group. All items get the result.

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {

// Within subgroups, values are exchanged in registers, those of less than 32
// bits in wider ones. One item of each row stores.
// CHECK-LABEL: gpu.func @in_subgroup(
// CHECK-NOT: workgroup(
// CHECK-SAME: known_block_size = array<i32: 8, 4, 1>
// CHECK-DAG: %[[ITEM:.*]] = gpu.thread_id x
// CHECK-DAG: %[[ROW:.*]] = gpu.thread_id y
// CHECK: %[[WIDE:.*]] = arith.extui %[[OWN:.*]] : i8 to i32
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK: %[[OTHER:.*]], %{{.*}} = gpu.shuffle xor %[[WIDE]], %[[FOUR]], %{{.*}} : i32
// CHECK: %[[NARROW:.*]] = arith.trunci %[[OTHER]] : i32 to i8
// CHECK: arith.maxsi %[[OWN]], %[[NARROW]] : i8
// CHECK: arith.constant 2 : i32
// CHECK: gpu.shuffle xor
// CHECK: arith.constant 1 : i32
// CHECK: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ITEM]], %{{.*}} : index
// CHECK: scf.if %[[FIRST]] {
// CHECK: memref.store %{{.*}}[%[[ROW]]]
tg.kernel @in_subgroup(%out: memref<4xi8>, %a: memref<32xi8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 4
  %k = tg.range 1 group_reduce 8
  %c8 = tg.const(8 : index) : index
  %0 = tg.mul %i, %c8 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<32xi8>
  %s = tg.ranged_reduce max %x over %k : i8
  tg.store %s, %out[%i] : memref<4xi8>
}

// Between subgroups, values go through the memory of the group. The first lane
// of each subgroup writes, all items read. Unrolled results have places of
// their own, 2 results * 2 rows * 2 subgroups: reading the first one and writing
// the second one need no barrier in between. f16 is added up as f32.
// CHECK-LABEL: gpu.func @two_subgroups(
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 64, 2, 1>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: memref.store %{{.*}}, %[[SHARED]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: memref.load %[[SHARED]]
// CHECK-NEXT: scf.for
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NOT: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK-NEXT: }
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
tg.kernel @two_subgroups(%out: memref<4xf16>, %a: memref<256xf16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 2
  %u = tg.range 1 unroll 2
  %k = tg.range 2 group_reduce 64
  %c2 = tg.const(2 : index) : index
  %c64 = tg.const(64 : index) : index
  %0 = tg.mul %i, %c2 : index
  %1 = tg.add %0, %u : index
  %2 = tg.mul %1, %c64 : index
  %3 = tg.add %2, %k : index
  %x = tg.load %a[%3] : memref<256xf16>
  %s = tg.ranged_reduce add %x over %k : f16
  tg.store %s, %out[%1] : memref<4xf16>
}

// A number of items that is no power of two is not exchanged in registers. The
// results are as many as the items: both ranges are x, and all items store.
// CHECK-LABEL: gpu.func @twelve(
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<12xi8, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 12, 1, 1>
// CHECK-NOT: gpu.shuffle
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: scf.if
// CHECK: gpu.return
tg.kernel @twelve(%out: memref<12xi1>, %a: memref<12xi1>) attributes {outputs = 1 : i64} {
  %l = tg.range 0 local 12
  %k = tg.range 1 group_reduce 12
  %x = tg.load %a[%k] : memref<12xi1>
  %s = tg.ranged_reduce max %x over %k : i1
  %y = tg.load %a[%l] : memref<12xi1>
  %z = tg.xor %s, %y : i1
  tg.store %z, %out[%l] : memref<12xi1>
}

// In a loop, memory is written after all items have read it.
// CHECK-LABEL: gpu.func @in_loop(
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK: memref.store {{.*}}#gpu.address_space<workgroup>
// CHECK: gpu.barrier
// CHECK: memref.load {{.*}}#gpu.address_space<workgroup>
tg.kernel @in_loop(%out: memref<4xf32>, %a: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %k = tg.range 1 group_reduce 64
  %c64 = tg.const(64 : index) : index
  %0 = tg.mul %i, %c64 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<256xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%i] : memref<4xf32>
}

// The first of two results waits for what the previous iteration reads. The
// barrier behind it is also between the second results of two iterations.
// CHECK-LABEL: gpu.func @two_in_loop(
// CHECK-SAME: workgroup(%[[SHARED:.*]] : memref<4xf32, #gpu.address_space<workgroup>>)
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK: memref.load %[[SHARED]]
// CHECK-NOT: gpu.barrier
// CHECK: memref.store %{{.*}}, %[[SHARED]]
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
tg.kernel @two_in_loop(%out: memref<8xf32>, %a: memref<512xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %u = tg.range 1 unroll 2
  %k = tg.range 2 group_reduce 64
  %c2 = tg.const(2 : index) : index
  %c64 = tg.const(64 : index) : index
  %0 = tg.mul %i, %c2 : index
  %1 = tg.add %0, %u : index
  %2 = tg.mul %1, %c64 : index
  %3 = tg.add %2, %k : index
  %x = tg.load %a[%3] : memref<512xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%1] : memref<8xf32>
}

// A kernel that works in place: one item writes what all have read.
// CHECK-LABEL: gpu.func @in_place(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<4xf32>
// CHECK: memref.load %[[OUT]][
// CHECK: gpu.barrier
// CHECK: scf.if
// CHECK-NEXT: memref.store %{{.*}}, %[[OUT]]
tg.kernel @in_place(%out: memref<4xf32>, %a: memref<32xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 global 4
  %k = tg.range 1 group_reduce 8
  %c8 = tg.const(8 : index) : index
  %0 = tg.mul %i, %c8 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<32xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  %y = tg.load %out[%i] : memref<4xf32>
  %z = tg.add %s, %y : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
}
