// Views: they survive printing, parsing and bytecode, in one normal form.

// RUN: tg-opt -split-input-file %s | FileCheck %s
// RUN: tg-opt -split-input-file %s | tg-opt -split-input-file | FileCheck %s
// RUN: tg-opt -split-input-file -mlir-print-op-generic %s | tg-opt -split-input-file | FileCheck %s
// RUN: sed -n '1,/^\/\/ -----/p' %s | tg-opt -emit-bytecode | tg-opt | FileCheck --check-prefix=FIRST %s

// CHECK-LABEL: func.func @views
// FIRST-LABEL: func.func @views
func.func @views(%x: tensor<4x6xf32>) {
  // CHECK: tg.strided %{{.*}} [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf32>
  // FIRST: tg.strided %{{.*}} [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf32>
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf32>
  // CHECK: [#tg.view<[6, 6] strides [6, -1] offset -1 mask [1 to 5, 0 to 6]>]
  // FIRST: [#tg.view<[6, 6] strides [6, -1] offset -1 mask [1 to 5, 0 to 6]>]
  %1 = tg.strided %x [#tg.view<[6, 6] strides [6, -1] offset -1 mask [1 to 5, 0 to 6]>] : tensor<4x6xf32> -> tensor<6x6xf32>
  // CHECK: [#tg.view<[6, 4] strides [1, 6]>, #tg.view<[24] strides [1]>]
  // FIRST: [#tg.view<[6, 4] strides [1, 6]>, #tg.view<[24] strides [1]>]
  %2 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>, #tg.view<[24] strides [1]>] : tensor<4x6xf32> -> tensor<24xf32>
  // Overlapping windows, and one element as a tensor of rank 0.
  // CHECK: [#tg.view<[3, 3] strides [1, 1]>]
  %3 = tg.strided %x [#tg.view<[3, 3] strides [1, 1]>] : tensor<4x6xf32> -> tensor<3x3xf32>
  // CHECK: [#tg.view<[] strides [] offset 23>]
  %4 = tg.strided %x [#tg.view<[] strides [] offset 23>] : tensor<4x6xf32> -> tensor<f32>
  return
}

// -----

// The normal form: no mask that always holds, no stride of what is one
// position, nothing of what is not read.

// CHECK-LABEL: func.func @normal_form
func.func @normal_form(%x: tensor<4x6xf32>) {
  // CHECK: [#tg.view<[4, 6] strides [6, 1]>]
  %0 = tg.strided %x [#tg.view<[4, 6] strides [6, 1] offset 0 mask [0 to 4, -1 to 9]>] : tensor<4x6xf32> -> tensor<4x6xf32>
  // CHECK: [#tg.view<[1, 6] strides [0, 1]>]
  %1 = tg.strided %x [#tg.view<[1, 6] strides [77, 1]>] : tensor<4x6xf32> -> tensor<1x6xf32>
  // CHECK: [#tg.view<[4, 6] strides [0, 0] mask [0 to 0, 0 to 0]>]
  %2 = tg.strided %x [#tg.view<[4, 6] strides [6, 1] offset 3 mask [2 to 2, 0 to 6]>] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
#p = #tg.var<"p", 0, 4>

// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%x: tensor<?x4xf32, #tg.shape<#n, 4>>, %y: tensor<8xf32>) {
  // CHECK: [#tg.view<[4, #n] strides [1, 4]>]
  %0 = tg.strided %x [#tg.view<[4, #n] strides [1, 4]>] : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<4x?xf32, #tg.shape<4, #n>>
  // CHECK: [#tg.view<[4] strides [1] offset #p>]
  %1 = tg.strided %y [#tg.view<[4] strides [1] offset #p>] : tensor<8xf32> -> tensor<4xf32>
  // CHECK: [#tg.view<[#n + 2] strides [1] offset -2 mask [2 to #n + 2]>]
  %2 = tg.strided %y [#tg.view<[#tg.dim<add, #n, 2>] strides [1] offset -2 mask [2 to #tg.dim<add, #n, 2>]>] : tensor<8xf32> -> tensor<?xf32, #tg.shape<#tg.dim<add, #n, 2>>>
  return
}
