// Errors in the text of sizes.

// RUN: tg-opt -split-input-file -verify-diagnostics %s

#n = #tg.var<"n", 0, 8>
// expected-error @+1 {{1 is divided by n, which may be 0}}
func.func private @f() attributes { a = #tg.dim<1 floordiv #n> }

// -----

#n = #tg.var<"n", 0, 8>
// expected-error @+1 {{n is divided by 0}}
func.func private @f() attributes { a = #tg.dim<#n mod 0> }

// -----

#n = #tg.var<"n", 0, 8>
// expected-error @+1 {{expected attribute value}}
func.func private @f(tensor<?xf32, #tg.shape<#n + >>)

// -----

#n = #tg.var<"n", 0, 8>
// expected-error @+1 {{unbalanced '(' character}}
func.func private @f() attributes { a = #tg.dim<(#n + 1> }

// -----

#n = #tg.var<"n", 0, 8>
func.func @f() {
  // expected-error @+1 {{expected ')'}}
  %0 = tg.dim((#n, 1)) : tensor<4xi32>
  return
}

// -----

#n = #tg.var<"n", 0, 8>
func.func @f() {
  // expected-error @+1 {{expected '('}}
  %0 = tg.dim(max) : tensor<4xi32>
  return
}

// -----

#n = #tg.var<"n", 0, 8>
// expected-error @+1 {{'min' of dimensions takes two or more operands, not 1}}
func.func private @f() attributes { a = #tg.dim<min(#n)> }

// -----

#n = #tg.var<"n", 0, 8>
// expected-error @+1 {{expected an operator: add, mul, floordiv, mod, min or max}}
func.func private @f() attributes { a = #tg.dim<verbatim #n + 1> }

// -----

// expected-error @+1 {{"n" is not an integer (of 64 bits), #tg.var or #tg.dim}}
func.func private @f() attributes { a = #tg.dim<"n"> }

// -----

#n = #tg.var<"n", 0, 8>
// expected-error @+1 {{operand "m" of a dimension expression is not an integer (of 64 bits), #tg.var or #tg.dim}}
func.func private @f() attributes { a = #tg.dim<#n * "m"> }

// -----

#n = #tg.var<"n", 0, 4294967296>
// expected-error @+1 {{does not fit into 64 bits}}
func.func private @f() attributes { a = #tg.dim<#n * #n + 1> }

// -----

// A name of an alias may contain a minus.
#n = #tg.var<"n", 0, 8>
// expected-error @+1 {{undefined symbol alias id 'n-1'}}
func.func private @f() attributes { a = #tg.dim<#n-1> }
