// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// Large operands, and operands near poles and zeros.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[0.0, -0.0, 1.0, -2.0, 1.57079637, 22.0, 10000000000.0, 3.0e+38, 0x7F800000, 0x7FC00000]> : tensor<10xf32>},
    %x1: tensor<1xf16> {tg.input = dense<[1.0]> : tensor<1xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[1.0]> : tensor<1xbf16>},
    %x3: tensor<2xf64> {tg.input = dense<[1.0, 1.5707963267948966]> : tensor<2xf64>})
    -> (tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>) {
  %0 = tg.tan %x0 : tensor<10xf32>
  %1 = tg.tan %x1 : tensor<1xf16>
  %2 = tg.tan %x2 : tensor<1xbf16>
  %3 = tg.tan %x3 : tensor<2xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>
}

// CHECK: result 0: tensor<10xf32> = [0, -0, 1.55741, 2.18504, -2.28773e+07, 0.00885166, -0.55835, -1.80655, nan, nan]
// CHECK-NEXT: result 1: tensor<1xf16> = [1.55762]
// CHECK-NEXT: result 2: tensor<1xbf16> = [1.55469]
// CHECK-NEXT: result 3: tensor<2xf64> = [1.55741, 1.63312e+16]
