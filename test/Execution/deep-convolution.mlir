// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The gradient of a convolution by its weights, whose sum over images is divided
// into parts. Numbers are small, so that the order of additions does not matter.
// The number that is printed depends on the places of all results.
// CHECK: result 0: tensor<1xi64> = {{\[}}1339422720]
func.func @main() -> tensor<1xi64> {
  %yp = tg.iota 0 : tensor<153600xi32>
  %ya = tg.const(7 : i32) : tensor<153600xi32>
  %yb = tg.const(3 : i32) : tensor<153600xi32>
  %yc = tg.const(5 : i32) : tensor<153600xi32>
  %ym = tg.mul %yp, %ya : tensor<153600xi32>
  %yd = tg.floordiv %ym, %yb : tensor<153600xi32>
  %yr = tg.floormod %yd, %yc : tensor<153600xi32>
  %yf = tg.cast %yr : tensor<153600xi32> -> tensor<153600xf32>
  %ys = tg.reshape %yf : tensor<153600xf32> -> tensor<96x16x10x10xf32>
  %y = tg.contiguous %ys : tensor<96x16x10x10xf32>
  %xp = tg.iota 0 : tensor<27648xi32>
  %xa = tg.const(11 : i32) : tensor<27648xi32>
  %xb = tg.const(3 : i32) : tensor<27648xi32>
  %xc = tg.const(4 : i32) : tensor<27648xi32>
  %xm = tg.mul %xp, %xa : tensor<27648xi32>
  %xd = tg.floordiv %xm, %xb : tensor<27648xi32>
  %xr = tg.floormod %xd, %xc : tensor<27648xi32>
  %xf = tg.cast %xr : tensor<27648xi32> -> tensor<27648xf32>
  %xs = tg.reshape %xf : tensor<27648xf32> -> tensor<96x2x12x12xf32>
  %x = tg.contiguous %xs : tensor<96x2x12x12xf32>
  %y1 = tg.reshape %y : tensor<96x16x10x10xf32> -> tensor<96x16x10x10x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<96x16x10x10x1x1x1xf32> -> tensor<96x16x10x10x2x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[96, 16, 10, 10, 2, 3, 3] strides [288, 0, 12, 1, 144, 12, 1]>] : tensor<96x2x12x12xf32> -> tensor<96x16x10x10x2x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<96x16x10x10x2x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<96x16x10x10x2x3x3xf32> -> tensor<1x16x1x1x2x3x3xf32>
  %flat = tg.reshape %g : tensor<1x16x1x1x2x3x3xf32> -> tensor<288xf32>
  %l = tg.cast %flat : tensor<288xf32> -> tensor<288xi64>
  %w = tg.iota 0 : tensor<288xi64>
  %lw = tg.mul %l, %w : tensor<288xi64>
  %check = tg.reduce add %lw axes [0] : tensor<288xi64> -> tensor<1xi64>
  return %check : tensor<1xi64>
}
