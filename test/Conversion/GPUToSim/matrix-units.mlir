// RUN: tg-opt %s --convert-gpu-to-sim | FileCheck %s

// Matrix operations and asynchronous copies are calls. Registers go through
// memory of the item, which all operations of a kind share.
// CHECK-LABEL: func.func @multiplies(
// CHECK-COUNT-4: memref.alloca()
// CHECK-NOT: memref.alloca()
// The row that a lane gives is announced, and all lanes exchange them.
// CHECK: %[[ROW:.*]] = arith.constant 8 : i64
// CHECK: call @tg_sim_access(%{{.*}}, %{{.*}}, %{{.*}}, %[[ROW]],
// CHECK: call @tg_sim_load_matrices(
// CHECK-COUNT-4: vector.load %{{.*}} : memref<8xf16>, vector<2xf16>
// CHECK: call @tg_sim_load_matrices(
// CHECK: call @tg_sim_multiply(
// CHECK: call @tg_sim_multiply(
// CHECK-NOT: nvgpu
gpu.module @kernels {
  gpu.func @multiplies(%out: memref<64xf32>) workgroup(%tile: memref<512xf16, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
    %i = gpu.thread_id x
    %a = nvgpu.ldmatrix %tile[%i] {numTiles = 4 : i32, transpose = false} : memref<512xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
    %b = nvgpu.ldmatrix %tile[%i] {numTiles = 2 : i32, transpose = true} : memref<512xf16, #gpu.address_space<workgroup>> -> vector<2x2xf16>
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %c = nvgpu.mma.sync (%a, %b, %zero) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %d = nvgpu.mma.sync (%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %row = vector.extract %d[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %row, %out[%i] : memref<64xf32>, vector<2xf32>
    gpu.return
  }

  // CHECK-LABEL: func.func @multiplies_on_amd(
  // CHECK: call @tg_sim_multiply(
  // CHECK: call @tg_sim_multiply(
  // CHECK-NOT: amdgpu
  gpu.func @multiplies_on_amd(%out: memref<64xf32>, %a: memref<64xf16>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
    %i = gpu.thread_id x
    %x = vector.load %a[%i] : memref<64xf16>, vector<4xf16>
    %c = arith.constant dense<0.0> : vector<4xf32>
    %d = amdgpu.mfma 16x16x16 %x * %x + %c blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
    vector.store %d, %out[%i] : memref<64xf32>, vector<4xf32>
    %y = vector.load %a[%i] : memref<64xf16>, vector<16xf16>
    %e = arith.constant dense<0.0> : vector<8xf32>
    %f = amdgpu.wmma 16x16x16 %y * %y + %e : vector<16xf16>, vector<16xf16>, vector<8xf32>
    vector.store %f, %out[%i] : memref<64xf32>, vector<8xf32>
    gpu.return
  }

  // To nearest, ties away from zero: half a unit is added, then the lower bits
  // are cut off. Infinity and NaN stay what they are.
  // CHECK-LABEL: func.func @rounds(
  // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f32 to i32
  // CHECK: %[[SIGN:.*]] = arith.constant 2147483647 : i32
  // CHECK: %[[MAGNITUDE:.*]] = arith.andi %[[BITS]], %[[SIGN]]
  // CHECK: %[[INFINITY:.*]] = arith.constant 2139095040 : i32
  // CHECK: %[[FINITE:.*]] = arith.cmpi ult, %[[MAGNITUDE]], %[[INFINITY]]
  // CHECK: %[[HALF:.*]] = arith.constant 4096 : i32
  // CHECK: %[[SUM:.*]] = arith.addi %[[BITS]], %[[HALF]]
  // CHECK: %[[CHOSEN:.*]] = arith.select %[[FINITE]], %[[SUM]], %[[BITS]]
  // CHECK: %[[MASK:.*]] = arith.constant -8192 : i32
  // CHECK: arith.andi %[[CHOSEN]], %[[MASK]]
  // CHECK-NOT: nvvm
  gpu.func @rounds(%out: memref<1xi32>, %a: memref<1xf32>) kernel attributes {known_block_size = array<i32: 1, 1, 1>, tg.outputs = 1 : i64} {
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<1xf32>
    %y = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rna>}
    memref.store %y, %out[%i] : memref<1xi32>
    gpu.return
  }

  // The elements that are read and those that are written, which are more if the
  // rest becomes zeros. 65555: the second access (1 << 16), a write (1) of the
  // group's memory (2) by a copy (16).
  // CHECK-LABEL: func.func @copies(
  // CHECK: call @tg_sim_access(
  // CHECK: %[[FLAGS:.*]] = arith.constant 65555 : i64
  // CHECK: call @tg_sim_access(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[FLAGS]],
  // CHECK: %[[BYTES:.*]] = arith.constant 16 : i64
  // CHECK: call @tg_sim_copy(%{{.*}}, %{{.*}}, %{{.*}}, %[[BYTES]],
  // CHECK: call @tg_sim_commit_copies(
  // CHECK: %[[COUNT:.*]] = arith.constant 1 : i64
  // CHECK: call @tg_sim_wait_for_copies(%{{.*}}, %[[COUNT]])
  // CHECK-NOT: nvgpu
  gpu.func @copies(%out: memref<64xf32>, %a: memref<64xf32>) workgroup(%tile: memref<64xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, tg.outputs = 1 : i64} {
    %i = gpu.thread_id x
    %n = arith.constant 3 : index
    %copy = nvgpu.device_async_copy %a[%i], %tile[%i], 4, %n : memref<64xf32> to memref<64xf32, #gpu.address_space<workgroup>>
    %group = nvgpu.device_async_create_group %copy
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    gpu.return
  }
}
