// Gradients by the compiler and by the interpreter.

// RUN: tg-opt %s --tg-autodiff="wrt=0 wrt=1" -o %t.mlir
// RUN: tg-run %t.mlir --interpret --print > %t.expected
// RUN: tg-run %t.mlir --print > %t.got
// RUN: diff %t.expected %t.got
// RUN: FileCheck %s < %t.got

// The gradient of an overlapping window's sum of products: the input gets the
// reversed window, the window the sums of the input.

// CHECK: result 1: tensor<6xf32> = [1, 11, 111, 111, 110, 100]
// CHECK: result 2: tensor<3xf32> = [10, 14, 18]
func.func @main(
    %x: tensor<6xf32> {tg.input = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>},
    %w: tensor<3xf32> {tg.input = dense<[1.0, 10.0, 100.0]> : tensor<3xf32>}) -> tensor<1x1xf32> {
  %0 = tg.strided %x [#tg.view<[4, 3] strides [1, 1]>] : tensor<6xf32> -> tensor<4x3xf32>
  %1 = tg.reshape %w : tensor<3xf32> -> tensor<1x3xf32>
  %2 = tg.expand %1 : tensor<1x3xf32> -> tensor<4x3xf32>
  %3 = tg.mul %0, %2 : tensor<4x3xf32>
  %4 = tg.reduce add %3 axes [0, 1] : tensor<4x3xf32> -> tensor<1x1xf32>
  return %4 : tensor<1x1xf32>
}
