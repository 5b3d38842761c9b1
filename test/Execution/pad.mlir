// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Zeros, or false, around the operand; an empty one is nothing but zeros.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
    %b: tensor<1xi1> {tg.input = dense<[true]> : tensor<1xi1>},
    %e: tensor<0xf32> {tg.input = dense<> : tensor<0xf32>},
    %p: tensor<1xf8E4M3FNUZ> {tg.input = dense<[1.0]> : tensor<1xf8E4M3FNUZ>})
    -> (tensor<3x5xi32>, tensor<3xi1>, tensor<3xf32>, tensor<3xf8E4M3FNUZ>) {
  %0 = tg.pad %x low [1, 0] high [0, 2] : tensor<2x3xi32> -> tensor<3x5xi32>
  %1 = tg.pad %b low [1] high [1] : tensor<1xi1> -> tensor<3xi1>
  %2 = tg.pad %e low [1] high [2] : tensor<0xf32> -> tensor<3xf32>
  %3 = tg.pad %p low [2] high [0] : tensor<1xf8E4M3FNUZ> -> tensor<3xf8E4M3FNUZ>
  return %0, %1, %2, %3
      : tensor<3x5xi32>, tensor<3xi1>, tensor<3xf32>, tensor<3xf8E4M3FNUZ>
}

// CHECK: result 0: tensor<3x5xi32> = {{\[\[}}0, 0, 0, 0, 0], [1, 2, 3, 0, 0], [4, 5, 6, 0, 0]]
// CHECK-NEXT: result 1: tensor<3xi1> = [false, true, false]
// CHECK-NEXT: result 2: tensor<3xf32> = [0, 0, 0]
// CHECK-NEXT: result 3: tensor<3xf8E4M3FNUZ> = [0, 0, 1]
