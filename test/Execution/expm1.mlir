// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// Small operands lose nothing; zeros keep their sign.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[0.0, -0.0, 1.0, -1.0, 1.0e-10, -30.0, 89.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<10xf32>},
    %x1: tensor<3xf16> {tg.input = dense<[2.0, 12.0, -12.0]> : tensor<3xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[-2.0]> : tensor<1xbf16>},
    %x3: tensor<4xf64> {tg.input = dense<[1.0e-20, 0.5, -60.0, 710.0]> : tensor<4xf64>})
    -> (tensor<10xf32>, tensor<3xf16>, tensor<1xbf16>, tensor<4xf64>) {
  %0 = tg.expm1 %x0 : tensor<10xf32>
  %1 = tg.expm1 %x1 : tensor<3xf16>
  %2 = tg.expm1 %x2 : tensor<1xbf16>
  %3 = tg.expm1 %x3 : tensor<4xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<3xf16>, tensor<1xbf16>, tensor<4xf64>
}

// CHECK: result 0: tensor<10xf32> = [0, -0, 1.71828, -0.632121, 1e-10, -1, inf, inf, -1, nan]
// CHECK-NEXT: result 1: tensor<3xf16> = [6.39062, inf, -1]
// CHECK-NEXT: result 2: tensor<1xbf16> = [-0.863281]
// CHECK-NEXT: result 3: tensor<4xf64> = [1e-20, 0.648721, -1, inf]
