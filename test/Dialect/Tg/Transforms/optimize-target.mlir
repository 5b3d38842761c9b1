// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefixes=CHECK,V4
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v3 --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefixes=CHECK,V3
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:sapphirerapids --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefixes=CHECK,SPR
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:znver4 --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefixes=CHECK,V4

// With 16 registers, 12 accumulators are worth a rest of rows: 512 is no
// multiple of 6. With 32, the 16 of 4 rows are enough, unless they wait for
// their columns: then shares of the rows have a rest each. Where scalars take
// the ports of vectors, positions of the sum are unrolled.
// CHECK-LABEL: tg.kernel @r_512_1024_256_n0
// V4: tg.range {{.*}} unroll 4
// V4: tg.range {{.*}} upcast 64
// SPR: tg.range {{.*}} thread 16
// SPR: tg.range {{.*}} thread 4
// SPR: tg.range {{.*}} loop 22 peel 1
// SPR: tg.range {{.*}} unroll 6
// SPR: tg.range {{.*}} upcast 64
// SPR: tg.range {{.*}} loop 64
// SPR: tg.range {{.*}} unroll 4
// SPR: tg.stage
// V3: tg.range {{.*}} loop 86 peel 1
// V3: tg.range {{.*}} unroll 6
// V3: tg.range {{.*}} upcast 16
tg.kernel @r_512_1024_256_n0(%arg0: memref<524288xf32>, %arg1: memref<131072xf32>, %arg2: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(1024 : index) : index
  %1 = tg.const(256 : index) : index
  %2 = tg.range 0 loop 512
  %3 = tg.range 1 loop 1024
  %4 = tg.range 2 loop 256
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<131072xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<262144xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<524288xf32>
}

// -----

// Of few rows, a rest would be a large part.
// CHECK-LABEL: tg.kernel @r_32_1024_256_n0
// V4: tg.range {{.*}} unroll 4
// V3-NOT: peel
// V3: tg.range {{.*}} unroll 4
// SPR: tg.range {{.*}} loop 6 peel 1
// SPR: tg.range {{.*}} unroll 6
// SPR: tg.stage
tg.kernel @r_32_1024_256_n0(%arg0: memref<32768xf32>, %arg1: memref<8192xf32>, %arg2: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(1024 : index) : index
  %1 = tg.const(256 : index) : index
  %2 = tg.range 0 loop 32
  %3 = tg.range 1 loop 1024
  %4 = tg.range 2 loop 256
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<8192xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<262144xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<32768xf32>
}

// -----

// 16 KB of rows that are 16 KB apart lie in 4 of the first-level cache's 64
// sets: they are copied. With 4000 bytes in between they use all sets.
// CHECK-LABEL: tg.kernel @r_512_4096_64_n0
// V4: tg.stage
tg.kernel @r_512_4096_64_n0(%arg0: memref<2097152xf32>, %arg1: memref<32768xf32>, %arg2: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.const(64 : index) : index
  %2 = tg.range 0 loop 512
  %3 = tg.range 1 loop 4096
  %4 = tg.range 2 loop 64
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<32768xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<262144xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<2097152xf32>
}

// -----

// CHECK-LABEL: tg.kernel @r_512_4000_64_n0
// CHECK-NOT: tg.stage
// CHECK: tg.store
tg.kernel @r_512_4000_64_n0(%arg0: memref<2048000xf32>, %arg1: memref<32768xf32>, %arg2: memref<256000xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4000 : index) : index
  %1 = tg.const(64 : index) : index
  %2 = tg.range 0 loop 512
  %3 = tg.range 1 loop 4000
  %4 = tg.range 2 loop 64
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<32768xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<256000xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<2048000xf32>
}

// -----

// A tile of 64 bytes of columns reads the left matrix, which no second-level
// cache holds, too often: three of them form a block. Rows of the left matrix
// that come next are prefetched once a line: 10 positions divide 1000, 16 do not.
// CHECK-LABEL: tg.kernel @r_1000_1000_1000_n0
// V4-NOT: prefetch
// V4: tg.store
// V3: tg.range {{.*}} thread 21 peel 1
// V3: tg.range {{.*}} thread 2
// V3: tg.range {{.*}} loop 84 peel 1
// V3: tg.range {{.*}} loop 10
// V3: tg.load %arg1{{.*}} prefetch 6000
// V3: tg.load %arg2{{.*}} prefetch 42000
// V3: tg.stage {{.*}} memref<48000xf32>
tg.kernel @r_1000_1000_1000_n0(%arg0: memref<1000000xf32>, %arg1: memref<1000000xf32>, %arg2: memref<1000000xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(1000 : index) : index
  %1 = tg.const(1000 : index) : index
  %2 = tg.range 0 loop 1000
  %3 = tg.range 1 loop 1000
  %4 = tg.range 2 loop 1000
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<1000000xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<1000000xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<1000000xf32>
}

// -----

// Half of the second-level cache holds the columns of a block: two tiles.
// CHECK-LABEL: tg.kernel @r_256_2048_4096_n0
// V3: tg.stage {{.*}} memref<131072xf32>
tg.kernel @r_256_2048_4096_n0(%arg0: memref<524288xf32>, %arg1: memref<1048576xf32>, %arg2: memref<8388608xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2048 : index) : index
  %1 = tg.const(4096 : index) : index
  %2 = tg.range 0 loop 256
  %3 = tg.range 1 loop 2048
  %4 = tg.range 2 loop 4096
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<1048576xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<8388608xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<524288xf32>
}

// -----

// The left matrix stays in the second-level cache.
// CHECK-LABEL: tg.kernel @r_256_2048_1024_n0
// V3-NOT: prefetch
// V3: tg.stage {{.*}} memref<16384xf32>
tg.kernel @r_256_2048_1024_n0(%arg0: memref<524288xf32>, %arg1: memref<262144xf32>, %arg2: memref<2097152xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2048 : index) : index
  %1 = tg.const(1024 : index) : index
  %2 = tg.range 0 loop 256
  %3 = tg.range 1 loop 2048
  %4 = tg.range 2 loop 1024
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<262144xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<2097152xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<524288xf32>
}

// -----

// The scores of attention: 16 MiB, of which a register tile writes four whole lines of
// each of its rows. Of rows that are 2050 elements apart it writes parts of lines.
// CHECK-LABEL: tg.kernel @r_2048_2048_64_n0
// V4-NOT: tg.store{{.*}} nontemporal
// V3-NOT: tg.store{{.*}} nontemporal
// SPR: tg.store {{.*}} nontemporal
// CHECK-LABEL: tg.kernel @r_2048_2050_64_n0
// CHECK-NOT: tg.store{{.*}} nontemporal
tg.kernel @r_2048_2048_64_n0(%arg0: memref<4194304xf32>, %arg1: memref<131072xf32>, %arg2: memref<131072xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2048 : index) : index
  %1 = tg.const(64 : index) : index
  %2 = tg.range 0 loop 2048
  %3 = tg.range 1 loop 2048
  %4 = tg.range 2 loop 64
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<131072xf32>
  %8 = tg.mul %3, %1 : index
  %9 = tg.add %8, %4 : index
  %10 = tg.load %arg2[%9] : memref<131072xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<4194304xf32>
}

tg.kernel @r_2048_2050_64_n0(%arg0: memref<4198400xf32>, %arg1: memref<131072xf32>, %arg2: memref<131200xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2050 : index) : index
  %1 = tg.const(64 : index) : index
  %2 = tg.range 0 loop 2048
  %3 = tg.range 1 loop 2050
  %4 = tg.range 2 loop 64
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<131072xf32>
  %8 = tg.mul %3, %1 : index
  %9 = tg.add %8, %4 : index
  %10 = tg.load %arg2[%9] : memref<131200xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<4198400xf32>
}

// -----

// What is read from end to end is prefetched 2 KiB ahead where the processor asks for
// it, beyond the second-level cache; not what is only added up, nor smaller tensors.
// CHECK-LABEL: tg.kernel @E_2097152_n0
// V4-NOT: tg.load{{.*}} prefetch
// V3-NOT: tg.load{{.*}} prefetch
// SPR: tg.load %arg1{{.*}} prefetch 512
// CHECK-LABEL: tg.kernel @E_131072_n1
// CHECK-NOT: tg.load{{.*}} prefetch
// CHECK-LABEL: tg.kernel @r_2048_1024_n2
// CHECK-NOT: tg.load{{.*}} prefetch
tg.kernel @E_2097152_n0(%arg0: memref<2097152xf32>, %arg1: memref<2097152xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 2097152
  %1 = tg.load %arg1[%0] : memref<2097152xf32>
  %2 = tg.exp2 %1 : f32
  tg.store %2, %arg0[%0] : memref<2097152xf32>
}

tg.kernel @E_131072_n1(%arg0: memref<131072xf32>, %arg1: memref<131072xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 131072
  %1 = tg.load %arg1[%0] : memref<131072xf32>
  %2 = tg.exp2 %1 : f32
  tg.store %2, %arg0[%0] : memref<131072xf32>
}

tg.kernel @r_2048_1024_n2(%arg0: memref<2048xf32>, %arg1: memref<2097152xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(1024 : index) : index
  %1 = tg.range 0 loop 2048
  %2 = tg.range 1 loop 1024
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %3, %2 : index
  %5 = tg.load %arg1[%4] : memref<2097152xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<2048xf32>
}

// -----

// 784 columns are 12.25 tiles of four vectors: where these wait for columns, two
// vectors and twice the rows, of which a tile reads each column for twice as many
// products. Not if no lanes are idle, or if the columns are many.
// Others compute the results in a tile, with lanes along the rows.
// CHECK-LABEL: tg.kernel @r_128_784_256_n0
// V4-SAME: #tg.step<stage ranged_reduce 0
// SPR: tg.range {{.*}} thread 25 peel 1
// SPR: tg.range {{.*}} unroll 8
// SPR: tg.range {{.*}} upcast 32
// CHECK-LABEL: tg.kernel @r_128_768_256_n1
// V4: tg.range {{.*}} upcast 64
// SPR: tg.range {{.*}} upcast 64
// CHECK-LABEL: tg.kernel @r_128_784_1024_n2
// V4-SAME: #tg.step<stage ranged_reduce 0
// SPR: tg.range {{.*}} upcast 64
tg.kernel @r_128_784_256_n0(%arg0: memref<100352xf32>, %arg1: memref<32768xf32>, %arg2: memref<200704xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(784 : index) : index
  %1 = tg.const(256 : index) : index
  %2 = tg.range 0 loop 128
  %3 = tg.range 1 loop 784
  %4 = tg.range 2 loop 256
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<32768xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<200704xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<100352xf32>
}

tg.kernel @r_128_768_256_n1(%arg0: memref<98304xf32>, %arg1: memref<32768xf32>, %arg2: memref<196608xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(768 : index) : index
  %1 = tg.const(256 : index) : index
  %2 = tg.range 0 loop 128
  %3 = tg.range 1 loop 768
  %4 = tg.range 2 loop 256
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<32768xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<196608xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<98304xf32>
}

tg.kernel @r_128_784_1024_n2(%arg0: memref<100352xf32>, %arg1: memref<131072xf32>, %arg2: memref<802816xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(784 : index) : index
  %1 = tg.const(1024 : index) : index
  %2 = tg.range 0 loop 128
  %3 = tg.range 1 loop 784
  %4 = tg.range 2 loop 1024
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<131072xf32>
  %8 = tg.mul %4, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<802816xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<100352xf32>
}
