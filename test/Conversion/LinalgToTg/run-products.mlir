// RUN: tg-opt %s --convert-linalg-to-tg -o %t
// RUN: tg-run %t --interpret --print | FileCheck %s
// RUN: tg-run %t --print | FileCheck %s

// Products of matrices and vectors; the initial value is added.

// CHECK: result 0: tensor<2x2xf32> = {{\[}}[13, 19], [36, 39]]
// CHECK-NEXT: result 1: tensor<2x2xf32> = {{\[}}[3, -1], [6, -1]]
// CHECK-NEXT: result 2: tensor<2x2xf32> = {{\[}}[3, -1], [6, -1]]
// CHECK-NEXT: result 3: tensor<2xf32> = [5, 11]
// CHECK-NEXT: result 4: tensor<2xf32> = [7, -3]
// CHECK-NEXT: result 5: tensor<f32> = 6
// CHECK-NEXT: result 6: tensor<1x2x2xf32> = {{\[}}{{\[}}[3, -1], [6, -1]]]
// CHECK-NEXT: result 7: tensor<2x2xi32> = {{\[}}[200, 0], [10, 127]]
// CHECK-NEXT: result 8: tensor<2xi1> = [true, false]
func.func @main(
    %a: tensor<2x3xf32> {tg.input = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>},
    %b: tensor<3x2xf32> {tg.input = dense<[[1.0, 0.0], [-2.0, 1.0], [2.0, -1.0]]> : tensor<3x2xf32>},
    %c: tensor<2x2xf32> {tg.input = dense<[[10.0, 20.0], [30.0, 40.0]]> : tensor<2x2xf32>},
    %v: tensor<3xf32> {tg.input = dense<[1.0, -1.0, 2.0]> : tensor<3xf32>},
    %p: tensor<2x2xi8> {tg.input = dense<[[100, 0], [5, 127]]> : tensor<2x2xi8>},
    %q: tensor<2x2xi8> {tg.input = dense<[[2, 0], [0, 1]]> : tensor<2x2xi8>},
    %m: tensor<2x2xi1> {tg.input = dense<[[true, false], [false, true]]> : tensor<2x2xi1>},
    %w: tensor<2xi1> {tg.input = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<1x2x2xf32>, tensor<2x2xi32>, tensor<2xi1>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
  // Transposed factors.
  %ea = tensor.empty() : tensor<3x2xf32>
  %at = linalg.transpose ins(%a : tensor<2x3xf32>) outs(%ea : tensor<3x2xf32>) permutation = [1, 0]
  %1 = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%at, %b : tensor<3x2xf32>, tensor<3x2xf32>) outs(%z : tensor<2x2xf32>) -> tensor<2x2xf32>
  %eb = tensor.empty() : tensor<2x3xf32>
  %bt = linalg.transpose ins(%b : tensor<3x2xf32>) outs(%eb : tensor<2x3xf32>) permutation = [1, 0]
  %2 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %bt : tensor<2x3xf32>, tensor<2x3xf32>) outs(%z : tensor<2x2xf32>) -> tensor<2x2xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2xf32>) -> tensor<2xf32>
  %3 = linalg.matvec ins(%a, %v : tensor<2x3xf32>, tensor<3xf32>) outs(%z1 : tensor<2xf32>) -> tensor<2xf32>
  %4 = linalg.vecmat ins(%v, %b : tensor<3xf32>, tensor<3x2xf32>) outs(%z1 : tensor<2xf32>) -> tensor<2xf32>
  %e0 = tensor.empty() : tensor<f32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %5 = linalg.dot ins(%v, %v : tensor<3xf32>, tensor<3xf32>) outs(%z0 : tensor<f32>) -> tensor<f32>
  %ab = tensor.expand_shape %a [[0, 1], [2]] output_shape [1, 2, 3] : tensor<2x3xf32> into tensor<1x2x3xf32>
  %bb = tensor.expand_shape %b [[0, 1], [2]] output_shape [1, 3, 2] : tensor<3x2xf32> into tensor<1x3x2xf32>
  %z3 = tensor.expand_shape %z [[0, 1], [2]] output_shape [1, 2, 2] : tensor<2x2xf32> into tensor<1x2x2xf32>
  %6 = linalg.batch_matmul ins(%ab, %bb : tensor<1x2x3xf32>, tensor<1x3x2xf32>) outs(%z3 : tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  // i8 factors are extended before they are multiplied.
  %zi = arith.constant dense<0> : tensor<2x2xi32>
  %7 = linalg.matmul ins(%p, %q : tensor<2x2xi8>, tensor<2x2xi8>) outs(%zi : tensor<2x2xi32>) -> tensor<2x2xi32>
  // On bools, a product is "and" and a sum "or".
  %zb = arith.constant dense<false> : tensor<2xi1>
  %8 = linalg.matvec ins(%m, %w : tensor<2x2xi1>, tensor<2xi1>) outs(%zb : tensor<2xi1>) -> tensor<2xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<1x2x2xf32>, tensor<2x2xi32>, tensor<2xi1>
}
