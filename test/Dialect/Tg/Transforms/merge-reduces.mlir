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

// -----

// What a shrink discards is not computed, and does not count.

// CHECK-LABEL: func.func @shrunk(
// CHECK:         tg.reduce add {{.*}} axes [0, 2]
// CHECK-NOT:     tg.reduce
func.func @shrunk(%g: tensor<8x3x5xf32>, %w: tensor<8x3x5xf32>) -> tensor<5xf32> {
  %0 = tg.mul %g, %w : tensor<8x3x5xf32>
  %1 = tg.reduce add %0 axes [0] : tensor<8x3x5xf32> -> tensor<1x3x5xf32>
  %2 = tg.pad %1 low [0, 0, 14] high [0, 0, 14] : tensor<1x3x5xf32> -> tensor<1x3x33xf32>
  %3 = tg.strided %2 [#tg.view<[31, 3] strides [1, 34]>] : tensor<1x3x33xf32> -> tensor<31x3xf32>
  %4 = tg.reduce add %3 axes [1] : tensor<31x3xf32> -> tensor<31x1xf32>
  %5 = tg.reshape %4 : tensor<31x1xf32> -> tensor<31xf32>
  %6 = tg.shrink %5 from [13] to [18] : tensor<31xf32> -> tensor<5xf32>
  return %6 : tensor<5xf32>
}

// -----

// Two sums of windows, and a value, of parts of one sum of products: each is
// computed apart. The parts are views with the reduced axis in front.

// CHECK-LABEL: func.func @parts(
// CHECK:         %[[P:.*]] = tg.mul
// CHECK-NOT:     tg.reduce
// CHECK:         tg.strided %[[P]] [#tg.view<[8, 200, 2, 200] strides
// CHECK:         tg.reduce add {{.*}} axes [0, 3]
// CHECK:         tg.strided %[[P]] [#tg.view<[8, 200, 200] strides [120000, 600, 1] offset 200>]
// CHECK:         tg.reduce add {{.*}} axes [0]
// CHECK-NOT:     tg.reduce
func.func @parts(%g: tensor<8x200x1x1xf32>, %w: tensor<8x1x3x200xf32>) -> (tensor<200x201x1xf32>, tensor<200x200xf32>) {
  %0 = tg.expand %g : tensor<8x200x1x1xf32> -> tensor<8x200x3x200xf32>
  %1 = tg.expand %w : tensor<8x1x3x200xf32> -> tensor<8x200x3x200xf32>
  %2 = tg.mul %0, %1 : tensor<8x200x3x200xf32>
  %3 = tg.reduce add %2 axes [0] : tensor<8x200x3x200xf32> -> tensor<1x200x3x200xf32>
  %4 = tg.reshape %3 : tensor<1x200x3x200xf32> -> tensor<200x3x200xf32>
  // Rows 0 and 2, then the windows over these.
  %5 = tg.strided %4 [#tg.view<[200, 2, 202] strides [600, 400, 1] offset -1 mask [0 to 200, 0 to 2, 1 to 201]>, #tg.view<[200, 201, 2] strides [404, 1, 203]>] : tensor<200x3x200xf32> -> tensor<200x201x2xf32>
  %6 = tg.reduce add %5 axes [2] : tensor<200x201x2xf32> -> tensor<200x201x1xf32>
  %7 = tg.strided %4 [#tg.view<[200, 200] strides [600, 1] offset 200>] : tensor<200x3x200xf32> -> tensor<200x200xf32>
  return %6, %7 : tensor<200x201x1xf32>, tensor<200x200xf32>
}

// -----

// Not where the parts together are larger than the whole, and not where few results share each element of
// the other factor, of which each part would read all.

// CHECK-LABEL: func.func @whole(
// CHECK-COUNT-2: tg.reduce add {{.*}} axes [0] :
// CHECK-NOT:     tg.reduce
func.func @whole(%g: tensor<8x200x1xf32>, %w: tensor<8x1x200xf32>, %h: tensor<8x100x1xf32>)
    -> (tensor<200x150xf32>, tensor<200x150xf32>, tensor<100x100xf32>, tensor<100x100xf32>) {
  %0 = tg.expand %g : tensor<8x200x1xf32> -> tensor<8x200x200xf32>
  %1 = tg.expand %w : tensor<8x1x200xf32> -> tensor<8x200x200xf32>
  %2 = tg.mul %0, %1 : tensor<8x200x200xf32>
  %3 = tg.reduce add %2 axes [0] : tensor<8x200x200xf32> -> tensor<1x200x200xf32>
  %4 = tg.strided %3 [#tg.view<[200, 150] strides [200, 1]>] : tensor<1x200x200xf32> -> tensor<200x150xf32>
  %5 = tg.strided %3 [#tg.view<[200, 150] strides [200, 1] offset 50>] : tensor<1x200x200xf32> -> tensor<200x150xf32>
  %6 = tg.expand %h : tensor<8x100x1xf32> -> tensor<8x100x200xf32>
  %8 = tg.expand %w : tensor<8x1x200xf32> -> tensor<8x100x200xf32>
  %9 = tg.mul %6, %8 : tensor<8x100x200xf32>
  %a = tg.reduce add %9 axes [0] : tensor<8x100x200xf32> -> tensor<1x100x200xf32>
  %b = tg.strided %a [#tg.view<[100, 100] strides [200, 1]>] : tensor<1x100x200xf32> -> tensor<100x100xf32>
  %c = tg.strided %a [#tg.view<[100, 100] strides [200, 1] offset 100>] : tensor<1x100x200xf32> -> tensor<100x100xf32>
  return %4, %5, %b, %c : tensor<200x150xf32>, tensor<200x150xf32>, tensor<100x100xf32>, tensor<100x100xf32>
}
