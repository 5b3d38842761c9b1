// The project's pipelines by name, and what comes out of each.

// RUN: tg-opt %s --tg-schedule-pipeline | FileCheck %s --check-prefix=KERNELS
// RUN: tg-opt %s --tg-schedule-pipeline=device=NULL \
// RUN:   | FileCheck %s --check-prefix=DEVICE
// RUN: tg-opt %s --tg-schedule-pipeline --tg-optimize-pipeline=no-opt=true \
// RUN:   | FileCheck %s --check-prefix=NOOPT

// Half the register, half the lanes; and the textual form.
// RUN: tg-opt %s --tg-schedule-pipeline --tg-optimize-pipeline > %t
// RUN: tg-opt %s --pass-pipeline='builtin.module( \
// RUN:   tg-attach-target{target=cpu:x86_64:x86-64-v3}, tg-schedule-pipeline, \
// RUN:   tg-optimize-pipeline)' >> %t
// RUN: FileCheck %s --check-prefix=SCHEDULED < %t

// Verification of each rewrite changes nothing.
// RUN: tg-opt %s --tg-schedule-pipeline=verify-rewrites \
// RUN:   --tg-optimize-pipeline=verify-rewrites > %t.verified
// RUN: tg-opt %s --tg-schedule-pipeline --tg-optimize-pipeline \
// RUN:   | diff %t.verified -

// KERNELS: tg.kernel @E_4096
// KERNELS: tg.range {{.*}} loop 4096
// KERNELS: tg.launch @E_4096
// DEVICE: tg.alloc on "NULL"
// NOOPT: tg.kernel
// NOOPT-NOT: upcast
// SCHEDULED: upcast [[#WIDE:]]
// SCHEDULED: upcast [[#div(WIDE, 2)]]
func.func @negate(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = tg.neg %x : tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
