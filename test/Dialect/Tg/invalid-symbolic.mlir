// What is rejected of symbolic shapes. Names are those of the constraints.

// RUN: tg-opt -split-input-file -verify-diagnostics %s

#n = #tg.var<"n", 1, 8>
func.func @reshape_c1(%x: tensor<?x4xf32, #tg.shape<#n, 4>>) {
  // expected-error @+1 {{'tg.reshape' op changes the number of elements (C1): [n, 4] to [n, 5]}}
  %0 = tg.reshape %x : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<?x5xf32, #tg.shape<#n, 5>>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @expand_c1(%x: tensor<?xf32, #tg.shape<#n>>) {
  // expected-error @+1 {{'tg.expand' op changes an axis whose size is not 1 (C1): [n] to [8]}}
  %0 = tg.expand %x : tensor<?xf32, #tg.shape<#n>> -> tensor<8xf32>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @pad_c1(%x: tensor<4xf32>) {
  // For n = 1 it is -1.
  // expected-error @+2 {{'tg.pad' op axis 0 has a negative amount: (n + -2) and 0 (C1)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.pad %x low [#tg.dim<add, #n, -2>] high [0] : tensor<4xf32> -> tensor<?xf32, #tg.shape<#tg.dim<add, #n, 2>>>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @shrink_c1_end(%x: tensor<4xf32>) {
  // For n = 5 to 8 there are not as many.
  // expected-error @+2 {{'tg.shrink' op axis 0 of size 4 has no part from 0 to n (C1)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.shrink %x from [0] to [#n] : tensor<4xf32> -> tensor<?xf32, #tg.shape<#n>>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @shrink_c1_order(%x: tensor<?xf32, #tg.shape<#n>>) {
  // For n = 1 nothing is left from 2 on.
  // expected-error @+2 {{'tg.shrink' op axis 0 of size n has no part from 2 to n (C1)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.shrink %x from [2] to [#n] : tensor<?xf32, #tg.shape<#n>> -> tensor<?xf32, #tg.shape<#n>>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @permute_result(%x: tensor<?x4xf32, #tg.shape<#n, 4>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 8>>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.permute %x [1, 0] : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<4x?xf32, #tg.shape<4, #tg.var<"m", 1, 8>>>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @reduce_result(%x: tensor<?xf32, #tg.shape<#n>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.reduce add %x axes [0] : tensor<?xf32, #tg.shape<#n>> -> tensor<?xf32, #tg.shape<#n>>
  return
}

// -----

tg.kernel @range_c1() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op extent (n + -2) is negative (C1)}}
  %i = tg.range 0 loop #tg.dim<add, #tg.var<"n", 1, 8>, -2>
}

// -----

tg.kernel @range_c2() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op peels 9 of n positions (C2)}}
  %i = tg.range 0 loop #tg.var<"n", 1, 8> peel 9
}

// -----

tg.kernel @stage_c1() attributes {outputs = 0 : i64} {
  %i = tg.range 0 loop #tg.var<"n", 1, 8>
  %x = tg.const(1.0 : f32) : f32
  // expected-error @+1 {{'tg.stage' op the tile is 'memref<4xf32>', the ranges have 8 positions (C1)}}
  %t = tg.stage %x over %i : memref<4xf32>
}

// -----

// expected-error @+1 {{variable 'n' is bound to 9, which is not in [1, 8]}}
func.func private @f(tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8, 9>>>)

// -----

func.func @view_c1(%x: memref<8xf32>) {
  // expected-error @+1 {{'tg.subbuffer' op can end at byte 36 of a source of 32 bytes (C1)}}
  %0 = tg.subbuffer %x at (#tg.dim<mul, #tg.var<"n", 0, 7>, 4>) : memref<8xf32> -> memref<2xf32>
  return
}

// -----

func.func @view_c2_multiple(%x: memref<8xf32>) {
  // expected-error @+1 {{'tg.subbuffer' op offset n is not a multiple of the element size 4 (C2)}}
  %0 = tg.subbuffer %x at (#tg.var<"n", 0, 4>) : memref<8xf32> -> memref<2xf32>
  return
}

// -----

func.func @view_c2_negative(%x: memref<8xf32>) {
  // expected-error @+1 {{'tg.subbuffer' op offset (n * 4) can be negative (C2)}}
  %0 = tg.subbuffer %x at (#tg.dim<mul, #tg.var<"n", -1, 4>, 4>) : memref<8xf32> -> memref<2xf32>
  return
}

// -----

// What can leave 64 bits.

#p = #tg.var<"p", 0, 4294967296>
func.func @dim_c1() {
  // expected-error @+1 {{dimension (p * p) does not fit into 64 bits: it can be 0 to 18446744073709551616}}
  %0 = tg.dim(#tg.dim<mul, #p, #p>) : tensor<4xi64>
  return
}

// -----

// Also in a part of an expression that fits itself.
tg.kernel @dim_c1_part() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{dimension (p * 4611686018427387904) does not fit into 64 bits: it can be -9223372036854775808 to 9223372036854775808}}
  %0 = tg.dim(#tg.dim<floordiv, #tg.dim<mul, #tg.var<"p", -2, 2>, 4611686018427387904>, 4611686018427387904>) : index
}

// -----

tg.kernel @dim_c1_sum() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{dimension (p + p) does not fit into 64 bits: it can be -18446744073709551616 to 18446744073709551614}}
  %0 = tg.dim(#tg.dim<add, #tg.var<"p", -9223372036854775808, 9223372036854775807>, #tg.var<"p", -9223372036854775808, 9223372036854775807>>) : index
}

// -----

tg.kernel @dim_c1_quotient() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{dimension (p floordiv d) does not fit into 64 bits: it can be -9223372036854775808 to 9223372036854775808}}
  %0 = tg.dim(#tg.dim<floordiv, #tg.var<"p", -9223372036854775808, 0>, #tg.var<"d", -1, 1>>) : index
}

// -----

tg.kernel @dim_c1_numbers() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{dimension (4294967296 * 4294967296) does not fit into 64 bits: it can be 18446744073709551616 to 18446744073709551616}}
  %0 = tg.dim(#tg.dim<mul, 4294967296, 4294967296>) : index
}

// -----

tg.kernel @range_c1_wraps() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{dimension (p * q) does not fit into 64 bits: it can be 0 to 18446744073709551616}}
  %i = tg.range 0 loop #tg.dim<mul, #tg.var<"p", 0, 4294967296>, #tg.var<"q", 0, 4294967296>>
}

// -----

// expected-error @+1 {{a tensor of shape [n, m] has more elements than fit into 63 bits}}
func.func private @shape(tensor<?x?xf32, #tg.shape<#tg.var<"n", 1, 4294967296>, #tg.var<"m", 1, 4294967296>>>)

// -----

!n = tensor<?xf32, #tg.shape<#tg.var<"n", 1, 4294967296>>>
func.func @pad_c2_wraps(%x: !n) {
  // expected-error @+2 {{'tg.pad' op dimension (n + 9223372036854775807) does not fit into 64 bits}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.pad %x low [9223372036854775807] high [0] : !n -> !n
  return
}

// -----

func.func @pad_c2_number(%x: tensor<4xf32>) {
  // expected-error @+2 {{'tg.pad' op makes a size that does not fit into 64 bits}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.pad %x low [9223372036854775806] high [0] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

!n = tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 4294967296>, 4>>
func.func @pad_c2_elements(%x: !n) {
  // expected-error @+2 {{'tg.pad' op a tensor of shape [n, 9223372036854779] has more elements than fit into 63 bits}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.pad %x low [0, 9223372036854775] high [0, 0] : !n -> !n
  return
}

// -----

// Neither amount is negative, and the sum is not, but that is not seen.
#n = #tg.var<"n", 0, 1000000>
#m = #tg.var<"m", 0, 1000000>
#d = #tg.dim<add, #n, #tg.dim<mul, #m, -1>>
!x = tensor<?xf32, #tg.shape<#n>>
func.func @pad_c1_not_seen(%x: !x) {
  // expected-error @+2 {{'tg.pad' op axis 0 has a negative amount}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.pad %x low [#tg.dim<mul, #d, #d>] high [0] : !x -> !x
  return
}

// -----

!x = tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>
func.func @shrink_c1_wraps(%x: !x) {
  // expected-error @+2 {{'tg.shrink' op axis 0 of size n has no part from 9223372036854775807 to 9223372036854775807 (C1)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.shrink %x from [9223372036854775807] to [9223372036854775807] : !x -> !x
  return
}

// -----

!x = tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>
func.func @shrink_c1_least(%x: !x) {
  // expected-error @+2 {{'tg.shrink' op axis 0 of size n has no part from -9223372036854775808 to 0 (C1)}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = tg.shrink %x from [-9223372036854775808] to [0] : !x -> !x
  return
}

// -----

func.func @strided_c4(%x: tensor<4xf32>) {
  // expected-error @+1 {{computes positions that do not fit into 64 bits (C4)}}
  %0 = tg.strided %x [#tg.view<[#tg.var<"n", 0, 5>] strides [4611686018427387904]>] : tensor<4xf32> -> tensor<?xf32, #tg.shape<#tg.var<"n", 0, 5>>>
  return
}

// -----

func.func @strided_c4_elements(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.strided' op a tensor of shape [4294967296, 4294967296] has more elements than fit into 63 bits}}
  %0 = tg.strided %x [#tg.view<[4294967296, 4294967296] strides [0, 0]>] : tensor<4xf32> -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @view_wraps(%x: memref<128xf32>) {
  // expected-error @+1 {{dimension (n * 64) does not fit into 64 bits: it can be 0 to 295147905179352825856}}
  %w = tg.subbuffer %x at (#tg.dim<mul, #tg.var<"n", 0, 4611686018427387904>, 64>) : memref<128xf32> -> memref<16xf32>
  return
}

// -----

// One name with two pairs of bounds.

tg.kernel @kernel_c7(%out: memref<100xi64>) attributes {outputs = 1 : i64} {
  %r = tg.range 0 loop #tg.var<"n", 1, 8>
  // expected-error @+1 {{'tg.dim' op variable 'n' has the bounds [1, 100] here and [1, 8] elsewhere (C7)}}
  %d = tg.dim(#tg.var<"n", 1, 100>) : index
}

// -----

tg.kernel @kernel_c7_peel() attributes {outputs = 0 : i64} {
  // expected-error @+1 {{'tg.range' op variable 'n' has the bounds [0, 1] here and [1, 8] elsewhere (C7)}}
  %r = tg.range 0 loop #tg.var<"n", 1, 8> peel #tg.var<"n", 0, 1>
}
