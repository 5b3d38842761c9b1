#n = #tg.var<"n", 1, 4>
!rows = tensor<?x2xi32, #tg.shape<#n, 2>>

func.func @main() -> (tensor<6xf32>, !rows) {
  %0 = tg.iota 0 : tensor<6xf32>
  %1 = tg.iota 0 : !rows
  return %0, %1 : tensor<6xf32>, !rows
}

func.func @scale(%x: tensor<6xf32>, %w: tensor<2xf32>) -> tensor<6xf32> {
  %0 = tg.reshape %w : tensor<2xf32> -> tensor<1x2xf32>
  %1 = tg.expand %0 : tensor<1x2xf32> -> tensor<3x2xf32>
  %2 = tg.reshape %1 : tensor<3x2xf32> -> tensor<6xf32>
  %3 = tg.mul %x, %2 : tensor<6xf32>
  return %3 : tensor<6xf32>
}
