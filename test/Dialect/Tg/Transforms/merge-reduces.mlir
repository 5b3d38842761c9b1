// RUN: tg-opt %s --split-input-file --tg-merge-reduces | FileCheck %s

// The gradient of a convolution by its input, with two channels of the result.

// CHECK-LABEL: func.func @windows(
// CHECK:         %[[P:.*]] = tg.mul
// CHECK:         %[[V:.*]] = tg.strided %[[P]] [
// CHECK-SAME:      #tg.view<[8, 3, 9] strides [15, 5, 1] offset -2
// CHECK-SAME:        mask [0 to 8, 0 to 3, 2 to 7]>,
// CHECK-SAME:      #tg.view<[8, 7, 3] strides [27, 1, 10]>]
// CHECK:         %[[S:.*]] = tg.reduce add %[[V]] axes [0, 2]
// CHECK:         %[[R:.*]] = tg.reshape %[[S]]
// CHECK-NOT:     tg.reduce
// CHECK:         return %[[R]]
func.func @windows(%g: tensor<8x3x5xf32>, %w: tensor<8x3x5xf32>) -> tensor<7x1xf32> {
  %0 = tg.mul %g, %w : tensor<8x3x5xf32>
  %1 = tg.reduce add %0 axes [0] : tensor<8x3x5xf32> -> tensor<1x3x5xf32>
  %2 = tg.reshape %1 : tensor<1x3x5xf32> -> tensor<3x5xf32>
  %3 = tg.pad %2 low [0, 2] high [0, 2] : tensor<3x5xf32> -> tensor<3x9xf32>
  %4 = tg.strided %3 [#tg.view<[7, 3] strides [1, 10]>] : tensor<3x9xf32> -> tensor<7x3xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<7x3xf32> -> tensor<7x1xf32>
  return %5 : tensor<7x1xf32>
}

// -----

// Not without windows, not if something else reads the inner sum, not for a
// maximum, not for a sum of what is no product, and not where it would take
// several times as much arithmetic.

// CHECK-LABEL: func.func @not(
// CHECK-COUNT-10: tg.reduce
// CHECK-NOT:      tg.reduce
func.func @not(%g: tensor<8x3x5xf32>, %w: tensor<8x3x5xf32>)
    -> (tensor<1x1x1xf32>, tensor<7x1xf32>, tensor<1x3x5xf32>, tensor<7x1xf32>, tensor<7x1xf32>, tensor<31x1xf32>) {
  %0 = tg.mul %g, %w : tensor<8x3x5xf32>
  %a = tg.reduce add %0 axes [0] : tensor<8x3x5xf32> -> tensor<1x3x5xf32>
  %ra = tg.reduce add %a axes [1, 2] : tensor<1x3x5xf32> -> tensor<1x1x1xf32>

  %b = tg.reduce add %0 axes [0] : tensor<8x3x5xf32> -> tensor<1x3x5xf32>
  %b1 = tg.strided %b [#tg.view<[7, 3] strides [1, 4]>] : tensor<1x3x5xf32> -> tensor<7x3xf32>
  %rb = tg.reduce add %b1 axes [1] : tensor<7x3xf32> -> tensor<7x1xf32>

  %c = tg.reduce add %0 axes [0] : tensor<8x3x5xf32> -> tensor<1x3x5xf32>
  %c1 = tg.strided %c [#tg.view<[7, 3] strides [1, 4]>] : tensor<1x3x5xf32> -> tensor<7x3xf32>
  %rc = tg.reduce max %c1 axes [1] : tensor<7x3xf32> -> tensor<7x1xf32>

  %d = tg.reduce add %g axes [0] : tensor<8x3x5xf32> -> tensor<1x3x5xf32>
  %d1 = tg.strided %d [#tg.view<[7, 3] strides [1, 4]>] : tensor<1x3x5xf32> -> tensor<7x3xf32>
  %rd = tg.reduce add %d1 axes [1] : tensor<7x3xf32> -> tensor<7x1xf32>

  %e = tg.reduce add %0 axes [0] : tensor<8x3x5xf32> -> tensor<1x3x5xf32>
  %e1 = tg.pad %e low [0, 0, 14] high [0, 0, 14] : tensor<1x3x5xf32> -> tensor<1x3x33xf32>
  %e2 = tg.strided %e1 [#tg.view<[31, 3] strides [1, 34]>] : tensor<1x3x33xf32> -> tensor<31x3xf32>
  %re = tg.reduce add %e2 axes [1] : tensor<31x3xf32> -> tensor<31x1xf32>
  return %ra, %rb, %b, %rc, %rd, %re
      : tensor<1x1x1xf32>, tensor<7x1xf32>, tensor<1x3x5xf32>, tensor<7x1xf32>, tensor<7x1xf32>, tensor<31x1xf32>
}
