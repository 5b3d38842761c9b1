// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Truncates towards zero and saturates; NaN is 0.
func.func @main(
    %x0: tensor<8xf32> {tg.input = dense<[1.9, -1.9, -0.5, 127.9, 128.0, -129.0, 0x7FC00000, 0x7F800000]> : tensor<8xf32>},
    %x1: tensor<5xf32> {tg.input = dense<[255.9, 256.0, -0.9, -1.0, 0xFF800000]> : tensor<5xf32>},
    %x2: tensor<3xf32> {tg.input = dense<[2147483648.0, -2147483648.0, -3.0e9]> : tensor<3xf32>},
    %x3: tensor<3xf32> {tg.input = dense<[4294967296.0, 4294967040.0, -1.0]> : tensor<3xf32>},
    %x4: tensor<3xf32> {tg.input = dense<[9.3e18, -9.3e18, 0x7FC00000]> : tensor<3xf32>},
    %x5: tensor<2xf64> {tg.input = dense<[9007199254740993.0, 1.0e19]> : tensor<2xf64>},
    %x6: tensor<3xf64> {tg.input = dense<[1.9e19, 18446744073709549568.0, -0.5]> : tensor<3xf64>},
    %x7: tensor<3xf16> {tg.input = dense<[0x7BFF, 0x7C00, -1.5]> : tensor<3xf16>},
    %x8: tensor<2xbf16> {tg.input = dense<[1.0e10, -3.5]> : tensor<2xbf16>},
    %x9: tensor<1xf16> {tg.input = dense<[65504.0]> : tensor<1xf16>})
    -> (tensor<8xi8>, tensor<5xui8>, tensor<3xi32>, tensor<3xui32>, tensor<3xi64>, tensor<2xi64>, tensor<3xui64>, tensor<3xi16>, tensor<2xui16>, tensor<1xui16>) {
  %0 = tg.cast %x0 : tensor<8xf32> -> tensor<8xi8>
  %1 = tg.cast %x1 : tensor<5xf32> -> tensor<5xui8>
  %2 = tg.cast %x2 : tensor<3xf32> -> tensor<3xi32>
  %3 = tg.cast %x3 : tensor<3xf32> -> tensor<3xui32>
  %4 = tg.cast %x4 : tensor<3xf32> -> tensor<3xi64>
  %5 = tg.cast %x5 : tensor<2xf64> -> tensor<2xi64>
  %6 = tg.cast %x6 : tensor<3xf64> -> tensor<3xui64>
  %7 = tg.cast %x7 : tensor<3xf16> -> tensor<3xi16>
  %8 = tg.cast %x8 : tensor<2xbf16> -> tensor<2xui16>
  %9 = tg.cast %x9 : tensor<1xf16> -> tensor<1xui16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
      : tensor<8xi8>, tensor<5xui8>, tensor<3xi32>, tensor<3xui32>, tensor<3xi64>, tensor<2xi64>, tensor<3xui64>, tensor<3xi16>, tensor<2xui16>, tensor<1xui16>
}

// CHECK: result 0: tensor<8xi8> = [1, -1, 0, 127, 127, -128, 0, 127]
// CHECK-NEXT: result 1: tensor<5xui8> = [255, 255, 0, 0, 0]
// CHECK-NEXT: result 2: tensor<3xi32> = [2147483647, -2147483648, -2147483648]
// CHECK-NEXT: result 3: tensor<3xui32> = [4294967295, 4294967040, 0]
// CHECK-NEXT: result 4: tensor<3xi64> = [9223372036854775807, -9223372036854775808, 0]
// CHECK-NEXT: result 5: tensor<2xi64> = [9007199254740992, 9223372036854775807]
// CHECK-NEXT: result 6: tensor<3xui64> = [18446744073709551615, 18446744073709549568, 0]
// CHECK-NEXT: result 7: tensor<3xi16> = [32767, 32767, -1]
// CHECK-NEXT: result 8: tensor<2xui16> = [65535, 0]
// CHECK-NEXT: result 9: tensor<1xui16> = [65504]
