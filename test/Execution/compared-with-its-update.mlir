// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Which elements an update left as they were. The sum is computed inside of the
// kernel of the update, and again in the one that compares: in another order, an
// element that was left would differ.
// CHECK: result 0: tensor<2x3xf64> = {{\[\[}}0, 0, 0], [2, 2, 2]]
func.func @main(
    %u: tensor<1x1xf64> {tg.input = dense<-0.074011487324422642> : tensor<1x1xf64>},
    %i: tensor<1x1xi32> {tg.input = dense<1> : tensor<1x1xi32>},
    %one: tensor<1x3xf64> {tg.input = dense<1.0> : tensor<1x3xf64>},
    %x: tensor<4x3xf64> {tg.input = dense<[
        [1.0960290158428045, 0.12724093601777106, 0.56677676562343304],
        [1.0960290158428045, 1.4712856957192475, 1.6620024287854751],
        [1.0960290158428045, 1.4712856957192475, 3.1044005673716595],
        [1.0960290158428045, 1.4712856957192475, 3.1044005673716595]]>
        : tensor<4x3xf64>},
    %rows: tensor<2x3xi32> {tg.input = dense<1> : tensor<2x3xi32>},
    %zero: tensor<2x3xf64> {tg.input = dense<0.0> : tensor<2x3xf64>})
    -> tensor<2x3xf64> {
  %0 = tg.reduce add %x axes [0] : tensor<4x3xf64> -> tensor<1x3xf64>
  %1 = tg.scatter max %0[%i], %u axis 1
      : tensor<1x3xf64>, tensor<1x1xi32>, tensor<1x1xf64>
  %2 = tg.cmpeq %0, %1 : tensor<1x3xf64>
  %3 = tg.const(0.0 : f64) : tensor<1x3xf64>
  %4 = tg.where %2, %one, %3 : tensor<1x3xf64>
  %5 = tg.expand %4 : tensor<1x3xf64> -> tensor<2x3xf64>
  %6 = tg.scatter add %zero[%rows], %5 axis 0
      : tensor<2x3xf64>, tensor<2x3xi32>, tensor<2x3xf64>
  return %6 : tensor<2x3xf64>
}
