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

// -----

gpu.module @kernels {
  // expected-error @+1 {{is not a function that convert-tg-to-gpu makes}}
  gpu.func @no_outputs(%out: memref<4xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{is not a function that convert-tg-to-gpu makes}}
  gpu.func @too_many_variables(%out: memref<4xf32>, %n: f32) kernel
      attributes {tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 1, 16>, #tg.var<"m", 1, 16>, #tg.var<"k", 1, 16>]} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @plane(%out: memref<4xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %tile = memref.alloca() : memref<2x2xf32>
    // expected-error @+1 {{accesses memory of type 'memref<2x2xf32>'; the simulator supports one dimension of known size}}
    %x = memref.load %tile[%c0, %c0] : memref<2x2xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @other_matrices(%out: memref<16xf32>, %a: memref<16xf16>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %x = vector.load %a[%c0] : memref<16xf16>, vector<4xf16>
    %c = arith.constant dense<0.0> : vector<16xf32>
    // expected-error @+1 {{is no matrix operation that the simulator knows}}
    %d = amdgpu.mfma 32x32x8 %x * %x + %c blgp = none : vector<4xf16>, vector<4xf16>, vector<16xf32>
    vector.store %d, %out[%c0] : memref<16xf32>, vector<16xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @permuted_lanes(%out: memref<16xf32>, %a: memref<16xf16>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %x = vector.load %a[%c0] : memref<16xf16>, vector<4xf16>
    %c = arith.constant dense<0.0> : vector<4xf32>
    // expected-error @+1 {{is no matrix operation that the simulator knows}}
    %d = amdgpu.mfma 16x16x16 %x * %x + %c blgp = bcast_first_32 : vector<4xf16>, vector<4xf16>, vector<4xf32>
    vector.store %d, %out[%c0] : memref<16xf32>, vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @other_rounding(%out: memref<1xi32>, %a: memref<1xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0] : memref<1xf32>
    // expected-error @+1 {{rounds in a way that the simulator does not know}}
    %y = nvvm.convert.float.to.tf32 %x {rnd = #nvvm.fp_rnd_mode<rn>}
    memref.store %y, %out[%c0] : memref<1xi32>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @other_operation(%out: memref<1xf32>, %a: memref<1xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %x = memref.load %a[%c0] : memref<1xf32>
    // expected-error @+1 {{is not supported by the simulator}}
    %y = nvvm.rcp.approx.ftz.f %x : f32
    memref.store %y, %out[%c0] : memref<1xf32>
    gpu.return
  }
}
