// RUN: tg-opt %s -split-input-file -verify-diagnostics --convert-gpu-to-sim | FileCheck %s

// Mbarriers are numbered, those of the second group after those of the first. A map is
// in memory of the item: buffer, address, elements, bytes of one, columns, rows,
// distance of rows, columns and rows of a box, and the bytes of a permuted row.
// CHECK-DAG: func.func private @tg_sim_init_mbarrier(i64, i64, i64, i64, i64)
// CHECK-DAG: func.func private @tg_sim_copy_box(i64, i64, i64, i64, i64, i64, i64, i64, i64)
// CHECK: func.func @kernel(
// CHECK: %[[MAP:.*]] = memref.alloca() : memref<10xi64>
// CHECK: %[[NUMBER:.*]] = arith.constant 1 : i64
// CHECK: %[[BYTES:.*]] = arith.constant 2 : i64
// CHECK-COUNT-10: memref.store %{{.*}}, %[[MAP]]
// CHECK-NOT: nvgpu
// CHECK: call @tg_sim_init_mbarrier(
// CHECK: %[[FIRST:.*]] = arith.constant 3 : i64
// CHECK: %[[COUNT:.*]] = arith.constant 2 : i64
// CHECK: call @tg_sim_init_mbarrier(%{{.*}}, %[[FIRST]], %[[COUNT]],
// CHECK: call @tg_sim_fence_mbarriers(
// CHECK: call @tg_sim_arrive(
// CHECK: call @tg_sim_copy_box(
// CHECK: call @tg_sim_arrive(
// CHECK: call @tg_sim_wait_for_phase(
// CHECK: call @tg_sim_store_box(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (i64, i64, i64, i64, i64, i64) -> ()
// CHECK: call @tg_sim_commit_stores(
// CHECK: %[[GROUPS:.*]] = arith.constant 1 : i64
// CHECK: call @tg_sim_wait_for_stores(%{{.*}}, %[[GROUPS]])
// CHECK-NOT: nvgpu
!map = !nvgpu.tensormap.descriptor<tensor = memref<16x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
!three = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 3>
!two = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 2>
gpu.module @kernels {
  gpu.func @kernel(%out: memref<64xf32>, %a: memref<4096xf16>)
      workgroup(%tile: memref<2048xf16, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64})
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %bytes = arith.constant 2048 : index
    %no = arith.constant false
    %matrix = memref.reinterpret_cast %a to offset: [0], sizes: [32, 128], strides: [128, 1] : memref<4096xf16> to memref<32x128xf16, strided<[128, 1]>>
    %any = memref.cast %matrix : memref<32x128xf16, strided<[128, 1]>> to memref<*xf16>
    %map = nvgpu.tma.create.descriptor %any box[%c16, %c64] : memref<*xf16> -> !map
    %m = nvgpu.mbarrier.create -> !three
    %n = nvgpu.mbarrier.create -> !two
    nvgpu.mbarrier.init %m[%c1], %c1 : !three
    nvgpu.mbarrier.init %n[%c1], %c1 : !two
    nvvm.fence.mbarrier.init
    nvgpu.mbarrier.arrive.expect_tx %m[%c1], %bytes : !three
    %i = gpu.thread_id x
    %box = memref.reinterpret_cast %tile to offset: [%i], sizes: [16, 64], strides: [64, 1] : memref<2048xf16, #gpu.address_space<workgroup>> to memref<16x64xf16, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
    nvgpu.tma.async.load %map[%c64, %c16], %m[%c1] to %box : !map, !three -> memref<16x64xf16, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
    %token = nvgpu.mbarrier.arrive %n[%c1] : !two -> !nvgpu.mbarrier.token
    nvgpu.mbarrier.try_wait.parity %m[%c1], %no, %c64 : !three
    nvgpu.tma.async.store %box to %map[%c64, %c16] : memref<16x64xf16, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>> -> !map
    nvvm.cp.async.bulk.commit.group
    nvvm.cp.async.bulk.wait_group 1 {read}
    gpu.return
  }
}

// -----

!one = !nvgpu.mbarrier.group<memorySpace = #gpu.address_space<workgroup>, num_barriers = 1>
gpu.module @kernels {
  gpu.func @some_items(%out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %yes = arith.constant true
    %m = nvgpu.mbarrier.create -> !one
    // expected-error @+1 {{'nvgpu.mbarrier.init' op is not supported by the simulator}}
    nvgpu.mbarrier.init %m[%c0], %c1, predicate = %yes : !one
    gpu.return
  }
}

// -----

!map = !nvgpu.tensormap.descriptor<tensor = memref<16x32xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_64b, l2promo = none, oob = zero, interleave = none>
gpu.module @kernels {
  gpu.func @other_swizzle(%out: memref<64xf32>, %a: memref<4096xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
    %c16 = arith.constant 16 : index
    %c32 = arith.constant 32 : index
    %matrix = memref.reinterpret_cast %a to offset: [0], sizes: [32, 128], strides: [128, 1] : memref<4096xf16> to memref<32x128xf16, strided<[128, 1]>>
    %any = memref.cast %matrix : memref<32x128xf16, strided<[128, 1]>> to memref<*xf16>
    // expected-error @+1 {{'nvgpu.tma.create.descriptor' op is no matrix of a buffer that the simulator knows}}
    %map = nvgpu.tma.create.descriptor %any box[%c16, %c32] : memref<*xf16> -> !map
    gpu.return
  }
}

// -----

// Barriers of some items and registers.
// CHECK-LABEL: func.func @roles(
// CHECK: %[[NUMBER:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[ITEMS:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: call @tg_sim_named_barrier(%{{.*}}, %[[NUMBER]], %[[ITEMS]], %{{.*}}) : (i64, i64, i64, i64) -> ()
// CHECK: %[[COUNT:.*]] = arith.constant 232 : i64
// CHECK: %[[INCREASE:.*]] = arith.constant 1 : i64
// CHECK: call @tg_sim_set_registers(%{{.*}}, %[[COUNT]], %[[INCREASE]], %{{.*}}) : (i64, i64, i64, i64) -> ()
// CHECK: %[[FEWER:.*]] = arith.constant 40 : i64
// CHECK: %[[DECREASE:.*]] = arith.constant 0 : i64
// CHECK: call @tg_sim_set_registers(%{{.*}}, %[[FEWER]], %[[DECREASE]],
gpu.module @kernels {
  gpu.func @roles(%out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
    %one = arith.constant 1 : i32
    %items = arith.constant 256 : i32
    nvvm.barrier id = %one number_of_threads = %items
    nvvm.setmaxregister increase 232
    nvvm.setmaxregister decrease 40
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @all_items(%out: memref<64xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
    // expected-error @+1 {{'nvvm.barrier' op is not supported by the simulator}}
    nvvm.barrier
    gpu.return
  }
}
