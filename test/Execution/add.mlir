// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Integers wrap; on bool it is "or".
func.func @main(
    %a0: tensor<5xf32> {tg.input = dense<[1.5, 16777216.0, 0x7F800000, -0.0, 3.4e38]> : tensor<5xf32>},
    %b0: tensor<5xf32> {tg.input = dense<[2.0, 1.0, 0xFF800000, 0.0, 3.4e38]> : tensor<5xf32>},
    %a1: tensor<2xf16> {tg.input = dense<[2048.0, 65504.0]> : tensor<2xf16>},
    %b1: tensor<2xf16> {tg.input = dense<[1.0, 16.0]> : tensor<2xf16>},
    %a2: tensor<2xbf16> {tg.input = dense<[256.0, 258.0]> : tensor<2xbf16>},
    %b2: tensor<2xbf16> {tg.input = dense<[1.0, 1.0]> : tensor<2xbf16>},
    %a3: tensor<1xf64> {tg.input = dense<[0.1]> : tensor<1xf64>},
    %b3: tensor<1xf64> {tg.input = dense<[0.2]> : tensor<1xf64>},
    %a4: tensor<3xi8> {tg.input = dense<[127, -128, 100]> : tensor<3xi8>},
    %b4: tensor<3xi8> {tg.input = dense<[1, -1, 27]> : tensor<3xi8>},
    %a5: tensor<1xui16> {tg.input = dense<[65535]> : tensor<1xui16>},
    %b5: tensor<1xui16> {tg.input = dense<[2]> : tensor<1xui16>},
    %a6: tensor<1xi64> {tg.input = dense<[9223372036854775807]> : tensor<1xi64>},
    %b6: tensor<1xi64> {tg.input = dense<[1]> : tensor<1xi64>},
    %a7: tensor<4xi1> {tg.input = dense<[false, false, true, true]> : tensor<4xi1>},
    %b7: tensor<4xi1> {tg.input = dense<[false, true, false, true]> : tensor<4xi1>})
    -> (tensor<5xf32>, tensor<2xf16>, tensor<2xbf16>, tensor<1xf64>, tensor<3xi8>, tensor<1xui16>, tensor<1xi64>, tensor<4xi1>) {
  %0 = tg.add %a0, %b0 : tensor<5xf32>
  %1 = tg.add %a1, %b1 : tensor<2xf16>
  %2 = tg.add %a2, %b2 : tensor<2xbf16>
  %3 = tg.add %a3, %b3 : tensor<1xf64>
  %4 = tg.add %a4, %b4 : tensor<3xi8>
  %5 = tg.add %a5, %b5 : tensor<1xui16>
  %6 = tg.add %a6, %b6 : tensor<1xi64>
  %7 = tg.add %a7, %b7 : tensor<4xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<5xf32>, tensor<2xf16>, tensor<2xbf16>, tensor<1xf64>, tensor<3xi8>, tensor<1xui16>, tensor<1xi64>, tensor<4xi1>
}

// CHECK: result 0: tensor<5xf32> = [3.5, 16777216, nan, 0, inf]
// CHECK-NEXT: result 1: tensor<2xf16> = [2048, inf]
// CHECK-NEXT: result 2: tensor<2xbf16> = [256, 260]
// CHECK-NEXT: result 3: tensor<1xf64> = [0.30000000000000004]
// CHECK-NEXT: result 4: tensor<3xi8> = [-128, 127, 127]
// CHECK-NEXT: result 5: tensor<1xui16> = [1]
// CHECK-NEXT: result 6: tensor<1xi64> = [-9223372036854775808]
// CHECK-NEXT: result 7: tensor<4xi1> = [false, true, true, true]
