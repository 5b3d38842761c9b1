// RUN: tg-run %s --var m=0 --interpret --print > %t.0
// RUN: tg-run %s --var m=0 --print | diff %t.0 -
// RUN: tg-run %s --var m=2 --interpret --print > %t.2
// RUN: tg-run %s --var m=2 --print | diff %t.2 -
// RUN: tg-run %s --var m=3 --interpret --print > %t.3
// RUN: tg-run %s --var m=3 --print | diff %t.3 -
// RUN: tg-run %s --var m=4 --interpret --print > %t.4
// RUN: tg-run %s --var m=4 --print | diff %t.4 -

// A view of an argument that is empty for some sizes: where it is, the offset
// of the view, m - 3, would be negative.
func.func @main(%arg0: tensor<?x1x1x?x1xf8E5M2, #tg.shape<#tg.var<"m", 0, 4>, 1, 1, #tg.dim<floordiv, #tg.var<"m", 0, 4>, 3>, 1>> {tg.input = dense<1.000000e+00> : tensor<4x1x1x1x1xf8E5M2>}) -> tensor<?x1x1x?x?xf8E5M2, #tg.shape<#tg.dim<min, #tg.dim<min, #tg.var<"m", 0, 4>, 3>, 1>, 1, 1, #tg.dim<floordiv, #tg.var<"m", 0, 4>, 3>, #tg.dim<add, #tg.dim<mul, #tg.dim<floordiv, #tg.dim<add, #tg.var<"m", 0, 4>, 3>, 4>, -1>, 1>>> {
  %0 = tg.shrink %arg0 from [#tg.dim<add, #tg.dim<mul, #tg.dim<min, #tg.var<"m", 0, 4>, 3>, -1>, #tg.var<"m", 0, 4>>, 0, 0, 0, #tg.dim<floordiv, #tg.dim<add, #tg.var<"m", 0, 4>, 3>, 4>] to [#tg.dim<add, #tg.dim<min, #tg.dim<min, #tg.var<"m", 0, 4>, 3>, 1>, #tg.dim<mul, #tg.dim<min, #tg.var<"m", 0, 4>, 3>, -1>, #tg.var<"m", 0, 4>>, 1, 1, #tg.dim<floordiv, #tg.var<"m", 0, 4>, 3>, 1] : tensor<?x1x1x?x1xf8E5M2, #tg.shape<#tg.var<"m", 0, 4>, 1, 1, #tg.dim<floordiv, #tg.var<"m", 0, 4>, 3>, 1>> -> tensor<?x1x1x?x?xf8E5M2, #tg.shape<#tg.dim<min, #tg.dim<min, #tg.var<"m", 0, 4>, 3>, 1>, 1, 1, #tg.dim<floordiv, #tg.var<"m", 0, 4>, 3>, #tg.dim<add, #tg.dim<mul, #tg.dim<floordiv, #tg.dim<add, #tg.var<"m", 0, 4>, 3>, 4>, -1>, 1>>>
  return %0 : tensor<?x1x1x?x?xf8E5M2, #tg.shape<#tg.dim<min, #tg.dim<min, #tg.var<"m", 0, 4>, 3>, 1>, 1, 1, #tg.dim<floordiv, #tg.var<"m", 0, 4>, 3>, #tg.dim<add, #tg.dim<mul, #tg.dim<floordiv, #tg.dim<add, #tg.var<"m", 0, 4>, 3>, 4>, -1>, 1>>>
}
