// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline --verify-each | FileCheck %s

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
func.func @vector_times_matrix(%x: tensor<1x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<1x4096x1xf32> {
  %0 = tg.reshape %x : tensor<1x4096xf32> -> tensor<1x1x4096xf32>
  %1 = tg.expand %0 : tensor<1x1x4096xf32> -> tensor<1x4096x4096xf32>
  %2 = tg.permute %w [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %3 = tg.reshape %2 : tensor<4096x4096xf32> -> tensor<1x4096x4096xf32>
  %5 = tg.mul %1, %3 : tensor<1x4096x4096xf32>
  %6 = tg.reduce add %5 axes [2] : tensor<1x4096x4096xf32> -> tensor<1x4096x1xf32>
  return %6 : tensor<1x4096x1xf32>
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
func.func @sum_and_maximum(%w: tensor<3000x5000xf32>) -> (tensor<1x5000xf32>, tensor<1x5000xf32>) {
  %0 = tg.reduce add %w axes [0] : tensor<3000x5000xf32> -> tensor<1x5000xf32>
  %1 = tg.reduce max %w axes [0] : tensor<3000x5000xf32> -> tensor<1x5000xf32>
  return %0, %1 : tensor<1x5000xf32>, tensor<1x5000xf32>
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
func.func @long_rows(%w: tensor<256x131072xf32>) -> tensor<1x131072xf32> {
  %0 = tg.reduce add %w axes [0] : tensor<256x131072xf32> -> tensor<1x131072xf32>
  return %0 : tensor<1x131072xf32>
}

// -----

// What is added to all rows, or to each, stays in a cache.

// CHECK-LABEL: tg.kernel @r_64_4096_64_n0
// CHECK: update add
func.func @biases(%w: tensor<4096x4096xf32>, %row: tensor<1x4096xf32>, %column: tensor<4096x1xf32>) -> tensor<1x4096xf32> {
  %0 = tg.expand %row : tensor<1x4096xf32> -> tensor<4096x4096xf32>
  %1 = tg.expand %column : tensor<4096x1xf32> -> tensor<4096x4096xf32>
  %2 = tg.add %w, %0 : tensor<4096x4096xf32>
  %3 = tg.mul %2, %1 : tensor<4096x4096xf32>
  %4 = tg.reduce add %3 axes [0] : tensor<4096x4096xf32> -> tensor<1x4096xf32>
  return %4 : tensor<1x4096xf32>
}

// -----

// Values that need many registers take one vector at a time.

// CHECK-LABEL: tg.kernel @r_64_4096_64_n0
// CHECK: tg.range {{[0-9]+}} upcast 16
// CHECK: update add
func.func @heavy(%w: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %0 = tg.exp2 %w : tensor<4096x4096xf32>
  %1 = tg.reduce add %0 axes [0] : tensor<4096x4096xf32> -> tensor<1x4096xf32>
  return %1 : tensor<1x4096xf32>
}

// -----

// Not of a matrix in a cache.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: update
func.func @cached(%w: tensor<1024x2048xf32>) -> tensor<1x2048xf32> {
  %0 = tg.reduce add %w axes [0] : tensor<1024x2048xf32> -> tensor<1x2048xf32>
  return %0 : tensor<1x2048xf32>
}

// -----

// Not where the sums are used for more than to be stored: deviations from the
// means of parts.

// CHECK-LABEL: tg.kernel @r_512_2048_16_x3_n0
// CHECK-NOT: update
func.func @variance(%w: tensor<8192x2048xf32>) -> tensor<1x2048xf32> {
  %0 = tg.reduce add %w axes [0] : tensor<8192x2048xf32> -> tensor<1x2048xf32>
  %c = tg.const(8192.0 : f32) : tensor<1x2048xf32>
  %1 = tg.fdiv %0, %c : tensor<1x2048xf32>
  %2 = tg.expand %1 : tensor<1x2048xf32> -> tensor<8192x2048xf32>
  %3 = tg.sub %w, %2 : tensor<8192x2048xf32>
  %4 = tg.mul %3, %3 : tensor<8192x2048xf32>
  %5 = tg.reduce add %4 axes [0] : tensor<8192x2048xf32> -> tensor<1x2048xf32>
  return %5 : tensor<1x2048xf32>
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
