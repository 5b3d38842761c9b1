// A first convolution of a network: nine positions of a window in tiles of the
// group. Registers are enough, shared memory has no conflicts, an item reads
// 16 bytes of each factor at once, and multiplies these 4 x 8 times at most.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=AMD --implicit-check-not=scratch_
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=MFMA --implicit-check-not=scratch_
// RUN: env SIMCHIP=sm_90 SIMCOUNT=4 tg-run %s --device=SIM 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: env SIMCHIP=gfx1100 SIMCOUNT=4 tg-run %s --device=SIM 2>&1 | FileCheck %s --check-prefix=COUNT

// PTX-COUNT-2: ld.shared.v4.b32
// PTX: fma.rn.f32
// PTX: st.global.v4.b32
// AMD: ds_load_b128
// AMD: global_store_b128
// MFMA: ds_write_b64
// MFMA: v_mfma_f32_16x16x4_f32
// MFMA: .private_segment_fixed_size: 0
// COUNT: conflicts 0; groups 4 of 448 with
func.func @main(%a0: tensor<64x1x28x28xf32> {tg.input = dense<1.0> : tensor<64x1x28x28xf32>}, %a1: tensor<32x1x3x3xf32> {tg.input = dense<1.0> : tensor<32x1x3x3xf32>}) -> (tensor<64x32x1x28x28x1x1xf32>) {
  %v0 = tg.strided %a0 [#tg.view<[64, 1, 30, 30] strides [784, 784, 28, 1] offset -29 mask [0 to 64, 0 to 1, 1 to 29, 1 to 29]>, #tg.view<[64, 1, 28, 28, 3, 3] strides [900, 900, 30, 1, 30, 1]>] : tensor<64x1x28x28xf32> -> tensor<64x1x28x28x3x3xf32>
  %v1 = tg.reshape %v0 : tensor<64x1x28x28x3x3xf32> -> tensor<64x1x1x28x28x3x3xf32>
  %v2 = tg.expand %v1 : tensor<64x1x1x28x28x3x3xf32> -> tensor<64x32x1x28x28x3x3xf32>
  %v3 = tg.reshape %a1 : tensor<32x1x3x3xf32> -> tensor<1x32x1x1x1x3x3xf32>
  %v4 = tg.expand %v3 : tensor<1x32x1x1x1x3x3xf32> -> tensor<64x32x1x28x28x3x3xf32>
  %v5 = tg.mul %v2, %v4 : tensor<64x32x1x28x28x3x3xf32>
  %v6 = tg.reduce add %v5 axes [2, 5, 6] : tensor<64x32x1x28x28x3x3xf32> -> tensor<64x32x1x28x28x1x1xf32>
  return %v6 : tensor<64x32x1x28x28x1x1xf32>
}
