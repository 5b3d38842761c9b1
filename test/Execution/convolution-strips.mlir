// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// RUN: env DEV=CPU MCPU=x86-64-v3 tg-run %s --print | FileCheck %s

// Convolutions whose weights are packed in strips, with windows that are mirrored
// (gradients by the input) and that are not (transposed convolutions): 3x3 of
// f32 with images of 4x4 and 8x8, 5 positions of f64. Numbers are small, so that
// the order of additions does not matter. The numbers that are printed depend on
// the places of all results.
// CHECK: result 0: tensor<1xi64> = {{\[}}80507347104]
// CHECK: result 1: tensor<1xi64> = {{\[}}48644388512]
// CHECK: result 2: tensor<1xi64> = {{\[}}5398753685]
func.func @main() -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) {
  %agi = tg.iota 0 : tensor<8192xi32>
  %aga = tg.const(7 : i32) : tensor<8192xi32>
  %agb = tg.const(3 : i32) : tensor<8192xi32>
  %agc = tg.const(5 : i32) : tensor<8192xi32>
  %agm = tg.mul %agi, %aga : tensor<8192xi32>
  %agd = tg.floordiv %agm, %agb : tensor<8192xi32>
  %agr = tg.floormod %agd, %agc : tensor<8192xi32>
  %agf = tg.cast %agr : tensor<8192xi32> -> tensor<8192xf32>
  %ags = tg.reshape %agf : tensor<8192xf32> -> tensor<16x32x4x4xf32>
  %ag = tg.contiguous %ags : tensor<16x32x4x4xf32>
  %awi = tg.iota 0 : tensor<18432xi32>
  %awa = tg.const(11 : i32) : tensor<18432xi32>
  %awb = tg.const(3 : i32) : tensor<18432xi32>
  %awc = tg.const(4 : i32) : tensor<18432xi32>
  %awm = tg.mul %awi, %awa : tensor<18432xi32>
  %awd = tg.floordiv %awm, %awb : tensor<18432xi32>
  %awr = tg.floormod %awd, %awc : tensor<18432xi32>
  %awf = tg.cast %awr : tensor<18432xi32> -> tensor<18432xf32>
  %aws = tg.reshape %awf : tensor<18432xf32> -> tensor<32x64x3x3xf32>
  %aw = tg.contiguous %aws : tensor<32x64x3x3xf32>
  %ap = tg.pad %ag low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<16x32x4x4xf32> -> tensor<16x32x6x6xf32>
  %av = tg.strided %ap [#tg.view<[16, 1, 4, 4, 32, 3, 3] strides [1152, 0, 6, 1, 36, 6, 1]>] : tensor<16x32x6x6xf32> -> tensor<16x1x4x4x32x3x3xf32>
  %ax = tg.expand %av : tensor<16x1x4x4x32x3x3xf32> -> tensor<16x64x4x4x32x3x3xf32>
  %aw2 = tg.flip %aw axes [2] : tensor<32x64x3x3xf32>
  %aw3 = tg.flip %aw2 axes [3] : tensor<32x64x3x3xf32>
  %avp = tg.permute %aw3 [1, 0, 2, 3] : tensor<32x64x3x3xf32> -> tensor<64x32x3x3xf32>
  %avr = tg.reshape %avp : tensor<64x32x3x3xf32> -> tensor<1x64x1x1x32x3x3xf32>
  %ave = tg.expand %avr : tensor<1x64x1x1x32x3x3xf32> -> tensor<16x64x4x4x32x3x3xf32>
  %aq = tg.mul %ax, %ave : tensor<16x64x4x4x32x3x3xf32>
  %au = tg.reduce add %aq axes [4, 5, 6] : tensor<16x64x4x4x32x3x3xf32> -> tensor<16x64x4x4x1x1x1xf32>
  %ay = tg.contiguous %au : tensor<16x64x4x4x1x1x1xf32>
  %az = tg.reshape %ay : tensor<16x64x4x4x1x1x1xf32> -> tensor<16384xf32>
  %an = tg.cast %az : tensor<16384xf32> -> tensor<16384xi64>
  %ak = tg.iota 0 : tensor<16384xi64>
  %ao = tg.mul %an, %ak : tensor<16384xi64>
  %asum = tg.reduce add %ao axes [0] : tensor<16384xi64> -> tensor<1xi64>
  %bgi = tg.iota 0 : tensor<8192xi32>
  %bga = tg.const(7 : i32) : tensor<8192xi32>
  %bgb = tg.const(3 : i32) : tensor<8192xi32>
  %bgc = tg.const(5 : i32) : tensor<8192xi32>
  %bgm = tg.mul %bgi, %bga : tensor<8192xi32>
  %bgd = tg.floordiv %bgm, %bgb : tensor<8192xi32>
  %bgr = tg.floormod %bgd, %bgc : tensor<8192xi32>
  %bgf = tg.cast %bgr : tensor<8192xi32> -> tensor<8192xf32>
  %bgs = tg.reshape %bgf : tensor<8192xf32> -> tensor<8x16x8x8xf32>
  %bg = tg.contiguous %bgs : tensor<8x16x8x8xf32>
  %bwi = tg.iota 0 : tensor<4608xi32>
  %bwa = tg.const(11 : i32) : tensor<4608xi32>
  %bwb = tg.const(3 : i32) : tensor<4608xi32>
  %bwc = tg.const(4 : i32) : tensor<4608xi32>
  %bwm = tg.mul %bwi, %bwa : tensor<4608xi32>
  %bwd = tg.floordiv %bwm, %bwb : tensor<4608xi32>
  %bwr = tg.floormod %bwd, %bwc : tensor<4608xi32>
  %bwf = tg.cast %bwr : tensor<4608xi32> -> tensor<4608xf32>
  %bws = tg.reshape %bwf : tensor<4608xf32> -> tensor<16x32x3x3xf32>
  %bw = tg.contiguous %bws : tensor<16x32x3x3xf32>
  %bp = tg.pad %bg low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<8x16x8x8xf32> -> tensor<8x16x10x10xf32>
  %bv = tg.strided %bp [#tg.view<[8, 1, 8, 8, 16, 3, 3] strides [1600, 0, 10, 1, 100, 10, 1]>] : tensor<8x16x10x10xf32> -> tensor<8x1x8x8x16x3x3xf32>
  %bx = tg.expand %bv : tensor<8x1x8x8x16x3x3xf32> -> tensor<8x32x8x8x16x3x3xf32>
  %bvp = tg.permute %bw [1, 0, 2, 3] : tensor<16x32x3x3xf32> -> tensor<32x16x3x3xf32>
  %bvr = tg.reshape %bvp : tensor<32x16x3x3xf32> -> tensor<1x32x1x1x16x3x3xf32>
  %bve = tg.expand %bvr : tensor<1x32x1x1x16x3x3xf32> -> tensor<8x32x8x8x16x3x3xf32>
  %bq = tg.mul %bx, %bve : tensor<8x32x8x8x16x3x3xf32>
  %bu = tg.reduce add %bq axes [4, 5, 6] : tensor<8x32x8x8x16x3x3xf32> -> tensor<8x32x8x8x1x1x1xf32>
  %by = tg.contiguous %bu : tensor<8x32x8x8x1x1x1xf32>
  %bz = tg.reshape %by : tensor<8x32x8x8x1x1x1xf32> -> tensor<16384xf32>
  %bn = tg.cast %bz : tensor<16384xf32> -> tensor<16384xi64>
  %bk = tg.iota 0 : tensor<16384xi64>
  %bo = tg.mul %bn, %bk : tensor<16384xi64>
  %bsum = tg.reduce add %bo axes [0] : tensor<16384xi64> -> tensor<1xi64>
  %cgi = tg.iota 0 : tensor<4224xi32>
  %cga = tg.const(7 : i32) : tensor<4224xi32>
  %cgb = tg.const(3 : i32) : tensor<4224xi32>
  %cgc = tg.const(5 : i32) : tensor<4224xi32>
  %cgm = tg.mul %cgi, %cga : tensor<4224xi32>
  %cgd = tg.floordiv %cgm, %cgb : tensor<4224xi32>
  %cgr = tg.floormod %cgd, %cgc : tensor<4224xi32>
  %cgf = tg.cast %cgr : tensor<4224xi32> -> tensor<4224xf64>
  %cgs = tg.reshape %cgf : tensor<4224xf64> -> tensor<8x24x1x22xf64>
  %cg = tg.contiguous %cgs : tensor<8x24x1x22xf64>
  %cwi = tg.iota 0 : tensor<3840xi32>
  %cwa = tg.const(11 : i32) : tensor<3840xi32>
  %cwb = tg.const(3 : i32) : tensor<3840xi32>
  %cwc = tg.const(4 : i32) : tensor<3840xi32>
  %cwm = tg.mul %cwi, %cwa : tensor<3840xi32>
  %cwd = tg.floordiv %cwm, %cwb : tensor<3840xi32>
  %cwr = tg.floormod %cwd, %cwc : tensor<3840xi32>
  %cwf = tg.cast %cwr : tensor<3840xi32> -> tensor<3840xf64>
  %cws = tg.reshape %cwf : tensor<3840xf64> -> tensor<24x32x1x5xf64>
  %cw = tg.contiguous %cws : tensor<24x32x1x5xf64>
  %cp = tg.pad %cg low [0, 0, 0, 2] high [0, 0, 0, 2] : tensor<8x24x1x22xf64> -> tensor<8x24x1x26xf64>
  %cv = tg.strided %cp [#tg.view<[8, 1, 1, 22, 24, 1, 5] strides [624, 0, 26, 1, 26, 26, 1]>] : tensor<8x24x1x26xf64> -> tensor<8x1x1x22x24x1x5xf64>
  %cx = tg.expand %cv : tensor<8x1x1x22x24x1x5xf64> -> tensor<8x32x1x22x24x1x5xf64>
  %cw3 = tg.flip %cw axes [3] : tensor<24x32x1x5xf64>
  %cvp = tg.permute %cw3 [1, 0, 2, 3] : tensor<24x32x1x5xf64> -> tensor<32x24x1x5xf64>
  %cvr = tg.reshape %cvp : tensor<32x24x1x5xf64> -> tensor<1x32x1x1x24x1x5xf64>
  %cve = tg.expand %cvr : tensor<1x32x1x1x24x1x5xf64> -> tensor<8x32x1x22x24x1x5xf64>
  %cq = tg.mul %cx, %cve : tensor<8x32x1x22x24x1x5xf64>
  %cu = tg.reduce add %cq axes [4, 5, 6] : tensor<8x32x1x22x24x1x5xf64> -> tensor<8x32x1x22x1x1x1xf64>
  %cy = tg.contiguous %cu : tensor<8x32x1x22x1x1x1xf64>
  %cz = tg.reshape %cy : tensor<8x32x1x22x1x1x1xf64> -> tensor<5632xf64>
  %cn = tg.cast %cz : tensor<5632xf64> -> tensor<5632xi64>
  %ck = tg.iota 0 : tensor<5632xi64>
  %co = tg.mul %cn, %ck : tensor<5632xi64>
  %csum = tg.reduce add %co axes [0] : tensor<5632xi64> -> tensor<1xi64>
  return %asum, %bsum, %csum : tensor<1xi64>, tensor<1xi64>, tensor<1xi64>
}
