// RUN: tg-opt %s --convert-linalg-to-tg -o %t
// RUN: tg-run %t --interpret --print | FileCheck %s
// RUN: tg-run %t --print | FileCheck %s

// What is written as other operations first: packed layouts, accumulators from
// which terms are taken, and functions that upstream expands.

// CHECK: result 0: tensor<2x2x2x2xf32> = {{\[\[\[}}[1, 2], [4, 5]], {{\[}}[7, 8], [0.5, 0.5]]], {{\[\[}}[3, 0.5], [6, 0.5]], {{\[}}[9, 0.5], [0.5, 0.5]]]]
// CHECK-NEXT: result 1: tensor<3x3xf32> = {{\[}}[1, 2, 3], [4, 5, 6], [7, 8, 9]]
// CHECK-NEXT: result 2: tensor<3xf32> = [4, -5, -14]
// CHECK-NEXT: result 3: tensor<2xi32> = [94, 185]
// CHECK-NEXT: result 4: tensor<4xi1> = [false, true, true, false]
// CHECK-NEXT: result 5: tensor<4xi1> = [true, false, false, false]
// CHECK-NEXT: result 6: tensor<3xf32> = [1, 1.5, 2]
// CHECK-NEXT: result 7: tensor<2xf32> = [0, 1.175{{[0-9]+}}]
// CHECK-NEXT: result 8: tensor<2xf32> = [1, 1.543{{[0-9]+}}]
// CHECK-NEXT: result 9: tensor<3xf32> = [1, 3.375, 27]
func.func @main(
    %x: tensor<3x3xf32> {tg.input = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>},
    %k: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
    %special: tensor<4xf32> {tg.input = dense<[1.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<4xf32>},
    %y: tensor<3xf32> {tg.input = dense<[1.0, 1.5, 3.0]> : tensor<3xf32>},
    %z: tensor<2xf32> {tg.input = dense<[0.0, 1.0]> : tensor<2xf32>})
    -> (tensor<2x2x2x2xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<4xi1>, tensor<4xi1>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) {
  %half = arith.constant 0.5 : f32
  %packed = tensor.empty() : tensor<2x2x2x2xf32>
  %0 = linalg.pack %x padding_value(%half : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %packed : tensor<3x3xf32> -> tensor<2x2x2x2xf32>
  %unpacked = tensor.empty() : tensor<3x3xf32>
  %1 = linalg.unpack %0 outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %unpacked : tensor<2x2x2x2xf32> -> tensor<3x3xf32>
  %ten = arith.constant dense<10.0> : tensor<3xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<3x3xf32>) outs(%ten : tensor<3xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.subf %out, %in : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %hundred = arith.constant dense<[100, 200]> : tensor<2xi32>
  %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%k : tensor<2x3xi32>) outs(%hundred : tensor<2xi32>) {
  ^bb0(%in: i32, %out: i32):
    %s = arith.subi %out, %in : i32
    linalg.yield %s : i32
  } -> tensor<2xi32>
  %4 = math.isinf %special : tensor<4xf32>
  %5 = math.isfinite %special : tensor<4xf32>
  %low = arith.constant dense<0.0> : tensor<3xf32>
  %high = arith.constant dense<2.0> : tensor<3xf32>
  %6 = math.clampf %y to [%low, %high] : tensor<3xf32>
  %7 = math.sinh %z : tensor<2xf32>
  %8 = math.cosh %z : tensor<2xf32>
  %three = arith.constant dense<3> : tensor<3xi32>
  %9 = math.fpowi %y, %three : tensor<3xf32>, tensor<3xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<2x2x2x2xf32>, tensor<3x3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<4xi1>, tensor<4xi1>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3xf32>
}
