// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:sapphirerapids --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefix=SPR
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:sapphirerapids --tg-verify-schedules -o /dev/null

// Products with a transposed left factor, as gradients of weights are. On processors
// that wait for columns (SPR), groups of its rows are packed where its lines do not
// stay in the first-level cache.

// Its cache lines stay in the first-level cache until the next rows need them: register
// tiles of a few rows, lanes along the columns.

// SPR-LABEL:   tg.kernel @near
// SPR-NOT:       stage load 0
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
// packed. Or both factors are packed, in passes of 256 positions around the work
// items: all columns in tiles of 32, and groups of 5 tiles of 13 rows, whose rows in
// the tile are whole vectors. The next tile of results is prefetched.

// SPR-LABEL:   tg.kernel @far
// SPR-SAME:      #tg.step<split [2] by 256 into [3, 4]>, #tg.step<accumulate ranged_reduce 0 [3]>
// SPR-SAME:      #tg.step<split [1] by 512 into [5, 6]>, #tg.step<split [6] by 32 into [7, 8]>
// SPR-SAME:      #tg.step<split [10] by 65 into [11, 12]>, #tg.step<split [12] by 13 into [13, 14]>
// SPR-SAME:      #tg.step<move [3, 5]>, #tg.step<stage load 1 [7, 4, 8] into [15, 16, 17]>
// SPR-SAME:      #tg.step<stage load 0 [13, 4, 14] by 16 into [18, 19, 20]>
// SPR-SAME:      #tg.step<prefetch store 1 by 32>
// SPR-SAME:      #tg.step<set_kind [5] as thread>, #tg.step<set_kind [9] as thread>]
// SPR:           tg.range 3 loop 2
// SPR:           tg.range 9 thread 8 peel 1
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

// As many lines at odd distances are in different sets of the cache. Packed in passes,
// each is read once for all columns.

// SPR-LABEL:   tg.kernel @spread
// SPR-SAME:      #tg.step<split [2] by 256 into [3, 4]>, #tg.step<accumulate ranged_reduce 0 [3]>
// SPR-SAME:      #tg.step<stage load 0 [13, 4, 14] by 16
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

// The other factor, 6 MiB, would be read again for each block of lanes along the
// rows. Packed, it is read once.

// Results of 9 MiB are not read and written again in each pass.

// SPR-LABEL:   tg.kernel @large
// SPR-NOT:       accumulate
// SPR-SAME:      #tg.step<stage load 0 [11, 2, 12] by 16
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

// SPR-LABEL:   tg.kernel @once
// SPR-NOT:       stage load 0
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

// -----

// Shorter passes for more columns: two groups of 4 tiles of 12 rows in each share,
// which leave no rows past the end.

// SPR-LABEL:   tg.kernel @deep
// SPR-SAME:      #tg.step<split [2] by 128 into [3, 4]>, #tg.step<accumulate ranged_reduce 0 [3]>
// SPR-SAME:      #tg.step<split [1] by 768 into [5, 6]>
// SPR-SAME:      #tg.step<split [0] by 96 into [9, 10]>, #tg.step<split [10] by 48 into [11, 12]>, #tg.step<split [12] by 12 into [13, 14]>
// SPR-SAME:      #tg.step<stage load 0 [13, 4, 14] by 16
// SPR-NOT:       #tg.step<move [7, 13]>
// SPR:           tg.range
// CHECK-LABEL: tg.kernel @deep
// CHECK-SAME:    #tg.step<split [2] by 128 into [3, 4]>, #tg.step<accumulate ranged_reduce 0 [3]>
// CHECK-SAME:    #tg.step<split [1] by 768 into [5, 6]>
// CHECK-SAME:    #tg.step<split [0] by 96 into [9, 10]>, #tg.step<split [10] by 48 into [11, 12]>, #tg.step<split [12] by 12 into [13, 14]>
// CHECK-SAME:    #tg.step<move [3, 5]>
// CHECK-SAME:    #tg.step<stage load 0 [13, 4, 14] by 16
tg.kernel @deep(%out: memref<589824xf32>, %a: memref<3145728xf32>, %b: memref<3145728xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(768 : index) : index
  %n = tg.const(768 : index) : index
  %i = tg.range 0 loop 768
  %j = tg.range 1 loop 768
  %k = tg.range 2 loop 4096
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<3145728xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<3145728xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<589824xf32>
}

// -----

// The sum is not stored as it is, so that it has no passes: blocks of 8 tiles of 32
// columns, for each of which the rows are packed, and groups of 8 tiles of 13 rows.

// SPR-LABEL:   tg.kernel @scaled
// SPR-NOT:       accumulate
// SPR-SAME:      #tg.step<split [1] by 256 into [3, 4]>, #tg.step<split [4] by 32 into [5, 6]>
// SPR-SAME:      #tg.step<split [8] by 104 into [9, 10]>, #tg.step<split [10] by 13 into [11, 12]>
// SPR-SAME:      #tg.step<stage load 1 [5, 2, 6] into [13, 14, 15]>
// SPR-SAME:      #tg.step<stage load 0 [11, 2, 12] by 16 into [16, 17, 18]>
// SPR:           tg.range 3 thread 2
// CHECK-LABEL: tg.kernel @scaled
tg.kernel @scaled(%out: memref<262144xf32>, %a: memref<262144xf32>, %b: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(512 : index) : index
  %n = tg.const(512 : index) : index
  %half = tg.const(0.5 : f32) : f32
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
  %h = tg.mul %s, %half : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %h, %out[%5] : memref<262144xf32>
}
