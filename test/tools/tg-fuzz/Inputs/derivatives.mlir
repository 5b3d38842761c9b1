func.func @main(%x: tensor<3xf64> {tg.input = dense<[0.5, -1.0, 2.0]> : tensor<3xf64>},
                %y: tensor<3xf64> {tg.input = dense<[0.5, 3.0, -2.0]> : tensor<3xf64>}) -> (tensor<3xf64>, tensor<1xf64>) attributes {check_derivatives = 7 : i64} {
  %most = tg.max %x, %y : tensor<3xf64>
  %sin = tg.sin %x : tensor<3xf64>
  %product = tg.mul %sin, %y : tensor<3xf64>
  %sum = tg.reduce mul %product axes [0] : tensor<3xf64> -> tensor<1xf64>
  return %most, %sum : tensor<3xf64>, tensor<1xf64>
}
