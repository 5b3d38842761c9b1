// f32 is multiplied on matrix units that multiply f32. NVIDIA's round factors
// to tf32, which only a target with this setting allows.

// RUN: tg-compile %s --target=cuda:sm_80 --emit=ptx | FileCheck %s --check-prefix=F32 --implicit-check-not=mma.sync
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=GFX942
// RUN: tg-compile %s --target=amd:gfx1201 --emit=asm | FileCheck %s --check-prefix=F32 --implicit-check-not=wmma
// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_80 --tg-schedule-pipeline | sed 's/async_copies = 1/round_to_tf32 = 1, async_copies = 1/' \
// RUN:   | tg-opt --tg-optimize-pipeline --convert-tg-to-gpu | FileCheck %s --check-prefix=TF32

// F32: r_
// GFX942: v_mfma_f32_16x16x4_f32
// TF32: nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = false} : memref<{{.*}}xf32, {{.*}}> -> vector<4x1xf32>
// TF32: nvgpu.mma.sync(%{{.*}}) {mmaShape = [16, 8, 8], tf32Enabled} : (vector<4x1xf32>, vector<2x1xf32>, vector<2x2xf32>) -> vector<2x2xf32>
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

