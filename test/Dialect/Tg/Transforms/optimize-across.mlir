// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v3 --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefix=V256
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Columns of stride 2: lanes run along the channels. Their weights are packed,
// and a row of results is transposed into a tile of which the store's own lanes
// run along the columns. Without a mask the input is read where it is.

// CHECK-LABEL: tg.kernel @r_32_14_14_16_2_2
// CHECK: tg.range {{.*}} thread 2
// CHECK: tg.range {{.*}} loop 7
// CHECK: tg.range {{.*}} unroll 16
// CHECK: tg.range {{.*}} upcast 16
// CHECK: tg.range {{.*}} upcast 32
// CHECK: tg.range {{.*}} unroll 14
// CHECK-NOT: mask
// CHECK: tg.stage
// CHECK-NOT: mask
// CHECK: tg.ranged_reduce
// CHECK: tg.stage
// V256-LABEL: tg.kernel @r_32_14_14_16_2_2
// V256: tg.range {{.*}} unroll 8
// V256: tg.range {{.*}} upcast 8
// V256: tg.stage
// REMARK: remark: {{.*}}r_32_14_14_16_2_2{{.*}}lanes across range
// REMARK: remark: {{.*}}r_32_14_14_16_2_2{{.*}}pack range
tg.kernel @r_32_14_14_16_2_2_n0(%arg0: memref<6272xf32>, %arg1: memref<12544xf32>, %arg2: memref<2048xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(16 : index) : index
  %1 = tg.const(14 : index) : index
  %2 = tg.const(2 : index) : index
  %3 = tg.range 0 loop 32
  %4 = tg.range 1 loop 14
  %5 = tg.range 2 loop 14
  %6 = tg.range 3 loop 16
  %7 = tg.range 4 loop 2
  %8 = tg.range 5 loop 2
  %9 = tg.mul %6, %1 : index
  %10 = tg.add %4, %9 : index
  %11 = tg.mul %10, %2 : index
  %12 = tg.add %7, %11 : index
  %13 = tg.mul %12, %1 : index
  %14 = tg.add %5, %13 : index
  %15 = tg.mul %14, %2 : index
  %16 = tg.add %8, %15 : index
  %17 = tg.load %arg1[%16] : memref<12544xf32>
  %18 = tg.mul %3, %0 : index
  %19 = tg.add %6, %18 : index
  %20 = tg.mul %19, %2 : index
  %21 = tg.add %7, %20 : index
  %22 = tg.mul %21, %2 : index
  %23 = tg.add %8, %22 : index
  %24 = tg.load %arg2[%23] : memref<2048xf32>
  %25 = tg.mul %17, %24 : f32
  %26 = tg.ranged_reduce add %25 over %6, %7, %8 : f32
  %27 = tg.mul %3, %1 : index
  %28 = tg.add %4, %27 : index
  %29 = tg.mul %28, %1 : index
  %30 = tg.add %5, %29 : index
  tg.store %26, %arg0[%30] : memref<6272xf32>
}

// -----

// With padding, the input is kept in a tile as well: one element for each sum
// of row and window, and of column and window (2 * 13 + 2 + 1 = 29), in which
// the mask is evaluated once. What comes later is fetched ahead. The sum leaves
// out the rows and columns of padding, unless a weight is not finite. (Below and
// on the right there are none.)

// CHECK-LABEL: tg.kernel @r_40_14_14_16_3_3
// CHECK: tg.load {{.*}} mask {{.*}} prefetch
// CHECK: tg.stage {{.*}} : memref<14848xf32>
// CHECK: tg.load {{.*}} prefetch 64
// CHECK: %[[PRODUCT:.*]] = tg.mul {{.*}} : f32
// CHECK: %[[OF_PART:.*]] = tg.ranged_reduce max {{.*}} : i32
// CHECK: tg.stage %[[OF_PART]]
// CHECK: %[[GREATEST:.*]] = tg.ranged_reduce max {{.*}} : i32
// CHECK: %[[IS_INFINITE:.*]] = tg.cmplt {{.*}}, %[[GREATEST]] : i32
// CHECK: %[[ROWS:.*]] = tg.or %{{.*}}, %[[IS_INFINITE]] : i1
// CHECK: %[[COLUMNS:.*]] = tg.or %{{.*}}, %[[IS_INFINITE]] : i1
// CHECK: %[[COUNTS:.*]] = tg.and %[[ROWS]], %[[COLUMNS]] : i1
// CHECK: %[[VALUE:.*]] = tg.where %[[COUNTS]], %[[PRODUCT]], {{.*}} : f32
// CHECK: tg.ranged_reduce add %[[VALUE]]
// REMARK: remark: {{.*}}r_40_14_14_16_3_3{{.*}}stage window range {{[0-9]+}} by 29
// REMARK: remark: {{.*}}r_40_14_14_16_3_3{{.*}}stage window range {{[0-9]+}} by 29
tg.kernel @r_40_14_14_16_3_3_n0(%arg0: memref<7840xf32>, %arg1: memref<12544xf32>, %arg2: memref<5760xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(16 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(14 : index) : index
  %3 = tg.const(-29 : index) : index
  %4 = tg.const(2 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 40
  %7 = tg.range 1 loop 14
  %8 = tg.range 2 loop 14
  %9 = tg.range 3 loop 16
  %10 = tg.range 4 loop 3
  %11 = tg.range 5 loop 3
  %12 = tg.mul %7, %4 : index
  %13 = tg.add %12, %10 : index
  %14 = tg.cmplt %5, %13 : index
  %15 = tg.mul %8, %4 : index
  %16 = tg.add %15, %11 : index
  %17 = tg.cmplt %5, %16 : index
  %18 = tg.and %14, %17 : i1
  %19 = tg.mul %9, %2 : index
  %20 = tg.add %7, %19 : index
  %21 = tg.mul %20, %4 : index
  %22 = tg.add %10, %21 : index
  %23 = tg.mul %22, %2 : index
  %24 = tg.add %8, %23 : index
  %25 = tg.mul %24, %4 : index
  %26 = tg.add %11, %25 : index
  %27 = tg.add %26, %3 : index
  %28 = tg.load %arg1[%27] mask %18 : memref<12544xf32>
  %29 = tg.mul %6, %0 : index
  %30 = tg.add %9, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %10, %31 : index
  %33 = tg.mul %32, %1 : index
  %34 = tg.add %11, %33 : index
  %35 = tg.load %arg2[%34] : memref<5760xf32>
  %36 = tg.mul %28, %35 : f32
  %37 = tg.ranged_reduce add %36 over %9, %10, %11 : f32
  %38 = tg.mul %6, %2 : index
  %39 = tg.add %7, %38 : index
  %40 = tg.mul %39, %2 : index
  %41 = tg.add %8, %40 : index
  tg.store %37, %arg0[%41] : memref<7840xf32>
}

// -----

// A branch for one of 900 products in a row is not worth it: rows alone.

// CHECK-LABEL: tg.kernel @r_40_2_300_16_3_3
// CHECK: tg.ranged_reduce max
// CHECK: %[[GREATEST:.*]] = tg.ranged_reduce max {{.*}} : i32
// CHECK: %[[IS_INFINITE:.*]] = tg.cmplt {{.*}}, %[[GREATEST]] : i32
// CHECK: %[[ROWS:.*]] = tg.or {{.*}}, %[[IS_INFINITE]] : i1
// CHECK-NEXT: tg.where %[[ROWS]]
tg.kernel @r_40_2_300_16_3_3_n0(%arg0: memref<24000xf32>, %arg1: memref<38400xf32>, %arg2: memref<5760xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(16 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(300 : index) : index
  %3 = tg.const(-601 : index) : index
  %4 = tg.const(2 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 40
  %7 = tg.range 1 loop 2
  %8 = tg.range 2 loop 300
  %9 = tg.range 3 loop 16
  %10 = tg.range 4 loop 3
  %11 = tg.range 5 loop 3
  %12 = tg.mul %7, %4 : index
  %13 = tg.add %12, %10 : index
  %14 = tg.cmplt %5, %13 : index
  %15 = tg.mul %8, %4 : index
  %16 = tg.add %15, %11 : index
  %17 = tg.cmplt %5, %16 : index
  %18 = tg.and %14, %17 : i1
  %19 = tg.mul %9, %4 : index
  %20 = tg.add %7, %19 : index
  %21 = tg.mul %20, %4 : index
  %22 = tg.add %10, %21 : index
  %23 = tg.mul %22, %2 : index
  %24 = tg.add %8, %23 : index
  %25 = tg.mul %24, %4 : index
  %26 = tg.add %11, %25 : index
  %27 = tg.add %26, %3 : index
  %28 = tg.load %arg1[%27] mask %18 : memref<38400xf32>
  %29 = tg.mul %6, %0 : index
  %30 = tg.add %9, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %10, %31 : index
  %33 = tg.mul %32, %1 : index
  %34 = tg.add %11, %33 : index
  %35 = tg.load %arg2[%34] : memref<5760xf32>
  %36 = tg.mul %28, %35 : f32
  %37 = tg.ranged_reduce add %36 over %9, %10, %11 : f32
  %38 = tg.mul %6, %4 : index
  %39 = tg.add %7, %38 : index
  %40 = tg.mul %39, %2 : index
  %41 = tg.add %8, %40 : index
  tg.store %37, %arg0[%41] : memref<24000xf32>
}

// -----

// Nor for integers, whose products and sums are operations of their own. They
// are always finite.

// CHECK-LABEL: tg.kernel @r_48_14_14_16_3_3
// CHECK-NOT: tg.ranged_reduce max
// CHECK: tg.load %{{.*}} mask
// CHECK-NOT: tg.and
// CHECK: tg.where %{{.*}}, %{{.*}}, %{{.*}} : i32
// CHECK-NEXT: tg.ranged_reduce add
tg.kernel @r_48_14_14_16_3_3_n0(%arg0: memref<9408xi32>, %arg1: memref<12544xi32>, %arg2: memref<6912xi32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(16 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(14 : index) : index
  %3 = tg.const(-29 : index) : index
  %4 = tg.const(2 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 48
  %7 = tg.range 1 loop 14
  %8 = tg.range 2 loop 14
  %9 = tg.range 3 loop 16
  %10 = tg.range 4 loop 3
  %11 = tg.range 5 loop 3
  %12 = tg.mul %7, %4 : index
  %13 = tg.add %12, %10 : index
  %14 = tg.cmplt %5, %13 : index
  %15 = tg.mul %8, %4 : index
  %16 = tg.add %15, %11 : index
  %17 = tg.cmplt %5, %16 : index
  %18 = tg.and %14, %17 : i1
  %19 = tg.mul %9, %2 : index
  %20 = tg.add %7, %19 : index
  %21 = tg.mul %20, %4 : index
  %22 = tg.add %10, %21 : index
  %23 = tg.mul %22, %2 : index
  %24 = tg.add %8, %23 : index
  %25 = tg.mul %24, %4 : index
  %26 = tg.add %11, %25 : index
  %27 = tg.add %26, %3 : index
  %28 = tg.load %arg1[%27] mask %18 : memref<12544xi32>
  %29 = tg.mul %6, %0 : index
  %30 = tg.add %9, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %10, %31 : index
  %33 = tg.mul %32, %1 : index
  %34 = tg.add %11, %33 : index
  %35 = tg.load %arg2[%34] : memref<6912xi32>
  %36 = tg.mul %28, %35 : i32
  %37 = tg.ranged_reduce add %36 over %9, %10, %11 : i32
  %38 = tg.mul %6, %2 : index
  %39 = tg.add %7, %38 : index
  %40 = tg.mul %39, %2 : index
  %41 = tg.add %8, %40 : index
  tg.store %37, %arg0[%41] : memref<9408xi32>
}

// -----

// Columns that follow one another are lanes themselves.

// CHECK-LABEL: tg.kernel @r_32_32_32_16_3_3
// CHECK-NOT: tg.stage
// CHECK: tg.ranged_reduce
// REMARK-NOT: remark: {{.*}}r_32_32_32_16_3_3{{.*}}lanes across
tg.kernel @r_32_32_32_16_3_3_n0(%arg0: memref<32768xf32>, %arg1: memref<16384xf32>, %arg2: memref<4608xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(16 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(-33 : index) : index
  %3 = tg.const(32 : index) : index
  %4 = tg.const(33 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 32
  %7 = tg.range 1 loop 32
  %8 = tg.range 2 loop 32
  %9 = tg.range 3 loop 16
  %10 = tg.range 4 loop 3
  %11 = tg.range 5 loop 3
  %12 = tg.add %7, %10 : index
  %13 = tg.cmplt %5, %12 : index
  %14 = tg.cmplt %12, %4 : index
  %15 = tg.and %13, %14 : i1
  %16 = tg.add %8, %11 : index
  %17 = tg.cmplt %5, %16 : index
  %18 = tg.and %15, %17 : i1
  %19 = tg.cmplt %16, %4 : index
  %20 = tg.and %18, %19 : i1
  %21 = tg.mul %9, %3 : index
  %22 = tg.add %12, %21 : index
  %23 = tg.mul %22, %3 : index
  %24 = tg.add %16, %23 : index
  %25 = tg.add %24, %2 : index
  %26 = tg.load %arg1[%25] mask %20 : memref<16384xf32>
  %27 = tg.mul %6, %0 : index
  %28 = tg.add %9, %27 : index
  %29 = tg.mul %28, %1 : index
  %30 = tg.add %10, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %11, %31 : index
  %33 = tg.load %arg2[%32] : memref<4608xf32>
  %34 = tg.mul %26, %33 : f32
  %35 = tg.ranged_reduce add %34 over %9, %10, %11 : f32
  %36 = tg.mul %6, %3 : index
  %37 = tg.add %7, %36 : index
  %38 = tg.mul %37, %3 : index
  %39 = tg.add %8, %38 : index
  tg.store %35, %arg0[%39] : memref<32768xf32>
}

// -----

// 14 columns would leave lanes empty, and the windows of 20 rows of 256 channels
// are more than a tile holds: those of 10 rows are computed together.

// REMARK: remark: {{.*}}r_16_40_14_256_3_3{{.*}}lanes across
// REMARK: remark: {{.*}}r_16_40_14_256_3_3{{.*}}share range {{[0-9]+}} by 20
// REMARK: remark: {{.*}}r_16_40_14_256_3_3{{.*}}group range {{[0-9]+}} by 10
// CHECK-LABEL: tg.kernel @r_16_40_14_256_3_3
// CHECK: tg.stage {{.*}} : memref<49152xf32>
tg.kernel @r_16_40_14_256_3_3_n0(%arg0: memref<8960xf32>, %arg1: memref<143360xf32>, %arg2: memref<36864xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(256 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(40 : index) : index
  %3 = tg.const(-15 : index) : index
  %4 = tg.const(14 : index) : index
  %5 = tg.const(15 : index) : index
  %6 = tg.const(41 : index) : index
  %7 = tg.const(0 : index) : index
  %8 = tg.range 0 loop 16
  %9 = tg.range 1 loop 40
  %10 = tg.range 2 loop 14
  %11 = tg.range 3 loop 256
  %12 = tg.range 4 loop 3
  %13 = tg.range 5 loop 3
  %14 = tg.add %9, %12 : index
  %15 = tg.cmplt %7, %14 : index
  %16 = tg.cmplt %14, %6 : index
  %17 = tg.and %15, %16 : i1
  %18 = tg.add %10, %13 : index
  %19 = tg.cmplt %7, %18 : index
  %20 = tg.and %17, %19 : i1
  %21 = tg.cmplt %18, %5 : index
  %22 = tg.and %20, %21 : i1
  %23 = tg.mul %11, %2 : index
  %24 = tg.add %14, %23 : index
  %25 = tg.mul %24, %4 : index
  %26 = tg.add %18, %25 : index
  %27 = tg.add %26, %3 : index
  %28 = tg.load %arg1[%27] mask %22 : memref<143360xf32>
  %29 = tg.mul %8, %0 : index
  %30 = tg.add %11, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %12, %31 : index
  %33 = tg.mul %32, %1 : index
  %34 = tg.add %13, %33 : index
  %35 = tg.load %arg2[%34] : memref<36864xf32>
  %36 = tg.mul %28, %35 : f32
  %37 = tg.ranged_reduce add %36 over %11, %12, %13 : f32
  %38 = tg.mul %8, %2 : index
  %39 = tg.add %9, %38 : index
  %40 = tg.mul %39, %4 : index
  %41 = tg.add %10, %40 : index
  tg.store %37, %arg0[%41] : memref<8960xf32>
}

// -----

// Each block of channels computes the windows again. Where these are larger than
// the weights of a block, as with stride 2, blocks are of 64 channels: two
// tiles, one after the other, each with its part of the weights. The places of
// the next row's results are fetched.

// CHECK-LABEL: tg.kernel @r_128_28_28_64_3_3
// CHECK: tg.range {{.*}} thread 2
// CHECK: %[[TILES:[0-9]+]] = tg.range {{[0-9]+}} loop 2
// CHECK: %[[PARTS:[0-9]+]] = tg.range {{[0-9]+}} loop 2
// CHECK: tg.stage {{.*}} : memref<61440xf32>
// CHECK: tg.stage {{.*}} over %[[TILES]], {{.*}} : memref<36864xf32>
// CHECK: tg.stage {{.*}} over %[[PARTS]], {{.*}} : memref<1792xf32>
// CHECK: tg.store {{.*}} prefetch 28 : memref<100352xf32>
// REMARK: remark: {{.*}}r_128_28_28_64_3_3{{.*}}lanes across range {{[0-9]+}} by 64
tg.kernel @r_128_28_28_64_3_3_n0(%arg0: memref<100352xf32>, %arg1: memref<200704xf32>, %arg2: memref<73728xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(28 : index) : index
  %3 = tg.const(-57 : index) : index
  %4 = tg.const(2 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 128
  %7 = tg.range 1 loop 28
  %8 = tg.range 2 loop 28
  %9 = tg.range 3 loop 64
  %10 = tg.range 4 loop 3
  %11 = tg.range 5 loop 3
  %12 = tg.mul %7, %4 : index
  %13 = tg.add %12, %10 : index
  %14 = tg.cmplt %5, %13 : index
  %15 = tg.mul %8, %4 : index
  %16 = tg.add %15, %11 : index
  %17 = tg.cmplt %5, %16 : index
  %18 = tg.and %14, %17 : i1
  %19 = tg.mul %9, %2 : index
  %20 = tg.add %7, %19 : index
  %21 = tg.mul %20, %4 : index
  %22 = tg.add %10, %21 : index
  %23 = tg.mul %22, %2 : index
  %24 = tg.add %8, %23 : index
  %25 = tg.mul %24, %4 : index
  %26 = tg.add %11, %25 : index
  %27 = tg.add %26, %3 : index
  %28 = tg.load %arg1[%27] mask %18 : memref<200704xf32>
  %29 = tg.mul %6, %0 : index
  %30 = tg.add %9, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %10, %31 : index
  %33 = tg.mul %32, %1 : index
  %34 = tg.add %11, %33 : index
  %35 = tg.load %arg2[%34] : memref<73728xf32>
  %36 = tg.mul %28, %35 : f32
  %37 = tg.ranged_reduce add %36 over %9, %10, %11 : f32
  %38 = tg.mul %6, %2 : index
  %39 = tg.add %7, %38 : index
  %40 = tg.mul %39, %2 : index
  %41 = tg.add %8, %40 : index
  tg.store %37, %arg0[%41] : memref<100352xf32>
}

// -----

// Work items are blocks of channels of one image: a thread fills a tile with the
// windows of all rows once. Of two images, each item would fill it again: rows
// are in groups.

// REMARK-NOT: remark: {{.*}}r_256_14_14_128_3_3{{.*}}group range
// CHECK-LABEL: tg.kernel @r_256_14_14_128_3_3
// CHECK: tg.range {{[0-9]+}} thread 8
// CHECK: tg.stage {{.*}} : memref<118784xf32>
tg.kernel @r_256_14_14_128_3_3_n0(%arg0: memref<50176xf32>, %arg1: memref<100352xf32>, %arg2: memref<294912xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(128 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(14 : index) : index
  %3 = tg.const(-29 : index) : index
  %4 = tg.const(2 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 256
  %7 = tg.range 1 loop 14
  %8 = tg.range 2 loop 14
  %9 = tg.range 3 loop 128
  %10 = tg.range 4 loop 3
  %11 = tg.range 5 loop 3
  %12 = tg.mul %7, %4 : index
  %13 = tg.add %12, %10 : index
  %14 = tg.cmplt %5, %13 : index
  %15 = tg.mul %8, %4 : index
  %16 = tg.add %15, %11 : index
  %17 = tg.cmplt %5, %16 : index
  %18 = tg.and %14, %17 : i1
  %19 = tg.mul %9, %2 : index
  %20 = tg.add %7, %19 : index
  %21 = tg.mul %20, %4 : index
  %22 = tg.add %10, %21 : index
  %23 = tg.mul %22, %2 : index
  %24 = tg.add %8, %23 : index
  %25 = tg.mul %24, %4 : index
  %26 = tg.add %11, %25 : index
  %27 = tg.add %26, %3 : index
  %28 = tg.load %arg1[%27] mask %18 : memref<100352xf32>
  %29 = tg.mul %6, %0 : index
  %30 = tg.add %9, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %10, %31 : index
  %33 = tg.mul %32, %1 : index
  %34 = tg.add %11, %33 : index
  %35 = tg.load %arg2[%34] : memref<294912xf32>
  %36 = tg.mul %28, %35 : f32
  %37 = tg.ranged_reduce add %36 over %9, %10, %11 : f32
  %38 = tg.mul %6, %2 : index
  %39 = tg.add %7, %38 : index
  %40 = tg.mul %39, %2 : index
  %41 = tg.add %8, %40 : index
  tg.store %37, %arg0[%41] : memref<50176xf32>
}

// -----

// REMARK: remark: {{.*}}r_2_256_14_14_128_3_3{{.*}}group range {{[0-9]+}} by 7
// CHECK-LABEL: tg.kernel @r_2_256_14_14_128_3_3
// CHECK: tg.stage {{.*}} : memref<61440xf32>
tg.kernel @r_2_256_14_14_128_3_3_n0(%arg0: memref<100352xf32>, %arg1: memref<200704xf32>, %arg2: memref<294912xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(256 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(14 : index) : index
  %3 = tg.const(128 : index) : index
  %4 = tg.const(-29 : index) : index
  %5 = tg.const(2 : index) : index
  %6 = tg.const(0 : index) : index
  %7 = tg.range 0 loop 2
  %8 = tg.range 1 loop 256
  %9 = tg.range 2 loop 14
  %10 = tg.range 3 loop 14
  %11 = tg.range 4 loop 128
  %12 = tg.range 5 loop 3
  %13 = tg.range 6 loop 3
  %14 = tg.mul %9, %5 : index
  %15 = tg.add %14, %12 : index
  %16 = tg.cmplt %6, %15 : index
  %17 = tg.mul %10, %5 : index
  %18 = tg.add %17, %13 : index
  %19 = tg.cmplt %6, %18 : index
  %20 = tg.and %16, %19 : i1
  %21 = tg.mul %7, %3 : index
  %22 = tg.add %11, %21 : index
  %23 = tg.mul %22, %2 : index
  %24 = tg.add %9, %23 : index
  %25 = tg.mul %24, %5 : index
  %26 = tg.add %12, %25 : index
  %27 = tg.mul %26, %2 : index
  %28 = tg.add %10, %27 : index
  %29 = tg.mul %28, %5 : index
  %30 = tg.add %13, %29 : index
  %31 = tg.add %30, %4 : index
  %32 = tg.load %arg1[%31] mask %20 : memref<200704xf32>
  %33 = tg.mul %8, %3 : index
  %34 = tg.add %11, %33 : index
  %35 = tg.mul %34, %1 : index
  %36 = tg.add %12, %35 : index
  %37 = tg.mul %36, %1 : index
  %38 = tg.add %13, %37 : index
  %39 = tg.load %arg2[%38] : memref<294912xf32>
  %40 = tg.mul %32, %39 : f32
  %41 = tg.ranged_reduce add %40 over %11, %12, %13 : f32
  %42 = tg.mul %7, %0 : index
  %43 = tg.add %8, %42 : index
  %44 = tg.mul %43, %2 : index
  %45 = tg.add %9, %44 : index
  %46 = tg.mul %45, %2 : index
  %47 = tg.add %10, %46 : index
  tg.store %41, %arg0[%47] : memref<100352xf32>
}

// -----

// These weights are larger than the windows: as much work for more cores.

// REMARK: remark: {{.*}}r_512_14_14_256_3_3{{.*}}lanes across range {{[0-9]+}} by 32
tg.kernel @r_512_14_14_256_3_3_n0(%arg0: memref<100352xf32>, %arg1: memref<50176xf32>, %arg2: memref<1179648xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(256 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(-15 : index) : index
  %3 = tg.const(14 : index) : index
  %4 = tg.const(15 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 512
  %7 = tg.range 1 loop 14
  %8 = tg.range 2 loop 14
  %9 = tg.range 3 loop 256
  %10 = tg.range 4 loop 3
  %11 = tg.range 5 loop 3
  %12 = tg.add %7, %10 : index
  %13 = tg.cmplt %5, %12 : index
  %14 = tg.cmplt %12, %4 : index
  %15 = tg.and %13, %14 : i1
  %16 = tg.add %8, %11 : index
  %17 = tg.cmplt %5, %16 : index
  %18 = tg.and %15, %17 : i1
  %19 = tg.cmplt %16, %4 : index
  %20 = tg.and %18, %19 : i1
  %21 = tg.mul %9, %3 : index
  %22 = tg.add %12, %21 : index
  %23 = tg.mul %22, %3 : index
  %24 = tg.add %16, %23 : index
  %25 = tg.add %24, %2 : index
  %26 = tg.load %arg1[%25] mask %20 : memref<50176xf32>
  %27 = tg.mul %6, %0 : index
  %28 = tg.add %9, %27 : index
  %29 = tg.mul %28, %1 : index
  %30 = tg.add %10, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %11, %31 : index
  %33 = tg.load %arg2[%32] : memref<1179648xf32>
  %34 = tg.mul %26, %33 : f32
  %35 = tg.ranged_reduce add %34 over %9, %10, %11 : f32
  %36 = tg.mul %6, %3 : index
  %37 = tg.add %7, %36 : index
  %38 = tg.mul %37, %3 : index
  %39 = tg.add %8, %38 : index
  tg.store %35, %arg0[%39] : memref<100352xf32>
}

// -----

// One block of channels is work for several cores all the same.

// REMARK: remark: {{.*}}r_16_14_14_32_3_3{{.*}}share range {{[0-9]+}} by 7
// CHECK-LABEL: tg.kernel @r_16_14_14_32_3_3
// CHECK: tg.range {{[0-9]+}} thread 2
// Rows of 14 results share lines with their neighbors.
// CHECK: tg.store {{.*}} mask %{{[0-9]+}} : memref<3136xf32>
tg.kernel @r_16_14_14_32_3_3_n0(%arg0: memref<3136xf32>, %arg1: memref<6272xf32>, %arg2: memref<4608xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(32 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(-15 : index) : index
  %3 = tg.const(14 : index) : index
  %4 = tg.const(15 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 16
  %7 = tg.range 1 loop 14
  %8 = tg.range 2 loop 14
  %9 = tg.range 3 loop 32
  %10 = tg.range 4 loop 3
  %11 = tg.range 5 loop 3
  %12 = tg.add %7, %10 : index
  %13 = tg.cmplt %5, %12 : index
  %14 = tg.cmplt %12, %4 : index
  %15 = tg.and %13, %14 : i1
  %16 = tg.add %8, %11 : index
  %17 = tg.cmplt %5, %16 : index
  %18 = tg.and %15, %17 : i1
  %19 = tg.cmplt %16, %4 : index
  %20 = tg.and %18, %19 : i1
  %21 = tg.mul %9, %3 : index
  %22 = tg.add %12, %21 : index
  %23 = tg.mul %22, %3 : index
  %24 = tg.add %16, %23 : index
  %25 = tg.add %24, %2 : index
  %26 = tg.load %arg1[%25] mask %20 : memref<6272xf32>
  %27 = tg.mul %6, %0 : index
  %28 = tg.add %9, %27 : index
  %29 = tg.mul %28, %1 : index
  %30 = tg.add %10, %29 : index
  %31 = tg.mul %30, %1 : index
  %32 = tg.add %11, %31 : index
  %33 = tg.load %arg2[%32] : memref<4608xf32>
  %34 = tg.mul %26, %33 : f32
  %35 = tg.ranged_reduce add %34 over %9, %10, %11 : f32
  %36 = tg.mul %6, %3 : index
  %37 = tg.add %7, %36 : index
  %38 = tg.mul %37, %3 : index
  %39 = tg.add %8, %38 : index
  tg.store %35, %arg0[%39] : memref<3136xf32>
}

// -----

// A product that is stored transposed: results are turned rather than what
// they are computed from.

// REMARK: remark: {{.*}}r_64_64_64{{.*}}lanes across
// CHECK-LABEL: tg.kernel @r_64_64_64
// CHECK: tg.stage
// CHECK: tg.store %{{[0-9]+}}, %arg0[%{{[0-9]+}}] : memref<4096xf32>
tg.kernel @r_64_64_64_n0(%arg0: memref<4096xf32>, %arg1: memref<4096xf32>, %arg2: memref<4096xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.range 0 loop 64
  %2 = tg.range 1 loop 64
  %3 = tg.range 2 loop 64
  %4 = tg.mul %3, %0 : index
  %5 = tg.add %1, %4 : index
  %6 = tg.load %arg2[%5] : memref<4096xf32>
  %7 = tg.mul %2, %0 : index
  %8 = tg.add %7, %3 : index
  %9 = tg.load %arg1[%8] : memref<4096xf32>
  %10 = tg.mul %6, %9 : f32
  %11 = tg.ranged_reduce add %10 over %3 : f32
  %12 = tg.mul %1, %0 : index
  %13 = tg.add %2, %12 : index
  tg.store %11, %arg0[%13] : memref<4096xf32>
}

// -----

// Weights that few positions use are not packed.

// CHECK-LABEL: tg.kernel @r_32_4_4_16_2_2
// CHECK-NOT: tg.stage
// CHECK: tg.ranged_reduce
tg.kernel @r_32_4_4_16_2_2_n0(%arg0: memref<512xf32>, %arg1: memref<1024xf32>, %arg2: memref<2048xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(4 : index) : index
  %1 = tg.const(16 : index) : index
  %2 = tg.const(2 : index) : index
  %3 = tg.range 0 loop 32
  %4 = tg.range 1 loop 4
  %5 = tg.range 2 loop 4
  %6 = tg.range 3 loop 16
  %7 = tg.range 4 loop 2
  %8 = tg.range 5 loop 2
  %9 = tg.mul %6, %0 : index
  %10 = tg.add %4, %9 : index
  %11 = tg.mul %10, %2 : index
  %12 = tg.add %7, %11 : index
  %13 = tg.mul %12, %0 : index
  %14 = tg.add %5, %13 : index
  %15 = tg.mul %14, %2 : index
  %16 = tg.add %8, %15 : index
  %17 = tg.load %arg1[%16] : memref<1024xf32>
  %18 = tg.mul %3, %1 : index
  %19 = tg.add %6, %18 : index
  %20 = tg.mul %19, %2 : index
  %21 = tg.add %7, %20 : index
  %22 = tg.mul %21, %2 : index
  %23 = tg.add %8, %22 : index
  %24 = tg.load %arg2[%23] : memref<2048xf32>
  %25 = tg.mul %17, %24 : f32
  %26 = tg.ranged_reduce add %25 over %6, %7, %8 : f32
  %27 = tg.mul %3, %0 : index
  %28 = tg.add %4, %27 : index
  %29 = tg.mul %28, %0 : index
  %30 = tg.add %5, %29 : index
  tg.store %26, %arg0[%30] : memref<512xf32>
}

// -----

// Nor are there lanes of channels where each channel has an input of its own.

// CHECK-LABEL: tg.kernel @r_32_14_14_2_2
// CHECK-NOT: tg.stage
// CHECK: tg.ranged_reduce
tg.kernel @r_32_14_14_2_2_n0(%arg0: memref<6272xf32>, %arg1: memref<25088xf32>, %arg2: memref<128xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(14 : index) : index
  %1 = tg.const(2 : index) : index
  %2 = tg.range 0 loop 32
  %3 = tg.range 1 loop 14
  %4 = tg.range 2 loop 14
  %5 = tg.range 3 loop 2
  %6 = tg.range 4 loop 2
  %7 = tg.mul %2, %0 : index
  %8 = tg.add %3, %7 : index
  %9 = tg.mul %8, %1 : index
  %10 = tg.add %5, %9 : index
  %11 = tg.mul %10, %0 : index
  %12 = tg.add %4, %11 : index
  %13 = tg.mul %12, %1 : index
  %14 = tg.add %6, %13 : index
  %15 = tg.load %arg1[%14] : memref<25088xf32>
  %16 = tg.mul %2, %1 : index
  %17 = tg.add %5, %16 : index
  %18 = tg.mul %17, %1 : index
  %19 = tg.add %6, %18 : index
  %20 = tg.load %arg2[%19] : memref<128xf32>
  %21 = tg.mul %15, %20 : f32
  %22 = tg.ranged_reduce add %21 over %5, %6 : f32
  %23 = tg.mul %8, %0 : index
  %24 = tg.add %4, %23 : index
  tg.store %22, %arg0[%24] : memref<6272xf32>
}

// -----

// A row of a window that is contiguous, but does not fill lanes, leaves them to
// the channels too.

// CHECK-LABEL: tg.kernel @r_16_9_9_4_9_9
// CHECK: tg.stage {{.*}} : memref<5376xf32>
// REMARK: remark: {{.*}}r_16_9_9_4_9_9{{.*}}lanes across range {{[0-9]+}} by 16
tg.kernel @r_16_9_9_4_9_9_n0(%arg0: memref<1296xf32>, %arg1: memref<6724xf32>, %arg2: memref<5184xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(9 : index) : index
  %1 = tg.const(41 : index) : index
  %2 = tg.const(4 : index) : index
  %3 = tg.range 0 loop 16
  %4 = tg.range 1 loop 9
  %5 = tg.range 2 loop 9
  %6 = tg.range 3 loop 4
  %7 = tg.range 4 loop 9
  %8 = tg.range 5 loop 9
  %9 = tg.mul %4, %1 : index
  %10 = tg.add %5, %9 : index
  %11 = tg.mul %10, %2 : index
  %12 = tg.mul %6, %1 : index
  %13 = tg.add %7, %12 : index
  %14 = tg.mul %13, %1 : index
  %15 = tg.add %8, %11 : index
  %16 = tg.add %15, %14 : index
  %17 = tg.load %arg1[%16] : memref<6724xf32>
  %18 = tg.mul %3, %2 : index
  %19 = tg.add %6, %18 : index
  %20 = tg.mul %19, %0 : index
  %21 = tg.add %7, %20 : index
  %22 = tg.mul %21, %0 : index
  %23 = tg.add %8, %22 : index
  %24 = tg.load %arg2[%23] : memref<5184xf32>
  %25 = tg.mul %17, %24 : f32
  %26 = tg.ranged_reduce add %25 over %6, %7, %8 : f32
  %27 = tg.mul %3, %0 : index
  %28 = tg.add %4, %27 : index
  %29 = tg.mul %28, %0 : index
  %30 = tg.add %5, %29 : index
  tg.store %26, %arg0[%30] : memref<1296xf32>
}

// -----

// More lanes than positions: 8 products of f16 take a part of a vector.

// CHECK-LABEL: tg.kernel @few_lanes
// CHECK-SAME: #tg.step<split [0] by 32
// V256-LABEL: tg.kernel @few_lanes
tg.kernel @few_lanes(%out: memref<384xf16>, %a: memref<56xf16>, %b: memref<336xf16>) attributes {outputs = 1 : i64} {
  %c48 = tg.const(48 : index) : index
  %c7 = tg.const(7 : index) : index
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 48
  %k = tg.range 2 loop 7
  %row = tg.mul %i, %c7 : index
  %p = tg.add %row, %k : index
  %x = tg.load %a[%p] : memref<56xf16>
  %column = tg.mul %j, %c7 : index
  %q = tg.add %column, %k : index
  %y = tg.load %b[%q] : memref<336xf16>
  %z = tg.mul %x, %y : f16
  %s = tg.ranged_reduce add %z over %k : f16
  %to = tg.mul %i, %c48 : index
  %at = tg.add %j, %to : index
  tg.store %s, %out[%at] : memref<384xf16>
}

// -----

// The gradient of the weights of a convolution: all nine columns of a window are
// in one register tile, and the results of 8 channels in one tile of memory,
// contiguous along the lanes. Positions are unrolled, so that it is known which
// products are padding: the input is read where it is.

// CHECK-LABEL: tg.kernel @r_32_32_3_3_16_4_4
// CHECK: %[[CHANNELS:[0-9]+]] = tg.range {{.*}} loop 8
// CHECK: %[[LANES:[0-9]+]] = tg.range 16 upcast 32
// CHECK: %[[ROWS:[0-9]+]] = tg.range {{.*}} unroll 3
// CHECK: %[[COLUMNS:[0-9]+]] = tg.range {{.*}} unroll 3
// CHECK: tg.range 5 unroll 4
// CHECK: tg.range 6 unroll 4
// CHECK: %[[X:.*]] = tg.load %arg2[{{.*}}] mask
// CHECK-NEXT: tg.mul %{{.*}}, %[[X]]
// CHECK: tg.ranged_reduce max
// CHECK: tg.where
// CHECK: %[[SUM:.*]] = tg.ranged_reduce add
// CHECK: tg.stage %[[SUM]] over %[[CHANNELS]], %[[ROWS]], {{.*}}%[[COLUMNS]], %[[LANES]] : memref<2304xf32>
// REMARK: remark: {{.*}}r_32_32_3_3_16_4_4{{.*}}block range {{[0-9]+}} by 8
// REMARK: remark: {{.*}}r_32_32_3_3_16_4_4{{.*}}unroll range 6 by 4
// REMARK: remark: {{.*}}r_32_32_3_3_16_4_4{{.*}}unroll range 5 by 4
tg.kernel @r_32_32_3_3_16_4_4_n0(%arg0: memref<9216xf32>, %arg1: memref<8192xf32>, %arg2: memref<8192xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(3 : index) : index
  %1 = tg.const(-5 : index) : index
  %2 = tg.const(5 : index) : index
  %3 = tg.const(0 : index) : index
  %4 = tg.const(32 : index) : index
  %5 = tg.const(4 : index) : index
  %6 = tg.range 0 loop 32
  %7 = tg.range 1 loop 32
  %8 = tg.range 2 loop 3
  %9 = tg.range 3 loop 3
  %10 = tg.range 4 loop 16
  %11 = tg.range 5 loop 4
  %12 = tg.range 6 loop 4
  %13 = tg.mul %10, %4 : index
  %14 = tg.add %6, %13 : index
  %15 = tg.mul %14, %5 : index
  %16 = tg.add %11, %15 : index
  %17 = tg.mul %16, %5 : index
  %18 = tg.add %12, %17 : index
  %19 = tg.load %arg1[%18] : memref<8192xf32>
  %20 = tg.add %8, %11 : index
  %21 = tg.cmplt %3, %20 : index
  %22 = tg.cmplt %20, %2 : index
  %23 = tg.and %21, %22 : i1
  %24 = tg.add %9, %12 : index
  %25 = tg.cmplt %3, %24 : index
  %26 = tg.and %23, %25 : i1
  %27 = tg.cmplt %24, %2 : index
  %28 = tg.and %26, %27 : i1
  %29 = tg.add %7, %13 : index
  %30 = tg.mul %29, %5 : index
  %31 = tg.add %20, %30 : index
  %32 = tg.mul %31, %5 : index
  %33 = tg.add %24, %32 : index
  %34 = tg.add %33, %1 : index
  %35 = tg.load %arg2[%34] mask %28 : memref<8192xf32>
  %36 = tg.mul %19, %35 : f32
  %37 = tg.ranged_reduce add %36 over %10, %11, %12 : f32
  %38 = tg.mul %6, %4 : index
  %39 = tg.add %7, %38 : index
  %40 = tg.mul %39, %0 : index
  %41 = tg.add %8, %40 : index
  %42 = tg.mul %41, %0 : index
  %43 = tg.add %9, %42 : index
  tg.store %37, %arg0[%43] : memref<9216xf32>
}

// -----

// Long rows stay loops, whose padding is not left out. Their windows get a tile.

// CHECK-LABEL: tg.kernel @r_32_32_3_3_16_14_14
// CHECK: tg.range 14 unroll 3
// CHECK: tg.range 5 loop 14
// CHECK: tg.range 6 loop 14
// CHECK: tg.load %arg2[{{.*}}] mask {{.*}} prefetch
// CHECK-NEXT: tg.stage
// CHECK-NOT: tg.ranged_reduce max
// CHECK: tg.ranged_reduce add
tg.kernel @r_32_32_3_3_16_14_14_n0(%arg0: memref<9216xf32>, %arg1: memref<100352xf32>, %arg2: memref<100352xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(3 : index) : index
  %1 = tg.const(-15 : index) : index
  %2 = tg.const(15 : index) : index
  %3 = tg.const(0 : index) : index
  %4 = tg.const(32 : index) : index
  %5 = tg.const(14 : index) : index
  %6 = tg.range 0 loop 32
  %7 = tg.range 1 loop 32
  %8 = tg.range 2 loop 3
  %9 = tg.range 3 loop 3
  %10 = tg.range 4 loop 16
  %11 = tg.range 5 loop 14
  %12 = tg.range 6 loop 14
  %13 = tg.mul %10, %4 : index
  %14 = tg.add %6, %13 : index
  %15 = tg.mul %14, %5 : index
  %16 = tg.add %11, %15 : index
  %17 = tg.mul %16, %5 : index
  %18 = tg.add %12, %17 : index
  %19 = tg.load %arg1[%18] : memref<100352xf32>
  %20 = tg.add %8, %11 : index
  %21 = tg.cmplt %3, %20 : index
  %22 = tg.cmplt %20, %2 : index
  %23 = tg.and %21, %22 : i1
  %24 = tg.add %9, %12 : index
  %25 = tg.cmplt %3, %24 : index
  %26 = tg.and %23, %25 : i1
  %27 = tg.cmplt %24, %2 : index
  %28 = tg.and %26, %27 : i1
  %29 = tg.add %7, %13 : index
  %30 = tg.mul %29, %5 : index
  %31 = tg.add %20, %30 : index
  %32 = tg.mul %31, %5 : index
  %33 = tg.add %24, %32 : index
  %34 = tg.add %33, %1 : index
  %35 = tg.load %arg2[%34] mask %28 : memref<100352xf32>
  %36 = tg.mul %19, %35 : f32
  %37 = tg.ranged_reduce add %36 over %10, %11, %12 : f32
  %38 = tg.mul %6, %4 : index
  %39 = tg.add %7, %38 : index
  %40 = tg.mul %39, %0 : index
  %41 = tg.add %8, %40 : index
  %42 = tg.mul %41, %0 : index
  %43 = tg.add %9, %42 : index
  tg.store %37, %arg0[%43] : memref<9216xf32>
}

// -----

// A tile of 16 columns has no registers for the elements that they share, so the
// window would not be unrolled and its padding not be left out: one row.

// CHECK-LABEL: tg.kernel @r_16_32_4_4_32_3_3
// CHECK: tg.range 2 loop 4
// CHECK: tg.range {{.*}} unroll 4
// CHECK: tg.range 5 loop 3
// CHECK: tg.range 6 loop 3
tg.kernel @r_16_32_4_4_32_3_3_n0(%arg0: memref<8192xf32>, %arg1: memref<8192xf32>, %arg2: memref<9216xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(3 : index) : index
  %1 = tg.const(32 : index) : index
  %2 = tg.const(-5 : index) : index
  %3 = tg.const(4 : index) : index
  %4 = tg.const(5 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 16
  %7 = tg.range 1 loop 32
  %8 = tg.range 2 loop 4
  %9 = tg.range 3 loop 4
  %10 = tg.range 4 loop 32
  %11 = tg.range 5 loop 3
  %12 = tg.range 6 loop 3
  %13 = tg.add %8, %11 : index
  %14 = tg.cmplt %5, %13 : index
  %15 = tg.cmplt %13, %4 : index
  %16 = tg.and %14, %15 : i1
  %17 = tg.add %9, %12 : index
  %18 = tg.cmplt %5, %17 : index
  %19 = tg.and %16, %18 : i1
  %20 = tg.cmplt %17, %4 : index
  %21 = tg.and %19, %20 : i1
  %22 = tg.mul %6, %1 : index
  %23 = tg.add %10, %22 : index
  %24 = tg.mul %23, %3 : index
  %25 = tg.add %13, %24 : index
  %26 = tg.mul %25, %3 : index
  %27 = tg.add %17, %26 : index
  %28 = tg.add %27, %2 : index
  %29 = tg.load %arg1[%28] mask %21 : memref<8192xf32>
  %30 = tg.mul %7, %1 : index
  %31 = tg.add %10, %30 : index
  %32 = tg.mul %31, %0 : index
  %33 = tg.add %11, %32 : index
  %34 = tg.mul %33, %0 : index
  %35 = tg.add %12, %34 : index
  %36 = tg.load %arg2[%35] : memref<9216xf32>
  %37 = tg.mul %29, %36 : f32
  %38 = tg.ranged_reduce add %37 over %10, %11, %12 : f32
  %39 = tg.add %7, %22 : index
  %40 = tg.mul %39, %3 : index
  %41 = tg.add %8, %40 : index
  %42 = tg.mul %41, %3 : index
  %43 = tg.add %9, %42 : index
  tg.store %38, %arg0[%43] : memref<8192xf32>
}

// -----

// A few positions, with the whole window unrolled.

// CHECK-LABEL: tg.kernel @r_16_64_2_2_64_3_3
// CHECK: tg.range {{.*}} unroll 2
// CHECK: tg.range {{.*}} unroll 2
// CHECK: tg.range 5 unroll 3
// CHECK: tg.range 6 unroll 3
tg.kernel @r_16_64_2_2_64_3_3_n0(%arg0: memref<4096xf32>, %arg1: memref<4096xf32>, %arg2: memref<36864xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.const(-3 : index) : index
  %2 = tg.const(2 : index) : index
  %3 = tg.const(3 : index) : index
  %4 = tg.const(0 : index) : index
  %5 = tg.range 0 loop 16
  %6 = tg.range 1 loop 64
  %7 = tg.range 2 loop 2
  %8 = tg.range 3 loop 2
  %9 = tg.range 4 loop 64
  %10 = tg.range 5 loop 3
  %11 = tg.range 6 loop 3
  %12 = tg.add %7, %10 : index
  %13 = tg.cmplt %4, %12 : index
  %14 = tg.cmplt %12, %3 : index
  %15 = tg.and %13, %14 : i1
  %16 = tg.add %8, %11 : index
  %17 = tg.cmplt %4, %16 : index
  %18 = tg.and %15, %17 : i1
  %19 = tg.cmplt %16, %3 : index
  %20 = tg.and %18, %19 : i1
  %21 = tg.mul %5, %0 : index
  %22 = tg.add %9, %21 : index
  %23 = tg.mul %22, %2 : index
  %24 = tg.add %12, %23 : index
  %25 = tg.mul %24, %2 : index
  %26 = tg.add %16, %25 : index
  %27 = tg.add %26, %1 : index
  %28 = tg.load %arg1[%27] mask %20 : memref<4096xf32>
  %29 = tg.mul %6, %0 : index
  %30 = tg.add %9, %29 : index
  %31 = tg.mul %30, %3 : index
  %32 = tg.add %10, %31 : index
  %33 = tg.mul %32, %3 : index
  %34 = tg.add %11, %33 : index
  %35 = tg.load %arg2[%34] : memref<36864xf32>
  %36 = tg.mul %28, %35 : f32
  %37 = tg.ranged_reduce add %36 over %9, %10, %11 : f32
  %38 = tg.add %6, %21 : index
  %39 = tg.mul %38, %2 : index
  %40 = tg.add %7, %39 : index
  %41 = tg.mul %40, %2 : index
  %42 = tg.add %8, %41 : index
  tg.store %37, %arg0[%42] : memref<4096xf32>
}

// -----

// A short sum without reuse, beside a convolution, is computed with what follows
// the tiles, and unrolled.

// CHECK-LABEL: tg.kernel @short
// CHECK: tg.range 7 unroll 2
// CHECK: tg.range 8 unroll 2
// CHECK: %[[OF_PRODUCTS:.*]] = tg.ranged_reduce add {{.*}} over %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK: tg.stage %[[OF_PRODUCTS]]
// CHECK: %[[TILE:.*]] = tg.load %{{.*}} : memref<{{.*}}xf32>
// CHECK: %[[SHORT:.*]] = tg.ranged_reduce add {{.*}} over %{{.*}}, %{{.*}} :
// CHECK: tg.mul %{{.*}}, %[[SHORT]] : f32
tg.kernel @short(%arg0: memref<12544xf32>, %arg1: memref<25088xf32>, %arg2: memref<4608xf32>, %arg3: memref<50176xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(32 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(14 : index) : index
  %3 = tg.const(16 : index) : index
  %4 = tg.const(-29 : index) : index
  %5 = tg.const(2 : index) : index
  %6 = tg.const(0 : index) : index
  %7 = tg.range 0 loop 2
  %8 = tg.range 1 loop 32
  %9 = tg.range 2 loop 14
  %10 = tg.range 3 loop 14
  %11 = tg.range 4 loop 16
  %12 = tg.range 5 loop 3
  %13 = tg.range 6 loop 3
  %p = tg.range 7 loop 2
  %q = tg.range 8 loop 2
  %14 = tg.mul %9, %5 : index
  %15 = tg.add %14, %12 : index
  %16 = tg.cmplt %6, %15 : index
  %17 = tg.mul %10, %5 : index
  %18 = tg.add %17, %13 : index
  %19 = tg.cmplt %6, %18 : index
  %20 = tg.and %16, %19 : i1
  %21 = tg.mul %7, %3 : index
  %22 = tg.add %11, %21 : index
  %23 = tg.mul %22, %2 : index
  %24 = tg.add %9, %23 : index
  %25 = tg.mul %24, %5 : index
  %26 = tg.add %12, %25 : index
  %27 = tg.mul %26, %2 : index
  %28 = tg.add %10, %27 : index
  %29 = tg.mul %28, %5 : index
  %30 = tg.add %13, %29 : index
  %31 = tg.add %30, %4 : index
  %32 = tg.load %arg1[%31] mask %20 : memref<25088xf32>
  %33 = tg.mul %8, %3 : index
  %34 = tg.add %11, %33 : index
  %35 = tg.mul %34, %1 : index
  %36 = tg.add %12, %35 : index
  %37 = tg.mul %36, %1 : index
  %38 = tg.add %13, %37 : index
  %39 = tg.load %arg2[%38] : memref<4608xf32>
  %40 = tg.mul %32, %39 : f32
  %41 = tg.ranged_reduce add %40 over %11, %12, %13 : f32
  %42 = tg.mul %7, %0 : index
  %43 = tg.add %8, %42 : index
  %44 = tg.mul %43, %2 : index
  %45 = tg.add %9, %44 : index
  %46 = tg.mul %45, %2 : index
  %47 = tg.add %10, %46 : index
  %48 = tg.mul %45, %5 : index
  %49 = tg.add %48, %p : index
  %50 = tg.mul %49, %2 : index
  %51 = tg.add %50, %10 : index
  %52 = tg.mul %51, %5 : index
  %53 = tg.add %52, %q : index
  %54 = tg.load %arg3[%53] : memref<50176xf32>
  %55 = tg.ranged_reduce add %54 over %p, %q : f32
  %56 = tg.mul %41, %55 : f32
  tg.store %56, %arg0[%47] : memref<12544xf32>
}

// -----

// Sums over windows: a tile with lanes along 16 columns would be one vector
// wide. Lanes run along the channels, although the columns fill a vector.

// CHECK-LABEL: tg.kernel @r_2_32_16_16_16_3_3
// CHECK: tg.range {{.*}} upcast 32
// CHECK: tg.range {{.*}} unroll {{[0-9]+}}
// REMARK: remark: {{.*}}r_2_32_16_16_16_3_3{{.*}}lanes across
tg.kernel @r_2_32_16_16_16_3_3_n0(%arg0: memref<16384xf32>, %arg1: memref<8192xf32>, %arg2: memref<4608xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(32 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(-17 : index) : index
  %3 = tg.const(16 : index) : index
  %4 = tg.const(17 : index) : index
  %5 = tg.const(0 : index) : index
  %6 = tg.range 0 loop 2
  %7 = tg.range 1 loop 32
  %8 = tg.range 2 loop 16
  %9 = tg.range 3 loop 16
  %10 = tg.range 4 loop 16
  %11 = tg.range 5 loop 3
  %12 = tg.range 6 loop 3
  %13 = tg.add %8, %11 : index
  %14 = tg.cmplt %5, %13 : index
  %15 = tg.cmplt %13, %4 : index
  %16 = tg.and %14, %15 : i1
  %17 = tg.add %9, %12 : index
  %18 = tg.cmplt %5, %17 : index
  %19 = tg.and %16, %18 : i1
  %20 = tg.cmplt %17, %4 : index
  %21 = tg.and %19, %20 : i1
  %22 = tg.mul %6, %3 : index
  %23 = tg.add %10, %22 : index
  %24 = tg.mul %23, %3 : index
  %25 = tg.add %13, %24 : index
  %26 = tg.mul %25, %3 : index
  %27 = tg.add %17, %26 : index
  %28 = tg.add %27, %2 : index
  %29 = tg.load %arg1[%28] mask %21 : memref<8192xf32>
  %30 = tg.mul %7, %3 : index
  %31 = tg.add %10, %30 : index
  %32 = tg.mul %31, %1 : index
  %33 = tg.add %11, %32 : index
  %34 = tg.mul %33, %1 : index
  %35 = tg.add %12, %34 : index
  %36 = tg.load %arg2[%35] : memref<4608xf32>
  %37 = tg.mul %29, %36 : f32
  %38 = tg.ranged_reduce add %37 over %10, %11, %12 : f32
  %39 = tg.mul %6, %0 : index
  %40 = tg.add %7, %39 : index
  %41 = tg.mul %40, %3 : index
  %42 = tg.add %8, %41 : index
  %43 = tg.mul %42, %3 : index
  %44 = tg.add %9, %43 : index
  tg.store %38, %arg0[%44] : memref<16384xf32>
}

// -----

// 32 columns are two vectors, but this sum selects among the products.

// REMARK: remark: {{.*}}r_2_32_32_32_16_3_3{{.*}}lanes across
tg.kernel @r_2_32_32_32_16_3_3_n0(%arg0: memref<65536xf32>, %arg1: memref<32768xf32>, %arg2: memref<4608xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(0.000000e+00 : f32) : f32
  %1 = tg.const(3 : index) : index
  %2 = tg.const(8 : index) : index
  %3 = tg.const(16 : index) : index
  %4 = tg.const(-33 : index) : index
  %5 = tg.const(32 : index) : index
  %6 = tg.const(33 : index) : index
  %7 = tg.const(0 : index) : index
  %8 = tg.range 0 loop 2
  %9 = tg.range 1 loop 32
  %10 = tg.range 2 loop 32
  %11 = tg.range 3 loop 32
  %12 = tg.range 4 loop 16
  %13 = tg.range 5 loop 3
  %14 = tg.range 6 loop 3
  %15 = tg.add %10, %13 : index
  %16 = tg.cmplt %7, %15 : index
  %17 = tg.cmplt %15, %6 : index
  %18 = tg.and %16, %17 : i1
  %19 = tg.add %11, %14 : index
  %20 = tg.cmplt %7, %19 : index
  %21 = tg.and %18, %20 : i1
  %22 = tg.cmplt %19, %6 : index
  %23 = tg.and %21, %22 : i1
  %24 = tg.mul %8, %3 : index
  %25 = tg.add %12, %24 : index
  %26 = tg.mul %25, %5 : index
  %27 = tg.add %15, %26 : index
  %28 = tg.mul %27, %5 : index
  %29 = tg.add %19, %28 : index
  %30 = tg.add %29, %4 : index
  %31 = tg.load %arg1[%30] mask %23 : memref<32768xf32>
  %32 = tg.mul %12, %5 : index
  %33 = tg.add %9, %32 : index
  %34 = tg.mul %33, %1 : index
  %35 = tg.sub %34, %13 : index
  %36 = tg.mul %35, %1 : index
  %37 = tg.sub %36, %14 : index
  %38 = tg.add %37, %2 : index
  %39 = tg.load %arg2[%38] : memref<4608xf32>
  %40 = tg.mul %31, %39 : f32
  %41 = tg.where %23, %40, %0 : f32
  %42 = tg.ranged_reduce add %41 over %12, %13, %14 : f32
  %43 = tg.mul %8, %5 : index
  %44 = tg.add %9, %43 : index
  %45 = tg.mul %44, %5 : index
  %46 = tg.add %10, %45 : index
  %47 = tg.mul %46, %5 : index
  %48 = tg.add %11, %47 : index
  tg.store %42, %arg0[%48] : memref<65536xf32>
}

// -----

// Rows on which the sum does not depend are not part of its tile.

// CHECK-LABEL: tg.kernel @r_16_64_3_3_32
// CHECK: tg.stage %{{.*}} over %{{[0-9]+}}, %{{[0-9]+}}, %{{[0-9]+}} : memref
tg.kernel @r_16_64_3_3_32_n0(%arg0: memref<9216xf32>, %arg1: memref<2048xf32>, %arg2: memref<1536xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.const(32 : index) : index
  %2 = tg.const(3 : index) : index
  %3 = tg.range 0 loop 16
  %4 = tg.range 1 loop 64
  %5 = tg.range 2 loop 3
  %6 = tg.range 3 loop 3
  %7 = tg.range 4 loop 32
  %8 = tg.mul %3, %1 : index
  %9 = tg.add %7, %8 : index
  %10 = tg.mul %9, %2 : index
  %11 = tg.add %6, %10 : index
  %12 = tg.load %arg2[%11] : memref<1536xf32>
  %13 = tg.mul %4, %1 : index
  %14 = tg.add %13, %7 : index
  %15 = tg.load %arg1[%14] : memref<2048xf32>
  %16 = tg.mul %12, %15 : f32
  %17 = tg.ranged_reduce add %16 over %7 : f32
  %18 = tg.mul %3, %0 : index
  %19 = tg.add %4, %18 : index
  %20 = tg.mul %19, %2 : index
  %21 = tg.add %5, %20 : index
  %22 = tg.mul %21, %2 : index
  %23 = tg.add %6, %22 : index
  tg.store %17, %arg0[%23] : memref<9216xf32>
}

// -----

// Three of 16 lanes along the columns would be used: packing pays for the nine
// results that share an element.

// CHECK-LABEL: tg.kernel @r_32_3_3_4_14_14
// CHECK: tg.range {{.*}} upcast {{16|32}}
// REMARK: remark: {{.*}}r_32_3_3_4_14_14{{.*}}lanes across
tg.kernel @r_32_3_3_4_14_14_n0(%arg0: memref<288xf32>, %arg1: memref<25088xf32>, %arg2: memref<784xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(3 : index) : index
  %1 = tg.const(-15 : index) : index
  %2 = tg.const(15 : index) : index
  %3 = tg.const(0 : index) : index
  %4 = tg.const(32 : index) : index
  %5 = tg.const(14 : index) : index
  %6 = tg.range 0 loop 32
  %7 = tg.range 1 loop 3
  %8 = tg.range 2 loop 3
  %9 = tg.range 3 loop 4
  %10 = tg.range 4 loop 14
  %11 = tg.range 5 loop 14
  %12 = tg.mul %9, %4 : index
  %13 = tg.add %6, %12 : index
  %14 = tg.mul %13, %5 : index
  %15 = tg.add %10, %14 : index
  %16 = tg.mul %15, %5 : index
  %17 = tg.add %11, %16 : index
  %18 = tg.load %arg1[%17] : memref<25088xf32>
  %19 = tg.add %7, %10 : index
  %20 = tg.cmplt %3, %19 : index
  %21 = tg.cmplt %19, %2 : index
  %22 = tg.and %20, %21 : i1
  %23 = tg.add %8, %11 : index
  %24 = tg.cmplt %3, %23 : index
  %25 = tg.and %22, %24 : i1
  %26 = tg.cmplt %23, %2 : index
  %27 = tg.and %25, %26 : i1
  %28 = tg.mul %9, %5 : index
  %29 = tg.add %19, %28 : index
  %30 = tg.mul %29, %5 : index
  %31 = tg.add %23, %30 : index
  %32 = tg.add %31, %1 : index
  %33 = tg.load %arg2[%32] mask %27 : memref<784xf32>
  %34 = tg.mul %18, %33 : f32
  %35 = tg.ranged_reduce add %34 over %9, %10, %11 : f32
  %36 = tg.mul %6, %0 : index
  %37 = tg.add %7, %36 : index
  %38 = tg.mul %37, %0 : index
  %39 = tg.add %8, %38 : index
  tg.store %35, %arg0[%39] : memref<288xf32>
}

// -----

// The gradient of the weights of a first layer: few products of each column are
// padding, so they are added (a window holds zeros there). The 14 sums of a tile
// and the 3 vectors that they need at a time are in registers, those of 4
// vectors of lanes would not be.

// CHECK-LABEL: tg.kernel @r_8_7_64_3_7_7_16_112
// CHECK: tg.range {{.*}} upcast 32
// CHECK: tg.range {{.*}} unroll 7
// CHECK-NOT: tg.where
// CHECK: tg.load %arg2[{{.*}}] mask
// CHECK-NEXT: tg.stage
// CHECK: tg.mul {{.*}} : f32
// CHECK-NEXT: tg.ranged_reduce add
// CHECK-NOT: tg.where
// REMARK: remark: {{.*}}r_8_7_64_3_7_7_16_112{{.*}}stage window
tg.kernel @r_8_7_64_3_7_7_16_112_n0(%arg0: memref<526848xf32>, %arg1: memref<6422528xf32>, %arg2: memref<1204224xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(3 : index) : index
  %1 = tg.const(-675 : index) : index
  %2 = tg.const(227 : index) : index
  %3 = tg.const(2 : index) : index
  %4 = tg.const(16 : index) : index
  %5 = tg.const(7 : index) : index
  %6 = tg.const(64 : index) : index
  %7 = tg.const(112 : index) : index
  %8 = tg.range 0 loop 8
  %9 = tg.range 1 loop 7
  %10 = tg.range 2 loop 64
  %11 = tg.range 3 loop 3
  %12 = tg.range 4 loop 7
  %13 = tg.range 5 loop 7
  %14 = tg.range 6 loop 16
  %15 = tg.range 7 loop 112
  %16 = tg.mul %8, %6 : index
  %17 = tg.add %10, %16 : index
  %18 = tg.mul %17, %5 : index
  %19 = tg.add %9, %18 : index
  %20 = tg.mul %19, %4 : index
  %21 = tg.add %14, %20 : index
  %22 = tg.mul %21, %7 : index
  %23 = tg.add %15, %22 : index
  %24 = tg.load %arg1[%23] : memref<6422528xf32>
  %25 = tg.mul %9, %4 : index
  %26 = tg.add %14, %25 : index
  %27 = tg.mul %26, %3 : index
  %28 = tg.add %12, %27 : index
  %29 = tg.cmplt %3, %28 : index
  %30 = tg.cmplt %28, %2 : index
  %31 = tg.and %29, %30 : i1
  %32 = tg.mul %15, %3 : index
  %33 = tg.add %13, %32 : index
  %34 = tg.cmplt %3, %33 : index
  %35 = tg.and %31, %34 : i1
  %36 = tg.cmplt %33, %2 : index
  %37 = tg.and %35, %36 : i1
  %38 = tg.mul %8, %0 : index
  %39 = tg.add %11, %38 : index
  %40 = tg.mul %39, %5 : index
  %41 = tg.add %9, %40 : index
  %42 = tg.mul %41, %4 : index
  %43 = tg.add %14, %42 : index
  %44 = tg.mul %43, %3 : index
  %45 = tg.add %12, %44 : index
  %46 = tg.mul %45, %7 : index
  %47 = tg.add %15, %46 : index
  %48 = tg.mul %47, %3 : index
  %49 = tg.add %13, %48 : index
  %50 = tg.add %49, %1 : index
  %51 = tg.load %arg2[%50] mask %37 : memref<1204224xf32>
  %52 = tg.mul %24, %51 : f32
  %53 = tg.ranged_reduce add %52 over %14, %15 : f32
  %54 = tg.mul %8, %5 : index
  %55 = tg.add %9, %54 : index
  %56 = tg.mul %55, %6 : index
  %57 = tg.add %10, %56 : index
  %58 = tg.mul %57, %0 : index
  %59 = tg.add %11, %58 : index
  %60 = tg.mul %59, %5 : index
  %61 = tg.add %12, %60 : index
  %62 = tg.mul %61, %5 : index
  %63 = tg.add %13, %62 : index
  tg.store %53, %arg0[%63] : memref<526848xf32>
}

// -----

// 6 of 32 lanes along the columns are idle. Sums of 9 products take less time than
// transposing their results would.

// CHECK-LABEL: tg.kernel @short_sums
// CHECK-NOT:     stage
// CHECK:         tg.range {{[0-9]+}} upcast 32
tg.kernel @short_sums(%out: memref<692224xf32>, %image: memref<50176xf32>, %weights: memref<144xf32>) attributes {outputs = 1 : i64} {
  %n = tg.range 0 loop 64
  %o = tg.range 1 loop 16
  %y = tg.range 2 loop 26
  %x = tg.range 3 loop 26
  %c = tg.range 4 loop 1
  %dy = tg.range 5 loop 3
  %dx = tg.range 6 loop 3
  %cc = tg.const(1 : index) : index
  %ck = tg.const(3 : index) : index
  %cols = tg.const(26 : index) : index
  %side = tg.const(28 : index) : index
  %c16 = tg.const(16 : index) : index
  %0 = tg.mul %n, %cc : index
  %1 = tg.add %0, %c : index
  %2 = tg.mul %1, %side : index
  %3 = tg.add %2, %y : index
  %4 = tg.add %3, %dy : index
  %5 = tg.mul %4, %side : index
  %6 = tg.add %5, %x : index
  %7 = tg.add %6, %dx : index
  %a = tg.load %image[%7] : memref<50176xf32>
  %8 = tg.mul %o, %cc : index
  %9 = tg.add %8, %c : index
  %10 = tg.mul %9, %ck : index
  %11 = tg.add %10, %dy : index
  %12 = tg.mul %11, %ck : index
  %13 = tg.add %12, %dx : index
  %b = tg.load %weights[%13] : memref<144xf32>
  %p = tg.mul %a, %b : f32
  %s = tg.ranged_reduce add %p over %c, %dy, %dx : f32
  %14 = tg.mul %n, %c16 : index
  %15 = tg.add %14, %o : index
  %16 = tg.mul %15, %cols : index
  %17 = tg.add %16, %y : index
  %18 = tg.mul %17, %cols : index
  %19 = tg.add %18, %x : index
  tg.store %s, %out[%19] : memref<692224xf32>
}

// -----

// The same with 25 products for 24 columns.

// CHECK-LABEL: tg.kernel @longer_sums
// CHECK-NOT:     stage
// CHECK:         tg.range {{[0-9]+}} upcast 32
tg.kernel @longer_sums(%out: memref<589824xf32>, %image: memref<50176xf32>, %weights: memref<400xf32>) attributes {outputs = 1 : i64} {
  %n = tg.range 0 loop 64
  %o = tg.range 1 loop 16
  %y = tg.range 2 loop 24
  %x = tg.range 3 loop 24
  %c = tg.range 4 loop 1
  %dy = tg.range 5 loop 5
  %dx = tg.range 6 loop 5
  %cc = tg.const(1 : index) : index
  %ck = tg.const(5 : index) : index
  %cols = tg.const(24 : index) : index
  %side = tg.const(28 : index) : index
  %c16 = tg.const(16 : index) : index
  %0 = tg.mul %n, %cc : index
  %1 = tg.add %0, %c : index
  %2 = tg.mul %1, %side : index
  %3 = tg.add %2, %y : index
  %4 = tg.add %3, %dy : index
  %5 = tg.mul %4, %side : index
  %6 = tg.add %5, %x : index
  %7 = tg.add %6, %dx : index
  %a = tg.load %image[%7] : memref<50176xf32>
  %8 = tg.mul %o, %cc : index
  %9 = tg.add %8, %c : index
  %10 = tg.mul %9, %ck : index
  %11 = tg.add %10, %dy : index
  %12 = tg.mul %11, %ck : index
  %13 = tg.add %12, %dx : index
  %b = tg.load %weights[%13] : memref<400xf32>
  %p = tg.mul %a, %b : f32
  %s = tg.ranged_reduce add %p over %c, %dy, %dx : f32
  %14 = tg.mul %n, %c16 : index
  %15 = tg.add %14, %o : index
  %16 = tg.mul %15, %cols : index
  %17 = tg.add %16, %y : index
  %18 = tg.mul %17, %cols : index
  %19 = tg.add %18, %x : index
  tg.store %s, %out[%19] : memref<589824xf32>
}

// -----

// Sums of 36 products take longer.

// CHECK-LABEL: tg.kernel @long_sums
// CHECK-SAME:    #tg.step<stage ranged_reduce 0
tg.kernel @long_sums(%out: memref<692224xf32>, %image: memref<200704xf32>, %weights: memref<576xf32>) attributes {outputs = 1 : i64} {
  %n = tg.range 0 loop 64
  %o = tg.range 1 loop 16
  %y = tg.range 2 loop 26
  %x = tg.range 3 loop 26
  %c = tg.range 4 loop 4
  %dy = tg.range 5 loop 3
  %dx = tg.range 6 loop 3
  %cc = tg.const(4 : index) : index
  %ck = tg.const(3 : index) : index
  %cols = tg.const(26 : index) : index
  %side = tg.const(28 : index) : index
  %c16 = tg.const(16 : index) : index
  %0 = tg.mul %n, %cc : index
  %1 = tg.add %0, %c : index
  %2 = tg.mul %1, %side : index
  %3 = tg.add %2, %y : index
  %4 = tg.add %3, %dy : index
  %5 = tg.mul %4, %side : index
  %6 = tg.add %5, %x : index
  %7 = tg.add %6, %dx : index
  %a = tg.load %image[%7] : memref<200704xf32>
  %8 = tg.mul %o, %cc : index
  %9 = tg.add %8, %c : index
  %10 = tg.mul %9, %ck : index
  %11 = tg.add %10, %dy : index
  %12 = tg.mul %11, %ck : index
  %13 = tg.add %12, %dx : index
  %b = tg.load %weights[%13] : memref<576xf32>
  %p = tg.mul %a, %b : f32
  %s = tg.ranged_reduce add %p over %c, %dy, %dx : f32
  %14 = tg.mul %n, %c16 : index
  %15 = tg.add %14, %o : index
  %16 = tg.mul %15, %cols : index
  %17 = tg.add %16, %y : index
  %18 = tg.mul %17, %cols : index
  %19 = tg.add %18, %x : index
  tg.store %s, %out[%19] : memref<692224xf32>
}
