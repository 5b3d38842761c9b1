// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v3 --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefix=V256
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline="no-opt verify-rewrites" | FileCheck %s --check-prefix=NOOPT
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Contiguous ranges are one, of which two registers at once are lanes; without
// optimization nothing is merged and nothing a vector.

// CHECK-LABEL: tg.kernel @E_1000_64
// CHECK: tg.range {{.*}} thread 2000
// CHECK-NEXT: tg.range {{.*}} upcast 32
// CHECK-NOT: tg.range
// CHECK-NOT: mask
// V256-LABEL: tg.kernel @E_1000_64
// V256: tg.range {{.*}} thread 4000
// V256-NEXT: tg.range {{.*}} upcast 16
// NOOPT-LABEL: tg.kernel @E_1000_64
// NOOPT: tg.range 0 thread 1000
// NOOPT-NEXT: tg.range 1 loop 64
// NOOPT-NOT: upcast
// REMARK: remark: {{.*}}E_1000_64{{.*}}upcast range {{[0-9]+}} by 32
tg.kernel @E_1000_64_n0(%arg0: memref<64000xf32>, %arg1: memref<64000xf32>, %arg2: memref<64000xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.range 0 loop 1000
  %2 = tg.range 1 loop 64
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<64000xf32>
  %6 = tg.load %arg2[%4] : memref<64000xf32>
  %7 = tg.add %5, %6 : f32
  tg.store %7, %arg0[%4] : memref<64000xf32>
}

// -----

// What does not divide masks its last position, which is peeled.

// CHECK-LABEL: tg.kernel @E_1001
// CHECK: tg.range {{.*}} thread 32 peel 1
// CHECK-NEXT: tg.range {{.*}} upcast 32
// CHECK: tg.load {{.*}} mask
// CHECK: tg.store {{.*}} mask
tg.kernel @E_1001_n0(%arg0: memref<1001xf32>, %arg1: memref<1001xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 1001
  %1 = tg.load %arg1[%0] : memref<1001xf32>
  %2 = tg.neg %1 : f32
  tg.store %2, %arg0[%0] : memref<1001xf32>
}

// -----

// A row is reduced in lanes, several registers wide; each row is a work item.

// CHECK-LABEL: tg.kernel @r_256_512
// CHECK: tg.range {{.*}} thread 256
// CHECK-NEXT: tg.range {{.*}} loop 8
// CHECK-NEXT: tg.range {{.*}} upcast 64
// CHECK: tg.ranged_reduce
tg.kernel @r_256_512_n0(%arg0: memref<256xf32>, %arg1: memref<131072xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(512 : index) : index
  %1 = tg.range 0 loop 256
  %2 = tg.range 1 loop 512
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<131072xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<256xf32>
}

// -----

// A register tile: rows unrolled, columns in lanes. B is small enough for the
// first-level cache, and no tile of it is made.

// CHECK-LABEL: tg.kernel @r_64_64_64
// CHECK: tg.range {{.*}} unroll [[ROWS:[4-8]]]
// CHECK: tg.range {{.*}} upcast
// CHECK: tg.range {{.*}} loop 64
// CHECK-NOT: tg.stage
// CHECK: tg.ranged_reduce
tg.kernel @r_64_64_64_n0(%arg0: memref<4096xf32>, %arg1: memref<4096xf32>, %arg2: memref<4096xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.range 0 loop 64
  %2 = tg.range 1 loop 64
  %3 = tg.range 2 loop 64
  %4 = tg.mul %1, %0 : index
  %5 = tg.add %4, %3 : index
  %6 = tg.load %arg1[%5] : memref<4096xf32>
  %7 = tg.mul %3, %0 : index
  %8 = tg.add %2, %7 : index
  %9 = tg.load %arg2[%8] : memref<4096xf32>
  %10 = tg.mul %6, %9 : f32
  %11 = tg.ranged_reduce add %10 over %3 : f32
  %12 = tg.add %2, %4 : index
  tg.store %11, %arg0[%12] : memref<4096xf32>
}

// -----

// The rows of a larger B lie on different pages: its columns are staged.

// CHECK-LABEL: tg.kernel @r_1024_1024_1024
// CHECK: tg.range {{.*}} thread
// CHECK: tg.range {{.*}} unroll
// CHECK: tg.stage
// CHECK: tg.ranged_reduce
// REMARK: remark: {{.*}}r_1024_1024_1024{{.*}}stage range
tg.kernel @r_1024_1024_1024_n0(%arg0: memref<1048576xf32>, %arg1: memref<1048576xf32>, %arg2: memref<1048576xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(1024 : index) : index
  %1 = tg.range 0 loop 1024
  %2 = tg.range 1 loop 1024
  %3 = tg.range 2 loop 1024
  %4 = tg.mul %1, %0 : index
  %5 = tg.add %4, %3 : index
  %6 = tg.load %arg1[%5] : memref<1048576xf32>
  %7 = tg.mul %3, %0 : index
  %8 = tg.add %2, %7 : index
  %9 = tg.load %arg2[%8] : memref<1048576xf32>
  %10 = tg.mul %6, %9 : f32
  %11 = tg.ranged_reduce add %10 over %3 : f32
  %12 = tg.add %2, %4 : index
  tg.store %11, %arg0[%12] : memref<1048576xf32>
}

// -----

// The window of a padded convolution is unrolled, so that its masks are known
// outside of the loop over the channels, which stays one.

// CHECK-LABEL: tg.kernel @r_8_32_16_3
// CHECK: tg.range {{.*}} loop 16
// CHECK-NEXT: tg.range {{.*}} unroll 3
// CHECK: tg.ranged_reduce
tg.kernel @r_8_32_16_3_n0(%arg0: memref<256xf32>, %arg1: memref<512xf32>, %arg2: memref<384xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(16 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(-1 : index) : index
  %3 = tg.const(32 : index) : index
  %4 = tg.const(33 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 8
  %7 = tg.range 1 loop 32
  %8 = tg.range 2 loop 16
  %9 = tg.range 3 loop 3
  %10 = tg.add %7, %9 : index
  %11 = tg.cmplt %5, %10 : index
  %12 = tg.cmplt %10, %4 : index
  %13 = tg.and %11, %12 : i1
  %14 = tg.mul %8, %3 : index
  %15 = tg.add %10, %14 : index
  %16 = tg.add %15, %2 : index
  %17 = tg.load %arg1[%16] mask %13 : memref<512xf32>
  %18 = tg.mul %6, %0 : index
  %19 = tg.add %8, %18 : index
  %20 = tg.mul %19, %1 : index
  %21 = tg.add %9, %20 : index
  %22 = tg.load %arg2[%21] : memref<384xf32>
  %23 = tg.mul %17, %22 : f32
  %24 = tg.ranged_reduce add %23 over %8, %9 : f32
  %25 = tg.mul %6, %3 : index
  %26 = tg.add %7, %25 : index
  tg.store %24, %arg0[%26] : memref<256xf32>
}

// -----

// A transposition goes in squares of registers: as many rows unrolled as there
// are lanes.

// CHECK-LABEL: tg.kernel @E_256_128
// CHECK: tg.range {{.*}} thread 4
// CHECK-NEXT: tg.range {{.*}} thread 8
// CHECK-NEXT: tg.range {{.*}} thread 4
// CHECK-NEXT: tg.range {{.*}} unroll 16
// CHECK-NEXT: tg.range {{.*}} upcast 16
// V256-LABEL: tg.kernel @E_256_128
// V256: tg.range {{.*}} unroll 8
// V256-NEXT: tg.range {{.*}} upcast 8
// REMARK: remark: {{.*}}E_256_128{{.*}}block range
tg.kernel @E_256_128_n0(%arg0: memref<32768xf32>, %arg1: memref<32768xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(128 : index) : index
  %1 = tg.const(256 : index) : index
  %2 = tg.range 0 loop 256
  %3 = tg.range 1 loop 128
  %4 = tg.mul %3, %1 : index
  %5 = tg.add %4, %2 : index
  %6 = tg.load %arg1[%5] : memref<32768xf32>
  %7 = tg.mul %2, %0 : index
  %8 = tg.add %3, %7 : index
  tg.store %6, %arg0[%8] : memref<32768xf32>
}

// -----

// The exponentials that the sum needs are kept for the quotient.

// CHECK-LABEL: tg.kernel @r_64_256
// CHECK-COUNT-1: tg.exp2
// CHECK: tg.stage
// CHECK-NOT: tg.exp2
tg.kernel @r_64_256_256_n0(%arg0: memref<16384xf32>, %arg1: memref<16384xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(256 : index) : index
  %1 = tg.range 0 loop 64
  %2 = tg.range 1 loop 256
  %3 = tg.range 2 loop 256
  %4 = tg.mul %1, %0 : index
  %5 = tg.add %2, %4 : index
  %6 = tg.load %arg1[%5] : memref<16384xf32>
  %7 = tg.exp2 %6 : f32
  %8 = tg.add %4, %3 : index
  %9 = tg.load %arg1[%8] : memref<16384xf32>
  %10 = tg.exp2 %9 : f32
  %11 = tg.ranged_reduce add %10 over %3 : f32
  %12 = tg.fdiv %7, %11 : f32
  tg.store %12, %arg0[%5] : memref<16384xf32>
}

// -----

// Results of 16 MiB are written past the caches, those of half the size not.

// CHECK-LABEL: tg.kernel @E_4194304
// CHECK: tg.store {{.*}} nontemporal
// CHECK-LABEL: tg.kernel @E_2097152
// CHECK-NOT: nontemporal
tg.kernel @E_4194304_n0(%arg0: memref<4194304xf32>, %arg1: memref<4194304xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 4194304
  %1 = tg.load %arg1[%0] : memref<4194304xf32>
  %2 = tg.neg %1 : f32
  tg.store %2, %arg0[%0] : memref<4194304xf32>
}

tg.kernel @E_2097152_n1(%arg0: memref<2097152xf32>, %arg1: memref<2097152xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 2097152
  %1 = tg.load %arg1[%0] : memref<2097152xf32>
  %2 = tg.neg %1 : f32
  tg.store %2, %arg0[%0] : memref<2097152xf32>
}

// -----

// A right operand that is contiguous along what is reduced is turned on its way
// into a tile, so that lanes run along the columns of the result all the same.

// CHECK-LABEL: tg.kernel @r_128_96_80
// CHECK: tg.range {{.*}} unroll 8
// CHECK: tg.range {{.*}} unroll 16
// CHECK: tg.stage
// CHECK: tg.ranged_reduce
// REMARK: remark: {{.*}}r_128_96_80{{.*}}stage transposed range
tg.kernel @r_128_96_80_n0(%arg0: memref<12288xf32>, %arg1: memref<10240xf32>, %arg2: memref<7680xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(96 : index) : index
  %1 = tg.const(80 : index) : index
  %2 = tg.range 0 loop 128
  %3 = tg.range 1 loop 96
  %4 = tg.range 2 loop 80
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<10240xf32>
  %8 = tg.mul %3, %1 : index
  %9 = tg.add %8, %4 : index
  %10 = tg.load %arg2[%9] : memref<7680xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<12288xf32>
}

// -----

// Too few rows to pay for that: each element is a sum of its own, in lanes.

// CHECK-LABEL: tg.kernel @r_4_96_80
// CHECK-NOT: tg.stage
// CHECK-NOT: unroll
// CHECK: tg.ranged_reduce
tg.kernel @r_4_96_80_n0(%arg0: memref<384xf32>, %arg1: memref<320xf32>, %arg2: memref<7680xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(96 : index) : index
  %1 = tg.const(80 : index) : index
  %2 = tg.range 0 loop 4
  %3 = tg.range 1 loop 96
  %4 = tg.range 2 loop 80
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<320xf32>
  %8 = tg.mul %3, %1 : index
  %9 = tg.add %8, %4 : index
  %10 = tg.load %arg2[%9] : memref<7680xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<384xf32>
}

// -----

// A sum of a matrix times another one transposed: what is contiguous along the
// rows is turned in squares of registers, four side by side.

// CHECK-LABEL: tg.kernel @r_128_80
// CHECK: tg.range {{[0-9]+}} loop 2
// CHECK: tg.range {{[0-9]+}} loop 5
// CHECK: tg.range {{[0-9]+}} loop 4
// CHECK: %[[ROW:.*]] = tg.range {{[0-9]+}} unroll 16
// CHECK: %[[LANE:.*]] = tg.range {{[0-9]+}} upcast 16
// CHECK: tg.ranged_reduce add %{{.*}} over %{{.*}}, %{{.*}}, %[[ROW]], %{{.*}}, %[[LANE]] : f32
tg.kernel @r_128_80_n0(%arg0: memref<1xf32>, %arg1: memref<10240xf32>, %arg2: memref<10240xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.const(128 : index) : index
  %2 = tg.const(80 : index) : index
  %3 = tg.range 0 loop 128
  %4 = tg.range 1 loop 80
  %5 = tg.mul %3, %2 : index
  %6 = tg.add %4, %5 : index
  %7 = tg.load %arg1[%6] : memref<10240xf32>
  %8 = tg.mul %4, %1 : index
  %9 = tg.add %8, %3 : index
  %10 = tg.load %arg2[%9] : memref<10240xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %3, %4 : f32
  tg.store %12, %arg0[%0] : memref<1xf32>
}

// -----

// One after the other where many of a whole block of rows would be missing.

// CHECK-LABEL: tg.kernel @r_100_80
// CHECK: tg.range {{[0-9]+}} loop 7 peel 1
// CHECK: tg.range {{[0-9]+}} loop 5
// CHECK: tg.range {{[0-9]+}} loop 1
// CHECK: tg.range {{[0-9]+}} unroll 16
tg.kernel @r_100_80_n0(%arg0: memref<1xf32>, %arg1: memref<8000xf32>, %arg2: memref<8000xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.const(100 : index) : index
  %2 = tg.const(80 : index) : index
  %3 = tg.range 0 loop 100
  %4 = tg.range 1 loop 80
  %5 = tg.mul %3, %2 : index
  %6 = tg.add %4, %5 : index
  %7 = tg.load %arg1[%6] : memref<8000xf32>
  %8 = tg.mul %4, %1 : index
  %9 = tg.add %8, %3 : index
  %10 = tg.load %arg2[%9] : memref<8000xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %3, %4 : f32
  tg.store %12, %arg0[%0] : memref<1xf32>
}

// -----

// Not where there are fewer rows than a square has, nor a part of a tensor with
// zeros around it, nor every other element.

// CHECK-LABEL: tg.kernel @r_12_80
// CHECK-NOT: unroll
// CHECK-LABEL: tg.kernel @r_102_80
// CHECK-NOT: unroll
// CHECK-LABEL: tg.kernel @r_50_80
// CHECK-NOT: unroll
tg.kernel @r_12_80_n0(%arg0: memref<1xf32>, %arg1: memref<960xf32>, %arg2: memref<7912xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.const(100 : index) : index
  %2 = tg.const(80 : index) : index
  %3 = tg.range 0 loop 12
  %4 = tg.range 1 loop 80
  %5 = tg.mul %3, %2 : index
  %6 = tg.add %4, %5 : index
  %7 = tg.load %arg1[%6] : memref<960xf32>
  %8 = tg.mul %4, %1 : index
  %9 = tg.add %8, %3 : index
  %10 = tg.load %arg2[%9] : memref<7912xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %3, %4 : f32
  tg.store %12, %arg0[%0] : memref<1xf32>
}

tg.kernel @r_102_80_n1(%arg0: memref<1xf32>, %arg1: memref<8160xf32>, %arg2: memref<8000xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(-1 : index) : index
  %1 = tg.const(100 : index) : index
  %2 = tg.const(101 : index) : index
  %3 = tg.const(0 : index) : index
  %4 = tg.const(80 : index) : index
  %5 = tg.range 0 loop 102
  %6 = tg.range 1 loop 80
  %7 = tg.mul %5, %4 : index
  %8 = tg.add %7, %6 : index
  %9 = tg.load %arg1[%8] : memref<8160xf32>
  %10 = tg.cmplt %3, %5 : index
  %11 = tg.cmplt %5, %2 : index
  %12 = tg.and %10, %11 : i1
  %13 = tg.mul %6, %1 : index
  %14 = tg.add %5, %13 : index
  %15 = tg.add %14, %0 : index
  %16 = tg.load %arg2[%15] mask %12 : memref<8000xf32>
  %17 = tg.add %9, %16 : f32
  %18 = tg.ranged_reduce add %17 over %5, %6 : f32
  tg.store %18, %arg0[%3] : memref<1xf32>
}

tg.kernel @r_50_80_n2(%arg0: memref<1xf32>, %arg1: memref<4000xf32>, %arg2: memref<7999xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0 : index) : index
  %1 = tg.const(50 : index) : index
  %2 = tg.const(2 : index) : index
  %3 = tg.const(80 : index) : index
  %4 = tg.range 0 loop 50
  %5 = tg.range 1 loop 80
  %6 = tg.mul %4, %3 : index
  %7 = tg.add %6, %5 : index
  %8 = tg.load %arg1[%7] : memref<4000xf32>
  %9 = tg.mul %5, %1 : index
  %10 = tg.add %4, %9 : index
  %11 = tg.mul %10, %2 : index
  %12 = tg.load %arg2[%11] : memref<7999xf32>
  %13 = tg.mul %8, %12 : f32
  %14 = tg.ranged_reduce add %13 over %4, %5 : f32
  tg.store %14, %arg0[%0] : memref<1xf32>
}

// -----

// Results that are interleaved (channels become columns, two by two) have lanes
// along what is read, and the two as copies.

// CHECK-LABEL: tg.kernel @r_4_16_28_2_28_2_64
// CHECK-NOT: tg.stage
// CHECK: %[[LANE:.*]] = tg.range {{[0-9]+}} upcast 32
// CHECK: tg.range {{[0-9]+}} unroll 2
// CHECK-NOT: tg.stage
// CHECK: tg.store
tg.kernel @r_4_16_28_2_28_2_64_n0(%arg0: memref<200704xf32>, %arg1: memref<200704xf32>, %arg2: memref<4096xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(16 : index) : index
  %1 = tg.const(2 : index) : index
  %2 = tg.const(64 : index) : index
  %3 = tg.const(28 : index) : index
  %4 = tg.range 0 loop 4
  %5 = tg.range 1 loop 16
  %6 = tg.range 2 loop 28
  %7 = tg.range 3 loop 2
  %8 = tg.range 4 loop 28
  %9 = tg.range 5 loop 2
  %10 = tg.range 6 loop 64
  %11 = tg.mul %4, %2 : index
  %12 = tg.add %10, %11 : index
  %13 = tg.mul %12, %3 : index
  %14 = tg.add %6, %13 : index
  %15 = tg.mul %14, %3 : index
  %16 = tg.add %8, %15 : index
  %17 = tg.load %arg1[%16] : memref<200704xf32>
  %18 = tg.mul %5, %1 : index
  %19 = tg.add %7, %18 : index
  %20 = tg.mul %19, %1 : index
  %21 = tg.add %9, %20 : index
  %22 = tg.mul %21, %2 : index
  %23 = tg.add %10, %22 : index
  %24 = tg.load %arg2[%23] : memref<4096xf32>
  %25 = tg.mul %17, %24 : f32
  %26 = tg.ranged_reduce add %25 over %10 : f32
  %27 = tg.mul %4, %0 : index
  %28 = tg.add %5, %27 : index
  %29 = tg.mul %28, %3 : index
  %30 = tg.add %6, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %7, %31 : index
  %33 = tg.mul %32, %3 : index
  %34 = tg.add %8, %33 : index
  %35 = tg.mul %34, %1 : index
  %36 = tg.add %9, %35 : index
  tg.store %26, %arg0[%36] : memref<200704xf32>
}
