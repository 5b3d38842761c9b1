// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Integers wrap: the least value is its own negation.
func.func @main(
    %x0: tensor<6xf32> {tg.input = dense<[1.5, -2.0, 0.0, -0.0, 0x7F800000, 0x7FC00000]> : tensor<6xf32>},
    %x1: tensor<2xf16> {tg.input = dense<[0.5, -65504.0]> : tensor<2xf16>},
    %x2: tensor<2xbf16> {tg.input = dense<[1.0, 0x7F80]> : tensor<2xbf16>},
    %x3: tensor<1xf64> {tg.input = dense<[1.0e300]> : tensor<1xf64>},
    %x4: tensor<3xi8> {tg.input = dense<[5, -128, 127]> : tensor<3xi8>},
    %x5: tensor<1xi64> {tg.input = dense<[-9223372036854775808]> : tensor<1xi64>},
    %x6: tensor<3xui8> {tg.input = dense<[0, 1, 255]> : tensor<3xui8>})
    -> (tensor<6xf32>, tensor<2xf16>, tensor<2xbf16>, tensor<1xf64>, tensor<3xi8>, tensor<1xi64>, tensor<3xui8>) {
  %0 = tg.neg %x0 : tensor<6xf32>
  %1 = tg.neg %x1 : tensor<2xf16>
  %2 = tg.neg %x2 : tensor<2xbf16>
  %3 = tg.neg %x3 : tensor<1xf64>
  %4 = tg.neg %x4 : tensor<3xi8>
  %5 = tg.neg %x5 : tensor<1xi64>
  %6 = tg.neg %x6 : tensor<3xui8>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<6xf32>, tensor<2xf16>, tensor<2xbf16>, tensor<1xf64>, tensor<3xi8>, tensor<1xi64>, tensor<3xui8>
}

// CHECK: result 0: tensor<6xf32> = [-1.5, 2, -0, 0, -inf, nan]
// CHECK-NEXT: result 1: tensor<2xf16> = [-0.5, 65504]
// CHECK-NEXT: result 2: tensor<2xbf16> = [-1, -inf]
// CHECK-NEXT: result 3: tensor<1xf64> = [-1e+300]
// CHECK-NEXT: result 4: tensor<3xi8> = [-5, -128, -127]
// CHECK-NEXT: result 5: tensor<1xi64> = [-9223372036854775808]
// CHECK-NEXT: result 6: tensor<3xui8> = [0, 255, 1]
