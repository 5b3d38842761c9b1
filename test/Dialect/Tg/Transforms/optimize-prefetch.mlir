// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline --verify-each | FileCheck %s

// Rows that may be shorter than they are apart are read ahead of time.

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} prefetch 4096
#n = #tg.var<"n", 1, 4096>
!x = tensor<4096x?xf32, #tg.shape<4096, #n>>
func.func @symbolic(%x: !x) -> !x {
  %0 = tg.exp2 %x : !x
  return %0 : !x
}

// -----

// Likewise those of a part, and those that are summed up.

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} prefetch 4096
func.func @part(%x: tensor<4096x4096xf32>) -> tensor<4096x2048xf32> {
  %0 = tg.shrink %x from [0, 1024] to [4096, 3072] : tensor<4096x4096xf32> -> tensor<4096x2048xf32>
  %1 = tg.exp2 %0 : tensor<4096x2048xf32>
  return %1 : tensor<4096x2048xf32>
}

// -----

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} prefetch 4096
#n = #tg.var<"n", 1, 4096>
!x = tensor<4096x?xf32, #tg.shape<4096, #n>>
func.func @sums(%x: !x) -> tensor<4096x1xf32> {
  %0 = tg.reduce add %x axes [1] : !x -> tensor<4096x1xf32>
  return %0 : tensor<4096x1xf32>
}

// -----

// Rows that follow one another are one stream.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
func.func @whole(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = tg.exp2 %x : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}

// -----

// So are a symbolic number of rows.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
#n = #tg.var<"n", 1, 4096>
!x = tensor<?x4096xf32, #tg.shape<#n, 4096>>
func.func @rows(%x: !x) -> !x {
  %0 = tg.exp2 %x : !x
  return %0 : !x
}

// -----

// What fits in the caches stays there.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
#n = #tg.var<"n", 1, 1024>
!x = tensor<1024x?xf32, #tg.shape<1024, #n>>
func.func @small(%x: !x) -> !x {
  %0 = tg.exp2 %x : !x
  return %0 : !x
}

// -----

// Rows of 256 bytes are too close, those of 4 MiB too long.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
#n = #tg.var<"n", 1, 64>
!x = tensor<262144x?xf32, #tg.shape<262144, #n>>
func.func @short(%x: !x) -> !x {
  %0 = tg.exp2 %x : !x
  return %0 : !x
}

// -----

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
#n = #tg.var<"n", 1, 1048576>
!x = tensor<16x?xf32, #tg.shape<16, #n>>
func.func @long(%x: !x) -> !x {
  %0 = tg.exp2 %x : !x
  return %0 : !x
}

// -----

// Matrices are read several times, from the caches.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch 4096
#n = #tg.var<"n", 1, 4096>
!a = tensor<4096x?x1xf32, #tg.shape<4096, #n, 1>>
!b = tensor<1x?x4096xf32, #tg.shape<1, #n, 4096>>
!p = tensor<4096x?x4096xf32, #tg.shape<4096, #n, 4096>>
func.func @matmul(%a: !a, %b: !b) -> tensor<4096x1x4096xf32> {
  %0 = tg.expand %a : !a -> !p
  %1 = tg.expand %b : !b -> !p
  %2 = tg.mul %0, %1 : !p
  %3 = tg.reduce add %2 axes [1] : !p -> tensor<4096x1x4096xf32>
  return %3 : tensor<4096x1x4096xf32>
}

// -----

// A product of one row with a matrix goes down the columns: a piece of 1 KiB of
// each row is read, 8 KiB apart, and fetched 8 rows ahead.

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} : memref<2048xf32>
// CHECK: tg.load %{{.*}} prefetch 16384 : memref<4194304xf32>
func.func @columns(%x: tensor<1x2048xf32>, %w: tensor<2048x2048xf32>) -> tensor<1x2048x1xf32> {
  %0 = tg.reshape %x : tensor<1x2048xf32> -> tensor<1x1x2048xf32>
  %1 = tg.expand %0 : tensor<1x1x2048xf32> -> tensor<1x2048x2048xf32>
  %2 = tg.permute %w [1, 0] : tensor<2048x2048xf32> -> tensor<2048x2048xf32>
  %3 = tg.reshape %2 : tensor<2048x2048xf32> -> tensor<1x2048x2048xf32>
  %5 = tg.mul %1, %3 : tensor<1x2048x2048xf32>
  %6 = tg.reduce add %5 axes [2] : tensor<1x2048x2048xf32> -> tensor<1x2048x1xf32>
  return %6 : tensor<1x2048x1xf32>
}

// -----

// A few rows use what was read in one go.

// CHECK-LABEL: tg.kernel
// CHECK: tg.load %{{.*}} prefetch {{[0-9]+}} : memref<16777216xf32>
func.func @few_rows(%x: tensor<3x4096xf32>, %w: tensor<4096x4096xf32>) -> tensor<3x4096x1xf32> {
  %0 = tg.reshape %x : tensor<3x4096xf32> -> tensor<3x1x4096xf32>
  %1 = tg.expand %0 : tensor<3x1x4096xf32> -> tensor<3x4096x4096xf32>
  %2 = tg.permute %w [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %3 = tg.reshape %2 : tensor<4096x4096xf32> -> tensor<1x4096x4096xf32>
  %4 = tg.expand %3 : tensor<1x4096x4096xf32> -> tensor<3x4096x4096xf32>
  %5 = tg.mul %1, %4 : tensor<3x4096x4096xf32>
  %6 = tg.reduce add %5 axes [2] : tensor<3x4096x4096xf32> -> tensor<3x4096x1xf32>
  return %6 : tensor<3x4096x1xf32>
}

// -----

// Not where the second-level cache holds the matrix.

// CHECK-LABEL: tg.kernel
// CHECK-NOT: prefetch
func.func @cached(%x: tensor<1x256xf32>, %w: tensor<256x256xf32>) -> tensor<1x256x1xf32> {
  %0 = tg.reshape %x : tensor<1x256xf32> -> tensor<1x1x256xf32>
  %1 = tg.expand %0 : tensor<1x1x256xf32> -> tensor<1x256x256xf32>
  %2 = tg.permute %w [1, 0] : tensor<256x256xf32> -> tensor<256x256xf32>
  %3 = tg.reshape %2 : tensor<256x256xf32> -> tensor<1x256x256xf32>
  %4 = tg.mul %1, %3 : tensor<1x256x256xf32>
  %5 = tg.reduce add %4 axes [2] : tensor<1x256x256xf32> -> tensor<1x256x1xf32>
  return %5 : tensor<1x256x1xf32>
}
