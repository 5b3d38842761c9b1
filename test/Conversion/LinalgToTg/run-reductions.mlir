// RUN: tg-opt %s --convert-linalg-to-tg -o %t
// RUN: tg-run %t --interpret --print | FileCheck %s
// RUN: tg-run %t --print | FileCheck %s

// Reductions, with initial values; several results; indices; other operations
// on tensors.

#rows = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#kept = affine_map<(d0, d1) -> (d0, 0)>
// CHECK: result 0: tensor<2xi32> = [107, -1]
// CHECK-NEXT: result 1: tensor<2xi32> = [-5, -1]
// CHECK-NEXT: result 2: tensor<2xi32> = [-5, -1]
// CHECK-NEXT: result 3: tensor<2xi32> = [3, 4]
// CHECK-NEXT: result 4: tensor<2xi1> = [true, false]
// CHECK-NEXT: result 5: tensor<2xf32> = [3, nan]
// CHECK-NEXT: result 6: tensor<2xf32> = [nan, nan]
// CHECK-NEXT: result 7: tensor<2xi32> = [9, 12]
// CHECK-NEXT: result 8: tensor<2x1xf32> = {{\[}}[3], [3]]
// CHECK-NEXT: result 9: tensor<2x3xi64> = {{\[}}[0, 1, 2], [10, 11, 12]]
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[9, 3, -5], [4, -1, 6]]> : tensor<2x3xi32>},
    %init: tensor<2xi32> {tg.input = dense<[100, -10]> : tensor<2xi32>},
    %b: tensor<2x3xi1> {tg.input = dense<[[true, true, true], [true, false, true]]> : tensor<2x3xi1>},
    %f: tensor<2x3xf32> {tg.input = dense<[[1.0, 0x7FC00000, 3.0], [0x7FC00000, 0x7FC00000, 0x7FC00000]]> : tensor<2x3xf32>},
    %nan: tensor<2xf32> {tg.input = dense<0x7FC00000> : tensor<2xf32>})
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2x1xf32>, tensor<2x3xindex>) {
  %0 = linalg.reduce {arith.addi} ins(%x : tensor<2x3xi32>) outs(%init : tensor<2xi32>) dimensions = [1]
  %max = arith.constant dense<2147483647> : tensor<2xi32>
  // Two results of one operation.
  %1, %2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xi32>) outs(%max, %init : tensor<2xi32>, tensor<2xi32>) {
  ^bb0(%in: i32, %o0: i32, %o1: i32):
    %s = arith.minsi %in, %o0 : i32
    %u = arith.maxui %o1, %in : i32
    linalg.yield %s, %u : i32, i32
  } -> (tensor<2xi32>, tensor<2xi32>)
  %ones = arith.constant dense<-1> : tensor<2xi32>
  %3 = linalg.reduce {arith.minui} ins(%x : tensor<2x3xi32>) outs(%ones : tensor<2xi32>) dimensions = [1]
  // The sum of bools wraps.
  %false = arith.constant dense<false> : tensor<2xi1>
  %4 = linalg.reduce {arith.addi} ins(%b : tensor<2x3xi1>) outs(%false : tensor<2xi1>) dimensions = [1]
  %5 = linalg.reduce {arith.maxnumf} ins(%f : tensor<2x3xf32>) outs(%nan : tensor<2xf32>) dimensions = [1]
  %low = arith.constant dense<0xFF800000> : tensor<2xf32>
  %6 = linalg.reduce {arith.maximumf} ins(%f : tensor<2x3xf32>) outs(%low : tensor<2xf32>) dimensions = [1]
  // What is added does not depend on the reduced loop: three times.
  %zero = arith.constant dense<0> : tensor<2xi32>
  %three = arith.constant 3 : i32
  %7 = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x3xi32>) outs(%zero : tensor<2xi32>) {
  ^bb0(%in: i32, %o: i32):
    %i = linalg.index 0 : index
    %c = arith.index_cast %i : index to i32
    %t = arith.addi %c, %three : i32
    %s = arith.addi %o, %t : i32
    linalg.yield %s : i32
  } -> tensor<2xi32>
  // The reduced axis is kept, with size 1.
  %fz = arith.constant dense<0.0> : tensor<2x1xf32>
  %8 = linalg.generic {indexing_maps = [#rows, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%b : tensor<2x3xi1>) outs(%fz : tensor<2x1xf32>) {
  ^bb0(%in: i1, %o: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.addf %o, %one : f32
    linalg.yield %s : f32
  } -> tensor<2x1xf32>
  %ei = tensor.empty() : tensor<2x3xindex>
  %9 = linalg.generic {indexing_maps = [#rows], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<2x3xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ten = arith.constant 10 : index
    %r = arith.muli %i, %ten : index
    %s = arith.addi %r, %j : index
    linalg.yield %s : index
  } -> tensor<2x3xindex>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2x1xf32>, tensor<2x3xindex>
}
