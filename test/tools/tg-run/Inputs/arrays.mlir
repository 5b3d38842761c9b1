func.func @main(%a: tensor<2x3xf32>, %b: tensor<4xi1>, %c: tensor<2xui64>,
                %d: tensor<2xf8E4M3FN>)
    -> (tensor<2x3xf32>, tensor<4xi1>, tensor<2xui64>, tensor<2xf32>) {
  %true = tg.const(true) : tensor<4xi1>
  %one = tg.const(1 : ui64) : tensor<2xui64>
  %0 = tg.neg %a : tensor<2x3xf32>
  %1 = tg.xor %b, %true : tensor<4xi1>
  %2 = tg.add %c, %one : tensor<2xui64>
  %3 = tg.cast %d : tensor<2xf8E4M3FN> -> tensor<2xf32>
  return %0, %1, %2, %3
      : tensor<2x3xf32>, tensor<4xi1>, tensor<2xui64>, tensor<2xf32>
}
