// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// Zero gives -inf, whatever its sign; a negative operand NaN.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[1.0, 8.0, 0.5, 3.0, 0.0, -0.0, -1.0, 0x7F800000, 0x7FC00000, 0x00000001]> : tensor<10xf32>},
    %x1: tensor<1xf16> {tg.input = dense<[1024.0]> : tensor<1xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[0.25]> : tensor<1xbf16>},
    %x3: tensor<4xf64> {tg.input = dense<[3.0, 0x0000000000000001, 1.0e+300, -2.0]> : tensor<4xf64>})
    -> (tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<4xf64>) {
  %0 = tg.log %x0 : tensor<10xf32>
  %1 = tg.log %x1 : tensor<1xf16>
  %2 = tg.log %x2 : tensor<1xbf16>
  %3 = tg.log %x3 : tensor<4xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<4xf64>
}

// CHECK: result 0: tensor<10xf32> = [0, 2.07944, -0.693147, 1.09861, -inf, -inf, nan, inf, nan, -103.279]
// CHECK-NEXT: result 1: tensor<1xf16> = [6.92969]
// CHECK-NEXT: result 2: tensor<1xbf16> = [-1.38281]
// CHECK-NEXT: result 3: tensor<4xf64> = [1.09861, -744.44, 690.776, nan]
