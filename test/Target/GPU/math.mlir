// Transcendental functions are inline arithmetic, not the vendors' libraries
// nor their approximations, without local memory.

// RUN: tg-compile %s --target=cuda:sm_75 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_75 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: tg-compile %s --target=amd:gfx942 --emit=obj -o %t.so
// RUN: llvm-nm -D --undefined-only %t.so | count 0

// PTX-NOT: {{call|\.extern|approx|\.ftz|\.local|__nv}}
// PTX: fma.rn.f32
// PTX-NOT: {{call|\.extern|approx|\.ftz|\.local|__nv}}
// PTX: fma.rn.f64
// PTX-NOT: {{call|\.extern|approx|\.ftz|\.local|__nv}}

// AMD-NOT: {{s_swappc|v_exp_f32|v_log_f32|v_sin_f32|v_cos_f32|ocml|scratch_}}
// AMD: v_fma
func.func @main(%x: tensor<1000xf32>, %h: tensor<1000xf16>, %d: tensor<1000xf64>)
    -> (tensor<1000xf32>, tensor<1000xf16>, tensor<1000xf64>) {
  %0 = tg.exp2 %x : tensor<1000xf32>
  %1 = tg.log2 %0 : tensor<1000xf32>
  %2 = tg.sin %1 : tensor<1000xf32>
  %3 = tg.tan %2 : tensor<1000xf32>
  %4 = tg.pow %3, %x : tensor<1000xf32>
  %5 = tg.erf %4 : tensor<1000xf32>
  %6 = tg.atan %5 : tensor<1000xf32>
  %7 = tg.expm1 %6 : tensor<1000xf32>
  %8 = tg.tanh %h : tensor<1000xf16>
  %9 = tg.log1p %8 : tensor<1000xf16>
  %10 = tg.cos %d : tensor<1000xf64>
  %11 = tg.exp %10 : tensor<1000xf64>
  %12 = tg.asin %11 : tensor<1000xf64>
  return %7, %9, %12 : tensor<1000xf32>, tensor<1000xf16>, tensor<1000xf64>
}
