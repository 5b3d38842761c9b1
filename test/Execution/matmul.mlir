// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// A product of matrices in operations of the dialect: reshape, expand, mul, reduce.
func.func @main(
    %a: tensor<2x3xf32> {tg.input = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>},
    %b: tensor<3x2xf32> {tg.input = dense<[[1.0, 0.0], [0.0, 1.0], [2.0, -1.0]]> : tensor<3x2xf32>})
    -> (tensor<2x2xf32>) {
  %a3 = tg.reshape %a : tensor<2x3xf32> -> tensor<2x1x3xf32>
  %ae = tg.expand %a3 : tensor<2x1x3xf32> -> tensor<2x2x3xf32>
  %t = tg.permute %b [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %b3 = tg.reshape %t : tensor<2x3xf32> -> tensor<1x2x3xf32>
  %be = tg.expand %b3 : tensor<1x2x3xf32> -> tensor<2x2x3xf32>
  %p = tg.mul %ae, %be : tensor<2x2x3xf32>
  %s = tg.reduce add %p axes [2] : tensor<2x2x3xf32> -> tensor<2x2x1xf32>
  %r = tg.reshape %s : tensor<2x2x1xf32> -> tensor<2x2xf32>
  return %r
      : tensor<2x2xf32>
}

// CHECK: result 0: tensor<2x2xf32> = {{\[\[}}7, -1], [16, -1]]
