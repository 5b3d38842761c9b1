// A product that groups sum in parts, with two conversions before it is shrunk: both
// round, and are not lost.

// RUN: tg-run %s --interpret --print > %t.expected
// RUN: tg-run %s --device=SIM --print | diff %t.expected -
// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_90 --tg-split-reduce | FileCheck %s

// CHECK: tg.contiguous
// CHECK: tg.cast {{.*}}xf32> -> {{.*}}xi32>
// CHECK: tg.cast {{.*}}xi32> -> {{.*}}xf32>

func.func @main() -> tensor<5x7xf32> {
  %gi = tg.iota 0 : tensor<65536xi32>
  %gm = tg.const(7 : i32) : tensor<65536xi32>
  %gr = tg.floormod %gi, %gm : tensor<65536xi32>
  %gf = tg.cast %gr : tensor<65536xi32> -> tensor<65536xf32>
  %h = tg.const(0.25 : f32) : tensor<65536xf32>
  %gh = tg.mul %gf, %h : tensor<65536xf32>
  %gt = tg.reshape %gh : tensor<65536xf32> -> tensor<64x1024xf32>
  %a = tg.contiguous %gt : tensor<64x1024xf32>
  %0 = tg.reshape %a : tensor<64x1024xf32> -> tensor<64x1024x1xf32>
  %1 = tg.expand %0 : tensor<64x1024x1xf32> -> tensor<64x1024x64xf32>
  %at = tg.permute %a [1, 0] : tensor<64x1024xf32> -> tensor<1024x64xf32>
  %2 = tg.reshape %at : tensor<1024x64xf32> -> tensor<1x1024x64xf32>
  %3 = tg.expand %2 : tensor<1x1024x64xf32> -> tensor<64x1024x64xf32>
  %4 = tg.mul %1, %3 : tensor<64x1024x64xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<64x1024x64xf32> -> tensor<64x1x64xf32>
  %6 = tg.cast %5 : tensor<64x1x64xf32> -> tensor<64x1x64xi32>
  %7 = tg.reshape %6 : tensor<64x1x64xi32> -> tensor<64x64xi32>
  %8 = tg.cast %7 : tensor<64x64xi32> -> tensor<64x64xf32>
  %9 = tg.shrink %8 from [1, 2] to [6, 9] : tensor<64x64xf32> -> tensor<5x7xf32>
  return %9 : tensor<5x7xf32>
}
