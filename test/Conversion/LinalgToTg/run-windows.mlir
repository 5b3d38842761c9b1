// RUN: tg-opt %s --convert-linalg-to-tg -o %t
// RUN: tg-run %t --interpret --print | FileCheck %s
// RUN: tg-run %t --print | FileCheck %s

// Convolutions and pooling with strides and dilations, in both layouts.

// CHECK: result 0: tensor<1x2x2x2xf32> = {{\[}}{{\[}}{{\[}}[10, 11], [-6, -5]], {{\[}}[-14, 2], [3, 5]]]]
// CHECK-NEXT: result 1: tensor<1x2x2x2xf32> = {{\[}}{{\[}}{{\[}}[13, 10], [-9, -12]], {{\[}}[5, 6], [-11, 18]]]]
// CHECK-NEXT: result 2: tensor<1x2x2x2xf32> = {{\[}}{{\[}}{{\[}}[10, -14], [11, 2]], {{\[}}[-6, 3], [-5, 5]]]]
// CHECK-NEXT: result 3: tensor<1x2x2x2xf32> = {{\[}}{{\[}}{{\[}}[11, -1], [-2, -4]], {{\[}}[2, -2], [-4, -5]]]]
// CHECK-NEXT: result 4: tensor<1x2x2x2xf32> = {{\[}}{{\[}}{{\[}}[3, 1], [3, 2]], {{\[}}[2, 3], [3, 3]]]]
// CHECK-NEXT: result 5: tensor<1x2x2x2xf32> = {{\[}}{{\[}}{{\[}}[0, -2], [-3, 2]], {{\[}}[2, 0], [6, -3]]]]
// CHECK-NEXT: result 6: tensor<1x2x2x2xf32> = {{\[}}{{\[}}{{\[}}[-3, -1], [-2, -3]], {{\[}}[-3, 0], [-1, -3]]]]
func.func @main(
    %x: tensor<1x2x5x5xf32> {tg.input = dense<[[[[-3., -2., -1., 0., 1.], [2., 3., -3., -2., -1.], [0., 1., 2., 3., -3.], [-2., -1., 0., 1., 2.], [3., -3., -2., -1., 0.]], [[1., 2., 3., -3., -2.], [-1., 0., 1., 2., 3.], [-3., -2., -1., 0., 1.], [2., 3., -3., -2., -1.], [0., 1., 2., 3., -3.]]]]> : tensor<1x2x5x5xf32>},
    %k: tensor<2x2x2x2xf32> {tg.input = dense<[[[[-2., -1.], [0., 1.]], [[2., -2.], [-1., 0.]]], [[[1., 2.], [-2., -1.]], [[0., 1.], [2., -2.]]]]> : tensor<2x2x2x2xf32>},
    %d: tensor<2x2x2xf32> {tg.input = dense<[[[-2., 2.], [-1., -2.]], [[0., -1.], [1., 0.]]]> : tensor<2x2x2xf32>})
    -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %z = arith.constant dense<0.0> : tensor<1x2x2x2xf32>
  %0 = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<1x2x5x5xf32>, tensor<2x2x2x2xf32>) outs(%z : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %1 = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<3> : tensor<2xi64>}
      ins(%x, %k : tensor<1x2x5x5xf32>, tensor<2x2x2x2xf32>) outs(%z : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %ex = tensor.empty() : tensor<1x5x5x2xf32>
  %xn = linalg.transpose ins(%x : tensor<1x2x5x5xf32>) outs(%ex : tensor<1x5x5x2xf32>) permutation = [0, 2, 3, 1]
  %ek = tensor.empty() : tensor<2x2x2x2xf32>
  %kn = linalg.transpose ins(%k : tensor<2x2x2x2xf32>) outs(%ek : tensor<2x2x2x2xf32>) permutation = [2, 3, 1, 0]
  %2 = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%xn, %kn : tensor<1x5x5x2xf32>, tensor<2x2x2x2xf32>) outs(%z : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %3 = linalg.depthwise_conv_2d_nhwc_hwc {strides = dense<3> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%xn, %d : tensor<1x5x5x2xf32>, tensor<2x2x2xf32>) outs(%z : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  // The window is only a shape.
  %w = tensor.empty() : tensor<2x2xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1x2x2x2xf32>
  %4 = linalg.pooling_nchw_max {strides = dense<3> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x2x5x5xf32>, tensor<2x2xf32>) outs(%low : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %5 = linalg.pooling_nchw_sum {strides = dense<3> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x2x5x5xf32>, tensor<2x2xf32>) outs(%z : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  %high = arith.constant dense<0x7F800000> : tensor<1x2x2x2xf32>
  %6 = linalg.pooling_nhwc_min {strides = dense<3> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%xn, %w : tensor<1x5x5x2xf32>, tensor<2x2xf32>) outs(%high : tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}
