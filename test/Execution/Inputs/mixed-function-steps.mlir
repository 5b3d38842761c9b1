func.func @main() -> tensor<2x3xf32> {
  %x = tg.const(dense<[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]> : tensor<2x3xf32>) : tensor<2x3xf32>
  %half = tg.const(0.5 : f32) : tensor<2x3xf32>
  %one = tg.const(1.0 : f32) : tensor<2x3xf32>
  %0 = tg.mul %x, %half : tensor<2x3xf32>
  %1 = tg.exp2 %0 : tensor<2x3xf32>
  %2 = tg.sub %1, %one : tensor<2x3xf32>
  %3 = tg.mul %2, %half : tensor<2x3xf32>
  %4 = tg.exp2 %3 : tensor<2x3xf32>
  %5 = tg.mul %4, %half : tensor<2x3xf32>
  %6 = tg.exp2 %5 : tensor<2x3xf32>
  %7 = tg.add %6, %one : tensor<2x3xf32>
  return %7 : tensor<2x3xf32>
}
