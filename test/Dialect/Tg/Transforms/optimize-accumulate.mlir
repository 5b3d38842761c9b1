// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --verify-each | FileCheck %s

// Sums down the columns of a matrix that no cache holds are kept in memory: 8
// rows are read from end to end for each pass over them, and fetched one pass
// ahead.

// CHECK-LABEL: tg.kernel @r_64_4096_64_n0
// CHECK-SAME:  in_place
// CHECK: tg.range {{[0-9]+}} thread 64
// CHECK: %[[PASS:.*]] = tg.range {{[0-9]+}} loop 8
// CHECK: tg.range {{[0-9]+}} loop 64
// CHECK: tg.range {{[0-9]+}} upcast 64
// CHECK: %[[ROW:.*]] = tg.range {{[0-9]+}} unroll 8
// CHECK: tg.load %{{.*}} prefetch 32768 : memref<16777216xf32>
// CHECK: %[[SUM:.*]] = tg.ranged_reduce add %{{.*}} over %[[ROW]]
// CHECK: tg.store %{{.*}}, %[[OUT:.*]][%[[AT:.*]]] : memref<262144xf32>
// CHECK: tg.store %[[SUM]], %[[OUT]][%[[AT]]] update add over %[[PASS]]
// CHECK-LABEL: tg.kernel
// CHECK-NOT: update
tg.kernel @r_64_4096_64_n0(%arg0: memref<262144xf32>, %arg1: memref<4096xf32>, %arg2: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.const(64 : index) : index
  %2 = tg.range 0 loop 64
  %3 = tg.range 1 loop 4096
  %4 = tg.range 2 loop 64
  %5 = tg.mul %2, %1 : index
  %6 = tg.add %5, %4 : index
  %7 = tg.load %arg1[%6] : memref<4096xf32>
  %8 = tg.mul %6, %0 : index
  %9 = tg.add %3, %8 : index
  %10 = tg.load %arg2[%9] : memref<16777216xf32>
  %11 = tg.mul %7, %10 : f32
  %12 = tg.ranged_reduce add %11 over %4 : f32
  %13 = tg.mul %2, %0 : index
  %14 = tg.add %3, %13 : index
  tg.store %12, %arg0[%14] : memref<262144xf32>
}

tg.kernel @r_4096_64_n1(%arg0: memref<4096xf32>, %arg1: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop 4096
  %2 = tg.range 1 loop 64
  %3 = tg.mul %2, %0 : index
  %4 = tg.add %1, %3 : index
  %5 = tg.load %arg1[%4] : memref<262144xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<4096xf32>
}

// -----

// Two reductions of the same rows share their loops; all identities are stored
// before the first update. 30 rows are 5 passes. The columns do not fill
// vectors.

// CHECK-LABEL: tg.kernel @r_100_5000_30_x2_n0
// CHECK: tg.range {{[0-9]+}} thread 100
// CHECK: %[[PASS:.*]] = tg.range {{[0-9]+}} loop 5
// CHECK: tg.range {{[0-9]+}} loop 79 peel 1
// CHECK: tg.range {{[0-9]+}} unroll 6
// CHECK: tg.store %{{.*}}, %[[A:.*]][%{{.*}}] mask
// CHECK: tg.store %{{.*}}, %[[B:.*]][%{{.*}}] mask
// CHECK: tg.store %{{.*}}, %[[A]][%{{.*}}] mask %{{.*}} update add over %[[PASS]]
// CHECK: tg.store %{{.*}}, %[[B]][%{{.*}}] mask %{{.*}} update max over %[[PASS]]
tg.kernel @r_5000_100_n1(%arg0: memref<5000xf32>, %arg1: memref<500000xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(5000 : index) : index
  %1 = tg.range 0 loop 5000
  %2 = tg.range 1 loop 100
  %3 = tg.mul %2, %0 : index
  %4 = tg.add %1, %3 : index
  %5 = tg.load %arg1[%4] : memref<500000xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<5000xf32>
}

tg.kernel @r_5000_100_n3(%arg0: memref<5000xf32>, %arg1: memref<500000xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(5000 : index) : index
  %1 = tg.range 0 loop 5000
  %2 = tg.range 1 loop 100
  %3 = tg.mul %2, %0 : index
  %4 = tg.add %1, %3 : index
  %5 = tg.load %arg1[%4] : memref<500000xf32>
  %6 = tg.ranged_reduce max %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<5000xf32>
}

tg.kernel @r_100_5000_30_x2_n0(%arg0: memref<500000xf32>, %arg1: memref<500000xf32>, %arg2: memref<15000000xf32>) attributes {outputs = 2 : i64} {
  %0 = tg.const(30 : index) : index
  %1 = tg.const(5000 : index) : index
  %2 = tg.range 0 loop 100
  %3 = tg.range 1 loop 5000
  %4 = tg.range 2 loop 30
  %5 = tg.mul %2, %0 : index
  %6 = tg.add %4, %5 : index
  %7 = tg.mul %6, %1 : index
  %8 = tg.add %3, %7 : index
  %9 = tg.load %arg2[%8] : memref<15000000xf32>
  %10 = tg.ranged_reduce add %9 over %4 : f32
  %11 = tg.mul %2, %1 : index
  %12 = tg.add %3, %11 : index
  %13 = tg.ranged_reduce max %9 over %4 : f32
  tg.store %10, %arg0[%12] : memref<500000xf32>
  tg.store %13, %arg1[%12] : memref<500000xf32>
}

// -----

// Long rows are cut into pieces, so that the sums of one stay in the cache. They
// divide the row if possible.

// CHECK-LABEL: tg.kernel @r_16_131072_16_n0
// CHECK: tg.range {{[0-9]+}} thread 16
// CHECK: tg.range {{[0-9]+}} thread 8
// CHECK: tg.range {{[0-9]+}} loop 2
// CHECK: tg.range {{[0-9]+}} loop 256
// CHECK: tg.range {{[0-9]+}} upcast 64
tg.kernel @r_16_131072_16_n0(%arg0: memref<2097152xf32>, %arg1: memref<33554432xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(16 : index) : index
  %1 = tg.const(131072 : index) : index
  %2 = tg.range 0 loop 16
  %3 = tg.range 1 loop 131072
  %4 = tg.range 2 loop 16
  %5 = tg.mul %2, %0 : index
  %6 = tg.add %4, %5 : index
  %7 = tg.mul %6, %1 : index
  %8 = tg.add %3, %7 : index
  %9 = tg.load %arg1[%8] : memref<33554432xf32>
  %10 = tg.ranged_reduce add %9 over %4 : f32
  %11 = tg.mul %2, %1 : index
  %12 = tg.add %3, %11 : index
  tg.store %10, %arg0[%12] : memref<2097152xf32>
}

tg.kernel @r_131072_16_n1(%arg0: memref<131072xf32>, %arg1: memref<2097152xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(131072 : index) : index
  %1 = tg.range 0 loop 131072
  %2 = tg.range 1 loop 16
  %3 = tg.mul %2, %0 : index
  %4 = tg.add %1, %3 : index
  %5 = tg.load %arg1[%4] : memref<2097152xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<131072xf32>
}

// -----

// What is added to all rows, or to each, stays in a cache.

// CHECK-LABEL: tg.kernel @r_64_4096_64_n0
// CHECK: update add
tg.kernel @r_64_4096_64_n0(%arg0: memref<262144xf32>, %arg1: memref<16777216xf32>, %arg2: memref<4096xf32>, %arg3: memref<4096xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.const(4096 : index) : index
  %2 = tg.range 0 loop 64
  %3 = tg.range 1 loop 4096
  %4 = tg.range 2 loop 64
  %5 = tg.mul %2, %0 : index
  %6 = tg.add %4, %5 : index
  %7 = tg.mul %6, %1 : index
  %8 = tg.add %3, %7 : index
  %9 = tg.load %arg1[%8] : memref<16777216xf32>
  %10 = tg.load %arg2[%3] : memref<4096xf32>
  %11 = tg.add %9, %10 : f32
  %12 = tg.load %arg3[%6] : memref<4096xf32>
  %13 = tg.mul %11, %12 : f32
  %14 = tg.ranged_reduce add %13 over %4 : f32
  %15 = tg.mul %2, %1 : index
  %16 = tg.add %3, %15 : index
  tg.store %14, %arg0[%16] : memref<262144xf32>
}

tg.kernel @r_4096_64_n1(%arg0: memref<4096xf32>, %arg1: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop 4096
  %2 = tg.range 1 loop 64
  %3 = tg.mul %2, %0 : index
  %4 = tg.add %1, %3 : index
  %5 = tg.load %arg1[%4] : memref<262144xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<4096xf32>
}

// -----

// Values that need many registers take one vector at a time.

// CHECK-LABEL: tg.kernel @r_64_4096_64_n0
// CHECK: tg.range {{[0-9]+}} upcast 16
// CHECK: update add
tg.kernel @r_64_4096_64_n0(%arg0: memref<262144xf32>, %arg1: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.const(4096 : index) : index
  %2 = tg.range 0 loop 64
  %3 = tg.range 1 loop 4096
  %4 = tg.range 2 loop 64
  %5 = tg.mul %2, %0 : index
  %6 = tg.add %4, %5 : index
  %7 = tg.mul %6, %1 : index
  %8 = tg.add %3, %7 : index
  %9 = tg.load %arg1[%8] : memref<16777216xf32>
  %10 = tg.exp2 %9 : f32
  %11 = tg.ranged_reduce add %10 over %4 : f32
  %12 = tg.mul %2, %1 : index
  %13 = tg.add %3, %12 : index
  tg.store %11, %arg0[%13] : memref<262144xf32>
}

tg.kernel @r_4096_64_n1(%arg0: memref<4096xf32>, %arg1: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4096 : index) : index
  %1 = tg.range 0 loop 4096
  %2 = tg.range 1 loop 64
  %3 = tg.mul %2, %0 : index
  %4 = tg.add %1, %3 : index
  %5 = tg.load %arg1[%4] : memref<262144xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<4096xf32>
}

// -----

// Not of a matrix in a cache.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: update
tg.kernel @r_2048_1024_n0(%arg0: memref<2048xf32>, %arg1: memref<2097152xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(2048 : index) : index
  %1 = tg.range 0 loop 2048
  %2 = tg.range 1 loop 1024
  %3 = tg.mul %2, %0 : index
  %4 = tg.add %1, %3 : index
  %5 = tg.load %arg1[%4] : memref<2097152xf32>
  %6 = tg.ranged_reduce add %5 over %2 : f32
  tg.store %6, %arg0[%1] : memref<2048xf32>
}

// -----

// Not where the sums are used for more than to be stored: deviations from the
// means of parts.

// CHECK-LABEL: tg.kernel @r_512_2048_16_x3_n0
// CHECK-NOT: update
tg.kernel @r_2048_512_n3(%arg0: memref<2048xf32>, %arg1: memref<1048576xf32>, %arg2: memref<1048576xf32>, %arg3: memref<1048576xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(6.250000e-02 : f32) : f32
  %1 = tg.const(0.000000e+00 : f32) : f32
  %2 = tg.const(0x7F800000 : f32) : f32
  %3 = tg.const(1.22070313E-4 : f32) : f32
  %4 = tg.const(1.600000e+01 : f32) : f32
  %5 = tg.const(2048 : index) : index
  %6 = tg.range 0 loop 2048
  %7 = tg.range 1 loop 512
  %8 = tg.mul %7, %5 : index
  %9 = tg.add %6, %8 : index
  %10 = tg.load %arg1[%9] : memref<1048576xf32>
  %11 = tg.load %arg3[%9] : memref<1048576xf32>
  %12 = tg.mul %11, %0 : f32
  %13 = tg.ranged_reduce add %11 over %7 : f32
  %14 = tg.mul %13, %3 : f32
  %15 = tg.sub %12, %14 : f32
  %16 = tg.mul %15, %15 : f32
  %17 = tg.cmplt %16, %2 : f32
  %18 = tg.add %15, %15 : f32
  %19 = tg.load %arg2[%9] : memref<1048576xf32>
  %20 = tg.mul %18, %19 : f32
  %21 = tg.where %17, %20, %1 : f32
  %22 = tg.add %10, %21 : f32
  %23 = tg.mul %16, %4 : f32
  %24 = tg.add %22, %23 : f32
  %25 = tg.ranged_reduce add %24 over %7 : f32
  tg.store %25, %arg0[%6] : memref<2048xf32>
}

tg.kernel @r_512_2048_16_x3_n0(%arg0: memref<1048576xf32>, %arg1: memref<1048576xf32>, %arg2: memref<1048576xf32>, %arg3: memref<16777216xf32>) attributes {outputs = 3 : i64} {
  %0 = tg.const(6.250000e-02 : f32) : f32
  %1 = tg.const(16 : index) : index
  %2 = tg.const(2048 : index) : index
  %3 = tg.range 0 loop 512
  %4 = tg.range 1 loop 2048
  %5 = tg.range 2 loop 16
  %6 = tg.mul %3, %1 : index
  %7 = tg.add %5, %6 : index
  %8 = tg.mul %7, %2 : index
  %9 = tg.add %4, %8 : index
  %10 = tg.load %arg3[%9] : memref<16777216xf32>
  %11 = tg.ranged_reduce add %10 over %5 : f32
  %12 = tg.mul %3, %2 : index
  %13 = tg.add %4, %12 : index
  %14 = tg.mul %11, %0 : f32
  %15 = tg.sub %10, %14 : f32
  %16 = tg.ranged_reduce add %15 over %5 : f32
  %17 = tg.mul %15, %15 : f32
  %18 = tg.ranged_reduce add %17 over %5 : f32
  tg.store %11, %arg0[%13] : memref<1048576xf32>
  tg.store %16, %arg1[%13] : memref<1048576xf32>
  tg.store %18, %arg2[%13] : memref<1048576xf32>
}

// -----

// Not of types that are rounded at each addition, of a prime number of rows, of
// rows that are near to each other, of a matrix that is read in part (a mask),
// and where there is too little to do for many cores.

// CHECK-LABEL: tg.kernel @narrow
// CHECK-NOT: update
tg.kernel @narrow(%out: memref<65536xbf16>, %w: memref<16777216xbf16>) attributes {outputs = 1 : i64} {
  %n = tg.const(2048 : index) : index
  %k = tg.const(256 : index) : index
  %p = tg.range 0 loop 32
  %c = tg.range 1 loop 2048
  %r = tg.range 2 loop 256
  %0 = tg.mul %p, %k : index
  %1 = tg.add %0, %r : index
  %2 = tg.mul %1, %n : index
  %3 = tg.add %2, %c : index
  %4 = tg.load %w[%3] : memref<16777216xbf16>
  %5 = tg.ranged_reduce add %4 over %r : bf16
  %6 = tg.mul %p, %n : index
  %7 = tg.add %6, %c : index
  tg.store %5, %out[%7] : memref<65536xbf16>
}

// CHECK-LABEL: tg.kernel @prime
// CHECK-NOT: update
tg.kernel @prime(%out: memref<65536xf32>, %w: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %n = tg.const(2048 : index) : index
  %k = tg.const(256 : index) : index
  %p = tg.range 0 loop 32
  %c = tg.range 1 loop 2048
  %r = tg.range 2 loop 251
  %0 = tg.mul %p, %k : index
  %1 = tg.add %0, %r : index
  %2 = tg.mul %1, %n : index
  %3 = tg.add %2, %c : index
  %4 = tg.load %w[%3] : memref<16777216xf32>
  %5 = tg.ranged_reduce add %4 over %r : f32
  %6 = tg.mul %p, %n : index
  %7 = tg.add %6, %c : index
  tg.store %5, %out[%7] : memref<65536xf32>
}

// CHECK-LABEL: tg.kernel @near
// CHECK-NOT: update
tg.kernel @near(%out: memref<16384xf32>, %w: memref<4194304xf32>) attributes {outputs = 1 : i64} {
  %n = tg.const(256 : index) : index
  %p = tg.range 0 loop 64
  %c = tg.range 1 loop 256
  %r = tg.range 2 loop 256
  %0 = tg.mul %p, %n : index
  %1 = tg.add %0, %r : index
  %2 = tg.mul %1, %n : index
  %3 = tg.add %2, %c : index
  %4 = tg.load %w[%3] : memref<4194304xf32>
  %5 = tg.ranged_reduce add %4 over %r : f32
  %7 = tg.add %0, %c : index
  tg.store %5, %out[%7] : memref<16384xf32>
}

// CHECK-LABEL: tg.kernel @masked
// CHECK-NOT: update
tg.kernel @masked(%out: memref<65536xf32>, %w: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %n = tg.const(2048 : index) : index
  %k = tg.const(256 : index) : index
  %last = tg.const(8000 : index) : index
  %p = tg.range 0 loop 32
  %c = tg.range 1 loop 2048
  %r = tg.range 2 loop 256
  %0 = tg.mul %p, %k : index
  %1 = tg.add %0, %r : index
  %m = tg.cmplt %1, %last : index
  %2 = tg.mul %1, %n : index
  %3 = tg.add %2, %c : index
  %4 = tg.load %w[%3] mask %m : memref<16777216xf32>
  %5 = tg.ranged_reduce add %4 over %r : f32
  %6 = tg.mul %p, %n : index
  %7 = tg.add %6, %c : index
  tg.store %5, %out[%7] : memref<65536xf32>
}

// CHECK-LABEL: tg.kernel @few_items
// CHECK-NOT: update
tg.kernel @few_items(%out: memref<2048xf32>, %w: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %n = tg.const(65536 : index) : index
  %c = tg.range 1 loop 2048
  %r = tg.range 2 loop 256
  %2 = tg.mul %r, %n : index
  %3 = tg.add %2, %c : index
  %4 = tg.load %w[%3] : memref<16777216xf32>
  %5 = tg.ranged_reduce add %4 over %r : f32
  tg.store %5, %out[%c] : memref<2048xf32>
}

// Rows of which little is summed, and so many columns that pieces could not be
// counted in reasonable time.

// CHECK-LABEL: tg.kernel @part_of_rows
// CHECK-NOT: update
tg.kernel @part_of_rows(%out: memref<6400xf32>, %w: memref<16777216xf32>) attributes {outputs = 1 : i64} {
  %n = tg.const(1024 : index) : index
  %k = tg.const(256 : index) : index
  %h = tg.const(100 : index) : index
  %p = tg.range 0 loop 64
  %c = tg.range 1 loop 100
  %r = tg.range 2 loop 256
  %0 = tg.mul %p, %k : index
  %1 = tg.add %0, %r : index
  %2 = tg.mul %1, %n : index
  %3 = tg.add %2, %c : index
  %4 = tg.load %w[%3] : memref<16777216xf32>
  %5 = tg.ranged_reduce add %4 over %r : f32
  %6 = tg.mul %p, %h : index
  %7 = tg.add %6, %c : index
  tg.store %5, %out[%7] : memref<6400xf32>
}

// CHECK-LABEL: tg.kernel @endless_rows
// CHECK-NOT: update
tg.kernel @endless_rows(%out: memref<900719925474083xf64>, %w: memref<9007199254740830xf64>) attributes {outputs = 1 : i64} {
  %n = tg.const(900719925474083 : index) : index
  %c = tg.range 1 loop 900719925474083
  %r = tg.range 2 loop 10
  %2 = tg.mul %r, %n : index
  %3 = tg.add %2, %c : index
  %4 = tg.load %w[%3] : memref<9007199254740830xf64>
  %5 = tg.ranged_reduce add %4 over %r : f64
  tg.store %5, %out[%c] : memref<900719925474083xf64>
}
