// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --tg-optimize-pipeline=verify-rewrites | FileCheck %s

// A convolution is a product of matrices: 64 channels by the 196 pixels of an
// image, of which a row would be too short for a block. Blocks of both factors
// are tiles of the group, filled ahead in one loop over four blocks of channels
// and the nine positions of the window.

// CHECK-LABEL: tg.kernel @convolution
// CHECK: tg.range {{.*}} global 4
// CHECK: tg.range {{.*}} loop 36
// CHECK: tg.range {{.*}} unroll 16
// CHECK-DAG: tg.floordiv
// CHECK-DAG: tg.floormod
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<1024xf32>
// CHECK: tg.stage {{.*}} in group buffers 3 : memref<1024xf32>
tg.kernel @convolution(%out: memref<12544xf32>, %image: memref<12544xf32>, %weights: memref<36864xf32>) attributes {outputs = 1 : i64} {
  %c64 = tg.const(64 : index) : index
  %c3 = tg.const(3 : index) : index
  %corner = tg.const(-15 : index) : index
  %c14 = tg.const(14 : index) : index
  %c15 = tg.const(15 : index) : index
  %c0 = tg.const(0 : index) : index
  %o = tg.range 0 loop 64
  %y = tg.range 1 loop 14
  %x = tg.range 2 loop 14
  %i = tg.range 3 loop 64
  %dy = tg.range 4 loop 3
  %dx = tg.range 5 loop 3
  %ys = tg.add %y, %dy : index
  %0 = tg.cmplt %c0, %ys : index
  %1 = tg.cmplt %ys, %c15 : index
  %2 = tg.and %0, %1 : i1
  %xs = tg.add %x, %dx : index
  %3 = tg.cmplt %c0, %xs : index
  %4 = tg.and %2, %3 : i1
  %5 = tg.cmplt %xs, %c15 : index
  %inside = tg.and %4, %5 : i1
  %6 = tg.mul %i, %c14 : index
  %7 = tg.add %ys, %6 : index
  %8 = tg.mul %7, %c14 : index
  %9 = tg.add %xs, %8 : index
  %at = tg.add %9, %corner : index
  %pixel = tg.load %image[%at] mask %inside : memref<12544xf32>
  %10 = tg.mul %o, %c64 : index
  %11 = tg.add %i, %10 : index
  %12 = tg.mul %11, %c3 : index
  %13 = tg.add %dy, %12 : index
  %14 = tg.mul %13, %c3 : index
  %15 = tg.add %dx, %14 : index
  %weight = tg.load %weights[%15] : memref<36864xf32>
  %product = tg.mul %pixel, %weight : f32
  %sum = tg.ranged_reduce add %product over %i, %dy, %dx : f32
  %16 = tg.mul %o, %c14 : index
  %17 = tg.add %y, %16 : index
  %18 = tg.mul %17, %c14 : index
  %19 = tg.add %x, %18 : index
  tg.store %sum, %out[%19] : memref<12544xf32>
}

// -----

// The same on matrix units, which take f16. The depth is the innermost loop.

// CHECK-LABEL: tg.kernel @convolution_f16
// CHECK: tg.range {{.*}} loop 2
// CHECK: tg.range {{.*}} loop 3
// CHECK: tg.range {{.*}} loop 3
// CHECK: %[[DEPTH:.*]] = tg.range {{.*}} loop 16
// CHECK: tg.stage {{.*}} in group
// CHECK: tg.stage {{.*}} in group
// CHECK: tg.ranged_reduce add {{.*}} over {{.*}}, %[[DEPTH]] on "mma_m16n8k16_f16"
tg.kernel @convolution_f16(%out: memref<12544xf16>, %image: memref<12544xf16>, %weights: memref<36864xf16>) attributes {outputs = 1 : i64} {
  %c64 = tg.const(64 : index) : index
  %c3 = tg.const(3 : index) : index
  %corner = tg.const(-15 : index) : index
  %c14 = tg.const(14 : index) : index
  %c15 = tg.const(15 : index) : index
  %c0 = tg.const(0 : index) : index
  %o = tg.range 0 loop 64
  %y = tg.range 1 loop 14
  %x = tg.range 2 loop 14
  %i = tg.range 3 loop 64
  %dy = tg.range 4 loop 3
  %dx = tg.range 5 loop 3
  %ys = tg.add %y, %dy : index
  %0 = tg.cmplt %c0, %ys : index
  %1 = tg.cmplt %ys, %c15 : index
  %2 = tg.and %0, %1 : i1
  %xs = tg.add %x, %dx : index
  %3 = tg.cmplt %c0, %xs : index
  %4 = tg.and %2, %3 : i1
  %5 = tg.cmplt %xs, %c15 : index
  %inside = tg.and %4, %5 : i1
  %6 = tg.mul %i, %c14 : index
  %7 = tg.add %ys, %6 : index
  %8 = tg.mul %7, %c14 : index
  %9 = tg.add %xs, %8 : index
  %at = tg.add %9, %corner : index
  %pixel = tg.load %image[%at] mask %inside : memref<12544xf16>
  %wide = tg.cast %pixel : f16 -> f32
  %10 = tg.mul %o, %c64 : index
  %11 = tg.add %i, %10 : index
  %12 = tg.mul %11, %c3 : index
  %13 = tg.add %dy, %12 : index
  %14 = tg.mul %13, %c3 : index
  %15 = tg.add %dx, %14 : index
  %weight = tg.load %weights[%15] : memref<36864xf16>
  %factor = tg.cast %weight : f16 -> f32
  %product = tg.mul %wide, %factor : f32
  %sum = tg.ranged_reduce add %product over %i, %dy, %dx : f32
  %16 = tg.mul %o, %c14 : index
  %17 = tg.add %y, %16 : index
  %18 = tg.mul %17, %c14 : index
  %19 = tg.add %x, %18 : index
  %rounded = tg.cast %sum : f32 -> f16
  tg.store %rounded, %out[%19] : memref<12544xf16>
}

// -----

// Each channel has weights of its own, so that there is no product of matrices:
// nothing is merged.

// CHECK-LABEL: tg.kernel @depthwise
// CHECK-NOT: tg.floordiv
// CHECK-NOT: tg.stage
tg.kernel @depthwise(%out: memref<9216xf32>, %image: memref<12544xf32>, %weights: memref<576xf32>) attributes {outputs = 1 : i64} {
  %c3 = tg.const(3 : index) : index
  %c12 = tg.const(12 : index) : index
  %c14 = tg.const(14 : index) : index
  %o = tg.range 0 loop 64
  %y = tg.range 1 loop 12
  %x = tg.range 2 loop 12
  %dy = tg.range 3 loop 3
  %dx = tg.range 4 loop 3
  %ys = tg.add %y, %dy : index
  %xs = tg.add %x, %dx : index
  %6 = tg.mul %o, %c14 : index
  %7 = tg.add %ys, %6 : index
  %8 = tg.mul %7, %c14 : index
  %at = tg.add %xs, %8 : index
  %pixel = tg.load %image[%at] : memref<12544xf32>
  %12 = tg.mul %o, %c3 : index
  %13 = tg.add %dy, %12 : index
  %14 = tg.mul %13, %c3 : index
  %15 = tg.add %dx, %14 : index
  %weight = tg.load %weights[%15] : memref<576xf32>
  %product = tg.mul %pixel, %weight : f32
  %sum = tg.ranged_reduce add %product over %dy, %dx : f32
  %16 = tg.mul %o, %c12 : index
  %17 = tg.add %y, %16 : index
  %18 = tg.mul %17, %c12 : index
  %19 = tg.add %x, %18 : index
  tg.store %sum, %out[%19] : memref<9216xf32>
}

// -----

// The rows of a product with few columns are not pixels of its columns.

// CHECK-LABEL: tg.kernel @narrow
// CHECK-NOT: tg.floordiv
// CHECK-NOT: tg.stage
tg.kernel @narrow(%out: memref<1024xf32>, %a: memref<8192xf32>, %b: memref<512xf32>) attributes {outputs = 1 : i64} {
  %c8 = tg.const(8 : index) : index
  %c64 = tg.const(64 : index) : index
  %i = tg.range 0 loop 128
  %j = tg.range 1 loop 8
  %k = tg.range 2 loop 64
  %0 = tg.mul %i, %c64 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<8192xf32>
  %2 = tg.mul %k, %c8 : index
  %3 = tg.add %2, %j : index
  %y = tg.load %b[%3] : memref<512xf32>
  %p = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %p over %k : f32
  %4 = tg.mul %i, %c8 : index
  %5 = tg.add %4, %j : index
  tg.store %s, %out[%5] : memref<1024xf32>
}
