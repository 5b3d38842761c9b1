// Sums decide which element is the largest: the graph has no other bounds.
func.func @main(%x: tensor<3x4xf64> {tg.input = dense<[[0.1, 0.7, 0.3, 0.9], [0.2, 0.3, 0.4, 0.5], [1.5, 0.1, 0.1, 0.1]]> : tensor<3x4xf64>}) -> tensor<3x1xf64> attributes {check_with_noise = 1 : i64} {
  %s = tg.reduce add %x axes [1] : tensor<3x4xf64> -> tensor<3x1xf64>
  %m = tg.reduce max %s axes [0] : tensor<3x1xf64> -> tensor<1x1xf64>
  %e = tg.expand %m : tensor<1x1xf64> -> tensor<3x1xf64>
  %c = tg.cmplt %s, %e : tensor<3x1xf64>
  %r = tg.where %c, %s, %e : tensor<3x1xf64>
  return %r : tensor<3x1xf64>
}
