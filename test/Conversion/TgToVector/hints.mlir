// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Whole aligned lines of an output are written past the caches; what is read
// again soon is fetched line by line.

// CHECK-LABEL: func.func @stream
// CHECK: vector.load
// CHECK: memref.prefetch
// CHECK: memref.prefetch
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<128xf32>, vector<32xf32>
tg.kernel @stream(%o: memref<128xf32>, %a: memref<128xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %v = tg.range 1 upcast 32
  %c32 = tg.const(32 : index) : index
  %i0 = tg.mul %i, %c32 : index
  %p = tg.add %i0, %v : index
  %x = tg.load %a[%p] prefetch 64 : memref<128xf32>
  tg.store %x, %o[%p] nontemporal : memref<128xf32>
}

// -----

// What is written soon is fetched to be changed, but not where it goes past the
// caches.

// CHECK-LABEL: func.func @write
// CHECK: memref.prefetch {{.*}}, write, locality<3>, data
// CHECK: memref.prefetch {{.*}}, write, locality<3>, data
// CHECK-NOT: memref.prefetch
tg.kernel @write(%o: memref<128xf32>, %p: memref<128xf32>, %a: memref<128xf32>) attributes {outputs = 2 : i64} {
  %i = tg.range 0 loop 4
  %v = tg.range 1 upcast 32
  %c32 = tg.const(32 : index) : index
  %i0 = tg.mul %i, %c32 : index
  %at = tg.add %i0, %v : index
  %x = tg.load %a[%at] : memref<128xf32>
  tg.store %x, %o[%at] prefetch 64 : memref<128xf32>
  tg.store %x, %p[%at] nontemporal prefetch 64 : memref<128xf32>
}

// -----

// Backwards, the lines are whole but not where the vectors begin.

// CHECK-LABEL: func.func @reversed
// CHECK-NOT: nontemporal
tg.kernel @reversed(%o: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %v = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c64 = tg.const(64 : index) : index
  %i0 = tg.mul %i, %c16 : index
  %p = tg.add %i0, %v : index
  %q = tg.sub %c64, %p : index
  %c1 = tg.const(1 : index) : index
  %r = tg.sub %q, %c1 : index
  %x = tg.load %a[%p] : memref<64xf32>
  tg.store %x, %o[%r] nontemporal : memref<64xf32>
}

// -----

// Buffers that are worked on in place may begin anywhere.

// CHECK-LABEL: func.func @in_place
// CHECK-NOT: nontemporal
tg.kernel @in_place(%o: memref<16xf32>) attributes {outputs = 1 : i64, in_place} {
  %v = tg.range 0 upcast 16
  %x = tg.load %o[%v] : memref<16xf32>
  %y = tg.neg %x : f32
  tg.store %y, %o[%v] nontemporal : memref<16xf32>
}

// -----

// Whether rows are short enough for it depends on the variable.

// CHECK-LABEL: func.func @rows
// CHECK: %[[SHORT:.*]] = arith.cmpi ne
// CHECK: scf.if %[[SHORT]]
// CHECK: memref.prefetch
// CHECK: } else {
// CHECK-NOT: memref.prefetch
// CHECK: return
tg.kernel @rows(%o: memref<65536xf32>, %a: memref<65536xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 64
  %j = tg.range 1 loop #tg.var<"n", 1, 64>
  %v = tg.range 2 upcast 16
  %c1024 = tg.const(1024 : index) : index
  %c16 = tg.const(16 : index) : index
  %i0 = tg.mul %i, %c1024 : index
  %j0 = tg.mul %j, %c16 : index
  %q = tg.add %i0, %j0 : index
  %p = tg.add %q, %v : index
  %x = tg.load %a[%p] prefetch 1024 : memref<65536xf32>
  tg.store %x, %o[%p] : memref<65536xf32>
}

// -----

// One element for all lanes is prefetched once a line, before the loop over its
// positions in that line.

// CHECK-LABEL: func.func @broadcast
// CHECK: scf.for
// CHECK: memref.prefetch {{.*}}, read, locality<2>, data
// CHECK: scf.for
// CHECK-NOT: memref.prefetch
// CHECK: return
tg.kernel @broadcast(%o: memref<16xf32>, %a: memref<128xf32>, %b: memref<2048xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 16
  %i = tg.range 1 loop 8
  %j = tg.range 2 loop 16
  %c16 = tg.const(16 : index) : index
  %i0 = tg.mul %i, %c16 : index
  %p = tg.add %i0, %j : index
  %x = tg.load %a[%p] prefetch 64 : memref<128xf32>
  %p0 = tg.mul %p, %c16 : index
  %q = tg.add %p0, %v : index
  %y = tg.load %b[%q] : memref<2048xf32>
  %z = tg.mul %x, %y : f32
  %r = tg.ranged_reduce add %z over %i, %j : f32
  tg.store %r, %o[%v] : memref<16xf32>
}

// -----

// Positions in several lines are left to the hardware.

// CHECK-LABEL: func.func @broadcast_lines
// CHECK-NOT: memref.prefetch
tg.kernel @broadcast_lines(%o: memref<16xf32>, %a: memref<128xf32>, %b: memref<2048xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 16
  %i = tg.range 1 loop 4
  %j = tg.range 2 loop 32
  %c16 = tg.const(16 : index) : index
  %c32 = tg.const(32 : index) : index
  %i0 = tg.mul %i, %c32 : index
  %p = tg.add %i0, %j : index
  %x = tg.load %a[%p] prefetch 64 : memref<128xf32>
  %p0 = tg.mul %p, %c16 : index
  %q = tg.add %p0, %v : index
  %y = tg.load %b[%q] : memref<2048xf32>
  %z = tg.mul %x, %y : f32
  %r = tg.ranged_reduce add %z over %i, %j : f32
  tg.store %r, %o[%v] : memref<16xf32>
}
