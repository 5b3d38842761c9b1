// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// A register tile: one accumulator for each unrolled row; the vector of the
// other operand is loaded once for all of them.

// CHECK-LABEL: func.func @tile
// CHECK-SAME: tg.parallel_extent = 2 : i64
// CHECK: scf.for %[[J:.*]] = %arg3 to %arg4
// CHECK: %[[S:.*]]:3 = scf.for %[[K:.*]] = {{.*}} iter_args(%[[A0:.*]] = %{{.*}}, %[[A1:.*]] = %{{.*}}, %[[A2:.*]] = %{{.*}}) -> (vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: %[[B:.*]] = vector.load
// CHECK: %[[F0:.*]] = math.fma %{{.*}}, %[[B]], %[[A0]]
// CHECK-NOT: vector.load
// CHECK: %[[F1:.*]] = math.fma %{{.*}}, %[[B]], %[[A1]]
// CHECK: %[[F2:.*]] = math.fma %{{.*}}, %[[B]], %[[A2]]
// CHECK: scf.yield %[[F0]], %[[F1]], %[[F2]]
// CHECK: vector.store %[[S]]#0
// CHECK: vector.store %[[S]]#1
// CHECK: vector.store %[[S]]#2
tg.kernel @tile(%o: memref<96xf32>, %a: memref<24xf32>, %b: memref<256xf32>) attributes {outputs = 1 : i64} {
  %jo = tg.range 0 thread 2
  %k = tg.range 1 loop 8
  %i = tg.range 2 unroll 3
  %jv = tg.range 3 upcast 16
  %c8 = tg.const(8 : index) : index
  %c16 = tg.const(16 : index) : index
  %c32 = tg.const(32 : index) : index
  %j0 = tg.mul %jo, %c16 : index
  %j = tg.add %j0, %jv : index
  %ar = tg.mul %i, %c8 : index
  %ai = tg.add %ar, %k : index
  %br = tg.mul %k, %c32 : index
  %bi = tg.add %br, %j : index
  %or = tg.mul %i, %c32 : index
  %oi = tg.add %or, %j : index
  %x = tg.load %a[%ai] : memref<24xf32>
  %y = tg.load %b[%bi] : memref<256xf32>
  %p = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %p over %k : f32
  tg.store %s, %o[%oi] : memref<96xf32>
}

// -----

// Unrolled positions that are reduced get accumulators of their own, which are
// added in a tree; the lanes are added last.

// CHECK-LABEL: func.func @row_sum
// CHECK: %[[S:.*]]:4 = scf.for {{.*}} iter_args
// CHECK-COUNT-4: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK: scf.yield
// CHECK: %[[L:.*]] = arith.addf %[[S]]#0, %[[S]]#1 : vector<16xf32>
// CHECK: %[[R:.*]] = arith.addf %[[S]]#2, %[[S]]#3 : vector<16xf32>
// CHECK: arith.addf %[[L]], %[[R]] : vector<16xf32>
// CHECK: arith.addf %{{.*}} : vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addf %{{.*}} : vector<2xf32>
// CHECK: arith.addf %{{.*}} : vector<1xf32>
// CHECK: %[[E:.*]] = vector.extract %{{.*}}[0]
// CHECK: memref.store %[[E]]
tg.kernel @row_sum(%o: memref<1xf32>, %a: memref<640xf32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 10
  %u = tg.range 1 unroll 4
  %v = tg.range 2 upcast 16
  %c16 = tg.const(16 : index) : index
  %c64 = tg.const(64 : index) : index
  %z = tg.const(0 : index) : index
  %k0 = tg.mul %k, %c64 : index
  %u0 = tg.mul %u, %c16 : index
  %p0 = tg.add %k0, %u0 : index
  %p = tg.add %p0, %v : index
  %x = tg.load %a[%p] : memref<640xf32>
  %s = tg.ranged_reduce add %x over %k, %u, %v : f32
  tg.store %s, %o[%z] : memref<1xf32>
}

// -----

// A tile that fills the registers keeps one accumulator for each result: the
// unrolled positions of k are added one after another.

// CHECK-LABEL: func.func @full_tile
// CHECK: scf.for {{.*}} -> (vector<64xf32>, vector<64xf32>, vector<64xf32>, vector<64xf32>) {
// CHECK-COUNT-8: math.fma
// CHECK-NOT: math.fma
tg.kernel @full_tile(%o: memref<256xf32>, %a: memref<64xf32>, %b: memref<1024xf32>) attributes {outputs = 1 : i64} {
  %ko = tg.range 0 loop 8
  %ku = tg.range 1 unroll 2
  %i = tg.range 2 unroll 4
  %j = tg.range 3 upcast 64
  %c2 = tg.const(2 : index) : index
  %c16 = tg.const(16 : index) : index
  %c64 = tg.const(64 : index) : index
  %k0 = tg.mul %ko, %c2 : index
  %k = tg.add %k0, %ku : index
  %ar = tg.mul %i, %c16 : index
  %ai = tg.add %ar, %k : index
  %br = tg.mul %k, %c64 : index
  %bi = tg.add %br, %j : index
  %or = tg.mul %i, %c64 : index
  %oi = tg.add %or, %j : index
  %x = tg.load %a[%ai] : memref<64xf32>
  %y = tg.load %b[%bi] : memref<1024xf32>
  %p = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %p over %ko, %ku : f32
  tg.store %s, %o[%oi] : memref<256xf32>
}
