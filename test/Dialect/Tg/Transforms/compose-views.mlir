// RUN: tg-opt %s -split-input-file -tg-compose-views | FileCheck %s

// A chain becomes one operation.

// CHECK-LABEL: func.func @chain
// CHECK-NEXT:    %[[R:.*]] = tg.strided %arg0 [#tg.view<[7, 4] strides [1, 6] offset -1 mask [1 to 7, 0 to 4]>] : tensor<4x6xf32> -> tensor<7x4xf32>
// CHECK-NEXT:    tg.neg %[[R]]
func.func @chain(%x: tensor<4x6xf32>) -> tensor<7x4xf32> {
  %0 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tg.pad %0 low [1, 0] high [0, 0] : tensor<6x4xf32> -> tensor<7x4xf32>
  %2 = tg.neg %1 : tensor<7x4xf32>
  return %2 : tensor<7x4xf32>
}

// -----

// Each value of it that is read gets one, of the beginning; what comes to
// nothing is the beginning itself.

// CHECK-LABEL: func.func @read_on_the_way
// CHECK-DAG:     %[[A:.*]] = tg.strided %arg0 [#tg.view<[6, 4] strides [1, 6]>]
// CHECK-DAG:     %[[B:.*]] = tg.strided %arg0 [#tg.view<[6, 4] strides [-1, 6] offset 5>]
// CHECK-DAG:     tg.neg %[[A]]
// CHECK-DAG:     tg.neg %[[B]]
// CHECK-DAG:     tg.neg %arg0
func.func @read_on_the_way(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>, tensor<4x6xf32>) {
  %0 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tg.neg %0 : tensor<6x4xf32>
  %2 = tg.flip %0 axes [0] : tensor<6x4xf32>
  %3 = tg.neg %2 : tensor<6x4xf32>
  %4 = tg.detach %0 : tensor<6x4xf32>
  %5 = tg.permute %4 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %6 = tg.neg %5 : tensor<4x6xf32>
  return %1, %3, %6 : tensor<6x4xf32>, tensor<6x4xf32>, tensor<4x6xf32>
}

// -----

// Masks: a pad of a pad, a part of one, parts that overlap nothing, and a
// reshape across a padded dimension, which takes a second view only where the
// mask says more of the axis than its parts can.

// CHECK-LABEL: func.func @pads
// CHECK:         tg.strided %arg0 [#tg.view<[4, 9] strides [6, 1] offset -2 mask [0 to 4, 2 to 8]>]
// CHECK:         tg.strided %arg0 [#tg.view<[4, 5] strides [6, 1]>]
func.func @pads(%x: tensor<4x6xf32>) -> (tensor<4x9xf32>, tensor<4x5xf32>) {
  %0 = tg.pad %x low [0, 1] high [0, 0] : tensor<4x6xf32> -> tensor<4x7xf32>
  %1 = tg.pad %0 low [0, 1] high [0, 1] : tensor<4x7xf32> -> tensor<4x9xf32>
  %2 = tg.shrink %1 from [0, 2] to [4, 7] : tensor<4x9xf32> -> tensor<4x5xf32>
  return %1, %2 : tensor<4x9xf32>, tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_of_pad
// Whole rows are padded: it shows in the row alone.
// CHECK:         [#tg.view<[3, 2, 6] strides [12, 6, 1] offset -12 mask [1 to 3, 0 to 2, 0 to 6]>]
// The padded axis joins what is not padded.
// CHECK:         [#tg.view<[36] strides [1] offset -12 mask [12 to 36]>]
// A part of a row that does not begin with one.
// CHECK:         [#tg.view<[7, 6] strides [6, 1] offset -18 mask [3 to 7, 0 to 6]>, #tg.view<[2, 21] strides [21, 1]>]
func.func @reshape_of_pad(%x: tensor<4x6xf32>) -> (tensor<3x2x6xf32>, tensor<36xf32>, tensor<2x21xf32>) {
  %0 = tg.pad %x low [2, 0] high [0, 0] : tensor<4x6xf32> -> tensor<6x6xf32>
  %1 = tg.reshape %0 : tensor<6x6xf32> -> tensor<3x2x6xf32>
  %2 = tg.exp2 %1 : tensor<3x2x6xf32>
  %3 = tg.reshape %0 : tensor<6x6xf32> -> tensor<36xf32>
  %4 = tg.exp2 %3 : tensor<36xf32>
  %5 = tg.pad %x low [3, 0] high [0, 0] : tensor<4x6xf32> -> tensor<7x6xf32>
  %6 = tg.reshape %5 : tensor<7x6xf32> -> tensor<2x21xf32>
  %7 = tg.exp2 %6 : tensor<2x21xf32>
  return %2, %4, %7 : tensor<3x2x6xf32>, tensor<36xf32>, tensor<2x21xf32>
}

// -----

// What is stored in another shape is stored before the reshape: it is the same
// memory, and needs no division.

// CHECK-LABEL: func.func @stored
// CHECK-NEXT:    %[[P:.*]] = tg.strided %arg0 [#tg.view<[6, 4] strides [1, 6]>]
// CHECK-NEXT:    %[[R:.*]] = tg.strided %[[P]] [#tg.view<[24] strides [1]>]
// CHECK-NEXT:    return %[[R]]
func.func @stored(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tg.reshape %0 : tensor<6x4xf32> -> tensor<24xf32>
  return %1 : tensor<24xf32>
}

// -----

// The target of an assignment names memory and stays; tg.contiguous is no view.

// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    %[[T:.*]] = tg.permute %arg0 [1, 0]
// CHECK-NEXT:    %[[A:.*]] = tg.assign %[[T]], %arg1
// CHECK-NEXT:    %[[C:.*]] = tg.contiguous %arg1
// CHECK-NEXT:    %[[S:.*]] = tg.strided %[[C]]
// CHECK-NEXT:    return %[[A]], %[[S]]
func.func @kept(%x: tensor<4x6xf32>, %v: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>) {
  %0 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = tg.assign %0, %v : tensor<6x4xf32>
  %2 = tg.contiguous %v : tensor<6x4xf32>
  %3 = tg.permute %2 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  return %1, %3 : tensor<6x4xf32>, tensor<4x6xf32>
}

// -----

#n = #tg.var<"n", 1, 8>
#p = #tg.var<"p", 0, 4>

// CHECK-LABEL: func.func @symbolic
// CHECK:         tg.strided %arg0 [#tg.view<[4, #n] strides [1, 4]>]
// CHECK:         tg.strided %arg0 [#tg.view<[#n * 2, 2] strides [2, 1]>]
// CHECK:         tg.strided %arg1 [#tg.view<[2, 4] strides [0, 1] offset #p>]
func.func @symbolic(%x: tensor<?x4xf32, #tg.shape<#n, 4>>, %y: tensor<8xf32>)
    -> (tensor<4x?xf32, #tg.shape<4, #n>>, tensor<?x2xf32, #tg.shape<#tg.dim<mul, #n, 2>, 2>>, tensor<2x4xf32>) {
  %0 = tg.permute %x [1, 0] : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<4x?xf32, #tg.shape<4, #n>>
  %1 = tg.reshape %x : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<?xf32, #tg.shape<#tg.dim<mul, #n, 4>>>
  %2 = tg.reshape %1 : tensor<?xf32, #tg.shape<#tg.dim<mul, #n, 4>>> -> tensor<?x2xf32, #tg.shape<#tg.dim<mul, #n, 2>, 2>>
  %3 = tg.neg %2 : tensor<?x2xf32, #tg.shape<#tg.dim<mul, #n, 2>, 2>>
  %4 = tg.shrink %y from [#p] to [#tg.dim<add, #p, 4>] : tensor<8xf32> -> tensor<4xf32>
  %5 = tg.reshape %4 : tensor<4xf32> -> tensor<1x4xf32>
  %6 = tg.expand %5 : tensor<1x4xf32> -> tensor<2x4xf32>
  return %0, %3, %6 : tensor<4x?xf32, #tg.shape<4, #n>>, tensor<?x2xf32, #tg.shape<#tg.dim<mul, #n, 2>, 2>>, tensor<2x4xf32>
}
