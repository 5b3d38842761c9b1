// Accesses of 16 bytes where they are proved to be contiguous and aligned, and
// nowhere else: on GPUs, a wide access that is not aligned is a fault.

// RUN: split-file %s %t
// RUN: tg-compile %t/casts.mlir --target=cuda:sm_90 --emit=obj -o %t.casts.ptx
// RUN: FileCheck %t/casts.mlir --input-file=%t.casts.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.casts.ptx %}
// RUN: tg-compile %t/casts.mlir --target=amd:gfx1100 --emit=asm | FileCheck %t/casts.mlir --check-prefix=AMD
// RUN: tg-compile %t/tail.mlir --target=cuda:sm_90 --emit=obj -o %t.tail.ptx
// RUN: FileCheck %t/tail.mlir --input-file=%t.tail.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.tail.ptx %}
// RUN: tg-compile %t/rows.mlir --target=cuda:sm_90 --emit=obj -o %t.rows.ptx
// RUN: FileCheck %t/rows.mlir --input-file=%t.rows.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.rows.ptx %}
// RUN: tg-compile %t/rows.mlir --target=amd:gfx942 --emit=asm | FileCheck %t/rows.mlir --check-prefix=AMD
// RUN: tg-compile %t/odd-rows.mlir --target=cuda:sm_90 --emit=obj | FileCheck %t/odd-rows.mlir
// RUN: tg-compile %t/odd-view.mlir --target=cuda:sm_90 --emit=obj | FileCheck %t/odd-view.mlir
// RUN: tg-compile %t/shifted.mlir --target=cuda:sm_90 --emit=obj | FileCheck %t/shifted.mlir
// RUN: tg-compile %t/flipped.mlir --target=cuda:sm_90 --emit=obj | FileCheck %t/flipped.mlir
// RUN: tg-compile %t/symbolic.mlir --target=cuda:sm_90 --emit=obj | FileCheck %t/symbolic.mlir

//--- casts.mlir
// Types of several widths: 16 bytes of the widest one.
// CHECK: ld.global.nc.v4.b16
// CHECK: st.global.v4.b32
// AMD: global_load_b64
// AMD: global_store_b128
func.func @main(%x: tensor<8192xf16>) -> tensor<8192xf32> {
  %0 = tg.cast %x : tensor<8192xf16> -> tensor<8192xf32>
  return %0 : tensor<8192xf32>
}

//--- tail.mlir
// The last item has some elements alone.
// CHECK-DAG: ld.global.nc.v4.b32
// CHECK-DAG: ld.global.nc.b32
// CHECK-DAG: st.global.v4.b32
// CHECK-DAG: st.global.b32
func.func @main(%x: tensor<1000001xf32>) -> tensor<1000001xf32> {
  %0 = tg.mul %x, %x : tensor<1000001xf32>
  return %0 : tensor<1000001xf32>
}

//--- rows.mlir
// The rows of a reduction. Partial sums are exchanged by shuffles.
// CHECK: ld.global.nc.v4.b32
// CHECK-NOT: ld.global.nc.b32
// CHECK: shfl.sync
// AMD: global_load_dwordx4
// AMD: ds_{{bpermute|swizzle}}
func.func @main(%x: tensor<512x4096xf32>) -> tensor<512x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<512x4096xf32> -> tensor<512x1xf32>
  return %0 : tensor<512x1xf32>
}

//--- odd-rows.mlir
// Most rows do not begin at a multiple of 16 bytes.
// CHECK-NOT: {{(ld|st)\.global(\.nc)?\.v}}
// CHECK: ld.global.nc.b32
// CHECK-NOT: {{(ld|st)\.global(\.nc)?\.v}}
func.func @main(%x: tensor<512x1001xf32>) -> tensor<512x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<512x1001xf32> -> tensor<512x1xf32>
  return %0 : tensor<512x1xf32>
}

//--- odd-view.mlir
// A view in the program at an offset that is no multiple of 16 bytes; two
// elements are 8 bytes.
// CHECK-NOT: {{(ld|st)\.global(\.nc)?\.v4}}
// CHECK: ld.global.nc.b32
// CHECK-NOT: {{(ld|st)\.global(\.nc)?\.v4}}
func.func @main(%x: tensor<5000xf32>) -> tensor<4096xf32> {
  %0 = tg.shrink %x from [2] to [4098] : tensor<5000xf32> -> tensor<4096xf32>
  %1 = tg.neg %0 : tensor<4096xf32>
  return %1 : tensor<4096xf32>
}

//--- shifted.mlir
// Neighbors: one of the loads is not aligned.
// CHECK-NOT: {{(ld|st)\.global(\.nc)?\.v}}
// CHECK: st.global.b32
// CHECK-NOT: {{(ld|st)\.global(\.nc)?\.v}}
func.func @main(%x: tensor<5000xf32>) -> tensor<4096xf32> {
  %0 = tg.shrink %x from [0] to [4096] : tensor<5000xf32> -> tensor<4096xf32>
  %1 = tg.shrink %x from [1] to [4097] : tensor<5000xf32> -> tensor<4096xf32>
  %2 = tg.add %0, %1 : tensor<4096xf32>
  return %2 : tensor<4096xf32>
}

//--- flipped.mlir
// Contiguous, but in the other direction.
// CHECK-NOT: {{(ld|st)\.global(\.nc)?\.v}}
// CHECK: st.global.b32
// CHECK-NOT: {{(ld|st)\.global(\.nc)?\.v}}
func.func @main(%x: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = tg.flip %x axes [0] : tensor<4096xf32>
  %1 = tg.neg %0 : tensor<4096xf32>
  return %1 : tensor<4096xf32>
}

//--- symbolic.mlir
// Rows whose length is a multiple of four for all values, and whose number is
// any.
// CHECK: ld.global.nc.v4.b32
// CHECK: st.global.v4.b32
func.func @main(%x: tensor<?x1024xf32, #tg.shape<#tg.var<"n", 1, 100>, 1024>>) -> tensor<?x1024xf32, #tg.shape<#tg.var<"n", 1, 100>, 1024>> {
  %0 = tg.neg %x : tensor<?x1024xf32, #tg.shape<#tg.var<"n", 1, 100>, 1024>>
  return %0 : tensor<?x1024xf32, #tg.shape<#tg.var<"n", 1, 100>, 1024>>
}
