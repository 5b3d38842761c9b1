// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --verify-each | FileCheck %s

// The window of a reduce that masks depend on is unrolled only if its length is
// a number.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: unroll
// CHECK: tg.store
tg.kernel @r_64_np4_n0(%arg0: memref<64xi16>, %arg1: memref<256xi16>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.const(4 : index) : index
  %2 = tg.range 0 loop 64
  %3 = tg.range 1 loop #tg.dim<add, #tg.var<"n", 0, 1>, 4>
  %4 = tg.cmplt %3, %1 : index
  %5 = tg.mul %3, %0 : index
  %6 = tg.add %2, %5 : index
  %7 = tg.load %arg1[%6] mask %4 : memref<256xi16>
  %8 = tg.ranged_reduce mul %7 over %3 : i16
  tg.store %8, %arg0[%2] : memref<64xi16>
}

// -----

// Rows of at most one element are not kept in a tile: lanes go along the column.

// CHECK-LABEL: tg.kernel
// CHECK: upcast
// CHECK-NOT: tg.stage
// CHECK: tg.store
tg.kernel @r_n_nmod2_nmod2_n0(%arg0: memref<100xf32>, %arg1: memref<100xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.range 0 loop #tg.var<"n", 2, 100>
  %2 = tg.range 2 loop #tg.dim<mod, #tg.var<"n", 2, 100>, 2>
  %3 = tg.dim(#tg.dim<mod, #tg.var<"n", 2, 100>, 2>) : index
  %4 = tg.cmplt %0, %3 : index
  %5 = tg.load %arg1[%1] mask %4 : memref<100xf32>
  %6 = tg.exp2 %5 : f32
  %7 = tg.ranged_reduce add %6 over %2 : f32
  %8 = tg.fdiv %6, %7 : f32
  tg.store %8, %arg0[%1] mask %4 : memref<100xf32>
}

// -----

// A buffer of unknown size does not count as large.

// CHECK-LABEL: tg.kernel @unknown_size
// CHECK: tg.store
// CHECK-NOT: nontemporal
// CHECK: }
tg.kernel @unknown_size(%out: memref<?xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.var<"n", 1, 8>
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<?xf32>
}

// -----

// Nor is it prefetched from.

// CHECK-LABEL: tg.kernel @unknown_columns
// CHECK-NOT: prefetch
// CHECK: }
tg.kernel @unknown_columns(%out: memref<4096xf32>, %a: memref<?xf32>) attributes {outputs = 1 : i64} {
  %c4096 = tg.const(4096 : index) : index
  %i = tg.range 0 loop 4096
  %k = tg.range 1 loop 4096
  %row = tg.mul %k, %c4096 : index
  %p = tg.add %row, %i : index
  %x = tg.load %a[%p] : memref<?xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%i] : memref<4096xf32>
}

// -----

// A range of one position at most, on which no index depends, is a work item's
// like others.

// CHECK-LABEL: tg.kernel @one_or_none
// CHECK-SAME: #tg.step<set_kind [0] as thread>
tg.kernel @one_or_none(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.dim<mod, #tg.var<"n", 1, 2>, 2>
  %j = tg.range 1 loop 4
  %x = tg.load %a[%j] : memref<4xf32>
  %n = tg.cast %i : index -> i32
  %y = tg.cast %n : i32 -> f32
  %z = tg.add %x, %y : f32
  tg.store %z, %out[%j] : memref<4xf32>
}

// -----

// Under a mask, different work items write different elements, whether or not
// the index shows it: here (2 - n) * (n - 1) is 0, so that none is written.

// CHECK-LABEL: tg.kernel @never
// CHECK-SAME: #tg.step<set_kind [0] as thread>
tg.kernel @never(%out: memref<8xui64>, %a: memref<8xui64>) attributes {in_place, outputs = 1 : i64} {
  %c0 = tg.const(0 : index) : index
  %c2 = tg.const(2 : index) : index
  %i = tg.range 0 loop 2
  %j = tg.range 1 loop 2
  %row = tg.mul %i, %c2 : index
  %at = tg.add %row, %j : index
  %0 = tg.dim(#tg.dim<add, #tg.dim<mul, #tg.var<"n", 1, 2>, -1>, 2>) : index
  %1 = tg.cmplt %c0, %0 : index
  %2 = tg.dim(#tg.dim<add, #tg.var<"n", 1, 2>, -1>) : index
  %3 = tg.cmplt %c0, %2 : index
  %mask = tg.and %1, %3 : i1
  %x = tg.load %a[%at] mask %mask : memref<8xui64>
  tg.store %x, %out[%j] mask %mask : memref<8xui64>
}
