// Movement operations, reduce, buffers, and the operations of host programs and
// kernels. Algebra is in canonicalize.mlir.

// RUN: tg-opt -canonicalize -split-input-file %s | FileCheck %s

//===----------------------------------------------------------------------===//
// No-ops
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @no_ops
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>
func.func @no_ops(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = tg.reshape %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = tg.permute %x [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %2 = tg.expand %x : tensor<4x6xf32> -> tensor<4x6xf32>
  %3 = tg.pad %x low [0, 0] high [0, 0] : tensor<4x6xf32> -> tensor<4x6xf32>
  %4 = tg.shrink %x from [0, 0] to [4, 6] : tensor<4x6xf32> -> tensor<4x6xf32>
  %5 = tg.flip %x axes [] : tensor<4x6xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4, %5 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func @round_trips
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>
func.func @round_trips(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = tg.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %1 = tg.reshape %0 : tensor<24xf32> -> tensor<4x6xf32>
  %2 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %3 = tg.permute %2 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %4 = tg.pad %x low [1, 0] high [0, 2] : tensor<4x6xf32> -> tensor<5x8xf32>
  %5 = tg.shrink %4 from [1, 0] to [5, 6] : tensor<5x8xf32> -> tensor<4x6xf32>
  %6 = tg.flip %x axes [0, 1] : tensor<4x6xf32>
  %7 = tg.flip %6 axes [0, 1] : tensor<4x6xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]]
  return %1, %3, %5, %7 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// The zeros in between are gone after a shrink, not after a pad.
// CHECK-LABEL: func @pad_of_shrink_stays
func.func @pad_of_shrink_stays(%x: tensor<6xf32>) -> tensor<6xf32> {
  // CHECK: tg.shrink
  %0 = tg.shrink %x from [1] to [5] : tensor<6xf32> -> tensor<4xf32>
  // CHECK: tg.pad
  %1 = tg.pad %0 low [1] high [1] : tensor<4xf32> -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Two of a kind are one
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @two_of_a_kind
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6x8xf32>, %[[Y:[a-z0-9]+]]: tensor<1x1xf32>
func.func @two_of_a_kind(%x: tensor<4x6x8xf32>, %y: tensor<1x1xf32>) -> (tensor<2x96xf32>, tensor<8x4x6xf32>, tensor<3x5xf32>, tensor<7x6x12xf32>, tensor<1x6x2xf32>, tensor<4x6x8xf32>) {
  // CHECK-DAG: tg.reshape %[[X]] : tensor<4x6x8xf32> -> tensor<2x96xf32>
  %0 = tg.reshape %x : tensor<4x6x8xf32> -> tensor<24x8xf32>
  %1 = tg.reshape %0 : tensor<24x8xf32> -> tensor<2x96xf32>
  // CHECK-DAG: tg.permute %[[X]] [2, 0, 1] : tensor<4x6x8xf32> -> tensor<8x4x6xf32>
  %2 = tg.permute %x [1, 2, 0] : tensor<4x6x8xf32> -> tensor<6x8x4xf32>
  %3 = tg.permute %2 [1, 2, 0] : tensor<6x8x4xf32> -> tensor<8x4x6xf32>
  // CHECK-DAG: tg.expand %[[Y]] : tensor<1x1xf32> -> tensor<3x5xf32>
  %4 = tg.expand %y : tensor<1x1xf32> -> tensor<3x1xf32>
  %5 = tg.expand %4 : tensor<3x1xf32> -> tensor<3x5xf32>
  // CHECK-DAG: tg.pad %[[X]] low [3, 0, 0] high [0, 0, 4] : tensor<4x6x8xf32> -> tensor<7x6x12xf32>
  %6 = tg.pad %x low [1, 0, 0] high [0, 0, 1] : tensor<4x6x8xf32> -> tensor<5x6x9xf32>
  %7 = tg.pad %6 low [2, 0, 0] high [0, 0, 3] : tensor<5x6x9xf32> -> tensor<7x6x12xf32>
  // CHECK-DAG: tg.shrink %[[X]] from [2, 0, 2] to [3, 6, 4] : tensor<4x6x8xf32> -> tensor<1x6x2xf32>
  %8 = tg.shrink %x from [1, 0, 0] to [4, 6, 5] : tensor<4x6x8xf32> -> tensor<3x6x5xf32>
  %9 = tg.shrink %8 from [1, 0, 2] to [2, 6, 4] : tensor<3x6x5xf32> -> tensor<1x6x2xf32>
  // CHECK-DAG: tg.flip %[[X]] axes [0, 2] : tensor<4x6x8xf32>
  %10 = tg.flip %x axes [0, 1] : tensor<4x6x8xf32>
  %11 = tg.flip %10 axes [1, 2] : tensor<4x6x8xf32>
  return %1, %3, %5, %7, %9, %11 : tensor<2x96xf32>, tensor<8x4x6xf32>, tensor<3x5xf32>, tensor<7x6x12xf32>, tensor<1x6x2xf32>, tensor<4x6x8xf32>
}

// -----

// CHECK-LABEL: func @unit_axes
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1x6xf32>
func.func @unit_axes(%x: tensor<4x1x6xf32>) -> (tensor<24xf32>, tensor<1x2x12xf32>, tensor<4x1x6xf32>, tensor<4x1x6xf32>, tensor<24xf32>) {
  // CHECK-DAG: tg.reshape %[[X]] : tensor<4x1x6xf32> -> tensor<24xf32>
  %0 = tg.permute %x [1, 0, 2] : tensor<4x1x6xf32> -> tensor<1x4x6xf32>
  %1 = tg.reshape %0 : tensor<1x4x6xf32> -> tensor<24xf32>
  // CHECK-DAG: tg.reshape %[[X]] : tensor<4x1x6xf32> -> tensor<1x2x12xf32>
  %2 = tg.reshape %x : tensor<4x1x6xf32> -> tensor<2x12x1xf32>
  %3 = tg.permute %2 [2, 0, 1] : tensor<2x12x1xf32> -> tensor<1x2x12xf32>
  %4 = tg.flip %x axes [1] : tensor<4x1x6xf32>
  // CHECK-DAG: tg.flip %[[X]] axes [0] : tensor<4x1x6xf32>
  %5 = tg.flip %x axes [0, 1] : tensor<4x1x6xf32>
  // CHECK-DAG: %[[P:.*]] = tg.permute %[[X]] [2, 1, 0]
  // CHECK-DAG: tg.reshape %[[P]]
  %6 = tg.permute %x [2, 1, 0] : tensor<4x1x6xf32> -> tensor<6x1x4xf32>
  %7 = tg.reshape %6 : tensor<6x1x4xf32> -> tensor<24xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[X]]
  return %1, %3, %4, %5, %7 : tensor<24xf32>, tensor<1x2x12xf32>, tensor<4x1x6xf32>, tensor<4x1x6xf32>, tensor<24xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Shrink, then pad, flip, permute, expand
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @shrink_first
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>, %[[Y:[a-z0-9]+]]: tensor<4x1xf32>
func.func @shrink_first(%x: tensor<4x6xf32>, %y: tensor<4x1xf32>) -> (tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x5xf32>) {
  // CHECK: %[[A:.*]] = tg.shrink %[[X]] from [1, 3] to [4, 5] : tensor<4x6xf32> -> tensor<3x2xf32>
  // CHECK: tg.flip %[[A]] axes [1] : tensor<3x2xf32>
  %0 = tg.flip %x axes [1] : tensor<4x6xf32>
  %1 = tg.shrink %0 from [1, 1] to [4, 3] : tensor<4x6xf32> -> tensor<3x2xf32>
  // CHECK: %[[B:.*]] = tg.shrink %[[X]] from [1, 0] to [4, 2] : tensor<4x6xf32> -> tensor<3x2xf32>
  // CHECK: tg.permute %[[B]] [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %2 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %3 = tg.shrink %2 from [0, 1] to [2, 4] : tensor<6x4xf32> -> tensor<2x3xf32>
  // CHECK: %[[C:.*]] = tg.shrink %[[Y]] from [1, 0] to [4, 1] : tensor<4x1xf32> -> tensor<3x1xf32>
  // CHECK: tg.expand %[[C]] : tensor<3x1xf32> -> tensor<3x5xf32>
  %4 = tg.expand %y : tensor<4x1xf32> -> tensor<4x9xf32>
  %5 = tg.shrink %4 from [1, 3] to [4, 8] : tensor<4x9xf32> -> tensor<3x5xf32>
  return %1, %3, %5 : tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x5xf32>
}

// -----

// CHECK-LABEL: func @shrink_of_pad
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @shrink_of_pad(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<5xf32>, tensor<7xf32>, tensor<2xf32>, tensor<1xf32>) {
  // Positions 3 to 6 are x.
  %0 = tg.pad %x low [3] high [2] : tensor<4xf32> -> tensor<9xf32>
  // CHECK-DAG: tg.shrink %[[X]] from [1] to [3] : tensor<4xf32> -> tensor<2xf32>
  %1 = tg.shrink %0 from [4] to [6] : tensor<9xf32> -> tensor<2xf32>
  // CHECK-DAG: %[[A:.*]] = tg.shrink %[[X]] from [0] to [1] : tensor<4xf32> -> tensor<1xf32>
  // CHECK-DAG: tg.pad %[[A]] low [2] high [0] : tensor<1xf32> -> tensor<3xf32>
  %2 = tg.shrink %0 from [1] to [4] : tensor<9xf32> -> tensor<3xf32>
  // CHECK-DAG: %[[B:.*]] = tg.shrink %[[X]] from [1] to [4] : tensor<4xf32> -> tensor<3xf32>
  // CHECK-DAG: tg.pad %[[B]] low [0] high [2] : tensor<3xf32> -> tensor<5xf32>
  %3 = tg.shrink %0 from [4] to [9] : tensor<9xf32> -> tensor<5xf32>
  // CHECK-DAG: tg.pad %[[X]] low [2] high [1] : tensor<4xf32> -> tensor<7xf32>
  %4 = tg.shrink %0 from [1] to [8] : tensor<9xf32> -> tensor<7xf32>
  // Nothing but zeros.
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<2xf32>
  %5 = tg.shrink %0 from [1] to [3] : tensor<9xf32> -> tensor<2xf32>
  // CHECK-DAG: %[[END:.*]] = tg.const(0.000000e+00 : f32) : tensor<1xf32>
  %6 = tg.shrink %0 from [8] to [9] : tensor<9xf32> -> tensor<1xf32>
  // CHECK: return {{.*}}, %[[ZERO]], %[[END]]
  return %1, %2, %3, %4, %5, %6 : tensor<2xf32>, tensor<3xf32>, tensor<5xf32>, tensor<7xf32>, tensor<2xf32>, tensor<1xf32>
}

// -----

// CHECK-LABEL: func @pad_before
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>, %[[Y:[a-z0-9]+]]: tensor<4x1xf32>
func.func @pad_before(%x: tensor<4x6xf32>, %y: tensor<4x1xf32>) -> (tensor<7x6xf32>, tensor<7x4xf32>, tensor<5x9xf32>, tensor<4x10xf32>) {
  // CHECK: %[[A:.*]] = tg.pad %[[X]] low [2, 0] high [1, 0] : tensor<4x6xf32> -> tensor<7x6xf32>
  // CHECK: tg.flip %[[A]] axes [0] : tensor<7x6xf32>
  %0 = tg.flip %x axes [0] : tensor<4x6xf32>
  %1 = tg.pad %0 low [1, 0] high [2, 0] : tensor<4x6xf32> -> tensor<7x6xf32>
  // CHECK: %[[B:.*]] = tg.pad %[[X]] low [0, 1] high [0, 0] : tensor<4x6xf32> -> tensor<4x7xf32>
  // CHECK: tg.permute %[[B]] [1, 0] : tensor<4x7xf32> -> tensor<7x4xf32>
  %2 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %3 = tg.pad %2 low [1, 0] high [0, 0] : tensor<6x4xf32> -> tensor<7x4xf32>
  // CHECK: %[[D:.*]] = tg.expand %[[Y]] : tensor<4x1xf32> -> tensor<4x9xf32>
  // CHECK: %[[C:.*]] = tg.pad %[[Y]] low [1, 0] high [0, 0] : tensor<4x1xf32> -> tensor<5x1xf32>
  // CHECK: tg.expand %[[C]] : tensor<5x1xf32> -> tensor<5x9xf32>
  %4 = tg.expand %y : tensor<4x1xf32> -> tensor<4x9xf32>
  %5 = tg.pad %4 low [1, 0] high [0, 0] : tensor<4x9xf32> -> tensor<5x9xf32>
  // The padding is not repeated with the rest of the axis.
  // CHECK: tg.pad %[[D]] low [0, 1] high [0, 0] : tensor<4x9xf32> -> tensor<4x10xf32>
  %6 = tg.pad %4 low [0, 1] high [0, 0] : tensor<4x9xf32> -> tensor<4x10xf32>
  return %1, %3, %5, %6 : tensor<7x6xf32>, tensor<7x4xf32>, tensor<5x9xf32>, tensor<4x10xf32>
}

// -----

// CHECK-LABEL: func @flip_and_permute_before
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6x2xf32>, %[[Y:[a-z0-9]+]]: tensor<4x1x5xf32>
func.func @flip_and_permute_before(%x: tensor<4x6x2xf32>, %y: tensor<4x1x5xf32>) -> (tensor<6x2x4xf32>, tensor<4x9x5xf32>, tensor<5x4x9xf32>) {
  // CHECK: %[[A:.*]] = tg.flip %[[X]] axes [0, 1] : tensor<4x6x2xf32>
  // CHECK: tg.permute %[[A]] [1, 2, 0]
  %0 = tg.permute %x [1, 2, 0] : tensor<4x6x2xf32> -> tensor<6x2x4xf32>
  %1 = tg.flip %0 axes [0, 2] : tensor<6x2x4xf32>
  // CHECK: %[[B:.*]] = tg.flip %[[Y]] axes [0] : tensor<4x1x5xf32>
  // CHECK: tg.expand %[[B]] : tensor<4x1x5xf32> -> tensor<4x9x5xf32>
  %2 = tg.expand %y : tensor<4x1x5xf32> -> tensor<4x9x5xf32>
  %3 = tg.flip %2 axes [0, 1] : tensor<4x9x5xf32>
  // CHECK: %[[C:.*]] = tg.permute %[[Y]] [2, 0, 1] : tensor<4x1x5xf32> -> tensor<5x4x1xf32>
  // CHECK: tg.expand %[[C]] : tensor<5x4x1xf32> -> tensor<5x4x9xf32>
  %4 = tg.permute %2 [2, 0, 1] : tensor<4x9x5xf32> -> tensor<5x4x9xf32>
  return %1, %3, %4 : tensor<6x2x4xf32>, tensor<4x9x5xf32>, tensor<5x4x9xf32>
}

// -----

// Whatever the order, a chain becomes at most one of each.
// CHECK-LABEL: func @long_chain
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1xf32>
func.func @long_chain(%x: tensor<4x1xf32>) -> tensor<8x6xf32> {
  // CHECK-NEXT: %[[A:.*]] = tg.shrink %[[X]] from [0, 0] to [3, 1]
  // CHECK-NEXT: %[[B:.*]] = tg.pad %[[A]] low [2, 0] high [1, 0]
  // CHECK-NEXT: %[[C:.*]] = tg.flip %[[B]] axes [0]
  // CHECK-NEXT: %[[D:.*]] = tg.permute %[[C]] [1, 0] : tensor<6x1xf32> -> tensor<1x6xf32>
  // CHECK-NEXT: %[[E:.*]] = tg.expand %[[D]] : tensor<1x6xf32> -> tensor<8x6xf32>
  // CHECK-NEXT: return %[[E]]
  %0 = tg.expand %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tg.flip %0 axes [0, 1] : tensor<4x8xf32>
  %2 = tg.permute %1 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %3 = tg.pad %2 low [0, 1] high [0, 2] : tensor<8x4xf32> -> tensor<8x7xf32>
  %4 = tg.shrink %3 from [0, 2] to [8, 7] : tensor<8x7xf32> -> tensor<8x5xf32>
  %5 = tg.pad %4 low [0, 1] high [0, 0] : tensor<8x5xf32> -> tensor<8x6xf32>
  return %5 : tensor<8x6xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Expand after elementwise and reshape
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @elementwise_of_expand
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1xf32>, %[[Y:[a-z0-9]+]]: tensor<4x1xf32>
func.func @elementwise_of_expand(%x: tensor<4x1xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[TWO:.*]] = tg.const(2.000000e+00 : f32) : tensor<4x1xf32>
  // CHECK-NEXT: %[[A:.*]] = tg.exp2 %[[X]] {note} : tensor<4x1xf32>
  // CHECK-NEXT: %[[B:.*]] = tg.mul %[[A]], %[[TWO]] : tensor<4x1xf32>
  // CHECK-NEXT: %[[C:.*]] = tg.cmplt %[[B]], %[[Y]] : tensor<4x1xf32>
  // CHECK-NEXT: %[[D:.*]] = tg.where %[[C]], %[[B]], %[[Y]] : tensor<4x1xf32>
  // CHECK-NEXT: %[[E:.*]] = tg.expand %[[D]] : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: return %[[E]]
  %two = tg.const(2.0 : f32) : tensor<4x8xf32>
  %0 = tg.expand %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tg.expand %y : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = tg.exp2 %0 {note} : tensor<4x8xf32>
  %3 = tg.mul %2, %two : tensor<4x8xf32>
  %4 = tg.cmplt %3, %1 : tensor<4x8xf32>
  %5 = tg.where %4, %3, %1 : tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @expand_stays_before
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1xf32>, %[[Y:[a-z0-9]+]]: tensor<1x8xf32>, %[[Z:[a-z0-9]+]]: tensor<4x8xf32>
func.func @expand_stays_before(%x: tensor<4x1xf32>, %y: tensor<1x8xf32>, %z: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-DAG: %[[A:.*]] = tg.expand %[[X]]
  // CHECK-DAG: %[[B:.*]] = tg.expand %[[Y]]
  %0 = tg.expand %x : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tg.expand %y : tensor<1x8xf32> -> tensor<4x8xf32>
  // CHECK: tg.add %[[A]], %[[B]] : tensor<4x8xf32>
  %2 = tg.add %0, %1 : tensor<4x8xf32>
  // CHECK: tg.add %[[A]], %[[Z]] : tensor<4x8xf32>
  %3 = tg.add %0, %z : tensor<4x8xf32>
  return %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @unit_reshape_of_expand
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1x1xf32>, %[[Y:[a-z0-9]+]]: tensor<1xf32>
func.func @unit_reshape_of_expand(%x: tensor<4x1x1xf32>, %y: tensor<1xf32>) -> (tensor<1x4x8x1xf32>, tensor<4x8xf32>, tensor<32xf32>, tensor<2x4xf32>) {
  %0 = tg.expand %x : tensor<4x1x1xf32> -> tensor<4x1x8xf32>
  // CHECK-DAG: %[[A:.*]] = tg.reshape %[[X]] : tensor<4x1x1xf32> -> tensor<1x4x1x1xf32>
  // CHECK-DAG: tg.expand %[[A]] : tensor<1x4x1x1xf32> -> tensor<1x4x8x1xf32>
  %1 = tg.reshape %0 : tensor<4x1x8xf32> -> tensor<1x4x8x1xf32>
  // CHECK-DAG: %[[B:.*]] = tg.reshape %[[X]] : tensor<4x1x1xf32> -> tensor<4x1xf32>
  // CHECK-DAG: tg.expand %[[B]] : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = tg.reshape %0 : tensor<4x1x8xf32> -> tensor<4x8xf32>
  // Merging and splitting axes stays after.
  // CHECK-DAG: %[[C:.*]] = tg.expand %[[X]] : tensor<4x1x1xf32> -> tensor<4x1x8xf32>
  // CHECK-DAG: tg.reshape %[[C]] : tensor<4x1x8xf32> -> tensor<32xf32>
  %3 = tg.reshape %0 : tensor<4x1x8xf32> -> tensor<32xf32>
  // CHECK-DAG: %[[D:.*]] = tg.expand %[[Y]] : tensor<1xf32> -> tensor<8xf32>
  // CHECK-DAG: tg.reshape %[[D]] : tensor<8xf32> -> tensor<2x4xf32>
  %4 = tg.expand %y : tensor<1xf32> -> tensor<8xf32>
  %5 = tg.reshape %4 : tensor<8xf32> -> tensor<2x4xf32>
  return %1, %2, %3, %5 : tensor<1x4x8x1xf32>, tensor<4x8xf32>, tensor<32xf32>, tensor<2x4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @reduce_axes
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1x6xf32>
func.func @reduce_axes(%x: tensor<4x1x6xf32>) -> (tensor<4x1x6xf32>, tensor<4x1x6xf32>, tensor<1x1x6xf32>) {
  %0 = tg.reduce add %x axes [] : tensor<4x1x6xf32> -> tensor<4x1x6xf32>
  %1 = tg.reduce max %x axes [1] : tensor<4x1x6xf32> -> tensor<4x1x6xf32>
  // CHECK: %[[A:.*]] = tg.reduce add %[[X]] axes [0] : tensor<4x1x6xf32> -> tensor<1x1x6xf32>
  %2 = tg.reduce add %x axes [0, 1] : tensor<4x1x6xf32> -> tensor<1x1x6xf32>
  // CHECK: return %[[X]], %[[X]], %[[A]]
  return %0, %1, %2 : tensor<4x1x6xf32>, tensor<4x1x6xf32>, tensor<1x1x6xf32>
}

// -----

// CHECK-LABEL: func @reduce_of_reduce
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6x8xf32>
func.func @reduce_of_reduce(%x: tensor<4x6x8xf32>) -> (tensor<1x6x1xf32>, tensor<1x6x1xf32>, tensor<4x6x1xf32>, tensor<1x6x1xf32>) {
  // CHECK: tg.reduce max %[[X]] axes [0, 2] : tensor<4x6x8xf32> -> tensor<1x6x1xf32>
  %0 = tg.reduce max %x axes [2] : tensor<4x6x8xf32> -> tensor<4x6x1xf32>
  %1 = tg.reduce max %0 axes [0] : tensor<4x6x1xf32> -> tensor<1x6x1xf32>
  // Two kinds are two operations.
  // CHECK: %[[A:.*]] = tg.reduce add %[[X]] axes [2]
  // CHECK: tg.reduce max %[[A]] axes [0]
  %2 = tg.reduce add %x axes [2] : tensor<4x6x8xf32> -> tensor<4x6x1xf32>
  %3 = tg.reduce max %2 axes [0] : tensor<4x6x1xf32> -> tensor<1x6x1xf32>
  // What is needed anyway is not computed again.
  // CHECK: %[[B:.*]] = tg.reduce mul %[[X]] axes [2]
  // CHECK: tg.reduce mul %[[B]] axes [0]
  %4 = tg.reduce mul %x axes [2] : tensor<4x6x8xf32> -> tensor<4x6x1xf32>
  %5 = tg.reduce mul %4 axes [0] : tensor<4x6x1xf32> -> tensor<1x6x1xf32>
  return %1, %3, %4, %5 : tensor<1x6x1xf32>, tensor<1x6x1xf32>, tensor<4x6x1xf32>, tensor<1x6x1xf32>
}

// -----

// CHECK-LABEL: func @reduce_of_expand
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1x1xf32>, %[[I:[a-z0-9]+]]: tensor<4x1xi8>, %[[B:[a-z0-9]+]]: tensor<4x1xi1>
func.func @reduce_of_expand(%x: tensor<4x1x1xf32>, %i: tensor<4x1xi8>, %b: tensor<4x1xi1>) -> (tensor<4x5x1xf32>, tensor<4x1xi8>, tensor<4x1xi1>, tensor<1x1xi8>) {
  // Along an axis that is repeated, the maximum is the element.
  // CHECK-DAG: tg.expand %[[X]] : tensor<4x1x1xf32> -> tensor<4x5x1xf32>
  %0 = tg.expand %x : tensor<4x1x1xf32> -> tensor<4x5x9xf32>
  %1 = tg.reduce max %0 axes [2] : tensor<4x5x9xf32> -> tensor<4x5x1xf32>
  // 300 wraps to 44.
  // CHECK-DAG: %[[C:.*]] = tg.const(44 : i8) : tensor<4x1xi8>
  // CHECK-DAG: tg.mul %[[I]], %[[C]] : tensor<4x1xi8>
  %2 = tg.expand %i : tensor<4x1xi8> -> tensor<4x300xi8>
  %3 = tg.reduce add %2 axes [1] : tensor<4x300xi8> -> tensor<4x1xi8>
  // On bool the sum is "or".
  %4 = tg.expand %b : tensor<4x1xi1> -> tensor<4x7xi1>
  %5 = tg.reduce add %4 axes [1] : tensor<4x7xi1> -> tensor<4x1xi1>
  // CHECK-DAG: %[[S:.*]] = tg.reduce add %[[I]] axes [0] : tensor<4x1xi8> -> tensor<1x1xi8>
  // CHECK-DAG: tg.mul %[[S]], %{{.*}} : tensor<1x1xi8>
  %6 = tg.reduce add %2 axes [0, 1] : tensor<4x300xi8> -> tensor<1x1xi8>
  // CHECK: return %{{.*}}, %{{.*}}, %[[B]]
  return %1, %3, %5, %6 : tensor<4x5x1xf32>, tensor<4x1xi8>, tensor<4x1xi1>, tensor<1x1xi8>
}

// -----

// Along an axis that is repeated and not reduced, one reduction is enough.
// CHECK-LABEL: func @reduce_of_repeated
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1x6xf32>, %[[Y:[a-z0-9]+]]: tensor<1x6xf32>
func.func @reduce_of_repeated(%x: tensor<4x1x6xf32>, %y: tensor<1x6xf32>) -> (tensor<4x5x1xf32>, tensor<?x1xf32, #tg.shape<#tg.var<"n", 0, 8>, 1>>) {
  // CHECK: %[[R:.*]] = tg.reduce mul %[[X]] axes [2] : tensor<4x1x6xf32> -> tensor<4x1x1xf32>
  // CHECK: %[[A:.*]] = tg.expand %[[R]] : tensor<4x1x1xf32> -> tensor<4x5x1xf32>
  %0 = tg.expand %x : tensor<4x1x6xf32> -> tensor<4x5x6xf32>
  %1 = tg.reduce mul %0 axes [2] : tensor<4x5x6xf32> -> tensor<4x5x1xf32>
  // CHECK: %[[S:.*]] = tg.reduce add %[[Y]] axes [1] : tensor<1x6xf32> -> tensor<1x1xf32>
  // CHECK: %[[B:.*]] = tg.expand %[[S]] : tensor<1x1xf32> -> tensor<?x1xf32, #tg.shape<#n, 1>>
  %2 = tg.expand %y : tensor<1x6xf32> -> tensor<?x6xf32, #tg.shape<#tg.var<"n", 0, 8>, 6>>
  %3 = tg.reduce add %2 axes [1] : tensor<?x6xf32, #tg.shape<#tg.var<"n", 0, 8>, 6>> -> tensor<?x1xf32, #tg.shape<#tg.var<"n", 0, 8>, 1>>
  // CHECK: return %[[A]], %[[B]]
  return %1, %3 : tensor<4x5x1xf32>, tensor<?x1xf32, #tg.shape<#tg.var<"n", 0, 8>, 1>>
}

// -----

// What is summed along a repeated axis stays repeated along that one alone.
// CHECK-LABEL: func @reduce_of_repeated_twice
// CHECK: tg.expand {{.*}} -> tensor<1x16777217xf32>
// CHECK: tg.reduce add
// CHECK: tg.expand {{.*}} -> tensor<4x1xf32>
func.func @reduce_of_repeated_twice(%x: tensor<1x1xf32>) -> tensor<4x1xf32> {
  %0 = tg.expand %x : tensor<1x1xf32> -> tensor<4x16777217xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<4x16777217xf32> -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}

// -----

// Floats too, where they hold the count: the product is rounded once, a sum at
// every step.
// CHECK-LABEL: func @float_sum_of_expand
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x1xf32>
func.func @float_sum_of_expand(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  // CHECK: %[[C:.*]] = tg.const(9.000000e+00 : f32)
  // CHECK: tg.mul %[[X]], %[[C]]
  %0 = tg.expand %x : tensor<4x1xf32> -> tensor<4x9xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<4x9xf32> -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}

// -----

// Not where the count would be rounded, or the type is narrow, nor products.
// CHECK-LABEL: func @reduce_of_expand_stays
func.func @reduce_of_expand_stays(%x: tensor<4x1xf32>, %h: tensor<4x1xf16>, %i: tensor<4x1xi8>) -> (tensor<4x1xf32>, tensor<4x1xf16>, tensor<4x1xi8>) {
  // CHECK: tg.expand
  // CHECK: tg.reduce add
  %0 = tg.expand %x : tensor<4x1xf32> -> tensor<4x16777217xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<4x16777217xf32> -> tensor<4x1xf32>
  // CHECK: tg.expand
  // CHECK: tg.reduce add
  %2 = tg.expand %h : tensor<4x1xf16> -> tensor<4x9xf16>
  %3 = tg.reduce add %2 axes [1] : tensor<4x9xf16> -> tensor<4x1xf16>
  // CHECK: tg.expand
  // CHECK: tg.reduce mul
  %4 = tg.expand %i : tensor<4x1xi8> -> tensor<4x9xi8>
  %5 = tg.reduce mul %4 axes [1] : tensor<4x9xi8> -> tensor<4x1xi8>
  return %1, %3, %5 : tensor<4x1xf32>, tensor<4x1xf16>, tensor<4x1xi8>
}

// -----

// CHECK-LABEL: func @reduce_of_other
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>, %[[I:[a-z0-9]+]]: tensor<4x6xi32>
func.func @reduce_of_other(%x: tensor<4x6xf32>, %i: tensor<4x6xi32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xi32>, tensor<5x1xf32>) {
  // CHECK-DAG: %[[A:.*]] = tg.reduce add %[[X]] axes [1]
  %0 = tg.flip %x axes [1] : tensor<4x6xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<4x6xf32> -> tensor<4x1xf32>
  // CHECK-DAG: %[[B:.*]] = tg.reduce add %[[X]] axes [1]
  // CHECK-DAG: %[[NEG:.*]] = tg.neg %[[B]] : tensor<4x1xf32>
  %2 = tg.neg %x : tensor<4x6xf32>
  %3 = tg.reduce add %2 axes [1] : tensor<4x6xf32> -> tensor<4x1xf32>
  // CHECK-DAG: %[[THREE:.*]] = tg.const(3 : i32) : tensor<4x1xi32>
  // CHECK-DAG: %[[C:.*]] = tg.reduce add %[[I]] axes [1]
  // CHECK-DAG: tg.mul %[[C]], %[[THREE]] : tensor<4x1xi32>
  %three = tg.const(3 : i32) : tensor<4x6xi32>
  %4 = tg.mul %i, %three : tensor<4x6xi32>
  %5 = tg.reduce add %4 axes [1] : tensor<4x6xi32> -> tensor<4x1xi32>
  // CHECK-DAG: %[[D:.*]] = tg.pad %[[X]] low [1, 0] high [0, 0] : tensor<4x6xf32> -> tensor<5x6xf32>
  // CHECK-DAG: tg.reduce add %[[D]] axes [1] : tensor<5x6xf32> -> tensor<5x1xf32>
  %6 = tg.pad %x low [1, 2] high [0, 3] : tensor<4x6xf32> -> tensor<5x11xf32>
  %7 = tg.reduce add %6 axes [1] : tensor<5x11xf32> -> tensor<5x1xf32>
  // CHECK: return
  return %1, %3, %5, %7 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xi32>, tensor<5x1xf32>
}

// -----

// CHECK-LABEL: func @reduce_that_stays
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>
func.func @reduce_that_stays(%x: tensor<4x6xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>) {
  // Scaling a sum of floats rounds elsewhere.
  // CHECK: tg.mul
  // CHECK: tg.reduce add
  %third = tg.const(0.3 : f32) : tensor<4x6xf32>
  %0 = tg.mul %x, %third : tensor<4x6xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<4x6xf32> -> tensor<4x1xf32>
  // The padding may be the maximum, and makes the product 0.
  // CHECK: %[[PAD:.*]] = tg.pad
  // CHECK: tg.reduce max %[[PAD]]
  // CHECK: tg.reduce mul %[[PAD]]
  %2 = tg.pad %x low [0, 1] high [0, 0] : tensor<4x6xf32> -> tensor<4x7xf32>
  %3 = tg.reduce max %2 axes [1] : tensor<4x7xf32> -> tensor<4x1xf32>
  %4 = tg.reduce mul %2 axes [1] : tensor<4x7xf32> -> tensor<4x1xf32>
  // CHECK: tg.flip
  // CHECK: tg.reduce
  %5 = tg.flip %x axes [0] : tensor<4x6xf32>
  %6 = tg.reduce add %5 axes [1] : tensor<4x6xf32> -> tensor<4x1xf32>
  return %1, %3, %4, %6 : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @buffers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
func.func @buffers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[BUFFER:.*]] = tg.buffer 1 on "CPU"
  %0 = tg.buffer 1 on "CPU" : tensor<4xf32>
  %1 = tg.contiguous %0 : tensor<4xf32>
  // CHECK-DAG: %[[CONTIGUOUS:.*]] = tg.contiguous %[[X]]
  %2 = tg.contiguous %x : tensor<4xf32>
  %3 = tg.contiguous %2 : tensor<4xf32>
  %4 = tg.copy %0 to "CPU" : tensor<4xf32>
  // CHECK-DAG: %[[CUDA:.*]] = tg.copy %[[X]] to "CUDA"
  %5 = tg.copy %x to "CUDA" : tensor<4xf32>
  %6 = tg.copy %5 to "CUDA" : tensor<4xf32>
  %7 = tg.contiguous %6 : tensor<4xf32>
  // CHECK-DAG: %[[AMD:.*]] = tg.copy %[[X]] to "AMD"
  %8 = tg.copy %5 to "AMD" : tensor<4xf32>
  // CHECK-DAG: %[[DETACH:.*]] = tg.detach %[[X]]
  %9 = tg.detach %x : tensor<4xf32>
  %10 = tg.detach %9 : tensor<4xf32>
  // CHECK-DAG: %[[ONE:.*]] = tg.const
  %one = tg.const(1.0 : f32) : tensor<4xf32>
  %11 = tg.detach %one : tensor<4xf32>
  // CHECK: return %[[BUFFER]], %[[CONTIGUOUS]], %[[BUFFER]], %[[CUDA]], %[[AMD]], %[[DETACH]], %[[ONE]]
  return %1, %3, %4, %7, %8, %10, %11 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// An assignment happens, whether or not its result is used.
// CHECK-LABEL: func @assign_stays
func.func @assign_stays(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: tg.assign
  %0 = tg.assign %x, %y : tensor<4xf32>
  return
}

// -----

// Its target names memory and does not become a constant, even without
// elements. Views are merged.
// CHECK-LABEL: func @target_stays
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<0x4xf32>)
func.func @target_stays(%x: tensor<2x4xf32>, %y: tensor<0x4xf32>) {
  // CHECK-NEXT: %[[T:.*]] = tg.shrink %[[X]] from [1, 0] to [1, 4]
  // CHECK-NEXT: tg.assign %[[T]], %[[Y]]
  %0 = tg.flip %x axes [1] : tensor<2x4xf32>
  %1 = tg.flip %0 axes [1] : tensor<2x4xf32>
  %2 = tg.shrink %1 from [1, 0] to [1, 4] : tensor<2x4xf32> -> tensor<0x4xf32>
  %3 = tg.assign %2, %y : tensor<0x4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Host programs and kernels
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @views
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<64xi8>
func.func @views(%x: memref<64xi8>) -> (memref<64xi8>, memref<2xf32>) {
  %0 = tg.subbuffer %x at (0) : memref<64xi8> -> memref<64xi8>
  // CHECK: %[[V:.*]] = tg.subbuffer %[[X]] at (24) : memref<64xi8> -> memref<2xf32>
  %1 = tg.subbuffer %x at (16) : memref<64xi8> -> memref<8xf32>
  %2 = tg.subbuffer %1 at (8) : memref<8xf32> -> memref<2xf32>
  // CHECK: return %[[X]], %[[V]]
  return %0, %2 : memref<64xi8>, memref<2xf32>
}

// -----

// CHECK-LABEL: tg.kernel @masks
// CHECK-SAME: (%[[OUT:[a-z0-9]+]]: memref<4xf32>, %[[IN:[a-z0-9]+]]: memref<4xf32>)
tg.kernel @masks(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %t = tg.const(true) : i1
  %f = tg.const(false) : i1
  // CHECK-NEXT: %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
  // CHECK-NEXT: %[[I:.*]] = tg.range
  %i = tg.range 0 loop 4
  // CHECK-NEXT: %[[X:.*]] = tg.load %[[IN]][%[[I]]] : memref<4xf32>
  %x = tg.load %a[%i] mask %t : memref<4xf32>
  %z = tg.load %a[%i] mask %f : memref<4xf32>
  // CHECK-NEXT: tg.store %[[X]], %[[OUT]][%[[I]]] : memref<4xf32>
  tg.store %x, %out[%i] mask %t : memref<4xf32>
  // CHECK-NEXT: tg.store %[[ZERO]], %[[OUT]][%[[I]]] : memref<4xf32>
  tg.store %z, %out[%i] : memref<4xf32>
  tg.store %x, %out[%i] mask %f : memref<4xf32>
  // CHECK-NEXT: {{^  }}}
}

// -----

// A masked load gives 0 itself; not if it is read where the condition does not
// hold, and not -0.0.

// CHECK-LABEL: tg.kernel @where_of_masked
// CHECK-DAG: %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK-DAG: %[[NEG:.*]] = tg.const(-0.000000e+00 : f32)
// CHECK: %[[C:.*]] = tg.cmplt
// CHECK-NEXT: %[[D:.*]] = tg.cmplt
// CHECK-NEXT: %[[BOTH:.*]] = tg.and
// CHECK-NEXT: %[[X:.*]] = tg.load %{{.*}} mask %[[BOTH]]
// CHECK-NEXT: %[[Y:.*]] = tg.load %{{.*}} mask %[[D]]
// CHECK-NEXT: %[[U:.*]] = tg.where %[[C]], %[[Y]], %[[ZERO]]
// CHECK-NEXT: %[[V:.*]] = tg.where %[[C]], %[[X]], %[[NEG]]
// CHECK-NEXT: tg.store %[[X]]
// CHECK-NEXT: tg.store %[[U]]
// CHECK-NEXT: tg.store %[[V]]
tg.kernel @where_of_masked(%o: memref<8xf32>, %p: memref<8xf32>, %q: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 3 : i64} {
  %i = tg.range 0 loop 8
  %three = tg.const(3 : index) : index
  %six = tg.const(6 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %negative = tg.const(-0.0 : f32) : f32
  %c = tg.cmplt %three, %i : index
  %d = tg.cmplt %i, %six : index
  %both = tg.and %c, %d : i1
  %x = tg.load %a[%i] mask %both : memref<8xf32>
  %y = tg.load %a[%i] mask %d : memref<8xf32>
  %s = tg.where %both, %x, %zero : f32
  %t = tg.where %c, %s, %zero : f32
  %u = tg.where %c, %y, %zero : f32
  %v = tg.where %c, %x, %negative : f32
  tg.store %t, %o[%i] : memref<8xf32>
  tg.store %u, %p[%i] : memref<8xf32>
  tg.store %v, %q[%i] : memref<8xf32>
}

// -----

// CHECK-LABEL: tg.kernel @index_arithmetic
tg.kernel @index_arithmetic(%out: memref<40xf32>, %a: memref<40xf32>) attributes {outputs = 1 : i64} {
  // CHECK-DAG: %[[I:.*]] = tg.range
  %i = tg.range 0 loop 4
  %zero = tg.const(0 : index) : index
  %one = tg.const(1 : index) : index
  %two = tg.const(2 : index) : index
  %ten = tg.const(10 : index) : index
  %0 = tg.add %i, %zero : index
  %1 = tg.mul %0, %one : index
  %2 = tg.sub %1, %one : index
  // CHECK-DAG: %[[NINE:.*]] = tg.const(9 : index)
  // CHECK-DAG: %[[A:.*]] = tg.add %[[I]], %[[NINE]] : index
  %3 = tg.add %2, %ten : index
  // CHECK: tg.load %{{.*}}[%[[A]]]
  %x = tg.load %a[%3] : memref<40xf32>
  %5 = tg.mul %two, %i : index
  %6 = tg.mul %5, %ten : index
  %7 = tg.floordiv %6, %one : index
  %8 = tg.floormod %7, %one : index
  %9 = tg.add %8, %i : index
  // CHECK: tg.store %{{.*}}, %{{.*}}[%[[I]]]
  tg.store %x, %out[%9] : memref<40xf32>
}
