// The items past the end of a size that no number of groups covers neither
// load nor store.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=llvm | FileCheck %s
// RUN: tg-compile %s --target=amd:gfx1100 --emit=llvm | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}

// CHECK: define {{.*}}void @
// CHECK-NOT: load
// CHECK: icmp
// CHECK: br i1
// CHECK: load float
// CHECK: store float
func.func @main(%x: tensor<100003xf32>) -> tensor<100003xf32> {
  %0 = tg.neg %x : tensor<100003xf32>
  return %0 : tensor<100003xf32>
}
