// Tensors of symbolic shape: types survive printing, parsing and bytecode,
// dimensions have one normal form, and every operation infers or checks them.

// RUN: tg-opt -split-input-file %s | FileCheck %s
// RUN: tg-opt -split-input-file %s | tg-opt -split-input-file | FileCheck %s
// RUN: tg-opt -split-input-file -mlir-print-op-generic %s | tg-opt -split-input-file | FileCheck %s
// RUN: tg-opt -split-input-file -canonicalize %s | FileCheck --check-prefix=CANON %s
// RUN: sed -n '/^\/\/ BYTECODE/,/^\/\/ -----/p' %s | tg-opt -emit-bytecode | tg-opt | FileCheck --check-prefix=BYTECODE %s

// BYTECODE-LABEL: func private @types
// BYTECODE-SAME: tensor<?x4xf32, #tg.shape<#n, 4>>
// CHECK-LABEL: func private @types
// CHECK-SAME: tensor<?x4xf32, #tg.shape<#n, 4>>
// CHECK-SAME: tensor<?xf16, #tg.shape<#n floordiv 2>>
func.func private @types(tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8>, 4>>, tensor<?xf16, #tg.shape<#tg.dim<floordiv, #tg.var<"n", 1, 8>, 2>>>)

// -----

// Sums and products are written in one way.
#n = #tg.var<"n", 0, 8>
#m = #tg.var<"m", 0, 8>
#other = #tg.var<"n", 0, 9>
// CHECK-LABEL: func private @normal_form
func.func private @normal_form() attributes {
  // CHECK-SAME: a = #tg.dim<#n + 2>
  a = #tg.dim<add, 2, #n>,
  // CHECK-SAME: b = #tg.dim<#n * 2>
  b = #tg.dim<add, #n, #n>,
  // CHECK-SAME: c = #n
  c = #tg.dim<add, #tg.dim<add, #n, 3>, -3>,
  // CHECK-SAME: d = #tg.dim<#n * 4 + 4>
  d = #tg.dim<mul, 4, #tg.dim<add, 1, #n>>,
  // CHECK-SAME: e = #tg.dim<#m + #n>
  e = #tg.dim<add, #n, #m>,
  // CHECK-SAME: f = #tg.dim<#m + #n>
  f = #tg.dim<add, #m, #n>,
  // CHECK-SAME: g = #tg.dim<#m * #n * 6>
  g = #tg.dim<mul, #tg.dim<mul, 2, #n>, #tg.dim<mul, #m, 3>>,
  // CHECK-SAME: h = 0 : i64
  h = #tg.dim<add, #n, #tg.dim<mul, #n, -1>>,
  // CHECK-SAME: i = 7 : i64
  i = #tg.dim<add, 3, 4>,
  // Variables of one name and other bounds are others, in either order.
  // CHECK-SAME: j = #tg.dim<#n + #n1>
  j = #tg.dim<add, #n, #other>,
  // CHECK-SAME: k = #tg.dim<#n + #n1>
  k = #tg.dim<add, #other, #n>,
  // CHECK-SAME: l = #tg.dim<min(#n, 4)>
  l = #tg.dim<min, 4, #n>,
  // CHECK-SAME: m = -4 : i64
  m = #tg.dim<floordiv, -7, 2>,
  // CHECK-SAME: o = 1 : i64
  o = #tg.dim<mod, -7, 2>,
  // CHECK-SAME: p = #n
  p = #tg.dim<max, #n, #n>,
  // CHECK-SAME: q = #tg.dim<#n * 2 + #n * #n + 1>
  q = #tg.dim<mul, #tg.dim<add, #n, 1>, #tg.dim<add, #n, 1>>,
  // All of 64 bits.
  // CHECK-SAME: r = 9223372036854775807 : i64
  r = #tg.dim<add, 9223372036854775806, 1>,
  // CHECK-SAME: s = -9223372036854775808 : i64
  s = #tg.dim<mul, 4611686018427387904, -2>,
  // Operators that associate take any number of operands.
  // CHECK-SAME: t = #tg.dim<#m + #n * 3 + 5>
  t = #tg.dim<add, 2, #n, #m, #tg.dim<mul, 2, #n>, 3>,
  // CHECK-SAME: u = #tg.dim<max(#m, #n, 3)>
  u = #tg.dim<max, 3, #tg.dim<max, #n, 2>, #m>,
  // What is not in normal form says so, and stays as it is.
  // CHECK-SAME: v = #tg.dim<verbatim add, #n, #m + 1>
  v = #tg.dim<verbatim add, #n, #tg.dim<add, #m, 1>>,
  // CHECK-SAME: w = #tg.dim<min(#n, 4)>
  w = #tg.dim<verbatim min, #n, 4>
}

// -----

// Sizes that bounds of their terms do not show to be sizes: for no value of n is
// n * n - n negative.
#n = #tg.var<"n", 1, 100>
#s = #tg.dim<add, #tg.dim<mul, #n, #n>, #tg.dim<mul, #n, -1>>
// CHECK-LABEL: func @no_size_is_negative
func.func @no_size_is_negative(%x: tensor<?xf32, #tg.shape<#s>>) -> tensor<?xf32, #tg.shape<#tg.dim<mul, #n, #n>>> {
  // CHECK: tg.pad %{{.*}} low [0] high [#n]
  %0 = tg.pad %x low [0] high [#n] : tensor<?xf32, #tg.shape<#s>> -> tensor<?xf32, #tg.shape<#tg.dim<mul, #n, #n>>>
  // CHECK: tg.shrink
  %1 = tg.shrink %0 from [#n] to [#tg.dim<mul, #n, #n>] : tensor<?xf32, #tg.shape<#tg.dim<mul, #n, #n>>> -> tensor<?xf32, #tg.shape<#s>>
  return %0 : tensor<?xf32, #tg.shape<#tg.dim<mul, #n, #n>>>
}

// -----

#n = #tg.var<"n", 1, 8>
!v = tensor<?xf32, #tg.shape<#n>>
!vi = tensor<?xi32, #tg.shape<#n>>
!vu = tensor<?xui64, #tg.shape<#n>>
// CHECK-LABEL: func @elementwise
func.func @elementwise(%x: !v, %y: !v, %i: !vi, %u: !vu) -> (!v, !v, !vi, !vu, !vi) {
  // CHECK: tg.neg %{{.*}} : tensor<?xf32, #tg.shape<#n>>
  %0 = tg.neg %x : !v
  // CHECK: tg.add %{{.*}} : tensor<?xf32, #tg.shape<#n>>
  %1 = tg.add %0, %y : !v
  // CHECK: tg.cmplt %{{.*}} : tensor<?xf32, #tg.shape<#n>>
  %2 = tg.cmplt %x, %y : !v
  // CHECK: tg.where %{{.*}} : tensor<?xf32, #tg.shape<#n>>
  %3 = tg.where %2, %x, %y : !v
  // CHECK: tg.mulacc
  %4 = tg.mulacc %1, %3, %x : !v
  // CHECK: tg.cast %{{.*}} -> tensor<?xi32, #tg.shape<#n>>
  %5 = tg.cast %x : !v -> !vi
  // CHECK: tg.bitcast %{{.*}} -> tensor<?xi32, #tg.shape<#n>>
  %6 = tg.bitcast %x : !v -> !vi
  // CHECK: tg.floordiv
  %7 = tg.floordiv %5, %i : !vi
  // CHECK: tg.threefry
  %8 = tg.threefry %u, %u : !vu
  // CHECK: tg.pow
  %9 = tg.pow %x, %y : !v
  return %4, %9, %6, %8, %7 : !v, !v, !vi, !vu, !vi
}

// -----

#n = #tg.var<"n", 1, 8>
!v = tensor<?xf32, #tg.shape<#n>>
// CANON-LABEL: func @creation
func.func @creation() -> (!v, !v, tensor<?x1xi32, #tg.shape<#n, 1>>) {
  // CHECK: tg.const(2.000000e+00 : f32) : tensor<?xf32, #tg.shape<#n>>
  // CANON-DAG: tg.const(3.000000e+00 : f32) : tensor<?xf32, #tg.shape<#n>>
  %0 = tg.const(2.0 : f32) : !v
  %1 = tg.const(1.0 : f32) : !v
  %2 = tg.add %0, %1 : !v
  // CHECK: tg.iota 0 : tensor<?xf32, #tg.shape<#n>>
  %3 = tg.iota 0 : !v
  // CANON-DAG: tg.const(0 : i32) : tensor<?x1xi32, #tg.shape<#n, 1>>
  %4 = tg.iota 1 : tensor<?x1xi32, #tg.shape<#n, 1>>
  return %2, %3, %4 : !v, !v, tensor<?x1xi32, #tg.shape<#n, 1>>
}

// -----

#n = #tg.var<"n", 1, 8>
#m = #tg.var<"m", 0, 8>
!x = tensor<?x4x?xf32, #tg.shape<#n, 4, #m>>
// CHECK-LABEL: func @reduce
// CANON-LABEL: func @reduce
func.func @reduce(%x: !x, %c: tensor<1x4xi32>) -> (tensor<1x4x?xf32, #tg.shape<1, 4, #m>>, tensor<?x1x1xf32, #tg.shape<#n, 1, 1>>, tensor<1x4xi32>) {
  // What is left of the symbolic dimensions, or none.
  // CHECK: tg.reduce add %{{.*}} axes [0] : {{.*}} -> tensor<1x4x?xf32, #tg.shape<1, 4, #m>>
  %0 = tg.reduce add %x axes [0] : !x -> tensor<1x4x?xf32, #tg.shape<1, 4, #m>>
  // CHECK: tg.reduce max %{{.*}} axes [1, 2] : {{.*}} -> tensor<?x1x1xf32, #tg.shape<#n, 1, 1>>
  // CANON: tg.reduce max %{{.*}} axes [1, 2]
  %1 = tg.reduce max %x axes [1, 2] : !x -> tensor<?x1x1xf32, #tg.shape<#n, 1, 1>>
  // At least one element is repeated, so the maximum is that element.
  // CANON: return %{{.*}}, %{{.*}}, %arg1
  %2 = tg.reshape %c : tensor<1x4xi32> -> tensor<1x4xi32>
  %3 = tg.expand %2 : tensor<1x4xi32> -> tensor<?x4xi32, #tg.shape<#n, 4>>
  %4 = tg.reduce max %3 axes [0] : tensor<?x4xi32, #tg.shape<#n, 4>> -> tensor<1x4xi32>
  return %0, %1, %4 : tensor<1x4x?xf32, #tg.shape<1, 4, #m>>, tensor<?x1x1xf32, #tg.shape<#n, 1, 1>>, tensor<1x4xi32>
}

// -----

#m = #tg.var<"m", 0, 8>
// There may be no element at all.
// CANON-LABEL: func @maximum_of_perhaps_nothing
func.func @maximum_of_perhaps_nothing(%c: tensor<1xi32>) -> tensor<1xi32> {
  // CANON: tg.expand
  %0 = tg.expand %c : tensor<1xi32> -> tensor<?xi32, #tg.shape<#m>>
  // CANON: tg.reduce
  %1 = tg.reduce max %0 axes [0] : tensor<?xi32, #tg.shape<#m>> -> tensor<1xi32>
  return %1 : tensor<1xi32>
}

// -----

#n = #tg.var<"n", 1, 8>
// CHECK-LABEL: func @reshape
// CANON-LABEL: func @reshape
// CANON-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32
func.func @reshape(%x: tensor<?x4xf32, #tg.shape<#n, 4>>, %y: tensor<?xf32, #tg.shape<#tg.dim<add, #tg.dim<mul, #n, 4>, 4>>>) -> (tensor<?x4xf32, #tg.shape<#n, 4>>, tensor<2x?xf32, #tg.shape<2, #tg.dim<mul, #n, 2>>>, tensor<?x4xf32, #tg.shape<#tg.dim<add, #n, 1>, 4>>) {
  // CHECK: tg.reshape %{{.*}} -> tensor<?xf32, #tg.shape<#n * 4>>
  %0 = tg.reshape %x : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<?xf32, #tg.shape<#tg.dim<mul, #n, 4>>>
  %1 = tg.reshape %0 : tensor<?xf32, #tg.shape<#tg.dim<mul, #n, 4>>> -> tensor<?x4xf32, #tg.shape<#n, 4>>
  %2 = tg.reshape %x : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<2x?xf32, #tg.shape<2, #tg.dim<mul, #n, 2>>>
  // (n + 1) * 4 is n * 4 + 4.
  %3 = tg.reshape %y : tensor<?xf32, #tg.shape<#tg.dim<add, #tg.dim<mul, #n, 4>, 4>>> -> tensor<?x4xf32, #tg.shape<#tg.dim<add, #n, 1>, 4>>
  // CANON: return %[[X]]
  return %1, %2, %3 : tensor<?x4xf32, #tg.shape<#n, 4>>, tensor<2x?xf32, #tg.shape<2, #tg.dim<mul, #n, 2>>>, tensor<?x4xf32, #tg.shape<#tg.dim<add, #n, 1>, 4>>
}

// -----

#n = #tg.var<"n", 3, 8>
!x = tensor<?x4xf32, #tg.shape<#n, 4>>
// CHECK-LABEL: func @movement
// CANON-LABEL: func @movement
// CANON-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32
func.func @movement(%x: !x, %y: tensor<1x4xf32>) -> (!x, !x, !x, !x, !x, tensor<?x4xf32, #tg.shape<#tg.dim<add, #n, -2>, 4>>) {
  // CHECK: tg.permute %{{.*}} [1, 0] : {{.*}} -> tensor<4x?xf32, #tg.shape<4, #n>>
  %0 = tg.permute %x [1, 0] : !x -> tensor<4x?xf32, #tg.shape<4, #n>>
  %1 = tg.permute %0 [1, 0] : tensor<4x?xf32, #tg.shape<4, #n>> -> !x
  // CHECK: tg.expand %{{.*}} : tensor<1x4xf32> -> tensor<?x4xf32, #tg.shape<#n, 4>>
  // CANON: %[[E:.*]] = tg.expand
  %2 = tg.expand %y : tensor<1x4xf32> -> !x
  // CHECK: tg.pad %{{.*}} low [1, 0] high [#n, 0] : {{.*}} -> tensor<?x4xf32, #tg.shape<#n * 2 + 1, 4>>
  %3 = tg.pad %x low [1, 0] high [#n, 0] : !x -> tensor<?x4xf32, #tg.shape<#tg.dim<add, #tg.dim<mul, #n, 2>, 1>, 4>>
  // CHECK: tg.shrink %{{.*}} from [1, 0] to [#n + 1, 4]
  %4 = tg.shrink %3 from [1, 0] to [#tg.dim<add, #n, 1>, 4] : tensor<?x4xf32, #tg.shape<#tg.dim<add, #tg.dim<mul, #n, 2>, 1>, 4>> -> !x
  // CHECK: tg.flip %{{.*}} axes [0] : tensor<?x4xf32, #tg.shape<#n, 4>>
  %5 = tg.flip %x axes [0] : !x
  %6 = tg.flip %5 axes [0] : !x
  %7 = tg.shrink %x from [0, 0] to [#n, 4] : !x -> !x
  // Positions 1 to n - 1 of the flipped tensor are those of the tensor, flipped.
  // CANON: %[[S:.*]] = tg.shrink %[[X]] from [1, 0] to [#n - 1, 4]
  // CANON: %[[F:.*]] = tg.flip %[[S]] axes [0]
  %8 = tg.shrink %5 from [1, 0] to [#tg.dim<add, #n, -1>, 4] : !x -> tensor<?x4xf32, #tg.shape<#tg.dim<add, #n, -2>, 4>>
  // CANON: return %[[X]], %[[E]], %[[X]], %[[X]], %[[X]], %[[F]]
  return %1, %2, %4, %6, %7, %8 : !x, !x, !x, !x, !x, tensor<?x4xf32, #tg.shape<#tg.dim<add, #n, -2>, 4>>
}

// -----

#n = #tg.var<"n", 1, 8>
!v = tensor<?xf32, #tg.shape<#n>>
// CHECK-LABEL: func @buffers
func.func @buffers(%x: !v) -> (!v, !v, !v) {
  // CHECK: tg.buffer 1 on "CPU" : tensor<?xf32, #tg.shape<#n>>
  %0 = tg.buffer 1 on "CPU" : !v
  // CHECK: tg.assign
  %1 = tg.assign %0, %x : !v
  // CHECK: tg.contiguous
  %2 = tg.contiguous %x : !v
  // CHECK: tg.copy
  %3 = tg.copy %2 to "CUDA" : !v
  // CHECK: tg.detach
  %4 = tg.detach %x : !v
  return %1, %3, %4 : !v, !v, !v
}

// -----

// CHECK-LABEL: tg.kernel @symbolic_range
tg.kernel @symbolic_range(%out: memref<?xf32>) attributes {outputs = 1 : i64} {
  // CHECK-NEXT: tg.range 0 loop #n peel 1
  %i = tg.range 0 loop #tg.var<"n", 1, 8> peel 1
  // CHECK-NEXT: tg.range 1 upcast 4
  %j = tg.range 1 upcast 4
  %x = tg.const(1.0 : f32) : f32
  // A tile has room for the greatest extent.
  // CHECK: tg.stage %{{.*}} over %{{.*}}, %{{.*}} : memref<32xf32>
  %t = tg.stage %x over %i, %j : memref<32xf32>
  tg.store %x, %out[%i] : memref<?xf32>
}

// -----

// The value of an expression; one without variables is a constant. A variable
// may have a value, which keeps it apart from the variable itself.
#n = #tg.var<"n", 1, 8>
// CHECK-LABEL: func @dim_values
// CANON-LABEL: func @dim_values
func.func @dim_values() -> (tensor<4xi32>, tensor<2x2xf32>, tensor<i64>, tensor<i64>) {
  // CHECK: tg.dim(#n) : tensor<4xi32>
  // CANON-DAG: tg.dim(#n) : tensor<4xi32>
  %0 = tg.dim(#n) : tensor<4xi32>
  // CHECK: tg.dim(#n * 4) : tensor<2x2xf32>
  %1 = tg.dim(#tg.dim<mul, #n, 4>) : tensor<2x2xf32>
  // CHECK: tg.dim(5) : tensor<i64>
  // CANON-DAG: tg.const(5 : i64) : tensor<i64>
  %2 = tg.dim(5) : tensor<i64>
  // CHECK: tg.dim(#n1 - #n) : tensor<i64>
  %3 = tg.dim(#tg.dim<add, #tg.var<"n", 1, 8, 3>, #tg.dim<mul, #n, -1>>) : tensor<i64>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<2x2xf32>, tensor<i64>, tensor<i64>
}
