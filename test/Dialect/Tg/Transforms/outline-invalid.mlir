// RUN: tg-opt %s --split-input-file --allow-unregistered-dialect --verify-diagnostics --tg-outline

func.func @memory(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "other.op"() : () -> tensor<4xf32>
  // expected-error @+1 {{'tg.assign' op is about memory; among operations of other dialects, only values are computed}}
  %1 = tg.assign %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @scalars(%x: tensor<4xf32>, %a: f32) -> f32 {
  // expected-error @+1 {{'tg.mul' op is not on tensors; among operations of other dialects, use those of arith or math for scalars}}
  %0 = tg.mul %a, %a : f32
  return %0 : f32
}

// -----

func.func @unknown() {
  // expected-error @+1 {{'tg.iota' op uses the size 'n', whose value is not known here: no tensor that it computes with, and no argument of '@unknown', has this size; add an argument with 'tg.variable = #tg.var<"n", 1, 8>'}}
  %0 = tg.iota 0 : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>
  "other.use"(%0) : (tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>) -> ()
  return
}

// -----

func.func @unknown_dim() -> index {
  // expected-error @+1 {{'tg.dim' op uses the size 'n', whose value is not known here: no argument of '@unknown_dim' has this size}}
  %0 = tg.dim(#tg.var<"n", 1, 8>) : index
  return %0 : index
}
