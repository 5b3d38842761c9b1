// RUN: tg-run %s --var n=0 --print --interpret > %t.0
// RUN: env SPEC=2 tg-run %s --var n=0 --print --device=CPU | diff %t.0 -
// RUN: env SPEC=2 NOOPT=1 tg-run %s --var n=0 --print --device=CPU | diff %t.0 -
// RUN: tg-run %s --var n=0 --print --device=SIM | diff %t.0 -
// RUN: env NOOPT=1 tg-run %s --var n=0 --print --device=SIM | diff %t.0 -
// RUN: tg-run %s --var n=1 --print --interpret > %t.1
// RUN: env SPEC=2 tg-run %s --var n=1 --print --device=CPU | diff %t.1 -
// RUN: env SPEC=2 NOOPT=1 tg-run %s --var n=1 --print --device=CPU | diff %t.1 -
// RUN: tg-run %s --var n=1 --print --device=SIM | diff %t.1 -
// RUN: env NOOPT=1 tg-run %s --var n=1 --print --device=SIM | diff %t.1 -
// RUN: tg-run %s --var n=2 --print --interpret > %t.2
// RUN: env SPEC=2 tg-run %s --var n=2 --print --device=CPU | diff %t.2 -
// RUN: env SPEC=2 NOOPT=1 tg-run %s --var n=2 --print --device=CPU | diff %t.2 -
// RUN: tg-run %s --var n=2 --print --device=SIM | diff %t.2 -
// RUN: env NOOPT=1 tg-run %s --var n=2 --print --device=SIM | diff %t.2 -

// For n = 2 the result has rows but no columns. The offset of the view is then
// that of the row after the last one, from which the element of %x that a whole
// row has in common must not be loaded.
#n = #tg.var<"n", 0, 2>
#least = #tg.dim<min, #n, 1>
#columns = #tg.dim<add, #tg.dim<mul, #least, 2>, #tg.dim<mul, #n, -1>>
#first = #tg.dim<add, #least, #tg.dim<mul, #n, -1>, 4>
#end = #tg.dim<add, #least, 4>
func.func @main(%x: tensor<5x1xf32> {tg.input = dense<1.0> : tensor<5x1xf32>},
    %y: tensor<5x2xf32> {tg.input = dense<3.0> : tensor<5x2xf32>})
    -> tensor<?x?xf32, #tg.shape<#n, #columns>> {
  %0 = tg.expand %x : tensor<5x1xf32> -> tensor<5x2xf32>
  %1 = tg.sub %y, %0 : tensor<5x2xf32>
  %2 = tg.shrink %1 from [#first, #n] to [#end, #tg.dim<mul, #least, 2>] : tensor<5x2xf32> -> tensor<?x?xf32, #tg.shape<#n, #columns>>
  return %2 : tensor<?x?xf32, #tg.shape<#n, #columns>>
}
