// RUN: tg-opt %s -split-input-file -verify-diagnostics --convert-gpu-to-sim

gpu.module @kernels {
  gpu.func @rotates(%out: memref<4xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %x = memref.load %out[%c0] : memref<4xf32>
    // expected-error @+1 {{is not supported by the simulator}}
    %y, %valid = gpu.rotate %x, 1, 4 : f32
    memref.store %y, %out[%c0] : memref<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @shuffles_vectors(%out: memref<4xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %x = vector.load %out[%c0] : memref<4xf32>, vector<4xf32>
    // expected-error @+1 {{shuffles values of type 'vector<4xf32>'; the simulator supports scalars}}
    %y, %valid = gpu.shuffle xor %x, %c1, %c32 : vector<4xf32>
    vector.store %y, %out[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has private memory attributions, which the simulator does not support}}
  gpu.func @private(%out: memref<4xf32>) private(%own: memref<4xf32, #gpu.address_space<private>>) kernel attributes {tg.outputs = 1 : i64} {
    gpu.return
  }
}
