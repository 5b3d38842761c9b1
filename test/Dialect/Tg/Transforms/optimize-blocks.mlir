// RUN: tg-opt --split-input-file %s --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels))' | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --convert-tg-to-vector -o /dev/null
// RUN: tg-opt %s --split-input-file --tg-verify-schedules -o /dev/null

// Element i and element i + 512 are words of one block: it is computed once
// for both.

module attributes {tg.target = #tg.target<"cpu">} {
  // CHECK-LABEL: tg.kernel @halves
  // CHECK-DAG: %[[HALF:.*]] = tg.range {{[0-9]+}} unroll 2
  // CHECK: tg.threefry
  // CHECK-NOT: tg.threefry
  tg.kernel @halves(%out: memref<1024xui64>, %key: memref<1xui64>) attributes {outputs = 1 : i64} {
    %c0 = tg.const(0 : index) : index
    %c512 = tg.const(512 : index) : index
    %i = tg.range 0 loop 1024
    %block = tg.floormod %i, %c512 : index
    %counter = tg.cast %block : index -> ui64
    %k = tg.load %key[%c0] : memref<1xui64>
    %bits = tg.threefry %counter, %k : ui64
    %half = tg.floordiv %i, %c512 : index
    %word = tg.cast %half : index -> ui64
    %result = tg.shr %bits, %word : ui64
    tg.store %result, %out[%i] : memref<1024xui64>
  }
}

// -----

// Each element has a block of its own, or the blocks repeat otherwise.

module attributes {tg.target = #tg.target<"cpu">} {
  // CHECK-LABEL: tg.kernel @own
  // CHECK-NOT: unroll
  tg.kernel @own(%out: memref<1024xui64>, %key: memref<1xui64>) attributes {outputs = 1 : i64} {
    %c0 = tg.const(0 : index) : index
    %i = tg.range 0 loop 1024
    %counter = tg.cast %i : index -> ui64
    %k = tg.load %key[%c0] : memref<1xui64>
    %bits = tg.threefry %counter, %k : ui64
    tg.store %bits, %out[%i] : memref<1024xui64>
  }

  // CHECK-LABEL: tg.kernel @quarters
  // CHECK-NOT: unroll
  tg.kernel @quarters(%out: memref<1024xui64>, %key: memref<1xui64>) attributes {outputs = 1 : i64} {
    %c0 = tg.const(0 : index) : index
    %c256 = tg.const(256 : index) : index
    %i = tg.range 0 loop 1024
    %block = tg.floormod %i, %c256 : index
    %counter = tg.cast %block : index -> ui64
    %k = tg.load %key[%c0] : memref<1xui64>
    %bits = tg.threefry %counter, %k : ui64
    tg.store %bits, %out[%i] : memref<1024xui64>
  }
}
