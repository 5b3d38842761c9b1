func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %sum = tg.add %x, %x : tensor<4xf32>
  return %sum : tensor<4xf32>
}
