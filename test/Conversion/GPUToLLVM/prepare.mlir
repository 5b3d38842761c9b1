// RUN: tg-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(tg-prepare-gpu-functions{max-static-bytes=1024})))' | FileCheck %s

// CHECK-DAG: #[[UNROLL:.*]] = #llvm.loop_unroll<disable = true>
// CHECK-DAG: #[[FOUR:.*]] = #llvm.loop_unroll<count = 4 : i32>
// CHECK-DAG: #[[TWO:.*]] = #llvm.loop_unroll<count = 2 : i32>
// CHECK-DAG: #[[KEPT:.*]] = #llvm.loop_annotation<unroll = #[[UNROLL]]>
// CHECK-DAG: #[[BY4:.*]] = #llvm.loop_annotation<unroll = #[[FOUR]]>
// CHECK-DAG: #[[BY2:.*]] = #llvm.loop_annotation<unroll = #[[TWO]]>

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @arguments(
  // CHECK-SAME: memref<64xf32, #gpu.address_space<global>>, %[[N:.*]]: i64) kernel
  // CHECK-SAME: tg.narrow_indices
  // CHECK: arith.index_cast %[[N]] : i64 to index
  gpu.func @arguments(%out: memref<64xf32>, %n: index) kernel
      attributes {known_block_size = array<i32: 8, 1, 1>, tg.outputs = 1 : i64, tg.variables = [#tg.var<"n", 1, 8>]} {
    %i = gpu.thread_id x
    %p = arith.muli %i, %n : index
    %x = arith.constant 1.0 : f32
    memref.store %x, %out[%p] : memref<64xf32>
    gpu.return
  }

  // The grid may be larger.
  // CHECK-LABEL: gpu.func @unknown_grid
  // CHECK-NOT: narrow
  // CHECK: gpu.return
  gpu.func @unknown_grid(%out: memref<64xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %i = gpu.block_id x
    %x = arith.constant 1.0 : f32
    memref.store %x, %out[%i] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @large_product
  // CHECK-NOT: narrow
  // CHECK: gpu.return
  gpu.func @large_product(%out: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tg.outputs = 1 : i64} {
    %i = gpu.thread_id x
    %c = arith.constant 100000000 : index
    %p = arith.muli %i, %c : index
    %q = arith.divui %p, %c : index
    %x = arith.constant 1.0 : f32
    memref.store %x, %out[%q] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @large_buffer
  // CHECK-NOT: narrow
  // CHECK: gpu.return
  gpu.func @large_buffer(%out: memref<2147483648xi8>) kernel attributes {tg.outputs = 1 : i64} {
    %c = arith.constant 0 : index
    %x = arith.constant 1 : i8
    memref.store %x, %out[%c] : memref<2147483648xi8>
    gpu.return
  }

  // The counter would not fit after the last iteration.
  // CHECK-LABEL: gpu.func @counter
  // CHECK-NOT: narrow
  // CHECK: gpu.return
  gpu.func @counter(%out: memref<2147483647xi8>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %end = arith.constant 2147483647 : index
    %step = arith.constant 2 : index
    %x = arith.constant 1 : i8
    scf.for %i = %c0 to %end step %step {
      memref.store %x, %out[%i] : memref<2147483647xi8>
    }
    gpu.return
  }

  // As a signed number, -1 is in range.
  // CHECK-LABEL: gpu.func @negative
  // CHECK-NOT: narrow
  // CHECK: gpu.return
  gpu.func @negative(%out: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>, tg.outputs = 1 : i64} {
    %i = gpu.thread_id x
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %p = arith.subi %i, %c1 : index
    %q = arith.remui %p, %c64 : index
    %x = arith.constant 1.0 : f32
    memref.store %x, %out[%q] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @memory
  // CHECK-SAME: workgroup(%{{.*}} : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
  // CHECK: memref.alloca() : memref<4xf32, #gpu.address_space<private>>
  gpu.func @memory(%out: memref<64xf32>) workgroup(%m: memref<8xf32, #gpu.address_space<workgroup>>) kernel
      attributes {tg.outputs = 1 : i64} {
    %c = arith.constant 0 : index
    %tile = memref.alloca() : memref<4xf32>
    %x = memref.load %m[%c] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %x, %tile[%c] : memref<4xf32>
    %y = memref.load %tile[%c] : memref<4xf32>
    memref.store %y, %out[%c] : memref<64xf32>
    gpu.return
  }

  // More than 1024 bytes.
  // CHECK-LABEL: gpu.func @large_memory
  // CHECK-NOT: workgroup(
  // CHECK: %[[ALL:.*]] = gpu.dynamic_shared_memory
  // CHECK: %[[FIRST:.*]] = arith.constant 0 : index
  // CHECK: memref.view %[[ALL]][%[[FIRST]]][] : {{.*}} to memref<3xi8, #gpu.address_space<workgroup>>
  // CHECK: %[[SECOND:.*]] = arith.constant 16 : index
  // CHECK: memref.view %[[ALL]][%[[SECOND]]][] : {{.*}} to memref<256xf32, #gpu.address_space<workgroup>>
  gpu.func @large_memory(%out: memref<64xf32>)
      workgroup(%a: memref<3xi8, #gpu.address_space<workgroup>>, %b: memref<256xf32, #gpu.address_space<workgroup>>) kernel
      attributes {tg.outputs = 1 : i64} {
    %c = arith.constant 0 : index
    %z = arith.constant 0 : i8
    memref.store %z, %a[%c] : memref<3xi8, #gpu.address_space<workgroup>>
    %x = memref.load %b[%c] : memref<256xf32, #gpu.address_space<workgroup>>
    memref.store %x, %out[%c] : memref<64xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @wide_sine
  // CHECK-COUNT-2: math.sin %{{.*}} : f64
  // CHECK: math.sin %{{.*}} : vector<2xf32>
  gpu.func @wide_sine(%out: memref<64xf64>, %x: memref<64xf64>, %y: memref<64xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %c = arith.constant 0 : index
    %v = vector.load %x[%c] : memref<64xf64>, vector<2xf64>
    %s = math.sin %v : vector<2xf64>
    %w = vector.load %y[%c] : memref<64xf32>, vector<2xf32>
    %t = math.sin %w : vector<2xf32>
    %u = arith.extf %t : vector<2xf32> to vector<2xf64>
    %r = arith.addf %s, %u : vector<2xf64>
    vector.store %r, %out[%c] : memref<64xf64>, vector<2xf64>
    gpu.return
  }

  // Loops around barriers, or without loads of global memory, are not unrolled.
  // CHECK-LABEL: gpu.func @loops
  // CHECK: scf.for
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: } {llvm.loop_annotation = #[[KEPT]]}
  // CHECK-NEXT: } {llvm.loop_annotation = #[[KEPT]]}
  // CHECK-NEXT: } {llvm.loop_annotation = #[[KEPT]]}
  gpu.func @loops(%out: memref<64xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %x = arith.constant 1.0 : f32
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        gpu.barrier
        scf.for %k = %c0 to %c4 step %c1 {
          memref.store %x, %out[%k] : memref<64xf32>
        }
      }
    }
    gpu.return
  }

  // Inner loops load four times at once: by one load, two, one of two loops, and
  // more than two.
  // CHECK-LABEL: gpu.func @loads
  // CHECK: } {llvm.loop_annotation = #[[BY4]]}
  // CHECK: } {llvm.loop_annotation = #[[BY2]]}
  // CHECK: } {llvm.loop_annotation = #[[BY4]]}
  // CHECK-NEXT: } {llvm.loop_annotation = #[[KEPT]]}
  // CHECK: } {llvm.loop_annotation = #[[KEPT]]}
  gpu.func @loads(%out: memref<64xf32>, %a: memref<64xf32>) kernel attributes {tg.outputs = 1 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %x = vector.load %a[%i] : memref<64xf32>, vector<4xf32>
      vector.store %x, %out[%i] : memref<64xf32>, vector<4xf32>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %x = memref.load %a[%i] : memref<64xf32>
      %y = memref.load %out[%i] : memref<64xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %out[%i] : memref<64xf32>
    }
    scf.for %i = %c0 to %c4 step %c1 {
      scf.for %j = %c0 to %c4 step %c1 {
        %x = memref.load %a[%j] : memref<64xf32>
        memref.store %x, %out[%i] : memref<64xf32>
      }
    }
    scf.for %i = %c0 to %c4 step %c1 {
      %x = memref.load %a[%i] : memref<64xf32>
      %y = memref.load %a[%c0] : memref<64xf32>
      %z = memref.load %out[%i] : memref<64xf32>
      %s = arith.addf %x, %y : f32
      %t = arith.addf %s, %z : f32
      memref.store %t, %out[%i] : memref<64xf32>
    }
    gpu.return
  }

  // Exponentials are instructions where the result is rounded to f16 or bf16.
  // CHECK-LABEL: gpu.func @exponentials
  // CHECK: %[[LOG2E:.*]] = arith.constant 1.442695{{.*}} : f32
  // CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %[[LOG2E]] : f32
  // CHECK: %[[E:.*]] = llvm.intr.exp2(%[[Y]]) : (f32) -> f32
  // CHECK: arith.truncf %[[E]] : f32 to f16
  // CHECK: %[[V:.*]] = llvm.intr.exp2(%{{.*}}) : (vector<2xf32>) -> vector<2xf32>
  // CHECK: arith.truncf %[[V]] : vector<2xf32> to vector<2xbf16>
  // CHECK: math.exp2 %{{.*}} : f32
  // CHECK: math.log2 %{{.*}} : f32
  gpu.func @exponentials(%h: memref<64xf16>, %b: memref<64xbf16>, %f: memref<64xf32>) kernel attributes {tg.outputs = 3 : i64} {
    %c = arith.constant 0 : index
    %x = memref.load %h[%c] : memref<64xf16>
    %wide = arith.extf %x : f16 to f32
    %e = math.exp %wide : f32
    %narrow = arith.truncf %e : f32 to f16
    memref.store %narrow, %h[%c] : memref<64xf16>
    %v = vector.load %b[%c] : memref<64xbf16>, vector<2xbf16>
    %wides = arith.extf %v : vector<2xbf16> to vector<2xf32>
    %es = math.exp2 %wides : vector<2xf32>
    %narrows = arith.truncf %es : vector<2xf32> to vector<2xbf16>
    vector.store %narrows, %b[%c] : memref<64xbf16>, vector<2xbf16>
    %e2 = math.exp2 %wide : f32
    %n2 = arith.truncf %e2 : f32 to f16
    memref.store %n2, %h[%c] : memref<64xf16>
    memref.store %e2, %f[%c] : memref<64xf32>
    %l = math.log2 %wide : f32
    %nl = arith.truncf %l : f32 to f16
    memref.store %nl, %h[%c] : memref<64xf16>
    gpu.return
  }
}
