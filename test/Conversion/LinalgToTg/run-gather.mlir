// RUN: tg-opt %s --convert-linalg-to-tg -o %t
// RUN: FileCheck %s --check-prefix=GRAPH < %t
// RUN: tg-run %t --interpret --print | FileCheck %s
// RUN: tg-run %t --print | FileCheck %s

// Bodies that read elements of a tensor: rows of a table, single elements, and
// a transposition. Infinite elements that are not selected do not matter.

// CHECK: result 0: tensor<3x2xf32> = {{\[}}[5, inf], [1, 2], [3, -4]]
// CHECK-NEXT: result 1: tensor<3xf32> = [inf, 1, -4]
// CHECK-NEXT: result 2: tensor<2x4xf32> = {{\[}}[1, 3, 5, 7], [2, -4, inf, 8]]
// CHECK-NEXT: result 3: tensor<3xi1> = [true, false, true]
// Rows, and single elements. Gathered axes may stay, with size 1.
// CHECK-NEXT: result 4: tensor<3x2xf32> = {{\[}}[5, inf], [1, 2], [3, -4]]
// CHECK-NEXT: result 5: tensor<1x3x1x1xf32> = {{\[\[\[}}[inf]], {{\[}}[1]], {{\[}}[-4]]]]
// CHECK-NEXT: result 6: tensor<3x4x1xf32> = {{\[\[}}[2], [-4], [inf], [8]], {{\[}}[1], [3], [5], [7]], {{\[}}[2], [-4], [inf], [8]]]
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#id = affine_map<(d0) -> (d0)>
// Columns run with a loop: only rows are selected.
// GRAPH: tg.reduce add %{{.*}} axes [2] : tensor<3x2x4xf32> -> tensor<3x2x1xf32>
// GRAPH: tg.reduce add %{{.*}} axes [1, 2] : tensor<3x4x2xf32> -> tensor<3x1x1xf32>
// GRAPH: tg.permute
// GRAPH-NOT: tg.reduce {{.*}}xf32>
// GRAPH: tg.reduce {{.*}}xi1>
func.func @main(
    %table: tensor<4x2xf32> {tg.input = dense<[[1.0, 2.0], [3.0, -4.0], [5.0, 0x7F800000], [7.0, 8.0]]> : tensor<4x2xf32>},
    %rows: tensor<3xi64> {tg.input = dense<[2, 0, 1]> : tensor<3xi64>},
    %columns: tensor<3xi32> {tg.input = dense<[1, 0, 1]> : tensor<3xi32>},
    %flags: tensor<4xi1> {tg.input = dense<[false, true, true, false]> : tensor<4xi1>})
    -> (tensor<3x2xf32>, tensor<3xf32>, tensor<2x4xf32>, tensor<3xi1>, tensor<3x2xf32>, tensor<1x3x1x1xf32>, tensor<3x4x1xf32>) {
  %e0 = tensor.empty() : tensor<3x2xf32>
  %0 = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<3xi64>) outs(%e0 : tensor<3x2xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = arith.index_cast %in : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %table[%r, %c] : tensor<4x2xf32>
    linalg.yield %v : f32
  } -> tensor<3x2xf32>
  %e1 = tensor.empty() : tensor<3xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%rows, %columns : tensor<3xi64>, tensor<3xi32>) outs(%e1 : tensor<3xf32>) {
  ^bb0(%in: i64, %column: i32, %out: f32):
    %r = arith.index_cast %in : i64 to index
    %c = arith.index_cast %column : i32 to index
    %v = tensor.extract %table[%r, %c] : tensor<4x2xf32>
    linalg.yield %v : f32
  } -> tensor<3xf32>
  %e2 = tensor.empty() : tensor<2x4xf32>
  %2 = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e2 : tensor<2x4xf32>) {
  ^bb0(%out: f32):
    %c = linalg.index 0 : index
    %r = linalg.index 1 : index
    %v = tensor.extract %table[%r, %c] : tensor<4x2xf32>
    linalg.yield %v : f32
  } -> tensor<2x4xf32>
  %e3 = tensor.empty() : tensor<3xi1>
  %3 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%rows : tensor<3xi64>) outs(%e3 : tensor<3xi1>) {
  ^bb0(%in: i64, %out: i1):
    %r = arith.index_cast %in : i64 to index
    %v = tensor.extract %flags[%r] : tensor<4xi1>
    linalg.yield %v : i1
  } -> tensor<3xi1>
  %rowsAt = tensor.expand_shape %rows [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
  %columnsWide = arith.extsi %columns : tensor<3xi32> to tensor<3xi64>
  %columnsAt = tensor.expand_shape %columnsWide [[0, 1]] output_shape [3, 1] : tensor<3xi64> into tensor<3x1xi64>
  %4 = tensor.gather %table[%rowsAt] gather_dims([0]) : (tensor<4x2xf32>, tensor<3x1xi64>) -> tensor<3x2xf32>
  %both = tensor.concat dim(1) %rowsAt, %columnsAt : (tensor<3x1xi64>, tensor<3x1xi64>) -> tensor<3x2xi64>
  %all = tensor.expand_shape %both [[0, 1], [2]] output_shape [1, 3, 2] : tensor<3x2xi64> into tensor<1x3x2xi64>
  %5 = tensor.gather %table[%all] gather_dims([0, 1]) : (tensor<4x2xf32>, tensor<1x3x2xi64>) -> tensor<1x3x1x1xf32>
  %6 = tensor.gather %table[%columnsAt] gather_dims([1]) : (tensor<4x2xf32>, tensor<3x1xi64>) -> tensor<3x4x1xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3x2xf32>, tensor<3xf32>, tensor<2x4xf32>, tensor<3xi1>, tensor<3x2xf32>, tensor<1x3x1x1xf32>, tensor<3x4x1xf32>
}
