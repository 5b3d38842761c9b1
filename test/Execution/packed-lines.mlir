// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-opt %s --tg-schedule-pipeline --tg-verify-schedules -o /dev/null
// RUN: tg-opt %s --tg-schedule-pipeline --tg-optimize-pipeline -o %t.mlir
// RUN: FileCheck %s --check-prefix=SCHEDULE < %t.mlir
// RUN: env DEV=CPU THREADS=1 tg-run %t.mlir --print | FileCheck %s
// RUN: env DEV=CPU THREADS=3 tg-run %t.mlir --print | FileCheck %s

// The gradient of a layer's weights, in two passes of which both factors are packed:
// of the left one's lines, 2048 bytes apart, a second-level cache of 256 KiB holds
// 128. Neither rows nor columns fill the last tile. Numbers are small, so that the
// order of additions does not matter. The numbers that are printed depend on the
// places of all results.

// SCHEDULE: tg.kernel @r_512_120_512_n4({{.*}} by 16 into
// SCHEDULE: tg.range 9 thread 5 peel 1
// SCHEDULE: tg.range 3 loop 2
// SCHEDULE: tg.kernel @r_512_120_512_n6({{.*}} by 16 into
// CHECK: result 0: tensor<1xi64> = {{\[}}2899044701460]
// CHECK: result 1: tensor<1xi64> = {{\[}}2899044701460]
module attributes {tg.target = #tg.target<"cpu", l2_bytes = 262144>} {
func.func @main() -> (tensor<1xi64>, tensor<1xi64>) {
  %gi = tg.iota 0 : tensor<512x512xi32>
  %gj = tg.iota 1 : tensor<512x512xi32>
  %gc = tg.const(7 : i32) : tensor<512x512xi32>
  %gq = tg.const(5 : i32) : tensor<512x512xi32>
  %gm = tg.mul %gi, %gc : tensor<512x512xi32>
  %gs = tg.add %gm, %gj : tensor<512x512xi32>
  %gr = tg.floormod %gs, %gq : tensor<512x512xi32>
  %gw = tg.contiguous %gr : tensor<512x512xi32>
  %gf = tg.cast %gr : tensor<512x512xi32> -> tensor<512x512xf32>
  %g = tg.contiguous %gf : tensor<512x512xf32>
  %xi = tg.iota 0 : tensor<512x120xi32>
  %xj = tg.iota 1 : tensor<512x120xi32>
  %xc = tg.const(3 : i32) : tensor<512x120xi32>
  %xq = tg.const(4 : i32) : tensor<512x120xi32>
  %xm = tg.mul %xi, %xc : tensor<512x120xi32>
  %xs = tg.add %xm, %xj : tensor<512x120xi32>
  %xr = tg.floormod %xs, %xq : tensor<512x120xi32>
  %xw = tg.contiguous %xr : tensor<512x120xi32>
  %xf = tg.cast %xr : tensor<512x120xi32> -> tensor<512x120xf32>
  %x = tg.contiguous %xf : tensor<512x120xf32>
  %k = tg.iota 0 : tensor<61440xi64>
  %a0 = tg.reshape %x : tensor<512x120xf32> -> tensor<512x1x120xf32>
  %a1 = tg.expand %a0 : tensor<512x1x120xf32> -> tensor<512x512x120xf32>
  %a2 = tg.reshape %g : tensor<512x512xf32> -> tensor<512x512x1xf32>
  %a3 = tg.expand %a2 : tensor<512x512x1xf32> -> tensor<512x512x120xf32>
  %a4 = tg.mul %a3, %a1 : tensor<512x512x120xf32>
  %a5 = tg.reduce add %a4 axes [0] : tensor<512x512x120xf32> -> tensor<1x512x120xf32>
  %a6 = tg.reshape %a5 : tensor<1x512x120xf32> -> tensor<61440xf32>
  %a7 = tg.contiguous %a6 : tensor<61440xf32>
  %a8 = tg.cast %a7 : tensor<61440xf32> -> tensor<61440xi64>
  %a9 = tg.mul %a8, %k : tensor<61440xi64>
  %a = tg.reduce add %a9 axes [0] : tensor<61440xi64> -> tensor<1xi64>
  %b0 = tg.reshape %xw : tensor<512x120xi32> -> tensor<512x1x120xi32>
  %b1 = tg.expand %b0 : tensor<512x1x120xi32> -> tensor<512x512x120xi32>
  %b2 = tg.reshape %gw : tensor<512x512xi32> -> tensor<512x512x1xi32>
  %b3 = tg.expand %b2 : tensor<512x512x1xi32> -> tensor<512x512x120xi32>
  %b4 = tg.mul %b3, %b1 : tensor<512x512x120xi32>
  %b5 = tg.reduce add %b4 axes [0] : tensor<512x512x120xi32> -> tensor<1x512x120xi32>
  %b6 = tg.reshape %b5 : tensor<1x512x120xi32> -> tensor<61440xi32>
  %b7 = tg.contiguous %b6 : tensor<61440xi32>
  %b8 = tg.cast %b7 : tensor<61440xi32> -> tensor<61440xi64>
  %b9 = tg.mul %b8, %k : tensor<61440xi64>
  %b = tg.reduce add %b9 axes [0] : tensor<61440xi64> -> tensor<1xi64>
  return %a, %b : tensor<1xi64>, tensor<1xi64>
}
}
