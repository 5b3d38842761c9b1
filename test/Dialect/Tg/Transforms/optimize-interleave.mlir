// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Results that take turns in memory: lanes run along both ranges.

// Phases of a transposed convolution: of rows and of columns. The phase of rows
// is unrolled, so that each copy loads two operands, not four.
// CHECK-LABEL: tg.kernel @E_64_28_2_28_2
// CHECK: %[[PHASE:.*]] = tg.range {{.*}} unroll 2
// CHECK: tg.range {{.*}} loop 2 peel 1
// CHECK: %[[LANES:.*]] = tg.range {{.*}} upcast 32
// CHECK-NOT: upcast
// CHECK: tg.floordiv %[[LANES]]
// REMARK: remark: {{.*}}E_64_28_2_28_2{{.*}}interleave range {{[0-9]+}} by 2
// REMARK: remark: {{.*}}E_64_28_2_28_2{{.*}}unroll range {{[0-9]+}} by 2
func.func @phases(%a: tensor<64x28x1x28x1xf32>, %b: tensor<64x28x1x28x1xf32>, %c: tensor<64x28x1x28x1xf32>, %d: tensor<64x28x1x28x1xf32>) -> tensor<64x28x2x28x2xf32> {
  %zero = tg.const(0 : i32) : tensor<64x28x2x28x2xi32>
  %i = tg.iota 2 : tensor<64x28x2x28x2xi32>
  %isEvenRow = tg.cmpeq %i, %zero : tensor<64x28x2x28x2xi32>
  %j = tg.iota 4 : tensor<64x28x2x28x2xi32>
  %isEvenColumn = tg.cmpeq %j, %zero : tensor<64x28x2x28x2xi32>
  %a1 = tg.expand %a : tensor<64x28x1x28x1xf32> -> tensor<64x28x2x28x2xf32>
  %b1 = tg.expand %b : tensor<64x28x1x28x1xf32> -> tensor<64x28x2x28x2xf32>
  %c1 = tg.expand %c : tensor<64x28x1x28x1xf32> -> tensor<64x28x2x28x2xf32>
  %d1 = tg.expand %d : tensor<64x28x1x28x1xf32> -> tensor<64x28x2x28x2xf32>
  %even = tg.where %isEvenColumn, %a1, %b1 : tensor<64x28x2x28x2xf32>
  %odd = tg.where %isEvenColumn, %c1, %d1 : tensor<64x28x2x28x2xf32>
  %r = tg.where %isEvenRow, %even, %odd : tensor<64x28x2x28x2xf32>
  return %r : tensor<64x28x2x28x2xf32>
}

// -----

// Channels become pixels.
// CHECK-LABEL: tg.kernel @E_16_2_28_28_2
// CHECK: %[[LANES:.*]] = tg.range {{.*}} upcast 32
// CHECK-DAG: tg.floordiv %[[LANES]]
// CHECK-DAG: tg.floormod %[[LANES]]
func.func @pixels(%x: tensor<16x2x2x28x28xf32>) -> tensor<16x2x28x28x2xf32> {
  %r = tg.permute %x [0, 1, 3, 4, 2] : tensor<16x2x2x28x28xf32> -> tensor<16x2x28x28x2xf32>
  return %r : tensor<16x2x28x28x2xf32>
}

// -----

// Rows that are not contiguous would be gathered.
// CHECK-LABEL: tg.kernel @E_28_64_2
// CHECK: tg.range {{.*}} upcast 2
// CHECK-NOT: tg.floordiv
// REMARK-NOT: E_28_64_2{{.*}}interleave
func.func @turned(%x: tensor<64x28xf32>) -> tensor<28x64x2xf32> {
  %p = tg.permute %x [1, 0] : tensor<64x28xf32> -> tensor<28x64xf32>
  %e = tg.reshape %p : tensor<28x64xf32> -> tensor<28x64x1xf32>
  %r = tg.expand %e : tensor<28x64x1xf32> -> tensor<28x64x2xf32>
  return %r : tensor<28x64x2xf32>
}

// -----

// Lanes are powers of two, and no multiple of three.
// CHECK-LABEL: tg.kernel @E_16_28_3
// CHECK-NOT: tg.floordiv
// REMARK-NOT: E_16_28_3{{.*}}interleave
func.func @three(%x: tensor<16x28x1xf32>) -> tensor<16x28x3xf32> {
  %r = tg.expand %x : tensor<16x28x1xf32> -> tensor<16x28x3xf32>
  return %r : tensor<16x28x3xf32>
}

// -----

// Fewer results than lanes.
// CHECK-LABEL: tg.kernel @E_4_2
// CHECK-NOT: tg.floordiv
func.func @few(%x: tensor<4x1xf32>) -> tensor<4x2xf32> {
  %r = tg.expand %x : tensor<4x1xf32> -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// -----

// Zeros between rows and columns: the phase of rows is unrolled, since it
// decides whether anything is loaded. The masks of the lanes are then constants.
// CHECK-LABEL: tg.kernel @E_64_28_2_28_2
// CHECK: tg.range {{.*}} unroll 2
// CHECK: tg.range {{.*}} upcast 32
// REMARK: remark: {{.*}}E_64_28_2_28_2{{.*}}unroll range {{[0-9]+}} by 2
func.func @zeros(%x: tensor<64x28x28xf32>) -> tensor<64x56x56xf32> {
  %0 = tg.reshape %x : tensor<64x28x28xf32> -> tensor<64x28x1x28x1xf32>
  %1 = tg.pad %0 low [0, 0, 0, 0, 0] high [0, 0, 1, 0, 1] : tensor<64x28x1x28x1xf32> -> tensor<64x28x2x28x2xf32>
  %2 = tg.reshape %1 : tensor<64x28x2x28x2xf32> -> tensor<64x56x56xf32>
  return %2 : tensor<64x56x56xf32>
}
