// RUN: tg-opt %s --convert-linalg-to-tg -o %t
// RUN: tg-run %t --interpret --print | FileCheck %s
// RUN: tg-run %t --print | FileCheck %s

// Operations of the tensor dialect, and numbers as arguments.

// CHECK: result 0: tensor<3x5xf32> = {{\[}}[7, 1, 2, 3, 7], [7, 4, 5, 6, 7], [7, 7, 7, 7, 7]]
// CHECK-NEXT: result 1: tensor<2xf32> = [2, 5]
// CHECK-NEXT: result 2: tensor<2x2xf32> = {{\[}}[1, 3], [4, 6]]
// CHECK-NEXT: result 3: tensor<2x3xf32> = {{\[}}[1, 8, 3], [4, 9, 6]]
// CHECK-NEXT: result 4: tensor<4x3xf32> = {{\[}}[1, 2, 3], [4, 5, 6], [-0, 1, 1], [1, 1, 1]]
// CHECK-NEXT: result 5: tensor<3x2xf32> = {{\[}}[1, 2], [3, 4], [5, 6]]
// CHECK-NEXT: result 6: tensor<2x2xf32> = {{\[}}[7, 6], [7, 7]]
// CHECK-NEXT: result 7: tensor<2xf32> = [13, 13]
// CHECK-NEXT: result 8: tensor<2x3xf32> = {{\[}}[0.25, 0.25, 0.5], [0.25, 0.25, 0.5]]
// CHECK-NEXT: result 9: tensor<2x3xf32> = {{\[}}[1, 2, 3], [7, 7, 7]]
// CHECK-NEXT: result 10: tensor<2x2xf32> = {{\[}}[3, 2], [6, 5]]
func.func @main(
    %x: tensor<2x3xf32> {tg.input = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>},
    %y: tensor<2x3xf32> {tg.input = dense<[[-0.0, 1.0, 1.0], [1.0, 1.0, 1.0]]> : tensor<2x3xf32>},
    %column: tensor<2xf32> {tg.input = dense<[8.0, 9.0]> : tensor<2xf32>},
    %seven: tensor<f32> {tg.input = dense<7.0> : tensor<f32>},
    %logits: tensor<2x3xf32> {tg.input = dense<[[0.0, 0.0, 0.693147182], [5.0, 5.0, 5.693147182]]> : tensor<2x3xf32>},
    %mask: tensor<2x1xi1> {tg.input = dense<[[true], [false]]> : tensor<2x1xi1>})
    -> (tensor<3x5xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = tensor.extract %seven[] : tensor<f32>
  %0 = tensor.pad %x low[0, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %n : f32
  } : tensor<2x3xf32> to tensor<3x5xf32>
  // Of rank 1: the axis of size 1 is dropped.
  %1 = tensor.extract_slice %x[0, 1] [2, 1] [1, 1] : tensor<2x3xf32> to tensor<2xf32>
  %2 = tensor.extract_slice %x[0, 0] [2, 2] [1, 2] : tensor<2x3xf32> to tensor<2x2xf32>
  %3 = tensor.insert_slice %column into %x[0, 1] [2, 1] [1, 1] : tensor<2xf32> into tensor<2x3xf32>
  // -0.0 stays what it is.
  %4 = tensor.concat dim(0) %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<2x3xf32> into tensor<6xf32>
  %5 = tensor.expand_shape %flat [[0, 1]] output_shape [3, 2] : tensor<6xf32> into tensor<3x2xf32>
  %six = tensor.extract %x[%c1, %c2] : tensor<2x3xf32>
  %6 = tensor.from_elements %n, %six, %n, %n : tensor<2x2xf32>
  // Arithmetic on numbers.
  %sum = arith.addf %n, %six : f32
  %7 = tensor.splat %sum : tensor<2xf32>
  %e = tensor.empty() : tensor<2x3xf32>
  %8 = linalg.softmax dimension(1) ins(%logits : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  // The operand is broadcast, and the number comes from outside of the body.
  %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%mask, %x : tensor<2x1xi1>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) {
  ^bb0(%m: i1, %in: f32, %out: f32):
    %s = arith.select %m, %in, %n : f32
    linalg.yield %s : f32
  } -> tensor<2x3xf32>
  // Two columns, from the last one.
  %e2 = tensor.empty() : tensor<2x2xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, -d1 + 2)>, affine_map<(d0, d1) -> (d0, d1)>],
                        iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x3xf32>) outs(%e2 : tensor<2x2xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x2xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<3x5xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>
}
