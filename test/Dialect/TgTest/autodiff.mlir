// RUN: tg-test-opt %s --pass-pipeline='builtin.module(func.func(canonicalize),tg-autodiff{entry=loss wrt=0,2 result=loss_and_gradients},func.func(cse),symbol-dce)' \
// RUN:   | FileCheck %s
// RUN: tg-test-opt %s --pass-pipeline='builtin.module(tg-autodiff{entry=loss wrt=0,2 result=loss_and_gradients},tg-schedule-pipeline)' \
// RUN:   | FileCheck %s --check-prefix=KERNELS
// RUN: not tg-test-opt %s --pass-pipeline='builtin.module(tg-autodiff{entry=opaque})' 2>&1 | FileCheck %s --check-prefix=OPAQUE

// tg-autodiff among passes of a host, through operations of its dialect.

// CHECK-LABEL: func.func @loss_and_gradients(
// CHECK-SAME:    -> (tensor<1x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
// CHECK:         tg_test.softsign
// CHECK:         return %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x1xf32>, tensor<2x2xf32>, tensor<2x2xf32>
// KERNELS:     tg.kernel
// KERNELS:     func.func @loss_and_gradients(
func.func @loss(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>, %z: tensor<2x2xf32>) -> tensor<1x1xf32> {
  %0 = tg.mul %x, %y : tensor<2x2xf32>
  %1 = tg_test.softsign %0 : tensor<2x2xf32>
  %2 = tg_test.clamp %z from -1.0 to 1.0 : tensor<2x2xf32>
  %3 = tg.mul %1, %2 : tensor<2x2xf32>
  %4 = tg.reduce add %3 axes [0, 1] : tensor<2x2xf32> -> tensor<1x1xf32>
  return %4 : tensor<1x1xf32>
}

// A movement operation has no derivative unless it says so.

// OPAQUE: error: 'tg_test.rot180' op has no derivative
func.func @opaque(%x: tensor<2x2xf32>) -> tensor<1x1xf32> {
  %0 = tg_test.rot180 %x : tensor<2x2xf32>
  %1 = tg.reduce add %0 axes [0, 1] : tensor<2x2xf32> -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}
