func.func @fused(%x: tensor<64xf32> {tg.name = "x"}, %y: tensor<64xf32> {tg.name = "y"}) -> (tensor<64xf32> {tg.name = "z"}) {
  %0 = tg.mulacc %x, %y, %y : tensor<64xf32>
  return %0 : tensor<64xf32>
}
