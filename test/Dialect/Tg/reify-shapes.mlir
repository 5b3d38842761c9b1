// RUN: tg-opt %s --resolve-ranked-shaped-type-result-dims --canonicalize --cse | FileCheck %s
// RUN: tg-opt %s --resolve-shaped-type-result-dims --canonicalize --cse | FileCheck %s

#n = #tg.var<"n", 1, 8>
#m = #tg.var<"m", 1, 8>
#all = #tg.dim<mul, #m, #n, 3>
!x = tensor<?x3x?xf32, #tg.shape<#n, 3, #m>>

// Sizes of results are those of operands, through any number of operations, or
// products of these.

// CHECK-LABEL: func.func @follow(
// CHECK-SAME:    %[[X:.*]]: tensor<?x3x?xf32
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[M:.*]] = tensor.dim %[[X]], %[[C2]]
// CHECK-DAG:     %[[N:.*]] = tensor.dim %[[X]], %[[C0]]
// CHECK:         %[[MN:.*]] = arith.muli %[[M]], %[[N]]
// CHECK:         %[[ALL:.*]] = arith.muli %[[MN]], %[[C3]]
// CHECK-NOT:     tg.
// CHECK:         return %[[M]], %[[ALL]], %[[C3]]
func.func @follow(%x: !x) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tg.neg %x : !x
  %1 = tg.exp2 %0 : !x
  %2 = tg.reshape %1 : !x -> tensor<?xf32, #tg.shape<#all>>
  %3 = tensor.dim %1, %c2 : !x
  %4 = tensor.dim %2, %c0 : tensor<?xf32, #tg.shape<#all>>
  %5 = tensor.dim %1, %c1 : !x
  return %3, %4, %5 : index, index, index
}

// Quotients are rounded to negative infinity, and remainders follow from them.

// CHECK-LABEL: func.func @quotients(
// CHECK:         %[[N:.*]] = tensor.dim
// CHECK:         arith.floordivsi %[[N]],
// CHECK-NOT:     tg.
// CHECK:         return
func.func @quotients(%x: tensor<?xf32, #tg.shape<#n>>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %0 = tg.shrink %x from [0] to [#tg.dim<floordiv, #n, 3>]
      : tensor<?xf32, #tg.shape<#n>> -> tensor<?xf32, #tg.shape<#tg.dim<floordiv, #n, 3>>>
  %1 = tg.shrink %x from [0] to [#tg.dim<mod, #n, 3>]
      : tensor<?xf32, #tg.shape<#n>> -> tensor<?xf32, #tg.shape<#tg.dim<mod, #n, 3>>>
  %2 = tensor.dim %0, %c0 : tensor<?xf32, #tg.shape<#tg.dim<floordiv, #n, 3>>>
  %3 = tensor.dim %1, %c0 : tensor<?xf32, #tg.shape<#tg.dim<mod, #n, 3>>>
  return %2, %3 : index, index
}

// A size that no operand has is the variable itself.

// CHECK-LABEL: func.func @positions(
// CHECK-NEXT:    %[[N:.*]] = tg.dim(#n) : index
// CHECK-NEXT:    return %[[N]]
func.func @positions() -> index {
  %c0 = arith.constant 0 : index
  %0 = tg.iota 0 : tensor<?xf32, #tg.shape<#n>>
  %1 = tensor.dim %0, %c0 : tensor<?xf32, #tg.shape<#n>>
  return %1 : index
}

// Static sizes, also of a sum.

// CHECK-LABEL: func.func @static(
// CHECK-NEXT:    %[[C:.*]] = arith.constant 1 : index
// CHECK-NEXT:    return %[[C]]
func.func @static(%x: !x) -> index {
  %c0 = arith.constant 0 : index
  %0 = tg.reduce add %x axes [0, 2] : !x -> tensor<1x3x1xf32>
  %1 = tensor.dim %0, %c0 : tensor<1x3x1xf32>
  return %1 : index
}
