// Kernels are compared with themselves after their steps. A fault that is made on
// purpose is found, and can be repeated from a file.

// RUN: tg-opt %s --tg-verify-schedules=print-counts=true | FileCheck %s
// RUN: rm -f %t.mlir
// RUN: not tg-opt %s --tg-verify-schedules="seed-fault=true reproducer=%t.mlir" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FAULT
// RUN: FileCheck %s --check-prefix=FILE --input-file %t.mlir
// RUN: tg-opt %t.mlir --tg-verify-schedules=print-counts=true | FileCheck %s --check-prefix=AGAIN
// RUN: not tg-opt %s --tg-verify-schedules="seed-fault=true reproducer=%t/none/file.mlir" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNWRITTEN

// CHECK: schedules: 2 kernels, 2 with all elements, 0 with some, 4 parts of lists, 58 elements
// Kernels do not change.
// CHECK: tg.kernel @given
// CHECK-SAME: schedule = [
// CHECK-NEXT: {{.*}} = tg.range 0 loop 10
// CHECK: tg.kernel @sum
// CHECK-NOT: scheduled

// FAULT: error: kernel 'given' computes something else after step 3, #tg.step<set_kind [2] as upcast>: element {{[0-9]+}} of argument 0 would be
// FAULT: note: the steps are [#tg.step<split [0] by 4 into [1, 2]>
// FAULT: note: `tg-opt --tg-verify-schedules {{.*}}` repeats it
// FAULT: error: kernel 'sum' computes something else after step

// FILE: // tg-opt --tg-verify-schedules
// FILE: tg.kernel @given
// FILE-SAME: schedule = [#tg.step<split [0] by 4 into [1, 2]>
// FILE-NOT: tg.kernel @sum

// AGAIN: schedules: 1 kernels, 1 with all elements

// UNWRITTEN: note: could not write {{.*}}none/file.mlir

tg.kernel @given(%out: memref<10xf32>, %a: memref<11xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [0] by 4 into [1, 2]>, #tg.step<nontemporal store 0>, #tg.step<set_kind [2] as upcast>]} {
  %i = tg.range 0 loop 10
  %x = tg.load %a[%i] : memref<11xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %out[%i] : memref<10xf32>
}

tg.kernel @sum(%out: memref<48xf32>, %a: memref<1000xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 48
  %k = tg.range 1 loop 20
  %c20 = tg.const(20 : index) : index
  %r = tg.mul %i, %c20 : index
  %at = tg.add %r, %k : index
  %x = tg.load %a[%at] : memref<1000xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%i] : memref<48xf32>
}
