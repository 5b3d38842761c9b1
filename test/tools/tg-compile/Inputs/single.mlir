#k = #tg.var<"k", 5, 5>
!x = tensor<?x16xf32, #tg.shape<#k, 16>>
func.func @main(%x: !x {tg.name = "x"}) -> (tensor<1x16xf32> {tg.name = "y"}, !x {tg.name = "z"}) {
  %0 = tg.reduce add %x axes [0] : !x -> tensor<1x16xf32>
  %1 = tg.contiguous %0 : tensor<1x16xf32>
  %2 = tg.expand %1 : tensor<1x16xf32> -> !x
  %3 = tg.sub %x, %2 : !x
  return %1, %3 : tensor<1x16xf32>, !x
}
