// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Correctly rounded; a negative operand gives NaN, -0 stays.
func.func @main(
    %x0: tensor<7xf32> {tg.input = dense<[4.0, 2.0, 0.0, -0.0, -1.0, 0x7F800000, 0x00000001]> : tensor<7xf32>},
    %x1: tensor<2xf16> {tg.input = dense<[2.0, 1024.0]> : tensor<2xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[2.0]> : tensor<1xbf16>},
    %x3: tensor<1xf64> {tg.input = dense<[2.0]> : tensor<1xf64>})
    -> (tensor<7xf32>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf64>) {
  %0 = tg.sqrt %x0 : tensor<7xf32>
  %1 = tg.sqrt %x1 : tensor<2xf16>
  %2 = tg.sqrt %x2 : tensor<1xbf16>
  %3 = tg.sqrt %x3 : tensor<1xf64>
  return %0, %1, %2, %3
      : tensor<7xf32>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf64>
}

// CHECK: result 0: tensor<7xf32> = [2, 1.4142135, 0, -0, nan, inf, 3.743392e-23]
// CHECK-NEXT: result 1: tensor<2xf16> = [1.414, 32]
// CHECK-NEXT: result 2: tensor<1xbf16> = [1.414]
// CHECK-NEXT: result 3: tensor<1xf64> = [1.4142135623730951]
