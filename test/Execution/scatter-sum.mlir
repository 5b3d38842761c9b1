// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// RUN: env NOOPT=1 SPEC=2 tg-run %s --print | FileCheck %s
// RUN: tg-run %s --print --device=SIM | FileCheck %s

// A product to which rows are added, read in the other order of axes: the rows
// are added to it in memory. A negative zero that nothing is added to becomes a
// positive one.
func.func @main(
    %a: tensor<2x3xf32> {tg.input = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>},
    %b: tensor<3x4xf32> {tg.input = dense<[[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]]> : tensor<3x4xf32>},
    %i: tensor<2x3xi32> {tg.input = dense<[[1, 1, 3], [1, 1, 3]]> : tensor<2x3xi32>},
    %u: tensor<2x3xf32> {tg.input = dense<[[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]> : tensor<2x3xf32>},
    %n: tensor<2xf32> {tg.input = dense<-0.0> : tensor<2xf32>},
    %j: tensor<1xi32> {tg.input = dense<1> : tensor<1xi32>},
    %v: tensor<1xf32> {tg.input = dense<2.0> : tensor<1xf32>})
    -> (tensor<4x2xf32>, tensor<2xf32>) {
  %0 = tg.reshape %a : tensor<2x3xf32> -> tensor<2x3x1xf32>
  %1 = tg.expand %0 : tensor<2x3x1xf32> -> tensor<2x3x4xf32>
  %2 = tg.reshape %b : tensor<3x4xf32> -> tensor<1x3x4xf32>
  %3 = tg.expand %2 : tensor<1x3x4xf32> -> tensor<2x3x4xf32>
  %4 = tg.mul %1, %3 : tensor<2x3x4xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<2x3x4xf32> -> tensor<2x1x4xf32>
  %6 = tg.reshape %5 : tensor<2x1x4xf32> -> tensor<2x4xf32>
  %z = tg.const(0.0 : f32) : tensor<2x4xf32>
  %7 = tg.scatter add %z[%i], %u axis 1 : tensor<2x4xf32>, tensor<2x3xi32>, tensor<2x3xf32>
  %8 = tg.add %6, %7 : tensor<2x4xf32>
  %9 = tg.permute %8 [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
  %zero = tg.const(0.0 : f32) : tensor<2xf32>
  %10 = tg.scatter add %zero[%j], %v axis 0 : tensor<2xf32>, tensor<1xi32>, tensor<1xf32>
  %11 = tg.add %n, %10 : tensor<2xf32>
  %12 = tg.recip %11 : tensor<2xf32>
  return %9, %12 : tensor<4x2xf32>, tensor<2xf32>
}

// CHECK: result 0: tensor<4x2xf32> = {{\[\[}}1, 4], [32, 95], [3, 6], [36, 75]]
// CHECK-NEXT: result 1: tensor<2xf32> = [inf, 0.5]
