// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// A product of matrices whose sums are divided into parts, with some positions
// left over. Numbers are small, so that the order of additions does not matter.
// The number that is printed depends on the places of all results.
// CHECK: result 0: tensor<1xi64> = {{\[}}12740832000]
func.func @main() -> tensor<1xi64> {
  %ai = tg.iota 0 : tensor<20x4099xi32>
  %aj = tg.iota 1 : tensor<20x4099xi32>
  %ac = tg.const(7 : i32) : tensor<20x4099xi32>
  %aq = tg.const(5 : i32) : tensor<20x4099xi32>
  %am = tg.mul %ai, %ac : tensor<20x4099xi32>
  %as = tg.add %am, %aj : tensor<20x4099xi32>
  %ar = tg.floormod %as, %aq : tensor<20x4099xi32>
  %af = tg.cast %ar : tensor<20x4099xi32> -> tensor<20x4099xf32>
  %a = tg.contiguous %af : tensor<20x4099xf32>
  %bi = tg.iota 0 : tensor<4099x72xi32>
  %bj = tg.iota 1 : tensor<4099x72xi32>
  %bc = tg.const(3 : i32) : tensor<4099x72xi32>
  %bq = tg.const(4 : i32) : tensor<4099x72xi32>
  %bm = tg.mul %bi, %bc : tensor<4099x72xi32>
  %bs = tg.add %bm, %bj : tensor<4099x72xi32>
  %br = tg.floormod %bs, %bq : tensor<4099x72xi32>
  %bf = tg.cast %br : tensor<4099x72xi32> -> tensor<4099x72xf32>
  %b = tg.contiguous %bf : tensor<4099x72xf32>
  %a3 = tg.reshape %a : tensor<20x4099xf32> -> tensor<20x1x4099xf32>
  %ae = tg.expand %a3 : tensor<20x1x4099xf32> -> tensor<20x72x4099xf32>
  %bt = tg.permute %b [1, 0] : tensor<4099x72xf32> -> tensor<72x4099xf32>
  %b3 = tg.reshape %bt : tensor<72x4099xf32> -> tensor<1x72x4099xf32>
  %be = tg.expand %b3 : tensor<1x72x4099xf32> -> tensor<20x72x4099xf32>
  %p = tg.mul %ae, %be : tensor<20x72x4099xf32>
  %s = tg.reduce add %p axes [2] : tensor<20x72x4099xf32> -> tensor<20x72x1xf32>
  %flat = tg.reshape %s : tensor<20x72x1xf32> -> tensor<1440xf32>
  %l = tg.cast %flat : tensor<1440xf32> -> tensor<1440xi64>
  %w = tg.iota 0 : tensor<1440xi64>
  %lw = tg.mul %l, %w : tensor<1440xi64>
  %check = tg.reduce add %lw axes [0] : tensor<1440xi64> -> tensor<1xi64>
  return %check : tensor<1xi64>
}
