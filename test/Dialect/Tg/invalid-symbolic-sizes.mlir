// Sizes that differ, with values for which they do, and divisors.

// RUN: tg-opt -split-input-file -verify-diagnostics %s

#n = #tg.var<"n", 1, 8>
#m = #tg.var<"m", 1, 8>
func.func @reshape(%x: tensor<?x4xf32, #tg.shape<#n, 4>>) {
  // expected-error @+1 {{'tg.reshape' op changes the number of elements (C1): [n, 4] to [4, m]; n * 4 and m * 4 differ for m = 8, n = 1, as 4 and 32}}
  %0 = tg.reshape %x : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<4x?xf32, #tg.shape<4, #m>>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @expand(%x: tensor<?xf32, #tg.shape<#n>>) {
  // expected-error @+1 {{'tg.expand' op changes an axis whose size is not 1 (C1): [n] to [8]; n and 8 differ for n = 1, as 1 and 8}}
  %0 = tg.expand %x : tensor<?xf32, #tg.shape<#n>> -> tensor<8xf32>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
#m = #tg.var<"m", 1, 8>
func.func @elementwise(%x: tensor<3x?xf32, #tg.shape<3, #n>>, %y: tensor<3x?xf32, #tg.shape<3, #m>>) {
  // expected-error @+1 {{'tg.add' op has operands or results of shapes [3, n] and [3, m]; n and m differ for m = 8, n = 1, as 1 and 8}}
  %0 = "tg.add"(%x, %y) : (tensor<3x?xf32, #tg.shape<3, #n>>, tensor<3x?xf32, #tg.shape<3, #m>>) -> tensor<3x?xf32, #tg.shape<3, #n>>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
#m = #tg.var<"m", 1, 8>
func.func @compared(%x: tensor<?xf32, #tg.shape<#n>>, %y: tensor<?xf32, #tg.shape<#m>>) {
  // expected-error @+1 {{'tg.cmplt' op has operands or results of shapes [n] and [m]; n and m differ for m = 8, n = 1, as 1 and 8}}
  %0 = "tg.cmplt"(%x, %y) : (tensor<?xf32, #tg.shape<#n>>, tensor<?xf32, #tg.shape<#m>>) -> tensor<?xi1, #tg.shape<#n>>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @static_and_symbolic(%x: tensor<?xf32, #tg.shape<#n>>) {
  // expected-error @+1 {{'tg.neg' op has operands or results of shapes [n] and [8]; n and 8 differ for n = 1, as 1 and 8}}
  %0 = "tg.neg"(%x) : (tensor<?xf32, #tg.shape<#n>>) -> tensor<8xf32>
  return
}

// -----

#n = #tg.var<"n", 1, 8>
#m = #tg.var<"m", 1, 8>
func.func @assigned(%x: tensor<?xf32, #tg.shape<#n>>, %y: tensor<?xf32, #tg.shape<#m>>) {
  // expected-error @+1 {{'tg.assign' op has operands or results of shapes [n] and [m]; n and m differ for m = 8, n = 1, as 1 and 8}}
  %0 = "tg.assign"(%x, %y) : (tensor<?xf32, #tg.shape<#n>>, tensor<?xf32, #tg.shape<#m>>) -> tensor<?xf32, #tg.shape<#n>>
  return
}

// -----

// Equal wherever values were tried; the normal form does not see it.
#n = #tg.var<"n", 1, 8>
func.func @not_shown(%x: tensor<?xf32, #tg.shape<#tg.dim<mod, #tg.dim<mul, #n, #tg.dim<add, #n, 1>>, 2>>>) {
  // expected-error @+1 {{could not be shown to be equal}}
  %0 = tg.reshape %x : tensor<?xf32, #tg.shape<#tg.dim<mod, #tg.dim<mul, #n, #tg.dim<add, #n, 1>>, 2>>> -> tensor<0xf32>
  return
}

// -----

tg.kernel @divisor(%out: memref<8xf32>) attributes {outputs = 1 : i64} {
  // expected-error @+1 {{n is divided by m, which may be 0}}
  %r = tg.range 0 loop #tg.dim<floordiv, #tg.var<"n", 1, 8>, #tg.var<"m", 0, 4>>
}

// -----

// expected-error @+1 {{n is divided by m, which may be 0}}
#d = #tg.dim<mod, #tg.var<"n", 1, 8>, #tg.var<"m", -4, 4>>

// -----

// expected-error @+1 {{n is divided by 0}}
#d = #tg.dim<floordiv, #tg.var<"n", 1, 8>, 0>
