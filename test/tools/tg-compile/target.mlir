// Code for processors that are named, on any host.

// RUN: tg-compile %s --target=cpu:x86_64:x86-64-v4 --emit=asm \
// RUN:   | FileCheck %s --check-prefix=V4
// RUN: tg-compile %s --target=cpu:x86_64:x86-64-v3 --emit=asm \
// RUN:   | FileCheck %s --check-prefix=V3
// RUN: tg-compile %s --target=cpu:x86_64:x86-64-v2 --emit=asm \
// RUN:   | FileCheck %s --check-prefix=V2
// RUN: tg-compile %s --target=cpu:aarch64:neoverse-v1 --emit=asm \
// RUN:   | FileCheck %s --check-prefix=ARM

// A target in the file counts where none is given.
// RUN: tg-opt %s --tg-attach-target=target=cpu:x86_64:x86-64-v3 -o %t.mlir
// RUN: tg-compile %t.mlir --emit=asm | FileCheck %s --check-prefix=V3
// RUN: tg-compile %t.mlir --target=cpu:x86_64:x86-64-v4 --emit=asm \
// RUN:   | FileCheck %s --check-prefix=V4

// V4: vfmadd{{.*}}%zmm
// V3-NOT: zmm
// V3: vfmadd{{.*}}%ymm
// V3-NOT: zmm
// Without an instruction for it, products in sums are rounded.
// V2-NOT: {{ymm|fma}}
// V2: mulps{{.*}}%xmm
// V2-NOT: {{ymm|fma}}
// ARM: fmla

// RUN: tg-compile %s --target=cpu:aarch64:neoverse-v1 --emit=obj -o %t.o
// RUN: llvm-readobj --file-headers %t.o | FileCheck %s --check-prefix=OBJ
// OBJ: Format: elf64-littleaarch64

// What a kernel was scheduled for is part of the module.
// RUN: tg-compile %s --target=cpu:x86_64:x86-64-v2 \
// RUN:   | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: module attributes {tg.target = #tg.target<"cpu:x86_64:x86-64-v2", vector_bytes = 16, vector_registers = 16, fused_multiply_add = 0>}

func.func @main(%x: tensor<64x256xf32>, %y: tensor<256x64xf32>) -> tensor<64x1x64xf32> {
  %0 = tg.reshape %x : tensor<64x256xf32> -> tensor<64x256x1xf32>
  %1 = tg.expand %0 : tensor<64x256x1xf32> -> tensor<64x256x64xf32>
  %2 = tg.reshape %y : tensor<256x64xf32> -> tensor<1x256x64xf32>
  %3 = tg.expand %2 : tensor<1x256x64xf32> -> tensor<64x256x64xf32>
  %4 = tg.mul %1, %3 : tensor<64x256x64xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<64x256x64xf32> -> tensor<64x1x64xf32>
  return %5 : tensor<64x1x64xf32>
}
