// REQUIRES: z3
// RUN: tg-opt %s -split-input-file --tg-verify-accesses -verify-diagnostics

// One element after the last.
tg.kernel @after(%out: memref<16xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %one = tg.const(1 : index) : index
  %j = tg.add %i, %one : index
  // expected-error@+2 {{this access is outside of its buffer of 16 elements}}
  // expected-note@+1 {{counterexample: r0 = 15}}
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
  // expected-note@+1 {{counterexample: r0 = 3}}
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
  // expected-note@+1 {{counterexample:}}
  %x = tg.load %a[%j] : memref<20xf32>
  tg.store %x, %out[%i] : memref<20xf32>
}

// -----

// One element after the last for the largest of two variables.
tg.kernel @two_variables(%out: memref<20xf32>, %a: memref<20xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.var<"n", 1, 10>
  %p = tg.dim(#tg.var<"p", 0, 11>) : index
  %j = tg.add %i, %p : index
  // expected-error@+2 {{this access is outside of its buffer of 20 elements}}
  // expected-note@+1 {{r0 = 9}}
  %x = tg.load %a[%j] : memref<20xf32>
  tg.store %x, %out[%i] : memref<20xf32>
}

// -----

// A store at a symbolic place: one row after the last of a cache.
tg.kernel @cache(%out: memref<40xf32>, %a: memref<4xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  %p = tg.dim(#tg.dim<mul, #tg.var<"p", 0, 10>, 4>) : index
  %j = tg.add %i, %p : index
  // expected-error@+2 {{this access is outside of its buffer of 40 elements}}
  // expected-note@+1 {{p = 10}}
  tg.store %x, %out[%j] : memref<40xf32>
}

// -----

// Lanes of the last vector that a mask should leave out.
tg.kernel @lanes(%out: memref<20xf32>, %a: memref<20xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 3
  %l = tg.range 1 upcast 8
  %eight = tg.const(8 : index) : index
  %limit = tg.const(21 : index) : index
  %base = tg.mul %i, %eight : index
  %j = tg.add %base, %l : index
  %m = tg.cmplt %j, %limit : index
  // expected-error@+2 {{this access is outside of its buffer of 20 elements}}
  // expected-note@+1 {{counterexample: r0 = 2, r1 = 4}}
  %x = tg.load %a[%j] mask %m : memref<20xf32>
  %twenty = tg.const(20 : index) : index
  %ok = tg.cmplt %j, %twenty : index
  tg.store %x, %out[%j] mask %ok : memref<20xf32>
}

// -----

// A tile, one element on.
tg.kernel @tile(%out: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 8
  %x = tg.load %a[%k] : memref<8xf32>
  %t = tg.stage %x over %k : memref<8xf32>
  %b = tg.barrier %t : memref<8xf32>
  %one = tg.const(1 : index) : index
  %j = tg.add %i, %one : index
  // expected-error@+2 {{this access is outside of its buffer of 8 elements}}
  // expected-note@+1 {{counterexample: r0 = 7}}
  %y = tg.load %b[%j] : memref<8xf32>
  tg.store %y, %out[%i] : memref<8xf32>
}

// -----

// Read where there is no position, as no loop says.
tg.kernel @no_position(%out: memref<1xf32>, %a: memref<9xf32>) attributes {outputs = 1 : i64} {
  %n = tg.dim(#tg.var<"n", 0, 1>) : index
  %nine = tg.const(9 : index) : index
  %j = tg.sub %nine, %n : index
  // expected-error@+2 {{this access is outside of its buffer of 9 elements}}
  // expected-note@+1 {{n = 0}}
  %x = tg.load %a[%j] : memref<9xf32>
  %zero = tg.const(0 : index) : index
  %m = tg.cmplt %zero, %n : index
  tg.store %x, %out[%zero] mask %m : memref<1xf32>
}

// -----

// Loops and vectors: a vector that begins too late.
func.func @vector(%out: memref<20xf32>, %a: memref<20xf32>, %begin: index, %end: index) attributes {tg.outputs = 1 : i64, tg.parallel_extent = 3 : i64} {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %begin to %end step %one {
    %j = arith.muli %i, %eight : index
    // expected-error@+2 {{this access is outside of its buffer of 20 elements}}
    // expected-note@+1 {{counterexample:}}
    %x = vector.load %a[%j] : memref<20xf32>, vector<8xf32>
    %two = arith.constant 2 : index
    %isMain = arith.cmpi slt, %i, %two : index
    scf.if %isMain {
      vector.store %x, %out[%j] : memref<20xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// A mask with a lane too many: of a vector whose end depends on a variable.
func.func @masked(%out: memref<20xf32>, %a: memref<20xf32>, %begin: index, %end: index, %n: index) attributes {tg.outputs = 1 : i64, tg.parallel_extent = 3 : i64, tg.variables = [#tg.var<"n", 0, 20>]} {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %lanes = vector.step : vector<8xindex>
  scf.for %i = %begin to %end step %one {
    %j = arith.muli %i, %eight : index
    %first = vector.broadcast %j : index to vector<8xindex>
    %places = arith.addi %first, %lanes : vector<8xindex>
    %last = vector.broadcast %n : index to vector<8xindex>
    %tooWide = arith.cmpi sle, %places, %last : vector<8xindex>
    // expected-error@+2 {{this access is outside of its buffer of 20 elements}}
    // expected-note@+1 {{n = 20}}
    %x = vector.maskedload %a[%j], %tooWide, %zeros : memref<20xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
    %inside = arith.cmpi slt, %places, %last : vector<8xindex>
    vector.maskedstore %out[%j], %inside, %x : memref<20xf32>, vector<8xi1>, vector<8xf32>
  }
  return
}

// -----

// Lanes by positions from memory.
func.func @gather(%out: memref<8xf32>, %a: memref<20xf32>, %b: memref<8xi32>, %begin: index, %end: index) attributes {tg.outputs = 1 : i64, tg.parallel_extent = 1 : i64} {
  %zero = arith.constant 0 : index
  %zeros = arith.constant dense<0.0> : vector<8xf32>
  %limit = arith.constant dense<20> : vector<8xi32>
  %places = vector.load %b[%zero] : memref<8xi32>, vector<8xi32>
  // Negative positions are less than the limit as well.
  %signed = arith.cmpi slt, %places, %limit : vector<8xi32>
  // expected-error@+2 {{this access is outside of its buffer of 20 elements}}
  // expected-note@+1 {{counterexample:}}
  %x = vector.gather %a[%zero] [%places], %signed, %zeros : memref<20xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %unsigned = arith.cmpi ult, %places, %limit : vector<8xi32>
  %y = vector.gather %a[%zero] [%places], %unsigned, %zeros : memref<20xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %sum = arith.addf %x, %y : vector<8xf32>
  vector.store %sum, %out[%zero] : memref<8xf32>, vector<8xf32>
  return
}

// -----

// What is not understood is not passed over.
func.func @copied(%out: memref<8xf32>, %a: memref<8xf32>, %begin: index, %end: index) attributes {tg.outputs = 1 : i64, tg.parallel_extent = 1 : i64} {
  // expected-error@+1 {{unsupported memory access}}
  memref.copy %a, %out : memref<8xf32> to memref<8xf32>
  return
}

// -----

// Inside of the largest buffer, but not of the one that launches pass: masks end
// at the largest size.
func.func @largest_size(%x: memref<512xf32> {tg.elements = #tg.dim<mul, #tg.var<"n", 1, 64>, 8>}) -> (memref<512xf32> {tg.elements = #tg.dim<mul, #tg.var<"n", 1, 64>, 8>}) {
  %y = tg.alloc on "CPU" : memref<512xf32>
  tg.launch @rows(%y, %x) : memref<512xf32>, memref<512xf32>
  return %y : memref<512xf32>
}
tg.kernel @rows(%out: memref<512xf32>, %a: memref<512xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 512
  // expected-error@+2 {{this access is outside of its buffer of n * 8 elements}}
  // expected-note@+1 {{counterexample:}}
  %x = tg.load %a[%i] : memref<512xf32>
  %n = tg.dim(#tg.dim<mul, #tg.var<"n", 1, 64>, 8>) : index
  %m = tg.cmplt %i, %n : index
  tg.store %x, %out[%i] mask %m : memref<512xf32>
}

// -----

// The same kernel with whole memory and with a part of it: a row too far from the
// part's beginning.
func.func @part(%x: memref<512xf32> {tg.elements = #tg.dim<mul, #tg.var<"n", 2, 64>, 8>}, %z: memref<504xf32>) -> (memref<504xf32>, memref<504xf32>) {
  %y = tg.alloc on "CPU" : memref<504xf32>
  tg.launch @rest(%y, %z) : memref<504xf32>, memref<504xf32>
  %t = tg.alloc on "CPU" : memref<504xf32>
  %p = tg.subbuffer %x at (32) : memref<512xf32> -> memref<504xf32>
  tg.launch @rest(%t, %p) : memref<504xf32>, memref<504xf32>
  return %y, %t : memref<504xf32>, memref<504xf32>
}
tg.kernel @rest(%out: memref<504xf32>, %a: memref<504xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.dim<mul, #tg.var<"n", 2, 64>, 8>
  %last = tg.const(503 : index) : index
  %inside = tg.cmplt %i, %last : index
  // expected-error@+2 {{this access is outside of its buffer of (n * 8) + -8 elements}}
  // expected-note@+1 {{counterexample:}}
  %x = tg.load %a[%i] mask %inside : memref<504xf32>
  tg.store %x, %out[%i] mask %inside : memref<504xf32>
}

// -----

// As loops: inside of the largest buffer, but not of what launches passed.
func.func @largest_rows(%out: memref<512xf32> {tg.launched_elements = [512, #tg.dim<mul, #tg.var<"n", 1, 64>, 8>]}, %a: memref<512xf32>, %begin: index, %end: index, %n: index) attributes {tg.outputs = 1 : i64, tg.parallel_extent = 64 : i64, tg.variables = [#tg.var<"n", 1, 64>]} {
  %one = arith.constant 1 : index
  %eight = arith.constant 8 : index
  scf.for %i = %begin to %end step %one {
    %at = arith.muli %i, %eight : index
    %x = vector.load %a[%at] : memref<512xf32>, vector<8xf32>
    // expected-error@+2 {{this access is outside of its buffer of n * 8 elements}}
    // expected-note@+1 {{counterexample:}}
    vector.store %x, %out[%at] : memref<512xf32>, vector<8xf32>
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      vector.store %x, %out[%at] : memref<512xf32>, vector<8xf32>
    }
  }
  return
}

// -----

// The number that a launch gives a variable of the kernel is that of the launch
// with this buffer.
func.func @given_number(%out: memref<64xf32> {tg.launched_elements = [64, [#tg.var<"n", 8, 64>, [#tg.var<"k", 0, 16>, 8]]]}, %a: memref<64xf32> {tg.launched_elements = [[#tg.var<"n", 8, 64>, [#tg.var<"k", 0, 16>, 9]]]}, %begin: index, %end: index, %k: index) attributes {tg.outputs = 1 : i64, tg.parallel_extent = 1 : i64, tg.variables = [#tg.var<"k", 0, 16>]} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %k step %one {
    // expected-error@+2 {{this access is outside of its buffer of n elements}}
    // expected-note@+1 {{counterexample: k = 9, n = 8,}}
    %x = memref.load %a[%i] : memref<64xf32>
    memref.store %x, %out[%i] : memref<64xf32>
  }
  return
}
