// RUN: tg-opt %s --convert-tg-to-gpu | FileCheck %s

// Parallel ranges as numbers of groups and of their items.

module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {

// The innermost range is x, the next one y, and all others are digits of z.
// CHECK-LABEL: gpu.func @grid(
// CHECK-SAME: kernel attributes {known_block_size = array<i32: 8, 1, 1>, tg.groups = [5, 4, 6], tg.outputs = 1 : i64}
// CHECK-DAG: %[[X:.*]] = gpu.block_id x
// CHECK-DAG: %[[Y:.*]] = gpu.block_id y
// CHECK-DAG: %[[Z:.*]] = gpu.block_id z
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3
// CHECK: %[[J:.*]] = arith.remui %[[Z]], %[[THREE]]
// CHECK: %[[I:.*]] = arith.divui %[[Z]], %[[THREE]]
// CHECK: %[[ITEM:.*]] = gpu.thread_id x
// CHECK: arith.muli %[[I]],
// CHECK: arith.muli %[[J]],
// CHECK: arith.muli %[[Y]],
// CHECK: arith.muli %[[X]],
// CHECK: arith.addi %{{.*}}, %[[ITEM]]
tg.kernel @grid(%out: memref<960xf32>, %a: memref<960xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 2
  %j = tg.range 1 global 3
  %k = tg.range 2 global 4
  %l = tg.range 3 global 5
  %m = tg.range 4 local 8
  %c3 = tg.const(3 : index) : index
  %c4 = tg.const(4 : index) : index
  %c5 = tg.const(5 : index) : index
  %c8 = tg.const(8 : index) : index
  %0 = tg.mul %i, %c3 : index
  %1 = tg.add %0, %j : index
  %2 = tg.mul %1, %c4 : index
  %3 = tg.add %2, %k : index
  %4 = tg.mul %3, %c5 : index
  %5 = tg.add %4, %l : index
  %6 = tg.mul %5, %c8 : index
  %7 = tg.add %6, %m : index
  %x = tg.load %a[%7] : memref<960xf32>
  tg.store %x, %out[%7] : memref<960xf32>
}

// The same for the items of a group.
// CHECK-LABEL: gpu.func @four_axes(
// CHECK-SAME: known_block_size = array<i32: 5, 4, 6>
// CHECK-DAG: %[[Z:.*]] = gpu.thread_id z
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3
// CHECK: arith.remui %[[Z]], %[[THREE]]
// CHECK: arith.divui %[[Z]], %[[THREE]]
tg.kernel @four_axes(%out: memref<120xf32>, %a: memref<120xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 2
  %j = tg.range 1 local 3
  %k = tg.range 2 local 4
  %l = tg.range 3 local 5
  %c3 = tg.const(3 : index) : index
  %c4 = tg.const(4 : index) : index
  %c5 = tg.const(5 : index) : index
  %0 = tg.mul %i, %c3 : index
  %1 = tg.add %0, %j : index
  %2 = tg.mul %1, %c4 : index
  %3 = tg.add %2, %k : index
  %4 = tg.mul %3, %c5 : index
  %5 = tg.add %4, %l : index
  %x = tg.load %a[%5] : memref<120xf32>
  tg.store %x, %out[%5] : memref<120xf32>
}

// z admits 64 items: with more, all axes are digits of x.
// CHECK-LABEL: gpu.func @long_z(
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-NOT: gpu.thread_id y
// CHECK: gpu.return
tg.kernel @long_z(%out: memref<256xf32>, %a: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 128
  %j = tg.range 1 local 1
  %k = tg.range 2 local 2
  %c2 = tg.const(2 : index) : index
  %0 = tg.mul %i, %c2 : index
  %1 = tg.add %0, %j : index
  %2 = tg.add %1, %k : index
  %x = tg.load %a[%2] : memref<256xf32>
  tg.store %x, %out[%2] : memref<256xf32>
}

// More groups than one direction admits are numbered by x and y. Groups past
// the end do nothing.
// CHECK-LABEL: gpu.func @folded(
// CHECK-DAG: %[[X:.*]] = gpu.block_id x
// CHECK-DAG: %[[Y:.*]] = gpu.block_id y
// CHECK-DAG: %[[COUNT:.*]] = arith.constant 3000000000
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 2147483647
// CHECK: %[[ROW:.*]] = arith.muli %[[Y]], %[[WIDTH]]
// CHECK: %[[NUMBER:.*]] = arith.addi %[[ROW]], %[[X]]
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %[[NUMBER]], %[[COUNT]]
// CHECK: scf.if %[[EXISTS]] {
// CHECK: memref.store
tg.kernel @folded(%out: memref<1xf32>, %a: memref<1xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 3000000000
  %c0 = tg.const(0 : index) : index
  %c1 = tg.const(1 : index) : index
  %m = tg.cmplt %i, %c1 : index
  %x = tg.load %a[%c0] : memref<1xf32>
  tg.store %x, %out[%i] mask %m : memref<1xf32>
}

// So are more work items than 32 bits count.
// CHECK-LABEL: gpu.func @folded_items(
// CHECK-DAG: arith.constant 20000000
// CHECK-DAG: arith.constant 16777215
tg.kernel @folded_items(%out: memref<5120000000xi8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 20000000
  %l = tg.range 1 local 256
  %c = tg.const(256 : index) : index
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %l : index
  %x = tg.const(1 : i8) : i8
  tg.store %x, %out[%1] : memref<5120000000xi8>
}

// Variables are arguments; only the number of groups depends on them here.
// CHECK-LABEL: gpu.func @symbolic(
// CHECK-SAME: memref<2048xf32>, %{{.*}}: index) kernel
// CHECK-SAME: tg.groups = [#tg.dim<#n * 2>, 1, 1],
// CHECK-SAME: tg.variables = [#n]
tg.kernel @symbolic(%out: memref<2048xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global #tg.dim<mul, #tg.var<"n", 1, 16>, 2>
  %l = tg.range 1 local 64
  %c64 = tg.const(64 : index) : index
  %0 = tg.mul %i, %c64 : index
  %1 = tg.add %0, %l : index
  %y = tg.cast %1 : index -> i32
  %x = tg.cast %y : i32 -> f32
  tg.store %x, %out[%1] : memref<2048xf32>
}

// What is computed at each item alone runs in loops.
// CHECK-LABEL: gpu.func @loops(
// CHECK: scf.for
// CHECK: memref.store
tg.kernel @loops(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %x = tg.load %a[%i] : memref<8xf32>
  tg.store %x, %out[%i] : memref<8xf32>
}
}
