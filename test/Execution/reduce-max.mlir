// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// NaN wins; over nothing the maximum is the lowest value.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, -2, 3], [-4, -5, -6]]> : tensor<2x3xi32>},
    %f: tensor<2x3xf32> {tg.input = dense<[[1.0, 0x7FC00000, 2.0], [-1.0, -2.0, 0xFF800000]]> : tensor<2x3xf32>},
    %u: tensor<2xui8> {tg.input = dense<[200, 100]> : tensor<2xui8>},
    %o: tensor<2xi1> {tg.input = dense<[false, true]> : tensor<2xi1>},
    %h: tensor<2xf16> {tg.input = dense<[-2.0, -3.0]> : tensor<2xf16>},
    %e0: tensor<0xf32> {tg.input = dense<> : tensor<0xf32>},
    %e1: tensor<0xi8> {tg.input = dense<> : tensor<0xi8>},
    %e2: tensor<0xui16> {tg.input = dense<> : tensor<0xui16>},
    %e3: tensor<0xi1> {tg.input = dense<> : tensor<0xi1>},
    %e4: tensor<0xbf16> {tg.input = dense<> : tensor<0xbf16>})
    -> (tensor<2x1xi32>, tensor<2x1xf32>, tensor<1xui8>, tensor<1xi1>, tensor<1xf16>, tensor<1xf32>, tensor<1xi8>, tensor<1xui16>, tensor<1xi1>, tensor<1xbf16>) {
  %0 = tg.reduce max %x axes [1] : tensor<2x3xi32> -> tensor<2x1xi32>
  %1 = tg.reduce max %f axes [1] : tensor<2x3xf32> -> tensor<2x1xf32>
  %2 = tg.reduce max %u axes [0] : tensor<2xui8> -> tensor<1xui8>
  %3 = tg.reduce max %o axes [0] : tensor<2xi1> -> tensor<1xi1>
  %4 = tg.reduce max %h axes [0] : tensor<2xf16> -> tensor<1xf16>
  %5 = tg.reduce max %e0 axes [0] : tensor<0xf32> -> tensor<1xf32>
  %6 = tg.reduce max %e1 axes [0] : tensor<0xi8> -> tensor<1xi8>
  %7 = tg.reduce max %e2 axes [0] : tensor<0xui16> -> tensor<1xui16>
  %8 = tg.reduce max %e3 axes [0] : tensor<0xi1> -> tensor<1xi1>
  %9 = tg.reduce max %e4 axes [0] : tensor<0xbf16> -> tensor<1xbf16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
      : tensor<2x1xi32>, tensor<2x1xf32>, tensor<1xui8>, tensor<1xi1>, tensor<1xf16>, tensor<1xf32>, tensor<1xi8>, tensor<1xui16>, tensor<1xi1>, tensor<1xbf16>
}

// CHECK: result 0: tensor<2x1xi32> = {{\[\[}}3], [-4]]
// CHECK-NEXT: result 1: tensor<2x1xf32> = {{\[\[}}nan], [-1]]
// CHECK-NEXT: result 2: tensor<1xui8> = [200]
// CHECK-NEXT: result 3: tensor<1xi1> = [true]
// CHECK-NEXT: result 4: tensor<1xf16> = [-2]
// CHECK-NEXT: result 5: tensor<1xf32> = [-inf]
// CHECK-NEXT: result 6: tensor<1xi8> = [-128]
// CHECK-NEXT: result 7: tensor<1xui16> = [0]
// CHECK-NEXT: result 8: tensor<1xi1> = [false]
// CHECK-NEXT: result 9: tensor<1xbf16> = [-inf]
