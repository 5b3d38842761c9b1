// RUN: tg-opt %s --convert-tg-to-vector --split-input-file --verify-diagnostics

tg.kernel @two_lanes(%o: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  // expected-note@+1 {{upcast range}}
  %i = tg.range 0 upcast 8
  // expected-note@+1 {{upcast range}}
  %j = tg.range 1 upcast 8
  %c8 = tg.const(8 : index) : index
  %m = tg.mul %i, %c8 : index
  // expected-error@+1 {{depends on two upcast ranges; a vector has the lanes of one range}}
  %p = tg.add %m, %j : index
  %x = tg.load %a[%p] : memref<64xf32>
  tg.store %x, %o[%p] : memref<64xf32>
}

// -----

tg.kernel @symbolic(%o: memref<64xf32>) attributes {outputs = 1 : i64} {
  // expected-error@+1 {{has a symbolic extent}}
  %i = tg.range 0 upcast #tg.var<"n", 1, 64>
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %o[%i] : memref<64xf32>
}

// -----

tg.kernel @shared_reduce(%o: memref<1xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 64
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%i] : memref<64xf32>
  // expected-error@+1 {{closes a parallel range}}
  %s = tg.ranged_reduce add %x over %i : f32
  tg.store %s, %o[%z] : memref<1xf32>
}

// -----

tg.kernel @vector_tile(%o: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %v = tg.range 1 upcast 8
  %c8 = tg.const(8 : index) : index
  %m = tg.mul %i, %c8 : index
  %p = tg.add %m, %v : index
  %x = tg.load %a[%p] : memref<64xf32>
  // expected-error@+1 {{has a value that depends on an upcast range other than those of the tile}}
  %t = tg.stage %x over %i : memref<8xf32>
  %b = tg.barrier %t : memref<8xf32>
  %y = tg.load %b[%v] : memref<8xf32>
  tg.store %y, %o[%v] : memref<64xf32>
}

// -----

tg.kernel @too_many_lanes(%o: memref<4294967296xf32>) attributes {outputs = 1 : i64} {
  // expected-error@+1 {{has 4294967296 lanes; a vector has at most 4096}}
  %i = tg.range 0 upcast 4294967296
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %o[%i] : memref<4294967296xf32>
}

// -----

tg.kernel @too_many_copies(%o: memref<4503599627370496xf32>) attributes {outputs = 1 : i64} {
  // expected-error@+1 {{makes more than 65536 copies of a value, together with the other unrolled ranges that it depends on}}
  %i = tg.range 0 unroll 4503599627370496
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %o[%i] : memref<4503599627370496xf32>
}

// -----

tg.kernel @too_many_copies_together(%o: memref<1048576xf32>) attributes {outputs = 1 : i64} {
  %c1024 = tg.const(1024 : index) : index
  %i = tg.range 0 unroll 1024
  // expected-error@+1 {{makes more than 65536 copies of a value, together with the other unrolled ranges that it depends on}}
  %j = tg.range 1 unroll 1024
  %m = tg.mul %i, %c1024 : index
  %p = tg.add %m, %j : index
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %o[%p] : memref<1048576xf32>
}

// -----

// expected-error@+1 {{'tg.kernel' op has a buffer in memory space 1 : i64; a CPU has the default memory space only}}
tg.kernel @argument_space(%out: memref<4xf32>, %a: memref<4xf32, 1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32, 1>
  tg.store %x, %out[%i] : memref<4xf32>
}

// -----

tg.kernel @tile_space(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error@+1 {{'tg.stage' op has a buffer in memory space "fast"; a CPU has the default memory space only}}
  %t = tg.stage %x over %i : memref<4xf32, "fast">
  %b = tg.barrier %t : memref<4xf32, "fast">
  %j = tg.range 1 loop 4
  %y = tg.load %b[%j] : memref<4xf32, "fast">
  tg.store %y, %out[%j] : memref<4xf32>
}
