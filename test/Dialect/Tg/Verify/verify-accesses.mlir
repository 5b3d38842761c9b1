// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-schedule-pipeline --tg-verify-accesses=print-counts=true -o %t | FileCheck %s
// RUN: tg-opt %s -split-input-file --tg-schedule-pipeline --tg-optimize-pipeline --tg-verify-accesses=print-counts=true -o %t | FileCheck %s

// Kernels of graphs with masks and symbolic sizes stay inside of their buffers,
// before and after optimization.

// CHECK: proved access: {{[1-9]}}
func.func @pad_of_pad(%x: tensor<4x6xf32>) -> tensor<9x12xf32> {
  %0 = tg.pad %x low [1, 0] high [1, 2] : tensor<4x6xf32> -> tensor<6x8xf32>
  %1 = tg.neg %0 : tensor<6x8xf32>
  %2 = tg.pad %1 low [0, 3] high [3, 1] : tensor<6x8xf32> -> tensor<9x12xf32>
  return %2 : tensor<9x12xf32>
}

// -----

// CHECK: proved access: {{[1-9]}}
func.func @pad_then_shrink(%x: tensor<5x7xf32>) -> tensor<6x6xf32> {
  %0 = tg.pad %x low [2, 3] high [2, 1] : tensor<5x7xf32> -> tensor<9x11xf32>
  %1 = tg.exp2 %0 : tensor<9x11xf32>
  %2 = tg.shrink %1 from [1, 2] to [7, 8] : tensor<9x11xf32> -> tensor<6x6xf32>
  return %2 : tensor<6x6xf32>
}

// -----

// CHECK: proved access: {{[1-9]}}
func.func @overlapping_pads(%x: tensor<4xf32>, %y: tensor<5xf32>) -> tensor<7xf32> {
  %0 = tg.pad %x low [0] high [3] : tensor<4xf32> -> tensor<7xf32>
  %1 = tg.pad %y low [2] high [0] : tensor<5xf32> -> tensor<7xf32>
  %2 = tg.add %0, %1 : tensor<7xf32>
  return %2 : tensor<7xf32>
}

// -----

// CHECK: proved access: {{[1-9]}}
func.func @reshape_across_pad(%x: tensor<3x5xf32>) -> tensor<8x4xf32> {
  %0 = tg.pad %x low [0, 1] high [1, 2] : tensor<3x5xf32> -> tensor<4x8xf32>
  %1 = tg.reshape %0 : tensor<4x8xf32> -> tensor<2x16xf32>
  %2 = tg.permute %1 [1, 0] : tensor<2x16xf32> -> tensor<16x2xf32>
  %3 = tg.reshape %2 : tensor<16x2xf32> -> tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}

// -----

// CHECK: proved access: {{[1-9]}}
func.func @windows(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %0 = tg.pad %x low [1, 1] high [2, 2] : tensor<9x9xf32> -> tensor<12x12xf32>
  %1 = tg.shrink %0 from [0, 1] to [9, 10] : tensor<12x12xf32> -> tensor<9x9xf32>
  %2 = tg.shrink %0 from [2, 0] to [11, 9] : tensor<12x12xf32> -> tensor<9x9xf32>
  %3 = tg.add %1, %2 : tensor<9x9xf32>
  return %3 : tensor<9x9xf32>
}

// -----

// A row of a table by a number from memory.

// CHECK: proved access: {{[1-9]}}
func.func @gather(%table: tensor<100x4xf32>, %index: tensor<8xi64>) -> tensor<8x4xf32> {
  %0 = tg.iota 0 : tensor<100xi64>
  %1 = tg.reshape %0 : tensor<100xi64> -> tensor<1x100x1xi64>
  %2 = tg.expand %1 : tensor<1x100x1xi64> -> tensor<8x100x4xi64>
  %3 = tg.reshape %index : tensor<8xi64> -> tensor<8x1x1xi64>
  %4 = tg.expand %3 : tensor<8x1x1xi64> -> tensor<8x100x4xi64>
  %5 = tg.cmpeq %2, %4 : tensor<8x100x4xi64>
  %6 = tg.reshape %table : tensor<100x4xf32> -> tensor<1x100x4xf32>
  %7 = tg.expand %6 : tensor<1x100x4xf32> -> tensor<8x100x4xf32>
  %8 = tg.const(0.0 : f32) : tensor<8x100x4xf32>
  %9 = tg.where %5, %7, %8 : tensor<8x100x4xf32>
  %10 = tg.reduce add %9 axes [1] : tensor<8x100x4xf32> -> tensor<8x1x4xf32>
  %11 = tg.reshape %10 : tensor<8x1x4xf32> -> tensor<8x4xf32>
  return %11 : tensor<8x4xf32>
}

// -----

// CHECK: proved access: {{[1-9]}}
func.func @symbolic_rows(%x: tensor<?x3xf32, #tg.shape<#tg.var<"n", 1, 20>, 3>>) -> tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 20>, 5>>> {
  %0 = tg.pad %x low [0, 1] high [0, 1] : tensor<?x3xf32, #tg.shape<#tg.var<"n", 1, 20>, 3>> -> tensor<?x5xf32, #tg.shape<#tg.var<"n", 1, 20>, 5>>
  %1 = tg.reshape %0 : tensor<?x5xf32, #tg.shape<#tg.var<"n", 1, 20>, 5>> -> tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 20>, 5>>>
  return %1 : tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 20>, 5>>>
}

// -----

// CHECK: proved access: {{[1-9]}}
func.func @symbolic_columns(%x: tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 20>>>) -> tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 20>, 4>>> {
  %0 = tg.permute %x [1, 0] : tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 20>>> -> tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 20>, 4>>
  %1 = tg.neg %0 : tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 20>, 4>>
  %2 = tg.reshape %1 : tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 20>, 4>> -> tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 20>, 4>>>
  return %2 : tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 20>, 4>>>
}

// -----

// CHECK: proved access: {{[1-9]}}
func.func @symbolic_sum(%x: tensor<?x8xf32, #tg.shape<#tg.var<"n", 1, 20>, 8>>) -> tensor<8xf32> {
  %0 = tg.pad %x low [2, 0] high [0, 0] : tensor<?x8xf32, #tg.shape<#tg.var<"n", 1, 20>, 8>> -> tensor<?x8xf32, #tg.shape<#tg.dim<add, #tg.var<"n", 1, 20>, 2>, 8>>
  %1 = tg.exp2 %0 : tensor<?x8xf32, #tg.shape<#tg.dim<add, #tg.var<"n", 1, 20>, 2>, 8>>
  %2 = tg.reduce add %1 axes [0] : tensor<?x8xf32, #tg.shape<#tg.dim<add, #tg.var<"n", 1, 20>, 2>, 8>> -> tensor<1x8xf32>
  %3 = tg.reshape %2 : tensor<1x8xf32> -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// Memory of callers is as large as the actual size, in masked accesses and in
// vectors.

// CHECK: proved access: {{[1-9]}}
func.func @leading_rows(%x: tensor<?x8xf32, #tg.shape<#tg.var<"n", 1, 20>, 8>>) -> (tensor<?x8xf32, #tg.shape<#tg.var<"n", 1, 20>, 8>>, tensor<?x1xf32, #tg.shape<#tg.var<"n", 1, 20>, 1>>) {
  %0 = tg.exp2 %x : tensor<?x8xf32, #tg.shape<#tg.var<"n", 1, 20>, 8>>
  %1 = tg.reduce add %0 axes [1] : tensor<?x8xf32, #tg.shape<#tg.var<"n", 1, 20>, 8>> -> tensor<?x1xf32, #tg.shape<#tg.var<"n", 1, 20>, 1>>
  return %0, %1 : tensor<?x8xf32, #tg.shape<#tg.var<"n", 1, 20>, 8>>, tensor<?x1xf32, #tg.shape<#tg.var<"n", 1, 20>, 1>>
}
