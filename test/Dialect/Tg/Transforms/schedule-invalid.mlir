// RUN: tg-opt %s -split-input-file -verify-diagnostics -tg-schedule

func.func @devices(%x: tensor<4xf32>, %y: tensor<4xf32> {tg.device = "NULL"}) -> tensor<4xf32> {
  // expected-error @+1 {{operands are on different devices: CPU and NULL}}
  %0 = tg.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A name means one variable.
// expected-error @+1 {{variable 'n' has the bounds [1, 9] here and [1, 8] elsewhere}}
func.func @two_bounds(%x: tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>>, %y: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9>>>) {
  return
}

// -----

// expected-error @+1 {{variable 'n' is bound to 3; a program receives values when it runs}}
func.func @bound(%x: tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8, 3>, 4>>) {
  return
}

// -----

// expected-error @+1 {{a tensor of shape [n, n] has more bytes than fit into 63 bits}}
func.func @too_large(%x: tensor<?x?xf32, #tg.shape<#tg.var<"n", 1, 2147483648>, #tg.var<"n", 1, 2147483648>>>) {
  return
}

// -----

// expected-error @+1 {{scheduling requires the sizes of axes, not 'tensor<?x4xf32>'; replace each '?' by a number, or describe it with a #tg.shape, such as 'tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 1024>, 4>>'}}
func.func @dynamic_argument(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  return %x : tensor<?x4xf32>
}

// -----

func.func @foreign(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.recip %x : tensor<4xf32>
  // expected-error @+1 {{'arith.negf' op is not an operation of a tensor graph}}
  %1 = arith.negf %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @scalar(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{scheduling requires ranked tensors, not 'f32'}}
  %0 = tg.const(1.0 : f32) : f32
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{scheduling requires ranked tensors, not 'f32'; run tg-outline before on functions that have other values, too}}
func.func @scalar_argument(%x: tensor<4xf32>, %y: f32) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{scheduling requires element types of the dialect, not 'i3'}}
func.func @element_type(%x: tensor<4xi3>) -> tensor<4xi3> {
  return %x : tensor<4xi3>
}

// -----

// expected-error @+1 {{scheduling needs a function of one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  %0 = tg.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @buffer() -> tensor<4xf32> {
  // expected-error @+1 {{must become a function argument before scheduling}}
  %0 = tg.buffer 3 on "CPU" : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @too_large(%x: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  // expected-error @+1 {{has more bytes than fit into 63 bits}}
  %0 = tg.expand %x : tensor<1x1x1xf32> -> tensor<4000000x4000000x4000000xf32>
  %1 = tg.reduce add %0 axes [0, 1, 2] : tensor<4000000x4000000x4000000xf32> -> tensor<1x1x1xf32>
  return %1 : tensor<1x1x1xf32>
}

// -----

func.func @too_long(%x: tensor<1xi8>) -> tensor<1xi8> {
  // expected-error @+1 {{an axis of 9007199254740993 elements is longer than 2^53}}
  %0 = tg.expand %x : tensor<1xi8> -> tensor<9007199254740993xi8>
  %1 = tg.reduce max %0 axes [0] : tensor<9007199254740993xi8> -> tensor<1xi8>
  return %1 : tensor<1xi8>
}

// -----

// expected-note @+1 {{scheduling turns its tensors into buffers}}
func.func @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'func.call' op in '@caller' refers to '@callee', which is scheduled; calls of scheduled functions are not supported}}
  %0 = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-note @+1 {{scheduling turns its tensors into buffers}}
func.func @value(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @user() -> ((tensor<4xf32>) -> tensor<4xf32>) {
  // expected-error @+1 {{'func.constant' op in '@user' refers to '@value', which is scheduled}}
  %0 = func.constant @value : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

// expected-note @+1 {{scheduling turns its tensors into buffers}}
func.func private @graph_callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @graph_caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  // expected-error @+1 {{'func.call' op in '@graph_caller' refers to '@graph_callee', which is scheduled}}
  %1 = func.call @graph_callee(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @resource() -> tensor<2xf32> {
  // expected-error @+1 {{scheduling takes constants of listed elements (dense<...>) only}}
  %0 = tg.const(dense_resource<two> : tensor<2xf32>) : tensor<2xf32>
  return %0 : tensor<2xf32>
}
{-#
  dialect_resources: { builtin: { two: "0x040000000000803F00000040" } }
#-}

// -----

// An index has no size in memory.
// expected-error @+1 {{scheduling requires element types of the dialect, not 'index'}}
func.func @index(%x: tensor<4xindex>) -> tensor<4xindex> {
  return %x : tensor<4xindex>
}

// -----

func.func @uncountable(%x: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
  // expected-error @+1 {{a tensor of shape [4000037, 4000037, 4000037] has more bytes than fit into 63 bits}}
  %0 = tg.expand %x : tensor<1x1x1xf32> -> tensor<4000037x4000037x4000037xf32>
  %1 = tg.reduce add %0 axes [0, 1, 2] : tensor<4000037x4000037x4000037xf32> -> tensor<1x1x1xf32>
  return %1 : tensor<1x1x1xf32>
}

// -----

// expected-error @+1 {{a tensor of 65 axes; there can be at most 64}}
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) {
  return
}

// -----

// Several sizes have several names.
// expected-error @+1 {{such as 'tensor<?x4x?xf32, #tg.shape<#tg.var<"n0", 1, 1024>, 4, #tg.var<"n1", 1, 1024>>>'}}
func.func @two_sizes(%x: tensor<?x4x?xf32>) -> tensor<?x4x?xf32> {
  return %x : tensor<?x4x?xf32>
}

// -----

func.func @arith_negf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp2 %x : tensor<4xf32>
  // expected-error @+1 {{'arith.negf' op is not an operation of a tensor graph; use 'tg.neg', or run convert-linalg-to-tg on the function before}}
  %1 = arith.negf %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @arith_divf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp2 %x : tensor<4xf32>
  // expected-error @+1 {{; use 'tg.fdiv'}}
  %1 = arith.divf %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @math_sin(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp2 %x : tensor<4xf32>
  // expected-error @+1 {{; use 'tg.sin'}}
  %1 = math.sin %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @in_scf(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'arith.constant' op is not an operation of a tensor graph; run tg-outline before, which makes tensor graphs}}
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c4 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = tg.exp2 %a : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// No operation of the dialect does the same.
func.func @arith_remf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp2 %x : tensor<4xf32>
  // expected-error @+1 {{'arith.remf' op is not an operation of a tensor graph; run convert-linalg-to-tg on the function before}}
  %1 = arith.remf %0, %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @tensor_collapse(%x: tensor<2x2xf32>) -> tensor<4xf32> {
  %0 = tg.exp2 %x : tensor<2x2xf32>
  // expected-error @+1 {{; use 'tg.reshape', or run convert-linalg-to-tg on the function before}}
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
  return %1 : tensor<4xf32>
}
