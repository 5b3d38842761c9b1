// Finite values; the derivative of log at the smallest number is not.
func.func @main(%x: tensor<f64> {tg.input = dense<4.9406564584124654e-324> : tensor<f64>}) -> tensor<f64> attributes {check_derivatives = 7 : i64} {
  %0 = tg.log %x : tensor<f64>
  return %0 : tensor<f64>
}
