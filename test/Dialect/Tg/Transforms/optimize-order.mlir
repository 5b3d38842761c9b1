// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s

// Reductions whose results are stored in another order than that in which
// memory holds what they read.

// Sums of columns with the outermost axis innermost in the result: lanes run
// along what is read, not along the two positions that are stored together.

// CHECK-LABEL: tg.kernel @r_64_64_2_30
// CHECK: tg.range {{.*}} upcast 64
// CHECK-NOT: upcast
// CHECK: tg.ranged_reduce
tg.kernel @r_64_64_2_30_n0(%arg0: memref<8192xf32>, %arg1: memref<245760xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2 : index) : index
  %1 = tg.const(30 : index) : index
  %2 = tg.const(64 : index) : index
  %3 = tg.range 0 loop 64
  %4 = tg.range 1 loop 64
  %5 = tg.range 2 loop 2
  %6 = tg.range 3 loop 30
  %7 = tg.mul %3, %2 : index
  %8 = tg.mul %5, %1 : index
  %9 = tg.add %6, %8 : index
  %10 = tg.mul %9, %2 : index
  %11 = tg.add %3, %10 : index
  %12 = tg.mul %11, %2 : index
  %13 = tg.add %4, %12 : index
  %14 = tg.load %arg1[%13] : memref<245760xf32>
  %15 = tg.ranged_reduce add %14 over %6 : f32
  %16 = tg.add %4, %7 : index
  %17 = tg.mul %16, %0 : index
  %18 = tg.add %5, %17 : index
  tg.store %15, %arg0[%18] : memref<8192xf32>
}

// -----

// Products of a batch with the batch innermost: neither lanes of the batch nor
// lanes along what is reduced, which is strided in one operand.

// CHECK-LABEL: tg.kernel @r_64_32_2_64
// CHECK: tg.range {{.*}} upcast 64
// CHECK: tg.range {{.*}} loop 64
// CHECK: tg.ranged_reduce
tg.kernel @r_64_32_2_64_n0(%arg0: memref<4096xf32>, %arg1: memref<8192xf32>, %arg2: memref<4096xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2 : index) : index
  %1 = tg.const(32 : index) : index
  %2 = tg.const(64 : index) : index
  %3 = tg.range 0 loop 64
  %4 = tg.range 1 loop 32
  %5 = tg.range 2 loop 2
  %6 = tg.range 3 loop 64
  %7 = tg.mul %5, %2 : index
  %8 = tg.add %6, %7 : index
  %9 = tg.mul %8, %2 : index
  %10 = tg.add %3, %9 : index
  %11 = tg.load %arg1[%10] : memref<8192xf32>
  %12 = tg.mul %5, %1 : index
  %13 = tg.add %4, %12 : index
  %14 = tg.mul %13, %2 : index
  %15 = tg.add %6, %14 : index
  %16 = tg.load %arg2[%15] : memref<4096xf32>
  %17 = tg.mul %11, %16 : f32
  %18 = tg.ranged_reduce add %17 over %6 : f32
  %19 = tg.mul %3, %1 : index
  %20 = tg.add %4, %19 : index
  %21 = tg.mul %20, %0 : index
  %22 = tg.add %5, %21 : index
  tg.store %18, %arg0[%22] : memref<4096xf32>
}

// -----

// Sums of the rows of a tensor that caches do not hold are computed in the
// order of the rows.

// CHECK-LABEL: tg.kernel @r_512_128_3_32
// CHECK: tg.range {{[0-9]+}} thread 3
// CHECK: tg.range {{[0-9]+}} thread 128
// CHECK: tg.range {{[0-9]+}} loop 512
tg.kernel @r_512_128_3_32_n0(%arg0: memref<196608xf32>, %arg1: memref<6291456xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(3 : index) : index
  %1 = tg.const(512 : index) : index
  %2 = tg.const(128 : index) : index
  %3 = tg.const(32 : index) : index
  %4 = tg.range 0 loop 512
  %5 = tg.range 1 loop 128
  %6 = tg.range 2 loop 3
  %7 = tg.range 3 loop 32
  %8 = tg.mul %6, %2 : index
  %9 = tg.add %5, %8 : index
  %10 = tg.mul %9, %1 : index
  %11 = tg.add %4, %10 : index
  %12 = tg.mul %11, %3 : index
  %13 = tg.add %7, %12 : index
  %14 = tg.load %arg1[%13] : memref<6291456xf32>
  %15 = tg.ranged_reduce add %14 over %7 : f32
  %16 = tg.mul %4, %2 : index
  %17 = tg.add %5, %16 : index
  %18 = tg.mul %17, %0 : index
  %19 = tg.add %6, %18 : index
  tg.store %15, %arg0[%19] : memref<196608xf32>
}

// -----

// And forward, where the result is flipped: the store goes backward.

// CHECK-LABEL: tg.kernel @r_256_300
// CHECK-DAG: %[[LAST:.*]] = tg.const(255 : index)
// CHECK-DAG: %[[LENGTH:.*]] = tg.const(300 : index)
// CHECK-DAG: %[[ROW:.*]] = tg.range {{.*}} thread 256
// CHECK-DAG: %[[BACK:.*]] = tg.sub %[[LAST]], %[[ROW]]
// CHECK-DAG: tg.mul %[[ROW]], %[[LENGTH]]
// CHECK: tg.load
// CHECK: tg.store %{{.*}}, %arg0[%[[BACK]]]
tg.kernel @r_256_300_n0(%arg0: memref<256xf32>, %arg1: memref<76800xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(76500 : index) : index
  %1 = tg.const(-300 : index) : index
  %2 = tg.range 0 loop 256
  %3 = tg.range 1 loop 300
  %4 = tg.mul %2, %1 : index
  %5 = tg.add %4, %3 : index
  %6 = tg.add %5, %0 : index
  %7 = tg.load %arg1[%6] : memref<76800xf32>
  %8 = tg.ranged_reduce add %7 over %3 : f32
  tg.store %8, %arg0[%2] : memref<256xf32>
}

// -----

// A product of rows by rows that is flipped has the tile that it has without:
// lanes along the result, which are stored backward.

// CHECK-LABEL: tg.kernel @r_256_1024_64
// CHECK: tg.range {{.*}} upcast 64
// CHECK: tg.stage
// CHECK: tg.ranged_reduce
tg.kernel @r_256_1024_64_n0(%arg0: memref<262144xf32>, %arg1: memref<16384xf32>, %arg2: memref<65536xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(1024 : index) : index
  %1 = tg.const(65472 : index) : index
  %2 = tg.const(16320 : index) : index
  %3 = tg.const(-64 : index) : index
  %4 = tg.range 0 loop 256
  %5 = tg.range 1 loop 1024
  %6 = tg.range 2 loop 64
  %7 = tg.mul %4, %3 : index
  %8 = tg.add %7, %6 : index
  %9 = tg.add %8, %2 : index
  %10 = tg.load %arg1[%9] : memref<16384xf32>
  %11 = tg.mul %5, %3 : index
  %12 = tg.add %11, %6 : index
  %13 = tg.add %12, %1 : index
  %14 = tg.load %arg2[%13] : memref<65536xf32>
  %15 = tg.mul %10, %14 : f32
  %16 = tg.ranged_reduce add %15 over %6 : f32
  %17 = tg.mul %4, %0 : index
  %18 = tg.add %17, %5 : index
  tg.store %16, %arg0[%18] : memref<262144xf32>
}

// -----

// Products of a batch whose sums are kept in a tile, with the batch innermost
// in the result: its loop is outside of those that read the tile, which would
// be filled again at each step otherwise.

// CHECK-LABEL: tg.kernel @r_128_64_3_64
// CHECK: tg.range {{.*}} thread 3
// CHECK: tg.range 0 loop 128
// CHECK: tg.ranged_reduce
// CHECK: tg.stage
tg.kernel @r_128_64_3_64_n0(%arg0: memref<24576xf32>, %arg1: memref<12288xf32>, %arg2: memref<24576xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(3 : index) : index
  %1 = tg.const(128 : index) : index
  %2 = tg.const(64 : index) : index
  %3 = tg.range 0 loop 128
  %4 = tg.range 1 loop 64
  %5 = tg.range 2 loop 3
  %6 = tg.range 3 loop 64
  %7 = tg.mul %5, %2 : index
  %8 = tg.add %6, %7 : index
  %9 = tg.mul %8, %2 : index
  %10 = tg.add %4, %9 : index
  %11 = tg.load %arg1[%10] : memref<12288xf32>
  %12 = tg.mul %3, %2 : index
  %13 = tg.mul %5, %1 : index
  %14 = tg.add %3, %13 : index
  %15 = tg.mul %14, %2 : index
  %16 = tg.add %6, %15 : index
  %17 = tg.load %arg2[%16] : memref<24576xf32>
  %18 = tg.mul %11, %17 : f32
  %19 = tg.ranged_reduce add %18 over %6 : f32
  %20 = tg.add %4, %12 : index
  %21 = tg.mul %20, %0 : index
  %22 = tg.add %5, %21 : index
  tg.store %19, %arg0[%22] : memref<24576xf32>
}

// -----

// Columns less their maxima, transposed: squares that are turned in registers
// would have the loop over the maxima inside of that over what they are used
// for, and compute each again there.

// CHECK-LABEL: tg.kernel @{{.*}}384_300
// CHECK-NOT: unroll 16
// CHECK: tg.ranged_reduce max
tg.kernel @E_384_300_x1_n0(%arg0: memref<115200xf32>, %arg1: memref<115200xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(300 : index) : index
  %1 = tg.const(384 : index) : index
  %2 = tg.range 0 loop 384
  %3 = tg.range 1 loop 300
  %4 = tg.range 2 loop 300
  %5 = tg.mul %4, %1 : index
  %6 = tg.add %2, %5 : index
  %7 = tg.load %arg1[%6] : memref<115200xf32>
  %8 = tg.ranged_reduce max %7 over %4 : f32
  %9 = tg.mul %3, %1 : index
  %10 = tg.add %9, %2 : index
  %11 = tg.load %arg1[%10] : memref<115200xf32>
  %12 = tg.sub %11, %8 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<115200xf32>
}
