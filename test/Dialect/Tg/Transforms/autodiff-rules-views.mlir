// The rules of differentiation of reductions, of operations whose results depend
// on the order of elements, and of movement operations. Those of elementwise
// operations are in autodiff-rules.mlir.
//
// r is the result, and g is its gradient, which is the last argument. --cse makes
// equal operations one, so that no line can match another operation than the one
// it is for.

// RUN: tg-opt %s --split-input-file --tg-autodiff=only-gradients --cse \
// RUN:   | FileCheck %s

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

// reduce add: g for each element

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[G:[^:]*]]: tensor<4x1xf32>)
// CHECK:         %[[DX:.*]] = tg.expand %[[G]] : tensor<4x1xf32> -> tensor<4x8xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// reduce max: g / n for each of the n elements that are equal to r, else 0

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[G:[^:]*]]: tensor<4x1xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<4x8xf32>
// CHECK-DAG:     %[[ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<4x8xf32>
// CHECK-DAG:     %[[R:.*]] = tg.reduce max %[[X]] axes [1] :
// CHECK-DAG:     %[[ALL:.*]] = tg.expand %[[R]] :
// CHECK-DAG:     %[[EQUAL:.*]] = tg.cmpeq %[[X]], %[[ALL]] :
// CHECK-DAG:     %[[ONES:.*]] = tg.where %[[EQUAL]], %[[ONE]], %[[ZERO]] :
// CHECK-DAG:     %[[N:.*]] = tg.reduce add %[[ONES]] axes [1] :
// CHECK-DAG:     %[[SHARE:.*]] = tg.fdiv %[[G]], %[[N]] :
// CHECK-DAG:     %[[SHARES:.*]] = tg.expand %[[SHARE]] :
// CHECK-DAG:     %[[DX:.*]] = tg.where %[[EQUAL]], %[[SHARES]], %[[ZERO]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = tg.reduce max %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

// reduce mul: With p the product of the elements other than 0, g p / x if there
// is no zero. If there is one, it gets g p. All others get 0, but with their
// derivatives by one other zero: of one zero, g p s / x with s the sum of the
// zeros; of two, g p (s - x).

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[G:[^:]*]]: tensor<4x1xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<4x8xf32>
// CHECK-DAG:     %[[ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<4x8xf32>
// CHECK-DAG:     %[[IS_0:.*]] = tg.cmpeq %[[X]], %[[ZERO]] :
// CHECK-DAG:     %[[FACTORS:.*]] = tg.where %[[IS_0]], %[[ONE]], %[[X]] :
// CHECK-DAG:     %[[P:.*]] = tg.reduce mul %[[FACTORS]] axes [1] :
// CHECK-DAG:     %[[ONES:.*]] = tg.where %[[IS_0]], %[[ONE]], %[[ZERO]] :
// CHECK-DAG:     %[[ZEROS:.*]] = tg.reduce add %[[ONES]] axes [1] :
// CHECK-DAG:     %[[NONE:.*]] = tg.const(0.000000e+00 : f32) : tensor<4x1xf32>
// CHECK-DAG:     %[[SINGLE:.*]] = tg.const(1.000000e+00 : f32) : tensor<4x1xf32>
// CHECK-DAG:     %[[ONLY_0:.*]] = tg.where %[[IS_0]], %[[X]], %[[ZERO]] :
// CHECK-DAG:     %[[SUM:.*]] = tg.reduce add %[[ONLY_0]] axes [1] :
// CHECK-DAG:     %[[GP:.*]] = tg.mul %[[G]], %[[P]] :
// CHECK-DAG:     %[[IF_ONE:.*]] = tg.cmpeq %[[ZEROS]], %[[SINGLE]] :
// CHECK-DAG:     %[[PAIR:.*]] = tg.const(2.000000e+00 : f32) : tensor<4x1xf32>
// CHECK-DAG:     %[[IF_TWO:.*]] = tg.cmpeq %[[ZEROS]], %[[PAIR]] :
// CHECK-DAG:     %[[OF_TWO:.*]] = tg.where %[[IF_TWO]], %[[GP]], %[[NONE]] :
// CHECK-DAG:     %[[ALL_TWO:.*]] = tg.expand %[[OF_TWO]] :
// CHECK-DAG:     %[[SUMS:.*]] = tg.expand %[[SUM]] :
// CHECK-DAG:     %[[OTHER_0:.*]] = tg.sub %[[SUMS]], %[[X]] :
// CHECK-DAG:     %[[BY_OTHER:.*]] = tg.mul %[[ALL_TWO]], %[[OTHER_0]] :
// CHECK-DAG:     %[[OF_0:.*]] = tg.where %[[IF_ONE]], %[[GP]], %[[NONE]] :
// CHECK-DAG:     %[[ALL_ONE:.*]] = tg.expand %[[OF_0]] :
// CHECK-DAG:     %[[ALL_0:.*]] = tg.add %[[ALL_ONE]], %[[BY_OTHER]] :
// CHECK-DAG:     %[[IF_NONE:.*]] = tg.cmpeq %[[ZEROS]], %[[NONE]] :
// CHECK-DAG:     %[[GPS:.*]] = tg.mul %[[GP]], %[[SUM]] :
// CHECK-DAG:     %[[IF_0:.*]] = tg.where %[[IF_ONE]], %[[GPS]], %[[NONE]] :
// CHECK-DAG:     %[[OF_OTHERS:.*]] = tg.where %[[IF_NONE]], %[[GP]], %[[IF_0]] :
// CHECK-DAG:     %[[ALL_OTHERS:.*]] = tg.expand %[[OF_OTHERS]] :
// CHECK-DAG:     %[[QUOTIENT:.*]] = tg.fdiv %[[ALL_OTHERS]], %[[FACTORS]] :
// CHECK-DAG:     %[[DX:.*]] = tg.where %[[IS_0]], %[[ALL_0]], %[[QUOTIENT]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = tg.reduce mul %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

// scan add: the sum of g from each position on

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[G:[^:]*]]: tensor<4x8xf32>)
// CHECK:         %[[BACK:.*]] = tg.flip %[[G]] axes [1] :
// CHECK:         %[[SUM:.*]] = tg.scan add %[[BACK]] axis 1 :
// CHECK:         %[[DX:.*]] = tg.flip %[[SUM]] axes [1] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.scan add %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// scan mul: before the first zero, the sum of g r from the position on, divided
// by x. At the first zero, the sum of g s, where s are the products with a 1 in
// its place. After it, 0.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[G:[^:]*]]: tensor<4x8xf32>)
// CHECK-DAG:     %[[R:.*]] = tg.scan mul %[[X]] axis 1 :
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK-DAG:     %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK-DAG:     %[[IS_0:.*]] = tg.cmpeq %[[X]], %[[ZERO]] :
// CHECK-DAG:     %[[ONES:.*]] = tg.where %[[IS_0]], %[[ONE]], %[[ZERO]] :
// CHECK-DAG:     %[[ZEROS:.*]] = tg.scan add %[[ONES]] axis 1 :
// CHECK-DAG:     %[[HAS_ONE:.*]] = tg.cmpeq %[[ZEROS]], %[[ONE]] :
// CHECK-DAG:     %[[IS_FIRST:.*]] = tg.and %[[IS_0]], %[[HAS_ONE]] :
// CHECK-DAG:     %[[REPLACED:.*]] = tg.where %[[IS_FIRST]], %[[ONE]], %[[X]] :
// CHECK-DAG:     %[[S:.*]] = tg.scan mul %[[REPLACED]] axis 1 :
// CHECK-DAG:     %[[GS:.*]] = tg.mul %[[G]], %[[S]] :
// CHECK-DAG:     %[[GS_BACK:.*]] = tg.flip %[[GS]] axes [1] :
// CHECK-DAG:     %[[GS_SUM:.*]] = tg.scan add %[[GS_BACK]] axis 1 :
// CHECK-DAG:     %[[OF_FIRST:.*]] = tg.flip %[[GS_SUM]] axes [1] :
// CHECK-DAG:     %[[GR:.*]] = tg.mul %[[G]], %[[R]] :
// CHECK-DAG:     %[[GR_BACK:.*]] = tg.flip %[[GR]] axes [1] :
// CHECK-DAG:     %[[GR_SUM:.*]] = tg.scan add %[[GR_BACK]] axis 1 :
// CHECK-DAG:     %[[GR_FROM:.*]] = tg.flip %[[GR_SUM]] axes [1] :
// CHECK-DAG:     %[[FACTORS:.*]] = tg.where %[[IS_0]], %[[ONE]], %[[X]] :
// CHECK-DAG:     %[[OF_OTHERS:.*]] = tg.fdiv %[[GR_FROM]], %[[FACTORS]] :
// CHECK-DAG:     %[[IS_BEFORE:.*]] = tg.cmpeq %[[ZEROS]], %[[ZERO]] :
// CHECK-DAG:     %[[REST:.*]] = tg.where %[[IS_FIRST]], %[[OF_FIRST]], %[[ZERO]] :
// CHECK-DAG:     %[[DX:.*]] = tg.where %[[IS_BEFORE]], %[[OF_OTHERS]], %[[REST]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.scan mul %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// scan max: g is added to the first element that has the maximum r. That is the
// last element up to there which is larger than r before it, or element 0.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[G:[^:]*]]: tensor<4x8xf32>)
// CHECK-DAG:     %[[R:.*]] = tg.scan max %[[X]] axis 1 : tensor<4x8xf32>
// CHECK-DAG:     %[[PADDED:.*]] = tg.pad %[[R]] low [0, 1] high [0, 0] :
// CHECK-DAG:     %[[BEFORE:.*]] = tg.shrink %[[PADDED]] from [0, 0] to [4, 8] :
// CHECK-DAG:     %[[PLACE:.*]] = tg.iota 1 : tensor<4x8xi32>
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0 : i32) : tensor<4x8xi32>
// CHECK-DAG:     %[[IS_FIRST:.*]] = tg.cmpeq %[[PLACE]], %[[ZERO]] :
// CHECK-DAG:     %[[IS_LARGER:.*]] = tg.cmplt %[[BEFORE]], %[[X]] :
// CHECK-DAG:     %[[IS_NEW:.*]] = tg.or %[[IS_FIRST]], %[[IS_LARGER]] :
// CHECK-DAG:     %[[NEW:.*]] = tg.where %[[IS_NEW]], %[[PLACE]], %[[ZERO]] :
// CHECK-DAG:     %[[WINNER:.*]] = tg.scan max %[[NEW]] axis 1 : tensor<4x8xi32>
// CHECK-DAG:     %[[NONE:.*]] = tg.const(0.000000e+00 : f32) : tensor<4x8xf32>
// CHECK-DAG:     %[[DX:.*]] = tg.scatter add %[[NONE]][%[[WINNER]]], %[[G]] axis 1 :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.scan max %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// scan logaddexp: exp(x) times the sum of g / exp(r) from each position on. The
// sums of positive g and of negative g are apart, as logarithms: exp(x + s) less
// exp(x + t), where s is the scan of log(g) - r from the end, and t of log(-g) - r.
// An r of -inf has no summand, and neither has a g of the other sign.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[G:[^:]*]]: tensor<4x8xf32>)
// CHECK-DAG:     %[[R:.*]] = tg.scan logaddexp %[[X]] axis 1 :
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK-DAG:     %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK-DAG:     %[[LOWEST:.*]] = tg.const(0xFF800000 : f32)
// CHECK-DAG:     %[[IS_EMPTY:.*]] = tg.cmpeq %[[R]], %[[LOWEST]] :
// CHECK-DAG:     %[[FINITE:.*]] = tg.where %[[IS_EMPTY]], %[[ZERO]], %[[R]] :
// CHECK-DAG:     %[[FALSE:.*]] = tg.cmplt %[[ONE]], %[[ZERO]] :
// CHECK-DAG:     %[[ABOVE:.*]] = tg.cmplt %[[ZERO]], %[[G]] :
// CHECK-DAG:     %[[IS_S:.*]] = tg.where %[[IS_EMPTY]], %[[FALSE]], %[[ABOVE]] :
// CHECK-DAG:     %[[G_S:.*]] = tg.where %[[IS_S]], %[[G]], %[[ONE]] :
// CHECK-DAG:     %[[LOG_S:.*]] = tg.log %[[G_S]] :
// CHECK-DAG:     %[[LESS_S:.*]] = tg.sub %[[LOG_S]], %[[FINITE]] :
// CHECK-DAG:     %[[TERMS_S:.*]] = tg.where %[[IS_S]], %[[LESS_S]], %[[LOWEST]] :
// CHECK-DAG:     %[[BACK_S:.*]] = tg.flip %[[TERMS_S]] axes [1] :
// CHECK-DAG:     %[[SCAN_S:.*]] = tg.scan logaddexp %[[BACK_S]] axis 1 :
// CHECK-DAG:     %[[S:.*]] = tg.flip %[[SCAN_S]] axes [1] :
// CHECK-DAG:     %[[SUM_S:.*]] = tg.add %[[X]], %[[S]] :
// CHECK-DAG:     %[[EXP_S:.*]] = tg.exp %[[SUM_S]] :
// CHECK-DAG:     %[[NEG:.*]] = tg.neg %[[G]] :
// CHECK-DAG:     %[[BELOW:.*]] = tg.cmplt %[[ZERO]], %[[NEG]] :
// CHECK-DAG:     %[[IS_T:.*]] = tg.where %[[IS_EMPTY]], %[[FALSE]], %[[BELOW]] :
// CHECK-DAG:     %[[G_T:.*]] = tg.where %[[IS_T]], %[[NEG]], %[[ONE]] :
// CHECK-DAG:     %[[LOG_T:.*]] = tg.log %[[G_T]] :
// CHECK-DAG:     %[[LESS_T:.*]] = tg.sub %[[LOG_T]], %[[FINITE]] :
// CHECK-DAG:     %[[TERMS_T:.*]] = tg.where %[[IS_T]], %[[LESS_T]], %[[LOWEST]] :
// CHECK-DAG:     %[[BACK_T:.*]] = tg.flip %[[TERMS_T]] axes [1] :
// CHECK-DAG:     %[[SCAN_T:.*]] = tg.scan logaddexp %[[BACK_T]] axis 1 :
// CHECK-DAG:     %[[T:.*]] = tg.flip %[[SCAN_T]] axes [1] :
// CHECK-DAG:     %[[SUM_T:.*]] = tg.add %[[X]], %[[T]] :
// CHECK-DAG:     %[[EXP_T:.*]] = tg.exp %[[SUM_T]] :
// CHECK-DAG:     %[[DX:.*]] = tg.sub %[[EXP_S]], %[[EXP_T]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.scan logaddexp %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Scatters and sorting
//===----------------------------------------------------------------------===//

// scatter add: g for the base. The updates get g at the positions of the index:
// along a further axis, the sum of g where the position is that of the index. The
// index has no gradient.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<4x8xf32>, %[[I:[^:]*]]: tensor<5x8xi32>,
// CHECK-SAME:    %[[U:[^:]*]]: tensor<5x8xf32>, %[[G:[^:]*]]: tensor<4x8xf32>)
// CHECK-SAME:    -> (tensor<4x8xf32>, tensor<5x8xf32>)
// CHECK-DAG:     %[[LAST:.*]] = tg.permute %[[G]] [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-DAG:     %[[SINGLE:.*]] = tg.reshape %[[LAST]] : tensor<8x4xf32> -> tensor<1x8x4xf32>
// CHECK-DAG:     %[[VALUES:.*]] = tg.expand %[[SINGLE]] : tensor<1x8x4xf32> -> tensor<5x8x4xf32>
// CHECK-DAG:     %[[INDEX:.*]] = tg.reshape %[[I]] : tensor<5x8xi32> -> tensor<5x8x1xi32>
// CHECK-DAG:     %[[POSITIONS:.*]] = tg.expand %[[INDEX]] : tensor<5x8x1xi32> -> tensor<5x8x4xi32>
// CHECK-DAG:     %[[IOTA:.*]] = tg.iota 2 : tensor<5x8x4xi32>
// CHECK-DAG:     %[[IS_SELECTED:.*]] = tg.cmpeq %[[IOTA]], %[[POSITIONS]] :
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<5x8x4xf32>
// CHECK-DAG:     %[[SELECTED:.*]] = tg.where %[[IS_SELECTED]], %[[VALUES]], %[[ZERO]] :
// CHECK-DAG:     %[[SUM:.*]] = tg.reduce add %[[SELECTED]] axes [2] :
// CHECK-DAG:     %[[DU:.*]] = tg.reshape %[[SUM]] : tensor<5x8x1xf32> -> tensor<5x8xf32>
// CHECK:         return %[[G]], %[[DU]] :
func.func @main(%b: tensor<4x8xf32>, %i: tensor<5x8xi32>,
                %u: tensor<5x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.scatter add %b[%i], %u axis 0
      : tensor<4x8xf32>, tensor<5x8xi32>, tensor<5x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Along the last axis, the axes have their order.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<4x8xf32>, %[[I:[^:]*]]: tensor<4x3xi32>,
// CHECK-SAME:    %[[U:[^:]*]]: tensor<4x3xf32>, %[[G:[^:]*]]: tensor<4x8xf32>)
// CHECK-DAG:     %[[LAST:.*]] = tg.permute %[[G]] [0, 1] :
// CHECK-DAG:     %[[SINGLE:.*]] = tg.reshape %[[LAST]] : tensor<4x8xf32> -> tensor<4x1x8xf32>
// CHECK-DAG:     %[[VALUES:.*]] = tg.expand %[[SINGLE]] : tensor<4x1x8xf32> -> tensor<4x3x8xf32>
// CHECK-DAG:     %[[INDEX:.*]] = tg.reshape %[[I]] : tensor<4x3xi32> -> tensor<4x3x1xi32>
// CHECK-DAG:     %[[POSITIONS:.*]] = tg.expand %[[INDEX]] : tensor<4x3x1xi32> -> tensor<4x3x8xi32>
// CHECK-DAG:     %[[IOTA:.*]] = tg.iota 2 : tensor<4x3x8xi32>
// CHECK-DAG:     %[[IS_SELECTED:.*]] = tg.cmpeq %[[IOTA]], %[[POSITIONS]] :
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<4x3x8xf32>
// CHECK-DAG:     %[[SELECTED:.*]] = tg.where %[[IS_SELECTED]], %[[VALUES]], %[[ZERO]] :
// CHECK-DAG:     %[[SUM:.*]] = tg.reduce add %[[SELECTED]] axes [2] :
// CHECK-DAG:     %[[DU:.*]] = tg.reshape %[[SUM]] : tensor<4x3x1xf32> -> tensor<4x3xf32>
// CHECK:         return %[[G]], %[[DU]] :
func.func @main(%b: tensor<4x8xf32>, %i: tensor<4x3xi32>,
                %u: tensor<4x3xf32>) -> tensor<4x8xf32> {
  %0 = tg.scatter add %b[%i], %u axis 1
      : tensor<4x8xf32>, tensor<4x3xi32>, tensor<4x3xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// An index type that does not hold all positions is widened.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<200xf32>, %[[I:[^:]*]]: tensor<3xi8>,
// CHECK-SAME:    %[[U:[^:]*]]: tensor<3xf32>, %[[G:[^:]*]]: tensor<200xf32>)
// CHECK-DAG:     %[[WIDE:.*]] = tg.cast %[[I]] : tensor<3xi8> -> tensor<3xi64>
// CHECK-DAG:     %[[INDEX:.*]] = tg.reshape %[[WIDE]] :
// CHECK-DAG:     %[[POSITIONS:.*]] = tg.expand %[[INDEX]] :
// CHECK-DAG:     %[[IOTA:.*]] = tg.iota 1 : tensor<3x200xi64>
// CHECK-DAG:     tg.cmpeq %[[IOTA]], %[[POSITIONS]] :
// CHECK:         return %[[G]], %
func.func @main(%b: tensor<200xf32>, %i: tensor<3xi8>,
                %u: tensor<3xf32>) -> tensor<200xf32> {
  %0 = tg.scatter add %b[%i], %u axis 0
      : tensor<200xf32>, tensor<3xi8>, tensor<3xf32>
  return %0 : tensor<200xf32>
}

// -----

// scatter set: The base gets g, and 0 where it was replaced. An update gets g at
// its position if it is the last one there, else 0. The last one is found by a
// scatter of the positions of the updates.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<8xf32>, %[[I:[^:]*]]: tensor<3xi32>,
// CHECK-SAME:    %[[U:[^:]*]]: tensor<3xf32>, %[[G:[^:]*]]: tensor<8xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<3xf32>
// CHECK-DAG:     %[[DB:.*]] = tg.scatter set %[[G]][%[[I]]], %[[ZERO]] axis 0 :
// CHECK-DAG:     %[[PLACE:.*]] = tg.iota 0 : tensor<3xi32>
// CHECK-DAG:     %[[NONE:.*]] = tg.const(-1 : i32) : tensor<8xi32>
// CHECK-DAG:     %[[PLACES:.*]] = tg.scatter set %[[NONE]][%[[I]]], %[[PLACE]] axis 0 :
// CHECK-DAG:     %[[INDEX:.*]] = tg.reshape %[[I]] :
// CHECK-DAG:     %[[POSITIONS:.*]] = tg.expand %[[INDEX]] :
// CHECK-DAG:     %[[IOTA:.*]] = tg.iota 1 : tensor<3x8xi32>
// CHECK-DAG:     %[[IS_SELECTED:.*]] = tg.cmpeq %[[IOTA]], %[[POSITIONS]] :
// CHECK-DAG:     %[[L0:.*]] = tg.permute %[[PLACES]] [0] :
// CHECK-DAG:     %[[L1:.*]] = tg.reshape %[[L0]] :
// CHECK-DAG:     %[[L2:.*]] = tg.expand %[[L1]] :
// CHECK-DAG:     %[[NO_PLACE:.*]] = tg.const(0 : i32) : tensor<3x8xi32>
// CHECK-DAG:     %[[L3:.*]] = tg.where %[[IS_SELECTED]], %[[L2]], %[[NO_PLACE]] :
// CHECK-DAG:     %[[L4:.*]] = tg.reduce add %[[L3]] axes [1] :
// CHECK-DAG:     %[[LAST:.*]] = tg.reshape %[[L4]] :
// CHECK-DAG:     %[[IS_LAST:.*]] = tg.cmpeq %[[LAST]], %[[PLACE]] :
// CHECK-DAG:     %[[G0:.*]] = tg.permute %[[G]] [0] :
// CHECK-DAG:     %[[G1:.*]] = tg.reshape %[[G0]] :
// CHECK-DAG:     %[[G2:.*]] = tg.expand %[[G1]] :
// CHECK-DAG:     %[[NO_G:.*]] = tg.const(0.000000e+00 : f32) : tensor<3x8xf32>
// CHECK-DAG:     %[[G3:.*]] = tg.where %[[IS_SELECTED]], %[[G2]], %[[NO_G]] :
// CHECK-DAG:     %[[G4:.*]] = tg.reduce add %[[G3]] axes [1] :
// CHECK-DAG:     %[[G5:.*]] = tg.reshape %[[G4]] :
// CHECK-DAG:     %[[DU:.*]] = tg.where %[[IS_LAST]], %[[G5]], %[[ZERO]] :
// CHECK:         return %[[DB]], %[[DU]] :
func.func @main(%b: tensor<8xf32>, %i: tensor<3xi32>,
                %u: tensor<3xf32>) -> tensor<8xf32> {
  %0 = tg.scatter set %b[%i], %u axis 0
      : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  return %0 : tensor<8xf32>
}

// -----

// scatter max: g / n for the element of the base and for each update, if they are
// equal to r, where n is their number; else 0. There is none if r is NaN: then 1
// takes the place of n.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<8xf32>, %[[I:[^:]*]]: tensor<3xi32>,
// CHECK-SAME:    %[[U:[^:]*]]: tensor<3xf32>, %[[G:[^:]*]]: tensor<8xf32>)
// CHECK-DAG:     %[[R:.*]] = tg.scatter max %[[B]][%[[I]]], %[[U]] axis 0 :
// CHECK-DAG:     %[[B_EQUAL:.*]] = tg.cmpeq %[[B]], %[[R]] :
// CHECK-DAG:     %[[INDEX:.*]] = tg.reshape %[[I]] :
// CHECK-DAG:     %[[POSITIONS:.*]] = tg.expand %[[INDEX]] :
// CHECK-DAG:     %[[IOTA:.*]] = tg.iota 1 : tensor<3x8xi32>
// CHECK-DAG:     %[[IS_SELECTED:.*]] = tg.cmpeq %[[IOTA]], %[[POSITIONS]] :
// CHECK-DAG:     %[[NONE:.*]] = tg.const(0.000000e+00 : f32) : tensor<3x8xf32>
// CHECK-DAG:     %[[R0:.*]] = tg.permute %[[R]] [0] :
// CHECK-DAG:     %[[R1:.*]] = tg.reshape %[[R0]] :
// CHECK-DAG:     %[[R2:.*]] = tg.expand %[[R1]] :
// CHECK-DAG:     %[[R3:.*]] = tg.where %[[IS_SELECTED]], %[[R2]], %[[NONE]] :
// CHECK-DAG:     %[[R4:.*]] = tg.reduce add %[[R3]] axes [1] :
// CHECK-DAG:     %[[R5:.*]] = tg.reshape %[[R4]] :
// CHECK-DAG:     %[[U_EQUAL:.*]] = tg.cmpeq %[[U]], %[[R5]] :
// CHECK-DAG:     %[[B_ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<8xf32>
// CHECK-DAG:     %[[B_ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<8xf32>
// CHECK-DAG:     %[[B_ONES:.*]] = tg.where %[[B_EQUAL]], %[[B_ONE]], %[[B_ZERO]] :
// CHECK-DAG:     %[[U_ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<3xf32>
// CHECK-DAG:     %[[U_ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<3xf32>
// CHECK-DAG:     %[[U_ONES:.*]] = tg.where %[[U_EQUAL]], %[[U_ONE]], %[[U_ZERO]] :
// CHECK-DAG:     %[[N:.*]] = tg.scatter add %[[B_ONES]][%[[I]]], %[[U_ONES]] axis 0 :
// CHECK-DAG:     %[[IS_COUNTED:.*]] = tg.cmplt %[[B_ZERO]], %[[N]] :
// CHECK-DAG:     %[[COUNT:.*]] = tg.where %[[IS_COUNTED]], %[[N]], %[[B_ONE]] :
// CHECK-DAG:     %[[SHARE:.*]] = tg.fdiv %[[G]], %[[COUNT]] :
// CHECK-DAG:     %[[DB:.*]] = tg.where %[[B_EQUAL]], %[[SHARE]], %[[B_ZERO]] :
// CHECK-DAG:     %[[S0:.*]] = tg.permute %[[SHARE]] [0] :
// CHECK-DAG:     %[[S1:.*]] = tg.reshape %[[S0]] :
// CHECK-DAG:     %[[S2:.*]] = tg.expand %[[S1]] :
// CHECK-DAG:     %[[S3:.*]] = tg.where %[[IS_SELECTED]], %[[S2]], %[[NONE]] :
// CHECK-DAG:     %[[S4:.*]] = tg.reduce add %[[S3]] axes [1] :
// CHECK-DAG:     %[[S5:.*]] = tg.reshape %[[S4]] :
// CHECK-DAG:     %[[DU:.*]] = tg.where %[[U_EQUAL]], %[[S5]], %[[U_ZERO]] :
// CHECK:         return %[[DB]], %[[DU]] :
func.func @main(%b: tensor<8xf32>, %i: tensor<3xi32>,
                %u: tensor<3xf32>) -> tensor<8xf32> {
  %0 = tg.scatter max %b[%i], %u axis 0
      : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  return %0 : tensor<8xf32>
}

// -----

// scatter min: the same with the minimum as r

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<8xf32>, %[[I:[^:]*]]: tensor<3xi32>,
// CHECK-SAME:    %[[U:[^:]*]]: tensor<3xf32>, %[[G:[^:]*]]: tensor<8xf32>)
// CHECK-NOT:     tg.scatter max
// CHECK:         %[[R:.*]] = tg.scatter min %[[B]][%[[I]]], %[[U]] axis 0 :
// CHECK-DAG:     %[[B_EQUAL:.*]] = tg.cmpeq %[[B]], %[[R]] :
// CHECK-DAG:     tg.permute %[[R]] [0] :
// CHECK-DAG:     %[[U_EQUAL:.*]] = tg.cmpeq %[[U]], %
// CHECK-DAG:     %[[SHARE:.*]] = tg.fdiv %[[G]], %
// CHECK-DAG:     %[[DB:.*]] = tg.where %[[B_EQUAL]], %[[SHARE]], %
// CHECK-DAG:     tg.permute %[[SHARE]] [0] :
// CHECK:         %[[DU:.*]] = tg.where %[[U_EQUAL]], %
// CHECK:         return %[[DB]], %[[DU]] :
func.func @main(%b: tensor<8xf32>, %i: tensor<3xi32>,
                %u: tensor<3xf32>) -> tensor<8xf32> {
  %0 = tg.scatter min %b[%i], %u axis 0
      : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  return %0 : tensor<8xf32>
}

// -----

// scatter mul: With p the product of the factors of an element other than 0, each
// factor gets g p / itself if there is no zero. If there is one, it gets g p. All
// others get 0.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[B:[^:]*]]: tensor<8xf32>, %[[I:[^:]*]]: tensor<3xi32>,
// CHECK-SAME:    %[[U:[^:]*]]: tensor<3xf32>, %[[G:[^:]*]]: tensor<8xf32>)
// CHECK-DAG:     %[[B_ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<8xf32>
// CHECK-DAG:     %[[B_ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<8xf32>
// CHECK-DAG:     %[[U_ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<3xf32>
// CHECK-DAG:     %[[U_ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<3xf32>
// CHECK-DAG:     %[[B_IS_0:.*]] = tg.cmpeq %[[B]], %[[B_ZERO]] :
// CHECK-DAG:     %[[U_IS_0:.*]] = tg.cmpeq %[[U]], %[[U_ZERO]] :
// CHECK-DAG:     %[[BASE:.*]] = tg.where %[[B_IS_0]], %[[B_ONE]], %[[B]] :
// CHECK-DAG:     %[[UPDATES:.*]] = tg.where %[[U_IS_0]], %[[U_ONE]], %[[U]] :
// CHECK-DAG:     %[[P:.*]] = tg.scatter mul %[[BASE]][%[[I]]], %[[UPDATES]] axis 0 :
// CHECK-DAG:     %[[B_ONES:.*]] = tg.where %[[B_IS_0]], %[[B_ONE]], %[[B_ZERO]] :
// CHECK-DAG:     %[[U_ONES:.*]] = tg.where %[[U_IS_0]], %[[U_ONE]], %[[U_ZERO]] :
// CHECK-DAG:     %[[ZEROS:.*]] = tg.scatter add %[[B_ONES]][%[[I]]], %[[U_ONES]] axis 0 :
// CHECK-DAG:     %[[GP:.*]] = tg.mul %[[G]], %[[P]] :
// CHECK-DAG:     %[[IF_ONE:.*]] = tg.cmpeq %[[ZEROS]], %[[B_ONE]] :
// CHECK-DAG:     %[[OF_0:.*]] = tg.where %[[IF_ONE]], %[[GP]], %[[B_ZERO]] :
// CHECK-DAG:     %[[IF_NONE:.*]] = tg.cmpeq %[[ZEROS]], %[[B_ZERO]] :
// CHECK-DAG:     %[[OF_OTHERS:.*]] = tg.where %[[IF_NONE]], %[[GP]], %[[B_ZERO]] :
// CHECK-DAG:     %[[B_OTHERS:.*]] = tg.fdiv %[[OF_OTHERS]], %[[BASE]] :
// CHECK-DAG:     %[[DB:.*]] = tg.where %[[B_IS_0]], %[[OF_0]], %[[B_OTHERS]] :
// CHECK-DAG:     %[[INDEX:.*]] = tg.reshape %[[I]] :
// CHECK-DAG:     %[[POSITIONS:.*]] = tg.expand %[[INDEX]] :
// CHECK-DAG:     %[[IOTA:.*]] = tg.iota 1 : tensor<3x8xi32>
// CHECK-DAG:     %[[IS_SELECTED:.*]] = tg.cmpeq %[[IOTA]], %[[POSITIONS]] :
// CHECK-DAG:     %[[NONE:.*]] = tg.const(0.000000e+00 : f32) : tensor<3x8xf32>
// CHECK-DAG:     %[[Z0:.*]] = tg.permute %[[OF_0]] [0] :
// CHECK-DAG:     %[[Z1:.*]] = tg.reshape %[[Z0]] :
// CHECK-DAG:     %[[Z2:.*]] = tg.expand %[[Z1]] :
// CHECK-DAG:     %[[Z3:.*]] = tg.where %[[IS_SELECTED]], %[[Z2]], %[[NONE]] :
// CHECK-DAG:     %[[Z4:.*]] = tg.reduce add %[[Z3]] axes [1] :
// CHECK-DAG:     %[[Z5:.*]] = tg.reshape %[[Z4]] :
// CHECK-DAG:     %[[O0:.*]] = tg.permute %[[OF_OTHERS]] [0] :
// CHECK-DAG:     %[[O1:.*]] = tg.reshape %[[O0]] :
// CHECK-DAG:     %[[O2:.*]] = tg.expand %[[O1]] :
// CHECK-DAG:     %[[O3:.*]] = tg.where %[[IS_SELECTED]], %[[O2]], %[[NONE]] :
// CHECK-DAG:     %[[O4:.*]] = tg.reduce add %[[O3]] axes [1] :
// CHECK-DAG:     %[[O5:.*]] = tg.reshape %[[O4]] :
// CHECK-DAG:     %[[U_OTHERS:.*]] = tg.fdiv %[[O5]], %[[UPDATES]] :
// CHECK-DAG:     %[[DU:.*]] = tg.where %[[U_IS_0]], %[[Z5]], %[[U_OTHERS]] :
// CHECK:         return %[[DB]], %[[DU]] :
func.func @main(%b: tensor<8xf32>, %i: tensor<3xi32>,
                %u: tensor<3xf32>) -> tensor<8xf32> {
  %0 = tg.scatter mul %b[%i], %u axis 0
      : tensor<8xf32>, tensor<3xi32>, tensor<3xf32>
  return %0 : tensor<8xf32>
}

// -----

// argsort has no gradient: x has only that of the updates, which is g at the
// positions that argsort gave.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32>, %[[G:[^:]*]]: tensor<8xf32>)
// CHECK-DAG:     %[[ORDER:.*]] = tg.argsort %[[X]] :
// CHECK-DAG:     %[[INDEX:.*]] = tg.reshape %[[ORDER]] :
// CHECK-DAG:     %[[POSITIONS:.*]] = tg.expand %[[INDEX]] :
// CHECK-DAG:     %[[IOTA:.*]] = tg.iota 1 : tensor<8x8xi32>
// CHECK-DAG:     %[[IS_SELECTED:.*]] = tg.cmpeq %[[IOTA]], %[[POSITIONS]] :
// CHECK-DAG:     %[[NONE:.*]] = tg.const(0.000000e+00 : f32) : tensor<8x8xf32>
// CHECK-DAG:     %[[G0:.*]] = tg.permute %[[G]] [0] :
// CHECK-DAG:     %[[G1:.*]] = tg.reshape %[[G0]] :
// CHECK-DAG:     %[[G2:.*]] = tg.expand %[[G1]] :
// CHECK-DAG:     %[[G3:.*]] = tg.where %[[IS_SELECTED]], %[[G2]], %[[NONE]] :
// CHECK-DAG:     %[[G4:.*]] = tg.reduce add %[[G3]] axes [1] :
// CHECK-DAG:     %[[DX:.*]] = tg.reshape %[[G4]] : tensor<8x1xf32> -> tensor<8xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %order = tg.argsort %x : tensor<8xf32> -> tensor<8xi32>
  %zero = tg.const(0.0 : f32) : tensor<8xf32>
  %0 = tg.scatter add %zero[%order], %x axis 0
      : tensor<8xf32>, tensor<8xi32>, tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

// reshape: g in the shape of x

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x6xf32>, %[[G:[^:]*]]: tensor<2x12xf32>)
// CHECK:         %[[DX:.*]] = tg.reshape %[[G]] : tensor<2x12xf32> -> tensor<4x6xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x6xf32>) -> tensor<2x12xf32> {
  %0 = tg.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  return %0 : tensor<2x12xf32>
}

// -----

// permute: g in the inverse order, which is another one here

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3x4xf32>, %[[G:[^:]*]]: tensor<4x2x3xf32>)
// CHECK:         %[[DX:.*]] = tg.permute %[[G]] [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = tg.permute %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

// expand: the sum of g along the axes that are repeated; an axis that keeps its
// size of 1 is not

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x1x1x1xf32>, %[[G:[^:]*]]: tensor<4x6x1x3xf32>)
// CHECK:         %[[DX:.*]] = tg.reduce add %[[G]] axes [1, 3] : tensor<4x6x1x3xf32> -> tensor<4x1x1x1xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x1x1x1xf32>) -> tensor<4x6x1x3xf32> {
  %0 = tg.expand %x : tensor<4x1x1x1xf32> -> tensor<4x6x1x3xf32>
  return %0 : tensor<4x6x1x3xf32>
}

// -----

// pad: the part of g that holds x

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x6xf32>, %[[G:[^:]*]]: tensor<7x8xf32>)
// CHECK:         %[[DX:.*]] = tg.shrink %[[G]] from [1, 0] to [5, 6] : tensor<7x8xf32> -> tensor<4x6xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x6xf32>) -> tensor<7x8xf32> {
  %0 = tg.pad %x low [1, 0] high [2, 2] : tensor<4x6xf32> -> tensor<7x8xf32>
  return %0 : tensor<7x8xf32>
}

// -----

// shrink: g between zeros in place of the other elements

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<7x8xf32>, %[[G:[^:]*]]: tensor<4x6xf32>)
// CHECK:         %[[DX:.*]] = tg.pad %[[G]] low [1, 0] high [2, 2] : tensor<4x6xf32> -> tensor<7x8xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<7x8xf32>) -> tensor<4x6xf32> {
  %0 = tg.shrink %x from [1, 0] to [5, 6] : tensor<7x8xf32> -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// -----

// flip: g, flipped along the same axes

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3x4xf32>, %[[G:[^:]*]]: tensor<2x3x4xf32>)
// CHECK:         %[[DX:.*]] = tg.flip %[[G]] axes [0, 2] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tg.flip %x axes [0, 2] : tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// -----

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

// strided by the axes in another order: g in the order of x

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<2x3x4xf32>, %[[G:[^:]*]]: tensor<4x2x3xf32>)
// CHECK:         %[[DX:.*]] = tg.permute %[[G]] [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = tg.strided %x [#tg.view<[4, 2, 3] strides [1, 12, 4]>] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %0 : tensor<4x2x3xf32>
}

// -----

// strided by steps: g with zeros between the elements, before and after them

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<10xf32>, %[[G:[^:]*]]: tensor<3xf32>)
// CHECK:         %[[ORDERED:.*]] = tg.permute %[[G]] [0] :
// CHECK:         %[[SINGLE:.*]] = tg.reshape %[[ORDERED]] : tensor<3xf32> -> tensor<3x1xf32>
// CHECK:         %[[SPREAD:.*]] = tg.pad %[[SINGLE]] low [0, 0] high [0, 1] :
// CHECK:         %[[JOINED:.*]] = tg.reshape %[[SPREAD]] : tensor<3x2xf32> -> tensor<6xf32>
// CHECK:         %[[COVERED:.*]] = tg.shrink %[[JOINED]] from [0] to [5] :
// CHECK:         %[[DX:.*]] = tg.pad %[[COVERED]] low [1] high [4] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<10xf32>) -> tensor<3xf32> {
  %0 = tg.strided %x [#tg.view<[3] strides [2] offset 1>] : tensor<10xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// An axis with stride 0 repeats x: the sum of g along it.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4x3xf32>)
// CHECK:         %[[SUM:.*]] = tg.reduce add %[[G]] axes [1] :
// CHECK:         %[[REST:.*]] = tg.reshape %[[SUM]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK:         %[[DX:.*]] = tg.permute %[[REST]] [0] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4x3xf32> {
  %0 = tg.strided %x [#tg.view<[4, 3] strides [1, 0]>] : tensor<4xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// Overlapping windows: element q gets the sum over k of g[q - k, k]. The view
// reads row 2 - k of the flipped rows at q - k, after two zeros.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<10xf32>, %[[G:[^:]*]]: tensor<8x3xf32>)
// CHECK:         %[[ROWS:.*]] = tg.permute %[[G]] [1, 0] :
// CHECK:         %[[FLIPPED:.*]] = tg.flip %[[ROWS]] axes [0] :
// CHECK:         %[[PADDED:.*]] = tg.pad %[[FLIPPED]] low [0, 2] high [0, 2] : tensor<3x8xf32> -> tensor<3x12xf32>
// CHECK:         %[[SHIFTED:.*]] = tg.strided %[[PADDED]] [#tg.view<[10, 3] strides [1, 13]>] :
// CHECK:         %[[SUM:.*]] = tg.reduce add %[[SHIFTED]] axes [1] :
// CHECK:         %[[DX:.*]] = tg.reshape %[[SUM]] : tensor<10x1xf32> -> tensor<10xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<10xf32>) -> tensor<8x3xf32> {
  %0 = tg.strided %x [#tg.view<[8, 3] strides [1, 1]>] : tensor<10xf32> -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

// -----

// Windows two positions apart: zeros between the windows, too. No window reaches
// the last element.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<10xf32>, %[[G:[^:]*]]: tensor<4x3xf32>)
// CHECK:         %[[ROWS:.*]] = tg.permute %[[G]] [1, 0] :
// CHECK:         %[[FLIPPED:.*]] = tg.flip %[[ROWS]] axes [0] :
// CHECK:         %[[SINGLE:.*]] = tg.reshape %[[FLIPPED]] : tensor<3x4xf32> -> tensor<3x4x1xf32>
// CHECK:         %[[SPREAD:.*]] = tg.pad %[[SINGLE]] low [0, 0, 0] high [0, 0, 1] :
// CHECK:         %[[JOINED:.*]] = tg.reshape %[[SPREAD]] : tensor<3x4x2xf32> -> tensor<3x8xf32>
// CHECK:         %[[COVERED:.*]] = tg.shrink %[[JOINED]] from [0, 0] to [3, 7] :
// CHECK:         %[[PADDED:.*]] = tg.pad %[[COVERED]] low [0, 2] high [0, 2] : tensor<3x7xf32> -> tensor<3x11xf32>
// CHECK:         %[[SHIFTED:.*]] = tg.strided %[[PADDED]] [#tg.view<[9, 3] strides [1, 12]>] :
// CHECK:         %[[SUM:.*]] = tg.reduce add %[[SHIFTED]] axes [1] :
// CHECK:         %[[REACHED:.*]] = tg.reshape %[[SUM]] : tensor<9x1xf32> -> tensor<9xf32>
// CHECK:         %[[DX:.*]] = tg.pad %[[REACHED]] low [0] high [1] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<10xf32>) -> tensor<4x3xf32> {
  %0 = tg.strided %x [#tg.view<[4, 3] strides [2, 1]>] : tensor<10xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// A view of padding: the part of the sums that is inside of the padding.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<8xf32>, %[[G:[^:]*]]: tensor<9x3xf32>)
// CHECK:         %[[ROWS:.*]] = tg.permute %[[G]] [1, 0] :
// CHECK:         %[[FLIPPED:.*]] = tg.flip %[[ROWS]] axes [0] :
// CHECK:         %[[PADDED:.*]] = tg.pad %[[FLIPPED]] low [0, 2] high [0, 2] : tensor<3x9xf32> -> tensor<3x13xf32>
// CHECK:         %[[SHIFTED:.*]] = tg.strided %[[PADDED]] [#tg.view<[11, 3] strides [1, 14]>] :
// CHECK:         %[[SUM:.*]] = tg.reduce add %[[SHIFTED]] axes [1] :
// CHECK:         %[[ALL:.*]] = tg.reshape %[[SUM]] : tensor<11x1xf32> -> tensor<11xf32>
// CHECK:         %[[DX:.*]] = tg.shrink %[[ALL]] from [1] to [9] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<8xf32>) -> tensor<9x3xf32> {
  %0 = tg.pad %x low [1] high [2] : tensor<8xf32> -> tensor<11xf32>
  %1 = tg.strided %0 [#tg.view<[9, 3] strides [1, 1]>] : tensor<11xf32> -> tensor<9x3xf32>
  return %1 : tensor<9x3xf32>
}

// -----

// A masked view: g where the mask holds.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<7xf32>)
// CHECK:         %[[PART:.*]] = tg.shrink %[[G]] from [1] to [5] :
// CHECK:         %[[DX:.*]] = tg.permute %[[PART]] [0] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<7xf32> {
  %0 = tg.strided %x [#tg.view<[7] strides [1] offset -1 mask [1 to 5]>] : tensor<4xf32> -> tensor<7xf32>
  return %0 : tensor<7xf32>
}

// -----

// A negative step is none of these: each element of g is added at the position
// 18 - 6 i of x.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x6xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK-DAG:     %[[OFFSET:.*]] = tg.const(18 : i32) : tensor<4xi32>
// CHECK-DAG:     %[[IOTA:.*]] = tg.iota 0 : tensor<4xi32>
// CHECK-DAG:     %[[STRIDE:.*]] = tg.const(-6 : i32) : tensor<4xi32>
// CHECK-DAG:     %[[STEPS:.*]] = tg.mul %[[IOTA]], %[[STRIDE]] :
// CHECK-DAG:     %[[POSITION:.*]] = tg.add %[[OFFSET]], %[[STEPS]] :
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<24xf32>
// CHECK-DAG:     %[[SUM:.*]] = tg.scatter add %[[ZERO]][%[[POSITION]]], %[[G]] axis 0 :
// CHECK-DAG:     %[[DX:.*]] = tg.reshape %[[SUM]] : tensor<24xf32> -> tensor<4x6xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = tg.strided %x [#tg.view<[4] strides [-6] offset 18>] : tensor<4x6xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The gradient goes through a chain of views from the last one to the first one.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x6xf32>, %[[G:[^:]*]]: tensor<8x3xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<24xf32>
// CHECK-DAG:     %[[ROW:.*]] = tg.iota 0 : tensor<8x3xi32>
// CHECK-DAG:     %[[COLUMN:.*]] = tg.iota 1 : tensor<8x3xi32>
// CHECK-DAG:     %[[ROW_STRIDE:.*]] = tg.const(3 : i32) : tensor<8x3xi32>
// CHECK-DAG:     %[[COLUMN_STRIDE:.*]] = tg.const(1 : i32) : tensor<8x3xi32>
// CHECK-DAG:     %[[OFFSET:.*]] = tg.const(0 : i32) : tensor<8x3xi32>
// CHECK-DAG:     %[[ROWS:.*]] = tg.mul %[[ROW]], %[[ROW_STRIDE]] :
// CHECK-DAG:     %[[BEGIN:.*]] = tg.add %[[OFFSET]], %[[ROWS]] :
// CHECK-DAG:     %[[COLUMNS:.*]] = tg.mul %[[COLUMN]], %[[COLUMN_STRIDE]] :
// CHECK-DAG:     %[[POSITION:.*]] = tg.add %[[BEGIN]], %[[COLUMNS]] :
// CHECK-DAG:     %[[POSITIONS:.*]] = tg.reshape %[[POSITION]] : tensor<8x3xi32> -> tensor<24xi32>
// CHECK-DAG:     %[[FLAT:.*]] = tg.reshape %[[G]] : tensor<8x3xf32> -> tensor<24xf32>
// CHECK-DAG:     %[[SUM:.*]] = tg.scatter add %[[ZERO]][%[[POSITIONS]]], %[[FLAT]] axis 0 :
// CHECK-DAG:     %[[SECOND:.*]] = tg.reshape %[[SUM]] : tensor<24xf32> -> tensor<6x4xf32>
// CHECK-DAG:     %[[DX:.*]] = tg.permute %[[SECOND]] [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4x6xf32>) -> tensor<8x3xf32> {
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>, #tg.view<[8, 3] strides [3, 1]>] : tensor<4x6xf32> -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
