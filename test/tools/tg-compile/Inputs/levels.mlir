func.func @shift(%x: tensor<48xf32>) -> tensor<48xf32> {
  %one = tg.const(1.0 : f32) : tensor<48xf32>
  %0 = tg.add %x, %one : tensor<48xf32>
  return %0 : tensor<48xf32>
}
// Rows of a flat tensor, so that it has the same form at all levels.
func.func @rows(%x: tensor<48xf32>) -> tensor<6xf32> {
  %0 = tg.reshape %x : tensor<48xf32> -> tensor<6x8xf32>
  %1 = tg.reduce max %0 axes [1] : tensor<6x8xf32> -> tensor<6x1xf32>
  %2 = tg.reshape %1 : tensor<6x1xf32> -> tensor<6xf32>
  %3 = tg.neg %2 : tensor<6xf32>
  return %3 : tensor<6xf32>
}
