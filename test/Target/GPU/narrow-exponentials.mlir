// Exponentials of f16 and bf16 are the device's instruction, whose error does
// not show in the result; those of f32 are not.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: tg-run %s --random-inputs --print > %t.cpu
// RUN: env SIMCHIP=sm_90 tg-run %s --device=SIM --random-inputs --print | diff %t.cpu -

// PTX-NOT: ex2
// PTX: fma.rn.f32
// PTX: ex2.approx.f32
// PTX: cvt.rn.bf16x2.f32
// PTX: mul{{(.rn)?}}.f32
// PTX: ex2.approx.f32
// PTX: cvt.rn.f16x2.f32

// AMD-NOT: v_exp_f32
// AMD: v_{{(pk_)?}}fma
// AMD: v_exp_f32
// AMD: v_exp_f32
func.func @main(%f: tensor<1024xf32>, %b: tensor<1024xbf16>, %h: tensor<1024xf16>)
    -> (tensor<1024xf32>, tensor<1024xbf16>, tensor<1024xf16>) {
  %0 = tg.exp2 %f : tensor<1024xf32>
  %1 = tg.exp2 %b : tensor<1024xbf16>
  %2 = tg.exp %h : tensor<1024xf16>
  return %0, %1, %2 : tensor<1024xf32>, tensor<1024xbf16>, tensor<1024xf16>
}
