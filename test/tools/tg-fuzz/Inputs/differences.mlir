// The sum of cubes and its gradient.
func.func @main(%x: tensor<3xf64> {tg.input = dense<[0.5, -1.25, 2.0]> : tensor<3xf64>}) -> (tensor<1xf64>, tensor<3xf64>) attributes {check_differences = [array<i64: 0, 0, 1>]} {
  %s = tg.mul %x, %x : tensor<3xf64>
  %c = tg.mul %s, %x : tensor<3xf64>
  %t = tg.reduce add %c axes [0] : tensor<3xf64> -> tensor<1xf64>
  %three = tg.const(3.0 : f64) : tensor<3xf64>
  %g = tg.mul %s, %three : tensor<3xf64>
  return %t, %g : tensor<1xf64>, tensor<3xf64>
}
