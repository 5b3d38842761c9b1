// RUN: tg-opt %s --convert-tg-to-linalg -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME: %arg0: tensor<4xf16>, %arg1: tensor<4xf16>) -> tensor<4xf16>
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel"]
// CHECK-SAME: ins(%arg0, %arg1 : tensor<4xf16>, tensor<4xf16>)
// CHECK: ^bb0(%[[L:.*]]: f16, %[[R:.*]]: f16, %{{.*}}: f16):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[L]], %[[R]] : f16
// CHECK-NEXT: linalg.yield %[[S]]
// CHECK: linalg.generic
// CHECK: %[[W:.*]] = arith.extf
// CHECK: %[[E:.*]] = math.exp %[[W]] : f32
// CHECK: arith.truncf %[[E]]
func.func @elementwise(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf16> {
  %0 = tg.add %x, %y : tensor<4xf16>
  %1 = tg.exp %0 : tensor<4xf16>
  return %1 : tensor<4xf16>
}

// -----

// Sums of f16 are computed in f32; a maximum needs no more bits.

// CHECK-LABEL: func.func @reduce(
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<4xf32>)
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "reduction"]
// CHECK: arith.extf
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [4, 1] : tensor<4xf16> into tensor<4x1xf16>
// CHECK: arith.constant 0xFC00 : f16
// CHECK-NOT: arith.extf
// CHECK: arith.maximumf
func.func @reduce(%x: tensor<4x8xf16>) -> (tensor<4x1xf16>, tensor<4x1xf16>) {
  %0 = tg.reduce add %x axes [1] : tensor<4x8xf16> -> tensor<4x1xf16>
  %1 = tg.reduce max %x axes [1] : tensor<4x8xf16> -> tensor<4x1xf16>
  return %0, %1 : tensor<4x1xf16>, tensor<4x1xf16>
}

// -----

// CHECK-LABEL: func.func @movement(
// CHECK: linalg.transpose ins(%arg0 : tensor<2x3xf32>) {{.*}} permutation = [1, 0]
// CHECK: tensor.collapse_shape {{.*}} tensor<3x1xf32> into tensor<3xf32>
// CHECK: linalg.broadcast {{.*}} dimensions = [1]
// CHECK: tensor.pad {{.*}} low[1, 0] high[0, 2]
// CHECK: tensor.extract_slice %arg0[0, 1] [2, 2] [1, 1]
// CHECK: tensor.collapse_shape {{.*}} tensor<2x3xf32> into tensor<6xf32>
// CHECK: tensor.expand_shape {{.*}} tensor<6xf32> into tensor<3x2xf32>
func.func @movement(%x: tensor<2x3xf32>, %c: tensor<3x1xf32>)
    -> (tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x5xf32>, tensor<2x2xf32>, tensor<3x2xf32>) {
  %0 = tg.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %1 = tg.expand %c : tensor<3x1xf32> -> tensor<3x4xf32>
  %2 = tg.pad %x low [1, 0] high [0, 2] : tensor<2x3xf32> -> tensor<3x5xf32>
  %3 = tg.shrink %x from [0, 1] to [2, 3] : tensor<2x3xf32> -> tensor<2x2xf32>
  %4 = tg.reshape %x : tensor<2x3xf32> -> tensor<3x2xf32>
  return %0, %1, %2, %3, %4 : tensor<3x2xf32>, tensor<3x4xf32>, tensor<3x5xf32>, tensor<2x2xf32>, tensor<3x2xf32>
}

// -----

// A view of known strides is an indexing map; one with a mask is an index.

// CHECK-DAG: #[[FLIP:.*]] = affine_map<(d0, d1) -> (d0, -d1 + 2)>
// CHECK-DAG: #[[WINDOWS:.*]] = affine_map<(d0, d1) -> (d0 * 2 + d1)>
// CHECK-LABEL: func.func @views(
// CHECK: linalg.generic {indexing_maps = [#[[FLIP]],
// CHECK: linalg.generic {indexing_maps = [#[[WINDOWS]],
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK: tensor.extract
// CHECK: arith.select
func.func @views(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>) {
  %0 = tg.flip %x axes [1] : tensor<2x3xf32>
  %1 = tg.strided %x [#tg.view<[2, 3] strides [2, 1]>] : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = tg.strided %x [#tg.view<[4] strides [1] offset -1 mask [1 to 4]>] : tensor<2x3xf32> -> tensor<4xf32>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>
}

// -----

// Unsigned integers lose their sign, operations keep it. Attributes of tg go.

// CHECK-LABEL: module {
// CHECK-LABEL: func.func @unsigned(
// CHECK-SAME: %arg0: tensor<2xi8>) -> tensor<2xf32>
// CHECK: arith.constant dense<[-56, 2]> : tensor<2xi8>
// CHECK: arith.maxui
// CHECK: arith.uitofp
module attributes {tg.target = #tg.target<"cpu">} {
  func.func @unsigned(%x: tensor<2xui8> {tg.input = dense<1> : tensor<2xui8>, tg.device = "CPU"}) -> tensor<2xf32> {
    %c = tg.const(dense<[200, 2]> : tensor<2xui8>) : tensor<2xui8>
    %0 = tg.max %x, %c : tensor<2xui8>
    %1 = tg.cast %0 : tensor<2xui8> -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}

// -----

// Sizes are asked of the argument.

// CHECK-LABEL: func.func @symbolic(
// CHECK-SAME: %arg0: tensor<?x3xf32>) -> tensor<?xf32>
// CHECK: %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK: tensor.expand_shape
// CHECK-NOT: tg.
func.func @symbolic(%x: tensor<?x3xf32, #tg.shape<#tg.var<"n", 1, 4>, 3>>) -> tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 6>>> {
  %0 = tg.pad %x low [0, 3] high [0, 0] : tensor<?x3xf32, #tg.shape<#tg.var<"n", 1, 4>, 3>> -> tensor<?x6xf32, #tg.shape<#tg.var<"n", 1, 4>, 6>>
  %1 = tg.reshape %0 : tensor<?x6xf32, #tg.shape<#tg.var<"n", 1, 4>, 6>> -> tensor<?x3xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 2>, 3>>
  %2 = tg.reshape %1 : tensor<?x3xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 2>, 3>> -> tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 6>>>
  return %2 : tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"n", 1, 4>, 6>>>
}

// -----

// Other operations, and calls of converted functions, stay.

// CHECK-LABEL: func.func @caller(
// CHECK: call @callee(%arg0) : (tensor<4xi8>) -> tensor<4xi8>
// CHECK: tensor.extract
func.func @callee(%x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = tg.add %x, %x : tensor<4xui8>
  return %0 : tensor<4xui8>
}
func.func @caller(%x: tensor<4xui8>, %y: tensor<4xf32>, %i: index) -> (tensor<4xui8>, f32) {
  %0 = func.call @callee(%x) : (tensor<4xui8>) -> tensor<4xui8>
  %1 = tensor.extract %y[%i] : tensor<4xf32>
  return %0, %1 : tensor<4xui8>, f32
}
