// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Rounds to nearest even, once.
func.func @main(
    %x0: tensor<3xi32> {tg.input = dense<[16777217, 16777219, -16777217]> : tensor<3xi32>},
    %x1: tensor<2xui64> {tg.input = dense<[18446744073709551615, 1]> : tensor<2xui64>},
    %x2: tensor<1xui32> {tg.input = dense<[4294967295]> : tensor<1xui32>},
    %x3: tensor<1xi64> {tg.input = dense<[9007199254740993]> : tensor<1xi64>},
    %x4: tensor<3xi64> {tg.input = dense<[65519, 65520, -65520]> : tensor<3xi64>},
    %x5: tensor<2xi32> {tg.input = dense<[2049, 2051]> : tensor<2xi32>},
    %x6: tensor<1xi64> {tg.input = dense<[2156396545]> : tensor<1xi64>},
    %x7: tensor<1xui8> {tg.input = dense<[255]> : tensor<1xui8>},
    %x8: tensor<1xi8> {tg.input = dense<[-128]> : tensor<1xi8>})
    -> (tensor<3xf32>, tensor<2xf32>, tensor<1xf64>, tensor<1xf64>, tensor<3xf16>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf16>, tensor<1xbf16>) {
  %0 = tg.cast %x0 : tensor<3xi32> -> tensor<3xf32>
  %1 = tg.cast %x1 : tensor<2xui64> -> tensor<2xf32>
  %2 = tg.cast %x2 : tensor<1xui32> -> tensor<1xf64>
  %3 = tg.cast %x3 : tensor<1xi64> -> tensor<1xf64>
  %4 = tg.cast %x4 : tensor<3xi64> -> tensor<3xf16>
  %5 = tg.cast %x5 : tensor<2xi32> -> tensor<2xf16>
  %6 = tg.cast %x6 : tensor<1xi64> -> tensor<1xbf16>
  %7 = tg.cast %x7 : tensor<1xui8> -> tensor<1xf16>
  %8 = tg.cast %x8 : tensor<1xi8> -> tensor<1xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<3xf32>, tensor<2xf32>, tensor<1xf64>, tensor<1xf64>, tensor<3xf16>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf16>, tensor<1xbf16>
}

// CHECK: result 0: tensor<3xf32> = [16777216, 16777220, -16777216]
// CHECK-NEXT: result 1: tensor<2xf32> = [1.8446744e+19, 1]
// CHECK-NEXT: result 2: tensor<1xf64> = [4294967295]
// CHECK-NEXT: result 3: tensor<1xf64> = [9007199254740992]
// CHECK-NEXT: result 4: tensor<3xf16> = [65504, inf, -inf]
// CHECK-NEXT: result 5: tensor<2xf16> = [2048, 2052]
// CHECK-NEXT: result 6: tensor<1xbf16> = [2164260864]
// CHECK-NEXT: result 7: tensor<1xf16> = [255]
// CHECK-NEXT: result 8: tensor<1xbf16> = [-128]
