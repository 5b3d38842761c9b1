// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// The schedule is admitted (this compiles with every pass verified).
// RUN: tg-fuzz %s
// RUN: env NOOPT=1 SPEC=2 tg-run %s --print | FileCheck %s

// Updates at descending positions are no vectors.
func.func @main(
    %base: tensor<6xf32> {tg.input = dense<0.0> : tensor<6xf32>},
    %updates: tensor<2xf32> {tg.input = dense<[1.0, 2.0]> : tensor<2xf32>}) -> tensor<6x1xf32> {
  %last = tg.const(5 : i32) : tensor<2xi32>
  %position = tg.iota 0 : tensor<2xi32>
  %minus = tg.const(-1 : i32) : tensor<2xi32>
  %back = tg.mul %position, %minus : tensor<2xi32>
  %index = tg.add %last, %back : tensor<2xi32>
  %sums = tg.scatter add %base[%index], %updates axis 0 : tensor<6xf32>, tensor<2xi32>, tensor<2xf32>
  %column = tg.reshape %sums : tensor<6xf32> -> tensor<6x1xf32>
  return %column : tensor<6x1xf32>
}

// CHECK: result 0: tensor<6x1xf32> = {{\[\[}}0], [0], [0], [0], [2], [1]]
