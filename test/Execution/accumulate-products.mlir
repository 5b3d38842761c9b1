// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// A few rows times a matrix of 32 MiB, whose rows are read once for all of them:
// results are accumulated in memory. There are rows of the matrix behind the last
// part, and columns that do not fill vectors. Numbers are small, so that the order
// of additions does not matter. That which is printed depends on the places of all
// results.
// CHECK: result 0: tensor<1xi64> = {{\[}}877432426632]
func.func @main() -> tensor<1xi64> {
  %ai = tg.iota 0 : tensor<3x1091xi32>
  %aj = tg.iota 1 : tensor<3x1091xi32>
  %ac = tg.const(7 : i32) : tensor<3x1091xi32>
  %aq = tg.const(5 : i32) : tensor<3x1091xi32>
  %am = tg.mul %ai, %ac : tensor<3x1091xi32>
  %as = tg.add %am, %aj : tensor<3x1091xi32>
  %ar = tg.floormod %as, %aq : tensor<3x1091xi32>
  %af = tg.cast %ar : tensor<3x1091xi32> -> tensor<3x1091xf32>
  %a = tg.contiguous %af : tensor<3x1091xf32>
  %bi = tg.iota 0 : tensor<1091x7717xi32>
  %bj = tg.iota 1 : tensor<1091x7717xi32>
  %bc = tg.const(3 : i32) : tensor<1091x7717xi32>
  %bq = tg.const(4 : i32) : tensor<1091x7717xi32>
  %bm = tg.mul %bi, %bc : tensor<1091x7717xi32>
  %bs = tg.add %bm, %bj : tensor<1091x7717xi32>
  %br = tg.floormod %bs, %bq : tensor<1091x7717xi32>
  %bf = tg.cast %br : tensor<1091x7717xi32> -> tensor<1091x7717xf32>
  %b = tg.contiguous %bf : tensor<1091x7717xf32>
  %a3 = tg.reshape %a : tensor<3x1091xf32> -> tensor<3x1091x1xf32>
  %ae = tg.expand %a3 : tensor<3x1091x1xf32> -> tensor<3x1091x7717xf32>
  %b3 = tg.reshape %b : tensor<1091x7717xf32> -> tensor<1x1091x7717xf32>
  %be = tg.expand %b3 : tensor<1x1091x7717xf32> -> tensor<3x1091x7717xf32>
  %p = tg.mul %ae, %be : tensor<3x1091x7717xf32>
  %t = tg.reduce add %p axes [1] : tensor<3x1091x7717xf32> -> tensor<3x1x7717xf32>
  %u = tg.reshape %t : tensor<3x1x7717xf32> -> tensor<23151xf32>
  %l = tg.cast %u : tensor<23151xf32> -> tensor<23151xi64>
  %w = tg.iota 0 : tensor<23151xi64>
  %x = tg.mul %l, %w : tensor<23151xi64>
  %o = tg.reduce add %x axes [0] : tensor<23151xi64> -> tensor<1xi64>
  return %o : tensor<1xi64>
}
