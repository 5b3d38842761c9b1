// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// Infinities give a quarter turn.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[0.0, -0.0, 0.25, -0.5, 1.0, 3.0, -10000000000.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<10xf32>},
    %x1: tensor<1xf16> {tg.input = dense<[0.5]> : tensor<1xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[0.5]> : tensor<1xbf16>},
    %x3: tensor<2xf64> {tg.input = dense<[0.5, -1.0]> : tensor<2xf64>})
    -> (tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>) {
  %0 = tg.atan %x0 : tensor<10xf32>
  %1 = tg.atan %x1 : tensor<1xf16>
  %2 = tg.atan %x2 : tensor<1xbf16>
  %3 = tg.atan %x3 : tensor<2xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>
}

// CHECK: result 0: tensor<10xf32> = [0, -0, 0.244979, -0.463648, 0.785398, 1.24905, -1.5708, 1.5708, -1.5708, nan]
// CHECK-NEXT: result 1: tensor<1xf16> = [0.463623]
// CHECK-NEXT: result 2: tensor<1xbf16> = [0.462891]
// CHECK-NEXT: result 3: tensor<2xf64> = [0.463648, -0.785398]
