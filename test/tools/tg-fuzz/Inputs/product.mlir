func.func @main(%a: tensor<64x1x48xf32>, %b: tensor<1x32x48xf32>) -> tensor<2043xf32> {
  %0 = tg.expand %a : tensor<64x1x48xf32> -> tensor<64x32x48xf32>
  %1 = tg.expand %b : tensor<1x32x48xf32> -> tensor<64x32x48xf32>
  %2 = tg.mul %0, %1 : tensor<64x32x48xf32>
  %3 = tg.reduce add %2 axes [2] : tensor<64x32x48xf32> -> tensor<64x32x1xf32>
  %4 = tg.reshape %3 : tensor<64x32x1xf32> -> tensor<2048xf32>
  %5 = tg.shrink %4 from [0] to [2043] : tensor<2048xf32> -> tensor<2043xf32>
  return %5 : tensor<2043xf32>
}
