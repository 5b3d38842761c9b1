#n = #tg.var<"n", 1, 8>
!rows = tensor<?x2xf32, #tg.shape<#n, 2>>
!positions = tensor<?xf32, #tg.shape<#n>>

func.func private @printMemrefF32(memref<*xf32>)
func.func private @printI64(i64)
func.func private @printNewline()

// Two tensor functions, of which one calls the other.

func.func private @half(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = tg.const(0.5 : f32) : tensor<2x3xf32>
  %1 = tg.mul %x, %0 : tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

func.func private @step(%x: tensor<2x3xf32>, %add: tensor<f32>) -> tensor<2x3xf32> {
  %0 = call @half(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = tg.exp2 %0 : tensor<2x3xf32>
  %2 = tg.const(1.0 : f32) : tensor<2x3xf32>
  %3 = tg.sub %1, %2 : tensor<2x3xf32>
  %4 = tg.reshape %add : tensor<f32> -> tensor<1x1xf32>
  %5 = tg.expand %4 : tensor<1x1xf32> -> tensor<2x3xf32>
  %6 = tg.add %3, %5 : tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// A loop that carries a tensor; the scalar is one of arith.

func.func private @iterate(%x: tensor<2x3xf32>, %times: index) -> tensor<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %result = scf.for %i = %c0 to %times step %c1 iter_args(%now = %x) -> tensor<2x3xf32> {
    %0 = arith.index_cast %i : index to i32
    %1 = arith.sitofp %0 : i32 to f32
    %2 = tensor.from_elements %1 : tensor<f32>
    %next = func.call @step(%now, %2) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    scf.yield %next : tensor<2x3xf32>
  }
  return %result : tensor<2x3xf32>
}

// Sizes are those of the tensors, or an argument.

func.func private @sum(%x: !rows) -> tensor<1x2xf32> {
  %0 = tg.reduce add %x axes [0] : !rows -> tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

func.func private @multiples(%n: i64 {tg.variable = #n}, %factor: f32) -> (tensor<?xf32>, index) {
  %0 = tensor.from_elements %factor : tensor<1xf32>
  %1 = tg.iota 0 : !positions
  %2 = tg.expand %0 : tensor<1xf32> -> !positions
  %3 = tg.mul %1, %2 : !positions
  %4 = tensor.cast %3 : !positions to tensor<?xf32>
  %5 = tg.dim(#tg.dim<mul, #n, 3>) : index
  return %4, %5 : tensor<?xf32>, index
}

func.func private @print(%x: memref<*xf32>) {
  call @printMemrefF32(%x) : (memref<*xf32>) -> ()
  return
}

func.func @main() {
  // Memory of the host, which a loop fills.
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %memory = memref.alloc() : memref<2x3xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      %0 = arith.muli %i, %c3 : index
      %1 = arith.addi %0, %j : index
      %2 = arith.index_cast %1 : index to i32
      %3 = arith.sitofp %2 : i32 to f32
      memref.store %3, %memory[%i, %j] : memref<2x3xf32>
    }
  }
  %x = bufferization.to_tensor %memory restrict : memref<2x3xf32> to tensor<2x3xf32>
  %y = call @iterate(%x, %c3) : (tensor<2x3xf32>, index) -> tensor<2x3xf32>
  %ym = bufferization.to_buffer %y read_only : tensor<2x3xf32> to memref<2x3xf32>
  %yu = memref.cast %ym : memref<2x3xf32> to memref<*xf32>
  call @print(%yu) : (memref<*xf32>) -> ()

  %rows = memref.alloc(%c5) : memref<?x2xf32>
  scf.for %i = %c0 to %c5 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      %0 = arith.muli %i, %c2 : index
      %1 = arith.addi %0, %j : index
      %2 = arith.index_cast %1 : index to i32
      %3 = arith.sitofp %2 : i32 to f32
      memref.store %3, %rows[%i, %j] : memref<?x2xf32>
    }
  }
  %r = bufferization.to_tensor %rows restrict : memref<?x2xf32> to tensor<?x2xf32>
  %rn = tensor.cast %r : tensor<?x2xf32> to !rows
  %s = call @sum(%rn) : (!rows) -> tensor<1x2xf32>
  %sm = bufferization.to_buffer %s read_only : tensor<1x2xf32> to memref<1x2xf32>
  %su = memref.cast %sm : memref<1x2xf32> to memref<*xf32>
  call @print(%su) : (memref<*xf32>) -> ()

  %five = arith.constant 5 : i64
  %factor = arith.constant 5.0 : f32
  %m, %size = call @multiples(%five, %factor) : (i64, f32) -> (tensor<?xf32>, index)
  %mm = bufferization.to_buffer %m read_only : tensor<?xf32> to memref<?xf32>
  %mu = memref.cast %mm : memref<?xf32> to memref<*xf32>
  call @print(%mu) : (memref<*xf32>) -> ()
  %number = arith.index_cast %size : index to i64
  call @printI64(%number) : (i64) -> ()
  call @printNewline() : () -> ()
  return
}
