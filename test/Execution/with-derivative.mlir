// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// RUN: tg-opt %s --tg-autodiff="of=0 wrt=0" -o %t.mlir
// RUN: tg-run %t.mlir --interpret --print | FileCheck %s --check-prefix=GRADIENT
// RUN: tg-run %t.mlir --print | FileCheck %s --check-prefix=GRADIENT

// The value is that of the operand, the derivative the given one.
// CHECK: result 0: tensor<1xf32> = [30]
// CHECK: result 1: tensor<4xf32> = [1, 4, 9, 16]
// GRADIENT: tensor<4xf32> = [-1, -2, -3, -4]
func.func @main(%x: tensor<4xf32> {tg.input = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>})
    -> (tensor<1xf32>, tensor<4xf32>) {
  %0 = tg.mul %x, %x : tensor<4xf32>
  %1 = tg.neg %x : tensor<4xf32>
  %2 = tg.with_derivative %0 of %x by %1 : tensor<4xf32>
  %3 = tg.reduce add %2 axes [0] : tensor<4xf32> -> tensor<1xf32>
  return %3, %2 : tensor<1xf32>, tensor<4xf32>
}
