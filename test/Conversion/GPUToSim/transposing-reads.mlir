// Reads that transpose: each lane announces what it reads itself, and gets what
// those of its column read.

// RUN: tg-opt %s -split-input-file -verify-diagnostics --convert-gpu-to-sim | FileCheck %s

// CHECK-LABEL: func.func @read
// CHECK: call @tg_sim_access
// CHECK: call @tg_sim_read_transposed(%{{.*}}, %{{.*}}, %c2_i64{{[^,]*}}, %{{.*}}, %{{.*}})
// CHECK: vector.load {{.*}} : memref<4xf16>, vector<4xf16>
// CHECK-NOT: amdgpu
gpu.module @kernels {
  gpu.func @read(%out: memref<256xf16>) workgroup(%tile: memref<256xf16, #gpu.address_space<workgroup>>) kernel attributes {tg.outputs = 1 : i64} {
    %x = gpu.thread_id x
    %four = arith.constant 4 : index
    %from = arith.muli %x, %four : index
    %v = amdgpu.transpose_load %tile[%from] : memref<256xf16, #gpu.address_space<workgroup>> -> vector<4xf16>
    vector.store %v, %out[%from] : memref<256xf16>, vector<4xf16>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @bytes(%out: memref<512xi8>) workgroup(%tile: memref<512xi8, #gpu.address_space<workgroup>>) kernel attributes {tg.outputs = 1 : i64} {
    %zero = arith.constant 0 : index
    // expected-error @+1 {{does not read 8 bytes of elements of 16 bits}}
    %v = amdgpu.transpose_load %tile[%zero] : memref<512xi8, #gpu.address_space<workgroup>> -> vector<8xi8>
    vector.store %v, %out[%zero] : memref<512xi8>, vector<8xi8>
    gpu.return
  }
}
