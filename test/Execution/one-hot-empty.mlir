// RUN: tg-run %s --var n=0 --interpret --print | FileCheck %s --check-prefix=EMPTY
// RUN: tg-run %s --var n=0 --print | FileCheck %s --check-prefix=EMPTY
// RUN: tg-run %s --var n=3 --interpret --print | FileCheck %s
// RUN: tg-run %s --var n=3 --print | FileCheck %s

// Sums of one-hot rows where there may be no class.
func.func @main(
    %values: tensor<1x8xf64> {tg.input = dense<1.0> : tensor<1x8xf64>},
    %index: tensor<1x8xi32> {tg.input = dense<[[0, 1, 1, 2, 3, 2, 1, 0]]> : tensor<1x8xi32>})
    -> tensor<?x1xf64, #tg.shape<#tg.var<"n", 0, 40>, 1>> {
  %wide = tg.expand %index : tensor<1x8xi32> -> tensor<?x8xi32, #tg.shape<#tg.var<"n", 0, 40>, 8>>
  %class = tg.iota 0 : tensor<?x8xi32, #tg.shape<#tg.var<"n", 0, 40>, 8>>
  %is = tg.cmpeq %class, %wide : tensor<?x8xi32, #tg.shape<#tg.var<"n", 0, 40>, 8>>
  %all = tg.expand %values : tensor<1x8xf64> -> tensor<?x8xf64, #tg.shape<#tg.var<"n", 0, 40>, 8>>
  %zero = tg.const(0.0 : f64) : tensor<?x8xf64, #tg.shape<#tg.var<"n", 0, 40>, 8>>
  %chosen = tg.where %is, %all, %zero : tensor<?x8xf64, #tg.shape<#tg.var<"n", 0, 40>, 8>>
  %sum = tg.reduce add %chosen axes [1] : tensor<?x8xf64, #tg.shape<#tg.var<"n", 0, 40>, 8>> -> tensor<?x1xf64, #tg.shape<#tg.var<"n", 0, 40>, 1>>
  return %sum : tensor<?x1xf64, #tg.shape<#tg.var<"n", 0, 40>, 1>>
}

// EMPTY: result 0: tensor<0x1xf64> = []
// CHECK: result 0: tensor<3x1xf64> = {{\[\[}}2], [3], [2]]
