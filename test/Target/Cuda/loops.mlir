// LLVM unrolls loops until they load four times from global memory at once, also
// where loads are masked (1000 columns, by items of 8); ptxas leaves them so.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}

// CHECK: .pragma "nounroll"
// CHECK-COUNT-4: ld.global.nc.v4.b32
// CHECK-NOT: ld.global
func.func @main(%x: tensor<1024x1000xi16>) -> tensor<1x1000xi16> {
  %0 = tg.reduce max %x axes [0] : tensor<1024x1000xi16> -> tensor<1x1000xi16>
  return %0 : tensor<1x1000xi16>
}
