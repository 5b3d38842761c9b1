// RUN: tg-opt %s -split-input-file -canonicalize | FileCheck %s

// Movement operations go into the views before them.

// CHECK-LABEL: func.func @movement_of_strided
// CHECK-NEXT:    %[[R:.*]] = tg.strided %{{.*}} [#tg.view<[2, 4] strides [-1, 6] offset 3>] : tensor<4x6xf32> -> tensor<2x4xf32>
// CHECK-NEXT:    return %[[R]]
func.func @movement_of_strided(%x: tensor<4x6xf32>) -> tensor<2x4xf32> {
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tg.shrink %0 from [2, 0] to [4, 4] : tensor<6x4xf32> -> tensor<2x4xf32>
  %2 = tg.flip %1 axes [0] : tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// -----

// A view of a view.

// CHECK-LABEL: func.func @strided_of_strided
// CHECK-NEXT:    %[[R:.*]] = tg.strided %{{.*}} [#tg.view<[4, 3] strides [5, 3]>] : tensor<30xf32> -> tensor<4x3xf32>
// CHECK-NEXT:    return %[[R]]
// CHECK-LABEL: func.func @transposed_twice
// CHECK-NEXT:    return %arg0
func.func @strided_of_strided(%x: tensor<30xf32>) -> tensor<4x3xf32> {
  %0 = tg.strided %x [#tg.view<[4, 6] strides [6, 1]>] : tensor<30xf32> -> tensor<4x6xf32>
  %1 = tg.strided %0 [#tg.view<[4, 3] strides [5, 3]>] : tensor<4x6xf32> -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
func.func @transposed_twice(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tg.permute %0 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// -----

// What strides cannot say stays a further view.

// CHECK-LABEL: func.func @flatten_transposed
// CHECK-NEXT:    tg.strided %{{.*}} [#tg.view<[6, 4] strides [1, 6]>, #tg.view<[24] strides [1]>] : tensor<4x6xf32> -> tensor<24xf32>
// CHECK-LABEL: func.func @split_padded
// CHECK-NEXT:    tg.strided %{{.*}} [#tg.view<[6] strides [1] offset -1 mask [1 to 6]>, #tg.view<[2, 3] strides [3, 1]>]
func.func @flatten_transposed(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = tg.strided %x [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tg.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  return %1 : tensor<24xf32>
}
func.func @split_padded(%x: tensor<5xf32>) -> tensor<2x3xf32> {
  %0 = tg.strided %x [#tg.view<[6] strides [1] offset -1 mask [1 to 6]>] : tensor<5xf32> -> tensor<6xf32>
  %1 = tg.reshape %0 : tensor<6xf32> -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// -----

// Equal elements are that again, unless zeros come in between.

// CHECK-LABEL: func.func @constants
// CHECK-DAG:     %[[A:.*]] = tg.const(3 : i32) : tensor<6x4xi32>
// CHECK-DAG:     %[[B:.*]] = tg.const(3 : i32) : tensor<4xi32>
// CHECK-DAG:     %[[C:.*]] = tg.strided %[[B]]
// CHECK-DAG:     %[[D:.*]] = tg.const(0 : i32) : tensor<5xi32>
// CHECK:         return %[[A]], %[[C]], %[[D]]
func.func @constants() -> (tensor<6x4xi32>, tensor<5xi32>, tensor<5xi32>) {
  %three = tg.const(3 : i32) : tensor<4x6xi32>
  %a = tg.strided %three [#tg.view<[6, 4] strides [1, 6]>] : tensor<4x6xi32> -> tensor<6x4xi32>
  %short = tg.const(3 : i32) : tensor<4xi32>
  %b = tg.strided %short [#tg.view<[5] strides [1] offset -1 mask [1 to 5]>] : tensor<4xi32> -> tensor<5xi32>
  %zero = tg.const(0 : i32) : tensor<4xi32>
  %c = tg.strided %zero [#tg.view<[5] strides [1] offset -1 mask [1 to 5]>] : tensor<4xi32> -> tensor<5xi32>
  return %a, %b, %c : tensor<6x4xi32>, tensor<5xi32>, tensor<5xi32>
}
