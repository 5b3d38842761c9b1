// A product of matrices, whose factors groups copy into tiles.

func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %a3 = tg.reshape %a : tensor<512x512xf32> -> tensor<512x1x512xf32>
  %ae = tg.expand %a3 : tensor<512x1x512xf32> -> tensor<512x512x512xf32>
  %t = tg.permute %b [1, 0] : tensor<512x512xf32> -> tensor<512x512xf32>
  %b3 = tg.reshape %t : tensor<512x512xf32> -> tensor<1x512x512xf32>
  %be = tg.expand %b3 : tensor<1x512x512xf32> -> tensor<512x512x512xf32>
  %p = tg.mul %ae, %be : tensor<512x512x512xf32>
  %s = tg.reduce add %p axes [2] : tensor<512x512x512xf32> -> tensor<512x512x1xf32>
  %r = tg.reshape %s : tensor<512x512x1xf32> -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}
