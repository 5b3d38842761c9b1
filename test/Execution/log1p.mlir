// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// Small operands lose nothing; zeros keep their sign.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[0.0, -0.0, 1.0, -0.5, 1.0e-10, -1.0, -2.0, 0x7F800000, 0x7FC00000, 3.0e+38]> : tensor<10xf32>},
    %x1: tensor<1xf16> {tg.input = dense<[1024.0]> : tensor<1xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[0.25]> : tensor<1xbf16>},
    %x3: tensor<4xf64> {tg.input = dense<[1.0e-20, 0.5, -1.0, 1.0e+300]> : tensor<4xf64>})
    -> (tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<4xf64>) {
  %0 = tg.log1p %x0 : tensor<10xf32>
  %1 = tg.log1p %x1 : tensor<1xf16>
  %2 = tg.log1p %x2 : tensor<1xbf16>
  %3 = tg.log1p %x3 : tensor<4xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<4xf64>
}

// CHECK: result 0: tensor<10xf32> = [0, -0, 0.693147, -0.693147, 1e-10, -inf, nan, inf, nan, 88.5968]
// CHECK-NEXT: result 1: tensor<1xf16> = [6.93359]
// CHECK-NEXT: result 2: tensor<1xbf16> = [0.222656]
// CHECK-NEXT: result 3: tensor<4xf64> = [1e-20, 0.405465, -inf, 690.776]
