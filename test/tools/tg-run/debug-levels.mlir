// DEBUG=6 and 7 show the lowered IR and the assembly, also of kernels whose code
// is on the disk already.

// RUN: rm -rf %t.cache
// RUN: env CACHEDIR=%t.cache DEBUG=5 tg-run %s --random-inputs 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=IR,NOLLVM
// RUN: env CACHEDIR=%t.cache DEBUG=6 tg-run %s --random-inputs 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=IR,LLVM,NOASM
// RUN: env CACHEDIR=%t.cache DEBUG=7 tg-run %s --random-inputs 2>&1 \
// RUN:   | FileCheck %s --check-prefixes=IR,LLVM,ASM

// IR: // tensor graph
// IR: // scheduled kernels
// NOLLVM-NOT: define void
// LLVM: define void @E_4
// NOASM-NOT: .text
// ASM: .text
// ASM: E_4
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
