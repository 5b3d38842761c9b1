// RUN: tg-opt %s --split-input-file --tg-autodiff | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-autodiff="result=grad only-gradients" \
// RUN:   | FileCheck %s --check-prefix=NAMED
// RUN: tg-opt %s --split-input-file --tg-autodiff --tg-autodiff="of=1" \
// RUN:   | tg-opt --split-input-file --canonicalize --cse -o /dev/null

// The derivative of a single element needs no cotangent.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>)
// CHECK-SAME:    -> (tensor<1xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK:         %[[P:.*]] = tg.mul %[[X]], %[[W]]
// CHECK:         %[[S:.*]] = tg.reduce add %[[P]]
// CHECK:         %[[ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<1xf32>
// CHECK:         %[[ALL:.*]] = tg.expand %[[ONE]]
// CHECK:         %[[DX:.*]] = tg.mul %[[ALL]], %[[W]]
// CHECK:         %[[DW:.*]] = tg.mul %[[ALL]], %[[X]]
// CHECK:         return %[[S]], %[[DX]], %[[DW]]

// NAMED-LABEL: func.func @main(
// NAMED-SAME:    -> tensor<1xf32>
// NAMED-LABEL: func.func @grad(
// NAMED-SAME:    -> (tensor<4xf32>, tensor<4xf32>)
// NAMED-NOT:     tg.reduce
// NAMED:         return
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<1xf32> {
  %0 = tg.mul %x, %w : tensor<4xf32>
  %1 = tg.reduce add %0 axes [0] : tensor<4xf32> -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// -----

// That of several does, and so does a symbolic number of elements. An argument
// of integers has no gradient, and one that nothing depends on has zeros.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?xf32, #tg.shape<#n>>,
// CHECK-SAME:    %[[I:[^:]*]]: tensor<4xi32>, %[[U:[^:]*]]: tensor<2xf32>,
// CHECK-SAME:    %[[SEED:[^:]*]]: tensor<?xf32, #tg.shape<#n>>)
// CHECK:         %[[COS:.*]] = tg.cos %[[X]]
// CHECK:         %[[DX:.*]] = tg.mul %[[SEED]], %[[COS]]
// CHECK:         %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<2xf32>
// CHECK:         return %{{.*}}, %[[DX]], %[[ZERO]]
func.func @main(%x: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>,
                %i: tensor<4xi32>, %unused: tensor<2xf32>)
    -> tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>> {
  %0 = tg.sin %x : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>
  return %0 : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>
}

// -----

// No gradient flows through tg.detach and marked operations.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     tg.cos
// CHECK:         %[[D:.*]] = tg.detach
// CHECK:         %[[N:.*]] = tg.sin %{{.*}} {tg.no_gradient}
// CHECK:         tg.mul %{{.*}}, %[[N]]
// CHECK:         return
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = tg.sin %x : tensor<1xf32>
  %1 = tg.detach %0 : tensor<1xf32>
  %2 = tg.sin %x {tg.no_gradient} : tensor<1xf32>
  %3 = tg.mul %x, %2 : tensor<1xf32>
  %4 = tg.add %1, %3 : tensor<1xf32>
  return %4 : tensor<1xf32>
}

// -----

// A given derivative takes the place of those of what the value is computed by.
// Differentiated again (the third RUN line), it has one itself.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.*]]: tensor<1xf32>)
// CHECK-NOT:     tg.cos
// CHECK:         %[[D:.*]] = tg.mul %[[X]], %[[X]]
// CHECK:         %[[Y:.*]] = tg.with_derivative %{{.*}} of %[[X]] by %[[D]]
// CHECK:         %[[DX:.*]] = tg.mul %{{.*}}, %[[D]]
// CHECK:         return %[[Y]], %[[DX]]
func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
  %0 = tg.sin %x : tensor<1xf32>
  %1 = tg.mul %x, %x : tensor<1xf32>
  %2 = tg.with_derivative %0 of %x by %1 : tensor<1xf32>
  return %2 : tensor<1xf32>
}

// -----

// Sizes computed from a variable with a single value are numbers; the gradient
// has the type of the argument nevertheless.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[PADDED:.*]] = tg.pad
// CHECK:         %[[GRADIENT:.*]] = tg.reshape %[[PADDED]] : tensor<5xf32> -> tensor<?xf32, #tg.shape<#k>>
// CHECK:         return %{{.*}}, %[[GRADIENT]]
func.func @main(%x: tensor<?xf32, #tg.shape<#tg.var<"k", 5, 5>>>) -> tensor<3xf32> {
  %part = tg.shrink %x from [1] to [4] : tensor<?xf32, #tg.shape<#tg.var<"k", 5, 5>>> -> tensor<3xf32>
  return %part : tensor<3xf32>
}

// -----

// An axis of a diagonal moves along two axes of the space.

// CHECK-LABEL: func.func @main(
// CHECK:         tg.scatter add
func.func @main(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %diagonal = tg.strided %x [#tg.view<[3] strides [4]>] : tensor<3x3xf32> -> tensor<3xf32>
  return %diagonal : tensor<3xf32>
}

// -----

// The windows of a sum of products begin two positions apart. Even and odd
// positions of the 33 inside the padding have sums of their own, which take
// turns: of the middle of each window, and of both ends. The position of
// padding has none.

// CHECK-LABEL: func.func @main(
// CHECK:         %[[SUM:.*]] = tg.permute %{{.*}} [2, 0, 1] : tensor<4x16x3xf32> -> tensor<3x4x16xf32>
// CHECK:         tg.strided %[[SUM]] [#tg.view<[2, 4, 16] strides [128, 16, 1]>]
// CHECK:         tg.reduce add %{{.*}} axes [2] : tensor<4x17x2xf32>
// CHECK:         %[[ENDS:.*]] = tg.expand %{{.*}} : tensor<4x17x1xf32> -> tensor<4x17x2xf32>
// CHECK:         tg.strided %[[SUM]] [#tg.view<[1, 4, 16] strides [0, 16, 1] offset 64>]
// CHECK:         %[[MIDDLE:.*]] = tg.expand %{{.*}} : tensor<4x17x1xf32> -> tensor<4x17x2xf32>
// CHECK:         %[[PHASE:.*]] = tg.iota 2
// CHECK:         %[[IS_EVEN:.*]] = tg.cmpeq %[[PHASE]]
// CHECK:         tg.where %[[IS_EVEN]], %[[MIDDLE]], %[[ENDS]]
// CHECK:         tg.pad %{{.*}} low [0, 1] high [0, 0] : tensor<4x33xf32> -> tensor<4x34xf32>
func.func @main(%x: tensor<4x33xf32>, %w: tensor<8x4x3xf32>) -> tensor<8x16xf32> {
  %0 = tg.pad %x low [0, 1] high [0, 0] : tensor<4x33xf32> -> tensor<4x34xf32>
  %1 = tg.strided %0 [#tg.view<[1, 4, 16, 3] strides [0, 34, 2, 1]>] : tensor<4x34xf32> -> tensor<1x4x16x3xf32>
  %2 = tg.expand %1 : tensor<1x4x16x3xf32> -> tensor<8x4x16x3xf32>
  %3 = tg.reshape %w : tensor<8x4x3xf32> -> tensor<8x4x1x3xf32>
  %4 = tg.expand %3 : tensor<8x4x1x3xf32> -> tensor<8x4x16x3xf32>
  %5 = tg.mul %2, %4 : tensor<8x4x16x3xf32>
  %6 = tg.reduce add %5 axes [1, 3] : tensor<8x4x16x3xf32> -> tensor<8x1x16x1xf32>
  %7 = tg.reshape %6 : tensor<8x1x16x1xf32> -> tensor<8x16xf32>
  return %7 : tensor<8x16xf32>
}

// -----

// Not of few windows, and not if they do not overlap or are no sum of products.

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     tg.where
// CHECK:         return
func.func @main(%x: tensor<4x17xf32>, %w: tensor<8x4x3xf32>) -> tensor<8x8xf32> {
  %1 = tg.strided %x [#tg.view<[1, 4, 8, 3] strides [0, 17, 2, 1]>] : tensor<4x17xf32> -> tensor<1x4x8x3xf32>
  %2 = tg.expand %1 : tensor<1x4x8x3xf32> -> tensor<8x4x8x3xf32>
  %3 = tg.reshape %w : tensor<8x4x3xf32> -> tensor<8x4x1x3xf32>
  %4 = tg.expand %3 : tensor<8x4x1x3xf32> -> tensor<8x4x8x3xf32>
  %5 = tg.mul %2, %4 : tensor<8x4x8x3xf32>
  %6 = tg.reduce add %5 axes [1, 3] : tensor<8x4x8x3xf32> -> tensor<8x1x8x1xf32>
  %7 = tg.reshape %6 : tensor<8x1x8x1xf32> -> tensor<8x8xf32>
  return %7 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-NOT:     tg.where
// CHECK:         return
func.func @main(%x: tensor<4x64xf32>) -> tensor<4x32x1xf32> {
  %0 = tg.strided %x [#tg.view<[4, 32, 2] strides [64, 2, 1]>] : tensor<4x64xf32> -> tensor<4x32x2xf32>
  %1 = tg.exp %0 : tensor<4x32x2xf32>
  %2 = tg.reduce add %1 axes [2] : tensor<4x32x2xf32> -> tensor<4x32x1xf32>
  return %2 : tensor<4x32x1xf32>
}

// -----

// Some phases have no window inside the padding.

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    -> (tensor<2x8x2x19xf32>, tensor<2x4x1x40xf32>, tensor<8x4x4x3xf32>)
// CHECK:         tg.where
func.func @main(%x: tensor<2x4x1x40xf32>, %w: tensor<8x4x4x3xf32>) -> tensor<2x8x2x19xf32> {
  %p = tg.pad %x low [0, 0, 8, 0] high [0, 0, 0, 0] : tensor<2x4x1x40xf32> -> tensor<2x4x9x40xf32>
  %v = tg.strided %p [#tg.view<[2, 1, 2, 19, 4, 4, 3] strides [1440, 0, 120, 2, 360, 40, 1]>] : tensor<2x4x9x40xf32> -> tensor<2x1x2x19x4x4x3xf32>
  %ve = tg.expand %v : tensor<2x1x2x19x4x4x3xf32> -> tensor<2x8x2x19x4x4x3xf32>
  %wr = tg.reshape %w : tensor<8x4x4x3xf32> -> tensor<1x8x1x1x4x4x3xf32>
  %we = tg.expand %wr : tensor<1x8x1x1x4x4x3xf32> -> tensor<2x8x2x19x4x4x3xf32>
  %m = tg.mul %ve, %we : tensor<2x8x2x19x4x4x3xf32>
  %s = tg.reduce add %m axes [4, 5, 6] : tensor<2x8x2x19x4x4x3xf32> -> tensor<2x8x2x19x1x1x1xf32>
  %r = tg.reshape %s : tensor<2x8x2x19x1x1x1xf32> -> tensor<2x8x2x19xf32>
  return %r : tensor<2x8x2x19xf32>
}
