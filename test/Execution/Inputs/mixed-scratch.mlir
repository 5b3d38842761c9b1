func.func private @printMemrefF32(memref<*xf32>)

// The sums of rows of x plus the sums of its columns, which are intermediates.

func.func private @mix(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<64x64xf32> -> tensor<1x64xf32>
  %columns = tg.contiguous %0 : tensor<1x64xf32>
  %1 = tg.expand %columns : tensor<1x64xf32> -> tensor<64x64xf32>
  %2 = tg.add %x, %1 : tensor<64x64xf32>
  %3 = tg.reduce add %2 axes [1] : tensor<64x64xf32> -> tensor<64x1xf32>
  %4 = tg.expand %3 : tensor<64x1xf32> -> tensor<64x64xf32>
  %5 = tg.const(0.000244140625 : f32) : tensor<64x64xf32>
  %6 = tg.mul %4, %5 : tensor<64x64xf32>
  return %6 : tensor<64x64xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = tg.iota 1 : tensor<64x64xf32>
  %result = scf.for %n = %c0 to %c3 step %c1 iter_args(%x = %i) -> tensor<64x64xf32> {
    %next = func.call @mix(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %part = tensor.extract_slice %result[62, 62] [2, 2] [1, 1] : tensor<64x64xf32> to tensor<2x2xf32>
  %buffer = bufferization.to_buffer %part : tensor<2x2xf32> to memref<2x2xf32, strided<[?, ?], offset: ?>>
  %any = memref.cast %buffer : memref<2x2xf32, strided<[?, ?], offset: ?>> to memref<*xf32>
  call @printMemrefF32(%any) : (memref<*xf32>) -> ()
  return
}
