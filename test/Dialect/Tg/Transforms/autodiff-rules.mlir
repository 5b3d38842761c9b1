// The rules of differentiation of elementwise operations and of operations on
// memory. The rules of reductions, orders and views are in
// autodiff-rules-views.mlir.
//
// The comments give the gradients of x, y and z in this order. r is the result,
// and g is its gradient, which is the last argument. --cse makes equal operations
// one, so that no line can match another operation than the one it is for.

// RUN: tg-opt %s --split-input-file --tg-autodiff=only-gradients --cse \
// RUN:   | FileCheck %s

// neg: -g

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[DX:.*]] = tg.neg %[[G]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// recip: -(g r^2)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = tg.recip %[[X]] :
// CHECK:         %[[SQUARE:.*]] = tg.mul %[[R]], %[[R]] :
// CHECK:         %[[PRODUCT:.*]] = tg.mul %[[G]], %[[SQUARE]] :
// CHECK:         %[[DX:.*]] = tg.neg %[[PRODUCT]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.recip %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// sqrt: (g 0.5) / r

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = tg.sqrt %[[X]] :
// CHECK:         %[[HALF:.*]] = tg.const(5.000000e-01 : f32)
// CHECK:         %[[PRODUCT:.*]] = tg.mul %[[G]], %[[HALF]] :
// CHECK:         %[[DX:.*]] = tg.fdiv %[[PRODUCT]], %[[R]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.sqrt %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// exp2: g (r log(2))

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = tg.exp2 %[[X]] :
// CHECK:         %[[LOG:.*]] = tg.const(0.693147182 : f32)
// CHECK:         %[[D:.*]] = tg.mul %[[R]], %[[LOG]] :
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[D]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp2 %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// exp: g r

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = tg.exp %[[X]] :
// CHECK-NOT:     tg.exp
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[R]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expm1: g exp(x). r + 1 would lose the digits of a small exp(x).

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[EXP:.*]] = tg.exp %[[X]] :
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[EXP]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.expm1 %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// log2: (g log2(e)) / x

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[LOG:.*]] = tg.const(1.44269502 : f32)
// CHECK:         %[[PRODUCT:.*]] = tg.mul %[[G]], %[[LOG]] :
// CHECK:         %[[DX:.*]] = tg.fdiv %[[PRODUCT]], %[[X]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.log2 %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// log: g / x

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[DX:.*]] = tg.fdiv %[[G]], %[[X]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.log %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// log1p: g / (x + 1)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK:         %[[SUM:.*]] = tg.add %[[X]], %[[ONE]] :
// CHECK:         %[[DX:.*]] = tg.fdiv %[[G]], %[[SUM]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.log1p %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// sin: g cos(x)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[COS:.*]] = tg.cos %[[X]] :
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[COS]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.sin %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// cos: -(g sin(x))

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[SIN:.*]] = tg.sin %[[X]] :
// CHECK:         %[[PRODUCT:.*]] = tg.mul %[[G]], %[[SIN]] :
// CHECK:         %[[DX:.*]] = tg.neg %[[PRODUCT]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.cos %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// tan: g (r^2 + 1)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = tg.tan %[[X]] :
// CHECK-DAG:     %[[SQUARE:.*]] = tg.mul %[[R]], %[[R]] :
// CHECK-DAG:     %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK:         %[[SUM:.*]] = tg.add %[[SQUARE]], %[[ONE]] :
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[SUM]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.tan %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// asin: g / sqrt((1 - x) (1 + x)). 1 - x^2 would lose digits near 1.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK-DAG:     %[[LESS:.*]] = tg.sub %[[ONE]], %[[X]] :
// CHECK-DAG:     %[[MORE:.*]] = tg.add %[[ONE]], %[[X]] :
// CHECK:         %[[PRODUCT:.*]] = tg.mul %[[LESS]], %[[MORE]] :
// CHECK:         %[[ROOT:.*]] = tg.sqrt %[[PRODUCT]] :
// CHECK:         %[[DX:.*]] = tg.fdiv %[[G]], %[[ROOT]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.asin %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// acos: -(g / sqrt((1 - x) (1 + x)))

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK-DAG:     %[[LESS:.*]] = tg.sub %[[ONE]], %[[X]] :
// CHECK-DAG:     %[[MORE:.*]] = tg.add %[[ONE]], %[[X]] :
// CHECK:         %[[PRODUCT:.*]] = tg.mul %[[LESS]], %[[MORE]] :
// CHECK:         %[[ROOT:.*]] = tg.sqrt %[[PRODUCT]] :
// CHECK:         %[[QUOTIENT:.*]] = tg.fdiv %[[G]], %[[ROOT]] :
// CHECK:         %[[DX:.*]] = tg.neg %[[QUOTIENT]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.acos %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// atan: g / (x^2 + 1)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK-DAG:     %[[SQUARE:.*]] = tg.mul %[[X]], %[[X]] :
// CHECK-DAG:     %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK:         %[[SUM:.*]] = tg.add %[[SQUARE]], %[[ONE]] :
// CHECK:         %[[DX:.*]] = tg.fdiv %[[G]], %[[SUM]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.atan %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// tanh: g (1 - r^2)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = tg.tanh %[[X]] :
// CHECK-DAG:     %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK-DAG:     %[[SQUARE:.*]] = tg.mul %[[R]], %[[R]] :
// CHECK:         %[[REST:.*]] = tg.sub %[[ONE]], %[[SQUARE]] :
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[REST]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// erf: g (exp(-x^2) 2/sqrt(π))

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[SQUARE:.*]] = tg.mul %[[X]], %[[X]] :
// CHECK:         %[[NEG:.*]] = tg.neg %[[SQUARE]] :
// CHECK:         %[[BELL:.*]] = tg.exp %[[NEG]] :
// CHECK:         %[[FACTOR:.*]] = tg.const(1.12837923 : f32)
// CHECK:         %[[D:.*]] = tg.mul %[[BELL]], %[[FACTOR]] :
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[D]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.erf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// trunc has no gradient, since its derivative is 0 wherever it has one.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         return %[[ZERO]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.trunc %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// cast: a cast of g to the type of x

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf16>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[DX:.*]] = tg.cast %[[G]] : tensor<4xf32> -> tensor<4xf16>
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf16>) -> tensor<4xf32> {
  %0 = tg.cast %x : tensor<4xf16> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A cast of integers has no gradient. The other operand of the product has one.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[I:[^:]*]]: tensor<4xi32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK:         %[[Y:.*]] = tg.cast %[[I]] : tensor<4xi32> -> tensor<4xf32>
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[Y]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  %0 = tg.cast %i : tensor<4xi32> -> tensor<4xf32>
  %1 = tg.mul %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A cast to integers and back has no gradient.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         return %[[ZERO]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.cast %x : tensor<4xf32> -> tensor<4xi32>
  %1 = tg.cast %0 : tensor<4xi32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// add: g; g

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         return %[[G]], %[[G]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// sub: g; -g

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[DY:.*]] = tg.neg %[[G]] :
// CHECK:         return %[[G]], %[[DY]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.sub %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// mul: g y; g x

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[Y]] :
// CHECK:         %[[DY:.*]] = tg.mul %[[G]], %[[X]] :
// CHECK:         return %[[DX]], %[[DY]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.mul %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The gradients of several uses of a value are added up.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[PRODUCT:.*]] = tg.mul %[[G]], %[[X]] :
// CHECK:         %[[DX:.*]] = tg.add %[[PRODUCT]], %[[PRODUCT]] :
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.mul %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// mulacc: g y; g x; g

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[Z:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[Y]] :
// CHECK:         %[[DY:.*]] = tg.mul %[[G]], %[[X]] :
// CHECK:         return %[[DX]], %[[DY]], %[[G]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>,
                %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.mulacc %x, %y, %z : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// fdiv: g / y; -((g / y) r)

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[R:.*]] = tg.fdiv %[[X]], %[[Y]] :
// CHECK:         %[[DX:.*]] = tg.fdiv %[[G]], %[[Y]] :
// CHECK:         %[[PRODUCT:.*]] = tg.mul %[[DX]], %[[R]] :
// CHECK:         %[[DY:.*]] = tg.neg %[[PRODUCT]] :
// CHECK:         return %[[DX]], %[[DY]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.fdiv %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// max: g for the larger operand and 0 for the other one; g 0.5 for each of two
// equal operands

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK-DAG:     %[[C:.*]] = tg.const(5.000000e-01 : f32)
// CHECK-DAG:     %[[HALF:.*]] = tg.mul %[[G]], %[[C]] :
// CHECK-DAG:     %[[EQUAL:.*]] = tg.cmpeq %[[X]], %[[Y]] :
// CHECK-DAG:     %[[IS_X:.*]] = tg.cmplt %[[Y]], %[[X]] :
// CHECK-DAG:     %[[OF_X:.*]] = tg.where %[[IS_X]], %[[G]], %[[ZERO]] :
// CHECK-DAG:     %[[DX:.*]] = tg.where %[[EQUAL]], %[[HALF]], %[[OF_X]] :
// CHECK-DAG:     %[[IS_Y:.*]] = tg.cmplt %[[X]], %[[Y]] :
// CHECK-DAG:     %[[OF_Y:.*]] = tg.where %[[IS_Y]], %[[G]], %[[ZERO]] :
// CHECK-DAG:     %[[DY:.*]] = tg.where %[[EQUAL]], %[[HALF]], %[[OF_Y]] :
// CHECK:         return %[[DX]], %[[DY]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.max %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// pow: g (y x^(y - 1)); g (r log(x)). If y and x^2 are 0, x and the exponent are
// replaced by 1 in the first one, which is 0 then. If x is 0, it is replaced by 1
// in the second one, and r by 0, unless that is infinite: then so is the gradient.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK-DAG:     %[[R:.*]] = tg.pow %[[X]], %[[Y]] :
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK-DAG:     %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
// CHECK-DAG:     %[[SQUARE:.*]] = tg.mul %[[X]], %[[X]] :
// CHECK-DAG:     %[[IS_FINITE:.*]] = tg.cmplt %[[ZERO]], %[[SQUARE]] :
// CHECK-DAG:     %[[Y_AT_0:.*]] = tg.where %[[IS_FINITE]], %[[ONE]], %[[Y]] :
// CHECK-DAG:     %[[Y_IS_0:.*]] = tg.cmpeq %[[Y_AT_0]], %[[ZERO]] :
// CHECK-DAG:     %[[LESS:.*]] = tg.sub %[[Y]], %[[ONE]] :
// CHECK-DAG:     %[[EXPONENT:.*]] = tg.where %[[Y_IS_0]], %[[ONE]], %[[LESS]] :
// CHECK-DAG:     %[[BASE:.*]] = tg.where %[[Y_IS_0]], %[[ONE]], %[[X]] :
// CHECK-DAG:     %[[POWER:.*]] = tg.pow %[[BASE]], %[[EXPONENT]] :
// CHECK-DAG:     %[[BY_X:.*]] = tg.mul %[[Y]], %[[POWER]] :
// CHECK-DAG:     %[[DX:.*]] = tg.mul %[[G]], %[[BY_X]] :
// CHECK-DAG:     %[[X_IS_0:.*]] = tg.cmpeq %[[X]], %[[ZERO]] :
// CHECK-DAG:     %[[SAFE:.*]] = tg.where %[[X_IS_0]], %[[ONE]], %[[X]] :
// CHECK-DAG:     %[[LOG:.*]] = tg.log %[[SAFE]] :
// CHECK-DAG:     %[[IS_INFINITE:.*]] = tg.cmplt %[[Y]], %[[ZERO]] :
// CHECK-DAG:     %[[AT_0:.*]] = tg.where %[[IS_INFINITE]], %[[R]], %[[ZERO]] :
// CHECK-DAG:     %[[RESULT:.*]] = tg.where %[[X_IS_0]], %[[AT_0]], %[[R]] :
// CHECK-DAG:     %[[MINUS_ONE:.*]] = tg.const(-1.000000e+00 : f32)
// CHECK-DAG:     %[[FACTOR:.*]] = tg.where %[[X_IS_0]], %[[MINUS_ONE]], %[[LOG]] :
// CHECK-DAG:     %[[BY_Y:.*]] = tg.mul %[[RESULT]], %[[FACTOR]] :
// CHECK-DAG:     %[[DY:.*]] = tg.mul %[[G]], %[[BY_Y]] :
// CHECK:         return %[[DX]], %[[DY]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.pow %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// where: g where the condition holds, else 0; 0 where it holds, else g. The
// condition has no gradient.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[C:[^:]*]]: tensor<4xi1>, %[[X:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[Y:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK-SAME:    -> (tensor<4xf32>, tensor<4xf32>)
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         %[[DX:.*]] = tg.where %[[C]], %[[G]], %[[ZERO]] :
// CHECK:         %[[DY:.*]] = tg.where %[[C]], %[[ZERO]], %[[G]] :
// CHECK:         return %[[DX]], %[[DY]] :
func.func @main(%c: tensor<4xi1>, %x: tensor<4xf32>,
                %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.where %c, %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A comparison has no gradient, so x and y have those of tg.where alone.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[C:.*]] = tg.cmplt %[[X]], %[[Y]] :
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         %[[DX:.*]] = tg.where %[[C]], %[[G]], %[[ZERO]] :
// CHECK:         %[[DY:.*]] = tg.where %[[C]], %[[ZERO]], %[[G]] :
// CHECK:         return %[[DX]], %[[DY]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.cmplt %x, %y : tensor<4xf32>
  %1 = tg.where %0, %x, %y : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// contiguous: g

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         return %[[G]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.contiguous %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// detach has no gradient.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         return %[[ZERO]] :
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.detach %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// with_derivative: no gradient; g z; no gradient

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[Z:[^:]*]]: tensor<4xf32>, %[[G:[^:]*]]: tensor<4xf32>)
// CHECK-DAG:     %[[DY:.*]] = tg.mul %[[G]], %[[Z]] :
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         return %[[ZERO]], %[[DY]], %[[ZERO]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>,
                %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.with_derivative %x of %y by %z : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// copy: a copy of g to the device of x. The argument g is on the device of r.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32> {tg.device = "CPU"},
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32> {tg.device = "SIM"})
// CHECK:         %[[DX:.*]] = tg.copy %[[G]] to "CPU"
// CHECK:         return %[[DX]] :
func.func @main(%x: tensor<4xf32> {tg.device = "CPU"}) -> tensor<4xf32> {
  %0 = tg.copy %x to "SIM" : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// assign: no gradient for the old contents x; g for the value y

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         return %[[ZERO]], %[[G]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.assign %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// after an assignment: no gradient for the old contents x; g for the result of
// the assignment, and thus for the value y

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         return %[[ZERO]], %[[G]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.assign %x, %y : tensor<4xf32>
  %1 = tg.after %x[%0 : tensor<4xf32>] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// after without an assignment: g for the old contents x

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4xf32>, %[[Y:[^:]*]]: tensor<4xf32>,
// CHECK-SAME:    %[[G:[^:]*]]: tensor<4xf32>)
// CHECK:         %[[OLD:.*]] = tg.after %[[X]] :
// CHECK:         %[[NEW:.*]] = tg.assign %[[X]], %[[Y]] :
// CHECK:         %[[DX:.*]] = tg.mul %[[G]], %[[NEW]] :
// CHECK:         %[[DY:.*]] = tg.mul %[[G]], %[[OLD]] :
// CHECK:         return %[[DX]], %[[DY]] :
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.after %x : tensor<4xf32>
  %1 = tg.assign %x, %y : tensor<4xf32>
  %2 = tg.mul %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
