// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// A tile is filled where what it depends on is known, and before it is read.

// CHECK-LABEL: func.func @transpose
// CHECK: %[[T:.*]] = memref.alloca() {alignment = 64 : i64} : memref<256xf32>
// CHECK: scf.for %{{.*}} = %arg2 to %arg3
// CHECK: scf.for
// CHECK: %[[X:.*]] = vector.load %arg1
// CHECK: vector.store %[[X]], %[[T]]
// CHECK: }
// CHECK: scf.for
// CHECK-COUNT-16: memref.load %[[T]]
// CHECK: vector.store %{{.*}}, %arg0
tg.kernel @transpose(%o: memref<512xf32>, %a: memref<512xf32>) attributes {outputs = 1 : i64} {
  %b = tg.range 0 thread 2
  %x = tg.range 1 loop 16
  %y = tg.range 2 upcast 16
  %i = tg.range 3 loop 16
  %j = tg.range 4 upcast 16
  %c16 = tg.const(16 : index) : index
  %c256 = tg.const(256 : index) : index
  %base = tg.mul %b, %c256 : index
  %x0 = tg.mul %x, %c16 : index
  %x1 = tg.add %x0, %y : index
  %xi = tg.add %base, %x1 : index
  %v = tg.load %a[%xi] : memref<512xf32>
  %t = tg.stage %v over %x, %y : memref<256xf32>
  %s = tg.barrier %t : memref<256xf32>
  %j0 = tg.mul %j, %c16 : index
  %ti = tg.add %j0, %i : index
  %w = tg.load %s[%ti] : memref<256xf32>
  %o0 = tg.mul %i, %c16 : index
  %o1 = tg.add %o0, %j : index
  %oi = tg.add %base, %o1 : index
  tg.store %w, %o[%oi] : memref<512xf32>
}

// -----

// What a tile holds is kept for the next work item where that needs the same.

// CHECK-LABEL: func.func @kept
// CHECK: scf.for %[[ITEM:.*]] = %arg2 to %arg3
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ITEM]], %arg2
// CHECK: %[[REST:.*]] = arith.remui %[[ITEM]], %c3
// CHECK: %[[NEXT:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: %[[NEW:.*]] = arith.ori %[[FIRST]], %[[NEXT]]
// CHECK: scf.if %[[NEW]] {
// CHECK: memref.load %arg1
// CHECK: }
// CHECK: memref.store {{.*}}, %arg0
tg.kernel @kept(%o: memref<96xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %b = tg.range 0 thread 2
  %r = tg.range 1 thread 3
  %x = tg.range 2 loop 16
  %i = tg.range 3 loop 16
  %c16 = tg.const(16 : index) : index
  %c3 = tg.const(3 : index) : index
  %b0 = tg.mul %b, %c16 : index
  %xi = tg.add %b0, %x : index
  %v = tg.load %a[%xi] : memref<32xf32>
  %t = tg.stage %v over %x : memref<16xf32>
  %s = tg.barrier %t : memref<16xf32>
  %w = tg.load %s[%i] : memref<16xf32>
  %o0 = tg.mul %b, %c3 : index
  %o1 = tg.add %o0, %r : index
  %o2 = tg.mul %o1, %c16 : index
  %oi = tg.add %o2, %i : index
  tg.store %w, %o[%oi] : memref<96xf32>
}

// -----

// So it is in each part of a peeled range on which the tile depends: both parts
// use the same memory, which each fills at its first item.

// CHECK-LABEL: func.func @kept_in_parts
// CHECK: %[[T:.*]] = memref.alloca() {{.*}} : memref<16xf32>
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[ITEM:.*]] = %arg2 to %arg3
// CHECK: scf.if {{.*}} {
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ITEM]], %arg2
// CHECK: %[[REST:.*]] = arith.remui %[[ITEM]], %c3
// CHECK: %[[NEXT:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: %[[NEW:.*]] = arith.ori %[[FIRST]], %[[NEXT]]
// CHECK: scf.if %[[NEW]] {
// CHECK: memref.store {{.*}}, %[[T]]
// CHECK: }
// CHECK: memref.load %[[T]]
// CHECK: } else {
// CHECK: %[[NEW:.*]] = arith.ori
// CHECK: scf.if %[[NEW]] {
// CHECK: memref.store {{.*}}, %[[T]]
// CHECK: }
// CHECK: memref.load %[[T]]
tg.kernel @kept_in_parts(%o: memref<96xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %b = tg.range 0 thread 2 peel 1
  %r = tg.range 1 thread 3
  %x = tg.range 2 loop 16
  %i = tg.range 3 loop 16
  %c16 = tg.const(16 : index) : index
  %c3 = tg.const(3 : index) : index
  %b0 = tg.mul %b, %c16 : index
  %xi = tg.add %b0, %x : index
  %v = tg.load %a[%xi] : memref<32xf32>
  %t = tg.stage %v over %x : memref<16xf32>
  %s = tg.barrier %t : memref<16xf32>
  %w = tg.load %s[%i] : memref<16xf32>
  %o0 = tg.mul %b, %c3 : index
  %o1 = tg.add %o0, %r : index
  %o2 = tg.mul %o1, %c16 : index
  %oi = tg.add %o2, %i : index
  tg.store %w, %o[%oi] : memref<96xf32>
}

// -----

// A tile that depends on the innermost of the peeled ranges changes with each
// item, and one of a kernel that works in place may be overwritten.

// CHECK-LABEL: func.func @new_in_parts
// CHECK-NOT: arith.ori
// CHECK: return
tg.kernel @new_in_parts(%o: memref<96xf32>, %a: memref<48xf32>) attributes {outputs = 1 : i64} {
  %b = tg.range 0 thread 2 peel 1
  %r = tg.range 1 thread 3 peel 1
  %x = tg.range 2 loop 16
  %i = tg.range 3 loop 16
  %c16 = tg.const(16 : index) : index
  %c3 = tg.const(3 : index) : index
  %r0 = tg.mul %r, %c16 : index
  %xi = tg.add %r0, %x : index
  %v = tg.load %a[%xi] : memref<48xf32>
  %t = tg.stage %v over %x : memref<16xf32>
  %s = tg.barrier %t : memref<16xf32>
  %w = tg.load %s[%i] : memref<16xf32>
  %o0 = tg.mul %b, %c3 : index
  %o1 = tg.add %o0, %r : index
  %o2 = tg.mul %o1, %c16 : index
  %oi = tg.add %o2, %i : index
  tg.store %w, %o[%oi] : memref<96xf32>
}

// CHECK-LABEL: func.func @in_place_parts
// CHECK-NOT: arith.ori
// CHECK: return
tg.kernel @in_place_parts(%o: memref<96xf32>, %a: memref<32xf32>) attributes {in_place, outputs = 1 : i64} {
  %b = tg.range 0 thread 2 peel 1
  %r = tg.range 1 thread 3
  %x = tg.range 2 loop 16
  %i = tg.range 3 loop 16
  %c16 = tg.const(16 : index) : index
  %c3 = tg.const(3 : index) : index
  %b0 = tg.mul %b, %c16 : index
  %xi = tg.add %b0, %x : index
  %v = tg.load %a[%xi] : memref<32xf32>
  %t = tg.stage %v over %x : memref<16xf32>
  %s = tg.barrier %t : memref<16xf32>
  %w = tg.load %s[%i] : memref<16xf32>
  %o0 = tg.mul %b, %c3 : index
  %o1 = tg.add %o0, %r : index
  %o2 = tg.mul %o1, %c16 : index
  %oi = tg.add %o2, %i : index
  tg.store %w, %o[%oi] : memref<96xf32>
}

// -----

// Large tiles come from the heap.

// CHECK-LABEL: func.func @large
// CHECK: %[[T:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1000000xf32>
// CHECK: memref.dealloc %[[T]]
// CHECK-NEXT: return
tg.kernel @large(%o: memref<1000000xf32>, %a: memref<1000000xf32>) attributes {outputs = 1 : i64} {
  %x = tg.range 0 loop 1000000
  %i = tg.range 1 loop 1000000
  %v = tg.load %a[%x] : memref<1000000xf32>
  %t = tg.stage %v over %x : memref<1000000xf32>
  %s = tg.barrier %t : memref<1000000xf32>
  %w = tg.load %s[%i] : memref<1000000xf32>
  tg.store %w, %o[%i] : memref<1000000xf32>
}

// -----

// The two parts of a peeled range use the same memory, one after the other.

// CHECK-LABEL: func.func @parts
// CHECK-COUNT-1: memref.alloca
// CHECK-NOT: memref.alloca
tg.kernel @parts(%o: memref<48xf32>, %a: memref<48xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 3 peel 1
  %j = tg.range 1 loop 16
  %k = tg.range 2 loop 16
  %c16 = tg.const(16 : index) : index
  %c15 = tg.const(15 : index) : index
  %row = tg.mul %i, %c16 : index
  %p = tg.add %row, %j : index
  %x = tg.load %a[%p] : memref<48xf32>
  %t = tg.stage %x over %j : memref<16xf32>
  %b = tg.barrier %t : memref<16xf32>
  %r = tg.sub %c15, %k : index
  %y = tg.load %b[%r] : memref<16xf32>
  %q = tg.add %row, %k : index
  tg.store %y, %o[%q] : memref<48xf32>
}

// -----

// One thread runs all items of a group, so that its tile is the thread's.

// CHECK-LABEL: func.func @group
// CHECK: %[[T:.*]] = memref.alloca() {{.*}} : memref<16xf32>
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[T]]
// CHECK: scf.for
// CHECK: memref.load %[[T]]
tg.kernel @group(%o: memref<48xf32>, %a: memref<48xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 3
  %j = tg.range 1 local 16
  %k = tg.range 2 local 16
  %c16 = tg.const(16 : index) : index
  %c15 = tg.const(15 : index) : index
  %row = tg.mul %i, %c16 : index
  %p = tg.add %row, %j : index
  %x = tg.load %a[%p] : memref<48xf32>
  %t = tg.stage %x over %j in group : memref<16xf32>
  %b = tg.barrier %t : memref<16xf32>
  %r = tg.sub %c15, %k : index
  %y = tg.load %b[%r] : memref<16xf32>
  %q = tg.add %row, %k : index
  tg.store %y, %o[%q] : memref<48xf32>
}
