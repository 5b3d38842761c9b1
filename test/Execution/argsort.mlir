// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Equal elements stay in order, -0 and +0 are equal, and NaNs come last, or
// first where the order is descending.
func.func @main(
    %a: tensor<8xf32> {tg.input = dense<[1.0, -0.0, 0x7FC00000, 0.0, -1.0, 0x7F800000, 0xFF800000, 0xFFC00000]> : tensor<8xf32>},
    %b: tensor<2x3xi8> {tg.input = dense<[[5, -128, 5], [0, 127, -1]]> : tensor<2x3xi8>},
    %c: tensor<3xui16> {tg.input = dense<[65535, 0, 32768]> : tensor<3xui16>},
    %d: tensor<4xi1> {tg.input = dense<[true, false, true, false]> : tensor<4xi1>},
    %e: tensor<4xbf16> {tg.input = dense<[1.0, -2.0, 0x7FC0, -3.0]> : tensor<4xbf16>})
    -> (tensor<8xi32>, tensor<8xi64>, tensor<2x3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xi32>, tensor<2x1xi32>) {
  %0 = tg.argsort %a : tensor<8xf32> -> tensor<8xi32>
  %1 = tg.argsort %a descending : tensor<8xf32> -> tensor<8xi64>
  %2 = tg.argsort %b : tensor<2x3xi8> -> tensor<2x3xi32>
  %3 = tg.argsort %c : tensor<3xui16> -> tensor<3xi32>
  %4 = tg.argsort %d : tensor<4xi1> -> tensor<4xi32>
  %5 = tg.argsort %e : tensor<4xbf16> -> tensor<4xi32>
  // The first positions only.
  %6 = tg.argsort %a descending : tensor<8xf32> -> tensor<3xi32>
  %7 = tg.argsort %b descending : tensor<2x3xi8> -> tensor<2x1xi32>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<8xi32>, tensor<8xi64>, tensor<2x3xi32>, tensor<3xi32>, tensor<4xi32>, tensor<4xi32>, tensor<3xi32>, tensor<2x1xi32>
}

// CHECK: result 0: tensor<8xi32> = [6, 4, 1, 3, 0, 5, 2, 7]
// CHECK-NEXT: result 1: tensor<8xi64> = [2, 7, 5, 0, 1, 3, 4, 6]
// CHECK-NEXT: result 2: tensor<2x3xi32> = {{\[}}[1, 0, 2], [2, 0, 1]]
// CHECK-NEXT: result 3: tensor<3xi32> = [1, 2, 0]
// CHECK-NEXT: result 4: tensor<4xi32> = [1, 3, 0, 2]
// CHECK-NEXT: result 5: tensor<4xi32> = [3, 1, 0, 2]
// CHECK-NEXT: result 6: tensor<3xi32> = [2, 7, 5]
// CHECK-NEXT: result 7: tensor<2x1xi32> = {{\[}}[0], [1]]
