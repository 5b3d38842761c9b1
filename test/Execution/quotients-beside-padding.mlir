// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The padding of both factors of a quotient is 0, and so are both factors of the
// condition there: 0 == 0 chooses the quotient, and only the mask of the padding
// does not. LLVM takes the quotient 0 / 0 for 0, and drops the mask.
// CHECK: result 0: tensor<1x5xf64> = {{\[\[}}2, 2, 4, 2, 2]]
func.func @main(
    %x: tensor<2x3x1xf64> {tg.input = dense<1.0> : tensor<2x3x1xf64>},
    %y: tensor<2x3x1xf64> {tg.input = dense<1.0> : tensor<2x3x1xf64>},
    %n: tensor<2x1x1xf64> {tg.input = dense<2.0> : tensor<2x1x1xf64>},
    %d: tensor<2x1x1xf64> {tg.input = dense<1.0> : tensor<2x1x1xf64>})
    -> tensor<1x5xf64> {
  %equal = tg.cmpeq %x, %y : tensor<2x3x1xf64>
  %zero = tg.const(0.0 : f64) : tensor<2x3x1xf64>
  %q = tg.fdiv %n, %d : tensor<2x1x1xf64>
  %e = tg.expand %q : tensor<2x1x1xf64> -> tensor<2x3x1xf64>
  %w = tg.where %equal, %e, %zero : tensor<2x3x1xf64>
  %p = tg.pad %w low [0, 2, 0] high [0, 2, 0]
      : tensor<2x3x1xf64> -> tensor<2x7x1xf64>
  // Row 0 begins at its column 2, row 1 at its column 0.
  %s = tg.strided %p [#tg.view<[1, 5, 2] strides [0, 1, 9] offset 0>]
      : tensor<2x7x1xf64> -> tensor<1x5x2xf64>
  %r = tg.reduce add %s axes [2] : tensor<1x5x2xf64> -> tensor<1x5x1xf64>
  %o = tg.reshape %r : tensor<1x5x1xf64> -> tensor<1x5xf64>
  return %o : tensor<1x5xf64>
}
