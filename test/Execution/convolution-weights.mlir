// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The gradient of a convolution by its weights, with images of 11x11 positions,
// which squares of 16 would exceed when they are packed. Numbers are small, so
// that the order of additions does not matter. The number that is printed depends
// on the places of all results.
// CHECK: result 0: tensor<1xi64> = {{\[}}15411848824]
func.func @main() -> tensor<1xi64> {
  %yp = tg.iota 0 : tensor<123904xi32>
  %ya = tg.const(7 : i32) : tensor<123904xi32>
  %yb = tg.const(3 : i32) : tensor<123904xi32>
  %yc = tg.const(5 : i32) : tensor<123904xi32>
  %ym = tg.mul %yp, %ya : tensor<123904xi32>
  %yd = tg.floordiv %ym, %yb : tensor<123904xi32>
  %yr = tg.floormod %yd, %yc : tensor<123904xi32>
  %yf = tg.cast %yr : tensor<123904xi32> -> tensor<123904xf32>
  %ys = tg.reshape %yf : tensor<123904xf32> -> tensor<16x64x11x11xf32>
  %y = tg.contiguous %ys : tensor<16x64x11x11xf32>
  %xp = tg.iota 0 : tensor<10816xi32>
  %xa = tg.const(11 : i32) : tensor<10816xi32>
  %xb = tg.const(3 : i32) : tensor<10816xi32>
  %xc = tg.const(4 : i32) : tensor<10816xi32>
  %xm = tg.mul %xp, %xa : tensor<10816xi32>
  %xd = tg.floordiv %xm, %xb : tensor<10816xi32>
  %xr = tg.floormod %xd, %xc : tensor<10816xi32>
  %xf = tg.cast %xr : tensor<10816xi32> -> tensor<10816xf32>
  %xs = tg.reshape %xf : tensor<10816xf32> -> tensor<16x4x13x13xf32>
  %x = tg.contiguous %xs : tensor<16x4x13x13xf32>
  %y1 = tg.reshape %y : tensor<16x64x11x11xf32> -> tensor<16x64x11x11x1x1x1xf32>
  %y2 = tg.expand %y1 : tensor<16x64x11x11x1x1x1xf32> -> tensor<16x64x11x11x4x3x3xf32>
  %x1 = tg.strided %x [#tg.view<[16, 64, 11, 11, 4, 3, 3] strides [676, 0, 13, 1, 169, 13, 1]>] : tensor<16x4x13x13xf32> -> tensor<16x64x11x11x4x3x3xf32>
  %p = tg.mul %y2, %x1 : tensor<16x64x11x11x4x3x3xf32>
  %g = tg.reduce add %p axes [0, 2, 3] : tensor<16x64x11x11x4x3x3xf32> -> tensor<1x64x1x1x4x3x3xf32>
  %flat = tg.reshape %g : tensor<1x64x1x1x4x3x3xf32> -> tensor<2304xf32>
  %l = tg.cast %flat : tensor<2304xf32> -> tensor<2304xi64>
  %w = tg.iota 0 : tensor<2304xi64>
  %lw = tg.mul %l, %w : tensor<2304xi64>
  %check = tg.reduce add %lw axes [0] : tensor<2304xi64> -> tensor<1xi64>
  return %check : tensor<1xi64>
}
