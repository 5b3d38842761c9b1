// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:znver5 --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefix=ZEN5
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:x86-64-v4 --tg-verify-schedules -o /dev/null

// Deep products are added up in passes, so that what a pass reads again and again
// stays in the second-level cache of 1 MiB.

// A register tile of four vectors would read 768 KiB of packed columns for each
// tile of rows: 3 passes of 1024 positions add to the results, all rows in a pass
// before the next one.

// CHECK-LABEL: tg.kernel @panel
// CHECK-SAME:    in_place
// CHECK-SAME:    scheduled = [#tg.step<split [2] by 1024 into [3, 4]>, #tg.step<accumulate ranged_reduce 0 [3]>
// CHECK:         tg.range {{[0-9]+}} thread 12
// CHECK:         %[[PASS:.*]] = tg.range 3 loop 3
// CHECK:         tg.range {{[0-9]+}} loop 32
// CHECK:         tg.stage
// CHECK:         tg.store %{{.*}} update add over %[[PASS]]
tg.kernel @panel(%out: memref<98304xf32>, %a: memref<393216xf32>, %b: memref<2359296xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(3072 : index) : index
  %n = tg.const(768 : index) : index
  %i = tg.range 0 loop 128
  %j = tg.range 1 loop 768
  %k = tg.range 2 loop 3072
  %0 = tg.mul %i, %m : index
  %1 = tg.add %k, %0 : index
  %x = tg.load %a[%1] : memref<393216xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<2359296xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<98304xf32>
}

// -----

// 2048 positions take half of the cache: one pass.

// CHECK-LABEL: tg.kernel @fits
// CHECK-NOT:     accumulate
// CHECK:         tg.range
// CHECK-NOT:     update
tg.kernel @fits(%out: memref<98304xf32>, %a: memref<262144xf32>, %b: memref<1572864xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(2048 : index) : index
  %n = tg.const(768 : index) : index
  %i = tg.range 0 loop 128
  %j = tg.range 1 loop 768
  %k = tg.range 2 loop 2048
  %0 = tg.mul %i, %m : index
  %1 = tg.add %k, %0 : index
  %x = tg.load %a[%1] : memref<262144xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<1572864xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<98304xf32>
}

// -----

// A transposed factor: of cache lines that are 2048 bytes apart, the cache holds
// 512. Both factors are packed, in passes of which all columns are half of the
// second-level cache; these run around the work items of a thread. On a Zen 5, the factor is read where it is: the
// next tile of columns uses the other half of the lines of a pass, and two register
// tiles of rows share what they read.

// CHECK-LABEL: tg.kernel @lines
// CHECK-SAME:    scheduled = [#tg.step<split [2] by 256 into [3, 4]>, #tg.step<accumulate ranged_reduce 0 [3]>
// CHECK-SAME:    #tg.step<stage load 1 [7, 4, 8] into [15, 16, 17]>
// CHECK-SAME:    #tg.step<stage load 0 [13, 4, 14] by 16 into [18, 19, 20]>
// CHECK-SAME:    #tg.step<prefetch store 1 by 32>
// CHECK:         %[[PASS:.*]] = tg.range 3 loop 8
// CHECK:         tg.range 9 thread 8
// CHECK:         tg.range 14 unroll 13
// CHECK:         tg.store %{{.*}} update add over %[[PASS]]
// ZEN5-LABEL:  tg.kernel @lines
// ZEN5-SAME:     scheduled = [#tg.step<split [2] by 256 into [3, 4]>, #tg.step<accumulate ranged_reduce 0 [3]>, #tg.step<split [0] by 64 into [5, 6]>
// ZEN5:          tg.range 5 thread 8
// ZEN5:          %[[PASS:.*]] = tg.range 3 loop 8
// ZEN5:          tg.range 11 loop 64
// ZEN5:          tg.range 9 loop 2
// ZEN5:          tg.store %{{.*}} update add over %[[PASS]]
tg.kernel @lines(%out: memref<262144xf32>, %a: memref<1048576xf32>, %b: memref<1048576xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(512 : index) : index
  %n = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 2048
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<1048576xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<1048576xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<262144xf32>
}

// -----

// Of lines 3072 bytes apart, the cache holds 1024.

// CHECK-LABEL: tg.kernel @held
// CHECK-NOT:     accumulate
// CHECK:         tg.range
// CHECK-NOT:     update
tg.kernel @held(%out: memref<589824xf32>, %a: memref<1572864xf32>, %b: memref<1572864xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(768 : index) : index
  %n = tg.const(768 : index) : index
  %i = tg.range 0 loop 768
  %j = tg.range 1 loop 768
  %k = tg.range 2 loop 2048
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<1572864xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<1572864xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<589824xf32>
}

// -----

// What is computed with the sum needs all of it.

// CHECK-LABEL: tg.kernel @epilogue
// CHECK-NOT:     accumulate
// CHECK:         tg.range
// CHECK-NOT:     update
tg.kernel @epilogue(%out: memref<262144xf32>, %a: memref<1048576xf32>, %b: memref<1048576xf32>, %c: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(512 : index) : index
  %n = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 2048
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<1048576xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<1048576xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  %w = tg.load %c[%5] : memref<262144xf32>
  %r = tg.sub %w, %s : f32
  tg.store %r, %out[%5] : memref<262144xf32>
}

// -----

// 4099 is prime: passes would have a remainder.

// CHECK-LABEL: tg.kernel @prime
// CHECK-NOT:     accumulate
// CHECK:         tg.range
// CHECK-NOT:     update
tg.kernel @prime(%out: memref<262144xf32>, %a: memref<2098688xf32>, %b: memref<2098688xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(512 : index) : index
  %n = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 4099
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<2098688xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<2098688xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<262144xf32>
}

// -----

// Few rows do not read the columns often enough.

// CHECK-LABEL: tg.kernel @few
// CHECK-NOT:     accumulate
// CHECK:         tg.range
// CHECK-NOT:     update
tg.kernel @few(%out: memref<12288xf32>, %a: memref<49152xf32>, %b: memref<2359296xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(3072 : index) : index
  %n = tg.const(768 : index) : index
  %i = tg.range 0 loop 16
  %j = tg.range 1 loop 768
  %k = tg.range 2 loop 3072
  %0 = tg.mul %i, %m : index
  %1 = tg.add %k, %0 : index
  %x = tg.load %a[%1] : memref<49152xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<2359296xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<12288xf32>
}

// -----

// Lines that the hardware prefetches, 1536 bytes apart: 8192 of them are half of the
// second-level cache. There are too few rows for passes around the work items; the
// packed rows of a tile are half of the first-level cache.

// CHECK-LABEL: tg.kernel @near_lines
// CHECK-SAME:    scheduled = [#tg.step<split [2] by 256 into [3, 4]>, #tg.step<accumulate ranged_reduce 0 [3]>
// CHECK-SAME:    by 16 into
// ZEN5-LABEL:  tg.kernel @near_lines
// ZEN5-SAME:     scheduled = [#tg.step<split [2] by 1024 into [3, 4]>
// ZEN5-NOT:      stage load 0
// ZEN5:          tg.range
tg.kernel @near_lines(%out: memref<147456xf32>, %a: memref<3145728xf32>, %b: memref<3145728xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(384 : index) : index
  %n = tg.const(384 : index) : index
  %i = tg.range 0 loop 384
  %j = tg.range 1 loop 384
  %k = tg.range 2 loop 8192
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
  tg.store %s, %out[%5] : memref<147456xf32>
}

// -----

// 4096 of them stay in the cache.

// CHECK-LABEL: tg.kernel @few_near_lines
// CHECK-NOT:     stage load 0
// CHECK:         tg.range
tg.kernel @few_near_lines(%out: memref<65536xf32>, %a: memref<1048576xf32>, %b: memref<1048576xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(256 : index) : index
  %n = tg.const(256 : index) : index
  %i = tg.range 0 loop 256
  %j = tg.range 1 loop 256
  %k = tg.range 2 loop 4096
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<1048576xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<1048576xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<65536xf32>
}

// -----

// The factor would be packed for 128 columns only.

// CHECK-LABEL: tg.kernel @few_uses
// CHECK-NOT:     stage load 0
// CHECK:         tg.range
tg.kernel @few_uses(%out: memref<16384xf32>, %a: memref<2097152xf32>, %b: memref<2097152xf32>) attributes {outputs = 1 : i64} {
  %m = tg.const(128 : index) : index
  %n = tg.const(128 : index) : index
  %i = tg.range 0 loop 128
  %j = tg.range 1 loop 128
  %k = tg.range 2 loop 16384
  %0 = tg.mul %k, %m : index
  %1 = tg.add %i, %0 : index
  %x = tg.load %a[%1] : memref<2097152xf32>
  %2 = tg.mul %k, %n : index
  %3 = tg.add %j, %2 : index
  %y = tg.load %b[%3] : memref<2097152xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %n : index
  %5 = tg.add %j, %4 : index
  tg.store %s, %out[%5] : memref<16384xf32>
}
