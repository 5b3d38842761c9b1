// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: env DEV=SIM SIMCHIP=sm_90a,units=1 tg-run %s --print | FileCheck %s
// RUN: tg-opt %s --pass-pipeline="builtin.module(tg-attach-target{target=sim:sm_90a,units=1}, tg-schedule-pipeline, tg-optimize-pipeline)" | FileCheck %s --check-prefix=SCHEDULE

// Attention of f16 with both products on warpgroups; in the second one, a further
// warpgroup copies. A query is equal to each 64th key, so that its result is the mean
// of eight values, which is exact. The number that is printed depends on the places of
// all results.

// SCHEDULE: buffer stage 0 by 2 as tma
// SCHEDULE: buffer stage 0 by 4 as tma by warpgroup
// CHECK: result 0: tensor<1x1xi64> = {{\[\[}}35160636104]]
func.func @main() -> tensor<1x1xi64> {
  %qi = tg.iota 0 : tensor<256x128xi32>
  %qj = tg.iota 1 : tensor<256x128xi32>
  %qhalf = tg.const(64 : i32) : tensor<256x128xi32>
  %qr = tg.floormod %qi, %qhalf : tensor<256x128xi32>
  %qc = tg.floormod %qj, %qhalf : tensor<256x128xi32>
  %qe = tg.cmpeq %qr, %qc : tensor<256x128xi32>
  %qlarge = tg.const(64.0 : f16) : tensor<256x128xf16>
  %qzero = tg.const(0.0 : f16) : tensor<256x128xf16>
  %qv = tg.where %qe, %qlarge, %qzero : tensor<256x128xf16>
  %q = tg.contiguous %qv : tensor<256x128xf16>
  %ki = tg.iota 0 : tensor<512x128xi32>
  %kj = tg.iota 1 : tensor<512x128xi32>
  %khalf = tg.const(64 : i32) : tensor<512x128xi32>
  %kr = tg.floormod %ki, %khalf : tensor<512x128xi32>
  %kc = tg.floormod %kj, %khalf : tensor<512x128xi32>
  %ke = tg.cmpeq %kr, %kc : tensor<512x128xi32>
  %klarge = tg.const(64.0 : f16) : tensor<512x128xf16>
  %kzero = tg.const(0.0 : f16) : tensor<512x128xf16>
  %kv = tg.where %ke, %klarge, %kzero : tensor<512x128xf16>
  %k = tg.contiguous %kv : tensor<512x128xf16>
  %vi = tg.iota 0 : tensor<512x128xi32>
  %vj = tg.iota 1 : tensor<512x128xi32>
  %v7 = tg.const(7 : i32) : tensor<512x128xi32>
  %v3 = tg.const(3 : i32) : tensor<512x128xi32>
  %v17 = tg.const(17 : i32) : tensor<512x128xi32>
  %va = tg.mul %vi, %v7 : tensor<512x128xi32>
  %vb = tg.mul %vj, %v3 : tensor<512x128xi32>
  %vs = tg.add %va, %vb : tensor<512x128xi32>
  %vm = tg.floormod %vs, %v17 : tensor<512x128xi32>
  %vf = tg.cast %vm : tensor<512x128xi32> -> tensor<512x128xf16>
  %v = tg.contiguous %vf : tensor<512x128xf16>
  %xa = tg.reshape %q : tensor<256x128xf16> -> tensor<256x1x128xf16>
  %xac = tg.cast %xa : tensor<256x1x128xf16> -> tensor<256x1x128xf32>
  %xae = tg.expand %xac : tensor<256x1x128xf32> -> tensor<256x512x128xf32>
  %xb = tg.reshape %k : tensor<512x128xf16> -> tensor<1x512x128xf16>
  %xbc = tg.cast %xb : tensor<1x512x128xf16> -> tensor<1x512x128xf32>
  %xbe = tg.expand %xbc : tensor<1x512x128xf32> -> tensor<256x512x128xf32>
  %xm = tg.mul %xae, %xbe : tensor<256x512x128xf32>
  %xs = tg.reduce add %xm axes [2] : tensor<256x512x128xf32> -> tensor<256x512x1xf32>
  %x = tg.reshape %xs : tensor<256x512x1xf32> -> tensor<256x512xf32>
  %scale = tg.const(0.125 : f32) : tensor<256x512xf32>
  %scores = tg.mul %x, %scale : tensor<256x512xf32>
  %max = tg.reduce max %scores axes [1] : tensor<256x512xf32> -> tensor<256x1xf32>
  %maxs = tg.expand %max : tensor<256x1xf32> -> tensor<256x512xf32>
  %below = tg.sub %scores, %maxs : tensor<256x512xf32>
  %exp = tg.exp2 %below : tensor<256x512xf32>
  %sum = tg.reduce add %exp axes [1] : tensor<256x512xf32> -> tensor<256x1xf32>
  %inverse = tg.recip %sum : tensor<256x1xf32>
  %inverses = tg.expand %inverse : tensor<256x1xf32> -> tensor<256x512xf32>
  %p = tg.mul %exp, %inverses : tensor<256x512xf32>
  %ph = tg.cast %p : tensor<256x512xf32> -> tensor<256x512xf16>
  %vt = tg.permute %v [1, 0] : tensor<512x128xf16> -> tensor<128x512xf16>
  %ya = tg.reshape %ph : tensor<256x512xf16> -> tensor<256x1x512xf16>
  %yac = tg.cast %ya : tensor<256x1x512xf16> -> tensor<256x1x512xf32>
  %yae = tg.expand %yac : tensor<256x1x512xf32> -> tensor<256x128x512xf32>
  %yb = tg.reshape %vt : tensor<128x512xf16> -> tensor<1x128x512xf16>
  %ybc = tg.cast %yb : tensor<1x128x512xf16> -> tensor<1x128x512xf32>
  %ybe = tg.expand %ybc : tensor<1x128x512xf32> -> tensor<256x128x512xf32>
  %ym = tg.mul %yae, %ybe : tensor<256x128x512xf32>
  %ys = tg.reduce add %ym axes [2] : tensor<256x128x512xf32> -> tensor<256x128x1xf32>
  %y = tg.reshape %ys : tensor<256x128x1xf32> -> tensor<256x128xf32>
  %h = tg.cast %y : tensor<256x128xf32> -> tensor<256x128xf16>
  %result = tg.contiguous %h : tensor<256x128xf16>
  %pi = tg.iota 0 : tensor<256x128xi32>
  %pj = tg.iota 1 : tensor<256x128xi32>
  %eight = tg.const(8.0 : f16) : tensor<256x128xf16>
  %scaled = tg.mul %result, %eight : tensor<256x128xf16>
  %number = tg.cast %scaled : tensor<256x128xf16> -> tensor<256x128xi64>
  %c131 = tg.const(131 : i32) : tensor<256x128xi32>
  %prow = tg.mul %pi, %c131 : tensor<256x128xi32>
  %place = tg.add %prow, %pj : tensor<256x128xi32>
  %wide = tg.cast %place : tensor<256x128xi32> -> tensor<256x128xi64>
  %weighted = tg.mul %number, %wide : tensor<256x128xi64>
  %total = tg.reduce add %weighted axes [0, 1] : tensor<256x128xi64> -> tensor<1x1xi64>
  return %total : tensor<1x1xi64>
}
