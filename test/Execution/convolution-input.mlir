// The gradient of a convolution by its input, with weights that are infinite or
// NaN: what is outside of the image adds nothing, not even 0 times infinity.
// Numbers are small, so that the order of additions does not matter.

// RUN: tg-run %s --interpret --print > %t.expected
// RUN: tg-run %s --print > %t.got
// RUN: diff %t.expected %t.got
// RUN: env SPEC=1 tg-run %s --print --device=SIM > %t.got
// RUN: diff %t.expected %t.got
// RUN: FileCheck %s < %t.got

// CHECK: result 0: tensor<2x32x8x8xf32>
// CHECK-SAME: inf
func.func @main() -> tensor<2x32x8x8xf32> {
  %gi = tg.iota 0 : tensor<4096xi32>
  %g7 = tg.const(7 : i32) : tensor<4096xi32>
  %g3 = tg.const(-3 : i32) : tensor<4096xi32>
  %gm = tg.floormod %gi, %g7 : tensor<4096xi32>
  %gs = tg.add %gm, %g3 : tensor<4096xi32>
  %gf = tg.cast %gs : tensor<4096xi32> -> tensor<4096xf32>
  %gr = tg.reshape %gf : tensor<4096xf32> -> tensor<2x32x8x8xf32>
  %arg0 = tg.contiguous %gr : tensor<2x32x8x8xf32>
  %wi = tg.iota 0 : tensor<9216xi32>
  %w5 = tg.const(5 : i32) : tensor<9216xi32>
  %w2 = tg.const(-2 : i32) : tensor<9216xi32>
  %wm = tg.floormod %wi, %w5 : tensor<9216xi32>
  %ws = tg.add %wm, %w2 : tensor<9216xi32>
  %wf = tg.cast %ws : tensor<9216xi32> -> tensor<9216xf32>
  %wp = tg.const(18 : i32) : tensor<9216xi32>
  %wc = tg.cmpeq %wi, %wp : tensor<9216xi32>
  %inf = tg.const(0x7F800000 : f32) : tensor<9216xf32>
  %w1 = tg.where %wc, %inf, %wf : tensor<9216xf32>
  %wq = tg.const(305 : i32) : tensor<9216xi32>
  %wd = tg.cmpeq %wi, %wq : tensor<9216xi32>
  %nan = tg.const(0x7FC00000 : f32) : tensor<9216xf32>
  %w = tg.where %wd, %nan, %w1 : tensor<9216xf32>
  %wr = tg.reshape %w : tensor<9216xf32> -> tensor<32x32x3x3xf32>
  %arg1 = tg.contiguous %wr : tensor<32x32x3x3xf32>
  %0 = tg.reshape %arg0 : tensor<2x32x8x8xf32> -> tensor<2x1x32x8x8x1x1x1xf32>
  %1 = tg.expand %0 : tensor<2x1x32x8x8x1x1x1xf32> -> tensor<2x1x32x8x8x32x3x3xf32>
  %2 = tg.reshape %arg1 : tensor<32x32x3x3xf32> -> tensor<1x1x32x1x1x32x3x3xf32>
  %3 = tg.expand %2 : tensor<1x1x32x1x1x32x3x3xf32> -> tensor<2x1x32x8x8x32x3x3xf32>
  %4 = tg.mul %1, %3 : tensor<2x1x32x8x8x32x3x3xf32>
  %5 = tg.reduce add %4 axes [2] : tensor<2x1x32x8x8x32x3x3xf32> -> tensor<2x1x1x8x8x32x3x3xf32>
  %6 = tg.reshape %5 : tensor<2x1x1x8x8x32x3x3xf32> -> tensor<2x8x8x32x3x3xf32>
  %7 = tg.permute %6 [4, 5, 0, 3, 1, 2] : tensor<2x8x8x32x3x3xf32> -> tensor<3x3x2x32x8x8xf32>
  %8 = tg.flip %7 axes [0] : tensor<3x3x2x32x8x8xf32>
  %9 = tg.flip %8 axes [1] : tensor<3x3x2x32x8x8xf32>
  %10 = tg.pad %9 low [0, 0, 0, 0, 2, 2] high [0, 0, 0, 0, 2, 2] : tensor<3x3x2x32x8x8xf32> -> tensor<3x3x2x32x12x12xf32>
  %11 = tg.strided %10 [#tg.view<[2, 32, 10, 10, 3, 3] strides [4608, 144, 12, 1, 27660, 9217]>] : tensor<3x3x2x32x12x12xf32> -> tensor<2x32x10x10x3x3xf32>
  %12 = tg.reduce add %11 axes [4, 5] : tensor<2x32x10x10x3x3xf32> -> tensor<2x32x10x10x1x1xf32>
  %13 = tg.reshape %12 : tensor<2x32x10x10x1x1xf32> -> tensor<2x32x10x10xf32>
  %14 = tg.shrink %13 from [0, 0, 1, 1] to [2, 32, 9, 9] : tensor<2x32x10x10xf32> -> tensor<2x32x8x8xf32>
  return %14 : tensor<2x32x8x8xf32>
}
