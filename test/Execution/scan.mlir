// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// RUN: env NOOPT=1 SPEC=2 tg-run %s --print | FileCheck %s

// Integers wrap, on bool add and max are "or" and mul is "and", a NaN stays.
func.func @main(
    %a: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [-4, 5, -6]]> : tensor<2x3xi32>},
    %b: tensor<4xui8> {tg.input = dense<[200, 100, 3, 2]> : tensor<4xui8>},
    %c: tensor<5xf32> {tg.input = dense<[1.0, 3.0, 2.0, 0x7FC00000, 9.0]> : tensor<5xf32>},
    %d: tensor<4xi1> {tg.input = dense<[false, true, false, true]> : tensor<4xi1>},
    %e: tensor<4xf32> {tg.input = dense<[0xFF800000, 0xFF800000, 0.0, 0x7F800000]> : tensor<4xf32>},
    %f: tensor<19xf16> {tg.input = dense<1.0> : tensor<19xf16>},
    %g: tensor<0x3xf32> {tg.input = dense<> : tensor<0x3xf32>})
    -> (tensor<2x3xi32>, tensor<2x3xi32>, tensor<4xui8>, tensor<5xf32>,
        tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<19xf16>, tensor<0x3xf32>) {
  %0 = tg.scan add %a axis 0 : tensor<2x3xi32>
  %1 = tg.scan mul %a axis 1 : tensor<2x3xi32>
  %2 = tg.scan add %b axis 0 : tensor<4xui8>
  %3 = tg.scan max %c axis 0 : tensor<5xf32>
  %4 = tg.scan add %d axis 0 : tensor<4xi1>
  %5 = tg.scan mul %d axis 0 : tensor<4xi1>
  %6 = tg.scan logaddexp %e axis 0 : tensor<4xf32>
  %7 = tg.scan add %f axis 0 : tensor<19xf16>
  %8 = tg.scan add %g axis 1 : tensor<0x3xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<2x3xi32>, tensor<2x3xi32>, tensor<4xui8>, tensor<5xf32>,
        tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<19xf16>, tensor<0x3xf32>
}

// CHECK: result 0: tensor<2x3xi32> = {{\[}}[1, 2, 3], [-3, 7, -3]]
// CHECK-NEXT: result 1: tensor<2x3xi32> = {{\[}}[1, 2, 6], [-4, -20, 120]]
// CHECK-NEXT: result 2: tensor<4xui8> = [200, 44, 47, 49]
// CHECK-NEXT: result 3: tensor<5xf32> = [1, 3, 3, nan, nan]
// CHECK-NEXT: result 4: tensor<4xi1> = [false, true, true, true]
// CHECK-NEXT: result 5: tensor<4xi1> = [false, false, false, false]
// CHECK-NEXT: result 6: tensor<4xf32> = [-inf, -inf, 0, inf]
// CHECK-NEXT: result 7: tensor<19xf16> = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]
// CHECK-NEXT: result 8: tensor<0x3xf32> = []
