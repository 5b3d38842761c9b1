// A sum of products of which some count only if a flag is set, which differs
// between images: there are two versions of the loop. The factors depend on the
// flag as well. All numbers are small integers times powers of two.

// RUN: tg-run %s --interpret --print > %t.expected
// RUN: tg-run %s --print > %t.got
// RUN: diff %t.expected %t.got
// RUN: env SPEC=1 THREADS=2 tg-run %s --print > %t.got
// RUN: diff %t.expected %t.got

func.func @main() -> tensor<4x5x1x128xf32> {
  %ai = tg.iota 0 : tensor<320xi32>
  %c7 = tg.const(7 : i32) : tensor<320xi32>
  %c3 = tg.const(-3 : i32) : tensor<320xi32>
  %am = tg.floormod %ai, %c7 : tensor<320xi32>
  %as = tg.add %am, %c3 : tensor<320xi32>
  %af = tg.cast %as : tensor<320xi32> -> tensor<320xf32>
  %ar = tg.reshape %af : tensor<320xf32> -> tensor<4x5x16x1xf32>
  %a = tg.contiguous %ar : tensor<4x5x16x1xf32>
  %wi = tg.iota 0 : tensor<8192xi32>
  %w5 = tg.const(5 : i32) : tensor<8192xi32>
  %w2 = tg.const(-2 : i32) : tensor<8192xi32>
  %wm = tg.floormod %wi, %w5 : tensor<8192xi32>
  %ws = tg.add %wm, %w2 : tensor<8192xi32>
  %wf = tg.cast %ws : tensor<8192xi32> -> tensor<8192xf32>
  %wr = tg.reshape %wf : tensor<8192xf32> -> tensor<4x1x16x128xf32>
  %w = tg.contiguous %wr : tensor<4x1x16x128xf32>
  %ni = tg.iota 0 : tensor<4x1x1x1xi32>
  %nf = tg.cast %ni : tensor<4x1x1x1xi32> -> tensor<4x1x1x1xf32>
  %x = tg.contiguous %nf : tensor<4x1x1x1xf32>
  %n2 = tg.const(2 : i32) : tensor<4x1x1x1xi32>
  %nm = tg.floormod %ni, %n2 : tensor<4x1x1x1xi32>
  %n1 = tg.const(1 : i32) : tensor<4x1x1x1xi32>
  %nc = tg.cmpeq %nm, %n1 : tensor<4x1x1x1xi32>
  %flag = tg.contiguous %nc : tensor<4x1x1x1xi1>
  %half = tg.const(-1.0 : f32) : tensor<4x1x1x1xf32>
  %y = tg.add %x, %half : tensor<4x1x1x1xf32>

  %r = tg.iota 1 : tensor<4x5x16x128xi32>
  %three = tg.const(3 : i32) : tensor<4x5x16x128xi32>
  %lt = tg.cmplt %r, %three : tensor<4x5x16x128xi32>
  %f = tg.expand %flag : tensor<4x1x1x1xi1> -> tensor<4x5x16x128xi1>
  %c = tg.or %lt, %f : tensor<4x5x16x128xi1>
  %wh = tg.where %flag, %x, %y : tensor<4x1x1x1xf32>
  %e = tg.exp2 %wh : tensor<4x1x1x1xf32>
  %ee = tg.expand %e : tensor<4x1x1x1xf32> -> tensor<4x5x16x128xf32>
  %ae = tg.expand %a : tensor<4x5x16x1xf32> -> tensor<4x5x16x128xf32>
  %we = tg.expand %w : tensor<4x1x16x128xf32> -> tensor<4x5x16x128xf32>
  %m0 = tg.mul %ae, %we : tensor<4x5x16x128xf32>
  %m = tg.mul %m0, %ee : tensor<4x5x16x128xf32>
  %z = tg.const(0.0 : f32) : tensor<4x5x16x128xf32>
  %v = tg.where %c, %m, %z : tensor<4x5x16x128xf32>
  %s = tg.reduce add %v axes [2] : tensor<4x5x16x128xf32> -> tensor<4x5x1x128xf32>
  return %s : tensor<4x5x1x128xf32>
}
