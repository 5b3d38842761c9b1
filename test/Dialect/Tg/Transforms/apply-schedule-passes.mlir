// RUN: tg-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels))' | FileCheck %s

// When a loop may run around the work items of a thread (mayRunAroundItems). Code
// begins each sum with its constant in the first iteration, and goes on with what is
// in memory in later ones.

// CHECK-LABEL: tg.kernel @sum
// CHECK: tg.range 0 loop 8
// CHECK: tg.range 1 thread 8
tg.kernel @sum(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// Copies of the code are no iterations of a loop.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @unrolled(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [2] as unroll>, #tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %u = tg.range 2 loop 2
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %uc = tg.cast %u : index -> i32
  %uf = tg.cast %uc : i32 -> f32
  %xx = tg.add %x, %uf : f32
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %xx, %out[%i] update add over %k, %u : memref<8xf32>
}

// -----

// If there is no iteration, the constant would not be stored.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @symbolic(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop #tg.var<"n", 0, 8>
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// A loop of one iteration is not there any more when code is generated.

// expected-error @+1 {{work items are leading ranges of the result, and range 2 comes before}}
tg.kernel @single(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %u = tg.range 2 loop 1
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k, %u : memref<8xf32>
}

// -----

// The last iterations would have code of their own.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @peeled(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8 peel 2
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// Later iterations would read sums.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @read(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %old = tg.load %out[%i] : memref<8xf32>
  %xx = tg.mul %x, %old : f32
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %xx, %out[%i] update add over %k : memref<8xf32>
}

// -----

// Scans are over the innermost loops.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @scan(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %s = tg.ranged_scan add %x over %k : f32
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %s, %out[%i] update add over %k : memref<8xf32>
}

// -----

// Only a constant is known again at the update.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @from_value(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %y = tg.load %a[%i] : memref<64xf32>
  tg.store %y, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// The other constant would not be stored.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @two_constants(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 4
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %c4 = tg.const(4 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %i4 = tg.add %i, %c4 : index
  tg.store %zero, %out[%i4] : memref<8xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// There is no constant.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @from_memory(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// All additions come before the first multiplication.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @two_updates(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
  tg.store %x, %out[%i] update mul over %k : memref<8xf32>
}

// -----

// The last write counts.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @set(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update set over %k : memref<8xf32>
}

// -----

// In the first iteration, the mask may not hold.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @mask(%out: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %c4 = tg.const(4 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %m = tg.cmplt %c4, %k : index
  tg.store %zero, %out[%i] mask %m : memref<8xf32>
  tg.store %x, %out[%i] mask %m update add over %k : memref<8xf32>
}

// -----

// Each sum would be made once for each iteration of the other one.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @two_loops(%out: memref<8xf32>, %out2: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %k2 = tg.range 2 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %r2 = tg.mul %k2, %c8 : index
  %at2 = tg.add %r2, %i : index
  %y = tg.load %a[%at2] : memref<64xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %zero, %out2[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
  tg.store %y, %out2[%i] update add over %k2 : memref<8xf32>
}

// -----

// The other result would not be stored.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @beside_constant(%out: memref<8xf32>, %out2: memref<8xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 2 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f32) : f32
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %one = tg.const(1.0 : f32) : f32
  tg.store %one, %out2[%i] : memref<8xf32>
  tg.store %zero, %out[%i] : memref<8xf32>
  tg.store %x, %out[%i] update add over %k : memref<8xf32>
}

// -----

// Each iteration would round the sum.

// expected-error @+1 {{work items are leading ranges of the result, and range 0 comes before}}
tg.kernel @narrow(%out: memref<8xf16>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64, schedule = [#tg.step<set_kind [1] as thread>]} {
  %k = tg.range 0 loop 8
  %i = tg.range 1 loop 8
  %zero = tg.const(0.0 : f16) : f16
  %c8 = tg.const(8 : index) : index
  %r = tg.mul %k, %c8 : index
  %at = tg.add %r, %i : index
  %x = tg.load %a[%at] : memref<64xf32>
  %h = tg.cast %x : f32 -> f16
  tg.store %zero, %out[%i] : memref<8xf16>
  tg.store %h, %out[%i] update add over %k : memref<8xf16>
}
