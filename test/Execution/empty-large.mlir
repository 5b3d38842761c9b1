// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Tensors without elements, whose other dimension is larger than any memory.
// CHECK: result 0: tensor<1x0xf32> = {{\[\[\]\]}}
// CHECK-NEXT: result 1: tensor<0x1099511627776xf32> = []
// CHECK-NEXT: result 2: tensor<0x1xf32> = []
// CHECK-NEXT: result 3: tensor<f32> = 3
func.func @main() -> (tensor<1x0xf32>, tensor<0x1099511627776xf32>, tensor<0x1xf32>, tensor<f32>) {
  %i = tg.iota 1 : tensor<0x1099511627776xi32>
  %x = tg.cast %i : tensor<0x1099511627776xi32> -> tensor<0x1099511627776xf32>
  %p = tg.permute %x [1, 0] : tensor<0x1099511627776xf32> -> tensor<1099511627776x0xf32>
  %r = tg.reduce add %p axes [0] : tensor<1099511627776x0xf32> -> tensor<1x0xf32>
  %f = tg.flip %x axes [1] : tensor<0x1099511627776xf32>
  %s = tg.reduce max %f axes [1] : tensor<0x1099511627776xf32> -> tensor<0x1xf32>
  %c = tg.const(3.0 : f32) : tensor<f32>
  return %r, %f, %s, %c : tensor<1x0xf32>, tensor<0x1099511627776xf32>, tensor<0x1xf32>, tensor<f32>
}
