// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// Large operands, and operands near zeros of the cosine.
func.func @main(
    %x0: tensor<10xf32> {tg.input = dense<[0.0, -0.0, 1.0, -2.0, 1.57079637, 11.0, 10000000000.0, 3.0e+38, 0x7F800000, 0x7FC00000]> : tensor<10xf32>},
    %x1: tensor<1xf16> {tg.input = dense<[1.0]> : tensor<1xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[1.0]> : tensor<1xbf16>},
    %x3: tensor<2xf64> {tg.input = dense<[1.0, 1.5707963267948966]> : tensor<2xf64>})
    -> (tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>) {
  %0 = tg.cos %x0 : tensor<10xf32>
  %1 = tg.cos %x1 : tensor<1xf16>
  %2 = tg.cos %x2 : tensor<1xbf16>
  %3 = tg.cos %x3 : tensor<2xf64>
  return %0, %1, %2, %3
      : tensor<10xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>
}

// CHECK: result 0: tensor<10xf32> = [1, 1, 0.540302, -0.416147, -4.37114e-08, 0.0044257, 0.87312, -0.484295, nan, nan]
// CHECK-NEXT: result 1: tensor<1xf16> = [0.540527]
// CHECK-NEXT: result 2: tensor<1xbf16> = [0.539062]
// CHECK-NEXT: result 3: tensor<2xf64> = [0.540302, 6.12323e-17]
