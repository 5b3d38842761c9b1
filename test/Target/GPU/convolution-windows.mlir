// Windows of a convolution of f16 on matrix units begin at any pixel, so that
// items cannot read 16 bytes of a row: neighboring items read neighboring pixels,
// and each access of a subgroup touches few sectors.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=gpu | FileCheck %s
// RUN: env SIMCHIP=sm_90 SIMCOUNT=2 tg-run %s --device=SIM --random-inputs 2>&1 | FileCheck %s --check-prefix=SM90
// RUN: env SIMCHIP=gfx942 SIMCOUNT=2 tg-run %s --device=SIM --random-inputs 2>&1 | FileCheck %s --check-prefix=GFX942
// RUN: tg-run %s --interpret --print > %t.interpreted
// RUN: env SIMCHIP=sm_75 tg-run %s --device=SIM --print | cmp - %t.interpreted
// RUN: env SIMCHIP=sm_90 tg-run %s --device=SIM --print | cmp - %t.interpreted
// RUN: env SIMCHIP=gfx942 tg-run %s --device=SIM --print | cmp - %t.interpreted
// RUN: env SIMCHIP=gfx950 tg-run %s --device=SIM --print | cmp - %t.interpreted
// RUN: env SIMCHIP=gfx1100 tg-run %s --device=SIM --print | cmp - %t.interpreted

// The weights are read by 16 bytes, the windows by elements.
// CHECK-LABEL: gpu.func @r_64_12_12_32_3_3
// CHECK-NOT: vector.load {{.*}} {alignment = 2
// CHECK: memref.load %{{.*}} : memref<4608xf16>
// CHECK: nvgpu.mma.sync

// If each item read 16 bytes of a row, these would be 57600 and 46720 sectors.
// SM90: SIM counts r_64_12_12_32_3_3: loads 3240 sectors 13280
// GFX942: SIM counts r_64_12_12_32_3_3: loads 1800 sectors 14000
func.func @main(%x: tensor<32x12x12xf16> {tg.input = dense<2.0> : tensor<32x12x12xf16>}, %w: tensor<64x32x3x3xf16> {tg.input = dense<0.125> : tensor<64x32x3x3xf16>}) -> tensor<64x1x12x12x1x1xf32> {
  %i = tg.iota 1 : tensor<32x12x12xf16>
  %xi = tg.add %x, %i : tensor<32x12x12xf16>
  %xc = tg.contiguous %xi : tensor<32x12x12xf16>
  %v = tg.strided %xc [#tg.view<[32, 14, 14] strides [144, 12, 1] offset -13 mask [0 to 32, 1 to 13, 1 to 13]>, #tg.view<[32, 12, 12, 3, 3] strides [196, 14, 1, 14, 1]>] : tensor<32x12x12xf16> -> tensor<32x12x12x3x3xf16>
  %v1 = tg.reshape %v : tensor<32x12x12x3x3xf16> -> tensor<1x32x12x12x3x3xf16>
  %w1 = tg.reshape %w : tensor<64x32x3x3xf16> -> tensor<64x32x1x1x3x3xf16>
  %ve = tg.expand %v1 : tensor<1x32x12x12x3x3xf16> -> tensor<64x32x12x12x3x3xf16>
  %we = tg.expand %w1 : tensor<64x32x1x1x3x3xf16> -> tensor<64x32x12x12x3x3xf16>
  %vf = tg.cast %ve : tensor<64x32x12x12x3x3xf16> -> tensor<64x32x12x12x3x3xf32>
  %wf = tg.cast %we : tensor<64x32x12x12x3x3xf16> -> tensor<64x32x12x12x3x3xf32>
  %p = tg.mul %vf, %wf : tensor<64x32x12x12x3x3xf32>
  %r = tg.reduce add %p axes [1, 4, 5] : tensor<64x32x12x12x3x3xf32> -> tensor<64x1x12x12x1x1xf32>
  return %r : tensor<64x1x12x12x1x1xf32>
}
