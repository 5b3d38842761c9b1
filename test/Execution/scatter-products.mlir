// A product of products, whose results are rows of another length and are written
// where an index says, both to the same place: the last of these rows stays. No
// tiles: they would write results in another order.

// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: env FALLBACK=0 tg-run %s --print | FileCheck %s
// RUN: env NOOPT=1 tg-run %s --print | FileCheck %s
// RUN: env FALLBACK=0 tg-run %s --device=SIM --print | FileCheck %s

// CHECK: result 0: tensor<4x8xf32> = {{\[\[}}0, 1, 2, -1, 3, 0, 1, 2], [-64, 64, 64, 51, 64, -64, 51, 64], [2, 0, 0, 1, -1, 2, 1, 0], [0, -3, 1, 1, 0, 0, 2, 1]]
func.func @main(%arg0: tensor<4x8xf32> {tg.input = dense<[[0.0, 1.0, 2.0, -1.0, 3.0, 0.0, 1.0, 2.0], [1.0, 1.0, -2.0, 0.0, 0.0, 1.0, 0.0, -1.0], [2.0, 0.0, 0.0, 1.0, -1.0, 2.0, 1.0, 0.0], [0.0, -3.0, 1.0, 1.0, 0.0, 0.0, 2.0, 1.0]]> : tensor<4x8xf32>},
                %arg1: tensor<2xi32> {tg.input = dense<[1, 1]> : tensor<2xi32>}) -> tensor<4x8xf32> {
  %0 = tg.const(0 : i32) : tensor<2xi32>
  %1 = tg.cmplt %arg1, %0 : tensor<2xi32>
  %2 = tg.const(4 : i32) : tensor<2xi32>
  %3 = tg.add %arg1, %2 : tensor<2xi32>
  %4 = tg.where %1, %3, %arg1 : tensor<2xi32>
  %5 = tg.reshape %4 : tensor<2xi32> -> tensor<2x1xi32>
  %6 = tg.expand %5 : tensor<2x1xi32> -> tensor<2x8xi32>
  %7 = tg.const(6.400000e+01 : f32) : tensor<4x4xf32>
  %8 = tg.const(6.400000e+01 : f32) : tensor<4x8xf32>
  %9 = tg.neg %arg0 : tensor<4x8xf32>
  %10 = tg.const(-7.000000e+00 : f32) : tensor<4x8xf32>
  %11 = tg.max %9, %10 : tensor<4x8xf32>
  %12 = tg.neg %11 : tensor<4x8xf32>
  %13 = tg.const(-6.400000e+01 : f32) : tensor<4x8xf32>
  %14 = tg.cmplt %12, %13 : tensor<4x8xf32>
  %15 = tg.where %14, %13, %12 : tensor<4x8xf32>
  %16 = tg.cmplt %8, %15 : tensor<4x8xf32>
  %17 = tg.where %16, %8, %15 : tensor<4x8xf32>
  %18 = tg.reshape %17 : tensor<4x8xf32> -> tensor<4x1x8xf32>
  %19 = tg.expand %18 : tensor<4x1x8xf32> -> tensor<4x4x8xf32>
  %20 = tg.permute %17 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %21 = tg.permute %20 [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  %22 = tg.reshape %21 : tensor<4x8xf32> -> tensor<1x4x8xf32>
  %23 = tg.expand %22 : tensor<1x4x8xf32> -> tensor<4x4x8xf32>
  %24 = tg.mul %19, %23 : tensor<4x4x8xf32>
  %25 = tg.reduce add %24 axes [2] : tensor<4x4x8xf32> -> tensor<4x4x1xf32>
  %26 = tg.reshape %25 : tensor<4x4x1xf32> -> tensor<4x4xf32>
  %27 = tg.const(-6.400000e+01 : f32) : tensor<4x4xf32>
  %28 = tg.cmplt %26, %27 : tensor<4x4xf32>
  %29 = tg.where %28, %27, %26 : tensor<4x4xf32>
  %30 = tg.cmplt %7, %29 : tensor<4x4xf32>
  %31 = tg.where %30, %7, %29 : tensor<4x4xf32>
  %32 = tg.reshape %31 : tensor<4x4xf32> -> tensor<4x1x4xf32>
  %33 = tg.expand %32 : tensor<4x1x4xf32> -> tensor<4x4x4xf32>
  %34 = tg.permute %31 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %35 = tg.permute %34 [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  %36 = tg.reshape %35 : tensor<4x4xf32> -> tensor<1x4x4xf32>
  %37 = tg.expand %36 : tensor<1x4x4xf32> -> tensor<4x4x4xf32>
  %38 = tg.mul %33, %37 : tensor<4x4x4xf32>
  %39 = tg.reduce add %38 axes [2] : tensor<4x4x4xf32> -> tensor<4x4x1xf32>
  %40 = tg.reshape %39 : tensor<4x4x1xf32> -> tensor<4x4xf32>
  %41 = tg.cmplt %40, %27 : tensor<4x4xf32>
  %42 = tg.where %41, %27, %40 : tensor<4x4xf32>
  %43 = tg.cmplt %7, %42 : tensor<4x4xf32>
  %44 = tg.where %43, %7, %42 : tensor<4x4xf32>
  %45 = tg.reshape %44 : tensor<4x4xf32> -> tensor<2x8xf32>
  %46 = tg.scatter set %arg0[%6], %45 axis 0 : tensor<4x8xf32>, tensor<2x8xi32>, tensor<2x8xf32>
  return %46 : tensor<4x8xf32>
}
