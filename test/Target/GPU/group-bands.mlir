// Groups go through bands of rows of the grid, column by column.

// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cuda:sm_90 --convert-tg-to-gpu | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=amd:gfx942 --convert-tg-to-gpu | FileCheck %s

// Two bands of four rows.
// CHECK-LABEL: gpu.func @even
// CHECK-DAG: %[[Y:.*]] = gpu.block_id y upper_bound 8
// CHECK-DAG: %[[X:.*]] = gpu.block_id x upper_bound 3
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 3 : index
// CHECK: %[[FIRST:.*]] = arith.muli %[[Y]], %[[WIDTH]]
// CHECK: %[[NUMBER:.*]] = arith.addi %[[FIRST]], %[[X]]
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[HEIGHT:.*]] = arith.constant 4 : index
// CHECK: %[[BAND:.*]] = arith.divui %[[NUMBER]], %[[SIZE]]
// CHECK: %[[PLACE:.*]] = arith.remui %[[NUMBER]], %[[SIZE]]
// CHECK: %[[IN:.*]] = arith.remui %[[PLACE]], %[[HEIGHT]]
// CHECK: arith.divui %[[PLACE]], %[[HEIGHT]]
// CHECK: %[[ABOVE:.*]] = arith.muli %[[BAND]], %[[HEIGHT]]
// CHECK: arith.addi %[[ABOVE]], %[[IN]]
// CHECK-NOT: arith.select
tg.kernel @even(%out: memref<24xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 8 {tg.band = 4 : i64}
  %j = tg.range 1 global 3
  %n = tg.const(3 : index) : index
  %row = tg.mul %i, %n : index
  %at = tg.add %row, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<24xf32>
}

// -----

// Bands of four, four and two rows; each image is numbered by itself.
// CHECK-LABEL: gpu.func @rest
// CHECK-DAG: gpu.block_id z upper_bound 2
// CHECK-DAG: gpu.block_id y upper_bound 10
// CHECK-DAG: gpu.block_id x upper_bound 3
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[HEIGHT:.*]] = arith.constant 4 : index
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : index
// CHECK: %[[BAND:.*]] = arith.divui %[[NUMBER:.*]], %[[SIZE]]
// CHECK: %[[PLACE:.*]] = arith.remui %[[NUMBER]], %[[SIZE]]
// CHECK: %[[ROW:.*]] = arith.remui %[[PLACE]], %[[HEIGHT]]
// CHECK: %[[COLUMN:.*]] = arith.divui %[[PLACE]], %[[HEIGHT]]
// CHECK: %[[LASTROW:.*]] = arith.remui %[[PLACE]], %[[TWO]]
// CHECK: %[[LASTCOLUMN:.*]] = arith.divui %[[PLACE]], %[[TWO]]
// CHECK: %[[ISLAST:.*]] = arith.cmpi eq, %[[BAND]], %[[TWO]]
// CHECK: arith.select %[[ISLAST]], %[[LASTROW]], %[[ROW]]
// CHECK: arith.select %[[ISLAST]], %[[LASTCOLUMN]], %[[COLUMN]]
tg.kernel @rest(%out: memref<60xf32>) attributes {outputs = 1 : i64} {
  %b = tg.range 0 global 2
  %i = tg.range 1 global 10 {tg.band = 4 : i64}
  %j = tg.range 2 global 3
  %m = tg.const(30 : index) : index
  %n = tg.const(3 : index) : index
  %image = tg.mul %b, %m : index
  %row = tg.mul %i, %n : index
  %in = tg.add %row, %j : index
  %at = tg.add %image, %in : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<60xf32>
}

// -----

// One band: column by column.
// CHECK-LABEL: gpu.func @columns
// CHECK-DAG: %[[HEIGHT:.*]] = arith.constant 5 : index
// CHECK: arith.remui %[[NUMBER:.*]], %[[HEIGHT]]
// CHECK: arith.divui %[[NUMBER]], %[[HEIGHT]]
// CHECK-NOT: arith.divui
tg.kernel @columns(%out: memref<15xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 5 {tg.band = 5 : i64}
  %j = tg.range 1 global 3
  %n = tg.const(3 : index) : index
  %row = tg.mul %i, %n : index
  %at = tg.add %row, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<15xf32>
}
