// RUN: tg-test-opt %s -split-input-file --test-convert-tg-to-items | FileCheck %s

// What convert-tg-to-vector and other code generators share, as a second one
// uses it: here a function runs one work item of a group.

// Ranges of groups and of items are digits of the two numbers. A group's tile
// is filled by each item at its own position; an item's, by a loop.
// CHECK-LABEL: func.func @tiles(
// CHECK-SAME: %[[OUT:[a-z0-9]+]]: memref<64xf32>, %[[A:[a-z0-9]+]]: memref<64xf32>,
// CHECK-SAME: %[[SHARED:[a-z0-9]+]]: memref<16xf32, 3>, %[[GROUP:[a-z0-9]+]]: index, %[[ITEM:[a-z0-9]+]]: index)
// CHECK: %[[ROW:.*]] = arith.muli %[[GROUP]],
// CHECK: %[[AT:.*]] = arith.addi %[[ROW]], %[[ITEM]]
// CHECK: %[[OWN:.*]] = memref.alloca() : memref<4xf32>
// CHECK: %[[X:.*]] = memref.load %[[A]][%[[AT]]]
// CHECK: memref.store %[[X]], %[[SHARED]][%[[ITEM]]] : memref<16xf32, 3>
// CHECK-NEXT: call @barrier()
// CHECK: scf.for %[[K:.*]] =
// CHECK: memref.store %{{.*}}, %[[OWN]][%[[K]]]
// CHECK-NOT: call @barrier
// CHECK: memref.load %[[OWN]][
// CHECK: return
tg.kernel @tiles(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %g = tg.range 0 global 4
  %i = tg.range 1 local 16
  %k = tg.range 2 loop 4
  %n = tg.const(16 : index) : index
  %row = tg.mul %g, %n : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %t = tg.stage %x over %i in group : memref<16xf32, 3>
  %b = tg.barrier %t : memref<16xf32, 3>
  %last = tg.const(15 : index) : index
  %other = tg.sub %last, %i : index
  %y = tg.load %b[%other] : memref<16xf32, 3>
  %number = tg.cast %k : index -> i32
  %scale = tg.cast %number : i32 -> f32
  %z = tg.mul %y, %scale : f32
  %own = tg.stage %z over %k : memref<4xf32>
  %c = tg.barrier %own : memref<4xf32>
  %j = tg.range 3 loop 4
  %w = tg.load %c[%j] : memref<4xf32>
  %s = tg.ranged_reduce add %w over %j : f32
  tg.store %s, %out[%at] : memref<64xf32>
}

// -----

// f16 and bf16 are floats in memory and in registers, computed with in f32.
// CHECK-LABEL: func.func @narrow(
// CHECK-SAME: memref<8xbf16>, %{{.*}}: memref<8xf16>
// CHECK: %[[X:.*]] = memref.load %{{.*}} : memref<8xf16>
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
// CHECK-NEXT: %[[ROOT:.*]] = math.sqrt %[[WIDE]] : f32
// CHECK-NEXT: %[[HALF:.*]] = arith.truncf %[[ROOT]] : f32 to f16
// CHECK-NEXT: %[[NEG:.*]] = arith.negf %[[HALF]] : f16
// CHECK-NEXT: %[[BACK:.*]] = arith.extf %[[NEG]] : f16 to f32
// CHECK-NEXT: %[[BRAIN:.*]] = arith.truncf %[[BACK]] : f32 to bf16
// CHECK-NEXT: memref.store %[[BRAIN]], %{{.*}} : memref<8xbf16>
tg.kernel @narrow(%out: memref<8xbf16>, %a: memref<8xf16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %x = tg.load %a[%i] : memref<8xf16>
  %y = tg.sqrt %x : f16
  %z = tg.neg %y : f16
  %w = tg.cast %z : f16 -> bf16
  tg.store %w, %out[%i] : memref<8xbf16>
}

// -----

// The 8-bit floats stay bits.
// CHECK-LABEL: func.func @fp8(
// CHECK-SAME: memref<8xf32>, %{{.*}}: memref<8xi8>
tg.kernel @fp8(%out: memref<8xf32>, %a: memref<8xf8E4M3FN>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %x = tg.load %a[%i] : memref<8xf8E4M3FN>
  %y = tg.cast %x : f8E4M3FN -> f32
  tg.store %y, %out[%i] : memref<8xf32>
}
