// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-verify-gpu-kernels -verify-diagnostics

// Asynchronous copies: what they write is being written until their item has
// waited and a barrier has followed.

// A pipeline of two stages: the copies of the next iteration run while items read
// those of this one. Before a tile is written again, a barrier follows its reads.
gpu.module @kernels {
  gpu.func @pipeline(%out: memref<64xf32>, %a: memref<512xf32>) workgroup(%tile: memref<128xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %seven = arith.constant 7 : index
    %last = arith.constant 63 : index
    %length = arith.constant 64 : index
    %init = arith.constant 0.0 : f32
    %other = arith.subi %last, %x : index
    %first = nvgpu.device_async_copy %a[%x], %tile[%x], 1 : memref<512xf32> to memref<128xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %first
    %sum = scf.for %i = %zero to %seven step %one iter_args(%old = %init) -> (f32) {
      %next = arith.addi %i, %one : index
      %row = arith.muli %next, %length : index
      %place = arith.addi %row, %x : index
      %turn = arith.remui %next, %two : index
      %to = arith.muli %turn, %length : index
      %element = arith.addi %to, %x : index
      %copy = nvgpu.device_async_copy %a[%place], %tile[%element], 1 : memref<512xf32> to memref<128xf32, #gpu.address_space<workgroup>>
      %stage = nvgpu.device_async_create_group %copy
      nvgpu.device_async_wait %stage {numGroups = 1 : i32}
      gpu.barrier
      %thisTurn = arith.remui %i, %two : index
      %from = arith.muli %thisTurn, %length : index
      %1 = arith.addi %from, %other : index
      %2 = memref.load %tile[%1] : memref<128xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %new = arith.addf %old, %2 : f32
      scf.yield %new : f32
    }
    memref.store %sum, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// The same with one tile for both stages.
gpu.module @kernels {
  gpu.func @one_tile(%out: memref<64xf32>, %a: memref<512xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %seven = arith.constant 7 : index
    %last = arith.constant 63 : index
    %length = arith.constant 64 : index
    %init = arith.constant 0.0 : f32
    %other = arith.subi %last, %x : index
    %sum = scf.for %i = %zero to %seven step %one iter_args(%old = %init) -> (f32) {
      %row = arith.muli %i, %length : index
      %place = arith.addi %row, %x : index
      // expected-error@+2 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
      // expected-note@+1 {{counterexample:}}
      %copy = nvgpu.device_async_copy %a[%place], %tile[%x], 1 : memref<512xf32> to memref<64xf32, #gpu.address_space<workgroup>>
      %stage = nvgpu.device_async_create_group %copy
      nvgpu.device_async_wait %stage {numGroups = 1 : i32}
      gpu.barrier
      // expected-note@+1 {{the other access is here}}
      %2 = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %new = arith.addf %old, %2 : f32
      scf.yield %new : f32
    }
    memref.store %sum, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// Waited for, but no barrier follows: items have waited for their own copies.
gpu.module @kernels {
  gpu.func @no_barrier(%out: memref<64xf32>, %a: memref<64xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %last = arith.constant 63 : index
    %other = arith.subi %last, %x : index
    // expected-error@+2 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
    // expected-note@+1 {{counterexample:}}
    %copy = nvgpu.device_async_copy %a[%x], %tile[%x], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group
    // expected-note@+1 {{the other access is here}}
    %0 = memref.load %tile[%other] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %0, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// A barrier, but no wait: even the item's own element may not be there.
gpu.module @kernels {
  gpu.func @no_wait(%out: memref<64xf32>, %a: memref<64xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    // expected-error@+2 {{a work item accesses an element before it has waited for the copy that writes it}}
    // expected-note@+1 {{counterexample:}}
    %copy = nvgpu.device_async_copy %a[%x], %tile[%x], 1 : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    gpu.barrier
    // expected-note@+1 {{the access is here}}
    %0 = memref.load %tile[%x] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %0, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// Reads of a masked copy: as many elements as there are.
gpu.module @kernels {
  gpu.func @source(%out: memref<62xf32>, %a: memref<62xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>, %other: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 16, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %four = arith.constant 4 : index
    %size = arith.constant 62 : index
    %place = arith.muli %x, %four : index
    %left = arith.subi %size, %place : index
    %count = arith.minsi %left, %four : index
    %good = nvgpu.device_async_copy %a[%place], %tile[%place], 4, %count : memref<62xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    // expected-error@+2 {{this access is outside of its buffer of 62 elements}}
    // expected-note@+1 {{counterexample: item.x = 15}}
    %bad = nvgpu.device_async_copy %a[%place], %other[%place], 4 : memref<62xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %good, %bad
    nvgpu.device_async_wait %group
    gpu.return
  }
}
