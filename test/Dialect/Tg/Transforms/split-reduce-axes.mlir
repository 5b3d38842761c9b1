// RUN: tg-opt %s -split-input-file -tg-split-reduce | FileCheck %s
// RUN: tg-opt %s -split-input-file -tg-attach-target=target=cuda:sm_90 -tg-split-reduce \
// RUN:   | FileCheck %s --check-prefix=GROUPS

// No axis is long enough: all of them become one.

// CHECK-LABEL: func.func @all
// CHECK-SAME:    (%[[X:.*]]: tensor<64x64x16x16xf32>)
// CHECK:         tg.reshape %[[X]] : tensor<64x64x16x16xf32> -> tensor<1048576xf32>
// CHECK:         tg.reduce add %{{.*}} axes [1] : tensor<256x4096xf32> -> tensor<256x1xf32>
// CHECK:         tg.reduce add %{{.*}} axes [0] : tensor<256x1xf32> -> tensor<1x1xf32>
// CHECK:         return %{{.*}} : tensor<1x1x1x1xf32>
func.func @all(%x: tensor<64x64x16x16xf32>) -> tensor<1x1x1x1xf32> {
  %0 = tg.reduce add %x axes [0, 1, 2, 3] : tensor<64x64x16x16xf32> -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}

// -----

// The reduced axes are neighbors in memory, where the operands are transposed;
// the axis of the results stays.

// CHECK-LABEL: func.func @permuted
// CHECK:         %[[P:.*]] = tg.permute %{{.*}} [3, 0, 1, 2] : tensor<100x100x100x2xf32> -> tensor<2x100x100x100xf32>
// CHECK:         tg.reshape %[[P]] : tensor<2x100x100x100xf32> -> tensor<2x1000000xf32>
// CHECK:         tg.reduce max %{{.*}} axes [2] : tensor<2x250x4000xf32> -> tensor<2x250x1xf32>
// CHECK:         tg.reduce max %{{.*}} axes [1] : tensor<2x250x1xf32> -> tensor<2x1x1xf32>
// CHECK:         %[[T:.*]] = tg.reshape %{{.*}} -> tensor<2x1x1x1xf32>
// CHECK:         tg.permute %[[T]] [1, 2, 3, 0] : tensor<2x1x1x1xf32> -> tensor<1x1x1x2xf32>
func.func @permuted(%x: tensor<2x100x100x100xf32>, %y: tensor<2x100x100x100xf32>) -> tensor<1x1x1x2xf32> {
  %0 = tg.permute %x [1, 2, 3, 0] : tensor<2x100x100x100xf32> -> tensor<100x100x100x2xf32>
  %1 = tg.permute %y [1, 2, 3, 0] : tensor<2x100x100x100xf32> -> tensor<100x100x100x2xf32>
  %2 = tg.mul %0, %1 : tensor<100x100x100x2xf32>
  %3 = tg.reduce max %2 axes [0, 1, 2] : tensor<100x100x100x2xf32> -> tensor<1x1x1x2xf32>
  return %3 : tensor<1x1x1x2xf32>
}

// -----

// They are not: one axis is between them. Operands in different orders have
// none that both are read in.

// CHECK-LABEL: func.func @apart
// CHECK-NOT:     tg.reshape
// CHECK:         tg.reduce add %{{.*}} axes [0, 2, 3] : tensor<100x2x100x100xf32>
// CHECK-NOT:     tg.reshape
// CHECK:         tg.reduce add %{{.*}} axes [0, 1, 2] : tensor<100x100x100xf32>
// CHECK-NOT:     tg.reshape
func.func @apart(%x: tensor<100x2x100x100xf32>, %y: tensor<100x100x100xf32>, %z: tensor<100x100x100xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x1x1xf32>) {
  %0 = tg.reduce add %x axes [0, 2, 3] : tensor<100x2x100x100xf32> -> tensor<1x2x1x1xf32>
  %1 = tg.permute %z [1, 0, 2] : tensor<100x100x100xf32> -> tensor<100x100x100xf32>
  %2 = tg.mul %y, %1 : tensor<100x100x100xf32>
  %3 = tg.reduce add %2 axes [0, 1, 2] : tensor<100x100x100xf32> -> tensor<1x1x1xf32>
  return %0, %3 : tensor<1x2x1x1xf32>, tensor<1x1x1xf32>
}

// -----

// The longest axis is long enough. Of a transposed tensor it is that of its
// rows, which the items of a group divide.

// CHECK-LABEL:  func.func @transposed
// CHECK:          tg.reduce add %{{.*}} axes [1, 2] : tensor<256x16x2048xf32> -> tensor<256x1x1xf32>
// GROUPS-LABEL: func.func @transposed
// GROUPS-SAME:    (%[[X:.*]]: tensor<2048x4096xf32>)
// GROUPS:         tg.reshape %{{.*}} : tensor<2048x4096xf32> -> tensor<8388608xf32>
// GROUPS:         tg.reduce add %{{.*}} axes [1] : tensor<256x32768xf32> -> tensor<256x1xf32>
func.func @transposed(%x: tensor<2048x4096xf32>) -> tensor<1x1xf32> {
  %0 = tg.permute %x [1, 0] : tensor<2048x4096xf32> -> tensor<4096x2048xf32>
  %1 = tg.reduce add %0 axes [0, 1] : tensor<4096x2048xf32> -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}

// -----

// Of a symbolic size, nothing is merged.

// CHECK-LABEL: func.func @symbolic
// CHECK-NOT:     tg.reshape
// CHECK:         tg.reduce add %{{.*}} axes [0, 1, 2]
#n = #tg.var<"n", 1, 100>
func.func @symbolic(%x: tensor<?x100x100xf32, #tg.shape<#n, 100, 100>>) -> tensor<1x1x1xf32> {
  %0 = tg.reduce add %x axes [0, 1, 2] : tensor<?x100x100xf32, #tg.shape<#n, 100, 100>> -> tensor<1x1x1xf32>
  return %0 : tensor<1x1x1xf32>
}

// -----

// Three rows times a matrix of 32 MiB, whose rows are read once for all of them: each
// part has three rows of results, so that it has three times the rows of a single one.

// CHECK-LABEL: func.func @narrow
// CHECK:         tg.reduce add %{{.*}} axes [2] : tensor<3x64x64x2048xf32> -> tensor<3x64x1x2048xf32>
// CHECK:         tg.permute %{{.*}} [1, 2, 0, 3] : tensor<3x64x1x2048xf32> -> tensor<64x1x3x2048xf32>
// A deep product of matrices on a GPU.
// GROUPS-LABEL: func.func @narrow
// GROUPS:         tg.reduce add %{{.*}} axes [2] : tensor<3x8x512x2048xf32>
func.func @narrow(%a: tensor<3x4096xf32>, %b: tensor<4096x2048xf32>) -> tensor<3x1x2048xf32> {
  %0 = tg.reshape %a : tensor<3x4096xf32> -> tensor<3x4096x1xf32>
  %1 = tg.expand %0 : tensor<3x4096x1xf32> -> tensor<3x4096x2048xf32>
  %2 = tg.reshape %b : tensor<4096x2048xf32> -> tensor<1x4096x2048xf32>
  %3 = tg.expand %2 : tensor<1x4096x2048xf32> -> tensor<3x4096x2048xf32>
  %4 = tg.mul %1, %3 : tensor<3x4096x2048xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<3x4096x2048xf32> -> tensor<3x1x2048xf32>
  return %5 : tensor<3x1x2048xf32>
}

// -----

// Too many rows; rows that lie along the reduced axis.

// CHECK-LABEL: func.func @wide
// CHECK-NOT:     tg.contiguous
// CHECK-LABEL: func.func @transposed
// CHECK-NOT:     tg.contiguous
func.func @wide(%a: tensor<13x4096xf32>, %b: tensor<4096x2048xf32>) -> tensor<13x1x2048xf32> {
  %0 = tg.reshape %a : tensor<13x4096xf32> -> tensor<13x4096x1xf32>
  %1 = tg.expand %0 : tensor<13x4096x1xf32> -> tensor<13x4096x2048xf32>
  %2 = tg.reshape %b : tensor<4096x2048xf32> -> tensor<1x4096x2048xf32>
  %3 = tg.expand %2 : tensor<1x4096x2048xf32> -> tensor<13x4096x2048xf32>
  %4 = tg.mul %1, %3 : tensor<13x4096x2048xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<13x4096x2048xf32> -> tensor<13x1x2048xf32>
  return %5 : tensor<13x1x2048xf32>
}
func.func @transposed(%a: tensor<3x4096xf32>, %b: tensor<2048x4096xf32>) -> tensor<3x2048x1xf32> {
  %0 = tg.reshape %a : tensor<3x4096xf32> -> tensor<3x1x4096xf32>
  %1 = tg.expand %0 : tensor<3x1x4096xf32> -> tensor<3x2048x4096xf32>
  %2 = tg.reshape %b : tensor<2048x4096xf32> -> tensor<1x2048x4096xf32>
  %3 = tg.expand %2 : tensor<1x2048x4096xf32> -> tensor<3x2048x4096xf32>
  %4 = tg.mul %1, %3 : tensor<3x2048x4096xf32>
  %5 = tg.reduce add %4 axes [2] : tensor<3x2048x4096xf32> -> tensor<3x2048x1xf32>
  return %5 : tensor<3x2048x1xf32>
}
