// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The gradient of a layer's weights, and the weights after a step: a deep product
// with a transposed factor, which is added up in passes. Numbers are small, so that
// the order of additions does not matter. The number that is printed depends on the
// places of all results.
// CHECK: result 0: tensor<1xi64> = {{\[}}-65219202240]
func.func @main() -> tensor<1xi64> {
  %ai = tg.iota 0 : tensor<3072x64xi32>
  %aj = tg.iota 1 : tensor<3072x64xi32>
  %ac = tg.const(7 : i32) : tensor<3072x64xi32>
  %aq = tg.const(5 : i32) : tensor<3072x64xi32>
  %am = tg.mul %ai, %ac : tensor<3072x64xi32>
  %as = tg.add %am, %aj : tensor<3072x64xi32>
  %ar = tg.floormod %as, %aq : tensor<3072x64xi32>
  %af = tg.cast %ar : tensor<3072x64xi32> -> tensor<3072x64xf32>
  %a = tg.contiguous %af : tensor<3072x64xf32>
  %bi = tg.iota 0 : tensor<3072x72xi32>
  %bj = tg.iota 1 : tensor<3072x72xi32>
  %bc = tg.const(3 : i32) : tensor<3072x72xi32>
  %bq = tg.const(4 : i32) : tensor<3072x72xi32>
  %bm = tg.mul %bi, %bc : tensor<3072x72xi32>
  %bs = tg.add %bm, %bj : tensor<3072x72xi32>
  %br = tg.floormod %bs, %bq : tensor<3072x72xi32>
  %bf = tg.cast %br : tensor<3072x72xi32> -> tensor<3072x72xf32>
  %b = tg.contiguous %bf : tensor<3072x72xf32>
  %at = tg.permute %a [1, 0] : tensor<3072x64xf32> -> tensor<64x3072xf32>
  %a3 = tg.reshape %at : tensor<64x3072xf32> -> tensor<64x1x3072xf32>
  %ae = tg.expand %a3 : tensor<64x1x3072xf32> -> tensor<64x72x3072xf32>
  %bt = tg.permute %b [1, 0] : tensor<3072x72xf32> -> tensor<72x3072xf32>
  %b3 = tg.reshape %bt : tensor<72x3072xf32> -> tensor<1x72x3072xf32>
  %be = tg.expand %b3 : tensor<1x72x3072xf32> -> tensor<64x72x3072xf32>
  %p = tg.mul %ae, %be : tensor<64x72x3072xf32>
  %s = tg.reduce add %p axes [2] : tensor<64x72x3072xf32> -> tensor<64x72x1xf32>
  %g = tg.reshape %s : tensor<64x72x1xf32> -> tensor<4608xf32>
  %wi = tg.iota 0 : tensor<4608xi32>
  %wf = tg.cast %wi : tensor<4608xi32> -> tensor<4608xf32>
  %w = tg.contiguous %wf : tensor<4608xf32>
  %u = tg.sub %w, %g : tensor<4608xf32>
  %l = tg.cast %u : tensor<4608xf32> -> tensor<4608xi64>
  %v = tg.iota 0 : tensor<4608xi64>
  %lw = tg.mul %l, %v : tensor<4608xi64>
  %check = tg.reduce add %lw axes [0] : tensor<4608xi64> -> tensor<1xi64>
  return %check : tensor<1xi64>
}
