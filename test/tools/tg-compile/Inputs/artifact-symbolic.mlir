#n = #tg.var<"n", 1, 8>
!rows = tensor<?x4xf32, #tg.shape<#n, 4>>
!row = tensor<?x1xf32, #tg.shape<#n, 1>>

func.func @main(%x: !rows) -> (!row, !rows) {
  %0 = tg.reduce add %x axes [1] : !rows -> !row
  %1 = tg.exp2 %0 : !row
  %2 = tg.expand %1 : !row -> !rows
  %3 = tg.add %2, %x : !rows
  return %1, %3 : !row, !rows
}
