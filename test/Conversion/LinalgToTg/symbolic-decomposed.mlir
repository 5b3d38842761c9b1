// RUN: tg-opt %s --convert-linalg-to-tg=max-size=4 -o %t
// RUN: tg-run %t --var arg1_0=2 --interpret --print | FileCheck %s
// RUN: tg-run %t --var arg1_0=2 --print | FileCheck %s

// Operations that are expanded with constants of their type, on tensors of
// dynamic shapes.

// CHECK: result 0: tensor<2x2xf64> = {{\[}}[0, 1.175201{{[0-9]*}}], [-1.175201{{[0-9]*}}, 3.626860{{[0-9]*}}]]
// CHECK-NEXT: result 1: tensor<2xi32> = [-2, 3]
// CHECK-NEXT: result 2: tensor<2xi32> = [-1, 0]
// CHECK-NEXT: result 3: tensor<2xi32> = [-2, 3]
// CHECK-NEXT: result 4: tensor<2xi32> = [1, 0]
func.func @main(%x: tensor<?x2xf64> {tg.input = dense<[[0.0, 1.0], [-1.0, 2.0], [0.0, 0.0], [0.0, 0.0]]> : tensor<4x2xf64>},
                %y: tensor<?xi32> {tg.input = dense<[-1, 1, 0, 0]> : tensor<4xi32>},
                %z: tensor<?xi32> {tg.input = dense<[2, 3, 0, 0]> : tensor<4xi32>}) -> (tensor<?x2xf64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %c0 = arith.constant 0 : index
  %0 = math.sinh %x : tensor<?x2xf64>
  %low, %high = arith.mulsi_extended %y, %z : tensor<?xi32>
  %ulow, %uhigh = arith.mului_extended %y, %z : tensor<?xi32>
  %n = tensor.dim %x, %c0 : tensor<?x2xf64>
  %empty = tensor.empty(%n) : tensor<?xi32>
  // The sizes of all arguments are one.
  %both = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%low : tensor<?xi32>) outs(%empty : tensor<?xi32>) {
  ^bb0(%in: i32, %out: i32):
    linalg.yield %in : i32
  } -> tensor<?xi32>
  return %0, %both, %high, %ulow, %uhigh : tensor<?x2xf64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
}
