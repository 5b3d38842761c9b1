// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Zeros and infinities keep their signs.
func.func @main(
    %x0: tensor<8xf32> {tg.input = dense<[2.0, -0.5, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 3.0]> : tensor<8xf32>},
    %x1: tensor<2xf16> {tg.input = dense<[4.0, 3.0]> : tensor<2xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[3.0]> : tensor<1xbf16>},
    %x3: tensor<1xf64> {tg.input = dense<[3.0]> : tensor<1xf64>})
    -> (tensor<8xf32>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf64>) {
  %0 = tg.recip %x0 : tensor<8xf32>
  %1 = tg.recip %x1 : tensor<2xf16>
  %2 = tg.recip %x2 : tensor<1xbf16>
  %3 = tg.recip %x3 : tensor<1xf64>
  return %0, %1, %2, %3
      : tensor<8xf32>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf64>
}

// CHECK: result 0: tensor<8xf32> = [0.5, -2, inf, -inf, 0, -0, nan, 0.33333334]
// CHECK-NEXT: result 1: tensor<2xf16> = [0.25, 0.3333]
// CHECK-NEXT: result 2: tensor<1xbf16> = [0.334]
// CHECK-NEXT: result 3: tensor<1xf64> = [0.3333333333333333]
