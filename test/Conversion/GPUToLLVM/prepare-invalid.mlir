// RUN: tg-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(tg-prepare-gpu-functions)))'

gpu.module @kernels {
  // expected-error @+1 {{takes 'memref<?xf32>', which code for GPUs cannot be passed}}
  gpu.func @dynamic(%out: memref<?xf32>) kernel attributes {tg.outputs = 1 : i64} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{takes 1 indices, which are not the last arguments or not as many as 'tg.variables' lists}}
  gpu.func @variables(%out: memref<4xf32>, %n: index) kernel attributes {tg.outputs = 1 : i64} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{takes 1 indices, which are not the last arguments}}
  gpu.func @order(%n: index, %out: memref<4xf32>) kernel
      attributes {tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 1, 8>]} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @tile(%out: memref<4xf32>) kernel attributes {tg.outputs = 1 : i64} {
    // expected-error @+1 {{tiles bring the memory of a work item to 80000 bytes; code for GPUs can use 65536}}
    %0 = memref.alloca() : memref<10000xf64>
    gpu.return
  }
}

// -----

// A map of a part of a buffer.
!map = !nvgpu.tensormap.descriptor<tensor = memref<16x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = none, oob = zero, interleave = none>
gpu.module @kernels {
  gpu.func @part(%a: memref<4096xf16>) kernel {
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : index
    %matrix = memref.reinterpret_cast %a to offset: [64], sizes: [16, 128], strides: [128, 1] : memref<4096xf16> to memref<16x128xf16, strided<[128, 1], offset: 64>>
    %any = memref.cast %matrix : memref<16x128xf16, strided<[128, 1], offset: 64>> to memref<*xf16>
    // expected-error @+1 {{is no matrix of a buffer that a launch can describe}}
    %map = nvgpu.tma.create.descriptor %any box[%c16, %c64] : memref<*xf16> -> !map
    gpu.return
  }
}
