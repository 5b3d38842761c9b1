func.func @main(%x: tensor<6xf32>) -> tensor<6xf32> {
  // There is one axis.
  %0 = tg.reduce add %x axes [2] : tensor<6xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
