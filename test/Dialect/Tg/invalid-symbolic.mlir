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
  // expected-error @+1 {{'tg.view' op can end at byte 36 of a source of 32 bytes (C1)}}
  %0 = tg.view %x at (#tg.dim<mul, #tg.var<"n", 0, 7>, 4>) : memref<8xf32> -> memref<2xf32>
  return
}

// -----

func.func @view_c2_multiple(%x: memref<8xf32>) {
  // expected-error @+1 {{'tg.view' op offset n is not a multiple of the element size 4 (C2)}}
  %0 = tg.view %x at (#tg.var<"n", 0, 4>) : memref<8xf32> -> memref<2xf32>
  return
}

// -----

func.func @view_c2_negative(%x: memref<8xf32>) {
  // expected-error @+1 {{'tg.view' op offset (n * 4) can be negative (C2)}}
  %0 = tg.view %x at (#tg.dim<mul, #tg.var<"n", -1, 4>, 4>) : memref<8xf32> -> memref<2xf32>
  return
}
