// A graph, a host program whose kernel has no schedule, and one whose kernel has one.
func.func @graph(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.add %x, %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

tg.kernel @square(%out: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 32
  %x = tg.load %a[%i] : memref<32xf32>
  %y = tg.mul %x, %x : f32
  tg.store %y, %out[%i] : memref<32xf32>
}
func.func @kernels(%x: memref<32xf32>) -> memref<32xf32> {
  %0 = tg.alloc on "CPU" : memref<32xf32>
  tg.launch @square(%0, %x) : memref<32xf32>, memref<32xf32>
  return %0 : memref<32xf32>
}

tg.kernel @negate(%out: memref<32xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 8
  %j = tg.range 1 upcast 4
  %c4 = tg.const(4 : index) : index
  %first = tg.mul %i, %c4 : index
  %at = tg.add %first, %j : index
  %x = tg.load %a[%at] : memref<32xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%at] : memref<32xf32>
}
func.func @scheduled(%x: memref<32xf32> {tg.name = "from"}) -> (memref<32xf32> {tg.name = "to"}) {
  %0 = tg.alloc on "CPU" : memref<32xf32>
  tg.launch @negate(%0, %x) : memref<32xf32>, memref<32xf32>
  return %0 : memref<32xf32>
}
