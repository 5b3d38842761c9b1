// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The values stay as they are.
func.func @main(
    %x: tensor<2x2xf8E4M3FN> {tg.input = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf8E4M3FN>},
    %b: tensor<2xi1> {tg.input = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2x2xf8E4M3FN>, tensor<2xi1>, tensor<2x2xf8E4M3FN>) {
  %0 = tg.copy %x to "CPU" : tensor<2x2xf8E4M3FN>
  %1 = tg.contiguous %b : tensor<2xi1>
  %2 = tg.detach %x : tensor<2x2xf8E4M3FN>
  return %0, %1, %2
      : tensor<2x2xf8E4M3FN>, tensor<2xi1>, tensor<2x2xf8E4M3FN>
}

// CHECK: result 0: tensor<2x2xf8E4M3FN> = {{\[\[}}1, 2], [3, 4]]
// CHECK-NEXT: result 1: tensor<2xi1> = [true, false]
// CHECK-NEXT: result 2: tensor<2x2xf8E4M3FN> = {{\[\[}}1, 2], [3, 4]]
