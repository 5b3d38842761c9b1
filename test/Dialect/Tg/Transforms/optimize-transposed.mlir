// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-optimize-pipeline=verify-rewrites | FileCheck %s

// Products with a transposed left factor, as gradients of weights are. Its cache
// lines stay in the first-level cache until the next rows need them: register
// tiles of a few rows, lanes along the columns.

// CHECK-LABEL: tg.kernel @near
// CHECK-SAME:    scheduled = [#tg.step<split [1] by 64 into [3, 4]>, #tg.step<set_kind [4] as upcast>
// CHECK-NOT:     stage ranged_reduce
tg.kernel @near(%out: memref<589824xf32>, %a: memref<98304xf32>, %b: memref<98304xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(768 : index) : index
  %n = tg.const(768 : index) : index
  %i = tg.range 0 loop 768
  %j = tg.range 1 loop 768
  %k = tg.range 2 loop 128
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<98304xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<98304xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<589824xf32>
}

// -----

// They do not: 512 lines, 2048 bytes apart. Lanes run along the rows, which are
// packed.

// CHECK-LABEL: tg.kernel @far
// CHECK-SAME:    #tg.step<stage ranged_reduce 0
tg.kernel @far(%out: memref<262144xf32>, %a: memref<262144xf32>, %b: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(512 : index) : index
  %n = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<262144xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<262144xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<262144xf32>
}

// -----

// As many lines at odd distances are in different sets of the cache.

// CHECK-LABEL: tg.kernel @spread
// CHECK-NOT:     stage ranged_reduce
// CHECK:         tg.range
tg.kernel @spread(%out: memref<516096xf32>, %a: memref<516096xf32>, %b: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(1008 : index) : index
  %n = tg.const(512 : index) : index
  %i = tg.range 0 loop 1008
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<516096xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<262144xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<516096xf32>
}

// -----

// The other factor, 6 MiB, would be read again for each block of lanes.

// CHECK-LABEL: tg.kernel @large
// CHECK-NOT:     stage ranged_reduce
// CHECK:         tg.range
tg.kernel @large(%out: memref<2359296xf32>, %a: memref<393216xf32>, %b: memref<1572864xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(768 : index) : index
  %n = tg.const(3072 : index) : index
  %i = tg.range 0 loop 768
  %j = tg.range 1 loop 3072
  %k = tg.range 2 loop 512
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<393216xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<1572864xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<2359296xf32>
}

// -----

// The left factor exceeds the second-level cache: half of the columns are packed,
// and it is read twice.

// CHECK-LABEL: tg.kernel @once
// CHECK-SAME:    #tg.step<split [1] by 384 into
// CHECK-SAME:    #tg.step<stage load 1
tg.kernel @once(%out: memref<38597376xf32>, %a: memref<6432896xf32>, %b: memref<98304xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(50257 : index) : index
  %n = tg.const(768 : index) : index
  %i = tg.range 0 loop 50257
  %j = tg.range 1 loop 768
  %k = tg.range 2 loop 128
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<6432896xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<98304xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<38597376xf32>
}
