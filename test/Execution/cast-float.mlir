// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Rounds to nearest even; out of range is an infinity where there is one.
func.func @main(
    %x0: tensor<7xf32> {tg.input = dense<[2049.0, 2051.0, 65519.0, 65520.0, 0x33000000, 0x33000001, -0.0]> : tensor<7xf32>},
    %x1: tensor<4xf32> {tg.input = dense<[1.00390625, 1.01171875, 0x7F7FFFFF, 0x7FC00000]> : tensor<4xf32>},
    %x2: tensor<2xf64> {tg.input = dense<[0x3FF0020000001000, 1.0e300]> : tensor<2xf64>},
    %x3: tensor<1xf64> {tg.input = dense<[0x3FF0100000001000]> : tensor<1xf64>},
    %x4: tensor<3xf64> {tg.input = dense<[16777217.0, 1.0e300, -1.0e-300]> : tensor<3xf64>},
    %x5: tensor<3xf16> {tg.input = dense<[1.5, 0x7C00, 0x0001]> : tensor<3xf16>},
    %x6: tensor<2xbf16> {tg.input = dense<[1.5, 0xFF80]> : tensor<2xbf16>},
    %x7: tensor<1xf16> {tg.input = dense<[65504.0]> : tensor<1xf16>})
    -> (tensor<7xf16>, tensor<4xbf16>, tensor<2xf16>, tensor<1xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<2xf64>, tensor<1xbf16>) {
  %0 = tg.cast %x0 : tensor<7xf32> -> tensor<7xf16>
  %1 = tg.cast %x1 : tensor<4xf32> -> tensor<4xbf16>
  %2 = tg.cast %x2 : tensor<2xf64> -> tensor<2xf16>
  %3 = tg.cast %x3 : tensor<1xf64> -> tensor<1xbf16>
  %4 = tg.cast %x4 : tensor<3xf64> -> tensor<3xf32>
  %5 = tg.cast %x5 : tensor<3xf16> -> tensor<3xf32>
  %6 = tg.cast %x6 : tensor<2xbf16> -> tensor<2xf64>
  %7 = tg.cast %x7 : tensor<1xf16> -> tensor<1xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<7xf16>, tensor<4xbf16>, tensor<2xf16>, tensor<1xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<2xf64>, tensor<1xbf16>
}

// CHECK: result 0: tensor<7xf16> = [2048, 2052, 65504, inf, 0, 6e-08, -0]
// CHECK-NEXT: result 1: tensor<4xbf16> = [1, 1.016, inf, nan]
// CHECK-NEXT: result 2: tensor<2xf16> = [1.001, inf]
// CHECK-NEXT: result 3: tensor<1xbf16> = [1.01]
// CHECK-NEXT: result 4: tensor<3xf32> = [16777216, inf, -0]
// CHECK-NEXT: result 5: tensor<3xf32> = [1.5, inf, 5.9604645e-08]
// CHECK-NEXT: result 6: tensor<2xf64> = [1.5, -inf]
// CHECK-NEXT: result 7: tensor<1xbf16> = [65536]
