// How sizes are written: an alias for each variable, infix expressions.

// RUN: tg-opt %s | FileCheck %s
// RUN: tg-opt %s | tg-opt | FileCheck %s
// RUN: tg-opt -mlir-print-op-generic %s | tg-opt | FileCheck %s
// RUN: tg-opt -mlir-print-local-scope %s | tg-opt | FileCheck %s
// RUN: tg-opt -emit-bytecode %s | tg-opt | FileCheck %s

// Variables of one name have aliases with numbers. What launches give numbers
// to is called so.
// CHECK: #b = #tg.var<"b", 1, 4>
// CHECK: #m = #tg.var<"m", 0, 40>
// CHECK: #n = #tg.var<"n", 1, 8>
// CHECK: #n1 = #tg.var<"n", 1, 8, 3>
// CHECK: #n1_1 = #tg.var<"n1", 1, 8>
// CHECK: #number0 = #tg.var<"~0", 0, 6>
// CHECK: #shape = #tg.shape<(#m floordiv 4) * 4 + (#n floordiv 3) * 2 + #m * #n * 3, #b>

#n = #tg.var<"n", 1, 8>
#bound = #tg.var<"n", 1, 8, 3>
#m = #tg.var<"m", 0, 40>
#b = #tg.var<"b", 1, 4>
#other = #tg.var<"n1", 1, 8>
#p = #tg.var<"~0", 0, 6>

// CHECK-LABEL: func private @types(
// CHECK-SAME: tensor<?x128xf32, #tg.shape<#n, 128>>,
// CHECK-SAME: tensor<?x128xf32, #tg.shape<#n * 2 + 1, 128>>,
// CHECK-SAME: tensor<?xf32, #tg.shape<#n1>>,
// CHECK-SAME: tensor<?x?xf32, #tg.shape<#number0, #n1_1>>,
// CHECK-SAME: tensor<?x?xf32, #shape>)
func.func private @types(
  tensor<?x128xf32, #tg.shape<#n, 128>>,
  tensor<?x128xf32, #tg.shape<#n * 2 + 1, 128>>,
  tensor<?xf32, #tg.shape<#bound>>,
  tensor<?x?xf32, #tg.shape<#p, #other>>,
  tensor<?x?xf32, #tg.shape<#m floordiv 4 * 4 + #n floordiv 3 * 2 + #n * #m * 3, #b>>)

// CHECK-LABEL: func private @operators()
func.func private @operators() attributes {
  // CHECK-SAME: a = #tg.dim<#n * 2 + 1>
  a = #tg.dim<1 + #n * 2>,
  // CHECK-SAME: b = #tg.dim<#m - #n>
  b = #tg.dim<#m - #n>,
  // CHECK-SAME: c = #tg.dim<#n - 3>
  c = #tg.dim<#n - 3>,
  // CHECK-SAME: d = #tg.dim<#n * -1>
  d = #tg.dim<0 - #n>,
  // CHECK-SAME: e = #tg.dim<(#m floordiv 4) * 3>
  e = #tg.dim<#m floordiv 4 * 3>,
  // CHECK-SAME: f = #tg.dim<(#m * 3) floordiv 4>
  f = #tg.dim<#m * 3 floordiv 4>,
  // CHECK-SAME: g = #tg.dim<(#m + 3) floordiv 4>
  g = #tg.dim<(#m + 3) floordiv 4>,
  // CHECK-SAME: h = #tg.dim<(#m floordiv 4) mod 3>
  h = #tg.dim<#m floordiv 4 mod 3>,
  // CHECK-SAME: i = #tg.dim<min(#m, #n)>
  i = #tg.dim<min(#n, #m)>,
  // CHECK-SAME: j = #tg.dim<max(#m, #n, 3) * 2 + 1>
  j = #tg.dim<max(#n, 3, #m) * 2 + 1>,
  // CHECK-SAME: k = #tg.dim<#m mod #n>
  k = #tg.dim<#m mod #n>,
  // From the left: (m - n) - 2.
  // CHECK-SAME: l = #tg.dim<#m - #n - 2>
  l = #tg.dim<#m - #n - 2>,
  // CHECK-SAME: m = #tg.dim<#m * #n * 6 - #m * 2>
  m = #tg.dim<2 * #m * (3 * #n - 1)>,
  // CHECK-SAME: o = -9223372036854775808 : i64
  o = #tg.dim<-9223372036854775808>,
  // CHECK-SAME: p = #n
  p = #tg.dim<(((#n)))>,
  // What has no normal form is kept.
  // CHECK-SAME: q = #tg.dim<verbatim add, #n, #m + 1>
  q = #tg.dim<verbatim add, #n, #m + 1>
}

// The form before: an operator, then its operands.
// CHECK-LABEL: func private @old()
func.func private @old() attributes {
  // CHECK-SAME: a = #tg.dim<#n * 2 + 1>
  a = #tg.dim<add, #tg.dim<mul, #n, 2>, 1>,
  // CHECK-SAME: b = #tg.dim<(#m floordiv 4) mod 3>
  b = #tg.dim<mod, #tg.dim<floordiv, #m, 4>, 3>,
  // CHECK-SAME: c = #tg.dim<max(#m, #n, 3)>
  c = #tg.dim<max, #n, #m, 3>,
  // CHECK-SAME: d = #tg.dim<min(#m, #n)>
  d = #tg.dim<min, #n, #m>,
  // CHECK-SAME: e = tensor<?xf32, #tg.shape<#n * 4>>
  e = tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 8>, 4>>>
}

// CHECK-LABEL: func @ops
func.func @ops(%x: tensor<?x4xf32, #tg.shape<#n, 4>>) -> tensor<?x4xf32, #tg.shape<#n * 2 + 1, 4>> {
  // CHECK: tg.pad %{{.*}} low [#n, 0] high [1, 0] :
  %0 = tg.pad %x low [#n, 0] high [1, 0] : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<?x4xf32, #tg.shape<#n * 2 + 1, 4>>
  // CHECK: tg.shrink %{{.*}} from [#n - 1, 0] to [#n + 1, 4] :
  %1 = tg.shrink %0 from [#n - 1, 0] to [#n + 1, 4] : tensor<?x4xf32, #tg.shape<#n * 2 + 1, 4>> -> tensor<2x4xf32>
  // CHECK: tg.dim(#n * 2 + 1) : tensor<4xi32>
  %2 = tg.dim(#n * 2 + 1) : tensor<4xi32>
  // CHECK: tg.strided %{{.*}} [#tg.view<[#n * 2, 2] strides [2, 1]>]
  %3 = tg.strided %x [#tg.view<[#n * 2, 2] strides [2, 1]>] : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<?x2xf32, #tg.shape<#n * 2, 2>>
  return %0 : tensor<?x4xf32, #tg.shape<#n * 2 + 1, 4>>
}

// CHECK-LABEL: tg.kernel @kernel
tg.kernel @kernel(%out: memref<40xf32>) attributes {outputs = 1 : i64} {
  // CHECK: tg.range 0 loop #m - #m floordiv 2{{$}}
  %i = tg.range 0 loop #m - #m floordiv 2
  %c = tg.const(1.0 : f32) : f32
  tg.store %c, %out[%i] : memref<40xf32>
}
