// RUN: tg-opt %s --pass-pipeline='builtin.module(func.func(tg-annotate-kernel-functions))' | FileCheck %s

// CHECK-LABEL: func.func @kernel(
// CHECK-SAME:    %{{.*}}: memref<8xf32> {llvm.dereferenceable = 32 : i64, llvm.noalias, llvm.noundef}
// CHECK-SAME:    %{{.*}}: memref<4xi16> {llvm.dereferenceable = 8 : i64, llvm.noalias, llvm.noundef, llvm.readonly}
// CHECK-SAME:    %{{.*}}: memref<?xf32> {llvm.noalias, llvm.noundef, llvm.readonly}
// CHECK-SAME:    %{{.*}}: index, %{{.*}}: index, %{{.*}}: index)
#n = #tg.var<"n", 1, 8>
func.func @kernel(%out: memref<8xf32>, %a: memref<4xi16>, %b: memref<?xf32>, %begin: index, %end: index, %n: index)
    attributes {tg.outputs = 1 : i64, tg.parallel_extent = 4 : i64, tg.variables = [#n]} {
  return
}

// What works in place may overlap.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %{{.*}}: memref<8xf32> {llvm.dereferenceable = 32 : i64, llvm.noundef}
// CHECK-SAME:    %{{.*}}: memref<8xf32> {llvm.dereferenceable = 32 : i64, llvm.noundef, llvm.readonly}
func.func @in_place(%out: memref<8xf32>, %a: memref<8xf32>, %begin: index, %end: index)
    attributes {tg.in_place, tg.outputs = 1 : i64, tg.parallel_extent = 4 : i64} {
  return
}

// CHECK-LABEL: func.func @other(
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<8xf32>)
func.func @other(%a: memref<8xf32>) {
  return
}

// CHECK-LABEL: func.func private @external(memref<8xf32>)
func.func private @external(memref<8xf32>)

// Sizes of elements that LLVM decides are not known.
// CHECK-LABEL: func.func @indices(
// CHECK-SAME:    %{{[a-z0-9]+}}: memref<4xindex> {llvm.noalias, llvm.noundef})
func.func @indices(%a: memref<4xindex>) attributes {tg.outputs = 1 : i64} {
  return
}

// Memory that may be smaller than its type: what there is in every launch.
// CHECK-LABEL: func.func @leading(
// CHECK-SAME:    %{{.*}}: memref<8xf32> {llvm.dereferenceable = 8 : i64, llvm.noalias, llvm.noundef}
// CHECK-SAME:    %{{.*}}: memref<8xf32> {llvm.noalias, llvm.noundef, llvm.readonly}
func.func @leading(%out: memref<8xf32> {tg.launched_elements = [#tg.var<"m", 2, 8>], tg.least_elements = 2 : i64}, %a: memref<8xf32> {tg.least_elements = 0 : i64}, %begin: index, %end: index)
    attributes {tg.outputs = 1 : i64, tg.parallel_extent = 4 : i64} {
  return
}
