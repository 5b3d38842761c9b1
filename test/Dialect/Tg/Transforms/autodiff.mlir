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
// CHECK-SAME:    %[[X:[^:]*]]: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>,
// CHECK-SAME:    %[[I:[^:]*]]: tensor<4xi32>, %[[U:[^:]*]]: tensor<2xf32>,
// CHECK-SAME:    %[[SEED:[^:]*]]: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>)
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
// CHECK:         %[[GRADIENT:.*]] = tg.reshape %[[PADDED]] : tensor<5xf32> -> tensor<?xf32, #tg.shape<#tg.var<"k", 5, 5>>>
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
