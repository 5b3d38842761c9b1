// Kernels whose items need many registers: operands of a chain, sums of products.

func.func @chain(%a0: tensor<1048576xf32>, %a1: tensor<1048576xf32>, %a2: tensor<1048576xf32>, %a3: tensor<1048576xf32>, %a4: tensor<1048576xf32>, %a5: tensor<1048576xf32>, %a6: tensor<1048576xf32>, %a7: tensor<1048576xf32>, %a8: tensor<1048576xf32>, %a9: tensor<1048576xf32>, %a10: tensor<1048576xf32>, %a11: tensor<1048576xf32>) -> (tensor<1048576xf32>) {
  %v0 = tg.sin %a1 : tensor<1048576xf32>
  %v1 = tg.mul %a0, %v0 : tensor<1048576xf32>
  %v2 = tg.exp %a1 : tensor<1048576xf32>
  %v3 = tg.add %v1, %v2 : tensor<1048576xf32>
  %v4 = tg.sin %a2 : tensor<1048576xf32>
  %v5 = tg.mul %v3, %v4 : tensor<1048576xf32>
  %v6 = tg.exp %a2 : tensor<1048576xf32>
  %v7 = tg.add %v5, %v6 : tensor<1048576xf32>
  %v8 = tg.sin %a3 : tensor<1048576xf32>
  %v9 = tg.mul %v7, %v8 : tensor<1048576xf32>
  %v10 = tg.exp %a3 : tensor<1048576xf32>
  %v11 = tg.add %v9, %v10 : tensor<1048576xf32>
  %v12 = tg.sin %a4 : tensor<1048576xf32>
  %v13 = tg.mul %v11, %v12 : tensor<1048576xf32>
  %v14 = tg.exp %a4 : tensor<1048576xf32>
  %v15 = tg.add %v13, %v14 : tensor<1048576xf32>
  %v16 = tg.sin %a5 : tensor<1048576xf32>
  %v17 = tg.mul %v15, %v16 : tensor<1048576xf32>
  %v18 = tg.exp %a5 : tensor<1048576xf32>
  %v19 = tg.add %v17, %v18 : tensor<1048576xf32>
  %v20 = tg.sin %a6 : tensor<1048576xf32>
  %v21 = tg.mul %v19, %v20 : tensor<1048576xf32>
  %v22 = tg.exp %a6 : tensor<1048576xf32>
  %v23 = tg.add %v21, %v22 : tensor<1048576xf32>
  %v24 = tg.sin %a7 : tensor<1048576xf32>
  %v25 = tg.mul %v23, %v24 : tensor<1048576xf32>
  %v26 = tg.exp %a7 : tensor<1048576xf32>
  %v27 = tg.add %v25, %v26 : tensor<1048576xf32>
  %v28 = tg.sin %a8 : tensor<1048576xf32>
  %v29 = tg.mul %v27, %v28 : tensor<1048576xf32>
  %v30 = tg.exp %a8 : tensor<1048576xf32>
  %v31 = tg.add %v29, %v30 : tensor<1048576xf32>
  %v32 = tg.sin %a9 : tensor<1048576xf32>
  %v33 = tg.mul %v31, %v32 : tensor<1048576xf32>
  %v34 = tg.exp %a9 : tensor<1048576xf32>
  %v35 = tg.add %v33, %v34 : tensor<1048576xf32>
  %v36 = tg.sin %a10 : tensor<1048576xf32>
  %v37 = tg.mul %v35, %v36 : tensor<1048576xf32>
  %v38 = tg.exp %a10 : tensor<1048576xf32>
  %v39 = tg.add %v37, %v38 : tensor<1048576xf32>
  %v40 = tg.sin %a11 : tensor<1048576xf32>
  %v41 = tg.mul %v39, %v40 : tensor<1048576xf32>
  %v42 = tg.exp %a11 : tensor<1048576xf32>
  %v43 = tg.add %v41, %v42 : tensor<1048576xf32>
  return %v43 : tensor<1048576xf32>
}

// -----

func.func @product_i8(%a0: tensor<2048x2048xi8>, %a1: tensor<2048x2048xi8>) -> (tensor<2048x2048xi32>) {
  %v0 = tg.permute %a1 [1, 0] : tensor<2048x2048xi8> -> tensor<2048x2048xi8>
  %v1 = tg.reshape %a0 : tensor<2048x2048xi8> -> tensor<2048x1x2048xi8>
  %v2 = tg.expand %v1 : tensor<2048x1x2048xi8> -> tensor<2048x2048x2048xi8>
  %v3 = tg.reshape %v0 : tensor<2048x2048xi8> -> tensor<1x2048x2048xi8>
  %v4 = tg.expand %v3 : tensor<1x2048x2048xi8> -> tensor<2048x2048x2048xi8>
  %v5 = tg.cast %v2 : tensor<2048x2048x2048xi8> -> tensor<2048x2048x2048xi32>
  %v6 = tg.cast %v4 : tensor<2048x2048x2048xi8> -> tensor<2048x2048x2048xi32>
  %v7 = tg.mul %v5, %v6 : tensor<2048x2048x2048xi32>
  %v8 = tg.reduce add %v7 axes [2] : tensor<2048x2048x2048xi32> -> tensor<2048x2048x1xi32>
  %v9 = tg.reshape %v8 : tensor<2048x2048x1xi32> -> tensor<2048x2048xi32>
  return %v9 : tensor<2048x2048xi32>
}

// -----

func.func @product_f64(%a0: tensor<1024x1024xf64>, %a1: tensor<1024x1024xf64>) -> (tensor<1024x1024xf64>) {
  %v0 = tg.permute %a1 [1, 0] : tensor<1024x1024xf64> -> tensor<1024x1024xf64>
  %v1 = tg.reshape %a0 : tensor<1024x1024xf64> -> tensor<1024x1x1024xf64>
  %v2 = tg.expand %v1 : tensor<1024x1x1024xf64> -> tensor<1024x1024x1024xf64>
  %v3 = tg.reshape %v0 : tensor<1024x1024xf64> -> tensor<1x1024x1024xf64>
  %v4 = tg.expand %v3 : tensor<1x1024x1024xf64> -> tensor<1024x1024x1024xf64>
  %v5 = tg.mul %v2, %v4 : tensor<1024x1024x1024xf64>
  %v6 = tg.reduce add %v5 axes [2] : tensor<1024x1024x1024xf64> -> tensor<1024x1024x1xf64>
  %v7 = tg.reshape %v6 : tensor<1024x1024x1xf64> -> tensor<1024x1024xf64>
  return %v7 : tensor<1024x1024xf64>
}
