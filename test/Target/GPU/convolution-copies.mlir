// A convolution adds up products over channels and a window. The loops over all
// of them become one, in which tiles are filled ahead.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=scheduled | FileCheck %s --check-prefix=STEPS
// RUN: tg-compile %s --target=cuda:sm_90 --emit=gpu | FileCheck %s
// RUN: env SIMCHIP=sm_90 SIMCOUNT=2 tg-run %s --device=SIM --random-inputs 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: env SIMCHIP=sm_90 tg-run %s --device=SIM --print > %t.sm_90
// RUN: tg-run %s --interpret --print > %t.interpreted
// RUN: cmp %t.sm_90 %t.interpreted

// STEPS: #tg.step<merge [{{[0-9]+}}, {{[0-9]+}}] into [{{[0-9]+}}]>, #tg.step<merge [{{[0-9]+}}, {{[0-9]+}}] into [{{[0-9]+}}]>, #tg.step<buffer stage 0 by 3>, #tg.step<buffer stage 1 by 3>
// STEPS: tg.range {{[0-9]+}} loop 18
// STEPS-NOT: tg.range {{[0-9]+}} loop
// STEPS: tg.store

// CHECK: nvgpu.device_async_copy
// CHECK: scf.for
// CHECK-NEXT: nvgpu.device_async_wait
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: scf.for

// COUNT: conflicts 0;
func.func @main(%x: tensor<32x12x12xf32> {tg.input = dense<2.0> : tensor<32x12x12xf32>}, %w: tensor<64x32x3x3xf32> {tg.input = dense<3.0> : tensor<64x32x3x3xf32>}) -> tensor<64x1x12x12x1x1xf32> {
  %i = tg.iota 1 : tensor<32x12x12xf32>
  %xi = tg.add %x, %i : tensor<32x12x12xf32>
  %xc = tg.contiguous %xi : tensor<32x12x12xf32>
  %v = tg.strided %xc [#tg.view<[32, 14, 14] strides [144, 12, 1] offset -13 mask [0 to 32, 1 to 13, 1 to 13]>, #tg.view<[32, 12, 12, 3, 3] strides [196, 14, 1, 14, 1]>] : tensor<32x12x12xf32> -> tensor<32x12x12x3x3xf32>
  %v1 = tg.reshape %v : tensor<32x12x12x3x3xf32> -> tensor<1x32x12x12x3x3xf32>
  %w1 = tg.reshape %w : tensor<64x32x3x3xf32> -> tensor<64x32x1x1x3x3xf32>
  %ve = tg.expand %v1 : tensor<1x32x12x12x3x3xf32> -> tensor<64x32x12x12x3x3xf32>
  %we = tg.expand %w1 : tensor<64x32x1x1x3x3xf32> -> tensor<64x32x12x12x3x3xf32>
  %p = tg.mul %ve, %we : tensor<64x32x12x12x3x3xf32>
  %r = tg.reduce add %p axes [1, 4, 5] : tensor<64x32x12x12x3x3xf32> -> tensor<64x1x12x12x1x1xf32>
  return %r : tensor<64x1x12x12x1x1xf32>
}
