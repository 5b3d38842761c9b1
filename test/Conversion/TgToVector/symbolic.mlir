// Symbolic extents: bounds and sizes come from arguments, the main part of a
// peeled loop has no mask, and the last part has one that is computed.

// RUN: tg-opt -split-input-file -convert-tg-to-vector %s | FileCheck %s

// A vector of 16 lanes over n elements: full vectors first, then a masked one.
// CHECK-LABEL: func.func @peeled
// CHECK-SAME: (%[[O:.*]]: memref<100xf32>, %[[A:.*]]: memref<100xf32>, %[[BEGIN:.*]]: index, %[[END:.*]]: index, %[[N:.*]]: index)
// CHECK-SAME: tg.parallel_extent = 1 : i64
// CHECK-SAME: tg.variables = [#n]
// CHECK: scf.for
// CHECK: vector.load
// CHECK-NEXT: arith.negf
// CHECK-NEXT: vector.store
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK-NOT: scf.for
// CHECK: return
#n = #tg.var<"n", 1, 100>
tg.kernel @peeled(%o: memref<100xf32>, %a: memref<100xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.dim<floordiv, #tg.dim<add, #n, 15>, 16> peel 1
  %v = tg.range 1 upcast 16
  %c = tg.const(16 : index) : index
  %m = tg.mul %i, %c : index
  %p = tg.add %m, %v : index
  %n = tg.dim(#n) : index
  %valid = tg.cmplt %p, %n : index
  %x = tg.load %a[%p] mask %valid : memref<100xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%p] mask %valid : memref<100xf32>
}

// -----

// Work items that depend on two variables: their number is an expression, and
// their positions come from a division by a value.
// CHECK-LABEL: func.func @threads
// CHECK-SAME: %[[BEGIN:[a-z0-9]*]]: index, %[[END:[a-z0-9]*]]: index, %[[M:[a-z0-9]*]]: index, %[[N:[a-z0-9]*]]: index)
// CHECK-SAME: tg.parallel_extent = #tg.dim<#m * #n>
// CHECK: scf.for %[[ITEM:.*]] = %[[BEGIN]] to %[[END]]
// CHECK-DAG: arith.remui %[[ITEM]], %[[N]]
// CHECK-DAG: arith.divui %[[ITEM]], %[[N]]
#n = #tg.var<"n", 1, 8>
#m = #tg.var<"m", 0, 5>
tg.kernel @threads(%o: memref<40xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread #m
  %j = tg.range 1 thread #n
  %x = tg.const(1.0 : f32) : f32
  %c = tg.const(8 : index) : index
  %p = tg.mul %i, %c : index
  %q = tg.add %p, %j : index
  tg.store %x, %o[%q] : memref<40xf32>
}

// -----

// Quotients of what can be negative round down.
// CHECK-LABEL: func.func @division
// CHECK: arith.divsi
// CHECK: arith.select
#n = #tg.var<"n", -8, 8>
#z = #tg.var<"z", 1, 3>
tg.kernel @division(%o: memref<40xi64>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %q = tg.dim(#tg.dim<floordiv, #n, #z>) : index
  %x = tg.cast %q : index -> i64
  tg.store %x, %o[%i] : memref<40xi64>
}

// -----

// Both extents are never negative, and neither is their product, of which bounds
// alone do not show it.
// CHECK-LABEL: func.func @rest
// CHECK-SAME: tg.parallel_extent = #tg.dim<#n * 9 - #n * #n>
#n = #tg.var<"n", 0, 9>
#rest = #tg.dim<add, 9, #tg.dim<mul, #n, -1>>
tg.kernel @rest(%o: memref<90xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread #n
  %j = tg.range 1 thread #rest
  %x = tg.const(1.0 : f32) : f32
  %c = tg.const(9 : index) : index
  %p = tg.mul %i, %c : index
  %q = tg.add %p, %j : index
  tg.store %x, %o[%q] : memref<90xf32>
}
