// With FTZ=1, f32 is computed with zeros in place of subnormal numbers: by the
// instructions of NVIDIA's GPUs, in the mode that kernels of AMD's start in. f64
// is not changed.

// RUN: env FTZ=1 tg-compile %s --target=cuda:sm_90 --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tg-compile %s --target=cuda:sm_90 --emit=ptx | FileCheck %s --check-prefix=KEPT
// RUN: env FTZ=1 tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: env FTZ=1 tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: tg-compile %s --target=amd:gfx942 --emit=asm | FileCheck %s --check-prefix=AMD-KEPT

// PTX-DAG: mul.rn.ftz.f32
// PTX-DAG: mul.rn.f64
// KEPT-NOT: .ftz
// AMD: .amdhsa_float_denorm_mode_32 0
// AMD: .amdhsa_float_denorm_mode_16_64 3
// AMD-KEPT: .amdhsa_float_denorm_mode_32 3
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf64>) -> (tensor<64xf32>, tensor<64xf64>) {
  %0 = tg.mul %x, %x : tensor<64xf32>
  %1 = tg.mul %y, %y : tensor<64xf64>
  return %0, %1 : tensor<64xf32>, tensor<64xf64>
}
