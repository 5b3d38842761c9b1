// One case for each constraint of each operation on tensors and scalars, named
// as in the documentation. Kernels are in invalid-kernels.mlir, attributes in
// invalid-attributes.mlir.

// RUN: tg-opt -split-input-file -verify-diagnostics %s

//===----------------------------------------------------------------------===//
// Operand types
//===----------------------------------------------------------------------===//

func.func @neg_of_bool(%x: tensor<4xi1>) {
  // expected-error @+1 {{'tg.neg' op operand #0 must be integer or float or index, or a vector or ranked tensor of it (of static shape or with a #tg.shape), but got 'tensor<4xi1>'}}
  %0 = tg.neg %x : tensor<4xi1>
  return
}

// -----

func.func @exp2_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.exp2' op operand #0 must be float}}
  %0 = tg.exp2 %x : tensor<4xi32>
  return
}

// -----

func.func @exp_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.exp' op operand #0 must be float}}
  %0 = tg.exp %x : tensor<4xi32>
  return
}

// -----

func.func @expm1_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.expm1' op operand #0 must be float}}
  %0 = tg.expm1 %x : tensor<4xi32>
  return
}

// -----

func.func @log_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.log' op operand #0 must be float}}
  %0 = tg.log %x : tensor<4xi32>
  return
}

// -----

func.func @log1p_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.log1p' op operand #0 must be float}}
  %0 = tg.log1p %x : tensor<4xi32>
  return
}

// -----

func.func @cos_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.cos' op operand #0 must be float}}
  %0 = tg.cos %x : tensor<4xi32>
  return
}

// -----

func.func @tan_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.tan' op operand #0 must be float}}
  %0 = tg.tan %x : tensor<4xi32>
  return
}

// -----

func.func @asin_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.asin' op operand #0 must be float}}
  %0 = tg.asin %x : tensor<4xi32>
  return
}

// -----

func.func @acos_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.acos' op operand #0 must be float}}
  %0 = tg.acos %x : tensor<4xi32>
  return
}

// -----

func.func @atan_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.atan' op operand #0 must be float}}
  %0 = tg.atan %x : tensor<4xi32>
  return
}

// -----

func.func @tanh_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.tanh' op operand #0 must be float}}
  %0 = tg.tanh %x : tensor<4xi32>
  return
}

// -----

func.func @erf_of_int(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.erf' op operand #0 must be float}}
  %0 = tg.erf %x : tensor<4xi32>
  return
}

// -----

func.func @erf_to_another_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.erf' op requires the same type for all operands and results}}
  %0 = "tg.erf"(%x) : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @idiv_of_float(%x: f32) {
  // expected-error @+1 {{'tg.idiv' op operand #0 must be integer}}
  %0 = tg.idiv %x, %x : f32
  return
}

// -----

func.func @fdiv_of_int(%x: i32) {
  // expected-error @+1 {{'tg.fdiv' op operand #0 must be float}}
  %0 = tg.fdiv %x, %x : i32
  return
}

// -----

func.func @shl_of_index(%x: index) {
  // expected-error @+1 {{'tg.shl' op operand #0 must be integer}}
  %0 = tg.shl %x, %x : index
  return
}

// -----

func.func @xor_of_float(%x: tensor<f32>) {
  // expected-error @+1 {{'tg.xor' op operand #0 must be integer or bool}}
  %0 = tg.xor %x, %x : tensor<f32>
  return
}

// -----

func.func @threefry_of_i64(%x: tensor<4xi64>) {
  // expected-error @+1 {{'tg.threefry' op operand #0 must be ui64}}
  %0 = tg.threefry %x, %x : tensor<4xi64>
  return
}

// -----

func.func @fp8_is_storage(%x: tensor<4xf8E4M3FN>) {
  // expected-error @+1 {{'tg.add' op operand #0 must be bool, integer or float}}
  %0 = tg.add %x, %x : tensor<4xf8E4M3FN>
  return
}

// -----

func.func @reduce_of_fp8(%x: tensor<4xf8E4M3FN>) {
  // expected-error @+1 {{'tg.reduce' op operand #0 must be ranked tensor of bool, integer or float}}
  %0 = tg.reduce add %x axes [0] : tensor<4xf8E4M3FN> -> tensor<1xf8E4M3FN>
  return
}

// -----

func.func @odd_width(%x: tensor<4xi7>) {
  // expected-error @+1 {{'tg.add' op operand #0 must be bool, integer or float}}
  %0 = tg.add %x, %x : tensor<4xi7>
  return
}

// -----

func.func @explicitly_signed(%x: tensor<4xsi32>) {
  // expected-error @+1 {{'tg.add' op operand #0 must be bool, integer or float}}
  %0 = tg.add %x, %x : tensor<4xsi32>
  return
}

// -----

func.func @unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'tg.neg' op operand #0 must be integer or float}}
  %0 = tg.neg %x : tensor<*xf32>
  return
}

// -----

func.func @unknown_dimension(%x: tensor<?xf32>) {
  // expected-error @+1 {{(of static shape or with a #tg.shape, such as #tg.shape<#tg.var<"n", 1, 1024>>), but got 'tensor<?xf32>'}}
  %0 = tg.neg %x : tensor<?xf32>
  return
}

// -----

func.func @unknown_dimension_in_movement(%x: tensor<?xf32>) {
  // expected-error @+1 {{'tg.reshape' op operand #0 must be ranked tensor of a tg element type (of static shape or with a #tg.shape, such as #tg.shape<#tg.var<"n", 1, 1024>>), but got 'tensor<?xf32>'}}
  %0 = tg.reshape %x : tensor<?xf32> -> tensor<?xf32>
  return
}

// -----

func.func @foreign_encoding(%x: tensor<4xf32, "sparse">) {
  // expected-error @+1 {{'tg.neg' op operand #0 must be integer or float}}
  %0 = tg.neg %x : tensor<4xf32, "sparse">
  return
}

// -----

func.func @operands_differ(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'tg.add' op all non-scalar operands/results must have the same shape and base type}}
  %0 = "tg.add"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @symbolic_operands_differ(%x: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>, %y: tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>) {
  // expected-error @+1 {{'tg.add' op has operands or results of shapes [n] and [m]; n and m differ for m = 8, n = 1, as 1 and 8}}
  %0 = "tg.add"(%x, %y) : (tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>, tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>) -> tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>
  return
}

// -----

func.func @mulacc_types_differ(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'tg.mulacc' op requires the same type for all operands and results}}
  %0 = "tg.mulacc"(%x, %x, %y) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @compared_types_differ(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'tg.cmplt' op requires all operands to have the same type}}
  %0 = "tg.cmplt"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}

// -----

func.func @comparison_is_bool(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.cmplt' op all non-scalar operands/results must have the same shape and base type}}
  %0 = "tg.cmplt"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

func.func @cast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.cast' op all non-scalar operands/results must have the same shape and base type}}
  %0 = tg.cast %x : tensor<4xf32> -> tensor<5xi32>
  return
}

// -----

func.func @cast_c1_symbolic(%x: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>) {
  // expected-error @+1 {{'tg.cast' op changes the shape (C1): [n] to [m]}}
  %0 = tg.cast %x : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>> -> tensor<?xi32, #tg.shape<#tg.var<"m", 1, 8>>>
  return
}

// -----

func.func @cast_c1_scalar(%x: f32) {
  // expected-error @+1 {{'tg.cast' op if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = tg.cast %x : f32 -> tensor<i32>
  return
}

// -----

func.func @cast_c2(%x: index) {
  // expected-error @+1 {{'tg.cast' op index converts only to and from integers and bool, not 'f32' (C2)}}
  %0 = tg.cast %x : index -> f32
  return
}

// -----

func.func @cast_c2_back(%x: f8E5M2) {
  // expected-error @+1 {{'tg.cast' op index converts only to and from integers and bool, not 'f8E5M2' (C2)}}
  %0 = tg.cast %x : f8E5M2 -> index
  return
}

// -----

func.func @bitcast_c1(%x: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>) {
  // expected-error @+1 {{'tg.bitcast' op changes the shape (C1): [n] to [m]}}
  %0 = tg.bitcast %x : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>> -> tensor<?xi32, #tg.shape<#tg.var<"m", 1, 8>>>
  return
}

// -----

func.func @bitcast_c2_width(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.bitcast' op element types differ in width: 'f32' and 'i16' (C2)}}
  %0 = tg.bitcast %x : tensor<4xf32> -> tensor<4xi16>
  return
}

// -----

func.func @bitcast_c2_bool(%x: i1) {
  // expected-error @+1 {{'tg.bitcast' op cannot reinterpret 'i1' (C2)}}
  %0 = tg.bitcast %x : i1 -> i1
  return
}

// -----

func.func @bitcast_c2_index(%x: i64) {
  // expected-error @+1 {{'tg.bitcast' op cannot reinterpret 'index' (C2)}}
  %0 = tg.bitcast %x : i64 -> index
  return
}

// -----

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

func.func @where_c1_shape(%c: tensor<5xi1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.where' op all non-scalar operands/results must have the same shape and base type}}
  %0 = "tg.where"(%c, %x, %x) : (tensor<5xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @where_c1_symbolic(%c: tensor<?xi1, #tg.shape<#tg.var<"n", 1, 8>>>, %x: tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>) {
  // expected-error @+1 {{'tg.where' op the condition is 'tensor<?xi1, #tg.shape<#tg.var<"n", 1, 8>>>', expected 'tensor<?xi1, #tg.shape<#tg.var<"m", 1, 8>>>' (C1)}}
  %0 = "tg.where"(%c, %x, %x) : (tensor<?xi1, #tg.shape<#tg.var<"n", 1, 8>>>, tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>, tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>) -> tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>
  return
}

// -----

func.func @where_c1_bool(%c: tensor<4xi8>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.where' op operand #0 must be bool}}
  %0 = "tg.where"(%c, %x, %x) : (tensor<4xi8>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @where_branches(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'tg.where' op failed to verify that all of {x, y, result} have same type}}
  %0 = "tg.where"(%c, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @where_parses_three(%c: tensor<4xi1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{expected 3 operands}}
  %0 = tg.where %c, %x : tensor<4xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

func.func @const_c1() {
  // expected-error @+1 {{'tg.const' op the value is 'f32', the result's element type 'f64' (C1)}}
  %0 = tg.const(1.0 : f32) : tensor<4xf64>
  return
}

// -----

func.func @const_c1_signedness() {
  // expected-error @+1 {{'tg.const' op the value is 'i32', the result's element type 'ui32' (C1)}}
  %0 = tg.const(1 : i32) : tensor<4xui32>
  return
}

// -----

func.func @const_c1_text() {
  // expected-error @+1 {{'tg.const' op the value "one" : f32 is not a number or a list of numbers (C1)}}
  %0 = tg.const("one" : f32) : f32
  return
}

// -----

func.func @const_c2() {
  // expected-error @+1 {{'tg.const' op the dense value is 'tensor<2xi32>', the result 'tensor<3xi32>' (C2)}}
  %0 = tg.const(dense<[1, 2]> : tensor<2xi32>) : tensor<3xi32>
  return
}

// -----

func.func @const_c2_symbolic() {
  // expected-error @+1 {{'tg.const' op the dense value is 'tensor<2xi32>', the result 'tensor<?xi32, #tg.shape<#tg.var<"n", 1, 8>>>' (C2)}}
  %0 = tg.const(dense<[1, 2]> : tensor<2xi32>) : tensor<?xi32, #tg.shape<#tg.var<"n", 1, 8>>>
  return
}

// -----

func.func @iota_c1() {
  // expected-error @+1 {{'tg.iota' op axis 2 is out of range for rank 2 (C1)}}
  %0 = tg.iota 2 : tensor<4x4xi32>
  return
}

// -----

func.func @iota_c1_negative() {
  // expected-error @+1 {{'tg.iota' op attribute 'axis' failed to satisfy constraint}}
  %0 = tg.iota -1 : tensor<4x4xi32>
  return
}

// -----

func.func @iota_of_bool() {
  // expected-error @+1 {{'tg.iota' op result #0 must be ranked tensor of integer or float}}
  %0 = tg.iota 0 : tensor<4xi1>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Reduce
//===----------------------------------------------------------------------===//

func.func @reduce_c1_range(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{'tg.reduce' op axis 2 is out of range for rank 2 (C1)}}
  // expected-error @+1 {{'tg.reduce' op failed to infer returned types}}
  %0 = tg.reduce add %x axes [2] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @reduce_c1_negative(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{'tg.reduce' op axis -1 is out of range for rank 2 (C1)}}
  // expected-error @+1 {{'tg.reduce' op failed to infer returned types}}
  %0 = tg.reduce add %x axes [-1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @reduce_c1_order(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{'tg.reduce' op axis 0 after 1: axes are strictly increasing (C1)}}
  // expected-error @+1 {{'tg.reduce' op failed to infer returned types}}
  %0 = tg.reduce add %x axes [1, 0] : tensor<4x8xf32> -> tensor<1x1xf32>
  return
}

// -----

func.func @reduce_c1_twice(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{'tg.reduce' op axis 1 after 1: axes are strictly increasing (C1)}}
  // expected-error @+1 {{'tg.reduce' op failed to infer returned types}}
  %0 = tg.reduce add %x axes [1, 1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @reduce_result(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{'tg.reduce' op inferred type(s) 'tensor<4x1xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error @+1 {{'tg.reduce' op failed to infer returned types}}
  %0 = tg.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_kind(%x: tensor<4x8xf32>) {
  // expected-error @+2 {{failed to parse Tg_ReduceKindAttr}}
  // expected-error @+1 {{expected ::mlir::tg::ReduceKind to be one of: add, mul, max}}
  %0 = tg.reduce min %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return
}

// -----

func.func @reduce_without_axes(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tg.reduce' op requires attribute 'axes'}}
  %0 = "tg.reduce"(%x) <{kind = #tg<reduce_kind add>}> : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

func.func @reshape_c1_count(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.reshape' op changes the number of elements (C1): [4, 6] to [5, 5]}}
  %0 = tg.reshape %x : tensor<4x6xf32> -> tensor<5x5xf32>
  return
}

// -----

func.func @reshape_c1_type(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.reshape' op changes the element type: 'f32' to 'f16' (C1)}}
  %0 = tg.reshape %x : tensor<4x6xf32> -> tensor<24xf16>
  return
}

// -----

func.func @permute_c1_length(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.permute' op [0] is not a permutation of the axes of a tensor of rank 2 (C1)}}
  // expected-error @+1 {{'tg.permute' op failed to infer returned types}}
  %0 = tg.permute %x [0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @permute_c1_twice(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.permute' op [1, 1] is not a permutation of the axes of a tensor of rank 2 (C1)}}
  // expected-error @+1 {{'tg.permute' op failed to infer returned types}}
  %0 = tg.permute %x [1, 1] : tensor<4x6xf32> -> tensor<6x6xf32>
  return
}

// -----

func.func @permute_c1_range(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.permute' op [1, -1] is not a permutation of the axes of a tensor of rank 2 (C1)}}
  // expected-error @+1 {{'tg.permute' op failed to infer returned types}}
  %0 = tg.permute %x [1, -1] : tensor<4x6xf32> -> tensor<6x4xf32>
  return
}

// -----

func.func @permute_result(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.permute' op inferred type(s) 'tensor<6x4xf32>' are incompatible with return type(s) of operation 'tensor<4x6xf32>'}}
  // expected-error @+1 {{'tg.permute' op failed to infer returned types}}
  %0 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @expand_c1_size(%x: tensor<4x2xf32>) {
  // expected-error @+1 {{'tg.expand' op changes an axis whose size is not 1 (C1): [4, 2] to [4, 6]}}
  %0 = tg.expand %x : tensor<4x2xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @expand_c1_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.expand' op changes the rank (C1): [4] to [2, 4]}}
  %0 = tg.expand %x : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @expand_c1_type(%x: tensor<1xf32>) {
  // expected-error @+1 {{'tg.expand' op changes the element type: 'f32' to 'f64' (C1)}}
  %0 = tg.expand %x : tensor<1xf32> -> tensor<2xf64>
  return
}

// -----

func.func @expand_zero(%x: tensor<0xf32>) {
  // expected-error @+1 {{'tg.expand' op changes an axis whose size is not 1 (C1): [0] to [1]}}
  %0 = tg.expand %x : tensor<0xf32> -> tensor<1xf32>
  return
}

// -----

func.func @pad_c1_length(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.pad' op lists 1 and 2 positions for a tensor of rank 2 (C1)}}
  // expected-error @+1 {{'tg.pad' op failed to infer returned types}}
  %0 = tg.pad %x low [0] high [0, 1] : tensor<4x6xf32> -> tensor<4x7xf32>
  return
}

// -----

func.func @pad_c1_negative(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.pad' op axis 1 has a negative amount: -1 and 1 (C1)}}
  // expected-error @+1 {{'tg.pad' op failed to infer returned types}}
  %0 = tg.pad %x low [0, -1] high [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @pad_amount_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.pad' op attribute 'low' failed to satisfy constraint: list of dimensions}}
  %0 = tg.pad %x low [1.0] high [0] : tensor<4xf32> -> tensor<5xf32>
  return
}

// -----

func.func @pad_result(%x: tensor<4xf32>) {
  // expected-error @+2 {{'tg.pad' op inferred type(s) 'tensor<5xf32>' are incompatible with return type(s) of operation 'tensor<6xf32>'}}
  // expected-error @+1 {{'tg.pad' op failed to infer returned types}}
  %0 = tg.pad %x low [1] high [0] : tensor<4xf32> -> tensor<6xf32>
  return
}

// -----

func.func @shrink_c1_length(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.shrink' op lists 2 and 3 positions for a tensor of rank 2 (C1)}}
  // expected-error @+1 {{'tg.shrink' op failed to infer returned types}}
  %0 = tg.shrink %x from [0, 0] to [1, 1, 1] : tensor<4x6xf32> -> tensor<1x1xf32>
  return
}

// -----

func.func @shrink_c1_end(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.shrink' op axis 1 of size 6 has no part from 2 to 7 (C1)}}
  // expected-error @+1 {{'tg.shrink' op failed to infer returned types}}
  %0 = tg.shrink %x from [0, 2] to [4, 7] : tensor<4x6xf32> -> tensor<4x5xf32>
  return
}

// -----

func.func @shrink_c1_order(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.shrink' op axis 0 of size 4 has no part from 3 to 2 (C1)}}
  // expected-error @+1 {{'tg.shrink' op failed to infer returned types}}
  %0 = tg.shrink %x from [3, 0] to [2, 6] : tensor<4x6xf32> -> tensor<1x6xf32>
  return
}

// -----

func.func @shrink_c1_negative(%x: tensor<4x6xf32>) {
  // expected-error @+2 {{'tg.shrink' op axis 0 of size 4 has no part from -1 to 2 (C1)}}
  // expected-error @+1 {{'tg.shrink' op failed to infer returned types}}
  %0 = tg.shrink %x from [-1, 0] to [2, 6] : tensor<4x6xf32> -> tensor<3x6xf32>
  return
}

// -----

func.func @flip_c1_range(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.flip' op axis 2 is out of range for rank 2 (C1)}}
  %0 = tg.flip %x axes [2] : tensor<4x6xf32>
  return
}

// -----

func.func @flip_c1_order(%x: tensor<4x6xf32>) {
  // expected-error @+1 {{'tg.flip' op axis 0 after 1: axes are strictly increasing (C1)}}
  %0 = tg.flip %x axes [1, 0] : tensor<4x6xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

func.func @assign_c1(%x: tensor<4xf32>) {
  %0 = tg.neg %x : tensor<4xf32>
  // expected-error @+1 {{'tg.assign' op the target is the result of 'tg.neg', not a buffer, a function argument, an assign, or a view of one (C1)}}
  %1 = tg.assign %0, %x : tensor<4xf32>
  return
}

// -----

func.func @assign_c1_pad(%x: tensor<4xf32>, %y: tensor<6xf32>) {
  %0 = tg.pad %x low [1] high [1] : tensor<4xf32> -> tensor<6xf32>
  // expected-error @+1 {{'tg.assign' op the target is the result of 'tg.pad'}}
  %1 = tg.assign %0, %y : tensor<6xf32>
  return
}

// -----

func.func @assign_c1_expand(%x: tensor<1xf32>, %y: tensor<6xf32>) {
  %0 = tg.expand %x : tensor<1xf32> -> tensor<6xf32>
  %1 = tg.flip %0 axes [0] : tensor<6xf32>
  // expected-error @+1 {{'tg.assign' op the target is the result of 'tg.expand'}}
  %2 = tg.assign %1, %y : tensor<6xf32>
  return
}

// -----

func.func @assign_types(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'tg.assign' op requires the same type for all operands and results}}
  %0 = "tg.assign"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @after_c1(%x: tensor<4xf32>) {
  %0 = tg.neg %x : tensor<4xf32>
  // expected-error @+1 {{'tg.after' op reads the result of 'tg.neg', not a buffer or a function argument (C1)}}
  %1 = tg.after %0 : tensor<4xf32>
  return
}

// -----

func.func @after_c2_kind(%x: tensor<4xf32>) {
  %0 = tg.neg %x : tensor<4xf32>
  // expected-error @+1 {{'tg.after' op operand 'assign' is not the result of a tg.assign (C2)}}
  %1 = tg.after %x[%0 : tensor<4xf32>] : tensor<4xf32>
  return
}

// -----

func.func @after_c2_memory(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-note @+1 {{the assignment}}
  %0 = tg.assign %y, %x : tensor<4xf32>
  // expected-error @+1 {{'tg.after' op operand 'assign' writes to other memory (C2)}}
  %1 = tg.after %x[%0 : tensor<4xf32>] : tensor<4xf32>
  return
}

// -----

func.func @copy_changes_nothing(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tg.copy' op requires the same type for all operands and results}}
  %0 = "tg.copy"(%x) <{device = "CPU"}> : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

//===----------------------------------------------------------------------===//
// Unknown operations
//===----------------------------------------------------------------------===//

func.func @unknown(%x: tensor<4xf32>) {
  // expected-error @+1 {{custom op 'tg.frobnicate' is unknown}}
  %0 = tg.frobnicate %x : tensor<4xf32>
  return
}

// -----

func.func @unknown_generic(%x: tensor<4xf32>) {
  // expected-error @+1 {{unregistered operation 'tg.frobnicate' found in dialect ('tg') that does not allow unknown operations}}
  %0 = "tg.frobnicate"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @with_derivative(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tg.with_derivative' op needs a tensor of floats, not 'tensor<4xi32>'}}
  %0 = tg.with_derivative %x of %x by %x : tensor<4xi32>
  return
}
