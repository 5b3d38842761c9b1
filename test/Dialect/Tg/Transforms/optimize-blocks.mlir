// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-optimize-pipeline=verify-rewrites --convert-tg-to-vector -o /dev/null
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-verify-schedules -o /dev/null

// Element i and element i + 512 are words of one block: it is computed once
// for both.

// CHECK-LABEL: tg.kernel @halves
// CHECK-SAME: scheduled = [#tg.step<split [0] by 512 into [1, 2]>, #tg.step<move [2, 1]>, #tg.step<set_kind [1] as unroll>
// CHECK: tg.threefry
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

// -----

// Each element has a block of its own, or the blocks repeat otherwise.

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
