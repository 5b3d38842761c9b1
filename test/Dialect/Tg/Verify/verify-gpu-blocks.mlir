// Numbers of groups and of blocks of results that are not all tried, or not only divided.

// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-verify-gpu-kernels=print-counts=true -o %t | FileCheck %s

// More groups than are tried: what they have in common is the solver's.
// CHECK: proved groups: 1
gpu.module @kernels {
  gpu.func @many_groups(%out: memref<2097152xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [2097152, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %x = gpu.block_id x
    %row = arith.divui %x, %two : index
    %column = arith.remui %x, %two : index
    %begin = arith.muli %row, %two : index
    %at = arith.addi %begin, %column : index
    memref.store %new, %out[%at] : memref<2097152xf32>
    gpu.return
  }
}

// -----

// As many blocks of results.
// CHECK: proved groups: 1
gpu.module @kernels {
  gpu.func @many_blocks(%out: memref<2097152xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [5, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %end = arith.constant 2097152 : index
    scf.for %x = %first to %end step %groups {
      %row = arith.divui %x, %two : index
      %column = arith.remui %x, %two : index
      %begin = arith.muli %row, %two : index
      %at = arith.addi %begin, %column : index
      memref.store %new, %out[%at] : memref<2097152xf32>
    }
    gpu.return
  }
}

// -----

// A remainder that several groups have, and their number beside it.
// CHECK: proved groups: 1
gpu.module @kernels {
  gpu.func @number_of_group(%out: memref<12xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [6, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %x = gpu.block_id x
    %column = arith.remui %x, %two : index
    %begin = arith.muli %x, %two : index
    %at = arith.addi %begin, %column : index
    memref.store %new, %out[%at] : memref<12xf32>
    gpu.return
  }
}

// -----

// The same of blocks.
// CHECK: proved groups: 1
gpu.module @kernels {
  gpu.func @number_of_block(%out: memref<12xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [5, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %end = arith.constant 6 : index
    scf.for %x = %first to %end step %groups {
      %column = arith.remui %x, %two : index
      %begin = arith.muli %x, %two : index
      %at = arith.addi %begin, %column : index
      memref.store %new, %out[%at] : memref<12xf32>
    }
    gpu.return
  }
}

// -----

// A condition is no number.
// CHECK: proved groups: 3
gpu.module @kernels {
  gpu.func @even_groups(%out: memref<6xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [6, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %x = gpu.block_id x
    %row = arith.divui %x, %two : index
    %column = arith.remui %x, %two : index
    %zero = arith.constant 0 : index
    %isEven = arith.cmpi eq, %column, %zero : index
    %three = arith.constant 3 : index
    %far = arith.addi %row, %three : index
    scf.if %isEven {
      memref.store %new, %out[%row] : memref<6xf32>
    } else {
      memref.store %new, %out[%far] : memref<6xf32>
    }
    gpu.return
  }
}

// -----

// CHECK: proved groups: 3
gpu.module @kernels {
  gpu.func @even_blocks(%out: memref<6xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.groups = [5, 1, 1], tg.outputs = 1 : i64} {
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %new = arith.constant 1.0 : f32
    %first = gpu.block_id x
    %groups = gpu.grid_dim x
    %end = arith.constant 6 : index
    scf.for %x = %first to %end step %groups {
      %row = arith.divui %x, %two : index
      %column = arith.remui %x, %two : index
      %zero = arith.constant 0 : index
      %isEven = arith.cmpi eq, %column, %zero : index
      %three = arith.constant 3 : index
      %far = arith.addi %row, %three : index
      scf.if %isEven {
        memref.store %new, %out[%row] : memref<6xf32>
      } else {
        memref.store %new, %out[%far] : memref<6xf32>
      }
    }
    gpu.return
  }
}
