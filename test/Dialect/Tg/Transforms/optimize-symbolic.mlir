// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline --verify-each | FileCheck %s

// The window of a reduce that masks depend on is unrolled only if its length is
// a number.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: unroll
// CHECK: tg.store
#n = #tg.var<"n", 0, 1>
#rows = #tg.dim<add, #n, 4>
!x = tensor<4x64xi16>
!p = tensor<?x64xi16, #tg.shape<#rows, 64>>
func.func @window(%x: !x) -> tensor<1x64xi16> {
  %0 = tg.pad %x low [0, 0] high [#n, 0] : !x -> !p
  %1 = tg.reduce mul %0 axes [0] : !p -> tensor<1x64xi16>
  return %1 : tensor<1x64xi16>
}

// -----

// Rows of at most one element are not kept in a tile: lanes go along the column.

// CHECK-LABEL: tg.kernel
// CHECK: upcast
// CHECK-NOT: tg.stage
// CHECK: tg.store
#n = #tg.var<"n", 2, 100>
#odd = #tg.dim<mod, #n, 2>
!x = tensor<?x?xf32, #tg.shape<#n, #odd>>
!s = tensor<?x1xf32, #tg.shape<#n, 1>>
func.func @short_rows(%x: !x) -> !x {
  %0 = tg.exp2 %x : !x
  %1 = tg.reduce add %0 axes [1] : !x -> !s
  %2 = tg.expand %1 : !s -> !x
  %3 = tg.fdiv %0, %2 : !x
  return %3 : !x
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
