// Values of variables are the last arguments, as i64, in the order of their
// names. Their bounds prove that 32 bits are enough for indices.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=mlir | FileCheck %s
// RUN: tg-compile %s --target=amd:gfx1100 --emit=mlir | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx942 --emit=obj -o %t.so
// RUN: llvm-readelf -n %t.so | FileCheck %s --check-prefix=NOTE

// CHECK: llvm.func @{{.*}}(%{{.*}}: !llvm.ptr<1> {{.*}}, %{{.*}}: !llvm.ptr<1> {{.*}}, %[[M:.*]]: i64, %[[N:.*]]: i64) attributes
// CHECK-DAG: llvm.trunc %[[N]] : i64 to i32
// CHECK-DAG: llvm.trunc %[[M]] : i64 to i32
// CHECK-NOT: llvm.getelementptr {{.*}}, i64) ->

// NOTE: .value_kind: global_buffer
// NOTE: .value_kind: global_buffer
// NOTE: .value_kind: by_value
// NOTE: .value_kind: by_value
// NOTE-NOT: hidden
// NOTE: .private_segment_fixed_size: 0
#m = #tg.var<"m", 1, 1000>
#n = #tg.var<"n", 1, 1000>
func.func @main(%x: tensor<?x?xf32, #tg.shape<#n, #m>>) -> tensor<?x?xf32, #tg.shape<#m, #n>> {
  %0 = tg.neg %x : tensor<?x?xf32, #tg.shape<#n, #m>>
  %1 = tg.permute %0 [1, 0] : tensor<?x?xf32, #tg.shape<#n, #m>> -> tensor<?x?xf32, #tg.shape<#m, #n>>
  return %1 : tensor<?x?xf32, #tg.shape<#m, #n>>
}
