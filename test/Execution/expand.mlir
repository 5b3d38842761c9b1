// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Axes of size 1 are repeated, also no times.
func.func @main(
    %x: tensor<2x1xf32> {tg.input = dense<[[1.0], [2.0]]> : tensor<2x1xf32>},
    %b: tensor<1x1xi1> {tg.input = dense<[[true]]> : tensor<1x1xi1>})
    -> (tensor<2x3xf32>, tensor<2x2xi1>, tensor<2x0xf32>) {
  %0 = tg.expand %x : tensor<2x1xf32> -> tensor<2x3xf32>
  %1 = tg.expand %b : tensor<1x1xi1> -> tensor<2x2xi1>
  %2 = tg.expand %x : tensor<2x1xf32> -> tensor<2x0xf32>
  return %0, %1, %2
      : tensor<2x3xf32>, tensor<2x2xi1>, tensor<2x0xf32>
}

// CHECK: result 0: tensor<2x3xf32> = {{\[\[}}1, 1, 1], [2, 2, 2]]
// CHECK-NEXT: result 1: tensor<2x2xi1> = {{\[\[}}true, true], [true, true]]
// CHECK-NEXT: result 2: tensor<2x0xf32> = {{\[\[}}], []]
