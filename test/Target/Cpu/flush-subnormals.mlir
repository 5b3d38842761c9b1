// With FTZ=1 a kernel sets the processor's mode for itself, and restores the
// register before it returns. What computes is a function of its own, so that
// arithmetic does not leave the code between both.

// RUN: tg-compile %s --target=cpu:x86_64:x86-64-v3 --emit=asm \
// RUN:   | FileCheck %s --check-prefix=KEPT
// RUN: env FTZ=1 tg-compile %s --target=cpu:x86_64:x86-64-v3 --emit=asm \
// RUN:   | FileCheck %s --check-prefix=X86
// RUN: env FTZ=1 tg-compile %s --target=cpu:x86_64:x86-64-v3 --emit=llvm \
// RUN:   | FileCheck %s --check-prefix=LLVM
// RUN: env FTZ=1 tg-compile %s --target=cpu:aarch64:neoverse-v1 --emit=asm \
// RUN:   | FileCheck %s --check-prefix=ARM
// RUN: env FTZ=1 not tg-compile %s --target=cpu:riscv64:sifive-x280 --emit=asm 2>&1 \
// RUN:   | FileCheck %s --check-prefix=RISCV
// RUN: env FTZ=2 not tg-compile %s --emit=asm 2>&1 | FileCheck %s --check-prefix=BAD

// KEPT-NOT: mxcsr

// X86: mulps
// X86-NOT: mxcsr
// X86: E_64_n0:
// X86: stmxcsr
// X86: orl $32832
// X86: ldmxcsr
// X86: call{{.*}}body
// X86: ldmxcsr
// X86: ret

// LLVM: define internal void @E_64_n0.body({{.*}} #[[BODY:[0-9]+]]
// LLVM: attributes #[[BODY]] = {{.*}}noinline{{.*}}"denormal-fp-math"="preserve-sign,preserve-sign"

// ARM: E_64_n0:
// ARM: mrs [[OLD:x[0-9]+]], FPCR
// ARM: orr [[NEW:x[0-9]+]], [[OLD]], #0x1000000
// ARM: msr FPCR, [[NEW]]
// ARM: bl {{.*}}body
// ARM: msr FPCR, [[OLD]]

// RISCV: error: cannot compile for the CPU: FTZ=1, but there is no mode of riscv64 in which subnormal numbers become zeros; FTZ=0 keeps them
// RISCV-NOT: llvm.func

// BAD: FTZ=2 is out of range: expected 0 to 1
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tg.mul %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
