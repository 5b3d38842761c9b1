// A tensor is overwritten by something transposed and by a shifted copy of
// itself, which a tile keeps. The steps of the schedule are checked (SPEC).

// RUN: tg-run %s --random-inputs --interpret --print > %t.expected
// RUN: tg-run %s --random-inputs --print > %t.got
// RUN: diff %t.expected %t.got
// RUN: env SPEC=1 tg-run %s --random-inputs --print > %t.got
// RUN: diff %t.expected %t.got
// RUN: env SPEC=2 THREADS=2 tg-run %s --random-inputs --print > %t.got
// RUN: diff %t.expected %t.got

func.func @main(%a: tensor<4x2x32xf32>, %t: tensor<4x32x2xf32>, %b: tensor<3x32x32xf32>, %u: tensor<3x32x32xf32>)
    -> (tensor<4x32x2xf32>, tensor<3x32x32xf32>) {
  %p = tg.permute %a [0, 2, 1] : tensor<4x2x32xf32> -> tensor<4x32x2xf32>
  %s = tg.shrink %t from [0, 1, 0] to [4, 32, 2] : tensor<4x32x2xf32> -> tensor<4x31x2xf32>
  %q = tg.pad %s low [0, 0, 0] high [0, 1, 0] : tensor<4x31x2xf32> -> tensor<4x32x2xf32>
  %m = tg.max %p, %q : tensor<4x32x2xf32>
  %r = tg.assign %t, %m : tensor<4x32x2xf32>
  %p1 = tg.permute %b [0, 2, 1] : tensor<3x32x32xf32> -> tensor<3x32x32xf32>
  %s1 = tg.shrink %u from [0, 1, 0] to [3, 32, 32] : tensor<3x32x32xf32> -> tensor<3x31x32xf32>
  %q1 = tg.pad %s1 low [0, 0, 0] high [0, 1, 0] : tensor<3x31x32xf32> -> tensor<3x32x32xf32>
  %m1 = tg.max %p1, %q1 : tensor<3x32x32xf32>
  %r1 = tg.assign %u, %m1 : tensor<3x32x32xf32>
  return %r, %r1 : tensor<4x32x2xf32>, tensor<3x32x32xf32>
}
