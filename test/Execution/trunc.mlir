// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The sign of zero, infinities and NaN stay.
func.func @main(
    %x0: tensor<9xf32> {tg.input = dense<[1.9, -1.9, 0.5, -0.5, -0.0, 0xFF800000, 0x7FC00000, 8388609.0, 16777216.0]> : tensor<9xf32>},
    %x1: tensor<16xf16> {tg.input = dense<[2.75, -0.25, 1.0, -1.0, 0.9995, -1.999, -0.0, 5.960464e-8, 1023.5, 1024.0, -1025.0, 2047.0, 65504.0, 0x7C00, 0xFC00, 0x7E01]> : tensor<16xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[-3.5]> : tensor<1xbf16>},
    %x3: tensor<1xf64> {tg.input = dense<[4503599627370495.5]> : tensor<1xf64>})
    -> (tensor<9xf32>, tensor<16xf16>, tensor<1xbf16>, tensor<1xf64>) {
  %0 = tg.trunc %x0 : tensor<9xf32>
  %1 = tg.trunc %x1 : tensor<16xf16>
  %2 = tg.trunc %x2 : tensor<1xbf16>
  %3 = tg.trunc %x3 : tensor<1xf64>
  return %0, %1, %2, %3
      : tensor<9xf32>, tensor<16xf16>, tensor<1xbf16>, tensor<1xf64>
}

// CHECK: result 0: tensor<9xf32> = [1, -1, 0, -0, -0, -inf, nan, 8388609, 16777216]
// CHECK-NEXT: result 1: tensor<16xf16> = [2, -0, 1, -1, 0, -1, -0, 0, 1023, 1024, -1025, 2047, 65504, inf, -inf, nan]
// CHECK-NEXT: result 2: tensor<1xbf16> = [-3]
// CHECK-NEXT: result 3: tensor<1xf64> = [4503599627370495]
