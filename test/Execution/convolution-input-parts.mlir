// The gradient of a convolution of many channels by its input: groups sum parts of
// the channels, of the pixels inside of the image alone. Sums are exact, also in f16
// (parts are summed in f32).

// RUN: tg-run %s --interpret --print > %t.expected
// RUN: tg-run %s --device=SIM --print | diff %t.expected -
// RUN: env SIMCHIP=gfx942 tg-run %s --device=SIM --print | diff %t.expected -
// RUN: sed 's/f32/f16/g' %s | tg-run - --interpret --print > %t.expected
// RUN: sed 's/f32/f16/g' %s | tg-run - --device=SIM --print | diff %t.expected -
// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline | FileCheck %s

// CHECK: tg.kernel @r_8_2_16_3_3_16_3_3
// CHECK: tg.kernel @r_2_16_3_3_8
func.func @main() -> tensor<2x16x3x3xf32> {
  %gi = tg.iota 0 : tensor<2304xi32>
  %gm = tg.const(7 : i32) : tensor<2304xi32>
  %go = tg.const(-3 : i32) : tensor<2304xi32>
  %gr = tg.floormod %gi, %gm : tensor<2304xi32>
  %gs = tg.add %gr, %go : tensor<2304xi32>
  %gf = tg.cast %gs : tensor<2304xi32> -> tensor<2304xf32>
  %gt = tg.reshape %gf : tensor<2304xf32> -> tensor<2x128x3x3xf32>
  %arg0 = tg.contiguous %gt : tensor<2x128x3x3xf32>
  %wi = tg.iota 0 : tensor<18432xi32>
  %wm = tg.const(5 : i32) : tensor<18432xi32>
  %wo = tg.const(-2 : i32) : tensor<18432xi32>
  %wr = tg.floormod %wi, %wm : tensor<18432xi32>
  %ws = tg.add %wr, %wo : tensor<18432xi32>
  %wf = tg.cast %ws : tensor<18432xi32> -> tensor<18432xf32>
  %wt = tg.reshape %wf : tensor<18432xf32> -> tensor<128x16x3x3xf32>
  %arg1 = tg.contiguous %wt : tensor<128x16x3x3xf32>
  %0 = tg.reshape %arg0 : tensor<2x128x3x3xf32> -> tensor<2x1x128x3x3x1x1x1xf32>
  %1 = tg.expand %0 : tensor<2x1x128x3x3x1x1x1xf32> -> tensor<2x1x128x3x3x16x3x3xf32>
  %2 = tg.reshape %arg1 : tensor<128x16x3x3xf32> -> tensor<1x1x128x1x1x16x3x3xf32>
  %3 = tg.expand %2 : tensor<1x1x128x1x1x16x3x3xf32> -> tensor<2x1x128x3x3x16x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<2x1x128x3x3x16x3x3xf32>
  %5 = tg.reduce add %4 axes [2] : tensor<2x1x128x3x3x16x3x3xf32> -> tensor<2x1x1x3x3x16x3x3xf32>
  %6 = tg.reshape %5 : tensor<2x1x1x3x3x16x3x3xf32> -> tensor<2x3x3x16x3x3xf32>
  %7 = tg.permute %6 [4, 5, 0, 3, 1, 2] : tensor<2x3x3x16x3x3xf32> -> tensor<3x3x2x16x3x3xf32>
  %8 = tg.flip %7 axes [0] : tensor<3x3x2x16x3x3xf32>
  %9 = tg.flip %8 axes [1] : tensor<3x3x2x16x3x3xf32>
  %10 = tg.pad %9 low [0, 0, 0, 0, 2, 2] high [0, 0, 0, 0, 2, 2] : tensor<3x3x2x16x3x3xf32> -> tensor<3x3x2x16x7x7xf32>
  %11 = tg.strided %10 [#tg.view<[2, 16, 5, 5, 3, 3] strides [784, 49, 7, 1, 4711, 1569]>] : tensor<3x3x2x16x7x7xf32> -> tensor<2x16x5x5x3x3xf32>
  %12 = tg.reduce add %11 axes [4, 5] : tensor<2x16x5x5x3x3xf32> -> tensor<2x16x5x5x1x1xf32>
  %13 = tg.reshape %12 : tensor<2x16x5x5x1x1xf32> -> tensor<2x16x5x5xf32>
  %14 = tg.shrink %13 from [0, 0, 1, 1] to [2, 16, 4, 4] : tensor<2x16x5x5xf32> -> tensor<2x16x3x3xf32>
  return %14 : tensor<2x16x3x3xf32>
}
