// What data decides: where a scatter adds, and which rows it leaves out because
// their number is none of a row.
func.func @add(%base: tensor<16xf32> {tg.name = "base"},
               %at: tensor<64xi32> {tg.name = "at"},
               %x: tensor<64xf32> {tg.name = "x"}) -> (tensor<16xf32> {tg.name = "sums"}) {
  %0 = tg.scatter add %base[%at], %x axis 0 : tensor<16xf32>, tensor<64xi32>, tensor<64xf32>
  return %0 : tensor<16xf32>
}
// A maximum selects, which is no branch.
func.func @select(%x: tensor<64xf32> {tg.name = "x"}, %y: tensor<64xf32> {tg.name = "y"}) -> (tensor<64xf32> {tg.name = "z"}) {
  %0 = tg.cmplt %x, %y : tensor<64xf32>
  %1 = tg.exp %x : tensor<64xf32>
  %2 = tg.where %0, %1, %y : tensor<64xf32>
  return %2 : tensor<64xf32>
}
