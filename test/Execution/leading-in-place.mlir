// An argument of its actual size that is moved in place by a row and by an element:
// tiles of what is overwritten end where the memory does, which is before a page
// that cannot be accessed.

// RUN: tg-run %s --random-inputs --var n=5 --interpret --print-inputs > %t.5
// RUN: tg-run %s --random-inputs --var n=5 --print-inputs | diff %t.5 -
// RUN: tg-run %s --random-inputs --var n=77 --interpret --print-inputs > %t.77
// RUN: tg-run %s --random-inputs --var n=77 --print-inputs | diff %t.77 -
// RUN: tg-run %s --random-inputs --var n=3000 --interpret --print-inputs > %t.3000
// RUN: tg-run %s --random-inputs --var n=3000 --print-inputs | diff %t.3000 -

#n = #tg.var<"n", 5, 4096>
!rows = tensor<?x3xi16, #tg.shape<#n, 3>>
!vector = tensor<?xf32, #tg.shape<#n>>
func.func @main(%x: !rows, %v: !vector) {
  %0 = tg.pad %x low [1, 0] high [0, 0] : !rows -> tensor<?x3xi16, #tg.shape<#tg.dim<#n + 1>, 3>>
  %1 = tg.shrink %0 from [0, 0] to [#n, 3] : tensor<?x3xi16, #tg.shape<#tg.dim<#n + 1>, 3>> -> !rows
  %2 = tg.assign %x, %1 : !rows
  %3 = tg.pad %v low [0] high [1] : !vector -> tensor<?xf32, #tg.shape<#tg.dim<#n + 1>>>
  %4 = tg.shrink %3 from [1] to [#tg.dim<#n + 1>] : tensor<?xf32, #tg.shape<#tg.dim<#n + 1>>> -> !vector
  %5 = tg.assign %v, %4 : !vector
  return
}
