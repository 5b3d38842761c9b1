// RUN: tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels{refuse=1}))' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels{first-schedule=1}))' | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels{refuse=100}))' | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels{first-schedule=100}))' | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels{refuse=2}))' --remark-format=emitRemark --remarks-filter=tg-optimize.* -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: not tg-opt %s --split-input-file --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels{refuse=1 fall-back=false}))' 2>&1 | FileCheck %s --check-prefix=ERROR

// Schedules that are refused are replaced by simpler ones, down to no steps.

// REMARK: remark: {{.*}}product: the schedule 'tiles and lanes' is not valid: it is refused for a test
// REMARK: remark: {{.*}}product: the schedule 'lanes' is not valid: it is refused for a test
// ERROR: error: the schedule 'tiles and lanes' is not valid: it is refused for a test
// CHECK-LABEL: tg.kernel @product(
// ONE: upcast
// ONE-NOT: unroll
// NONE-NOT: scheduled
// NONE-NOT: {{upcast|unroll|thread}}
tg.kernel @product(%out: memref<4096xf32>, %a: memref<16384xf32>, %b: memref<16384xf32>) attributes {outputs = 1 : i64} {
  %c64 = tg.const(64 : index) : index
  %c256 = tg.const(256 : index) : index
  %i = tg.range 0 loop 64
  %j = tg.range 1 loop 64
  %k = tg.range 2 loop 256
  %0 = tg.mul %i, %c256 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<16384xf32>
  %2 = tg.mul %k, %c64 : index
  %3 = tg.add %2, %j : index
  %y = tg.load %b[%3] : memref<16384xf32>
  %z = tg.mul %x, %y : f32
  %sum = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %c64 : index
  %5 = tg.add %4, %j : index
  tg.store %sum, %out[%5] : memref<4096xf32>
}

// -----

// The same product for a target with groups: the next way is tried.

module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
// REMARK: remark: {{.*}}product: the schedule 'tiles of products' is not valid: it is refused for a test
// REMARK: remark: {{.*}}product: the schedule '{{.*}}' is not valid: it is refused for a test
// CHECK-LABEL: tg.kernel @product(
// ONE: {{global|local}}
// NONE-NOT: scheduled
// NONE-NOT: {{upcast|unroll|thread|global|local|group_reduce}}
tg.kernel @product(%out: memref<4096xf32>, %a: memref<16384xf32>, %b: memref<16384xf32>) attributes {outputs = 1 : i64} {
  %c64 = tg.const(64 : index) : index
  %c256 = tg.const(256 : index) : index
  %i = tg.range 0 loop 64
  %j = tg.range 1 loop 64
  %k = tg.range 2 loop 256
  %0 = tg.mul %i, %c256 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<16384xf32>
  %2 = tg.mul %k, %c64 : index
  %3 = tg.add %2, %j : index
  %y = tg.load %b[%3] : memref<16384xf32>
  %z = tg.mul %x, %y : f32
  %sum = tg.ranged_reduce add %z over %k : f32
  %4 = tg.mul %i, %c64 : index
  %5 = tg.add %4, %j : index
  tg.store %sum, %out[%5] : memref<4096xf32>
}
}

// -----

// A given list of steps has no alternative, and is not refused.

// REMARK-NOT: given
// CHECK-LABEL: tg.kernel @given(
// CHECK: tg.range 1 loop 4
// CHECK: tg.range 2 upcast 16
tg.kernel @given(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64,
    schedule = [#tg.step<split [0] by 16 into [1, 2]>, #tg.step<set_kind [2] as upcast>]} {
  %i = tg.range 0 loop 64
  %x = tg.load %a[%i] : memref<64xf32>
  tg.store %x, %out[%i] : memref<64xf32>
}
