// f32 is multiplied on matrix units that multiply f32. NVIDIA's round factors
// to tf32, which only a target with this option allows: to nearest, before the
// unit cuts off the lower bits.

// RUN: tg-compile %s --target=cuda:sm_80 --emit=ptx | FileCheck %s --check-prefix=F32 --implicit-check-not=mma.sync
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=GFX942
// RUN: tg-compile %s --target=amd:gfx1201 --emit=asm | FileCheck %s --check-prefix=F32 --implicit-check-not=wmma
// RUN: tg-compile %s --target=cuda:sm_80:tf32 --emit=gpu | FileCheck %s --check-prefix=TF32
// RUN: tg-compile %s --target=cuda:sm_80:tf32 --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: env SIMCHIP=sm_80 ALLOW_TF32=1 tg-compile %s --device=SIM --emit=gpu | FileCheck %s --check-prefix=TF32
// RUN: env SIMCHIP=sm_80 ALLOW_TF32=0 tg-compile %s --device=SIM --emit=gpu | FileCheck %s --check-prefix=F32 --implicit-check-not=nvgpu.mma
// RUN: env SIMCHIP=sm_75 ALLOW_TF32=1 tg-compile %s --device=SIM --emit=gpu | FileCheck %s --check-prefix=F32 --implicit-check-not=nvgpu.mma
// RUN: not env ALLOW_TF32=yes tg-compile %s --device=SIM 2>&1 | FileCheck %s --check-prefix=BAD

// F32: r_
// GFX942: v_mfma_f32_16x16x4_f32
// TF32: %[[A:.*]] = nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = false} : memref<{{.*}}xf32, {{.*}}> -> vector<4x1xf32>
// TF32: %[[X:.*]] = vector.extract %[[A]][0, 0]
// TF32: %[[R:.*]] = nvvm.convert.float.to.tf32 %[[X]] {rnd = #nvvm.fp_rnd_mode<rna>}
// TF32: %[[Y:.*]] = arith.bitcast %[[R]] : i32 to f32
// TF32: vector.insert %[[Y]], %[[A]] [0, 0]
// TF32-COUNT-5: nvvm.convert.float.to.tf32
// TF32: nvgpu.mma.sync(%{{.*}}) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
// PTX-COUNT-6: cvt.rna.tf32.f32
// PTX: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
// BAD: ALLOW_TF32=yes is not a number: expected 0 to 1
func.func @main(%a: tensor<128x64xf32>, %b: tensor<128x64xf32>) -> tensor<128x128xf32> {
  %bt = tg.permute %b [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  %a3 = tg.reshape %a : tensor<128x64xf32> -> tensor<128x64x1xf32>
  %b3 = tg.reshape %bt : tensor<64x128xf32> -> tensor<1x64x128xf32>
  %ae = tg.expand %a3 : tensor<128x64x1xf32> -> tensor<128x64x128xf32>
  %be = tg.expand %b3 : tensor<1x64x128xf32> -> tensor<128x64x128xf32>
  %p = tg.mul %ae, %be : tensor<128x64x128xf32>
  %r = tg.reduce add %p axes [1] : tensor<128x64x128xf32> -> tensor<128x1x128xf32>
  %o = tg.reshape %r : tensor<128x1x128xf32> -> tensor<128x128xf32>
  return %o : tensor<128x128xf32>
}

