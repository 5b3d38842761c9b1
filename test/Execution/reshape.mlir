// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Row-major order stays.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
    %s: tensor<f16> {tg.input = dense<2.0> : tensor<f16>},
    %e: tensor<0x3xi8> {tg.input = dense<> : tensor<0x3xi8>})
    -> (tensor<3x2xi32>, tensor<1x6x1xi32>, tensor<1x1xf16>, tensor<5x0xi8>) {
  %0 = tg.reshape %x : tensor<2x3xi32> -> tensor<3x2xi32>
  %1 = tg.reshape %x : tensor<2x3xi32> -> tensor<1x6x1xi32>
  %2 = tg.reshape %s : tensor<f16> -> tensor<1x1xf16>
  %3 = tg.reshape %e : tensor<0x3xi8> -> tensor<5x0xi8>
  return %0, %1, %2, %3
      : tensor<3x2xi32>, tensor<1x6x1xi32>, tensor<1x1xf16>, tensor<5x0xi8>
}

// CHECK: result 0: tensor<3x2xi32> = {{\[\[}}1, 2], [3, 4], [5, 6]]
// CHECK-NEXT: result 1: tensor<1x6x1xi32> = {{\[\[}}[1], [2], [3], [4], [5], [6]]]
// CHECK-NEXT: result 2: tensor<1x1xf16> = {{\[\[}}2]]
// CHECK-NEXT: result 3: tensor<5x0xi8> = {{\[\[}}], [], [], [], []]
