// RUN: tg-run %s --interpret --print > %t.expected
// RUN: tg-run %s --print | diff %t.expected -

// The positions of a window before channels, whose rows are short: the weights of
// a convolution, channels innermost.
func.func @main() -> tensor<4x3x3x64xf32> {
  %i = tg.iota 0 : tensor<2304xi32>
  %f = tg.cast %i : tensor<2304xi32> -> tensor<2304xf32>
  %m = tg.contiguous %f : tensor<2304xf32>
  %w = tg.reshape %m : tensor<2304xf32> -> tensor<4x64x3x3xf32>
  %1 = tg.permute %w [0, 2, 3, 1] : tensor<4x64x3x3xf32> -> tensor<4x3x3x64xf32>
  %2 = tg.contiguous %1 : tensor<4x3x3x64xf32>
  return %2 : tensor<4x3x3x64xf32>
}
