// Where there may be no row at all, not even the first element can be read: inputs
// are before pages that cannot be accessed.

// RUN: tg-run %s --random-inputs --var m=0 --interpret --print > %t.0
// RUN: tg-run %s --random-inputs --var m=0 --print | diff %t.0 -
// RUN: env NOOPT=1 tg-run %s --random-inputs --var m=0 --print | diff %t.0 -
// RUN: tg-run %s --random-inputs --var m=3 --interpret --print > %t.3
// RUN: tg-run %s --random-inputs --var m=3 --print | diff %t.3 -
// RUN: env NOOPT=1 tg-run %s --random-inputs --var m=3 --print | diff %t.3 -
// RUN: tg-run %s --random-inputs --var m=16 --interpret --print > %t.16
// RUN: tg-run %s --random-inputs --var m=16 --print | diff %t.16 -
// RUN: env NOOPT=1 tg-run %s --random-inputs --var m=16 --print | diff %t.16 -

#m = #tg.var<"m", 0, 16>
!some = tensor<?x3xi32, #tg.shape<#m, 3>>
func.func @main(%x: !some, %v: tensor<?xi32, #tg.shape<#m>>)
    -> (tensor<18x3xi32>, tensor<1x3xi32>, tensor<20xi32>, tensor<1x1xi32>) {
  %0 = tg.pad %x low [1, 0] high [#tg.dim<17 - #m>, 0] : !some -> tensor<18x3xi32>
  %1 = tg.reduce add %x axes [0] : !some -> tensor<1x3xi32>
  %2 = tg.pad %v low [2] high [#tg.dim<18 - #m>] : tensor<?xi32, #tg.shape<#m>> -> tensor<20xi32>
  %3 = tg.reduce add %x axes [0, 1] : !some -> tensor<1x1xi32>
  return %0, %1, %2, %3 : tensor<18x3xi32>, tensor<1x3xi32>, tensor<20xi32>, tensor<1x1xi32>
}
