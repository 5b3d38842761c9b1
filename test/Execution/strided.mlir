// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// RUN: env NOOPT=1 tg-run %s --print | FileCheck %s
// RUN: env SPEC=2 CACHELEVEL=0 tg-run %s --print | FileCheck %s
// RUN: tg-opt %s --tg-compose-views --canonicalize | tg-run --interpret --print - | FileCheck %s

// Overlapping windows, an order that takes two views, a mask on both of two
// views, a view of a computed tensor, and zeros alone.

// CHECK: result 0: tensor<3x3xi32> = {{\[}}[1, 2, 3], [2, 3, 4], [3, 4, 5]]
// CHECK: result 1: tensor<3x2xi32> = {{\[}}[1, 4], [2, 5], [3, 6]]
// CHECK: result 2: tensor<2x5xi32> = {{\[}}[0, 0, 1, 2, 0], [0, 4, 5, 0, 0]]
// CHECK: result 3: tensor<2x3xi32> = {{\[}}[-6, -5, -4], [-3, -2, -1]]
// CHECK: result 4: tensor<2xi32> = [0, 0]
func.func @main(%x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>})
    -> (tensor<3x3xi32>, tensor<3x2xi32>, tensor<2x5xi32>, tensor<2x3xi32>, tensor<2xi32>) {
  %0 = tg.strided %x [#tg.view<[3, 3] strides [1, 1]>] : tensor<2x3xi32> -> tensor<3x3xi32>
  %1 = tg.strided %x [#tg.view<[3, 2] strides [1, 3]>] : tensor<2x3xi32> -> tensor<3x2xi32>
  %2 = tg.strided %x [#tg.view<[2, 4] strides [3, 1] offset -1 mask [0 to 2, 1 to 3]>, #tg.view<[10] strides [1] offset -1 mask [1 to 9]>, #tg.view<[2, 5] strides [5, 1]>]
      : tensor<2x3xi32> -> tensor<2x5xi32>
  %n = tg.neg %x : tensor<2x3xi32>
  %3 = tg.strided %n [#tg.view<[2, 3] strides [-3, -1] offset 5>] : tensor<2x3xi32> -> tensor<2x3xi32>
  %4 = tg.strided %n [#tg.view<[2] strides [0] mask [0 to 0]>] : tensor<2x3xi32> -> tensor<2xi32>
  return %0, %1, %2, %3, %4 : tensor<3x3xi32>, tensor<3x2xi32>, tensor<2x5xi32>, tensor<2x3xi32>, tensor<2xi32>
}
