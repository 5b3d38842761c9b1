// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-verify-accesses -verify-diagnostics

// One element after the last.
tg.kernel @after(%out: memref<16xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %one = tg.const(1 : index) : index
  %j = tg.add %i, %one : index
  // expected-error@+2 {{this access is outside of its buffer of 16 elements}}
  // expected-note@+1 {{not so for r0 = 15}}
  %x = tg.load %a[%j] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}

// -----

// One before the first, where a mask is too wide.
tg.kernel @before(%out: memref<16xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %four = tg.const(4 : index) : index
  %two = tg.const(2 : index) : index
  %twelve = tg.const(12 : index) : index
  %j = tg.sub %i, %four : index
  %c = tg.cmplt %two, %i : index
  %d = tg.cmplt %i, %twelve : index
  %m = tg.and %c, %d : i1
  // expected-error@+2 {{this access is outside of its buffer of 8 elements}}
  // expected-note@+1 {{not so for r0 = 3}}
  %x = tg.load %a[%j] mask %m : memref<8xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}

// -----

// For one value of a variable.
tg.kernel @symbolic(%out: memref<20xf32>, %a: memref<20xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.var<"n", 1, 21>
  %zero = tg.const(0 : index) : index
  %x = tg.load %a[%zero] : memref<20xf32>
  %true = tg.const(true) : i1
  // expected-error@+2 {{this access is outside of its buffer of 20 elements}}
  // expected-note@+1 {{n = 21}}
  tg.store %x, %out[%i] mask %true : memref<20xf32>
}

// -----

// A number from memory that nothing keeps inside.
tg.kernel @loaded(%out: memref<20xf32>, %a: memref<20xf32>, %b: memref<20xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 20
  %n = tg.load %b[%i] : memref<20xi32>
  %j = tg.cast %n : i32 -> index
  // expected-error@+2 {{this access is outside of its buffer of 20 elements}}
  // expected-note@+1 {{not so for}}
  %x = tg.load %a[%j] : memref<20xf32>
  tg.store %x, %out[%i] : memref<20xf32>
}
