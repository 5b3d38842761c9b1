// RUN: tg-opt %s --split-input-file --tg-split-reduce | FileCheck %s

// Deep products of matrices whose blocks are too few groups.

// One block of 64x64 results: 64 parts of 128 positions. They are outermost in
// memory, so that the columns stay neighbors.
// CHECK-LABEL: func.func @deep
// CHECK: tg.reshape %{{.*}} : tensor<64x64x8192xf32> -> tensor<64x64x64x128xf32>
// CHECK-NEXT: tg.reduce add %{{.*}} axes [3] : tensor<64x64x64x128xf32> -> tensor<64x64x64x1xf32>
// CHECK-NEXT: tg.permute %{{.*}} [2, 3, 0, 1] : tensor<64x64x64x1xf32> -> tensor<64x1x64x64xf32>
// CHECK-NEXT: tg.contiguous
// CHECK-NEXT: tg.permute %{{.*}} [2, 3, 0, 1]
// CHECK-NEXT: tg.reduce add %{{.*}} axes [2] : tensor<64x64x64x1xf32> -> tensor<64x64x1x1xf32>
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
func.func @deep(%a: tensor<64x8192xf32>, %b: tensor<64x8192xf32>) -> tensor<64x64x1xf32> {
  %a3 = tg.reshape %a : tensor<64x8192xf32> -> tensor<64x1x8192xf32>
  %b3 = tg.reshape %b : tensor<64x8192xf32> -> tensor<1x64x8192xf32>
  %ae = tg.expand %a3 : tensor<64x1x8192xf32> -> tensor<64x64x8192xf32>
  %be = tg.expand %b3 : tensor<1x64x8192xf32> -> tensor<64x64x8192xf32>
  %p = tg.mul %ae, %be : tensor<64x64x8192xf32>
  %r = tg.reduce add %p axes [2] : tensor<64x64x8192xf32> -> tensor<64x64x1xf32>
  return %r : tensor<64x64x1xf32>
}

// Few rows: 32 blocks, so 8 parts. Sums of parts of narrow types are not
// rounded to these.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[A:.*]] = tg.cast %{{.*}} : tensor<8x2048x2048xf16> -> tensor<8x2048x2048xf32>
// CHECK-NEXT: %[[B:.*]] = tg.cast %{{.*}} : tensor<8x2048x2048xf16> -> tensor<8x2048x2048xf32>
// CHECK-NEXT: %[[P:.*]] = tg.mul %[[A]], %[[B]]
// CHECK-NEXT: tg.reshape %[[P]] : tensor<8x2048x2048xf32> -> tensor<8x8x256x2048xf32>
// CHECK-NEXT: tg.reduce add %{{.*}} axes [2] : tensor<8x8x256x2048xf32>
// CHECK: tg.reduce add %{{.*}} axes [1] : tensor<8x8x1x2048xf32> -> tensor<8x1x1x2048xf32>
// CHECK-NEXT: %[[S:.*]] = tg.reshape
// CHECK-NEXT: tg.cast %[[S]] : tensor<8x1x2048xf32> -> tensor<8x1x2048xf16>
func.func @narrow(%a: tensor<8x2048xf16>, %b: tensor<2048x2048xf16>) -> tensor<8x1x2048xf16> {
  %a3 = tg.reshape %a : tensor<8x2048xf16> -> tensor<8x2048x1xf16>
  %b3 = tg.reshape %b : tensor<2048x2048xf16> -> tensor<1x2048x2048xf16>
  %ae = tg.expand %a3 : tensor<8x2048x1xf16> -> tensor<8x2048x2048xf16>
  %be = tg.expand %b3 : tensor<1x2048x2048xf16> -> tensor<8x2048x2048xf16>
  %p = tg.mul %ae, %be : tensor<8x2048x2048xf16>
  %r = tg.reduce add %p axes [1] : tensor<8x2048x2048xf16> -> tensor<8x1x2048xf16>
  return %r : tensor<8x1x2048xf16>
}

// What is computed from one factor is broadcast as the factor is. No number of
// parts divides a prime depth: the rest is added.
// CHECK-LABEL: func.func @prime
// CHECK: %[[P:.*]] = tg.mul
// CHECK: %[[T:.*]] = tg.shrink %[[P]] from [0, 0, 1024] to [64, 64, 1031]
// CHECK-NEXT: %[[R:.*]] = tg.reduce add %[[T]] axes [2] : tensor<64x64x7xf32>
// CHECK: tg.reshape %{{.*}} : tensor<64x64x1024xf32> -> tensor<64x64x8x128xf32>
// CHECK: tg.add %{{.*}}, %[[R]]
func.func @prime(%a: tensor<64x1031xf32>, %b: tensor<1031x64xf32>) -> tensor<64x64x1xf32> {
  %a3 = tg.reshape %a : tensor<64x1031xf32> -> tensor<64x1x1031xf32>
  %ae = tg.expand %a3 : tensor<64x1x1031xf32> -> tensor<64x64x1031xf32>
  %x = tg.neg %ae : tensor<64x64x1031xf32>
  %bt = tg.permute %b [1, 0] : tensor<1031x64xf32> -> tensor<64x1031xf32>
  %b3 = tg.reshape %bt : tensor<64x1031xf32> -> tensor<1x64x1031xf32>
  %be = tg.expand %b3 : tensor<1x64x1031xf32> -> tensor<64x64x1031xf32>
  %p = tg.mul %x, %be : tensor<64x64x1031xf32>
  %r = tg.reduce add %p axes [2] : tensor<64x64x1031xf32> -> tensor<64x64x1xf32>
  return %r : tensor<64x64x1xf32>
}

// One row is no product of matrices.
// CHECK-LABEL: func.func @row(
// CHECK: tg.mul
// CHECK-NEXT: %[[R:.*]] = tg.reduce
// CHECK-NEXT: return %[[R]]
func.func @row(%a: tensor<2048xf32>, %b: tensor<2048x2048xf32>) -> tensor<2048x1xf32> {
  %a3 = tg.reshape %a : tensor<2048xf32> -> tensor<1x2048xf32>
  %ae = tg.expand %a3 : tensor<1x2048xf32> -> tensor<2048x2048xf32>
  %p = tg.mul %ae, %b : tensor<2048x2048xf32>
  %r = tg.reduce add %p axes [1] : tensor<2048x2048xf32> -> tensor<2048x1xf32>
  return %r : tensor<2048x1xf32>
}

// Enough blocks.
// CHECK-LABEL: func.func @large
// CHECK: tg.mul
// CHECK-NEXT: %[[R:.*]] = tg.reduce
// CHECK-NEXT: return %[[R]]
func.func @large(%a: tensor<1024x4096xf32>, %b: tensor<1024x4096xf32>) -> tensor<1024x1024x1xf32> {
  %a3 = tg.reshape %a : tensor<1024x4096xf32> -> tensor<1024x1x4096xf32>
  %b3 = tg.reshape %b : tensor<1024x4096xf32> -> tensor<1x1024x4096xf32>
  %ae = tg.expand %a3 : tensor<1024x1x4096xf32> -> tensor<1024x1024x4096xf32>
  %be = tg.expand %b3 : tensor<1x1024x4096xf32> -> tensor<1024x1024x4096xf32>
  %p = tg.mul %ae, %be : tensor<1024x1024x4096xf32>
  %r = tg.reduce add %p axes [2] : tensor<1024x1024x4096xf32> -> tensor<1024x1024x1xf32>
  return %r : tensor<1024x1024x1xf32>
}

// Not deep.
// CHECK-LABEL: func.func @shallow
// CHECK: tg.mul
// CHECK-NEXT: %[[R:.*]] = tg.reduce
// CHECK-NEXT: return %[[R]]
func.func @shallow(%a: tensor<64x1008xf32>, %b: tensor<64x1008xf32>) -> tensor<64x64x1xf32> {
  %a3 = tg.reshape %a : tensor<64x1008xf32> -> tensor<64x1x1008xf32>
  %b3 = tg.reshape %b : tensor<64x1008xf32> -> tensor<1x64x1008xf32>
  %ae = tg.expand %a3 : tensor<64x1x1008xf32> -> tensor<64x64x1008xf32>
  %be = tg.expand %b3 : tensor<1x64x1008xf32> -> tensor<64x64x1008xf32>
  %p = tg.mul %ae, %be : tensor<64x64x1008xf32>
  %r = tg.reduce add %p axes [2] : tensor<64x64x1008xf32> -> tensor<64x64x1xf32>
  return %r : tensor<64x64x1xf32>
}

// Arithmetic with f64 is slow: few rows are not padded to a block.
// CHECK-LABEL: func.func @few_wide
// CHECK: tg.mul
// CHECK-NEXT: %[[R:.*]] = tg.reduce
// CHECK-NEXT: return %[[R]]
func.func @few_wide(%a: tensor<7x2048xf64>, %b: tensor<2048x2048xf64>) -> tensor<7x1x2048xf64> {
  %a3 = tg.reshape %a : tensor<7x2048xf64> -> tensor<7x2048x1xf64>
  %b3 = tg.reshape %b : tensor<2048x2048xf64> -> tensor<1x2048x2048xf64>
  %ae = tg.expand %a3 : tensor<7x2048x1xf64> -> tensor<7x2048x2048xf64>
  %be = tg.expand %b3 : tensor<1x2048x2048xf64> -> tensor<7x2048x2048xf64>
  %p = tg.mul %ae, %be : tensor<7x2048x2048xf64>
  %r = tg.reduce add %p axes [1] : tensor<7x2048x2048xf64> -> tensor<7x1x2048xf64>
  return %r : tensor<7x1x2048xf64>
}

// CHECK-LABEL: func.func @wide
// CHECK: tg.reduce add %{{.*}} axes [2] : tensor<8x8x256x2048xf64>
func.func @wide(%a: tensor<8x2048xf64>, %b: tensor<2048x2048xf64>) -> tensor<8x1x2048xf64> {
  %a3 = tg.reshape %a : tensor<8x2048xf64> -> tensor<8x2048x1xf64>
  %b3 = tg.reshape %b : tensor<2048x2048xf64> -> tensor<1x2048x2048xf64>
  %ae = tg.expand %a3 : tensor<8x2048x1xf64> -> tensor<8x2048x2048xf64>
  %be = tg.expand %b3 : tensor<1x2048x2048xf64> -> tensor<8x2048x2048xf64>
  %p = tg.mul %ae, %be : tensor<8x2048x2048xf64>
  %r = tg.reduce add %p axes [1] : tensor<8x2048x2048xf64> -> tensor<8x1x2048xf64>
  return %r : tensor<8x1x2048xf64>
}

// No sum of products.
// CHECK-LABEL: func.func @greatest
// CHECK: tg.mul
// CHECK-NEXT: %[[R:.*]] = tg.reduce
// CHECK-NEXT: return %[[R]]
func.func @greatest(%a: tensor<64x8192xf32>, %b: tensor<64x8192xf32>) -> tensor<64x64x1xf32> {
  %a3 = tg.reshape %a : tensor<64x8192xf32> -> tensor<64x1x8192xf32>
  %b3 = tg.reshape %b : tensor<64x8192xf32> -> tensor<1x64x8192xf32>
  %ae = tg.expand %a3 : tensor<64x1x8192xf32> -> tensor<64x64x8192xf32>
  %be = tg.expand %b3 : tensor<1x64x8192xf32> -> tensor<64x64x8192xf32>
  %p = tg.mul %ae, %be : tensor<64x64x8192xf32>
  %r = tg.reduce max %p axes [2] : tensor<64x64x8192xf32> -> tensor<64x64x1xf32>
  return %r : tensor<64x64x1xf32>
}
}

// -----

// A processor has few work items, each of which reads both factors once, and
// whose cache holds a panel of columns.
// CHECK-LABEL: func.func @processor
// CHECK: tg.mul
// CHECK-NEXT: %[[R:.*]] = tg.reduce
// CHECK-NEXT: return %[[R]]
func.func @processor(%a: tensor<64x2048xf32>, %b: tensor<64x2048xf32>) -> tensor<64x64x1xf32> {
  %a3 = tg.reshape %a : tensor<64x2048xf32> -> tensor<64x1x2048xf32>
  %b3 = tg.reshape %b : tensor<64x2048xf32> -> tensor<1x64x2048xf32>
  %ae = tg.expand %a3 : tensor<64x1x2048xf32> -> tensor<64x64x2048xf32>
  %be = tg.expand %b3 : tensor<1x64x2048xf32> -> tensor<64x64x2048xf32>
  %p = tg.mul %ae, %be : tensor<64x64x2048xf32>
  %r = tg.reduce add %p axes [2] : tensor<64x64x2048xf32> -> tensor<64x64x1xf32>
  return %r : tensor<64x64x1xf32>
}

// -----

// Parts of a depth that is a variable would be as many for few positions.
// CHECK-LABEL: func.func @symbolic
// CHECK: tg.mul
// CHECK-NEXT: %[[R:.*]] = tg.reduce
// CHECK-NEXT: return %[[R]]
#depth = #tg.var<"n", 1, 8192>
!factor = tensor<64x?xf32, #tg.shape<64, #depth>>
!left = tensor<64x1x?xf32, #tg.shape<64, 1, #depth>>
!right = tensor<1x64x?xf32, #tg.shape<1, 64, #depth>>
!both = tensor<64x64x?xf32, #tg.shape<64, 64, #depth>>
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
func.func @symbolic(%a: !factor, %b: !factor) -> tensor<64x64x1xf32> {
  %a3 = tg.reshape %a : !factor -> !left
  %b3 = tg.reshape %b : !factor -> !right
  %ae = tg.expand %a3 : !left -> !both
  %be = tg.expand %b3 : !right -> !both
  %p = tg.mul %ae, %be : !both
  %r = tg.reduce add %p axes [2] : !both -> tensor<64x64x1xf32>
  return %r : tensor<64x64x1xf32>
}
}

// -----

// On processors without groups, panels of 64 columns of a part take at most half
// of the second-level cache: 24576 positions are 12 parts of 2048. With enough
// rows, parts have passes, and are 4 times as long (see store-products.mlir).
// CHECK-LABEL: func.func @panels
// CHECK: tg.reshape %{{.*}} : tensor<32x768x24576xf32> -> tensor<32x768x12x2048xf32>
// CHECK: tg.contiguous
// CHECK: tg.reduce add %{{.*}} axes [2] : tensor<32x768x12x1xf32> -> tensor<32x768x1x1xf32>
func.func @panels(%a: tensor<32x24576xf32>, %b: tensor<768x24576xf32>) -> tensor<32x768x1xf32> {
  %a3 = tg.reshape %a : tensor<32x24576xf32> -> tensor<32x1x24576xf32>
  %b3 = tg.reshape %b : tensor<768x24576xf32> -> tensor<1x768x24576xf32>
  %ae = tg.expand %a3 : tensor<32x1x24576xf32> -> tensor<32x768x24576xf32>
  %be = tg.expand %b3 : tensor<1x768x24576xf32> -> tensor<32x768x24576xf32>
  %p = tg.mul %ae, %be : tensor<32x768x24576xf32>
  %r = tg.reduce add %p axes [2] : tensor<32x768x24576xf32> -> tensor<32x768x1xf32>
  return %r : tensor<32x768x1xf32>
}

// CHECK-LABEL: func.func @long_parts
// CHECK: tg.reshape %{{.*}} : tensor<128x768x24576xf32> -> tensor<128x768x3x8192xf32>
// CHECK: tg.contiguous
// CHECK: tg.reduce add %{{.*}} axes [2] : tensor<128x768x3x1xf32> -> tensor<128x768x1x1xf32>
func.func @long_parts(%a: tensor<128x24576xf32>, %b: tensor<768x24576xf32>) -> tensor<128x768x1xf32> {
  %a3 = tg.reshape %a : tensor<128x24576xf32> -> tensor<128x1x24576xf32>
  %b3 = tg.reshape %b : tensor<768x24576xf32> -> tensor<1x768x24576xf32>
  %ae = tg.expand %a3 : tensor<128x1x24576xf32> -> tensor<128x768x24576xf32>
  %be = tg.expand %b3 : tensor<1x768x24576xf32> -> tensor<128x768x24576xf32>
  %p = tg.mul %ae, %be : tensor<128x768x24576xf32>
  %r = tg.reduce add %p axes [2] : tensor<128x768x24576xf32> -> tensor<128x768x1xf32>
  return %r : tensor<128x768x1xf32>
}

// Too few rows repay packing a panel, and too few columns fill one.
// CHECK-LABEL: func.func @few_rows
// CHECK-NOT: tg.contiguous
func.func @few_rows(%a: tensor<8x24576xf32>, %b: tensor<768x24576xf32>) -> tensor<8x768x1xf32> {
  %a3 = tg.reshape %a : tensor<8x24576xf32> -> tensor<8x1x24576xf32>
  %b3 = tg.reshape %b : tensor<768x24576xf32> -> tensor<1x768x24576xf32>
  %ae = tg.expand %a3 : tensor<8x1x24576xf32> -> tensor<8x768x24576xf32>
  %be = tg.expand %b3 : tensor<1x768x24576xf32> -> tensor<8x768x24576xf32>
  %p = tg.mul %ae, %be : tensor<8x768x24576xf32>
  %r = tg.reduce add %p axes [2] : tensor<8x768x24576xf32> -> tensor<8x768x1xf32>
  return %r : tensor<8x768x1xf32>
}

// CHECK-LABEL: func.func @few_columns
// CHECK-NOT: tg.contiguous
func.func @few_columns(%a: tensor<768x24576xf32>, %b: tensor<32x24576xf32>) -> tensor<768x32x1xf32> {
  %a3 = tg.reshape %a : tensor<768x24576xf32> -> tensor<768x1x24576xf32>
  %b3 = tg.reshape %b : tensor<32x24576xf32> -> tensor<1x32x24576xf32>
  %ae = tg.expand %a3 : tensor<768x1x24576xf32> -> tensor<768x32x24576xf32>
  %be = tg.expand %b3 : tensor<1x32x24576xf32> -> tensor<768x32x24576xf32>
  %p = tg.mul %ae, %be : tensor<768x32x24576xf32>
  %r = tg.reduce add %p axes [2] : tensor<768x32x24576xf32> -> tensor<768x32x1xf32>
  return %r : tensor<768x32x1xf32>
}

// The sums of the parts would take more than twice the memory of a factor.
// CHECK-LABEL: func.func @large_result
// CHECK: tg.reduce add %{{.*}} axes [2] : tensor<8192x8192x8192xf32>
func.func @large_result(%a: tensor<8192x8192xf32>, %b: tensor<8192x8192xf32>) -> tensor<8192x8192x1xf32> {
  %a3 = tg.reshape %a : tensor<8192x8192xf32> -> tensor<8192x1x8192xf32>
  %b3 = tg.reshape %b : tensor<8192x8192xf32> -> tensor<1x8192x8192xf32>
  %ae = tg.expand %a3 : tensor<8192x1x8192xf32> -> tensor<8192x8192x8192xf32>
  %be = tg.expand %b3 : tensor<1x8192x8192xf32> -> tensor<8192x8192x8192xf32>
  %p = tg.mul %ae, %be : tensor<8192x8192x8192xf32>
  %r = tg.reduce add %p axes [2] : tensor<8192x8192x8192xf32> -> tensor<8192x8192x1xf32>
  return %r : tensor<8192x8192x1xf32>
}

// -----

// The gradient of a convolution by its weights: 15488 positions of 128 images
// are 8 parts of 16 images.
// CHECK-LABEL: func.func @weights
// CHECK: tg.reshape %{{.*}} : tensor<128x64x11x11x32x3x3xf32> -> tensor<8x16x64x11x11x32x3x3xf32>
// CHECK-NEXT: tg.reduce add %{{.*}} axes [1, 3, 4]
// CHECK: tg.contiguous
// CHECK: tg.reduce add %{{.*}} axes [0]
func.func @weights(%y: tensor<128x64x11x11xf32>, %x: tensor<128x32x13x13xf32>) -> tensor<1x64x1x1x32x3x3xf32> {
  %y1 = tg.reshape %y : tensor<128x64x11x11xf32> -> tensor<128x64x11x11x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<128x64x11x11x1x1x1xf32> -> tensor<128x64x11x11x32x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[128, 64, 11, 11, 32, 3, 3] strides [5408, 0, 13, 1, 169, 13, 1]>] : tensor<128x32x13x13xf32> -> tensor<128x64x11x11x32x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<128x64x11x11x32x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<128x64x11x11x32x3x3xf32> -> tensor<1x64x1x1x32x3x3xf32>
  return %g : tensor<1x64x1x1x32x3x3xf32>
}

// The panels of few images fit into the cache.
// CHECK-LABEL: func.func @few_images
// CHECK-NOT: tg.contiguous
func.func @few_images(%y: tensor<64x64x11x11xf32>, %x: tensor<64x32x13x13xf32>) -> tensor<1x64x1x1x32x3x3xf32> {
  %y1 = tg.reshape %y : tensor<64x64x11x11xf32> -> tensor<64x64x11x11x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<64x64x11x11x1x1x1xf32> -> tensor<64x64x11x11x32x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[64, 64, 11, 11, 32, 3, 3] strides [5408, 0, 13, 1, 169, 13, 1]>] : tensor<64x32x13x13xf32> -> tensor<64x64x11x11x32x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<64x64x11x11x32x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<64x64x11x11x32x3x3xf32> -> tensor<1x64x1x1x32x3x3xf32>
  return %g : tensor<1x64x1x1x32x3x3xf32>
}

// The panel of one image of 112x112 positions does not fit: 7 parts of 16 rows
// of each image. The first sum is over the rows of a part, not over images.
// CHECK-LABEL: func.func @large_images
// CHECK: tg.reshape %{{.*}} : tensor<8x64x112x112x3x7x7xf32> -> tensor<8x64x7x16x112x3x7x7xf32>
// CHECK-NEXT: tg.reduce add %{{.*}} axes [3, 4] : tensor<8x64x7x16x112x3x7x7xf32> -> tensor<8x64x7x1x1x3x7x7xf32>
// CHECK-NEXT: tg.permute %{{.*}} [0, 2, 3, 1, 4, 5, 6, 7]
// CHECK-NEXT: tg.contiguous
// CHECK: tg.reduce add %{{.*}} axes [0, 2] : tensor<8x64x7x1x1x3x7x7xf32> -> tensor<1x64x1x1x1x3x7x7xf32>
func.func @large_images(%y: tensor<8x64x112x112xf32>, %x: tensor<8x3x229x229xf32>) -> tensor<1x64x1x1x3x7x7xf32> {
  %y1 = tg.reshape %y : tensor<8x64x112x112xf32> -> tensor<8x64x112x112x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<8x64x112x112x1x1x1xf32> -> tensor<8x64x112x112x3x7x7xf32>
  %x1 = tg.strided %x [#tg.view<[8, 64, 112, 112, 3, 7, 7] strides [157323, 0, 458, 2, 52441, 229, 1]>] : tensor<8x3x229x229xf32> -> tensor<8x64x112x112x3x7x7xf32>
  %p = tg.mul %y2, %x1 : tensor<8x64x112x112x3x7x7xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<8x64x112x112x3x7x7xf32> -> tensor<1x64x1x1x3x7x7xf32>
  return %g : tensor<1x64x1x1x3x7x7xf32>
}

// No number of rows but 1 divides 113: parts of single rows would store 113
// times the results of each image, which takes more than it saves.
// CHECK-LABEL: func.func @prime_rows
// CHECK-NOT: tg.contiguous
func.func @prime_rows(%y: tensor<8x8x113x113xf32>, %x: tensor<8x64x119x119xf32>) -> tensor<1x8x1x1x64x7x7xf32> {
  %y1 = tg.reshape %y : tensor<8x8x113x113xf32> -> tensor<8x8x113x113x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<8x8x113x113x1x1x1xf32> -> tensor<8x8x113x113x64x7x7xf32>
  %x1 = tg.strided %x [#tg.view<[8, 8, 113, 113, 64, 7, 7] strides [906304, 0, 119, 1, 14161, 119, 1]>] : tensor<8x64x119x119xf32> -> tensor<8x8x113x113x64x7x7xf32>
  %p = tg.mul %y2, %x1 : tensor<8x8x113x113x64x7x7xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<8x8x113x113x64x7x7xf32> -> tensor<1x8x1x1x64x7x7xf32>
  return %g : tensor<1x8x1x1x64x7x7xf32>
}

// A convolution sums over channels, which are no images.
// CHECK-LABEL: func.func @channels
// CHECK-NOT: tg.contiguous
func.func @channels(%x: tensor<16x1024x6x6xf32>, %w: tensor<512x1024x3x3xf32>) -> tensor<16x512x4x4x1x1x1xf32> {
  %w1 = tg.reshape %w : tensor<512x1024x3x3xf32> -> tensor<1x512x1x1x1024x3x3xf32>
  %w2 = tg.expand %w1 : tensor<1x512x1x1x1024x3x3xf32> -> tensor<16x512x4x4x1024x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[16, 512, 4, 4, 1024, 3, 3] strides [36864, 0, 6, 1, 36, 6, 1]>] : tensor<16x1024x6x6xf32> -> tensor<16x512x4x4x1024x3x3xf32>
  %p = tg.mul %w2, %x1 : tensor<16x512x4x4x1024x3x3xf32>
  %r = tg.reduce add %p axes [4, 5, 6] : tensor<16x512x4x4x1024x3x3xf32> -> tensor<16x512x4x4x1x1x1xf32>
  return %r : tensor<16x512x4x4x1x1x1xf32>
}

// -----

// Gradients by the weights on a GPU. The 64x147 results of a first convolution
// are three blocks, which are groups for 56 parts of the rows of images.
// CHECK-LABEL: func.func @first_weights
// CHECK: tg.reshape %{{.*}} : tensor<16x64x112x112x3x7x7xf32> -> tensor<16x64x56x2x112x3x7x7xf32>
// CHECK-NEXT: tg.reduce add %{{.*}} axes [0, 3, 4]
// CHECK-NEXT: tg.permute %{{.*}} [2, 3, 0, 1, 4, 5, 6, 7]
// CHECK-NEXT: tg.contiguous
// CHECK: tg.reduce add %{{.*}} axes [2]
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
func.func @first_weights(%y: tensor<16x64x112x112xf32>, %x: tensor<16x3x229x229xf32>) -> tensor<1x64x1x1x3x7x7xf32> {
  %y1 = tg.reshape %y : tensor<16x64x112x112xf32> -> tensor<16x64x112x112x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<16x64x112x112x1x1x1xf32> -> tensor<16x64x112x112x3x7x7xf32>
  %x1 = tg.strided %x [#tg.view<[16, 64, 112, 112, 3, 7, 7] strides [157323, 0, 458, 2, 52441, 229, 1]>] : tensor<16x3x229x229xf32> -> tensor<16x64x112x112x3x7x7xf32>
  %p = tg.mul %y2, %x1 : tensor<16x64x112x112x3x7x7xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<16x64x112x112x3x7x7xf32> -> tensor<1x64x1x1x3x7x7xf32>
  return %g : tensor<1x64x1x1x3x7x7xf32>
}

// Also a sum over fewer positions (7744) than there are results (18432): five
// blocks would be five groups.
// CHECK-LABEL: func.func @more_results
// CHECK: tg.reshape %{{.*}} : tensor<64x64x11x11x32x3x3xf32> -> tensor<32x2x64x11x11x32x3x3xf32>
// CHECK: tg.contiguous
func.func @more_results(%y: tensor<64x64x11x11xf32>, %x: tensor<64x32x13x13xf32>) -> tensor<1x64x1x1x32x3x3xf32> {
  %y1 = tg.reshape %y : tensor<64x64x11x11xf32> -> tensor<64x64x11x11x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<64x64x11x11x1x1x1xf32> -> tensor<64x64x11x11x32x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[64, 64, 11, 11, 32, 3, 3] strides [5408, 0, 13, 1, 169, 13, 1]>] : tensor<64x32x13x13xf32> -> tensor<64x64x11x11x32x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<64x64x11x11x32x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<64x64x11x11x32x3x3xf32> -> tensor<1x64x1x1x32x3x3xf32>
  return %g : tensor<1x64x1x1x32x3x3xf32>
}

// One channel has nine weights: too few columns for blocks. Groups share the
// sums of a window, but of no fewer than 2048 pixels.
// CHECK-LABEL: func.func @nine_weights
// CHECK-NOT: tg.contiguous
func.func @nine_weights(%y: tensor<64x64x11x11xf32>, %x: tensor<64x13x13xf32>) -> tensor<1x64x1x1x3x3xf32> {
  %y1 = tg.reshape %y : tensor<64x64x11x11xf32> -> tensor<64x64x11x11x1x1xf32>
  %y2 = tg.expand %y1 : tensor<64x64x11x11x1x1xf32> -> tensor<64x64x11x11x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[64, 64, 11, 11, 3, 3] strides [169, 0, 13, 1, 13, 1]>] : tensor<64x13x13xf32> -> tensor<64x64x11x11x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<64x64x11x11x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<64x64x11x11x3x3xf32> -> tensor<1x64x1x1x3x3xf32>
  return %g : tensor<1x64x1x1x3x3xf32>
}

// With more pixels, there are parts: four channels are a group, and 16 groups
// for each of 16 parts fill the device.
// CHECK-LABEL: func.func @nine_weights_of_many
// CHECK: tg.reshape %{{.*}} : tensor<256x64x32x32x3x3xf32> -> tensor<16x16x64x32x32x3x3xf32>
// CHECK: tg.contiguous
func.func @nine_weights_of_many(%y: tensor<256x64x32x32xf32>, %x: tensor<256x34x34xf32>) -> tensor<1x64x1x1x3x3xf32> {
  %y1 = tg.reshape %y : tensor<256x64x32x32xf32> -> tensor<256x64x32x32x1x1xf32>
  %y2 = tg.expand %y1 : tensor<256x64x32x32x1x1xf32> -> tensor<256x64x32x32x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[256, 64, 32, 32, 3, 3] strides [1156, 0, 34, 1, 34, 1]>] : tensor<256x34x34xf32> -> tensor<256x64x32x32x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<256x64x32x32x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<256x64x32x32x3x3xf32> -> tensor<1x64x1x1x3x3xf32>
  return %g : tensor<1x64x1x1x3x3xf32>
}

// Nine columns that are no window: groups share columns or rows.
// CHECK-LABEL: func.func @nine_columns
// CHECK-NOT: tg.contiguous
func.func @nine_columns(%y: tensor<256x64x32x32xf32>, %x: tensor<256x32x32x9xf32>) -> tensor<1x64x1x1x9xf32> {
  %y1 = tg.reshape %y : tensor<256x64x32x32xf32> -> tensor<256x64x32x32x1xf32>
  %y2 = tg.expand %y1 : tensor<256x64x32x32x1xf32> -> tensor<256x64x32x32x9xf32>
  %x1 = tg.reshape %x : tensor<256x32x32x9xf32> -> tensor<256x1x32x32x9xf32>
  %x2 = tg.expand %x1 : tensor<256x1x32x32x9xf32> -> tensor<256x64x32x32x9xf32>
  %p = tg.mul %y2, %x2 : tensor<256x64x32x32x9xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<256x64x32x32x9xf32> -> tensor<1x64x1x1x9xf32>
  return %g : tensor<1x64x1x1x9xf32>
}
}
