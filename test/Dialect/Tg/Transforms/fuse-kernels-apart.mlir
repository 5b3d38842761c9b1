// What must not become one kernel, and the reason that is given on request.
// RUN: tg-opt %s -split-input-file -tg-fuse-kernels | FileCheck %s
// RUN: tg-opt %s -split-input-file -tg-fuse-kernels -o /dev/null \
// RUN:   --remark-format=emitRemark --remarks-filter=tg-fuse-kernels 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: tg-opt %s -split-input-file -tg-fuse-kernels -o /dev/null 2>&1 | count 0

tg.kernel @neg(%out: memref<64xf32>, %in: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 64
  %x = tg.load %in[%i] : memref<64xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<64xf32>
}
tg.kernel @exp2(%out: memref<64xf32>, %in: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 64
  %x = tg.load %in[%i] : memref<64xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %out[%i] : memref<64xf32>
}
tg.kernel @reverse(%out: memref<64xf32>, %in: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 64
  %c = tg.const(63 : index) : index
  %j = tg.sub %c, %i : index
  %x = tg.load %in[%j] : memref<64xf32>
  tg.store %x, %out[%i] : memref<64xf32>
}
tg.kernel @part(%out: memref<32xf32>, %in: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 32
  %x = tg.load %in[%i] : memref<64xf32>
  tg.store %x, %out[%i] : memref<32xf32>
}
tg.kernel @masked(%out: memref<64xf32>, %in: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 64
  %c = tg.const(3 : index) : index
  %m = tg.cmplt %i, %c : index
  %x = tg.load %in[%i] mask %m : memref<64xf32>
  tg.store %x, %out[%i] mask %m : memref<64xf32>
}
tg.kernel @scheduled(%out: memref<64xf32>, %in: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 upcast 64
  %x = tg.load %in[%i] : memref<64xf32>
  tg.store %x, %out[%i] : memref<64xf32>
}
tg.kernel @scatter(%out: memref<64xf32>, %in: memref<64xf32>, %p: memref<64xi64>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 64
  %x = tg.load %in[%i] : memref<64xf32>
  %l = tg.load %p[%i] : memref<64xi64>
  %j = tg.cast %l : i64 -> index
  tg.store %x, %out[%j] : memref<64xf32>
}

// CHECK-LABEL: func.func @other_positions
// CHECK-COUNT-2: tg.launch
// REMARK:       neg and reverse stay apart: the second kernel reads what the first one stores at other positions
func.func @other_positions(%x: memref<64xf32>, %p: memref<64xf32>, %q: memref<64xf32>) {
  tg.launch @neg(%p, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @reverse(%q, %p) : memref<64xf32>, memref<64xf32>
  return
}

// CHECK-LABEL: func.func @overwrites_other_positions
// CHECK-COUNT-2: tg.launch
// REMARK:       reverse and neg stay apart: one kernel reads what the other one overwrites at other positions
func.func @overwrites_other_positions(%x: memref<64xf32>, %p: memref<64xf32>) {
  tg.launch @reverse(%p, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @neg(%x, %p) : memref<64xf32>, memref<64xf32>
  return
}

// CHECK-LABEL: func.func @other_space
// CHECK-COUNT-2: tg.launch
// REMARK:       neg and part stay apart: their results have different positions
func.func @other_space(%x: memref<64xf32>, %p: memref<64xf32>, %q: memref<32xf32>) {
  tg.launch @neg(%p, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @part(%q, %x) : memref<32xf32>, memref<64xf32>
  return
}

// Nothing in common: it is not even tried.

// CHECK-LABEL: func.func @apart
// CHECK-COUNT-2: tg.launch
// REMARK-NOT:   neg and exp2 stay apart
func.func @apart(%x: memref<64xf32>, %y: memref<64xf32>, %p: memref<64xf32>, %q: memref<64xf32>) {
  tg.launch @neg(%p, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @exp2(%q, %y) : memref<64xf32>, memref<64xf32>
  return
}

// The same buffer at other positions is nothing in common.

// CHECK-LABEL: func.func @both_directions
// CHECK-COUNT-2: tg.launch
// REMARK:       neg and reverse stay apart: they have too little in common
func.func @both_directions(%x: memref<64xf32>, %p: memref<64xf32>, %q: memref<64xf32>) {
  tg.launch @neg(%p, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @reverse(%q, %x) : memref<64xf32>, memref<64xf32>
  return
}

// What is stored under a mask is read without it.

// CHECK-LABEL: func.func @stored_in_part
// CHECK-COUNT-2: tg.launch
// REMARK:       masked and neg stay apart: the second kernel reads
func.func @stored_in_part(%x: memref<64xf32>, %p: memref<64xf32>, %q: memref<64xf32>) {
  tg.launch @masked(%p, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @neg(%q, %p) : memref<64xf32>, memref<64xf32>
  return
}

// Two views of which one is written overlap.

// CHECK-LABEL: func.func @aliasing_views
// CHECK-COUNT-2: tg.launch
// CHECK-LABEL: func.func @aliasing_reads
// CHECK-COUNT-2: tg.launch
func.func @aliasing_views(%x: memref<64xf32>, %p: memref<128xf32>) {
  %a = tg.subbuffer %p at (0) : memref<128xf32> -> memref<64xf32>
  %b = tg.subbuffer %p at (128) : memref<128xf32> -> memref<64xf32>
  tg.launch @neg(%a, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @exp2(%b, %x) : memref<64xf32>, memref<64xf32>
  return
}
func.func @aliasing_reads(%x: memref<128xf32>, %p: memref<64xf32>) {
  %a = tg.subbuffer %x at (0) : memref<128xf32> -> memref<64xf32>
  %b = tg.subbuffer %x at (128) : memref<128xf32> -> memref<64xf32>
  tg.launch @neg(%p, %a) : memref<64xf32>, memref<64xf32>
  tg.launch @exp2(%b, %p) : memref<64xf32>, memref<64xf32>
  return
}

// Views that do not overlap are two buffers.

// CHECK-LABEL: func.func @parts
// CHECK:         tg.launch @neg_x2
// CHECK-NEXT:    return
func.func @parts(%x: memref<64xf32>, %p: memref<128xf32>) {
  %a = tg.subbuffer %p at (0) : memref<128xf32> -> memref<64xf32>
  %b = tg.subbuffer %p at (256) : memref<128xf32> -> memref<64xf32>
  tg.launch @neg(%a, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @exp2(%b, %x) : memref<64xf32>, memref<64xf32>
  return
}

// Kernels that are scheduled already, and those that store at computed places.

// CHECK-LABEL: func.func @not_these
// CHECK-COUNT-3: tg.launch
func.func @not_these(%x: memref<64xf32>, %p: memref<64xf32>, %q: memref<64xf32>, %r: memref<64xf32>, %i: memref<64xi64>) {
  tg.launch @neg(%p, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @scheduled(%q, %x) : memref<64xf32>, memref<64xf32>
  tg.launch @scatter(%r, %x, %i) : memref<64xf32>, memref<64xf32>, memref<64xi64>
  return
}

// A function that does something else with buffers is left alone.

// CHECK-LABEL: func.func @unknown
// CHECK-COUNT-2: tg.launch
func.func private @other(memref<64xf32>)
func.func @unknown(%x: memref<64xf32>, %p: memref<64xf32>, %q: memref<64xf32>) {
  tg.launch @neg(%p, %x) : memref<64xf32>, memref<64xf32>
  func.call @other(%x) : (memref<64xf32>) -> ()
  tg.launch @exp2(%q, %x) : memref<64xf32>, memref<64xf32>
  return
}

// -----

// Tiles of matrix products keep their registers.

// CHECK-LABEL: func.func @products
// CHECK-COUNT-2: tg.launch
// REMARK:       r_8_8_8 and r_8_8_8 stay apart: a register tile of results would lose registers
tg.kernel @r_8_8_8(%out: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %j = tg.range 1 loop 8
  %k = tg.range 2 loop 8
  %c = tg.const(8 : index) : index
  %r = tg.mul %i, %c : index
  %ik = tg.add %r, %k : index
  %s = tg.mul %k, %c : index
  %kj = tg.add %s, %j : index
  %ij = tg.add %r, %j : index
  %x = tg.load %a[%ik] : memref<64xf32>
  %y = tg.load %b[%kj] : memref<64xf32>
  %z = tg.mul %x, %y : f32
  %t = tg.ranged_reduce add %z over %k : f32
  tg.store %t, %out[%ij] : memref<64xf32>
}
func.func @products(%x: memref<64xf32>, %a: memref<64xf32>, %b: memref<64xf32>, %p: memref<64xf32>, %q: memref<64xf32>) {
  tg.launch @r_8_8_8(%p, %x, %a) : memref<64xf32>, memref<64xf32>, memref<64xf32>
  tg.launch @r_8_8_8(%q, %x, %b) : memref<64xf32>, memref<64xf32>, memref<64xf32>
  return
}

// -----

// Few rows that many elements depend on would run on few threads.

// CHECK-LABEL: func.func @few_rows
// CHECK-COUNT-2: tg.launch
// REMARK:       r_4 and E_4 stay apart: too few parallel positions would be left
tg.kernel @r_4(%out: memref<4xf32>, %in: memref<65536xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 16384
  %c = tg.const(16384 : index) : index
  %r = tg.mul %i, %c : index
  %k = tg.add %r, %j : index
  %x = tg.load %in[%k] : memref<65536xf32>
  %y = tg.ranged_reduce add %x over %j : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @E_4(%out: memref<65536xf32>, %in: memref<65536xf32>, %s: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 16384
  %c = tg.const(16384 : index) : index
  %r = tg.mul %i, %c : index
  %k = tg.add %r, %j : index
  %x = tg.load %in[%k] : memref<65536xf32>
  %y = tg.load %s[%i] : memref<4xf32>
  %z = tg.sub %x, %y : f32
  tg.store %z, %out[%k] : memref<65536xf32>
}
func.func @few_rows(%x: memref<65536xf32>, %p: memref<4xf32>, %q: memref<65536xf32>) {
  tg.launch @r_4(%p, %x) : memref<4xf32>, memref<65536xf32>
  tg.launch @E_4(%q, %x, %p) : memref<65536xf32>, memref<65536xf32>, memref<4xf32>
  return
}

// -----

// A large result of its own is stored past the caches, one of a kernel that
// works in place is not: the second kernel would lose more than the load.

// CHECK-LABEL: func.func @large_results
// CHECK-COUNT-2: tg.launch
// REMARK:       in_place and apart stay apart: large results would be stored through the caches
tg.kernel @in_place(%m: memref<8388608xf32>, %g: memref<8388608xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 8388608
  %x = tg.load %m[%i] : memref<8388608xf32>
  %y = tg.load %g[%i] : memref<8388608xf32>
  %z = tg.add %x, %y : f32
  tg.store %z, %m[%i] : memref<8388608xf32>
}
tg.kernel @apart(%p: memref<8388608xf32>, %g: memref<8388608xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8388608
  %y = tg.load %g[%i] : memref<8388608xf32>
  %z = tg.neg %y : f32
  tg.store %z, %p[%i] : memref<8388608xf32>
}
func.func @large_results(%m: memref<8388608xf32>, %g: memref<8388608xf32>) -> memref<8388608xf32> {
  %p = tg.alloc on "CPU" : memref<8388608xf32>
  tg.launch @in_place(%m, %g) : memref<8388608xf32>, memref<8388608xf32>
  tg.launch @apart(%p, %g) : memref<8388608xf32>, memref<8388608xf32>
  return %p : memref<8388608xf32>
}

// -----

// Nothing to merge in a function without buffers.

// CHECK-LABEL: func.func @scalars
// CHECK-NEXT: return
func.func @scalars(%x: f32) -> (f32, f32) {
  return %x, %x : f32, f32
}

// -----

// Small kernels without a common operand: those that different launches feed or
// none, those with other ranges, and those that overwrite what one of them
// reads.

// CHECK-LABEL: func.func @other_producers
// CHECK-COUNT-4: tg.launch
// CHECK-LABEL: func.func @no_producer
// CHECK-COUNT-2: tg.launch
// CHECK-LABEL: func.func @other_ranges
// CHECK-COUNT-3: tg.launch
// REMARK:       sum_256 and max_128 stay apart: they have too little in common
// CHECK-LABEL: func.func @overwritten
// CHECK-COUNT-3: tg.launch
// REMARK:       first and first stay apart: one kernel reads what the other one overwrites at other positions
tg.kernel @parts(%a: memref<256xf32>, %b: memref<256xf32>, %in: memref<256xf32>) attributes {outputs = 2 : i64} {
  %i = tg.range 0 loop 256
  %x = tg.load %in[%i] : memref<256xf32>
  %y = tg.exp2 %x : f32
  tg.store %x, %a[%i] : memref<256xf32>
  tg.store %y, %b[%i] : memref<256xf32>
}
tg.kernel @one(%a: memref<256xf32>, %in: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 256
  %x = tg.load %in[%i] : memref<256xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %a[%i] : memref<256xf32>
}
tg.kernel @sum_256(%out: memref<1xf32>, %in: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 256
  %z = tg.const(0 : index) : index
  %x = tg.load %in[%i] : memref<256xf32>
  %y = tg.ranged_reduce add %x over %i : f32
  tg.store %y, %out[%z] : memref<1xf32>
}
tg.kernel @max_256(%out: memref<1xf32>, %in: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 256
  %z = tg.const(0 : index) : index
  %x = tg.load %in[%i] : memref<256xf32>
  %y = tg.ranged_reduce max %x over %i : f32
  tg.store %y, %out[%z] : memref<1xf32>
}
tg.kernel @max_128(%out: memref<1xf32>, %in: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 128
  %z = tg.const(0 : index) : index
  %x = tg.load %in[%i] : memref<256xf32>
  %y = tg.ranged_reduce max %x over %i : f32
  tg.store %y, %out[%z] : memref<1xf32>
}
tg.kernel @first(%out: memref<256xf32>, %in: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 256
  %z = tg.const(0 : index) : index
  %x = tg.load %in[%z] : memref<256xf32>
  tg.store %x, %out[%i] : memref<256xf32>
}
func.func @other_producers(%x: memref<256xf32>, %y: memref<256xf32>, %p: memref<1xf32>, %q: memref<1xf32>) {
  %a = tg.alloc on "CPU" : memref<256xf32>
  %b = tg.alloc on "CPU" : memref<256xf32>
  tg.launch @one(%a, %x) : memref<256xf32>, memref<256xf32>
  tg.launch @one(%b, %y) : memref<256xf32>, memref<256xf32>
  tg.launch @sum_256(%p, %a) : memref<1xf32>, memref<256xf32>
  tg.launch @max_256(%q, %b) : memref<1xf32>, memref<256xf32>
  return
}
func.func @no_producer(%x: memref<256xf32>, %y: memref<256xf32>, %p: memref<1xf32>, %q: memref<1xf32>) {
  tg.launch @sum_256(%p, %x) : memref<1xf32>, memref<256xf32>
  tg.launch @max_256(%q, %y) : memref<1xf32>, memref<256xf32>
  return
}
func.func @other_ranges(%x: memref<256xf32>, %p: memref<1xf32>, %q: memref<1xf32>) {
  %a = tg.alloc on "CPU" : memref<256xf32>
  %b = tg.alloc on "CPU" : memref<256xf32>
  tg.launch @parts(%a, %b, %x) : memref<256xf32>, memref<256xf32>, memref<256xf32>
  tg.launch @sum_256(%p, %a) : memref<1xf32>, memref<256xf32>
  tg.launch @max_128(%q, %b) : memref<1xf32>, memref<256xf32>
  return
}
func.func @overwritten(%x: memref<256xf32>) {
  %a = tg.alloc on "CPU" : memref<256xf32>
  %b = tg.alloc on "CPU" : memref<256xf32>
  tg.launch @parts(%a, %b, %x) : memref<256xf32>, memref<256xf32>, memref<256xf32>
  tg.launch @first(%x, %a) : memref<256xf32>, memref<256xf32>
  tg.launch @first(%a, %b) : memref<256xf32>, memref<256xf32>
  return
}

// -----

// Large kernels without a common operand, though one launch feeds both.

// CHECK-LABEL: func.func @large
// CHECK-COUNT-3: tg.launch
// REMARK:       r_0 and r_1 stay apart: they have too little in common
tg.kernel @parts(%a: memref<524288xf32>, %b: memref<524288xf32>, %in: memref<524288xf32>) attributes {outputs = 2 : i64} {
  %i = tg.range 0 loop 524288
  %x = tg.load %in[%i] : memref<524288xf32>
  %y = tg.exp2 %x : f32
  tg.store %x, %a[%i] : memref<524288xf32>
  tg.store %y, %b[%i] : memref<524288xf32>
}
tg.kernel @r_0(%out: memref<1xf32>, %in: memref<524288xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 524288
  %z = tg.const(0 : index) : index
  %x = tg.load %in[%i] : memref<524288xf32>
  %y = tg.ranged_reduce add %x over %i : f32
  tg.store %y, %out[%z] : memref<1xf32>
}
tg.kernel @r_1(%out: memref<1xf32>, %in: memref<524288xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 524288
  %z = tg.const(0 : index) : index
  %x = tg.load %in[%i] : memref<524288xf32>
  %y = tg.ranged_reduce max %x over %i : f32
  tg.store %y, %out[%z] : memref<1xf32>
}
func.func @large(%x: memref<524288xf32>, %p: memref<1xf32>, %q: memref<1xf32>) {
  %a = tg.alloc on "CPU" : memref<524288xf32>
  %b = tg.alloc on "CPU" : memref<524288xf32>
  tg.launch @parts(%a, %b, %x) : memref<524288xf32>, memref<524288xf32>, memref<524288xf32>
  tg.launch @r_0(%p, %a) : memref<1xf32>, memref<524288xf32>
  tg.launch @r_1(%q, %b) : memref<1xf32>, memref<524288xf32>
  return
}

// -----

// Updates of one buffer, of a buffer that is read, with a store that is none,
// over other positions, and where work items would be lost.

// CHECK-LABEL: func.func @same_buffer
// CHECK-COUNT-2: tg.launch
// REMARK:       count and count stay apart: both kernels store to one buffer
// CHECK-LABEL: func.func @read_by_update
// CHECK-COUNT-2: tg.launch
// REMARK:       count and add_values stay apart: the second kernel reads what the first one stores
// CHECK-LABEL: func.func @overwritten_by_update
// CHECK-COUNT-2: tg.launch
// REMARK:       add_values and count stay apart: one kernel reads what the other one overwrites
// CHECK-LABEL: func.func @one_update
// CHECK-COUNT-2: tg.launch
// REMARK:       count and neg stay apart: the order of positions matters to one of them
// CHECK-LABEL: func.func @fewer_updates
// CHECK-COUNT-2: tg.launch
// REMARK:       count and half stay apart: their results have different positions
// CHECK-LABEL: func.func @many_columns
// CHECK-COUNT-2: tg.launch
// REMARK:       count and columns stay apart: a work item of one kernel would have to update elements of several of the other
tg.kernel @count(%out: memref<64xi32>, %at: memref<64xi32>) attributes {in_place, outputs = 1 : i64} {
  %p = tg.range 0 loop 64
  %x = tg.const(1 : i32) : i32
  %l = tg.load %at[%p] : memref<64xi32>
  %k = tg.cast %l : i32 -> index
  tg.store %x, %out[%k] update add over %p : memref<64xi32>
}
tg.kernel @add_values(%out: memref<64xi32>, %at: memref<64xi32>, %in: memref<64xi32>) attributes {in_place, outputs = 1 : i64} {
  %p = tg.range 0 loop 64
  %x = tg.load %in[%p] : memref<64xi32>
  %l = tg.load %at[%p] : memref<64xi32>
  %k = tg.cast %l : i32 -> index
  tg.store %x, %out[%k] update add over %p : memref<64xi32>
}
tg.kernel @neg(%out: memref<64xi32>, %in: memref<64xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 64
  %x = tg.load %in[%i] : memref<64xi32>
  %y = tg.neg %x : i32
  tg.store %y, %out[%i] : memref<64xi32>
}
tg.kernel @half(%out: memref<64xi32>, %at: memref<64xi32>) attributes {in_place, outputs = 1 : i64} {
  %p = tg.range 0 loop 32
  %x = tg.const(1 : i32) : i32
  %l = tg.load %at[%p] : memref<64xi32>
  %k = tg.cast %l : i32 -> index
  tg.store %x, %out[%k] update add over %p : memref<64xi32>
}
tg.kernel @columns(%out: memref<1024xf32>, %at: memref<64xi32>, %in: memref<1024xf32>) attributes {in_place, outputs = 1 : i64} {
  %d = tg.range 0 loop 16
  %p = tg.range 1 loop 64
  %c = tg.const(16 : index) : index
  %r = tg.mul %p, %c : index
  %i = tg.add %r, %d : index
  %x = tg.load %in[%i] : memref<1024xf32>
  %l = tg.load %at[%p] : memref<64xi32>
  %k = tg.cast %l : i32 -> index
  %s = tg.mul %k, %c : index
  %j = tg.add %s, %d : index
  tg.store %x, %out[%j] update add over %p : memref<1024xf32>
}
func.func @same_buffer(%x: memref<64xi32>, %p: memref<64xi32>) {
  tg.launch @count(%p, %x) : memref<64xi32>, memref<64xi32>
  tg.launch @count(%p, %x) : memref<64xi32>, memref<64xi32>
  return
}
func.func @read_by_update(%x: memref<64xi32>, %p: memref<64xi32>, %q: memref<64xi32>) {
  tg.launch @count(%p, %x) : memref<64xi32>, memref<64xi32>
  tg.launch @add_values(%q, %x, %p) : memref<64xi32>, memref<64xi32>, memref<64xi32>
  return
}
func.func @overwritten_by_update(%x: memref<64xi32>, %p: memref<64xi32>, %q: memref<64xi32>) {
  tg.launch @add_values(%q, %x, %p) : memref<64xi32>, memref<64xi32>, memref<64xi32>
  tg.launch @count(%p, %x) : memref<64xi32>, memref<64xi32>
  return
}
func.func @one_update(%x: memref<64xi32>, %p: memref<64xi32>, %q: memref<64xi32>) {
  tg.launch @count(%p, %x) : memref<64xi32>, memref<64xi32>
  tg.launch @neg(%q, %x) : memref<64xi32>, memref<64xi32>
  return
}
func.func @fewer_updates(%x: memref<64xi32>, %p: memref<64xi32>, %q: memref<64xi32>) {
  tg.launch @count(%p, %x) : memref<64xi32>, memref<64xi32>
  tg.launch @half(%q, %x) : memref<64xi32>, memref<64xi32>
  return
}
func.func @many_columns(%x: memref<64xi32>, %y: memref<1024xf32>, %p: memref<64xi32>, %q: memref<1024xf32>) {
  tg.launch @count(%p, %x) : memref<64xi32>, memref<64xi32>
  tg.launch @columns(%q, %x, %y) : memref<1024xf32>, memref<64xi32>, memref<1024xf32>
  return
}

// -----

// What the last one reads beside the results of the first one depends on these,
// so it cannot be moved in front of it.

// CHECK-LABEL: func.func @depends_on_the_first
// CHECK-NEXT:    tg.launch @E_512_n0
// CHECK-NEXT:    tg.launch @r_512_n1
// CHECK-NEXT:    tg.launch @E_512_n3
// CHECK-NEXT:    return
tg.kernel @E_512_n0(%out: memref<512xf32>, %in: memref<512xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 512
  %x = tg.load %in[%i] : memref<512xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<512xf32>
}
tg.kernel @r_512_n1(%out: memref<1xf32>, %in: memref<512xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 0 loop 512
  %x = tg.load %in[%i] : memref<512xf32>
  %y = tg.ranged_reduce add %x over %i : f32
  tg.store %y, %out[%zero] : memref<1xf32>
}
tg.kernel @E_512_n3(%out: memref<512xf32>, %in: memref<512xf32>, %c: memref<1xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 0 loop 512
  %x = tg.load %in[%i] : memref<512xf32>
  %z = tg.load %c[%zero] : memref<1xf32>
  %w = tg.fdiv %x, %z : f32
  tg.store %w, %out[%i] : memref<512xf32>
}
func.func @depends_on_the_first(%x: memref<512xf32>, %p: memref<512xf32>, %c: memref<1xf32>, %q: memref<512xf32>) {
  tg.launch @E_512_n0(%p, %x) : memref<512xf32>, memref<512xf32>
  tg.launch @r_512_n1(%c, %p) : memref<1xf32>, memref<512xf32>
  tg.launch @E_512_n3(%q, %p, %c) : memref<512xf32>, memref<512xf32>, memref<1xf32>
  return
}
