// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --convert-tg-to-gpu --tg-verify-gpu-kernels=print-counts=true -o %t | FileCheck %s

// Kernels for GPUs stay in bounds and have no races, and all items reach their
// barriers.

// A tile that items fill and read in another order.
// CHECK: proved access: 4
// CHECK-NEXT: proved race: 2
module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {
tg.kernel @tile(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 64
  %x = tg.load %a[%i] : memref<64xf32>
  %t = tg.stage %x over %i in group : memref<64xf32>
  %b = tg.barrier %t : memref<64xf32>
  %last = tg.const(63 : index) : index
  %other = tg.sub %last, %i : index
  %y = tg.load %b[%other] : memref<64xf32>
  tg.store %y, %out[%i] : memref<64xf32>
}
}

// -----

// A sum over the items of a group, in a loop: the next iteration writes what
// items read, and the loop runs equally often for all of them.
// CHECK: proved access:
// CHECK-NEXT: proved barrier: {{[1-9]}}
// CHECK-NEXT: proved exchange: {{[1-9]}}
// CHECK-NEXT: proved race: {{[1-9]}}
module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {
tg.kernel @sums(%out: memref<16xf32>, %a: memref<1024xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %k = tg.range 1 group_reduce 64
  %c64 = tg.const(64 : index) : index
  %0 = tg.mul %i, %c64 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<1024xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%i] : memref<16xf32>
}
}

// -----

// Rows of n elements, one group each: products of a variable.
// CHECK: proved access: 2
// CHECK-NEXT: proved groups: 1
// CHECK-NEXT: proved race: 1
module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {
tg.kernel @rows(%out: memref<3200xf32>, %a: memref<3200xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global #tg.var<"m", 1, 50>
  %j = tg.range 1 local 64
  %n = tg.dim(#tg.var<"n", 1, 64>) : index
  %0 = tg.mul %i, %n : index
  %1 = tg.add %0, %j : index
  %c = tg.cmplt %j, %n : index
  %x = tg.load %a[%1] mask %c : memref<3200xf32>
  tg.store %x, %out[%1] mask %c : memref<3200xf32>
}
}

// -----

// A grid that is folded: groups past the end do nothing.
// CHECK: proved access: 1
// CHECK-NEXT: proved groups: 1
// CHECK-NEXT: proved race: 1
module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {
tg.kernel @folded(%out: memref<192000000000xi8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 3000000000
  %j = tg.range 1 local 64
  %c64 = tg.const(64 : index) : index
  %0 = tg.mul %i, %c64 : index
  %1 = tg.add %0, %j : index
  %x = tg.const(1 : i8) : i8
  tg.store %x, %out[%1] : memref<192000000000xi8>
}
}

// -----

// Updates at places that are data: each item has a column of its own.
// CHECK: proved access: 4
// CHECK-NEXT: proved race: 2
module attributes {tg.target = #tg.target<"gpu", group_items = 256, subgroup_items = 32, group_bytes = 4096>} {
tg.kernel @scatter(%out: memref<320xi32>, %places: memref<640xi32>, %a: memref<640xi32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 local 64
  %k = tg.range 1 loop 10
  %c64 = tg.const(64 : index) : index
  %c5 = tg.const(5 : i32) : i32
  %minus = tg.const(-1 : i32) : i32
  %0 = tg.mul %k, %c64 : index
  %1 = tg.add %0, %i : index
  %p = tg.load %places[%1] : memref<640xi32>
  %x = tg.load %a[%1] : memref<640xi32>
  %isLow = tg.cmplt %p, %c5 : i32
  %isHigh = tg.cmplt %minus, %p : i32
  %isIn = tg.and %isLow, %isHigh : i1
  %row = tg.cast %p : i32 -> index
  %2 = tg.mul %row, %c64 : index
  %3 = tg.add %2, %i : index
  tg.store %x, %out[%3] mask %isIn update add over %k : memref<320xi32>
}
}
