// A library of three functions: two share the member `weight` of the state, one takes
// any number of rows, and one is worth several threads.
#n = #tg.var<"n", 1, 64>
!x = tensor<?x16xf32, #tg.shape<#n, 16>>
!x3 = tensor<?x16x1xf32, #tg.shape<#n, 16, 1>>
!p = tensor<?x16x4xf32, #tg.shape<#n, 16, 4>>
!y3 = tensor<?x1x4xf32, #tg.shape<#n, 1, 4>>
!y = tensor<?x4xf32, #tg.shape<#n, 4>>
func.func @init(%w: tensor<16x4xf32> {tg.name = "weight", tg.state}, %bias: tensor<f32> {tg.name = "bias", tg.state}) {
  %i = tg.iota 0 : tensor<16x4xf32>
  %j = tg.iota 1 : tensor<16x4xf32>
  %s = tg.sub %i, %j : tensor<16x4xf32>
  %a = tg.assign %w, %s : tensor<16x4xf32>
  %one = tg.const(1.0 : f32) : tensor<f32>
  %b = tg.assign %bias, %one : tensor<f32>
  return
}
func.func @forward(%x: !x {tg.name = "x"}, %w: tensor<16x4xf32> {tg.name = "weight", tg.state}, %bias: tensor<f32> {tg.name = "bias", tg.state})
    -> (!y {tg.name = "y"}) {
  %0 = tg.reshape %x : !x -> !x3
  %1 = tg.expand %0 : !x3 -> !p
  %2 = tg.reshape %w : tensor<16x4xf32> -> tensor<1x16x4xf32>
  %3 = tg.expand %2 : tensor<1x16x4xf32> -> !p
  %4 = tg.mul %1, %3 : !p
  %5 = tg.reduce add %4 axes [1] : !p -> !y3
  %6 = tg.reshape %5 : !y3 -> !y
  %7 = tg.reshape %bias : tensor<f32> -> tensor<1x1xf32>
  %8 = tg.expand %7 : tensor<1x1xf32> -> !y
  %9 = tg.add %6, %8 : !y
  return %9 : !y
}
func.func @large(%x: tensor<1024x1024xf32> {tg.name = "x"}, %total: tensor<1024xf64> {tg.name = "total"}, %mask: tensor<1024xi1> {tg.name = "mask"})
    -> (tensor<1024xf64>, tensor<1024x1024xf16> {tg.name = "half"}, tensor<1024xi1> {tg.name = "flipped"}) {
  %d = tg.cast %x : tensor<1024x1024xf32> -> tensor<1024x1024xf64>
  %s = tg.reduce add %d axes [1] : tensor<1024x1024xf64> -> tensor<1024x1xf64>
  %r = tg.reshape %s : tensor<1024x1xf64> -> tensor<1024xf64>
  %t = tg.add %total, %r : tensor<1024xf64>
  %u = tg.assign %total, %t : tensor<1024xf64>
  %h = tg.cast %x : tensor<1024x1024xf32> -> tensor<1024x1024xf16>
  %true = tg.const(true) : tensor<1024xi1>
  %m = tg.xor %mask, %true : tensor<1024xi1>
  return %u, %h, %m : tensor<1024xf64>, tensor<1024x1024xf16>, tensor<1024xi1>
}
