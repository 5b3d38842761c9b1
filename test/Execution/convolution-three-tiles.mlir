// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// A convolution to 48 channels whose windows are shared by three register tiles, of
// which each has a third of the channels. Numbers are small, so that the order of
// additions does not matter. The number that is printed depends on the places of all
// results.
// CHECK: result 0: tensor<1xi64> = {{\[}}253365886656]
func.func @main() -> tensor<1xi64> {
  %agi = tg.iota 0 : tensor<19683xi32>
  %aga = tg.const(7 : i32) : tensor<19683xi32>
  %agb = tg.const(3 : i32) : tensor<19683xi32>
  %agc = tg.const(5 : i32) : tensor<19683xi32>
  %agm = tg.mul %agi, %aga : tensor<19683xi32>
  %agd = tg.floordiv %agm, %agb : tensor<19683xi32>
  %agr = tg.floormod %agd, %agc : tensor<19683xi32>
  %agf = tg.cast %agr : tensor<19683xi32> -> tensor<19683xf32>
  %ags = tg.reshape %agf : tensor<19683xf32> -> tensor<1x3x81x81xf32>
  %ag = tg.contiguous %ags : tensor<1x3x81x81xf32>
  %awi = tg.iota 0 : tensor<1296xi32>
  %awa = tg.const(11 : i32) : tensor<1296xi32>
  %awb = tg.const(3 : i32) : tensor<1296xi32>
  %awc = tg.const(4 : i32) : tensor<1296xi32>
  %awm = tg.mul %awi, %awa : tensor<1296xi32>
  %awd = tg.floordiv %awm, %awb : tensor<1296xi32>
  %awr = tg.floormod %awd, %awc : tensor<1296xi32>
  %awf = tg.cast %awr : tensor<1296xi32> -> tensor<1296xf32>
  %aws = tg.reshape %awf : tensor<1296xf32> -> tensor<3x48x3x3xf32>
  %aw = tg.contiguous %aws : tensor<3x48x3x3xf32>
  %ap = tg.pad %ag low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<1x3x81x81xf32> -> tensor<1x3x83x83xf32>
  %av = tg.strided %ap [#tg.view<[1, 1, 41, 41, 3, 3, 3] strides [20667, 0, 166, 2, 6889, 83, 1]>] : tensor<1x3x83x83xf32> -> tensor<1x1x41x41x3x3x3xf32>
  %ax = tg.expand %av : tensor<1x1x41x41x3x3x3xf32> -> tensor<1x48x41x41x3x3x3xf32>
  %avp = tg.permute %aw [1, 0, 2, 3] : tensor<3x48x3x3xf32> -> tensor<48x3x3x3xf32>
  %avr = tg.reshape %avp : tensor<48x3x3x3xf32> -> tensor<1x48x1x1x3x3x3xf32>
  %ave = tg.expand %avr : tensor<1x48x1x1x3x3x3xf32> -> tensor<1x48x41x41x3x3x3xf32>
  %aq = tg.mul %ax, %ave : tensor<1x48x41x41x3x3x3xf32>
  %au = tg.reduce add %aq axes [4, 5, 6] : tensor<1x48x41x41x3x3x3xf32> -> tensor<1x48x41x41x1x1x1xf32>
  %ay = tg.contiguous %au : tensor<1x48x41x41x1x1x1xf32>
  %az = tg.reshape %ay : tensor<1x48x41x41x1x1x1xf32> -> tensor<80688xf32>
  %an = tg.cast %az : tensor<80688xf32> -> tensor<80688xi64>
  %ak = tg.iota 0 : tensor<80688xi64>
  %ao = tg.mul %an, %ak : tensor<80688xi64>
  %asum = tg.reduce add %ao axes [0] : tensor<80688xi64> -> tensor<1xi64>
  return %asum : tensor<1xi64>
}
