// What is rejected of views. Names are those of the constraints.

// RUN: tg-opt -split-input-file -verify-diagnostics %s

func.func @strided_c1(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.strided' op the last view has the shape [6, 4], the result [4, 6] (C1)}}
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @strided_c2(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.strided' op changes the element type: 'f32' to 'f16' (C2)}}
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf16>
  return
}

// -----

func.func @strided_c3_above(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.strided' op view 0 reads positions 1 to 24 of a tensor of 24 elements (C3)}}
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6] offset 1>] : tensor<4x6xf32> -> tensor<6x4xf32>
  return
}

// -----

func.func @strided_c3_below(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.strided' op view 0 reads positions -1 to 22 of a tensor of 24 elements (C3)}}
  %0 = tg.strided %x [#tg.view<[25] strides [1] offset -1 mask [0 to 24]>] : tensor<4x6xf32> -> tensor<25xf32>
  return
}

// -----

func.func @strided_c3_of_view(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.strided' op view 1 reads positions 0 to 12 of a view of 12 elements (C3)}}
  %0 = tg.strided %x [#tg.view<[6, 2] strides [1, 6]>, #tg.view<[13] strides [1]>] : tensor<4x6xf32> -> tensor<13xf32>
  return
}

// -----

#p = #tg.var<"p", 0, 5>
func.func @strided_c3_symbolic(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tg.strided' op view 0 reads positions p to (p + 3) of a tensor of 8 elements (C3)}}
  %0 = tg.strided %x [#tg.view<[4] strides [1] offset #p>] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @no_view(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.strided' op attribute 'views' failed to satisfy constraint: list of views with at least 1 elements}}
  %0 = tg.strided %x [] : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{a view of rank 2 has 1 strides}}
func.func private @strides() attributes {a = #tg.view<[4, 6] strides [6]>}

// -----

// expected-error @+1 {{a view of rank 2 has a mask for 1 axes}}
func.func private @mask() attributes {a = #tg.view<[4, 6] strides [6, 1] mask [0 to 1]>}

// -----

// expected-error @+1 {{axis 0 of a view has the size -4, which can be negative: -4}}
func.func private @size() attributes {a = #tg.view<[-4] strides [6]>}

// -----

// expected-error @+1 {{entry "n" of a view is not an integer (of 64 bits), #tg.var or #tg.dim}}
func.func private @entry() attributes {a = #tg.view<["n"] strides [6]>}

// -----

// Memory that is assigned to is named by movement operations.

func.func @target(%x: tensor<4x6xf32>, %v: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf32>
  // expected-error @+1 {{'tg.assign' op the target is the result of 'tg.strided', not a buffer, a function argument, an assign, or a view of one (C1)}}
  %1 = tg.assign %0, %v : tensor<6x4xf32>
  return %1 : tensor<6x4xf32>
}

// -----

func.func @assign_to_itself(%x: tensor<4xf32>, %y: tensor<3xi8>) -> tensor<1x3xi8> {
  %back = tg.flip %back axes [1] : tensor<1x3xi8>
  %flat = tg.reshape %back : tensor<1x3xi8> -> tensor<3xi8>
  // expected-error @+1 {{'tg.assign' op the target is computed from itself (C1)}}
  %r = tg.assign %flat, %y : tensor<3xi8>
  return %back : tensor<1x3xi8>
}

// -----

func.func @after_itself(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @+1 {{the assignment}}
  %a = tg.assign %a, %y : tensor<4xf32>
  // expected-error @+1 {{'tg.after' op operand 'assign' writes to other memory (C2)}}
  %new = tg.after %x[%a : tensor<4xf32>] : tensor<4xf32>
  return %new : tensor<4xf32>
}
