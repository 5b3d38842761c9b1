// What a kernel that works in place reads may be what it writes: its buffers
// may overlap, and are not read through the cache for constant data.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=llvm | FileCheck %s
// RUN: tg-compile %s --target=amd:gfx1100 --emit=llvm | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}

// CHECK: define {{.*}}void @
// CHECK-NOT: noalias
// CHECK-SAME: readonly
// CHECK-NOT: noalias
// CHECK: ret void
// PTX: ld.global.v4.b32
// PTX-NOT: ld.global.nc
// PTX: st.global.v4.b32
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = tg.mul %x, %y : tensor<4096xf32>
  %r = tg.assign %x, %0 : tensor<4096xf32>
  return %r : tensor<4096xf32>
}
