// RUN: tg-run %s --var n=1 --interpret --print | FileCheck %s --check-prefix=ONE
// RUN: tg-run %s --var n=1 --print | FileCheck %s --check-prefix=ONE
// RUN: tg-run %s --var n=2 --print | FileCheck %s --check-prefix=TWO

// How many rows are equal to the largest one. The sum that they have as a factor
// is cheap enough to be computed inside of the kernel of the maximum, and again
// in the one that counts: in another order, none would be equal.
// ONE: result 0: tensor<2x1xf64> = {{\[\[}}2], [0]]
// TWO: result 0: tensor<2x1xf64> = {{\[\[}}4], [4]]
#n = #tg.var<"n", 1, 2>
func.func @main(
    %x: tensor<?x2xf64, #tg.shape<#n, 2>> {tg.input = dense<1.0> : tensor<2x2xf64>},
    %y: tensor<?x3xf64, #tg.shape<#n, 3>> {tg.input = dense<[
        [0.542707159137923, 0.28135038169146925, 1.2985314734550062],
        [0.064678930315703737, 0.03434796171349927, 0.32175285971277695]]>
        : tensor<2x3xf64>})
    -> tensor<2x1xf64> {
  %s = tg.reduce add %y axes [0, 1]
      : tensor<?x3xf64, #tg.shape<#n, 3>> -> tensor<1x1xf64>
  %e = tg.expand %s : tensor<1x1xf64> -> tensor<?x2xf64, #tg.shape<#n, 2>>
  %p = tg.mul %x, %e : tensor<?x2xf64, #tg.shape<#n, 2>>
  %max = tg.reduce max %p axes [0]
      : tensor<?x2xf64, #tg.shape<#n, 2>> -> tensor<1x2xf64>
  %m = tg.expand %max : tensor<1x2xf64> -> tensor<?x2xf64, #tg.shape<#n, 2>>
  %equal = tg.cmpeq %p, %m : tensor<?x2xf64, #tg.shape<#n, 2>>
  %ones = tg.cast %equal : tensor<?x2xi1, #tg.shape<#n, 2>>
      -> tensor<?x2xf64, #tg.shape<#n, 2>>
  %count = tg.reduce add %ones axes [0, 1]
      : tensor<?x2xf64, #tg.shape<#n, 2>> -> tensor<1x1xf64>
  %c = tg.expand %count : tensor<1x1xf64> -> tensor<?x1xf64, #tg.shape<#n, 1>>
  %r = tg.pad %c low [0, 0] high [2 - #n, 0]
      : tensor<?x1xf64, #tg.shape<#n, 1>> -> tensor<2x1xf64>
  return %r : tensor<2x1xf64>
}
