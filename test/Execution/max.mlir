// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// NaN if either operand is; on bool it is "or".
func.func @main(
    %a0: tensor<4xf32> {tg.input = dense<[1.0, 0x7FC00000, 2.0, 0xFF800000]> : tensor<4xf32>},
    %b0: tensor<4xf32> {tg.input = dense<[2.0, 1.0, 0x7FC00000, -5.0]> : tensor<4xf32>},
    %a1: tensor<2xf16> {tg.input = dense<[0x7E00, 1.0]> : tensor<2xf16>},
    %b1: tensor<2xf16> {tg.input = dense<[1.0, 65504.0]> : tensor<2xf16>},
    %a2: tensor<1xbf16> {tg.input = dense<[-1.0]> : tensor<1xbf16>},
    %b2: tensor<1xbf16> {tg.input = dense<[-2.0]> : tensor<1xbf16>},
    %a3: tensor<1xf64> {tg.input = dense<[1.0]> : tensor<1xf64>},
    %b3: tensor<1xf64> {tg.input = dense<[0x7FF8000000000000]> : tensor<1xf64>},
    %a4: tensor<2xi8> {tg.input = dense<[-1, 100]> : tensor<2xi8>},
    %b4: tensor<2xi8> {tg.input = dense<[1, -100]> : tensor<2xi8>},
    %a5: tensor<1xui8> {tg.input = dense<[255]> : tensor<1xui8>},
    %b5: tensor<1xui8> {tg.input = dense<[1]> : tensor<1xui8>},
    %a6: tensor<3xi1> {tg.input = dense<[false, false, true]> : tensor<3xi1>},
    %b6: tensor<3xi1> {tg.input = dense<[false, true, true]> : tensor<3xi1>})
    -> (tensor<4xf32>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf64>, tensor<2xi8>, tensor<1xui8>, tensor<3xi1>) {
  %0 = tg.max %a0, %b0 : tensor<4xf32>
  %1 = tg.max %a1, %b1 : tensor<2xf16>
  %2 = tg.max %a2, %b2 : tensor<1xbf16>
  %3 = tg.max %a3, %b3 : tensor<1xf64>
  %4 = tg.max %a4, %b4 : tensor<2xi8>
  %5 = tg.max %a5, %b5 : tensor<1xui8>
  %6 = tg.max %a6, %b6 : tensor<3xi1>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<4xf32>, tensor<2xf16>, tensor<1xbf16>, tensor<1xf64>, tensor<2xi8>, tensor<1xui8>, tensor<3xi1>
}

// CHECK: result 0: tensor<4xf32> = [2, nan, nan, -5]
// CHECK-NEXT: result 1: tensor<2xf16> = [nan, 65504]
// CHECK-NEXT: result 2: tensor<1xbf16> = [-1]
// CHECK-NEXT: result 3: tensor<1xf64> = [nan]
// CHECK-NEXT: result 4: tensor<2xi8> = [1, 100]
// CHECK-NEXT: result 5: tensor<1xui8> = [255]
// CHECK-NEXT: result 6: tensor<3xi1> = [false, true, true]
