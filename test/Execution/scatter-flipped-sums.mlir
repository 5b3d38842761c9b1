// Rows that are read from the last to the first, with a maximum of each, written
// where an index says: such writes stay in the order of the rows.

// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: env FALLBACK=0 tg-run %s --print | FileCheck %s
// RUN: env NOOPT=1 tg-run %s --print | FileCheck %s
// RUN: env FALLBACK=0 tg-run %s --device=SIM --print | FileCheck %s

// CHECK: result 0: tensor<1x4x4xi32> = {{\[\[\[}}54, 56, 58, 60], [46, 48, 50, 52], [38, 40, 42, 44], [30, 32, 34, 36]]]
func.func @main(%x: tensor<1x4x4xi32> {tg.input = dense<0> : tensor<1x4x4xi32>},
                %i: tensor<1xi32> {tg.input = dense<0> : tensor<1xi32>},
                %y: tensor<4x4xi32> {tg.input = dense<[[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]> : tensor<4x4xi32>})
    -> tensor<1x4x4xi32> {
  %0 = tg.reshape %i : tensor<1xi32> -> tensor<1x1x1xi32>
  %1 = tg.expand %0 : tensor<1x1x1xi32> -> tensor<1x4x4xi32>
  %2 = tg.flip %y axes [0] : tensor<4x4xi32>
  %3 = tg.reduce max %2 axes [0] : tensor<4x4xi32> -> tensor<1x4xi32>
  %4 = tg.expand %3 : tensor<1x4xi32> -> tensor<4x4xi32>
  %5 = tg.add %2, %4 : tensor<4x4xi32>
  %6 = tg.reduce max %5 axes [1] : tensor<4x4xi32> -> tensor<4x1xi32>
  %7 = tg.expand %6 : tensor<4x1xi32> -> tensor<4x4xi32>
  %8 = tg.add %5, %7 : tensor<4x4xi32>
  %9 = tg.reshape %8 : tensor<4x4xi32> -> tensor<1x4x4xi32>
  %10 = tg.scatter set %x[%1], %9 axis 0 : tensor<1x4x4xi32>, tensor<1x4x4xi32>, tensor<1x4x4xi32>
  %11 = tg.assign %x, %10 : tensor<1x4x4xi32>
  return %11 : tensor<1x4x4xi32>
}
