// Kernels whose buffers have no known size are compared, too: only where positions
// end is not known.

// RUN: tg-opt %s --tg-verify-schedules=print-counts=true | FileCheck %s
// RUN: not tg-opt %s --tg-verify-schedules=seed-fault=true 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAULT

// CHECK: schedules: 1 kernels, 1 with all elements, 0 with some
// FAULT: error: kernel 'exponentials' computes something else after step
tg.kernel @exponentials(%out: memref<?xf32>, %a: memref<?xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [0] by 4 into [1, 2]>, #tg.step<set_kind [2] as upcast>]} {
  %i = tg.range 0 loop 10
  %x = tg.load %a[%i] : memref<?xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %out[%i] : memref<?xf32>
}
