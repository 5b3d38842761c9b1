// f64, which NVIDIA's chips before sm_80 and AMD's for graphics do not multiply
// on matrix units.

// RUN: tg-compile %s --target=cuda:sm_80 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_80 %t.ptx %}
// RUN: tg-compile %s --target=cuda:sm_75 --emit=ptx | FileCheck %s --check-prefix=NONE --implicit-check-not=mma.sync
// RUN: tg-compile %s --target=amd:gfx90a --emit=asm | FileCheck %s --check-prefix=GFX90A
// RUN: tg-compile %s --target=amd:gfx1201 --emit=asm | FileCheck %s --check-prefix=NONE --implicit-check-not=wmma

// PTX: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// GFX90A: v_mfma_f64_16x16x4f64
// NONE: r_
func.func @main(%a: tensor<128x64xf64>, %b: tensor<64x128xf64>) -> tensor<128x128xf64> {
  %a3 = tg.reshape %a : tensor<128x64xf64> -> tensor<128x64x1xf64>
  %b3 = tg.reshape %b : tensor<64x128xf64> -> tensor<1x64x128xf64>
  %ae = tg.expand %a3 : tensor<128x64x1xf64> -> tensor<128x64x128xf64>
  %be = tg.expand %b3 : tensor<1x64x128xf64> -> tensor<128x64x128xf64>
  %p = tg.mul %ae, %be : tensor<128x64x128xf64>
  %r = tg.reduce add %p axes [1] : tensor<128x64x128xf64> -> tensor<128x1x128xf64>
  %o = tg.reshape %r : tensor<128x1x128xf64> -> tensor<128x128xf64>
  return %o : tensor<128x128xf64>
}

