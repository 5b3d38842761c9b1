// A step that changes its state, and has intermediates that are worth several threads.
#n = #tg.var<"n", 1, 512>
!x = tensor<?x512xf32, #tg.shape<#n, 512>>
!y = tensor<?x1xf32, #tg.shape<#n, 1>>
func.func @step(%w: tensor<1x512xf32> {tg.name = "weight", tg.state}, %x: !x {tg.name = "x"}) -> (!y {tg.name = "y"}) {
  %0 = tg.reduce add %x axes [0] : !x -> tensor<1x512xf32>
  %1 = tg.add %w, %0 : tensor<1x512xf32>
  %2 = tg.assign %w, %1 : tensor<1x512xf32>
  %3 = tg.expand %2 : tensor<1x512xf32> -> !x
  %4 = tg.mul %x, %3 : !x
  %5 = tg.exp %x : !x
  %6 = tg.contiguous %5 : !x
  %7 = tg.reduce add %6 axes [1] : !x -> !y
  %8 = tg.reduce max %6 axes [0] : !x -> tensor<1x512xf32>
  %9 = tg.contiguous %8 : tensor<1x512xf32>
  %10 = tg.expand %9 : tensor<1x512xf32> -> !x
  %11 = tg.add %4, %10 : !x
  %12 = tg.reduce add %11 axes [1] : !x -> !y
  %13 = tg.add %12, %7 : !y
  return %13 : !y
}
