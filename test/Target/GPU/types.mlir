// f16 and bf16 are types of the processor where it has them, f64 divides
// exactly, and a bool is a byte, of which eight are stored at once.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefixes=PTX,PTX90 --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=cuda:sm_75 --emit=obj -o %t.75.ptx
// RUN: FileCheck %s --check-prefixes=PTX --input-file=%t.75.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_75 %t.75.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: tg-compile %s --target=amd:gfx950 --emit=asm | FileCheck %s --check-prefix=GFX950

// PTX-DAG: mul.rn.f16
// PTX90-DAG: mul.rn.bf16
// PTX-DAG: div.rn.f64
// PTX-DAG: div.rn.f32
// PTX-DAG: sqrt.rn.f32
// PTX-DAG: st.global.v2.b32
// PTX-DAG: setp.lt.f16
// PTX-NOT: call
// PTX-NOT: {{\.(ftz|approx)}}
// PTX-NOT: .local

// AMD-DAG: v_pk_mul_f16
// AMD-DAG: v_cmp_lt_f16
// AMD-DAG: v_div_fixup_f64
// AMD-DAG: v_div_fixup_f32
// AMD-DAG: global_store_b64
// AMD-NOT: s_swappc

// GFX950: v_cvt_pk_bf16_f32
func.func @main(%h: tensor<4096xf16>, %b: tensor<4096xbf16>, %d: tensor<4096xf64>, %i: tensor<4096xi8>, %f: tensor<4096xf32>)
    -> (tensor<4096xi1>, tensor<4096xbf16>, tensor<4096xf64>, tensor<4096xi8>, tensor<4096xf32>, tensor<4096xf16>, tensor<4096xf32>) {
  %0 = tg.mul %h, %h : tensor<4096xf16>
  %1 = tg.mul %b, %b : tensor<4096xbf16>
  %2 = tg.fdiv %d, %d : tensor<4096xf64>
  %3 = tg.add %i, %i : tensor<4096xi8>
  %4 = tg.cmplt %h, %0 : tensor<4096xf16>
  %5 = tg.recip %f : tensor<4096xf32>
  %6 = tg.fdiv %f, %5 : tensor<4096xf32>
  %7 = tg.sqrt %f : tensor<4096xf32>
  return %4, %1, %2, %3, %6, %0, %7 : tensor<4096xi1>, tensor<4096xbf16>, tensor<4096xf64>, tensor<4096xi8>, tensor<4096xf32>, tensor<4096xf16>, tensor<4096xf32>
}
