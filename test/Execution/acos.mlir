// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// NaN beyond -1 and 1.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[0.0, -0.0, 0.25, -0.5, 0.75, 1.0, -1.0, 1.5, 0xFF800000, 0x7FC00000]> : tensor<10xf32>},
    %x1: tensor<1xf16> {tg.input = dense<[0.5]> : tensor<1xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[0.5]> : tensor<1xbf16>},
    %x3: tensor<2xf64> {tg.input = dense<[0.5, -1.0]> : tensor<2xf64>})
    -> (tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>) {
  %0 = tg.acos %x0 : tensor<10xf32>
  %1 = tg.acos %x1 : tensor<1xf16>
  %2 = tg.acos %x2 : tensor<1xbf16>
  %3 = tg.acos %x3 : tensor<2xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>
}

// CHECK: result 0: tensor<10xf32> = [1.5708, 1.5708, 1.31812, 2.0944, 0.722734, 0, 3.14159, nan, nan, nan]
// CHECK-NEXT: result 1: tensor<1xf16> = [1.04688]
// CHECK-NEXT: result 2: tensor<1xbf16> = [1.04688]
// CHECK-NEXT: result 3: tensor<2xf64> = [1.0472, 3.14159]
