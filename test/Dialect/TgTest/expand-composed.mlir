// RUN: tg-test-opt --pass-pipeline='builtin.module(tg.kernel(tg-expand-composed))' %s | FileCheck %s
// RUN: not tg-test-opt --convert-tg-to-vector %s 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: 'tg_test.swish' op is composed of other operations; run tg-expand-composed first

// What an operation is composed of may be composed itself.

// CHECK-LABEL: tg.kernel @swish
// CHECK: %[[X:.*]] = tg.load
// CHECK-NOT: tg_test
// CHECK: tg.where
// CHECK: tg.exp
// CHECK: tg.fdiv
// CHECK: %[[R:.*]] = tg.mul %[[X]], %{{.*}} : f32
// CHECK: tg.store %[[R]]
tg.kernel @swish(%out: memref<4xf32>, %x: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %0 = tg.load %x[%i] : memref<4xf32>
  %1 = tg_test.swish %0 : f32
  tg.store %1, %out[%i] : memref<4xf32>
}
