// The functions that consist of polynomials, each in both float types.
func.func @exp2_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.exp2 %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @exp_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.exp %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @expm1_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.expm1 %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @log2_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.log2 %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @log_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.log %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @log1p_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.log1p %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @sin_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.sin %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @cos_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.cos %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @tan_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.tan %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @asin_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.asin %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @acos_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.acos %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @atan_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.atan %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @tanh_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.tanh %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @erf_f32(%x: tensor<1024xf32> {tg.name = "x"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.erf %x : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @pow_f32(%x: tensor<1024xf32> {tg.name = "x"}, %z: tensor<1024xf32> {tg.name = "z"}) -> (tensor<1024xf32> {tg.name = "y"}) {
  %0 = tg.pow %x, %z : tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
func.func @exp2_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.exp2 %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @exp_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.exp %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @expm1_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.expm1 %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @log2_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.log2 %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @log_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.log %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @log1p_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.log1p %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @sin_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.sin %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @cos_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.cos %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @tan_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.tan %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @asin_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.asin %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @acos_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.acos %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @atan_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.atan %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @tanh_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.tanh %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @erf_f64(%x: tensor<1024xf64> {tg.name = "x"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.erf %x : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
func.func @pow_f64(%x: tensor<1024xf64> {tg.name = "x"}, %z: tensor<1024xf64> {tg.name = "z"}) -> (tensor<1024xf64> {tg.name = "y"}) {
  %0 = tg.pow %x, %z : tensor<1024xf64>
  return %0 : tensor<1024xf64>
}
