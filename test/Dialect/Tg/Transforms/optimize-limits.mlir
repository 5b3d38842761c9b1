// Kernels at the limits of what the dialect allows: ids stay different, sizes
// stay within 64 bits.

// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline="no-opt verify-rewrites" | FileCheck %s --check-prefix=NOOPT

// The ids leave no room for new ones and are counted anew.

// CHECK-LABEL: tg.kernel @ids
// CHECK: tg.range 0 thread 100
// CHECK-NEXT: tg.range 3 upcast 8
// NOOPT-LABEL: tg.kernel @ids
// NOOPT: tg.range 0 thread 100
// NOOPT-NEXT: tg.range 1 loop 5
tg.kernel @ids(%out: memref<700xf32>, %a: memref<100xf32>) attributes {outputs = 1 : i64} {
  %seven = tg.const(7 : index) : index
  %i = tg.range 2147483647 loop 100
  %j = tg.range 5 loop 5
  %x = tg.load %a[%i] : memref<100xf32>
  %k = tg.mul %i, %seven : index
  %l = tg.add %k, %j : index
  tg.store %x, %out[%l] : memref<700xf32>
}

// -----

// Neither merged nor split: 2^60 positions.

// CHECK-LABEL: tg.kernel @positions
// CHECK: tg.range 0 loop 1073741824
// CHECK-NEXT: tg.range 1 loop 1073741824
// CHECK-NEXT: tg.load
tg.kernel @positions(%out: memref<9007199254740992xf32>, %a: memref<1xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %n = tg.const(1073741824 : index) : index
  %i = tg.range 0 loop 1073741824
  %j = tg.range 1 loop 1073741824
  %x = tg.load %a[%zero] : memref<1xf32>
  %k = tg.mul %i, %n : index
  %l = tg.add %k, %j : index
  tg.store %x, %out[%l] : memref<9007199254740992xf32>
}

// -----

// Not merged: one range of 2^60 positions would be too long.

// CHECK-LABEL: tg.kernel @reduce
// CHECK: tg.range 0 loop 1073741824
// CHECK-NEXT: tg.range 1 loop 1073741824
// CHECK: tg.ranged_reduce
tg.kernel @reduce(%out: memref<1xf32>, %a: memref<1xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 0 loop 1073741824
  %j = tg.range 1 loop 1073741824
  %x = tg.load %a[%zero] : memref<1xf32>
  %s = tg.ranged_reduce max %x over %i, %j : f32
  tg.store %s, %out[%zero] : memref<1xf32>
}

// -----

// A reduction over no ranges is its operand.

// CHECK-LABEL: tg.kernel @nothing_reduced
// CHECK: %[[X:.*]] = tg.load
// CHECK-NOT: tg.ranged_reduce
// CHECK: tg.store %[[X]]
tg.kernel @nothing_reduced(%out: memref<1xf32>, %a: memref<1xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %x = tg.load %a[%zero] : memref<1xf32>
  %s = tg.ranged_reduce mul %x over : f32
  tg.store %s, %out[%zero] : memref<1xf32>
}
