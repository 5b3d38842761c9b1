// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// NaN beyond -1 and 1.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[0.0, -0.0, 0.25, -0.5, 0.75, 1.0, -1.0, 1.5, 0xFF800000, 0x7FC00000]> : tensor<10xf32>},
    %x1: tensor<1xf16> {tg.input = dense<[0.5]> : tensor<1xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[0.5]> : tensor<1xbf16>},
    %x3: tensor<2xf64> {tg.input = dense<[0.5, -1.0]> : tensor<2xf64>})
    -> (tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>) {
  %0 = tg.asin %x0 : tensor<10xf32>
  %1 = tg.asin %x1 : tensor<1xf16>
  %2 = tg.asin %x2 : tensor<1xbf16>
  %3 = tg.asin %x3 : tensor<2xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>
}

// CHECK: result 0: tensor<10xf32> = [0, -0, 0.25268, -0.523599, 0.848062, 1.5708, -1.5708, nan, nan, nan]
// CHECK-NEXT: result 1: tensor<1xf16> = [0.523438]
// CHECK-NEXT: result 2: tensor<1xbf16> = [0.523438]
// CHECK-NEXT: result 3: tensor<2xf64> = [0.523599, -1.5708]
