// i8 is added up in i32, without saturation. The tile of the right factor is
// filled transposed, since registers hold neighbors along the depth.

// RUN: tg-compile %s --target=cuda:sm_80 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=satfinite --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_80 %t.ptx %}
// RUN: tg-compile %s --target=cuda:sm_75 --emit=obj -o %t.75.ptx
// RUN: FileCheck %s --check-prefix=TURING --implicit-check-not=satfinite --input-file=%t.75.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_75 %t.75.ptx %}
// RUN: tg-compile %s --target=amd:gfx90a --emit=asm | FileCheck %s --check-prefix=GFX90A
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=GFX942
// RUN: tg-compile %s --target=amd:gfx950 --emit=asm | FileCheck %s --check-prefix=GFX950
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=WMMA
// RUN: tg-compile %s --target=amd:gfx1201 --emit=asm | FileCheck %s --check-prefix=WMMA

// PTX: st.shared.b8
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
// TURING: ldmatrix.sync.aligned.m8n8.x1.shared.b16
// TURING: mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32
// GFX90A: v_mfma_i32_16x16x16i8
// GFX942: v_mfma_i32_16x16x32_i8
// GFX950: v_mfma_i32_16x16x64_i8
// WMMA: v_wmma_i32_16x16x16_iu8 {{.*}} neg_lo:[1,1,0]
func.func @main(%a: tensor<128x128xi8>, %b: tensor<128x128xi8>) -> tensor<128x128xi32> {
  %a3 = tg.reshape %a : tensor<128x128xi8> -> tensor<128x128x1xi8>
  %b3 = tg.reshape %b : tensor<128x128xi8> -> tensor<1x128x128xi8>
  %ae = tg.expand %a3 : tensor<128x128x1xi8> -> tensor<128x128x128xi8>
  %be = tg.expand %b3 : tensor<1x128x128xi8> -> tensor<128x128x128xi8>
  %ac = tg.cast %ae : tensor<128x128x128xi8> -> tensor<128x128x128xi32>
  %bc = tg.cast %be : tensor<128x128x128xi8> -> tensor<128x128x128xi32>
  %p = tg.mul %ac, %bc : tensor<128x128x128xi32>
  %r = tg.reduce add %p axes [1] : tensor<128x128x128xi32> -> tensor<128x1x128xi32>
  %o = tg.reshape %r : tensor<128x1x128xi32> -> tensor<128x128xi32>
  return %o : tensor<128x128xi32>
}

