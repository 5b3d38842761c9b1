// One case for each constraint of the operations of host programs and kernels.

// RUN: tg-opt -split-input-file -verify-diagnostics -allow-unregistered-dialect %s

//===----------------------------------------------------------------------===//
// Host programs
//===----------------------------------------------------------------------===//

func.func @alloc_rank() {
  // expected-error @+1 {{'tg.alloc' op result #0 must be flat memref of a tg element type, of at most 2^53 elements, but got 'memref<4x4xf32>'}}
  %0 = tg.alloc on "CPU" : memref<4x4xf32>
  return
}

// -----

func.func @alloc_element() {
  // expected-error @+1 {{'tg.alloc' op result #0 must be flat memref of a tg element type, of at most 2^53 elements, but got 'memref<4xindex>'}}
  %0 = tg.alloc on "CPU" : memref<4xindex>
  return
}

// -----

func.func @alloc_layout() {
  // expected-error @+1 {{'tg.alloc' op result #0 must be flat memref of a tg element type}}
  %0 = tg.alloc on "CPU" : memref<4xf32, strided<[2]>>
  return
}

// -----

func.func @subbuffer_c3(%x: memref<64xi8, 3>) {
  // expected-error @+1 {{'tg.subbuffer' op is in another memory space than its source 'memref<64xi8, 3>' (C3)}}
  %0 = tg.subbuffer %x at (0) : memref<64xi8, 3> -> memref<16xf32>
  return
}

// -----

func.func @literal_c1_count() {
  // expected-error @+1 {{'tg.literal' op the value is 'tensor<3xi32>', the result 'memref<4xi32>' (C1)}}
  %0 = tg.literal dense<[1, 2, 3]> : tensor<3xi32> on "CPU" : memref<4xi32>
  return
}

// -----

func.func @literal_c1_type() {
  // expected-error @+1 {{'tg.literal' op the value is 'tensor<3xi32>', the result 'memref<3xui32>' (C1)}}
  %0 = tg.literal dense<[1, 2, 3]> : tensor<3xi32> on "CPU" : memref<3xui32>
  return
}

// -----

func.func @view_c1(%x: memref<64xi8>) {
  // expected-error @+1 {{'tg.subbuffer' op ends at byte 72 of a source of 64 bytes (C1)}}
  %0 = tg.subbuffer %x at (8) : memref<64xi8> -> memref<16xf32>
  return
}

// -----

func.func @view_c1_huge(%x: memref<64xi8>) {
  // expected-error @+1 {{of a source of 64 bytes (C1)}}
  %0 = tg.subbuffer %x at (9223372036854775800) : memref<64xi8> -> memref<9007199254740992xf64>
  return
}

// -----

func.func @view_c2(%x: memref<64xi8>) {
  // expected-error @+1 {{'tg.subbuffer' op offset 6 is not a multiple of the element size 4 (C2)}}
  %0 = tg.subbuffer %x at (6) : memref<64xi8> -> memref<4xf32>
  return
}

// -----

func.func @view_c2_negative(%x: memref<64xi8>) {
  // expected-error @+1 {{'tg.subbuffer' op offset -4 is negative (C2)}}
  %0 = tg.subbuffer %x at (-4) : memref<64xi8> -> memref<4xf32>
  return
}

// -----

func.func @transfer_types(%x: memref<4xf32>, %y: memref<5xf32>) {
  // expected-error @+1 {{'tg.transfer' op requires all operands to have the same type}}
  "tg.transfer"(%x, %y) : (memref<4xf32>, memref<5xf32>) -> ()
  return
}

// -----

func.func @launch_c1_symbol(%x: memref<4xf32>) {
  // expected-error @+1 {{'tg.launch' op 'missing' is not a tg.kernel (C1)}}
  tg.launch @missing(%x) : memref<4xf32>
  return
}

// -----

func.func private @not_a_kernel(memref<4xf32>)
func.func @launch_c1_kind(%x: memref<4xf32>) {
  // expected-error @+1 {{'tg.launch' op 'not_a_kernel' is not a tg.kernel (C1)}}
  tg.launch @not_a_kernel(%x) : memref<4xf32>
  return
}

// -----

tg.kernel @k(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
}
func.func @launch_c1_types(%x: memref<4xf32>, %y: memref<4xi32>) {
  // expected-error @+1 {{'tg.launch' op passes ('memref<4xf32>', 'memref<4xi32>') to 'k', which takes ('memref<4xf32>', 'memref<4xf32>') (C1)}}
  tg.launch @k(%x, %y) : memref<4xf32>, memref<4xi32>
  return
}

// -----

tg.kernel @k(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
}
func.func @launch_c2(%x: memref<4xf32>) {
  // expected-error @+1 {{'tg.launch' op the buffer written as argument 0 is also argument 1 (C2)}}
  tg.launch @k(%x, %x) : memref<4xf32>, memref<4xf32>
  return
}

// -----

tg.kernel @k(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
}
func.func @launch_c2_overlap() {
  %arena = tg.alloc on "CPU" : memref<64xi8>
  %x = tg.subbuffer %arena at (16) : memref<64xi8> -> memref<8xf32>
  %y = tg.subbuffer %x at (12) : memref<8xf32> -> memref<4xf32>
  %z = tg.subbuffer %arena at (40) : memref<64xi8> -> memref<4xf32>
  // expected-error @+1 {{'tg.launch' op the buffer written as argument 0 overlaps argument 1 (C2)}}
  tg.launch @k(%y, %z) : memref<4xf32>, memref<4xf32>
  return
}

// -----

tg.kernel @k(%out: memref<4xf32>, %other: memref<4xf32>) attributes {outputs = 2 : i64} {
}
func.func @launch_c2_outputs(%x: memref<8xf32>) {
  %a = tg.subbuffer %x at (0) : memref<8xf32> -> memref<4xf32>
  %b = tg.subbuffer %x at (0) : memref<8xf32> -> memref<4xf32>
  // expected-error @+1 {{'tg.launch' op the buffer written as argument 0 overlaps argument 1 (C2)}}
  tg.launch @k(%a, %b) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// Neighbors, parts that are only read, nothing at all, and kernels in place.
tg.kernel @k(%out: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>) attributes {outputs = 1 : i64} {
}
tg.kernel @in_place(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64, in_place} {
}
tg.kernel @empty(%out: memref<0xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
}
func.func @launch_c2_valid(%x: memref<8xf32>) {
  %0 = tg.subbuffer %x at (0) : memref<8xf32> -> memref<4xf32>
  %1 = tg.subbuffer %x at (4) : memref<8xf32> -> memref<4xf32>
  %2 = tg.subbuffer %x at (16) : memref<8xf32> -> memref<4xf32>
  tg.launch @k(%2, %0, %0) : memref<4xf32>, memref<4xf32>, memref<4xf32>
  %y = tg.alloc on "CPU" : memref<4xf32>
  tg.launch @k(%y, %0, %1) : memref<4xf32>, memref<4xf32>, memref<4xf32>
  tg.launch @in_place(%0, %0) : memref<4xf32>, memref<4xf32>
  tg.launch @in_place(%0, %1) : memref<4xf32>, memref<4xf32>
  %3 = tg.subbuffer %x at (8) : memref<8xf32> -> memref<0xf32>
  tg.launch @empty(%3, %x) : memref<0xf32>, memref<8xf32>
  return
}

// -----

tg.kernel @k(%out: memref<2xf32>, %a: memref<2xf32>) attributes {outputs = 1 : i64, in_place} {
}
func.func @launch_c3(%x: memref<2xf32>) {
  %c = tg.literal dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> on "CPU" : memref<4xf32>
  %v = tg.subbuffer %c at (8) : memref<4xf32> -> memref<2xf32>
  tg.launch @k(%x, %v) : memref<2xf32>, memref<2xf32>
  // expected-error @+1 {{'tg.launch' op argument 0, which the kernel writes, is a tg.literal (C3)}}
  tg.launch @k(%v, %x) : memref<2xf32>, memref<2xf32>
  return
}

// -----

tg.kernel @k(%out: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>) attributes {outputs = 1 : i64} {
}
func.func @launch_c4(%x: memref<4xf32>) {
  %0 = tg.alloc on "CPU" : memref<4xf32>
  %1 = tg.alloc on "NULL" : memref<16xi8>
  %2 = tg.subbuffer %1 at (0) : memref<16xi8> -> memref<4xf32>
  // expected-error @+1 {{'tg.launch' op argument 0 is on CPU, argument 2 on NULL (C4)}}
  tg.launch @k(%0, %x, %2) : memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

tg.kernel @k(%out: memref<4xi32>, %a: memref<4xi32>, %b: memref<4xi32>) attributes {outputs = 1 : i64} {
}
func.func @launch_c4_argument(%x: memref<4xi32> {tg.device = "CPU:1"}) {
  %0 = tg.literal dense<[1, 2, 3, 4]> : tensor<4xi32> on "cpu" : memref<4xi32>
  %1 = tg.alloc on "CPU:0" : memref<4xi32>
  tg.launch @k(%1, %0, %0) : memref<4xi32>, memref<4xi32>, memref<4xi32>
  // expected-error @+1 {{'tg.launch' op argument 1 is on cpu, argument 2 on CPU:1 (C4)}}
  tg.launch @k(%1, %0, %x) : memref<4xi32>, memref<4xi32>, memref<4xi32>
  return
}

// -----

func.func @transfer_c2(%x: memref<2xi32>) {
  %c = tg.literal dense<[1, 2, 3]> : tensor<3xi32> on "CPU" : memref<3xi32>
  %v = tg.subbuffer %c at (4) : memref<3xi32> -> memref<2xi32>
  tg.transfer %v to %x : memref<2xi32>
  // expected-error @+1 {{'tg.transfer' op writes to a tg.literal (C2)}}
  tg.transfer %x to %v : memref<2xi32>
  return
}

// -----

func.func @transfer_c3(%x: memref<8xi32>) {
  %0 = tg.subbuffer %x at (0) : memref<8xi32> -> memref<4xi32>
  %1 = tg.subbuffer %x at (16) : memref<8xi32> -> memref<4xi32>
  tg.transfer %0 to %1 : memref<4xi32>
  %2 = tg.subbuffer %x at (12) : memref<8xi32> -> memref<4xi32>
  // expected-error @+1 {{'tg.transfer' op the source overlaps the destination (C3)}}
  tg.transfer %0 to %2 : memref<4xi32>
  return
}

// -----

func.func @launch_c5_count(%x: memref<4xf32>) {
  // expected-error @+1 {{'tg.launch' op gives 0 numbers to 'with_number', which takes 1 (C5)}}
  tg.launch @with_number(%x) : memref<4xf32>
  return
}
tg.kernel @with_number(%out: memref<4xf32>) attributes {outputs = 1 : i64, numbers = [#tg.var<"n", 1, 4>]} {
}

// -----

func.func @launch_c5_needless(%x: memref<4xf32>) {
  // expected-error @+1 {{'tg.launch' op gives 1 numbers to 'without', which takes 0 (C5)}}
  tg.launch @without(%x) {numbers = array<i64: 1>} : memref<4xf32>
  return
}
tg.kernel @without(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
}

// -----

func.func @launch_c5_bounds(%x: memref<4xf32>) {
  // expected-error @+1 {{'tg.launch' op gives 'n' the value 5, which is not in [1, 4] (C5)}}
  tg.launch @with_number(%x) {numbers = array<i64: 5>} : memref<4xf32>
  return
}
tg.kernel @with_number(%out: memref<4xf32>) attributes {outputs = 1 : i64, numbers = [#tg.var<"n", 1, 4>]} {
}

// -----

// expected-error @+1 {{'tg.kernel' op number 'n' has a value (C9)}}
tg.kernel @number_c9_value(%out: memref<4xf32>) attributes {outputs = 1 : i64, numbers = [#tg.var<"n", 1, 4, 2>]} {
}

// -----

// expected-error @+1 {{'tg.kernel' op lists the number 'n' twice (C9)}}
tg.kernel @number_c9_twice(%out: memref<4xf32>) attributes {outputs = 1 : i64, numbers = [#tg.var<"n", 1, 4>, #tg.var<"n", 1, 4>]} {
}

// -----

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

// expected-error @+1 {{'tg.kernel' op argument 1 is 'f32', not a flat buffer of a tg element type, of at most 2^53 elements (C1)}}
tg.kernel @kernel_c1_argument(%out: memref<4xf32>, %n: f32) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{'tg.kernel' op argument 0 is 'memref<4xi7>', not a flat buffer of a tg element type, of at most 2^53 elements (C1)}}
tg.kernel @kernel_c1_element(%out: memref<4xi7>) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{'tg.kernel' op argument 0 is 'memref<4x4xf32, 3>', not a flat buffer of a tg element type, of at most 2^53 elements (C1)}}
tg.kernel @kernel_c1_rank(%out: memref<4x4xf32, 3>) attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{'tg.kernel' op has results; a kernel writes through its arguments (C1)}}
tg.kernel @kernel_c1_results(%out: memref<4xf32>) -> f32 attributes {outputs = 1 : i64} {
}

// -----

// expected-error @+1 {{'tg.kernel' op has 2 outputs but only 1 arguments (C1)}}
tg.kernel @kernel_c1_outputs(%out: memref<4xf32>) attributes {outputs = 2 : i64} {
}

// -----

// expected-error @+1 {{'tg.kernel' op attribute 'outputs' failed to satisfy constraint}}
tg.kernel @kernel_c1_negative(%out: memref<4xf32>) attributes {outputs = -1 : i64} {
}

// -----

tg.kernel @kernel_c2(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 3 loop 4
  // expected-error @+1 {{'tg.range' op id 3 is used by another range (C2)}}
  %j = tg.range 3 loop 5
}

// -----

tg.kernel @kernel_c3_foreign(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'foreign.op' op is not allowed inside a tg.kernel (C3)}}
  "foreign.op"() : () -> ()
}

// -----

tg.kernel @kernel_c3_arith(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'arith.constant' op is not allowed inside a tg.kernel (C3)}}
  %0 = arith.constant 1 : index
}

// -----

tg.kernel @kernel_c3_host(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'tg.alloc' op is not allowed inside a tg.kernel (C3)}}
  %0 = tg.alloc on "CPU" : memref<4xf32>
}

// -----

tg.kernel @kernel_c3_literal(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'tg.literal' op is not allowed inside a tg.kernel (C3)}}
  %0 = tg.literal dense<[1, 2, 3]> : tensor<3xi32> on "CPU" : memref<3xi32>
}

// -----

tg.kernel @kernel_c3_kernel(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'tg.kernel' op symbol's parent must have the SymbolTable trait}}
  tg.kernel @inner() attributes {outputs = 0 : i64} {
  }
}

// -----

tg.kernel @kernel_c3_tensor(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'tg.const' op works on tensors inside a kernel (C3)}}
  %0 = tg.const(1.0 : f32) : tensor<4xf32>
}

// -----

tg.kernel @kernel_c4_index(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 7 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-note @+1 {{the tg.ranged_reduce}}
  %s = tg.ranged_reduce add %x over %i : f32
  // expected-error @+1 {{'tg.store' op depends on range 7, which a tg.ranged_reduce closes (C4)}}
  tg.store %s, %out[%i] : memref<4xf32>
}

// -----

tg.kernel @kernel_c4_value(%out: memref<1xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-note @+1 {{the tg.ranged_reduce}}
  %s = tg.ranged_reduce add %x over %i : f32
  %y = tg.mul %s, %x : f32
  // expected-error @+1 {{'tg.store' op depends on range 0, which a tg.ranged_reduce closes (C4)}}
  tg.store %y, %out[%zero] : memref<1xf32>
}

// -----

tg.kernel @kernel_c4_mask(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %two = tg.const(2 : index) : index
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 4
  %m = tg.cmplt %j, %two : index
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.store' op depends on range 1, which a tg.ranged_reduce closes (C4)}}
  tg.store %x, %out[%i] mask %m : memref<4xf32>
  // expected-note @+1 {{the tg.ranged_reduce}}
  %s = tg.ranged_reduce add %x over %j : f32
}

// -----

tg.kernel @kernel_c5_store(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.store' op writes to argument 1, which is not one of the 1 outputs (C5)}}
  tg.store %x, %a[%i] : memref<4xf32>
}

// -----

tg.kernel @kernel_c5_store_to_tile(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.const(1.0 : f32) : f32
  %t = tg.stage %x over %i : memref<4xf32>
  // expected-error @+1 {{'tg.store' op writes to a buffer that is not an argument of the kernel (C5)}}
  tg.store %x, %t[%i] : memref<4xf32>
}

// -----

tg.kernel @kernel_c5_load(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  // expected-error @+1 {{'tg.load' op reads argument 0, an output of a kernel that is not 'in_place' (C5)}}
  %x = tg.load %out[%i] : memref<4xf32>
}

// -----

tg.kernel @kernel_c6(%out: memref<4xi1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4294967296
  %j = tg.range 1 loop 4294967296
  // expected-error @+1 {{'tg.cmplt' op is evaluated at more positions than fit into 63 bits (C6)}}
  %x = tg.cmplt %i, %j : index
}

// -----

tg.kernel @kernel_c6_threads() attributes {outputs = 0 : i64} {
  %i = tg.range 0 thread 4294967296
  // expected-error @+1 {{'tg.range' op makes the number of work items exceed 63 bits (C6)}}
  %j = tg.range 1 global 4294967296
}

// -----

// Not 2^64 positions: no value depends on both.
tg.kernel @kernel_c6_apart(%out: memref<2xf32>, %a: memref<1xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %one = tg.const(1 : index) : index
  %i = tg.range 0 loop 4294967296
  %j = tg.range 1 loop 4294967296
  %x = tg.load %a[%zero] : memref<1xf32>
  %s = tg.ranged_reduce add %x over %i : f32
  %t = tg.ranged_reduce add %x over %j : f32
  tg.store %s, %out[%zero] : memref<2xf32>
  tg.store %t, %out[%one] : memref<2xf32>
}

// -----

// expected-error @+1 {{expected '{' to begin a region}}
tg.kernel @kernel_without_body(%out: memref<4xf32>) attributes {outputs = 1 : i64}

// -----

//===----------------------------------------------------------------------===//
// Inside kernels
//===----------------------------------------------------------------------===//

tg.kernel @range_c1() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op extent -1 is negative (C1)}}
  %i = tg.range 0 loop -1
}

// -----

tg.kernel @range_extent_of_text() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op attribute 'extent' failed to satisfy constraint: dimension}}
  %i = tg.range 0 loop "x"
}

// -----

tg.kernel @range_extent_of_i32() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op attribute 'extent' failed to satisfy constraint: dimension}}
  %i = tg.range 0 loop 4 : i32
}

// -----

tg.kernel @range_c1_long() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op extent 9007199254740993 can be more than 2^53 (C1)}}
  %i = tg.range 0 loop 9007199254740993
}

// -----

tg.kernel @range_c1_longest() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op extent 9223372036854775807 can be more than 2^53 (C1)}}
  %i = tg.range 0 thread 9223372036854775807 peel 1
}

// -----

tg.kernel @range_c3() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op id 9223372036854775807 is not in [0, 2^31) (C3)}}
  %i = tg.range 9223372036854775807 loop 4
}

// -----

tg.kernel @range_c3_limit() attributes {outputs = 0 : i64} {
  %i = tg.range 2147483647 loop 4
  // expected-error @+1 {{'tg.range' op id 2147483648 is not in [0, 2^31) (C3)}}
  %j = tg.range 2147483648 loop 4
}

// -----

tg.kernel @range_c3_negative() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op id -1 is not in [0, 2^31) (C3)}}
  %i = tg.range -1 loop 4
}

// -----

tg.kernel @range_c2() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op peels 5 of 4 positions (C2)}}
  %i = tg.range 0 loop 4 peel 5
}

// -----

tg.kernel @range_c2_negative() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op peels -1 of 4 positions (C2)}}
  %i = tg.range 0 loop 4 peel -1
}

// -----

tg.kernel @range_c2_kind() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op peels a range of kind 'upcast'; only loop and thread ranges can be peeled (C2)}}
  %i = tg.range 0 upcast 4 peel 1
}

// -----

tg.kernel @range_kind() attributes {outputs = 0 : i64} {
  // expected-error @+2 {{failed to parse Tg_RangeKindAttr}}
  // expected-error @+1 {{expected ::mlir::tg::RangeKind to be one of: loop, thread, global, local, upcast, unroll, group_reduce}}
  %i = tg.range 0 warp 4
}

// -----

tg.kernel @ranged_reduce_c1() attributes {outputs = 0 : i64} {
  %i = tg.const(0 : index) : index
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.ranged_reduce' op range operand 0 is not the result of a tg.range (C1)}}
  %s = tg.ranged_reduce add %x over %i : f32
}

// -----

tg.kernel @ranged_reduce_c1_twice() attributes {outputs = 0 : i64} {
  %i = tg.range 5 loop 4
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.ranged_reduce' op lists range 5 twice (C1)}}
  %s = tg.ranged_reduce add %x over %i, %i : f32
}

// -----

tg.kernel @load_c1(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.const(4 : index) : index
  // expected-error @+1 {{'tg.load' op accesses position 4 of a buffer of 4 elements (C1)}}
  %x = tg.load %a[%i] : memref<4xf32>
}

// -----

tg.kernel @load_c1_range(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 5
  // expected-error @+1 {{'tg.load' op accesses position 4 of a buffer of 4 elements (C1)}}
  %x = tg.load %a[%i] : memref<4xf32>
}

// -----

tg.kernel @load_type(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  // expected-error @+1 {{'tg.load' op failed to verify that result is the element type of the buffer}}
  %x = "tg.load"(%a, %i) : (memref<4xf32>, index) -> f64
}

// -----

tg.kernel @store_c1(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.const(-1 : index) : index
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.store' op accesses position -1 of a buffer of 4 elements (C1)}}
  tg.store %x, %out[%i] : memref<4xf32>
}

// -----

tg.kernel @store_c2(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 3 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.store' op writes a value that depends on range 3 to an index that does not (C2)}}
  tg.store %x, %out[%zero] : memref<4xf32>
}

// -----

tg.kernel @store_type(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.const(1.0 : f64) : f64
  // expected-error @+1 {{'tg.store' op failed to verify that the value has the element type of the buffer}}
  "tg.store"(%x, %out, %i) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (f64, memref<4xf32>, index) -> ()
}

// -----

tg.kernel @stage_c1() attributes {outputs = 0 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 5
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.stage' op the tile is 'memref<16xf32>', the ranges have 20 positions (C1)}}
  %t = tg.stage %x over %i, %j : memref<16xf32>
}

// -----

tg.kernel @stage_c1_huge() attributes {outputs = 0 : i64} {
  %i = tg.range 0 loop 9007199254740992
  %j = tg.range 1 loop 9007199254740992
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.stage' op has more positions than fit into 63 bits (C1)}}
  %t = tg.stage %x over %i, %j : memref<16xf32>
}

// -----

tg.kernel @stage_c2(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.add %i, %i : index
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.stage' op range operand 0 is not the result of a tg.range (C2)}}
  %t = tg.stage %x over %j : memref<4xf32>
}

// -----

tg.kernel @stage_c3() attributes {outputs = 0 : i64} {
  %i = tg.range 7 local 4
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.stage' op a work item's tile has range 7 of kind 'local', whose positions are other work items; the tile of a group is 'in group' (C3)}}
  %t = tg.stage %x over %i : memref<4xf32>
}

// -----

tg.kernel @stage_c4(%out: memref<4xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 4
  %j = tg.range 1 local 8
  %n = tg.const(8 : index) : index
  %row = tg.mul %i, %n : index
  %at = tg.add %row, %j : index
  %x = tg.load %a[%at] : memref<32xf32>
  // expected-error @+1 {{'tg.stage' op the value of a group's tile depends on range 0 of kind 'local', which is not among its ranges (C4)}}
  %t = tg.stage %x over %j in group : memref<8xf32>
}

// -----

tg.kernel @stage_c4_reduce(%out: memref<2xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 2
  %k = tg.range 1 group_reduce 8
  %n = tg.const(2 : index) : index
  %row = tg.mul %k, %n : index
  %at = tg.add %row, %i : index
  %x = tg.load %a[%at] : memref<16xf32>
  // expected-error @+1 {{'tg.stage' op the value of a group's tile depends on range 1 of kind 'group_reduce', which is not among its ranges (C4)}}
  %t = tg.stage %x over %i in group : memref<2xf32>
}

// -----

tg.kernel @stage_memory() attributes {outputs = 0 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+2 {{failed to parse Tg_TileMemoryAttr}}
  // expected-error @+1 {{expected ::mlir::tg::TileMemory to be one of: item, group}}
  %t = tg.stage %x over %i in device : memref<4xf32>
}

// -----

tg.kernel @barrier_c1(%out: memref<4xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'tg.barrier' op the operand is not the result of a tg.stage (C1)}}
  %b = tg.barrier %out : memref<4xf32>
}

// -----

func.func @too_large() {
  // expected-error @+1 {{'tg.alloc' op result #0 must be flat memref of a tg element type, of at most 2^53 elements, but got 'memref<9007199254740993xi8>'}}
  %0 = tg.alloc on "CPU" : memref<9007199254740993xi8>
  return
}

// -----

tg.kernel @too_far(%o: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  // expected-error @+1 {{'tg.load' op attribute 'prefetch' failed to satisfy constraint}}
  %x = tg.load %a[%i] prefetch 9007199254740993 : memref<4xf32>
  tg.store %x, %o[%i] : memref<4xf32>
}

// -----

tg.kernel @too_far_back(%o: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.store' op attribute 'prefetch' failed to satisfy constraint}}
  tg.store %x, %o[%i] prefetch -1 : memref<4xf32>
}

// -----

tg.kernel @contract_c2_name(%out: memref<256xf32>, %a: memref<16xf16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %l = tg.range 2 local 16
  %k = tg.range 1 unroll 16
  %x = tg.load %a[%l] : memref<16xf16>
  %t = tg.stage %x over %l in group : memref<16xf16>
  %b = tg.barrier %t : memref<16xf16>
  %y = tg.load %b[%k] : memref<16xf16>
  %c = tg.cast %y : f16 -> f32
  %p = tg.mul %c, %c : f32
  // expected-error @+1 {{'tg.ranged_reduce' op 'mma_m1n1k1_f16' is no matrix operation (C2)}}
  %s = tg.ranged_reduce add %p over %k on "mma_m1n1k1_f16" : f32
  tg.store %s, %out[%i] : memref<256xf32>
}

// -----

tg.kernel @contract_c2_kind(%out: memref<256xf32>, %a: memref<16xf16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %l = tg.range 2 local 16
  %k = tg.range 1 unroll 16
  %x = tg.load %a[%l] : memref<16xf16>
  %t = tg.stage %x over %l in group : memref<16xf16>
  %b = tg.barrier %t : memref<16xf16>
  %y = tg.load %b[%k] : memref<16xf16>
  %c = tg.cast %y : f16 -> f32
  %p = tg.mul %c, %c : f32
  // expected-error @+1 {{a matrix operation computes a sum over at least one range (C2)}}
  %s = tg.ranged_reduce max %p over %k on "mma_m16n8k16_f16" : f32
  tg.store %s, %out[%i] : memref<256xf32>
}

// -----

tg.kernel @contract_c2_value(%out: memref<256xf32>, %a: memref<16xf16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %l = tg.range 2 local 16
  %k = tg.range 1 unroll 16
  %x = tg.load %a[%l] : memref<16xf16>
  %t = tg.stage %x over %l in group : memref<16xf16>
  %b = tg.barrier %t : memref<16xf16>
  %y = tg.load %b[%k] : memref<16xf16>
  %c = tg.cast %y : f16 -> f32
  %p = tg.add %c, %c : f32
  // expected-error @+1 {{a matrix operation adds up products of two elements of tiles of a group (C2)}}
  %s = tg.ranged_reduce add %p over %k on "mma_m16n8k16_f16" : f32
  tg.store %s, %out[%i] : memref<256xf32>
}

// -----

tg.kernel @contract_c2_type(%out: memref<256xf32>, %a: memref<16xbf16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %l = tg.range 2 local 16
  %k = tg.range 1 unroll 16
  %x = tg.load %a[%l] : memref<16xbf16>
  %t = tg.stage %x over %l in group : memref<16xbf16>
  %b = tg.barrier %t : memref<16xbf16>
  %y = tg.load %b[%k] : memref<16xbf16>
  %c = tg.cast %y : bf16 -> f32
  %p = tg.mul %c, %c : f32
  // expected-error @+1 {{'mma_m16n8k16_f16' does not add up products of 'bf16' as 'f32' (C2)}}
  %s = tg.ranged_reduce add %p over %k on "mma_m16n8k16_f16" : f32
  tg.store %s, %out[%i] : memref<256xf32>
}

// -----

tg.kernel @contract_c2_factor(%out: memref<256xf32>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 16
  %l = tg.range 2 local 16
  %k = tg.range 1 unroll 16
  %x = tg.load %a[%l] : memref<16xf32>
  %t = tg.stage %x over %l in group : memref<16xf32>
  %b = tg.barrier %t : memref<16xf32>
  %y = tg.load %b[%k] : memref<16xf32>
  %c = tg.neg %y : f32
  %p = tg.mul %c, %c : f32
  // expected-error @+1 {{a matrix operation adds up products of two elements of tiles of a group (C2)}}
  %s = tg.ranged_reduce add %p over %k on "mfma_16x16x4_f32" : f32
  tg.store %s, %out[%i] : memref<256xf32>
}

// -----

tg.kernel @stage_c5(%out: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  // expected-error @+1 {{'tg.stage' op a tile of a work item has one buffer (C5)}}
  %t = tg.stage %x over %i buffers 2 : memref<4xf32>
}

// -----

tg.kernel @tma_without_buffers(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 64
  %j = tg.range 1 local 64
  %x = tg.load %a[%j] : memref<64xf32>
  // expected-error @+1 {{'tg.stage' op only a tile with 'buffers' is filled 'as tma' (C5)}}
  %t = tg.stage %x over %j in group as tma : memref<64xf32>
  %b = tg.barrier %t : memref<64xf32>
  %y = tg.load %b[%i] : memref<64xf32>
  tg.store %y, %out[%i] : memref<64xf32>
}

// -----

tg.kernel @by_warpgroup_without_buffers(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 64
  %j = tg.range 1 local 64
  %x = tg.load %a[%j] : memref<64xf32>
  // expected-error @+1 {{'tg.by_warpgroup' is a unit attribute of 'tg.stage' with 'buffers'}}
  %t = tg.stage %x over %j in group {tg.by_warpgroup} : memref<64xf32>
  %b = tg.barrier %t : memref<64xf32>
  %y = tg.load %b[%i] : memref<64xf32>
  tg.store %y, %out[%i] : memref<64xf32>
}

// -----

tg.kernel @across_blocks_without_warpgroup(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 64
  %j = tg.range 1 local 64
  %x = tg.load %a[%j] : memref<64xf32>
  // expected-error @+1 {{'tg.across_blocks' is a unit attribute of 'tg.stage' with 'tg.by_warpgroup'}}
  %t = tg.stage %x over %j in group buffers 2 as tma {tg.across_blocks} : memref<64xf32>
  %b = tg.barrier %t : memref<64xf32>
  %y = tg.load %b[%i] : memref<64xf32>
  tg.store %y, %out[%i] : memref<64xf32>
}

// -----

tg.kernel @band_of_loop(%out: memref<64xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'tg.band' is an i64 attribute of 2 or more, of 'tg.range' of kind 'global'}}
  %i = tg.range 0 loop 64 {tg.band = 8 : i64}
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

tg.kernel @band_of_one(%out: memref<64xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{'tg.band' is an i64 attribute of 2 or more, of 'tg.range' of kind 'global'}}
  %i = tg.range 0 global 64 {tg.band = 1 : i64}
  %x = tg.const(1.0 : f32) : f32
  tg.store %x, %out[%i] : memref<64xf32>
}

// -----

tg.kernel @tma_of_update(%out: memref<64xf32>, %a: memref<64xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 64
  %x = tg.load %a[%i] : memref<64xf32>
  // expected-error @+1 {{'tg.store' op an update is not stored 'as tma' (C3)}}
  tg.store %x, %out[%i] update add as tma : memref<64xf32>
}
