func.func @main(
    %x: tensor<6xf32> {tg.input = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>})
    -> tensor<1xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<6xf32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
