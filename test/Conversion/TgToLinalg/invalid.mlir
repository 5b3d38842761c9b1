// RUN: tg-opt %s --convert-tg-to-linalg -split-input-file -verify-diagnostics

// Each operation that has no counterpart is an error.
func.func @order(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
  // expected-error@+1 {{'tg.scan' op depends on an order of positions, which structured operations do not have}}
  %0 = tg.scan add %x axis 0 : tensor<4xf32>
  // expected-error@+1 {{'tg.scatter' op depends on an order of positions}}
  %1 = tg.scatter add %x[%i], %x axis 0 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
  // expected-error@+1 {{'tg.argsort' op depends on an order of positions}}
  %2 = tg.argsort %x : tensor<4xf32> -> tensor<4xi32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
}

// -----

func.func @memory(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // expected-error@+1 {{'tg.buffer' op is about memory; tensors of linalg are values}}
  %0 = tg.buffer 3 on "CPU" : tensor<4xf32>
  // expected-error@+1 {{'tg.assign' op is about memory; tensors of linalg are values}}
  %1 = tg.assign %x, %0 : tensor<4xf32>
  // expected-error@+1 {{'tg.after' op is about memory; tensors of linalg are values}}
  %2 = tg.after %x[%1 : tensor<4xf32>] : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{depends on the variable n, which is the size of no argument's axis}}
func.func @variable(%x: tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 2>>>) -> tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 2>>> {
  %0 = tg.neg %x : tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 2>>>
  return %0 : tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 2>>>
}

// -----

func.func @may_be_empty(%x: tensor<?xf32, #tg.shape<#tg.var<"n", 0, 4>>>) -> tensor<2xf32> {
  // expected-error@+1 {{'tg.strided' op takes a view of a tensor that may be empty}}
  %0 = tg.strided %x [#tg.view<[2] strides [1] mask [0 to #tg.dim<min, #tg.var<"n", 0, 4>, 2>]>] : tensor<?xf32, #tg.shape<#tg.var<"n", 0, 4>>> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error@+1 {{'tg.kernel' op is not supported by convert-tg-to-linalg, which converts tensor graphs}}
tg.kernel @k(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 64
  %x = tg.load %a[%i] : memref<64xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<64xf32>
}
