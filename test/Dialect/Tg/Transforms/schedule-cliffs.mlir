// A reduction that needs lanes along its results is never computed at positions
// where there are none: axes get several ranges, or it is stored.

// RUN: tg-opt %s -split-input-file --tg-schedule --remark-format=emitRemark \
// RUN:   --remarks-filter='tg-.*' 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

// The axis of 64 * 32 elements has a range for the rows and one for the columns.
// CHECK-LABEL: tg.kernel @r_64_32_48_
// CHECK-NOT:     floordiv
// CHECK-NOT:     floormod
// CHECK-LABEL: func.func @flatten
// CHECK-COUNT-1: tg.launch
// CHECK-NOT:     tg.launch
func.func @flatten(%a: tensor<64x1x48xf32>, %b: tensor<1x32x48xf32>, %c: tensor<2048xf32>) -> tensor<2048xf32> {
  %0 = tg.expand %a : tensor<64x1x48xf32> -> tensor<64x32x48xf32>
  %1 = tg.expand %b : tensor<1x32x48xf32> -> tensor<64x32x48xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x48xf32> -> tensor<64x32x1xf32>
  %4 = tg.reshape %3 : tensor<64x32x1xf32> -> tensor<2048xf32>
  %5 = tg.add %4, %c : tensor<2048xf32>
  return %5 : tensor<2048xf32>
}

// -----

// The columns are two axes that change places: a range for each of them.
// CHECK-LABEL: tg.kernel @r_5_64_4_8_48_
// CHECK-NOT:     floordiv
// CHECK-NOT:     floormod
// CHECK-LABEL: func.func @flatten_batch
// CHECK-COUNT-1: tg.launch
// CHECK-NOT:     tg.launch
func.func @flatten_batch(%a: tensor<5x64x1x1x48xf32>, %b: tensor<1x1x8x4x48xf32>, %c: tensor<5x2048xf32>) -> tensor<5x2048xf32> {
  %0 = tg.expand %a : tensor<5x64x1x1x48xf32> -> tensor<5x64x8x4x48xf32>
  %1 = tg.expand %b : tensor<1x1x8x4x48xf32> -> tensor<5x64x8x4x48xf32>
  %2 = tg.mul %0, %1 : tensor<5x64x8x4x48xf32>
  %3 = tg.reduce add %2 axes [4] : tensor<5x64x8x4x48xf32> -> tensor<5x64x8x4x1xf32>
  %4 = tg.exp2 %3 : tensor<5x64x8x4x1xf32>
  %5 = tg.permute %4 [0, 1, 3, 2, 4] : tensor<5x64x8x4x1xf32> -> tensor<5x64x4x8x1xf32>
  %6 = tg.reshape %5 : tensor<5x64x4x8x1xf32> -> tensor<5x2048xf32>
  %7 = tg.add %6, %c : tensor<5x2048xf32>
  return %7 : tensor<5x2048xf32>
}

// -----

// Written to a part of an argument: the same ranges.
// CHECK-LABEL: tg.kernel @r_64_32_48_
// CHECK-NOT:     floordiv
// CHECK-LABEL: func.func @assign
// CHECK-COUNT-1: tg.launch
// CHECK-NOT:     tg.launch
func.func @assign(%x: tensor<3000xf32>, %a: tensor<64x1x48xf32>, %b: tensor<1x32x48xf32>) -> tensor<2048xf32> {
  %0 = tg.expand %a : tensor<64x1x48xf32> -> tensor<64x32x48xf32>
  %1 = tg.expand %b : tensor<1x32x48xf32> -> tensor<64x32x48xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x48xf32> -> tensor<64x32x1xf32>
  %4 = tg.reshape %3 : tensor<64x32x1xf32> -> tensor<2048xf32>
  %5 = tg.shrink %x from [3] to [2051] : tensor<3000xf32> -> tensor<2048xf32>
  %6 = tg.assign %5, %4 : tensor<2048xf32>
  return %6 : tensor<2048xf32>
}

// -----

// 2043 elements are no whole rows.
// REMARK: tg.reduce [64, 32, 1] gets a buffer: at the positions of 2043 evaluations a reduction takes
// CHECK-LABEL: func.func @part
// CHECK-COUNT-2: tg.launch
func.func @part(%a: tensor<64x1x48xf32>, %b: tensor<1x32x48xf32>) -> tensor<2043xf32> {
  %0 = tg.expand %a : tensor<64x1x48xf32> -> tensor<64x32x48xf32>
  %1 = tg.expand %b : tensor<1x32x48xf32> -> tensor<64x32x48xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x48xf32> -> tensor<64x32x1xf32>
  %4 = tg.reshape %3 : tensor<64x32x1xf32> -> tensor<2048xf32>
  %5 = tg.shrink %4 from [0] to [2043] : tensor<2048xf32> -> tensor<2043xf32>
  return %5 : tensor<2043xf32>
}

// -----

// A row of zeros behind a product: every step of the reduction would be masked.
// REMARK: tg.reduce [64, 32, 1] gets a buffer: at the positions of 2080 evaluations a reduction takes
// CHECK-LABEL: func.func @pad
// CHECK-COUNT-2: tg.launch
func.func @pad(%a: tensor<64x1x48xf32>, %b: tensor<1x32x48xf32>) -> tensor<65x32xf32> {
  %0 = tg.expand %a : tensor<64x1x48xf32> -> tensor<64x32x48xf32>
  %1 = tg.expand %b : tensor<1x32x48xf32> -> tensor<64x32x48xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x48xf32> -> tensor<64x32x1xf32>
  %4 = tg.reshape %3 : tensor<64x32x1xf32> -> tensor<64x32xf32>
  %5 = tg.pad %4 low [0, 0] high [1, 0] : tensor<64x32xf32> -> tensor<65x32xf32>
  return %5 : tensor<65x32xf32>
}

// -----

// Two rows of a product before seven rows of zeros: these two are computed, and
// no others.
// REMARK: tg.reduce [64, 32, 1] gets a buffer: 288 evaluations of 64 elements
// CHECK-LABEL: tg.kernel @r_2_32_480_
// CHECK-LABEL: func.func @pad_part
// CHECK-COUNT-2: tg.launch
// CHECK-NOT:     tg.launch
func.func @pad_part(%a: tensor<64x1x480xf32>, %b: tensor<1x32x480xf32>) -> tensor<9x32xf32> {
  %0 = tg.expand %a : tensor<64x1x480xf32> -> tensor<64x32x480xf32>
  %1 = tg.expand %b : tensor<1x32x480xf32> -> tensor<64x32x480xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x480xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x480xf32> -> tensor<64x32x1xf32>
  %4 = tg.reshape %3 : tensor<64x32x1xf32> -> tensor<64x32xf32>
  %5 = tg.shrink %4 from [3, 0] to [5, 32] : tensor<64x32xf32> -> tensor<2x32xf32>
  %6 = tg.pad %5 low [0, 0] high [7, 0] : tensor<2x32xf32> -> tensor<9x32xf32>
  return %6 : tensor<9x32xf32>
}

// -----

// Parts that several read: from the first to the last of them.
// REMARK: tg.reduce [64, 32, 1] gets a buffer: 576 evaluations of 320 elements
// CHECK-LABEL: tg.kernel @r_10_32_480_
// CHECK-LABEL: func.func @pad_parts
func.func @pad_parts(%a: tensor<64x1x480xf32>, %b: tensor<1x32x480xf32>) -> (tensor<9x32xf32>, tensor<9x32xf32>) {
  %0 = tg.expand %a : tensor<64x1x480xf32> -> tensor<64x32x480xf32>
  %1 = tg.expand %b : tensor<1x32x480xf32> -> tensor<64x32x480xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x480xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x480xf32> -> tensor<64x32x1xf32>
  %4 = tg.reshape %3 : tensor<64x32x1xf32> -> tensor<64x32xf32>
  %5 = tg.shrink %4 from [3, 0] to [5, 32] : tensor<64x32xf32> -> tensor<2x32xf32>
  %6 = tg.pad %5 low [0, 0] high [7, 0] : tensor<2x32xf32> -> tensor<9x32xf32>
  %7 = tg.shrink %4 from [6, 0] to [13, 32] : tensor<64x32xf32> -> tensor<7x32xf32>
  %8 = tg.pad %7 low [2, 0] high [0, 0] : tensor<7x32xf32> -> tensor<9x32xf32>
  return %6, %8 : tensor<9x32xf32>, tensor<9x32xf32>
}

// -----

// The axis that is contiguous in memory is none of the product's.
// REMARK: tg.reduce [64, 32, 1] gets a buffer: at the positions of
// CHECK-LABEL: func.func @repeat
// CHECK-COUNT-2: tg.launch
func.func @repeat(%a: tensor<64x1x48xf32>, %b: tensor<1x32x48xf32>, %c: tensor<64x32x16xf32>) -> tensor<64x32x16xf32> {
  %0 = tg.expand %a : tensor<64x1x48xf32> -> tensor<64x32x48xf32>
  %1 = tg.expand %b : tensor<1x32x48xf32> -> tensor<64x32x48xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x48xf32> -> tensor<64x32x1xf32>
  %4 = tg.expand %3 : tensor<64x32x1xf32> -> tensor<64x32x16xf32>
  %5 = tg.add %4, %c : tensor<64x32x16xf32>
  return %5 : tensor<64x32x16xf32>
}

// -----

// Every second element of memory is written: there are no lanes.
// REMARK: tg.reduce [64, 32, 1] gets a buffer: at the positions of
// CHECK-LABEL: func.func @interleave
// CHECK-COUNT-2: tg.launch
func.func @interleave(%x: tensor<64x32x2xf32>, %a: tensor<64x1x480xf32>, %b: tensor<1x32x480xf32>) -> tensor<64x32x1xf32> {
  %0 = tg.expand %a : tensor<64x1x480xf32> -> tensor<64x32x480xf32>
  %1 = tg.expand %b : tensor<1x32x480xf32> -> tensor<64x32x480xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x480xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x480xf32> -> tensor<64x32x1xf32>
  %4 = tg.shrink %x from [0, 0, 1] to [64, 32, 2] : tensor<64x32x2xf32> -> tensor<64x32x1xf32>
  %5 = tg.assign %4, %3 : tensor<64x32x1xf32>
  return %5 : tensor<64x32x1xf32>
}

// -----

// Rows that are summed up are read along their own axis, wherever the result
// goes: nothing is stored.
// CHECK-LABEL: func.func @row_sums
// CHECK-COUNT-1: tg.launch
// CHECK-NOT:     tg.launch
func.func @row_sums(%a: tensor<64x32x480xf32>) -> tensor<2043xf32> {
  %0 = tg.reduce add %a axes [2] : tensor<64x32x480xf32> -> tensor<64x32x1xf32>
  %1 = tg.reshape %0 : tensor<64x32x1xf32> -> tensor<2048xf32>
  %2 = tg.shrink %1 from [0] to [2043] : tensor<2048xf32> -> tensor<2043xf32>
  return %2 : tensor<2043xf32>
}

// -----

// Columns that are summed up need lanes along the result.
// REMARK: tg.reduce [4, 1, 512] gets a buffer: at the positions of 2043 evaluations a reduction takes
// CHECK-LABEL: func.func @column_sums
// CHECK-COUNT-2: tg.launch
func.func @column_sums(%a: tensor<4x480x512xf32>) -> tensor<2043xf32> {
  %0 = tg.reduce add %a axes [1] : tensor<4x480x512xf32> -> tensor<4x1x512xf32>
  %1 = tg.reshape %0 : tensor<4x1x512xf32> -> tensor<2048xf32>
  %2 = tg.shrink %1 from [0] to [2043] : tensor<2048xf32> -> tensor<2043xf32>
  return %2 : tensor<2043xf32>
}

// -----

// Too little work for a kernel more.
// CHECK-LABEL: func.func @small
// CHECK-COUNT-1: tg.launch
// CHECK-NOT:     tg.launch
func.func @small(%a: tensor<6x1x8xf32>, %b: tensor<1x4x8xf32>) -> tensor<21xf32> {
  %0 = tg.expand %a : tensor<6x1x8xf32> -> tensor<6x4x8xf32>
  %1 = tg.expand %b : tensor<1x4x8xf32> -> tensor<6x4x8xf32>
  %2 = tg.mul %0, %1 : tensor<6x4x8xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<6x4x8xf32> -> tensor<6x4x1xf32>
  %4 = tg.reshape %3 : tensor<6x4x1xf32> -> tensor<24xf32>
  %5 = tg.shrink %4 from [0] to [21] : tensor<24xf32> -> tensor<21xf32>
  return %5 : tensor<21xf32>
}

// -----

// Windows that overlap repeat what they show: the first convolution is stored,
// not the products of the second one.
// CHECK-LABEL: func.func @windows_of_sums
// CHECK:         tg.alloc {{.*}} : memref<6400xf32>
// CHECK-NOT:     memref<57600xf32>
// CHECK:         return
// REMARK: tg.reduce [80, 80, 1, 1] gets a buffer
func.func @windows_of_sums(%x: tensor<80x80xf32>, %w: tensor<3x3xf32>) -> tensor<80x80x1x1xf32> {
  %0 = tg.pad %x low [1, 1] high [1, 1] : tensor<80x80xf32> -> tensor<82x82xf32>
  %1 = tg.strided %0 [#tg.view<[80, 80, 3, 3] strides [82, 1, 82, 1]>] : tensor<82x82xf32> -> tensor<80x80x3x3xf32>
  %2 = tg.reshape %w : tensor<3x3xf32> -> tensor<1x1x3x3xf32>
  %3 = tg.expand %2 : tensor<1x1x3x3xf32> -> tensor<80x80x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<80x80x3x3xf32>
  %5 = tg.reduce add %4 axes [2, 3] : tensor<80x80x3x3xf32> -> tensor<80x80x1x1xf32>
  %6 = tg.reshape %5 : tensor<80x80x1x1xf32> -> tensor<80x80xf32>
  %7 = tg.pad %6 low [1, 1] high [1, 1] : tensor<80x80xf32> -> tensor<82x82xf32>
  %8 = tg.strided %7 [#tg.view<[80, 80, 3, 3] strides [82, 1, 82, 1]>] : tensor<82x82xf32> -> tensor<80x80x3x3xf32>
  %9 = tg.mul %8, %3 : tensor<80x80x3x3xf32>
  %10 = tg.reduce add %9 axes [2, 3] : tensor<80x80x3x3xf32> -> tensor<80x80x1x1xf32>
  return %10 : tensor<80x80x1x1xf32>
}

// -----

// What is written between the elements of a product separates its kernel from
// that of the product. The buffer between them is in the order of the result:
// the product can turn its results in registers, a copy would gather.
// CHECK-LABEL: tg.kernel @r_16_32_48_
// CHECK:         %[[ROW:.*]] = tg.range 0 loop 16
// CHECK:         %[[COLUMN:.*]] = tg.range 1 loop 32
// CHECK:         %[[WIDTH:.*]] = tg.const(32 : index)
// CHECK:         %[[START:.*]] = tg.mul %[[ROW]], %[[WIDTH]]
// CHECK:         %[[PLACE:.*]] = tg.add %[[COLUMN]], %[[START]]
// CHECK:         tg.store {{.*}}[%[[PLACE]]]
// CHECK-LABEL: tg.kernel @E_16_32_2
// CHECK:         %[[ROW:.*]] = tg.range 0 loop 16
// CHECK:         %[[COLUMN:.*]] = tg.range 1 loop 32
// CHECK:         %[[WIDTH:.*]] = tg.const(32 : index)
// CHECK:         %[[START:.*]] = tg.mul %[[ROW]], %[[WIDTH]]
// CHECK:         %[[PLACE:.*]] = tg.add %[[COLUMN]], %[[START]]
// CHECK:         tg.load {{.*}}[%[[PLACE]]] mask
// CHECK-LABEL: func.func @turned
func.func @turned(%a: tensor<32x1x48xf32>, %b: tensor<1x16x48xf32>) -> tensor<16x64xf32> {
  %0 = tg.expand %a : tensor<32x1x48xf32> -> tensor<32x16x48xf32>
  %1 = tg.expand %b : tensor<1x16x48xf32> -> tensor<32x16x48xf32>
  %2 = tg.mul %0, %1 : tensor<32x16x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<32x16x48xf32> -> tensor<32x16x1xf32>
  %4 = tg.permute %3 [1, 0, 2] : tensor<32x16x1xf32> -> tensor<16x32x1xf32>
  %5 = tg.pad %4 low [0, 0, 0] high [0, 0, 1] : tensor<16x32x1xf32> -> tensor<16x32x2xf32>
  %6 = tg.reshape %5 : tensor<16x32x2xf32> -> tensor<16x64xf32>
  return %6 : tensor<16x64xf32>
}

// -----

// Two results in different orders: the buffer is in that of the product.
// CHECK-LABEL: tg.kernel @r_32_16_48_
// CHECK-LABEL: func.func @two_orders
func.func @two_orders(%a: tensor<32x1x48xf32>, %b: tensor<1x16x48xf32>) -> (tensor<16x64xf32>, tensor<32x32xf32>) {
  %0 = tg.expand %a : tensor<32x1x48xf32> -> tensor<32x16x48xf32>
  %1 = tg.expand %b : tensor<1x16x48xf32> -> tensor<32x16x48xf32>
  %2 = tg.mul %0, %1 : tensor<32x16x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<32x16x48xf32> -> tensor<32x16x1xf32>
  %4 = tg.permute %3 [1, 0, 2] : tensor<32x16x1xf32> -> tensor<16x32x1xf32>
  %5 = tg.pad %4 low [0, 0, 0] high [0, 0, 1] : tensor<16x32x1xf32> -> tensor<16x32x2xf32>
  %6 = tg.reshape %5 : tensor<16x32x2xf32> -> tensor<16x64xf32>
  %7 = tg.pad %3 low [0, 0, 0] high [0, 0, 1] : tensor<32x16x1xf32> -> tensor<32x16x2xf32>
  %8 = tg.reshape %7 : tensor<32x16x2xf32> -> tensor<32x32xf32>
  return %6, %8 : tensor<16x64xf32>, tensor<32x32xf32>
}

// -----

// A sum reads the product: it stays as it is.
// CHECK-LABEL: tg.kernel @r_32_16_48_
// CHECK-LABEL: func.func @summed
func.func @summed(%a: tensor<32x1x48xf32>, %b: tensor<1x16x48xf32>) -> tensor<16xf32> {
  %0 = tg.expand %a : tensor<32x1x48xf32> -> tensor<32x16x48xf32>
  %1 = tg.expand %b : tensor<1x16x48xf32> -> tensor<32x16x48xf32>
  %2 = tg.mul %0, %1 : tensor<32x16x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<32x16x48xf32> -> tensor<32x16x1xf32>
  %4 = tg.exp2 %3 : tensor<32x16x1xf32>
  %5 = tg.permute %4 [1, 0, 2] : tensor<32x16x1xf32> -> tensor<16x32x1xf32>
  %6 = tg.reduce add %5 axes [1] : tensor<16x32x1xf32> -> tensor<16x1x1xf32>
  %7 = tg.reshape %6 : tensor<16x1x1xf32> -> tensor<16xf32>
  return %7 : tensor<16xf32>
}
