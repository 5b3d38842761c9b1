// RUN: tg-test-opt --tg-compose-views %s | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK: tg.strided %{{.*}} [#tg.view<[4, 6] strides [-6, -1] offset 23>] : tensor<4x6xf32> -> tensor<4x6xf32>
// CHECK-NOT: tg_test.rot180
// CHECK: tg.neg
func.func @chain(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tg_test.rot180 %x : tensor<4x6xf32>
  %1 = tg.neg %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @mixed
// CHECK: tg.strided %{{.*}} [#tg.view<[8, 6] strides [-1, -6] offset 30 mask [1 to 7, 1 to 5]>] : tensor<4x6xf32> -> tensor<8x6xf32>
func.func @mixed(%x: tensor<4x6xf32>) -> tensor<8x6xf32> {
  %0 = tg_test.rot180 %x : tensor<4x6xf32>
  %1 = tg.permute %0 [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %2 = tg_test.frame %1 : tensor<6x4xf32> -> tensor<8x6xf32>
  %3 = tg.neg %2 : tensor<8x6xf32>
  return %3 : tensor<8x6xf32>
}
