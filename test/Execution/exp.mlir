// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// Below the normal range results are denormal.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[0.0, 1.0, -1.0, 0.5, 89.0, -103.0, -110.0, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<10xf32>},
    %x1: tensor<3xf16> {tg.input = dense<[2.0, 12.0, -12.0]> : tensor<3xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[-2.0]> : tensor<1xbf16>},
    %x3: tensor<3xf64> {tg.input = dense<[10.0, 0.5, 710.0]> : tensor<3xf64>})
    -> (tensor<10xf32>, tensor<3xf16>, tensor<1xbf16>, tensor<3xf64>) {
  %0 = tg.exp %x0 : tensor<10xf32>
  %1 = tg.exp %x1 : tensor<3xf16>
  %2 = tg.exp %x2 : tensor<1xbf16>
  %3 = tg.exp %x3 : tensor<3xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<3xf16>, tensor<1xbf16>, tensor<3xf64>
}

// CHECK: result 0: tensor<10xf32> = [1, 2.71828, 0.367879, 1.64872, inf, 1.4013e-45, 0, inf, 0, nan]
// CHECK-NEXT: result 1: tensor<3xf16> = [7.39062, inf, 6.13928e-06]
// CHECK-NEXT: result 2: tensor<1xbf16> = [0.135742]
// CHECK-NEXT: result 3: tensor<3xf64> = [22026.5, 1.64872, inf]
