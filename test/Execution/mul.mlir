// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Integers wrap; on bool it is "and".
func.func @main(
    %a0: tensor<4xf32> {tg.input = dense<[1.5, 0x7F800000, -0.0, 1.0e38]> : tensor<4xf32>},
    %b0: tensor<4xf32> {tg.input = dense<[-2.0, 0.0, 3.0, 1.0e2]> : tensor<4xf32>},
    %a1: tensor<2xf16> {tg.input = dense<[256.0, 0x0001]> : tensor<2xf16>},
    %b1: tensor<2xf16> {tg.input = dense<[256.0, 0.5]> : tensor<2xf16>},
    %a2: tensor<1xbf16> {tg.input = dense<[1.0078125]> : tensor<1xbf16>},
    %b2: tensor<1xbf16> {tg.input = dense<[1.0078125]> : tensor<1xbf16>},
    %a3: tensor<1xf64> {tg.input = dense<[1.0e200]> : tensor<1xf64>},
    %b3: tensor<1xf64> {tg.input = dense<[1.0e200]> : tensor<1xf64>},
    %a4: tensor<2xi8> {tg.input = dense<[-128, 16]> : tensor<2xi8>},
    %b4: tensor<2xi8> {tg.input = dense<[-1, 16]> : tensor<2xi8>},
    %a5: tensor<1xui16> {tg.input = dense<[65535]> : tensor<1xui16>},
    %b5: tensor<1xui16> {tg.input = dense<[65535]> : tensor<1xui16>},
    %a6: tensor<1xi64> {tg.input = dense<[4294967296]> : tensor<1xi64>},
    %b6: tensor<1xi64> {tg.input = dense<[4294967296]> : tensor<1xi64>},
    %a7: tensor<4xi1> {tg.input = dense<[false, false, true, true]> : tensor<4xi1>},
    %b7: tensor<4xi1> {tg.input = dense<[false, true, false, true]> : tensor<4xi1>})
    -> (tensor<4xf32>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf64>, tensor<2xi8>, tensor<1xui16>, tensor<1xi64>, tensor<4xi1>) {
  %0 = tg.mul %a0, %b0 : tensor<4xf32>
  %1 = tg.mul %a1, %b1 : tensor<2xf16>
  %2 = tg.mul %a2, %b2 : tensor<1xbf16>
  %3 = tg.mul %a3, %b3 : tensor<1xf64>
  %4 = tg.mul %a4, %b4 : tensor<2xi8>
  %5 = tg.mul %a5, %b5 : tensor<1xui16>
  %6 = tg.mul %a6, %b6 : tensor<1xi64>
  %7 = tg.mul %a7, %b7 : tensor<4xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<4xf32>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf64>, tensor<2xi8>, tensor<1xui16>, tensor<1xi64>, tensor<4xi1>
}

// CHECK: result 0: tensor<4xf32> = [-3, nan, -0, inf]
// CHECK-NEXT: result 1: tensor<2xf16> = [inf, 0]
// CHECK-NEXT: result 2: tensor<1xbf16> = [1.016]
// CHECK-NEXT: result 3: tensor<1xf64> = [inf]
// CHECK-NEXT: result 4: tensor<2xi8> = [-128, 0]
// CHECK-NEXT: result 5: tensor<1xui16> = [1]
// CHECK-NEXT: result 6: tensor<1xi64> = [0]
// CHECK-NEXT: result 7: tensor<4xi1> = [false, false, false, true]
