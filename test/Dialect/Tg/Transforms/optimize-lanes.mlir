// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --convert-tg-to-vector -o /dev/null
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v3 --tg-optimize-pipeline=verify-rewrites --convert-tg-to-vector -o /dev/null

// Lanes are taken only where the kernel admits them.

// Sums that are added to elements which are found in memory at each position of
// the lanes: their distance is unknown.

// CHECK-LABEL: tg.kernel @scatterSums(
// CHECK-SAME: scheduled = [
// CHECK-NOT: split [1]
// CHECK: tg.range 1 {{loop|thread}} 16
// CHECK: update add
tg.kernel @scatterSums(%out: memref<64xf32>, %positions: memref<64xi32>, %a: memref<64xf32>, %b: memref<128xf32>) attributes {in_place, outputs = 1 : i64} {
  %none = tg.const(-1 : index) : index
  %c4 = tg.const(4 : index) : index
  %c16 = tg.const(16 : index) : index
  %j = tg.range 1 loop 16
  %i = tg.range 2 loop 4
  %k = tg.range 3 loop 8
  %0 = tg.mul %k, %c16 : index
  %1 = tg.add %0, %j : index
  %y = tg.load %b[%1] : memref<128xf32>
  %sum = tg.ranged_reduce add %y over %k : f32
  %2 = tg.mul %i, %c16 : index
  %3 = tg.add %2, %j : index
  %x = tg.load %a[%3] : memref<64xf32>
  %z = tg.mul %x, %sum : f32
  %number = tg.load %positions[%3] : memref<64xi32>
  %p = tg.cast %number : i32 -> index
  %m0 = tg.cmplt %none, %p : index
  %m1 = tg.cmplt %p, %c4 : index
  %m = tg.and %m0, %m1 : i1
  %4 = tg.mul %p, %c16 : index
  %5 = tg.add %4, %j : index
  tg.store %z, %out[%5] mask %m update add over %i : memref<64xf32>
}

// -----

// Where the position is the same for all lanes, they are neighbors.

// CHECK-LABEL: tg.kernel @scatterRows(
// CHECK: tg.range {{[0-9]+}} upcast 16
// CHECK: update add
tg.kernel @scatterRows(%out: memref<64xf32>, %positions: memref<4xi32>, %a: memref<64xf32>, %b: memref<128xf32>) attributes {in_place, outputs = 1 : i64} {
  %none = tg.const(-1 : index) : index
  %c4 = tg.const(4 : index) : index
  %c16 = tg.const(16 : index) : index
  %j = tg.range 1 loop 16
  %i = tg.range 2 loop 4
  %k = tg.range 3 loop 8
  %0 = tg.mul %k, %c16 : index
  %1 = tg.add %0, %j : index
  %y = tg.load %b[%1] : memref<128xf32>
  %sum = tg.ranged_reduce add %y over %k : f32
  %2 = tg.mul %i, %c16 : index
  %3 = tg.add %2, %j : index
  %x = tg.load %a[%3] : memref<64xf32>
  %z = tg.mul %x, %sum : f32
  %number = tg.load %positions[%i] : memref<4xi32>
  %p = tg.cast %number : i32 -> index
  %m0 = tg.cmplt %none, %p : index
  %m1 = tg.cmplt %p, %c4 : index
  %m = tg.and %m0, %m1 : i1
  %4 = tg.mul %p, %c16 : index
  %5 = tg.add %4, %j : index
  tg.store %z, %out[%5] mask %m update add over %i : memref<64xf32>
}

// -----

// A softmax, whose exponentials are kept in a tile that is filled with lanes,
// and sums that are contiguous along the other range of the result: lanes along
// that would be in the tile, too.

// CHECK-LABEL: tg.kernel @softmaxAndSum(
// CHECK-SAME: stage exp2
// CHECK-NOT: split [0]
// CHECK: tg.range 0 {{loop|thread}} 16
// CHECK: tg.stage
tg.kernel @softmaxAndSum(%out: memref<256xf32>, %x: memref<256xf32>, %a: memref<2048xf32>) attributes {outputs = 1 : i64} {
  %c16 = tg.const(16 : index) : index
  %c256 = tg.const(256 : index) : index
  %i = tg.range 0 loop 16
  %j = tg.range 1 loop 16
  %k = tg.range 2 loop 16
  %q = tg.range 3 loop 8
  %row = tg.mul %i, %c16 : index
  %at = tg.add %row, %j : index
  %x0 = tg.load %x[%at] : memref<256xf32>
  %e0 = tg.exp2 %x0 : f32
  %atk = tg.add %row, %k : index
  %x1 = tg.load %x[%atk] : memref<256xf32>
  %e1 = tg.exp2 %x1 : f32
  %s = tg.ranged_reduce add %e1 over %k : f32
  %p = tg.fdiv %e0, %s : f32
  %0 = tg.mul %q, %c256 : index
  %1 = tg.mul %j, %c16 : index
  %2 = tg.add %0, %1 : index
  %3 = tg.add %2, %i : index
  %y = tg.load %a[%3] : memref<2048xf32>
  %sum = tg.ranged_reduce add %y over %q : f32
  %r = tg.add %p, %sum : f32
  tg.store %r, %out[%at] : memref<256xf32>
}
