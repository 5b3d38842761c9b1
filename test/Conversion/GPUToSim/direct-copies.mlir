// Copies of subgroups: all items write behind the place of the first one. Waits
// count copies.

// RUN: tg-opt %s -split-input-file -verify-diagnostics --convert-gpu-to-sim | FileCheck %s

// CHECK-LABEL: func.func @copies
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 64 : i64
// CHECK: %[[FIRST:.*]] = call @tg_sim_shuffle(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[WIDTH]], %{{.*}})
// CHECK: %[[OFFSET:.*]] = arith.muli
// CHECK: %[[SUM:.*]] = arith.addi %[[FIRST]], %[[OFFSET]] : i64
// CHECK: %[[PLACE:.*]] = arith.index_cast %[[SUM]]
// CHECK: call @tg_sim_access
// CHECK: call @tg_sim_access
// CHECK: call @tg_sim_copy
// CHECK: call @tg_sim_commit_copies
// CHECK: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK: call @tg_sim_wait_for_copies(%{{.*}}, %[[TWO]])
// CHECK-NOT: amdgpu
gpu.module @kernels {
  gpu.func @copies(%out: memref<512xf16>, %a: memref<512xf16>) workgroup(%tile: memref<512xf16, #gpu.address_space<workgroup>>) kernel attributes {tg.outputs = 1 : i64} {
    %zero = arith.constant 0 : index
    %x = gpu.thread_id x
    %eight = arith.constant 8 : index
    %from = arith.muli %x, %eight : index
    amdgpu.gather_to_lds %a[%from], %tile[%zero] : vector<8xf16>, memref<512xf16>, memref<512xf16, #gpu.address_space<workgroup>>
    amdgpu.memory_counter_wait load(2)
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @narrow(%out: memref<512xf32>, %a: memref<512xf32>) workgroup(%tile: memref<512xf32, #gpu.address_space<workgroup>>) kernel attributes {tg.outputs = 1 : i64} {
    %zero = arith.constant 0 : index
    // expected-error @+1 {{is not a copy of 16 bytes between memory of one dimension}}
    amdgpu.gather_to_lds %a[%zero], %tile[%zero] : f32, memref<512xf32>, memref<512xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @other_counter(%out: memref<512xf32>) kernel attributes {tg.outputs = 1 : i64} {
    // expected-error @+1 {{waits for something else than loads, which the simulator does not support}}
    amdgpu.memory_counter_wait load(2) ds(0)
    gpu.return
  }
}
