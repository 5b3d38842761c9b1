// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --verify-each | FileCheck %s

// Rows that may be shorter than they are apart are read ahead of time.

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} prefetch 4096
tg.kernel @E_4096_n_n0(%arg0: memref<16777216xf32>, %arg1: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop 4096
  %2 = tg.range 1 loop #tg.var<"n", 1, 4096>
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<16777216xf32>
  %6 = tg.exp2 %5 : f32
  tg.store %6, %arg0[%4] : memref<16777216xf32>
}

// -----

// Likewise those of a part, and those that are summed up.

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} prefetch 4096
tg.kernel @E_4096_2048_n0(%arg0: memref<8388608xf32>, %arg1: memref<16775168xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2048 : index) : index
  %1 = tg.const(4096 : index) : index
  %2 = tg.range 0 loop 4096
  %3 = tg.range 1 loop 2048
  %4 = tg.mul %2, %1 : index
  %5 = tg.add %3, %4 : index
  %6 = tg.load %arg1[%5] : memref<16775168xf32>
  %7 = tg.exp2 %6 : f32
  %8 = tg.mul %2, %0 : index
  %9 = tg.add %3, %8 : index
  tg.store %7, %arg0[%9] : memref<8388608xf32>
}

// -----

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} prefetch 4096
tg.kernel @r_4096_n_n0(%arg0: memref<4096xf32>, %arg1: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop 4096
  %2 = tg.range 1 loop #tg.var<"n", 1, 4096>
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<16777216xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<4096xf32>
}

// -----

// Rows that follow one another are one stream.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
tg.kernel @E_4096_4096_n0(%arg0: memref<16777216xf32>, %arg1: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop 4096
  %2 = tg.range 1 loop 4096
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<16777216xf32>
  %6 = tg.exp2 %5 : f32
  tg.store %6, %arg0[%4] : memref<16777216xf32>
}

// -----

// So are a symbolic number of rows.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
tg.kernel @E_n_4096_n0(%arg0: memref<16777216xf32>, %arg1: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop #tg.var<"n", 1, 4096>
  %2 = tg.range 1 loop 4096
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<16777216xf32>
  %6 = tg.exp2 %5 : f32
  tg.store %6, %arg0[%4] : memref<16777216xf32>
}

// -----

// What fits in the caches stays there.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
tg.kernel @E_1024_n_n0(%arg0: memref<1048576xf32>, %arg1: memref<1048576xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(1024 : index) : index
  %1 = tg.range 0 loop 1024
  %2 = tg.range 1 loop #tg.var<"n", 1, 1024>
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<1048576xf32>
  %6 = tg.exp2 %5 : f32
  tg.store %6, %arg0[%4] : memref<1048576xf32>
}

// -----

// Rows of 256 bytes are too close, those of 4 MiB too long.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
tg.kernel @E_262144_n_n0(%arg0: memref<16777216xf32>, %arg1: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.range 0 loop 262144
  %2 = tg.range 1 loop #tg.var<"n", 1, 64>
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<16777216xf32>
  %6 = tg.exp2 %5 : f32
  tg.store %6, %arg0[%4] : memref<16777216xf32>
}

// -----

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
tg.kernel @E_16_n_n0(%arg0: memref<16777216xf32>, %arg1: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(1048576 : index) : index
  %1 = tg.range 0 loop 16
  %2 = tg.range 1 loop #tg.var<"n", 1, 1048576>
  %3 = tg.mul %1, %0 : index
  %4 = tg.add %2, %3 : index
  %5 = tg.load %arg1[%4] : memref<16777216xf32>
  %6 = tg.exp2 %5 : f32
  tg.store %6, %arg0[%4] : memref<16777216xf32>
}

// -----

// Matrices are read several times, from the caches.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch 4096
tg.kernel @r_4096_4096_n_n0(%arg0: memref<16777216xf32>, %arg1: memref<16777216xf32>, %arg2: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop 4096
  %2 = tg.range 1 loop 4096
  %3 = tg.range 2 loop #tg.var<"n", 1, 4096>
  %4 = tg.mul %1, %0 : index
  %5 = tg.add %4, %3 : index
  %6 = tg.load %arg1[%5] : memref<16777216xf32>
  %7 = tg.mul %3, %0 : index
  %8 = tg.add %2, %7 : index
  %9 = tg.load %arg2[%8] : memref<16777216xf32>
  %10 = tg.mul %6, %9 : f32
  %11 = tg.ranged_reduce add %10 over %3 : f32
  %12 = tg.add %2, %4 : index
  tg.store %11, %arg0[%12] : memref<16777216xf32>
}

// -----

// A product of one row with a matrix goes down the columns: a piece of 1 KiB of
// each row is read, 8 KiB apart, and fetched 8 rows ahead.

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} : memref<2048xf32>
// CHECK: tg.load %{{.*}} prefetch 16384 : memref<4194304xf32>
tg.kernel @r_2048_2048_n0(%arg0: memref<2048xf32>, %arg1: memref<2048xf32>, %arg2: memref<4194304xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2048 : index) : index
  %1 = tg.range 0 loop 2048
  %2 = tg.range 1 loop 2048
  %3 = tg.load %arg1[%2] : memref<2048xf32>
  %4 = tg.mul %2, %0 : index
  %5 = tg.add %1, %4 : index
  %6 = tg.load %arg2[%5] : memref<4194304xf32>
  %7 = tg.mul %3, %6 : f32
  %8 = tg.ranged_reduce add %7 over %2 : f32
  tg.store %8, %arg0[%1] : memref<2048xf32>
}

// -----

// A few rows use what was read in one go.

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} prefetch {{[0-9]+}} : memref<16777216xf32>
tg.kernel @r_3_4096_4096_n0(%arg0: memref<12288xf32>, %arg1: memref<12288xf32>, %arg2: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop 3
  %2 = tg.range 1 loop 4096
  %3 = tg.range 2 loop 4096
  %4 = tg.mul %1, %0 : index
  %5 = tg.add %4, %3 : index
  %6 = tg.load %arg1[%5] : memref<12288xf32>
  %7 = tg.mul %3, %0 : index
  %8 = tg.add %2, %7 : index
  %9 = tg.load %arg2[%8] : memref<16777216xf32>
  %10 = tg.mul %6, %9 : f32
  %11 = tg.ranged_reduce add %10 over %3 : f32
  %12 = tg.add %2, %4 : index
  tg.store %11, %arg0[%12] : memref<12288xf32>
}

// -----

// Not where the second-level cache holds the matrix.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
tg.kernel @r_256_256_n0(%arg0: memref<256xf32>, %arg1: memref<256xf32>, %arg2: memref<65536xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(256 : index) : index
  %1 = tg.range 0 loop 256
  %2 = tg.range 1 loop 256
  %3 = tg.load %arg1[%2] : memref<256xf32>
  %4 = tg.mul %2, %0 : index
  %5 = tg.add %1, %4 : index
  %6 = tg.load %arg2[%5] : memref<65536xf32>
  %7 = tg.mul %3, %6 : f32
  %8 = tg.ranged_reduce add %7 over %2 : f32
  tg.store %8, %arg0[%1] : memref<256xf32>
}
