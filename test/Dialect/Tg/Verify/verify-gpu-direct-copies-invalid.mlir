// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-verify-gpu-kernels -verify-diagnostics

// Copies of subgroups: what their items write follows the place that all of them
// give, and is being written until as many copies as were begun later are left by
// a wait, and a barrier has followed.

gpu.module @kernels {
  gpu.func @waits(%out: memref<128xf32>, %a: memref<1024xf32>) workgroup(%tile: memref<1024xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %four = arith.constant 4 : index
    %lanes = arith.constant 64 : index
    %part = arith.constant 256 : index
    %half = arith.constant 512 : index
    %end = arith.constant 511 : index
    %wave = arith.divui %x, %lanes : index
    %to = arith.muli %wave, %part : index
    %from = arith.muli %x, %four : index
    amdgpu.gather_to_lds %a[%from], %tile[%to] : vector<4xf32>, memref<1024xf32>, memref<1024xf32, #gpu.address_space<workgroup>>
    %from2 = arith.addi %from, %half : index
    %to2 = arith.addi %to, %half : index
    amdgpu.gather_to_lds %a[%from2], %tile[%to2] : vector<4xf32>, memref<1024xf32>, memref<1024xf32, #gpu.address_space<workgroup>>
    amdgpu.memory_counter_wait load(1)
    gpu.barrier
    %other = arith.subi %end, %x : index
    %value = memref.load %tile[%other] : memref<1024xf32, #gpu.address_space<workgroup>>
    memref.store %value, %out[%x] : memref<128xf32>
    amdgpu.memory_counter_wait load(0)
    gpu.return
  }
}

// -----

// The second copy is still running.
gpu.module @kernels {
  gpu.func @early(%out: memref<64xf32>, %a: memref<512xf32>) workgroup(%tile: memref<512xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %half = arith.constant 256 : index
    %end = arith.constant 511 : index
    %from = arith.muli %x, %four : index
    amdgpu.gather_to_lds %a[%from], %tile[%zero] : vector<4xf32>, memref<512xf32>, memref<512xf32, #gpu.address_space<workgroup>>
    %from2 = arith.addi %from, %half : index
    // expected-error @+3 {{two work items access an element of their group's memory, one of them writes, and no barrier is between}}
    // expected-note @+2 {{counterexample}}
    // expected-error @+1 {{a work item accesses an element before it has waited for the copy that writes it}}
    amdgpu.gather_to_lds %a[%from2], %tile[%half] : vector<4xf32>, memref<512xf32>, memref<512xf32, #gpu.address_space<workgroup>>
    amdgpu.memory_counter_wait load(1)
    gpu.barrier
    %other = arith.subi %end, %x : index
    // expected-note @+2 {{the other access is here}}
    // expected-note @+1 {{the access is here}}
    %value = memref.load %tile[%other] : memref<512xf32, #gpu.address_space<workgroup>>
    memref.store %value, %out[%x] : memref<64xf32>
    gpu.return
  }
}

// -----

// As cp.async would have it: each item gives the address that it means.
gpu.module @kernels {
  gpu.func @own_addresses(%out: memref<64xf32>, %a: memref<256xf32>) workgroup(%tile: memref<512xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %four = arith.constant 4 : index
    %from = arith.muli %x, %four : index
    // expected-note @+2 {{counterexample}}
    // expected-error @+1 {{two work items of a subgroup give different addresses to write to, of which only the first one's counts}}
    amdgpu.gather_to_lds %a[%from], %tile[%from] : vector<4xf32>, memref<256xf32>, memref<512xf32, #gpu.address_space<workgroup>>
    amdgpu.memory_counter_wait load(0)
    gpu.return
  }
}

// -----

// The last items write past the end.
gpu.module @kernels {
  gpu.func @outside(%out: memref<64xf32>, %a: memref<256xf32>) workgroup(%tile: memref<252xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, tg.groups = [1, 1, 1], tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %zero = arith.constant 0 : index
    %four = arith.constant 4 : index
    %from = arith.muli %x, %four : index
    // expected-note @+2 {{counterexample: item.x = 63}}
    // expected-error @+1 {{this access is outside of its buffer of 252 elements}}
    amdgpu.gather_to_lds %a[%from], %tile[%zero] : vector<4xf32>, memref<256xf32>, memref<252xf32, #gpu.address_space<workgroup>>
    amdgpu.memory_counter_wait load(0)
    gpu.return
  }
}
