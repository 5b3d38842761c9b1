// RUN: tg-opt %s --convert-linalg-to-tg=max-size=8 -o %t
// RUN: tg-run %t --var arg1_0=2 --interpret --print | FileCheck %s
// RUN: tg-run %t --var arg1_0=2 --print | FileCheck %s

// Pads by computed amounts, and with values that depend on the position.

func.func @main(%x: tensor<3xf32> {tg.input = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>},
                %z: tensor<?xi32> {tg.input = dense<[7, 8]> : tensor<2xi32>},
                %k: index {tg.input = dense<2> : tensor<i64>})
    -> (tensor<6xf32>, tensor<2x5xf32>, tensor<6xf32>, tensor<?xi32>) {
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %high = arith.subi %c3, %k : index
  %five = arith.constant 5.0 : f32
  // CHECK: result 0: tensor<6xf32> = [5, 5, 1, 2, 3, 5]
  %0 = tensor.pad %x low[%k] high[%high] {
  ^bb0(%i: index):
    tensor.yield %five : f32
  } : tensor<3xf32> to tensor<6xf32>
  %row = tensor.expand_shape %x [[0, 1]] output_shape [1, 3] : tensor<3xf32> into tensor<1x3xf32>
  // The value is an element, and one amount a number.
  // CHECK-NEXT: result 1: tensor<2x5xf32> = {{\[}}[2, 2, 2, 2, 2], [2, 1, 2, 3, 2]]
  %e = tensor.extract %x[%c1] : tensor<3xf32>
  %rest = arith.subi %c3, %high : index
  %none = arith.subi %rest, %k : index
  %less = arith.subi %rest, %c1 : index
  %1 = tensor.pad %row low[%high, 1] high[%none, %less] {
  ^bb0(%i: index, %j: index):
    tensor.yield %e : f32
  } : tensor<1x3xf32> to tensor<2x5xf32>
  // CHECK-NEXT: result 2: tensor<6xf32> = [0, 1, 2, 3, 40, 50]
  %2 = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i32
    %f = arith.sitofp %v : i32 to f32
    %ten = arith.constant 10.0 : f32
    %t = arith.mulf %f, %ten : f32
    tensor.yield %t : f32
  } : tensor<3xf32> to tensor<6xf32>
  // Sizes of results may be those of arguments and numbers.
  // CHECK-NEXT: result 3: tensor<5xi32> = [0, 1, 7, 8, 4]
  %3 = tensor.pad %z low[2] high[1] {
  ^bb0(%i: index):
    %v = arith.index_cast %i : index to i32
    tensor.yield %v : i32
  } : tensor<?xi32> to tensor<?xi32>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<2x5xf32>, tensor<6xf32>, tensor<?xi32>
}
