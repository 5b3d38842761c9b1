// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v3 --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefix=V256
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v2 --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefix=V128
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// The gradient by the input: along the lanes, weights are 9 elements apart, with
// those of the mirrored window between them. The window is unrolled, so that they
// are loaded as strips, two input channels ahead. With vectors of 4 elements it is
// not. The window of an image has 6 rows, of which it is known which are padding.

// CHECK-LABEL: tg.kernel @r_16_64_4_4_32_3_3
// CHECK-SAME: prefetch load 2 by 1152
// CHECK: tg.range {{.*}} unroll 9
// CHECK: tg.range {{.*}} unroll 6
// CHECK: tg.load %arg1{{.*}} prefetch 1152
// V256-LABEL: tg.kernel @r_16_64_4_4_32_3_3
// V256: tg.range {{.*}} unroll 9
// V256: tg.range {{.*}} unroll 6
// V128-LABEL: tg.kernel @r_16_64_4_4_32_3_3
// V128-NOT: unroll 9
// V128: tg.range {{.*}} unroll 6
// V128-NOT: unroll 9
// REMARK: remark: {{.*}}r_16_64_4_4_32_3_3{{.*}}unroll range {{[0-9]+}} by 6
// REMARK: remark: {{.*}}r_16_64_4_4_32_3_3{{.*}}unroll range {{[0-9]+}} by 9
tg.kernel @r_16_64_4_4_32_3_3_n2(%arg0: memref<16384xf32>, %arg1: memref<18432xf32>, %arg2: memref<8192xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(3 : index) : index
  %1 = tg.const(64 : index) : index
  %2 = tg.const(8 : index) : index
  %3 = tg.const(32 : index) : index
  %4 = tg.const(-5 : index) : index
  %5 = tg.const(4 : index) : index
  %6 = tg.const(5 : index) : index
  %7 = tg.const(0 : index) : index
  %8 = tg.range 0 loop 16
  %9 = tg.range 1 loop 64
  %10 = tg.range 2 loop 4
  %11 = tg.range 3 loop 4
  %12 = tg.range 4 loop 32
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
  %31 = tg.load %arg2[%30] mask %23 : memref<8192xf32>
  %32 = tg.mul %12, %1 : index
  %33 = tg.add %9, %32 : index
  %34 = tg.mul %33, %0 : index
  %35 = tg.sub %34, %13 : index
  %36 = tg.mul %35, %0 : index
  %37 = tg.sub %36, %14 : index
  %38 = tg.add %37, %2 : index
  %39 = tg.load %arg1[%38] : memref<18432xf32>
  %40 = tg.mul %31, %39 : f32
  %41 = tg.ranged_reduce add %40 over %12, %13, %14 : f32
  %42 = tg.mul %8, %1 : index
  %43 = tg.add %9, %42 : index
  %44 = tg.mul %43, %5 : index
  %45 = tg.add %10, %44 : index
  %46 = tg.mul %45, %5 : index
  %47 = tg.add %11, %46 : index
  tg.store %41, %arg0[%47] : memref<16384xf32>
}

// -----

// Of an image with four groups of rows, the padding depends on the group: the
// rows of the window are a loop. The weights are contiguous along the window and
// the input channels, so that squares of them are transposed.

// CHECK-LABEL: tg.kernel @r_4_64_28_28_256_3_3
// CHECK: tg.range {{.*}} unroll 16
// CHECK: tg.range {{.*}} loop 9
// CHECK-NOT: unroll 9
// CHECK: tg.ranged_reduce
// V256-LABEL: tg.kernel @r_4_64_28_28_256_3_3
// V128-LABEL: tg.kernel @r_4_64_28_28_256_3_3
tg.kernel @r_4_64_28_28_256_3_3_n0(%arg0: memref<200704xf32>, %arg1: memref<802816xf32>, %arg2: memref<147456xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.const(64 : index) : index
  %1 = tg.const(3 : index) : index
  %2 = tg.const(256 : index) : index
  %3 = tg.const(-29 : index) : index
  %4 = tg.const(28 : index) : index
  %5 = tg.const(29 : index) : index
  %6 = tg.const(0 : index) : index
  %7 = tg.range 0 loop 4
  %8 = tg.range 1 loop 64
  %9 = tg.range 2 loop 28
  %10 = tg.range 3 loop 28
  %11 = tg.range 4 loop 256
  %12 = tg.range 5 loop 3
  %13 = tg.range 6 loop 3
  %14 = tg.add %9, %12 : index
  %15 = tg.cmplt %6, %14 : index
  %16 = tg.cmplt %14, %5 : index
  %17 = tg.and %15, %16 : i1
  %18 = tg.add %10, %13 : index
  %19 = tg.cmplt %6, %18 : index
  %20 = tg.and %17, %19 : i1
  %21 = tg.cmplt %18, %5 : index
  %22 = tg.and %20, %21 : i1
  %23 = tg.mul %7, %2 : index
  %24 = tg.add %11, %23 : index
  %25 = tg.mul %24, %4 : index
  %26 = tg.add %14, %25 : index
  %27 = tg.mul %26, %4 : index
  %28 = tg.add %18, %27 : index
  %29 = tg.add %28, %3 : index
  %30 = tg.load %arg1[%29] mask %22 : memref<802816xf32>
  %31 = tg.mul %8, %2 : index
  %32 = tg.add %11, %31 : index
  %33 = tg.mul %32, %1 : index
  %34 = tg.add %12, %33 : index
  %35 = tg.mul %34, %1 : index
  %36 = tg.add %13, %35 : index
  %37 = tg.load %arg2[%36] : memref<147456xf32>
  %38 = tg.mul %30, %37 : f32
  %39 = tg.ranged_reduce add %38 over %11, %12, %13 : f32
  %40 = tg.mul %7, %0 : index
  %41 = tg.add %8, %40 : index
  %42 = tg.mul %41, %4 : index
  %43 = tg.add %9, %42 : index
  %44 = tg.mul %43, %4 : index
  %45 = tg.add %10, %44 : index
  tg.store %39, %arg0[%45] : memref<200704xf32>
}
