// Names that other systems have, and misspelled ones, are errors that say what
// to write.

// RUN: tg-opt -split-input-file -verify-diagnostics %s

func.func @div(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'tg.div' is unknown; use 'tg.fdiv' of floats, and of integers 'tg.idiv', which rounds toward zero, or 'tg.floordiv'}}
  %0 = tg.div %x, %x : tensor<4xf32>
  return
}

// -----

func.func @matmul(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{custom op 'tg.matmul' is unknown; a product of matrices is 'tg.reduce add' of a 'tg.mul'}}
  %0 = tg.matmul %x, %x : tensor<4x4xf32>
  return
}

// -----

func.func @transpose(%x: tensor<4x4xf32>) {
  // expected-error @+1 {{custom op 'tg.transpose' is unknown; use 'tg.permute'}}
  %0 = tg.transpose %x : tensor<4x4xf32>
  return
}

// -----

func.func @misspelled(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'tg.reshap' is unknown; did you mean 'tg.reshape'?}}
  %0 = tg.reshap %x : tensor<4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @exchanged(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'tg.contigious' is unknown; did you mean 'tg.contiguous'?}}
  %0 = tg.contigious %x : tensor<4xf32>
  return
}

// -----

// Nothing is like it.
func.func @unlike(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'tg.frobnicate' is unknown}}
  %0 = tg.frobnicate %x : tensor<4xf32>
  return
}

// -----

// A shape that fits what has none.
func.func @shape(%x: tensor<?x8xf32>) {
  // expected-error @+1 {{'tg.neg' op operand #0 must be integer or float or index, or a vector or ranked tensor of it (of static shape or with a #tg.shape, such as #tg.shape<#tg.var<"n", 1, 1024>, 8>), but got 'tensor<?x8xf32>'}}
  %0 = tg.neg %x : tensor<?x8xf32>
  return
}

// -----

func.func @shapes(%x: tensor<?x?xf32>) {
  // expected-error @+1 {{with a #tg.shape, such as #tg.shape<#tg.var<"n0", 1, 1024>, #tg.var<"n1", 1, 1024>>), but got 'tensor<?x?xf32>'}}
  %0 = tg.reshape %x : tensor<?x?xf32> -> tensor<4xf32>
  return
}

// -----

// Another encoding: what to write instead is not known.
func.func @encoding(%x: tensor<4xf32, "x">) {
  // expected-error @+1 {{(of static shape or with a #tg.shape), but got 'tensor<4xf32, "x">'}}
  %0 = tg.neg %x : tensor<4xf32, "x">
  return
}
