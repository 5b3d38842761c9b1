// RUN: tg-opt -split-input-file --tg-name-sizes -verify-diagnostics %s

// Functions without any name are not meant.

func.func @unnamed(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// -----

#n = #tg.var<"n", 1, 8>
func.func @no_bounds(
    %a: tensor<?xf32> {tg.sizes = #tg.shape<#n>},
    // expected-error @+1 {{axis 1 of argument 1 has no name and bounds; give them by 'tg.sizes' or the option 'sizes', as in arg1:1=n[1,1024]}}
    %b: tensor<4x?xf32>) { return }

// -----

func.func @two_names(
    %a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>},
    // expected-error @+1 {{axis 0 of argument 0 and axis 0 of argument 1 must be equal, but one is n[1,8] and the other m[1,8]}}
    %b: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"m", 1, 8>>}) -> tensor<?xf32> {
  %0 = arith.addf %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @two_bounds(
    %a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>},
    // expected-error @+1 {{axis 0 of argument 0 and axis 0 of argument 1 must be equal, but one is n[1,8] and the other n[1,9]}}
    %b: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 9>>}) -> tensor<?xf32> {
  %0 = arith.addf %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @name_with_two_bounds(
    %a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>},
    // expected-error @+1 {{axis 0 of argument 1 is n[1,9], but axis 0 of argument 0 is n[1,8]: one name has one pair of bounds}}
    %b: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 9>>}) { return }

// -----

func.func @number(
    // expected-error @+1 {{axis 0 of argument 0 must be 4, but it is n[1,8]}}
    %a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>},
    %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.exp ins(%a : tensor<?xf32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A tensor that grows in a loop.

func.func @grows(%a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>},
                 %steps: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{a tensor that is 'tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>' here becomes 'tensor<?xf32>'; its sizes have to stay equal}}
  %0 = scf.for %i = %c0 to %steps step %c1 iter_args(%x = %a) -> tensor<?xf32> {
    // expected-note @+1 {{it becomes that here}}
    %y = tensor.concat dim(0) %x, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %y : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @branches(
    // expected-note @+1 {{it becomes that here}}
    %a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>},
    %b: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"m", 1, 8>>}, %c: i1) -> tensor<?xf32> {
  // expected-error @+1 {{its sizes have to stay equal}}
  %0 = scf.if %c -> tensor<?xf32> {
    scf.yield %b : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func private @callee(tensor<?xf32>)
func.func @calls(%a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>}) {
  // expected-error @+1 {{'func.call' op has tensors whose sizes get names, which the function that it calls does not know; inline it first}}
  call @callee(%a) : (tensor<?xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{is used by others, for which its sizes have no names; inline it first}}
func.func private @called(%a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>}) { return }
func.func @caller(%a: tensor<?xf32>) {
  call @called(%a) : (tensor<?xf32>) -> ()
  return
}

// -----

// expected-error @+1 {{has branches between blocks, which tg-name-sizes does not follow; use operations of scf}}
func.func @blocks(%a: tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>}) -> tensor<?xf32> {
  cf.br ^end(%a : tensor<?xf32>)
^end(%x: tensor<?xf32>):
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 0: 'tg.sizes' is 4 : i64, not a #tg.shape}}
func.func private @not_a_shape(tensor<?xf32> {tg.sizes = 4})

// -----

// expected-error @+1 {{argument 0: 'tg.sizes' is on a 'f32', not on a tensor without an encoding}}
func.func private @not_a_tensor(f32 {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>})

// -----

// expected-error @+1 {{argument 0: 'tg.sizes' does not fit: #tg.shape lists 1 dimensions for a tensor of rank 2}}
func.func private @rank(tensor<?x4xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>})

// -----

// expected-error @+1 {{argument 0: 'tg.sizes' does not fit: dimension 0, n, can be negative: -1}}
func.func private @negative(tensor<?xf32> {tg.sizes = #tg.shape<#tg.var<"n", -1, 8>>})

// -----

// expected-error @+1 {{'tg.sizes' is an attribute of function arguments}}
func.func private @on_a_function() attributes {tg.sizes = #tg.shape<#tg.var<"n", 1, 8>>}
