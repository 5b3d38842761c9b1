// Tensors whose leading size is symbolic, with rows of 8, which fill vectors,
// and of 3, which do not.
#n = #tg.var<"n", 1, 64>
!rows = tensor<?x8xf32, #tg.shape<#n, 8>>
!narrow = tensor<?x3xi32, #tg.shape<#n, 3>>
!vector = tensor<?xi8, #tg.shape<#n>>

func.func @scale(%x: !rows {tg.name = "x"}, %w: tensor<1x8xf32> {tg.name = "w"})
    -> (!rows {tg.name = "y"}) {
  %0 = tg.expand %w : tensor<1x8xf32> -> !rows
  %1 = tg.mul %x, %0 : !rows
  return %1 : !rows
}

// Sums of rows, the transposed rows in memory for the largest size, and the
// argument itself.
func.func @sums(%x: !narrow {tg.name = "x"})
    -> (tensor<?x1xi32, #tg.shape<#n, 1>> {tg.name = "rows"},
        tensor<1x3xi32> {tg.name = "columns"},
        tensor<3x?xi32, #tg.shape<3, #n>> {tg.name = "turned"},
        !narrow {tg.name = "same"}) {
  %0 = tg.reduce add %x axes [1] : !narrow -> tensor<?x1xi32, #tg.shape<#n, 1>>
  %1 = tg.reduce add %x axes [0] : !narrow -> tensor<1x3xi32>
  %2 = tg.permute %x [1, 0] : !narrow -> tensor<3x?xi32, #tg.shape<3, #n>>
  return %0, %1, %2, %x
      : tensor<?x1xi32, #tg.shape<#n, 1>>, tensor<1x3xi32>,
        tensor<3x?xi32, #tg.shape<3, #n>>, !narrow
}

// A product that is masked where rows end, and an argument that is updated.
func.func @pad(%x: !rows {tg.name = "x"}, %w: tensor<64x8xf32> {tg.name = "w"},
               %v: !vector {tg.name = "v"}) -> (tensor<1x8xf32> {tg.name = "y"}, !vector) {
  %0 = tg.pad %x low [0, 0] high [#tg.dim<64 - #n>, 0] : !rows -> tensor<64x8xf32>
  %1 = tg.mul %0, %w : tensor<64x8xf32>
  %2 = tg.reduce add %1 axes [0] : tensor<64x8xf32> -> tensor<1x8xf32>
  %3 = tg.add %v, %v : !vector
  %4 = tg.assign %v, %3 : !vector
  return %2, %4 : tensor<1x8xf32>, !vector
}
