// RUN: tg-opt %s --tg-gpu-to-llvm-pipeline=chip=sm_90 | FileCheck %s --check-prefixes=CHECK,NVVM
// RUN: tg-opt %s --tg-gpu-to-llvm-pipeline=chip=gfx1100 | FileCheck %s --check-prefixes=CHECK,ROCDL
// RUN: not tg-opt %s --tg-gpu-to-llvm-pipeline=chip=gfxnone 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tg-opt %s --tg-gpu-to-llvm-pipeline=chip=sm_99 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: there is no GPU called '{{gfxnone|sm_99}}'; known ones: sm_70 {{.*}} gfx1201

// 64 KiB of memory are declared where code can, otherwise the launch gives them.
// NVVM: llvm.mlir.global external @__dynamic_shmem__0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// ROCDL: llvm.mlir.global internal @__wg_k_0() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16384 x f32>
// CHECK: llvm.func @k(
// CHECK-SAME: !llvm.ptr<1> {llvm.dereferenceable = 256 : i64, llvm.noalias, llvm.noundef}
// CHECK-SAME: !llvm.ptr<1> {llvm.dereferenceable = 256 : i64, llvm.noalias, llvm.noundef, llvm.readonly}
// NVVM-SAME: nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 64, 1, 1>
// ROCDL-SAME: rocdl.flat_work_group_size = "64,64", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 64, 1, 1>, rocdl.uniform_work_group_size = true
// CHECK-NOT: tg.
// NVVM: nvvm.barrier
// ROCDL: rocdl.barrier
// CHECK: llvm.intr.sqrt
// CHECK: llvm.intr.fma
// CHECK-NOT: math.
// CHECK: llvm.return
gpu.module @kernels {
  gpu.func @k(%out: memref<64xf32>, %in: memref<64xf32>) workgroup(%m: memref<16384xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tg.outputs = 1 : i64} {
    %i = gpu.thread_id x
    %x = memref.load %in[%i] : memref<64xf32>
    memref.store %x, %m[%i] : memref<16384xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %y = memref.load %m[%i] : memref<16384xf32, #gpu.address_space<workgroup>>
    %z = math.sqrt %y : f32
    %e = math.exp2 %z : f32
    memref.store %e, %out[%i] : memref<64xf32>
    gpu.return
  }

  // How many groups are to be resident bounds the registers: 8 groups of two
  // subgroups are 4 of each SIMD.
  // CHECK-LABEL: llvm.func @resident(
  // NVVM-SAME: nvvm.minctasm = 8 : i32
  // ROCDL-SAME: rocdl.waves_per_eu = 4 : i32
  gpu.func @resident(%out: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tg.outputs = 1 : i64, tg.resident_groups = 8 : i64} {
    %i = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    memref.store %x, %out[%i] : memref<64xf32>
    gpu.return
  }

  // Newer GPUs that PTX may be compiled for have room for fewer groups.
  // CHECK-LABEL: llvm.func @small_groups(
  // NVVM-SAME: nvvm.minctasm = 16 : i32
  // ROCDL-SAME: rocdl.waves_per_eu = 8 : i32
  gpu.func @small_groups(%out: memref<32xf32>) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64, tg.resident_groups = 32 : i64} {
    %i = gpu.thread_id x
    %x = arith.constant 1.0 : f32
    memref.store %x, %out[%i] : memref<32xf32>
    gpu.return
  }

  // CHECK-LABEL: llvm.func @loop(
  // CHECK: llvm.br {{.*}} {loop_annotation = #{{.*}}}
  gpu.func @loop(%out: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = arith.constant 1.0 : f32
    scf.for %i = %c0 to %c4 step %c1 {
      gpu.barrier
      memref.store %x, %out[%i] : memref<64xf32>
    }
    gpu.return
  }
}
