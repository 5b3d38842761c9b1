// RUN: tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels{fall-back=false}))' | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --convert-tg-to-vector -o /dev/null

// Tiles hold no conditions: a mask is loaded where it is used, also if the
// numbers that it selects are packed.
module attributes {tg.target = #tg.target<"cpu:x86-64-v4", vector_bytes = 64, vector_registers = 32>} {
  // Numbers and mask are strided along the lanes.
  // CHECK-LABEL: tg.kernel @packed(
  // CHECK: tg.load %{{.*}} mask %{{.*}} : memref<360xi1>
  // CHECK: tg.stage %{{.*}} over %{{.*}} : memref<128xf64>
  // CHECK: tg.stage %{{.*}} over %{{.*}} : memref<128xf64>
  tg.kernel @packed(%out: memref<450xf64>, %a: memref<360xf64>, %c: memref<360xf64>, %mask: memref<360xi1>, %b: memref<180xf64>) attributes {outputs = 1 : i64} {
    %n = tg.range 0 loop 10
    %i = tg.range 1 loop 3
    %j = tg.range 2 loop 5
    %k = tg.range 3 loop 3
    %r = tg.range 4 loop 12
    %c3 = tg.const(3 : index) : index
    %c36 = tg.const(36 : index) : index
    %c15 = tg.const(15 : index) : index
    %c45 = tg.const(45 : index) : index
    %r3 = tg.mul %r, %c3 : index
    %j36 = tg.mul %j, %c36 : index
    %kj = tg.add %k, %j36 : index
    %left = tg.add %kj, %r3 : index
    %p = tg.load %b[%left] : memref<180xf64>
    %n36 = tg.mul %n, %c36 : index
    %in = tg.add %i, %n36 : index
    %right = tg.add %in, %r3 : index
    %m = tg.load %mask[%right] : memref<360xi1>
    %q = tg.load %a[%right] : memref<360xf64>
    %s = tg.load %c[%right] : memref<360xf64>
    %chosen = tg.where %m, %q, %s : f64
    %both = tg.add %p, %chosen : f64
    %sum = tg.ranged_reduce add %both over %r : f64
    %j3 = tg.mul %j, %c3 : index
    %0 = tg.add %k, %j3 : index
    %i15 = tg.mul %i, %c15 : index
    %1 = tg.add %0, %i15 : index
    %n45 = tg.mul %n, %c45 : index
    %2 = tg.add %1, %n45 : index
    tg.store %sum, %out[%2] : memref<450xf64>
  }
}

// -----

module attributes {tg.target = #tg.target<"cpu:x86-64-v3", vector_bytes = 32, vector_registers = 16>} {
  // The rows of the mask are on different pages.
  // CHECK-LABEL: tg.kernel @far(
  // CHECK-NOT: tg.stage
  // CHECK: tg.load %{{.*}} : memref<4194304xi1>
  // CHECK-LABEL: tg.kernel @transposed(
  tg.kernel @far(%out: memref<1048576xf32>, %a: memref<262144xf32>, %mask: memref<4194304xi1>) attributes {outputs = 1 : i64} {
    %row = tg.range 0 loop 256
    %column = tg.range 1 loop 4096
    %d = tg.range 2 loop 1024
    %c256 = tg.const(256 : index) : index
    %c4096 = tg.const(4096 : index) : index
    %c0 = tg.const(0.0 : f32) : f32
    %0 = tg.mul %d, %c256 : index
    %1 = tg.add %row, %0 : index
    %x = tg.load %a[%1] : memref<262144xf32>
    %2 = tg.mul %d, %c4096 : index
    %3 = tg.add %column, %2 : index
    %m = tg.load %mask[%3] : memref<4194304xi1>
    %chosen = tg.where %m, %x, %c0 : f32
    %sum = tg.ranged_reduce add %chosen over %d : f32
    %4 = tg.mul %row, %c4096 : index
    %5 = tg.add %column, %4 : index
    tg.store %sum, %out[%5] : memref<1048576xf32>
  }

  // The mask is contiguous along the depth, and strided along the columns.
  // CHECK-NOT: tg.stage
  // CHECK: tg.load %{{.*}} : memref<65536xi1>
  tg.kernel @transposed(%out: memref<16384xf32>, %a: memref<16384xf32>, %mask: memref<65536xi1>) attributes {outputs = 1 : i64} {
    %row = tg.range 0 loop 64
    %column = tg.range 1 loop 256
    %d = tg.range 2 loop 256
    %c256 = tg.const(256 : index) : index
    %c0 = tg.const(0.0 : f32) : f32
    %0 = tg.mul %row, %c256 : index
    %1 = tg.add %d, %0 : index
    %x = tg.load %a[%1] : memref<16384xf32>
    %2 = tg.mul %column, %c256 : index
    %3 = tg.add %d, %2 : index
    %m = tg.load %mask[%3] : memref<65536xi1>
    %chosen = tg.where %m, %x, %c0 : f32
    %sum = tg.ranged_reduce add %chosen over %d : f32
    %4 = tg.add %column, %0 : index
    tg.store %sum, %out[%4] : memref<16384xf32>
  }
}
