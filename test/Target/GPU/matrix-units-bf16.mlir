// bf16 is added up in f32 and rounded once. The right factor is stored by
// columns, whose elements are neighbors along the depth.

// RUN: tg-compile %s --target=cuda:sm_80 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.trans --implicit-check-not=m8n8.x2 --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_80 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx90a --emit=asm | FileCheck %s --check-prefix=GFX90A
// RUN: tg-compile %s --target=amd:gfx950 --emit=asm | FileCheck %s --check-prefix=GFX950
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=WMMA

// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// PTX: cvt.rn.bf16x2.f32
// GFX90A: v_mfma_f32_16x16x16bf16_1k
// GFX950: v_mfma_f32_16x16x32_bf16
// WMMA: v_wmma_f32_16x16x16_bf16
func.func @main(%a: tensor<128x64xbf16>, %b: tensor<128x64xbf16>) -> tensor<128x128xbf16> {
  %bt = tg.permute %b [1, 0] : tensor<128x64xbf16> -> tensor<64x128xbf16>
  %a3 = tg.reshape %a : tensor<128x64xbf16> -> tensor<128x64x1xbf16>
  %b3 = tg.reshape %bt : tensor<64x128xbf16> -> tensor<1x64x128xbf16>
  %ae = tg.expand %a3 : tensor<128x64x1xbf16> -> tensor<128x64x128xbf16>
  %be = tg.expand %b3 : tensor<1x64x128xbf16> -> tensor<128x64x128xbf16>
  %p = tg.mul %ae, %be : tensor<128x64x128xbf16>
  %r = tg.reduce add %p axes [1] : tensor<128x64x128xbf16> -> tensor<128x1x128xbf16>
  %o = tg.reshape %r : tensor<128x1x128xbf16> -> tensor<128x128xbf16>
  return %o : tensor<128x128xbf16>
}

