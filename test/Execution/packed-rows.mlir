// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// RUN: env THREADS=1 tg-run %s --print | FileCheck %s
// RUN: env THREADS=2 tg-run %s --print | FileCheck %s

// A product with a transposed left factor, of which some processors pack groups
// of rows: tiles, groups and columns have a rest. A thread packs the columns of
// a block once, those of the last, narrower block too. Numbers are small, so that
// the order of additions does not matter. The number that is printed depends on
// the places of all results.
// CHECK: result 0: tensor<1xi64> = {{\[}}5038013975]
func.func @main() -> tensor<1xi64> {
  %ai = tg.iota 0 : tensor<410x512xi32>
  %aj = tg.iota 1 : tensor<410x512xi32>
  %ac = tg.const(7 : i32) : tensor<410x512xi32>
  %aq = tg.const(5 : i32) : tensor<410x512xi32>
  %am = tg.mul %ai, %ac : tensor<410x512xi32>
  %as = tg.add %am, %aj : tensor<410x512xi32>
  %ar = tg.floormod %as, %aq : tensor<410x512xi32>
  %af = tg.cast %ar : tensor<410x512xi32> -> tensor<410x512xf32>
  %a = tg.contiguous %af : tensor<410x512xf32>
  %bi = tg.iota 0 : tensor<410x500xi32>
  %bj = tg.iota 1 : tensor<410x500xi32>
  %bc = tg.const(3 : i32) : tensor<410x500xi32>
  %bq = tg.const(7 : i32) : tensor<410x500xi32>
  %bm = tg.mul %bi, %bc : tensor<410x500xi32>
  %bs = tg.add %bm, %bj : tensor<410x500xi32>
  %br = tg.floormod %bs, %bq : tensor<410x500xi32>
  %bf = tg.cast %br : tensor<410x500xi32> -> tensor<410x500xf32>
  %b = tg.contiguous %bf : tensor<410x500xf32>
  %a3 = tg.reshape %a : tensor<410x512xf32> -> tensor<410x512x1xf32>
  %ae = tg.expand %a3 : tensor<410x512x1xf32> -> tensor<410x512x500xf32>
  %b3 = tg.reshape %b : tensor<410x500xf32> -> tensor<410x1x500xf32>
  %be = tg.expand %b3 : tensor<410x1x500xf32> -> tensor<410x512x500xf32>
  %p = tg.mul %ae, %be : tensor<410x512x500xf32>
  %s = tg.reduce add %p axes [0] : tensor<410x512x500xf32> -> tensor<1x512x500xf32>
  %c = tg.contiguous %s : tensor<1x512x500xf32>
  %ci = tg.cast %c : tensor<1x512x500xf32> -> tensor<1x512x500xi64>
  %w = tg.iota 2 : tensor<1x512x500xi64>
  %v = tg.iota 1 : tensor<1x512x500xi64>
  %k = tg.const(11 : i64) : tensor<1x512x500xi64>
  %vk = tg.mul %v, %k : tensor<1x512x500xi64>
  %vw = tg.add %vk, %w : tensor<1x512x500xi64>
  %q = tg.const(17 : i64) : tensor<1x512x500xi64>
  %vq = tg.floormod %vw, %q : tensor<1x512x500xi64>
  %cw = tg.mul %ci, %vq : tensor<1x512x500xi64>
  %t = tg.reduce add %cw axes [0, 1, 2] : tensor<1x512x500xi64> -> tensor<1x1x1xi64>
  %r = tg.reshape %t : tensor<1x1x1xi64> -> tensor<1xi64>
  return %r : tensor<1xi64>
}
