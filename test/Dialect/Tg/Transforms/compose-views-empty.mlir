// RUN: tg-opt %s --tg-compose-views | tg-opt | FileCheck %s

// Where n is 0, there is no index, and the merged view may divide by n. What it
// divides by is not 0 for any n all the same: the text can be read again.

// CHECK-LABEL: @without_first_row
// CHECK: tg.strided
// CHECK-SAME: -1 floordiv max(#n, 1)
func.func @without_first_row(%arg0: tensor<?x?x?x1x1xf16, #tg.shape<#tg.dim<mod, #tg.var<"n", 0, 4>, 2>, #tg.dim<floordiv, #tg.var<"n", 0, 4>, 2>, #tg.dim<max, #tg.var<"n", 0, 4>, 2>, 1, 1>>) -> tensor<?x?x?x1x1xf16, #tg.shape<#tg.dim<mod, #tg.var<"n", 0, 4>, 2>, #tg.dim<floordiv, #tg.var<"n", 0, 4>, 2>, #tg.dim<max, #tg.var<"n", 0, 4>, 2>, 1, 1>> {
  %0 = tg.pad %arg0 low [0, 0, 0, 0, 0] high [0, 2, 0, 0, 0] : tensor<?x?x?x1x1xf16, #tg.shape<#tg.dim<mod, #tg.var<"n", 0, 4>, 2>, #tg.dim<floordiv, #tg.var<"n", 0, 4>, 2>, #tg.dim<max, #tg.var<"n", 0, 4>, 2>, 1, 1>> -> tensor<?x?x?x1x1xf16, #tg.shape<#tg.dim<mod, #tg.var<"n", 0, 4>, 2>, #tg.dim<add, #tg.dim<floordiv, #tg.var<"n", 0, 4>, 2>, 2>, #tg.dim<max, #tg.var<"n", 0, 4>, 2>, 1, 1>>
  %1 = tg.shrink %0 from [0, 1, 0, 0, 0] to [#tg.dim<mod, #tg.var<"n", 0, 4>, 2>, #tg.dim<add, #tg.dim<floordiv, #tg.var<"n", 0, 4>, 2>, 1>, #tg.dim<max, #tg.var<"n", 0, 4>, 2>, 1, 1] : tensor<?x?x?x1x1xf16, #tg.shape<#tg.dim<mod, #tg.var<"n", 0, 4>, 2>, #tg.dim<add, #tg.dim<floordiv, #tg.var<"n", 0, 4>, 2>, 2>, #tg.dim<max, #tg.var<"n", 0, 4>, 2>, 1, 1>> -> tensor<?x?x?x1x1xf16, #tg.shape<#tg.dim<mod, #tg.var<"n", 0, 4>, 2>, #tg.dim<floordiv, #tg.var<"n", 0, 4>, 2>, #tg.dim<max, #tg.var<"n", 0, 4>, 2>, 1, 1>>
  return %1 : tensor<?x?x?x1x1xf16, #tg.shape<#tg.dim<mod, #tg.var<"n", 0, 4>, 2>, #tg.dim<floordiv, #tg.var<"n", 0, 4>, 2>, #tg.dim<max, #tg.var<"n", 0, 4>, 2>, 1, 1>>
}
