// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The operand that is not chosen has no effect.
func.func @main(
    %c: tensor<3xi1> {tg.input = dense<[true, false, true]> : tensor<3xi1>},
    %x: tensor<3xf32> {tg.input = dense<[1.0, 0x7FC00000, -0.0]> : tensor<3xf32>},
    %y: tensor<3xf32> {tg.input = dense<[0x7FC00000, 2.0, 0x7F800000]> : tensor<3xf32>},
    %i: tensor<3xi8> {tg.input = dense<[1, 2, 3]> : tensor<3xi8>},
    %j: tensor<3xi8> {tg.input = dense<[-1, -2, -3]> : tensor<3xi8>},
    %p: tensor<3xf8E5M2> {tg.input = dense<[0x3C, 0x7F, 0x80]> : tensor<3xf8E5M2>},
    %q: tensor<3xf8E5M2> {tg.input = dense<[0x00, 0x3C, 0x01]> : tensor<3xf8E5M2>},
    %b: tensor<3xi1> {tg.input = dense<[false, true, false]> : tensor<3xi1>})
    -> (tensor<3xf32>, tensor<3xi8>, tensor<3xf8E5M2>, tensor<3xi1>) {
  %0 = tg.where %c, %x, %y : tensor<3xf32>
  %1 = tg.where %c, %i, %j : tensor<3xi8>
  %2 = tg.where %c, %p, %q : tensor<3xf8E5M2>
  %3 = tg.where %c, %b, %c : tensor<3xi1>
  return %0, %1, %2, %3
      : tensor<3xf32>, tensor<3xi8>, tensor<3xf8E5M2>, tensor<3xi1>
}

// CHECK: result 0: tensor<3xf32> = [1, 2, -0]
// CHECK-NEXT: result 1: tensor<3xi8> = [1, -2, 3]
// CHECK-NEXT: result 2: tensor<3xf8E5M2> = [1, 1, -0]
// CHECK-NEXT: result 3: tensor<3xi1> = [false, false, false]
