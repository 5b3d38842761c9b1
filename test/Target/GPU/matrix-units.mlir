// Products of matrices on the matrix units of each chip: which operation, how
// the fragments are read, no memory of an item.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=scheduled | FileCheck %s --check-prefix=STEPS
// RUN: tg-compile %s --target=cuda:sm_90 --emit=gpu | FileCheck %s --check-prefix=NVGPU
// RUN: tg-compile %s --target=amd:gfx942 --emit=gpu | FileCheck %s --check-prefix=AMDGPU
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=cuda:sm_75 --emit=obj -o %t.75.ptx
// RUN: FileCheck %s --check-prefix=TURING --implicit-check-not=.local --input-file=%t.75.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_75 %t.75.ptx %}
// RUN: tg-compile %s --target=cuda:sm_70 --emit=ptx | FileCheck %s --check-prefix=NONE --implicit-check-not=mma
// RUN: tg-compile %s --target=amd:gfx90a --emit=asm | FileCheck %s --check-prefix=GFX90A --implicit-check-not=scratch_load --implicit-check-not=scratch_store
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=GFX942 --implicit-check-not=scratch_load --implicit-check-not=scratch_store
// RUN: tg-compile %s --target=amd:gfx950 --emit=asm | FileCheck %s --check-prefix=GFX950 --implicit-check-not=scratch_load --implicit-check-not=scratch_store
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=WMMA --implicit-check-not=scratch_load --implicit-check-not=scratch_store
// RUN: tg-compile %s --target=amd:gfx1201 --emit=asm | FileCheck %s --check-prefix=WMMA --implicit-check-not=scratch_load --implicit-check-not=scratch_store
// RUN: tg-compile %s --target=amd:gfx1030 --emit=asm | FileCheck %s --check-prefix=NONE --implicit-check-not=wmma

// The tiles, what the lanes and registers of a subgroup are, then the
// operation, and the filling of the tiles.
// STEPS-LABEL: tg.kernel @r_4096_4096_4096
// STEPS-SAME: #tg.step<split [0] by 128 into [3, 4]>, #tg.step<split [1] by 128 into [5, 6]>, #tg.step<split [2] by 32 into [7, 8]>
// STEPS-SAME: #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>
// STEPS: tg.ranged_reduce add %{{.*}} over %{{.*}} on "mma_m16n8k16_f16" : f32

// Tiles are filled ahead, into three buffers. Rows of the left factor are read
// as they are, those of the right factor transposed.
// NVGPU-LABEL: gpu.func @r_4096_4096_4096
// NVGPU-SAME: known_block_size = array<i32: 4, 8, 4>
// NVGPU: nvgpu.device_async_copy %{{.*}}, 8 {bypassL1} :
// NVGPU: gpu.barrier
// NVGPU: nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = false} : memref<12288xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
// NVGPU: nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = true} : memref<12288xf16, #gpu.address_space<workgroup>> -> vector<4x2xf16>
// NVGPU: nvgpu.mma.sync(%{{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
// AMDGPU-LABEL: gpu.func @r_4096_4096_4096
// AMDGPU-SAME: known_block_size = array<i32: 16, 4, 4>
// AMDGPU: vector.load %{{.*}} {alignment = 8 : i64} : memref<4096xf16, #gpu.address_space<workgroup>>, vector<4xf16>
// AMDGPU: amdgpu.mfma 16x16x16 %{{.*}} blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>

// PTX-LABEL: .entry r_4096_4096_4096
// PTX: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// TURING-LABEL: .entry r_4096_4096_4096
// TURING: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// TURING: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// TURING: mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
// NONE: r_4096_4096_4096
// GFX90A: ds_read{{(2|2st64)?}}_b64
// GFX90A: v_mfma_f32_16x16x16f16
// GFX942: ds_read{{(2|2st64)?}}_b64
// GFX942: v_mfma_f32_16x16x16_f16
// GFX950: ds_read_b128
// GFX950: v_mfma_f32_16x16x32_f16
// WMMA: ds_load_b128
// WMMA: v_wmma_f32_16x16x16_f16
func.func @main(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %a3 = tg.reshape %a : tensor<4096x4096xf16> -> tensor<4096x4096x1xf16>
  %b3 = tg.reshape %b : tensor<4096x4096xf16> -> tensor<1x4096x4096xf16>
  %ae = tg.expand %a3 : tensor<4096x4096x1xf16> -> tensor<4096x4096x4096xf16>
  %be = tg.expand %b3 : tensor<1x4096x4096xf16> -> tensor<4096x4096x4096xf16>
  %ac = tg.cast %ae : tensor<4096x4096x4096xf16> -> tensor<4096x4096x4096xf32>
  %bc = tg.cast %be : tensor<4096x4096x4096xf16> -> tensor<4096x4096x4096xf32>
  %p = tg.mul %ac, %bc : tensor<4096x4096x4096xf32>
  %r = tg.reduce add %p axes [1] : tensor<4096x4096x4096xf32> -> tensor<4096x1x4096xf32>
  %o = tg.reshape %r : tensor<4096x1x4096xf32> -> tensor<4096x4096xf32>
  return %o : tensor<4096x4096xf32>
}
