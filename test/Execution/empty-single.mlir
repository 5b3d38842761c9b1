// Nothing is stored if the result has no position, and the mask says so where
// it does not depend on the range.

// RUN: tg-run %s --var n=5 --print --interpret > %t.5
// RUN: tg-run %s --var n=6 --print --interpret > %t.6
// RUN: env NOOPT=1 tg-run %s --var n=5 --print --device=SIM | diff %t.5 -
// RUN: env NOOPT=1 tg-run %s --var n=6 --print --device=SIM | diff %t.6 -
// RUN: tg-run %s --var n=5 --print --device=SIM | diff %t.5 -
// RUN: tg-run %s --var n=6 --print --device=SIM | diff %t.6 -

  func.func @main(%arg0: tensor<?x1xf32, #tg.shape<#tg.var<"n", 5, 6>, 1>> {tg.input = dense<1.000000e+00> : tensor<6x1xf32>}) -> (tensor<?x1x2xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>, 1, 2>>, tensor<?xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>>>) {
    %0 = tg.shrink %arg0 from [#tg.dim<floordiv, #tg.var<"n", 5, 6>, 3>, 0] to [#tg.dim<add, #tg.dim<floordiv, #tg.var<"n", 5, 6>, 3>, #tg.dim<mod, #tg.var<"n", 5, 6>, 2>>, 1] : tensor<?x1xf32, #tg.shape<#tg.var<"n", 5, 6>, 1>> -> tensor<?x1xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>, 1>>
    %1 = tg.reshape %0 : tensor<?x1xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>, 1>> -> tensor<?xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>>>
    %2 = tg.reshape %0 : tensor<?x1xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>, 1>> -> tensor<?x1x1xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>, 1, 1>>
    %3 = tg.expand %2 : tensor<?x1x1xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>, 1, 1>> -> tensor<?x1x2xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>, 1, 2>>
    return %3, %1 : tensor<?x1x2xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>, 1, 2>>, tensor<?xf32, #tg.shape<#tg.dim<mod, #tg.var<"n", 5, 6>, 2>>>
  }
