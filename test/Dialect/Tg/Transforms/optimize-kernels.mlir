// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v3 --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s --check-prefix=V256
// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline=no-opt | FileCheck %s --check-prefix=NOOPT
// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

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
func.func @add(%x: tensor<1000x64xf32>, %y: tensor<1000x64xf32>) -> tensor<1000x64xf32> {
  %0 = tg.add %x, %y : tensor<1000x64xf32>
  return %0 : tensor<1000x64xf32>
}

// -----

// What does not divide masks its last position, which is peeled.

// CHECK-LABEL: tg.kernel @E_1001
// CHECK: tg.range {{.*}} thread 32 peel 1
// CHECK-NEXT: tg.range {{.*}} upcast 32
// CHECK: tg.load {{.*}} mask
// CHECK: tg.store {{.*}} mask
func.func @odd(%x: tensor<1001xf32>) -> tensor<1001xf32> {
  %0 = tg.neg %x : tensor<1001xf32>
  return %0 : tensor<1001xf32>
}

// -----

// A row is reduced in lanes, several registers wide; each row is a work item.

// CHECK-LABEL: tg.kernel @r_256_512
// CHECK: tg.range {{.*}} thread 256
// CHECK-NEXT: tg.range {{.*}} loop 8
// CHECK-NEXT: tg.range {{.*}} upcast 64
// CHECK: tg.ranged_reduce
func.func @rows(%x: tensor<256x512xf32>) -> tensor<256x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<256x512xf32> -> tensor<256x1xf32>
  return %0 : tensor<256x1xf32>
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
func.func @matmul(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64x1xf32> {
  %0 = tg.permute %b [1, 0] : tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = tg.reshape %a : tensor<64x64xf32> -> tensor<64x1x64xf32>
  %2 = tg.reshape %0 : tensor<64x64xf32> -> tensor<1x64x64xf32>
  %3 = tg.expand %1 : tensor<64x1x64xf32> -> tensor<64x64x64xf32>
  %4 = tg.expand %2 : tensor<1x64x64xf32> -> tensor<64x64x64xf32>
  %5 = tg.mul %3, %4 : tensor<64x64x64xf32>
  %6 = tg.reduce add %5 axes [2] : tensor<64x64x64xf32> -> tensor<64x64x1xf32>
  return %6 : tensor<64x64x1xf32>
}

// -----

// The rows of a larger B lie on different pages: its columns are staged.

// CHECK-LABEL: tg.kernel @r_1024_1024_1024
// CHECK: tg.range {{.*}} thread
// CHECK: tg.range {{.*}} unroll
// CHECK: tg.stage
// CHECK: tg.ranged_reduce
// REMARK: remark: {{.*}}r_1024_1024_1024{{.*}}stage range
func.func @large_matmul(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024x1xf32> {
  %0 = tg.permute %b [1, 0] : tensor<1024x1024xf32> -> tensor<1024x1024xf32>
  %1 = tg.reshape %a : tensor<1024x1024xf32> -> tensor<1024x1x1024xf32>
  %2 = tg.reshape %0 : tensor<1024x1024xf32> -> tensor<1x1024x1024xf32>
  %3 = tg.expand %1 : tensor<1024x1x1024xf32> -> tensor<1024x1024x1024xf32>
  %4 = tg.expand %2 : tensor<1x1024x1024xf32> -> tensor<1024x1024x1024xf32>
  %5 = tg.mul %3, %4 : tensor<1024x1024x1024xf32>
  %6 = tg.reduce add %5 axes [2] : tensor<1024x1024x1024xf32> -> tensor<1024x1024x1xf32>
  return %6 : tensor<1024x1024x1xf32>
}

// -----

// The window of a padded convolution is unrolled, so that its masks are known
// outside of the loop over the channels, which stays one.

// CHECK-LABEL: tg.kernel @r_8_32_16_3
// CHECK: tg.range {{.*}} loop 16
// CHECK-NEXT: tg.range {{.*}} unroll 3
// CHECK: tg.ranged_reduce
func.func @conv(%x: tensor<16x32xf32>, %w: tensor<8x16x3xf32>) -> tensor<8x32x1x1xf32> {
  %0 = tg.pad %x low [0, 1] high [0, 1] : tensor<16x32xf32> -> tensor<16x34xf32>
  %1 = tg.reshape %0 : tensor<16x34xf32> -> tensor<16x1x34xf32>
  %2 = tg.expand %1 : tensor<16x1x34xf32> -> tensor<16x4x34xf32>
  %3 = tg.reshape %2 : tensor<16x4x34xf32> -> tensor<16x136xf32>
  %4 = tg.shrink %3 from [0, 0] to [16, 105] : tensor<16x136xf32> -> tensor<16x105xf32>
  %5 = tg.reshape %4 : tensor<16x105xf32> -> tensor<16x3x35xf32>
  %6 = tg.shrink %5 from [0, 0, 0] to [16, 3, 32] : tensor<16x3x35xf32> -> tensor<16x3x32xf32>
  %7 = tg.permute %6 [2, 0, 1] : tensor<16x3x32xf32> -> tensor<32x16x3xf32>
  %8 = tg.reshape %7 : tensor<32x16x3xf32> -> tensor<1x32x16x3xf32>
  %9 = tg.expand %8 : tensor<1x32x16x3xf32> -> tensor<8x32x16x3xf32>
  %10 = tg.reshape %w : tensor<8x16x3xf32> -> tensor<8x1x16x3xf32>
  %11 = tg.expand %10 : tensor<8x1x16x3xf32> -> tensor<8x32x16x3xf32>
  %12 = tg.mul %9, %11 : tensor<8x32x16x3xf32>
  %13 = tg.reduce add %12 axes [2, 3] : tensor<8x32x16x3xf32> -> tensor<8x32x1x1xf32>
  return %13 : tensor<8x32x1x1xf32>
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
func.func @transpose(%x: tensor<128x256xf32>) -> tensor<256x128xf32> {
  %0 = tg.permute %x [1, 0] : tensor<128x256xf32> -> tensor<256x128xf32>
  %1 = tg.contiguous %0 : tensor<256x128xf32>
  return %1 : tensor<256x128xf32>
}

// -----

// The exponentials that the sum needs are kept for the quotient.

// CHECK-LABEL: tg.kernel @r_64_256
// CHECK-COUNT-1: tg.exp2
// CHECK: tg.stage
// CHECK-NOT: tg.exp2
func.func @softmax(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %0 = tg.exp2 %x : tensor<64x256xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  %2 = tg.expand %1 : tensor<64x1xf32> -> tensor<64x256xf32>
  %3 = tg.fdiv %0, %2 : tensor<64x256xf32>
  return %3 : tensor<64x256xf32>
}

// -----

// Results of 16 MiB are written past the caches, those of half the size not.

// CHECK-LABEL: tg.kernel @E_4194304
// CHECK: tg.store {{.*}} nontemporal
// CHECK-LABEL: tg.kernel @E_2097152
// CHECK-NOT: nontemporal
func.func @stores(%x: tensor<4194304xf32>, %y: tensor<2097152xf32>) -> (tensor<4194304xf32>, tensor<2097152xf32>) {
  %0 = tg.neg %x : tensor<4194304xf32>
  %1 = tg.neg %y : tensor<2097152xf32>
  return %0, %1 : tensor<4194304xf32>, tensor<2097152xf32>
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
func.func @turned(%a: tensor<128x80xf32>, %b: tensor<96x80xf32>) -> tensor<128x96x1xf32> {
  %0 = tg.reshape %a : tensor<128x80xf32> -> tensor<128x1x80xf32>
  %1 = tg.reshape %b : tensor<96x80xf32> -> tensor<1x96x80xf32>
  %2 = tg.expand %0 : tensor<128x1x80xf32> -> tensor<128x96x80xf32>
  %3 = tg.expand %1 : tensor<1x96x80xf32> -> tensor<128x96x80xf32>
  %4 = tg.mul %2, %3 : tensor<128x96x80xf32>
  %5 = tg.reduce add %4 axes [2] : tensor<128x96x80xf32> -> tensor<128x96x1xf32>
  return %5 : tensor<128x96x1xf32>
}

// -----

// Too few rows to pay for that: each element is a sum of its own, in lanes.

// CHECK-LABEL: tg.kernel @r_4_96_80
// CHECK-NOT: tg.stage
// CHECK-NOT: unroll
// CHECK: tg.ranged_reduce
func.func @not_turned(%a: tensor<4x80xf32>, %b: tensor<96x80xf32>) -> tensor<4x96x1xf32> {
  %0 = tg.reshape %a : tensor<4x80xf32> -> tensor<4x1x80xf32>
  %1 = tg.reshape %b : tensor<96x80xf32> -> tensor<1x96x80xf32>
  %2 = tg.expand %0 : tensor<4x1x80xf32> -> tensor<4x96x80xf32>
  %3 = tg.expand %1 : tensor<1x96x80xf32> -> tensor<4x96x80xf32>
  %4 = tg.mul %2, %3 : tensor<4x96x80xf32>
  %5 = tg.reduce add %4 axes [2] : tensor<4x96x80xf32> -> tensor<4x96x1xf32>
  return %5 : tensor<4x96x1xf32>
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
func.func @turned_sum(%x: tensor<128x80xf32>, %y: tensor<80x128xf32>) -> tensor<1x1xf32> {
  %0 = tg.permute %y [1, 0] : tensor<80x128xf32> -> tensor<128x80xf32>
  %1 = tg.mul %x, %0 : tensor<128x80xf32>
  %2 = tg.reduce add %1 axes [0, 1] : tensor<128x80xf32> -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// -----

// One after the other where many of a whole block of rows would be missing.

// CHECK-LABEL: tg.kernel @r_100_80
// CHECK: tg.range {{[0-9]+}} loop 7 peel 1
// CHECK: tg.range {{[0-9]+}} loop 5
// CHECK: tg.range {{[0-9]+}} loop 1
// CHECK: tg.range {{[0-9]+}} unroll 16
func.func @turned_rest(%x: tensor<100x80xf32>, %y: tensor<80x100xf32>) -> tensor<1x1xf32> {
  %0 = tg.permute %y [1, 0] : tensor<80x100xf32> -> tensor<100x80xf32>
  %1 = tg.mul %x, %0 : tensor<100x80xf32>
  %2 = tg.reduce add %1 axes [0, 1] : tensor<100x80xf32> -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
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
// CHECK-LABEL: func.func @not_turned_sums
func.func @not_turned_sums(%x: tensor<102x80xf32>, %y: tensor<80x100xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) {
  %0 = tg.permute %y [1, 0] : tensor<80x100xf32> -> tensor<100x80xf32>
  %x1 = tg.shrink %x from [0, 0] to [12, 80] : tensor<102x80xf32> -> tensor<12x80xf32>
  %y1 = tg.shrink %0 from [0, 0] to [12, 80] : tensor<100x80xf32> -> tensor<12x80xf32>
  %1 = tg.mul %x1, %y1 : tensor<12x80xf32>
  %2 = tg.reduce add %1 axes [0, 1] : tensor<12x80xf32> -> tensor<1x1xf32>
  %y2 = tg.pad %0 low [1, 0] high [1, 0] : tensor<100x80xf32> -> tensor<102x80xf32>
  %3 = tg.add %x, %y2 : tensor<102x80xf32>
  %4 = tg.reduce add %3 axes [0, 1] : tensor<102x80xf32> -> tensor<1x1xf32>
  %y3 = tg.reshape %0 : tensor<100x80xf32> -> tensor<50x2x80xf32>
  %y4 = tg.shrink %y3 from [0, 0, 0] to [50, 1, 80] : tensor<50x2x80xf32> -> tensor<50x1x80xf32>
  %y5 = tg.reshape %y4 : tensor<50x1x80xf32> -> tensor<50x80xf32>
  %x5 = tg.shrink %x from [0, 0] to [50, 80] : tensor<102x80xf32> -> tensor<50x80xf32>
  %5 = tg.mul %x5, %y5 : tensor<50x80xf32>
  %6 = tg.reduce add %5 axes [0, 1] : tensor<50x80xf32> -> tensor<1x1xf32>
  return %2, %4, %6 : tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>
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
func.func @interleaved(%x: tensor<4x64x28x28xf32>, %w: tensor<64x64xf32>) -> tensor<4x16x56x56xf32> {
  %0 = tg.reshape %x : tensor<4x64x28x28xf32> -> tensor<4x1x64x28x28xf32>
  %1 = tg.expand %0 : tensor<4x1x64x28x28xf32> -> tensor<4x64x64x28x28xf32>
  %2 = tg.reshape %w : tensor<64x64xf32> -> tensor<1x64x64x1x1xf32>
  %3 = tg.expand %2 : tensor<1x64x64x1x1xf32> -> tensor<4x64x64x28x28xf32>
  %4 = tg.mul %1, %3 : tensor<4x64x64x28x28xf32>
  %5 = tg.reduce add %4 axes [2] : tensor<4x64x64x28x28xf32> -> tensor<4x64x1x28x28xf32>
  %6 = tg.reshape %5 : tensor<4x64x1x28x28xf32> -> tensor<4x16x2x2x28x28xf32>
  %7 = tg.permute %6 [0, 1, 4, 2, 5, 3] : tensor<4x16x2x2x28x28xf32> -> tensor<4x16x28x2x28x2xf32>
  %8 = tg.reshape %7 : tensor<4x16x28x2x28x2xf32> -> tensor<4x16x56x56xf32>
  return %8 : tensor<4x16x56x56xf32>
}
