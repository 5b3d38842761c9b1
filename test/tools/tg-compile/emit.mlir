// Every stage of a compilation.

// RUN: tg-compile %s --emit=kernels | FileCheck %s --check-prefix=KERNELS
// KERNELS: tg.kernel @[[NAME:[a-zA-Z0-9_]+]](
// KERNELS: tg.range {{[0-9]+}} loop 64
// KERNELS: tg.ranged_reduce add
// KERNELS: func.func @main(%{{.*}}: memref<16384xf32>) -> memref<64xf32>
// KERNELS: tg.launch @[[NAME]]

// RUN: tg-compile %s | FileCheck %s --check-prefix=SCHEDULED
// RUN: tg-compile %s --emit=scheduled | FileCheck %s --check-prefix=SCHEDULED
// SCHEDULED: tg.kernel
// SCHEDULED: tg.range {{[0-9]+}} upcast

// RUN: tg-compile %s --emit=vector | FileCheck %s --check-prefix=VECTOR
// VECTOR: scf.for
// VECTOR: vector.load
// VECTOR-NOT: {{ }}tg.

// RUN: tg-compile %s --emit=mlir | FileCheck %s --check-prefix=MLIR
// MLIR: llvm.func
// MLIR-NOT: scf.for

// RUN: tg-compile %s --emit=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: target triple =
// LLVM: define void @

// RUN: tg-compile %s --emit=asm -o %t.s
// RUN: FileCheck %s --check-prefix=ASM < %t.s
// ASM: .globl

// RUN: tg-compile %s --emit=obj -o %t.o
// RUN: llvm-nm %t.o | FileCheck %s --check-prefix=OBJ
// OBJ: T {{[a-zA-Z0-9_]+}}

// What comes out at a stage of the dialect is valid, and can be read again.
// RUN: tg-compile %s --emit=kernels | tg-opt | FileCheck %s --check-prefix=KERNELS
// RUN: tg-compile %s --emit=scheduled | tg-opt \
// RUN:   | FileCheck %s --check-prefix=SCHEDULED

func.func @main(%x: tensor<64x256xf32>) -> tensor<64x1xf32> {
  %0 = tg.exp2 %x : tensor<64x256xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  return %1 : tensor<64x1xf32>
}
