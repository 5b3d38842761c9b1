// Kernels whose groups have no such order.

// RUN: tg-opt %s --split-input-file --verify-diagnostics --tg-attach-target=target=cuda:sm_90 --convert-tg-to-gpu

#n = #tg.var<"n", 1, 100>
tg.kernel @symbolic(%out: memref<300xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{has bands of 4 positions, but the numbers of groups are symbolic}}
  %i = tg.range 0 global #n {tg.band = 4 : i64}
  %j = tg.range 1 global 3
  %n = tg.const(3 : index) : index
  %row = tg.mul %i, %n : index
  %at = tg.add %row, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<300xf32>
}

// -----

tg.kernel @two_bands(%out: memref<15xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 global 5 {tg.band = 5 : i64}
  // expected-error @+1 {{has bands of 2 positions, but groups have no range further in}}
  %j = tg.range 1 global 3 {tg.band = 2 : i64}
  %n = tg.const(3 : index) : index
  %row = tg.mul %i, %n : index
  %at = tg.add %row, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<15xf32>
}

// -----

// More groups than a grid has along y are numbered along x.
tg.kernel @tall(%out: memref<300000xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{has bands of 8 positions, but groups have no range further in, or more than one, or are more than a grid has along it}}
  %i = tg.range 0 global 100000 {tg.band = 8 : i64}
  %j = tg.range 1 global 3
  %n = tg.const(3 : index) : index
  %row = tg.mul %i, %n : index
  %at = tg.add %row, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%at] : memref<300000xf32>
}
