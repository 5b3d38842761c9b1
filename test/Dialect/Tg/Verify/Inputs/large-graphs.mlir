// Products of matrices, whose factors groups copy into tiles.

func.func @product(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
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

// -----

func.func @half_product(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %a3 = tg.reshape %a : tensor<1024x1024xf16> -> tensor<1024x1x1024xf16>
  %ae = tg.expand %a3 : tensor<1024x1x1024xf16> -> tensor<1024x1024x1024xf16>
  %t = tg.permute %b [1, 0] : tensor<1024x1024xf16> -> tensor<1024x1024xf16>
  %b3 = tg.reshape %t : tensor<1024x1024xf16> -> tensor<1x1024x1024xf16>
  %be = tg.expand %b3 : tensor<1x1024x1024xf16> -> tensor<1024x1024x1024xf16>
  %p = tg.mul %ae, %be : tensor<1024x1024x1024xf16>
  %s = tg.reduce add %p axes [2] : tensor<1024x1024x1024xf16> -> tensor<1024x1024x1xf16>
  %r = tg.reshape %s : tensor<1024x1024x1xf16> -> tensor<1024x1024xf16>
  return %r : tensor<1024x1024xf16>
}

// -----

func.func @odd_product(%a: tensor<1000x1001xf32>, %b: tensor<1001x999xf32>) -> tensor<1000x999xf32> {
  %a3 = tg.reshape %a : tensor<1000x1001xf32> -> tensor<1000x1x1001xf32>
  %ae = tg.expand %a3 : tensor<1000x1x1001xf32> -> tensor<1000x999x1001xf32>
  %t = tg.permute %b [1, 0] : tensor<1001x999xf32> -> tensor<999x1001xf32>
  %b3 = tg.reshape %t : tensor<999x1001xf32> -> tensor<1x999x1001xf32>
  %be = tg.expand %b3 : tensor<1x999x1001xf32> -> tensor<1000x999x1001xf32>
  %p = tg.mul %ae, %be : tensor<1000x999x1001xf32>
  %s = tg.reduce add %p axes [2] : tensor<1000x999x1001xf32> -> tensor<1000x999x1xf32>
  %r = tg.reshape %s : tensor<1000x999x1xf32> -> tensor<1000x999xf32>
  return %r : tensor<1000x999xf32>
}

// -----

// Few rows, and deep products, whose sums groups share.

func.func @few_rows(%a: tensor<5x2048xf32>, %b: tensor<2048x3001xf32>) -> tensor<5x3001xf32> {
  %a3 = tg.reshape %a : tensor<5x2048xf32> -> tensor<5x1x2048xf32>
  %ae = tg.expand %a3 : tensor<5x1x2048xf32> -> tensor<5x3001x2048xf32>
  %t = tg.permute %b [1, 0] : tensor<2048x3001xf32> -> tensor<3001x2048xf32>
  %b3 = tg.reshape %t : tensor<3001x2048xf32> -> tensor<1x3001x2048xf32>
  %be = tg.expand %b3 : tensor<1x3001x2048xf32> -> tensor<5x3001x2048xf32>
  %p = tg.mul %ae, %be : tensor<5x3001x2048xf32>
  %s = tg.reduce add %p axes [2] : tensor<5x3001x2048xf32> -> tensor<5x3001x1xf32>
  %r = tg.reshape %s : tensor<5x3001x1xf32> -> tensor<5x3001xf32>
  return %r : tensor<5x3001xf32>
}

// -----

func.func @more_rows(%a: tensor<31x512xf32>, %b: tensor<512x9000xf32>) -> tensor<31x9000xf32> {
  %a3 = tg.reshape %a : tensor<31x512xf32> -> tensor<31x1x512xf32>
  %ae = tg.expand %a3 : tensor<31x1x512xf32> -> tensor<31x9000x512xf32>
  %t = tg.permute %b [1, 0] : tensor<512x9000xf32> -> tensor<9000x512xf32>
  %b3 = tg.reshape %t : tensor<9000x512xf32> -> tensor<1x9000x512xf32>
  %be = tg.expand %b3 : tensor<1x9000x512xf32> -> tensor<31x9000x512xf32>
  %p = tg.mul %ae, %be : tensor<31x9000x512xf32>
  %s = tg.reduce add %p axes [2] : tensor<31x9000x512xf32> -> tensor<31x9000x1xf32>
  %r = tg.reshape %s : tensor<31x9000x1xf32> -> tensor<31x9000xf32>
  return %r : tensor<31x9000xf32>
}

// -----

func.func @half_rows(%a: tensor<3x1031xf16>, %b: tensor<1031x1000xf16>) -> tensor<3x1000xf16> {
  %a3 = tg.reshape %a : tensor<3x1031xf16> -> tensor<3x1x1031xf16>
  %ae = tg.expand %a3 : tensor<3x1x1031xf16> -> tensor<3x1000x1031xf16>
  %t = tg.permute %b [1, 0] : tensor<1031x1000xf16> -> tensor<1000x1031xf16>
  %b3 = tg.reshape %t : tensor<1000x1031xf16> -> tensor<1x1000x1031xf16>
  %be = tg.expand %b3 : tensor<1x1000x1031xf16> -> tensor<3x1000x1031xf16>
  %p = tg.mul %ae, %be : tensor<3x1000x1031xf16>
  %s = tg.reduce add %p axes [2] : tensor<3x1000x1031xf16> -> tensor<3x1000x1xf16>
  %r = tg.reshape %s : tensor<3x1000x1xf16> -> tensor<3x1000xf16>
  return %r : tensor<3x1000xf16>
}

// -----

func.func @deep(%a: tensor<96x4096xf32>, %b: tensor<4096x70xf32>) -> tensor<96x70xf32> {
  %a3 = tg.reshape %a : tensor<96x4096xf32> -> tensor<96x1x4096xf32>
  %ae = tg.expand %a3 : tensor<96x1x4096xf32> -> tensor<96x70x4096xf32>
  %t = tg.permute %b [1, 0] : tensor<4096x70xf32> -> tensor<70x4096xf32>
  %b3 = tg.reshape %t : tensor<70x4096xf32> -> tensor<1x70x4096xf32>
  %be = tg.expand %b3 : tensor<1x70x4096xf32> -> tensor<96x70x4096xf32>
  %p = tg.mul %ae, %be : tensor<96x70x4096xf32>
  %s = tg.reduce add %p axes [2] : tensor<96x70x4096xf32> -> tensor<96x70x1xf32>
  %r = tg.reshape %s : tensor<96x70x1xf32> -> tensor<96x70xf32>
  return %r : tensor<96x70xf32>
}

// -----

// A vector times a matrix, and a matrix times a vector.

func.func @row(%a: tensor<1x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %a3 = tg.reshape %a : tensor<1x4096xf32> -> tensor<1x1x4096xf32>
  %ae = tg.expand %a3 : tensor<1x1x4096xf32> -> tensor<1x4096x4096xf32>
  %t = tg.permute %b [1, 0] : tensor<4096x4096xf32> -> tensor<4096x4096xf32>
  %b3 = tg.reshape %t : tensor<4096x4096xf32> -> tensor<1x4096x4096xf32>
  %be = tg.expand %b3 : tensor<1x4096x4096xf32> -> tensor<1x4096x4096xf32>
  %p = tg.mul %ae, %be : tensor<1x4096x4096xf32>
  %s = tg.reduce add %p axes [2] : tensor<1x4096x4096xf32> -> tensor<1x4096x1xf32>
  %r = tg.reshape %s : tensor<1x4096x1xf32> -> tensor<1x4096xf32>
  return %r : tensor<1x4096xf32>
}

// -----

func.func @column(%a: tensor<4096x4096xf32>, %b: tensor<4096x1xf32>) -> tensor<4096x1xf32> {
  %a3 = tg.reshape %a : tensor<4096x4096xf32> -> tensor<4096x1x4096xf32>
  %ae = tg.expand %a3 : tensor<4096x1x4096xf32> -> tensor<4096x1x4096xf32>
  %t = tg.permute %b [1, 0] : tensor<4096x1xf32> -> tensor<1x4096xf32>
  %b3 = tg.reshape %t : tensor<1x4096xf32> -> tensor<1x1x4096xf32>
  %be = tg.expand %b3 : tensor<1x1x4096xf32> -> tensor<4096x1x4096xf32>
  %p = tg.mul %ae, %be : tensor<4096x1x4096xf32>
  %s = tg.reduce add %p axes [2] : tensor<4096x1x4096xf32> -> tensor<4096x1x1xf32>
  %r = tg.reshape %s : tensor<4096x1x1xf32> -> tensor<4096x1xf32>
  return %r : tensor<4096x1xf32>
}

// -----

// Sums over the items of a group.

func.func @softmax_4096(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = tg.reduce max %x axes [1] : tensor<4096x4096xf32> -> tensor<4096x1xf32>
  %1 = tg.expand %0 : tensor<4096x1xf32> -> tensor<4096x4096xf32>
  %2 = tg.sub %x, %1 : tensor<4096x4096xf32>
  %3 = tg.exp2 %2 : tensor<4096x4096xf32>
  %4 = tg.reduce add %3 axes [1] : tensor<4096x4096xf32> -> tensor<4096x1xf32>
  %5 = tg.expand %4 : tensor<4096x1xf32> -> tensor<4096x4096xf32>
  %6 = tg.fdiv %3, %5 : tensor<4096x4096xf32>
  return %6 : tensor<4096x4096xf32>
}

// -----

func.func @softmax_1000(%x: tensor<1000x77xf32>) -> tensor<1000x77xf32> {
  %0 = tg.reduce max %x axes [1] : tensor<1000x77xf32> -> tensor<1000x1xf32>
  %1 = tg.expand %0 : tensor<1000x1xf32> -> tensor<1000x77xf32>
  %2 = tg.sub %x, %1 : tensor<1000x77xf32>
  %3 = tg.exp2 %2 : tensor<1000x77xf32>
  %4 = tg.reduce add %3 axes [1] : tensor<1000x77xf32> -> tensor<1000x1xf32>
  %5 = tg.expand %4 : tensor<1000x1xf32> -> tensor<1000x77xf32>
  %6 = tg.fdiv %3, %5 : tensor<1000x77xf32>
  return %6 : tensor<1000x77xf32>
}

// -----

func.func @columns_4096(%x: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<4096x4096xf32> -> tensor<1x4096xf32>
  return %0 : tensor<1x4096xf32>
}

// -----

func.func @columns_33000(%x: tensor<33000x65xf32>) -> tensor<1x65xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<33000x65xf32> -> tensor<1x65xf32>
  return %0 : tensor<1x65xf32>
}

// -----

func.func @rows_4096(%x: tensor<4096x4096xf32>) -> tensor<4096x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<4096x4096xf32> -> tensor<4096x1xf32>
  return %0 : tensor<4096x1xf32>
}

// -----

func.func @rows_33000(%x: tensor<33000x65xf32>) -> tensor<33000x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<33000x65xf32> -> tensor<33000x1xf32>
  return %0 : tensor<33000x1xf32>
}

// -----

// A transposition.

func.func @transposed(%x: tensor<2048x1024xf32>) -> tensor<1024x2048xf32> {
  %0 = tg.permute %x [1, 0] : tensor<2048x1024xf32> -> tensor<1024x2048xf32>
  %1 = tg.contiguous %0 : tensor<1024x2048xf32>
  return %1 : tensor<1024x2048xf32>
}

// -----

// A convolution: windows of 3x3 of 16 channels.

func.func @convolution(%x: tensor<8x16x34x34xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<8x32x32x32xf32> {
  %0 = tg.strided %x [#tg.view<[8, 32, 32, 32, 16, 3, 3] strides [18496, 0, 34, 1, 1156, 34, 1]>] : tensor<8x16x34x34xf32> -> tensor<8x32x32x32x16x3x3xf32>
  %1 = tg.reshape %w : tensor<32x16x3x3xf32> -> tensor<1x32x1x1x16x3x3xf32>
  %2 = tg.expand %1 : tensor<1x32x1x1x16x3x3xf32> -> tensor<8x32x32x32x16x3x3xf32>
  %3 = tg.mul %0, %2 : tensor<8x32x32x32x16x3x3xf32>
  %4 = tg.reduce add %3 axes [4, 5, 6] : tensor<8x32x32x32x16x3x3xf32> -> tensor<8x32x32x32x1x1x1xf32>
  %5 = tg.reshape %4 : tensor<8x32x32x32x1x1x1xf32> -> tensor<8x32x32x32xf32>
  return %5 : tensor<8x32x32x32xf32>
}
