// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Integers wrap.
func.func @main(
    %a0: tensor<3xf32> {tg.input = dense<[1.5, 0x7F800000, 0.0]> : tensor<3xf32>},
    %b0: tensor<3xf32> {tg.input = dense<[2.0, 0x7F800000, 0.0]> : tensor<3xf32>},
    %a1: tensor<1xf16> {tg.input = dense<[2048.0]> : tensor<1xf16>},
    %b1: tensor<1xf16> {tg.input = dense<[-1.0]> : tensor<1xf16>},
    %a2: tensor<2xi8> {tg.input = dense<[-128, 0]> : tensor<2xi8>},
    %b2: tensor<2xi8> {tg.input = dense<[1, -128]> : tensor<2xi8>},
    %a3: tensor<2xui8> {tg.input = dense<[3, 0]> : tensor<2xui8>},
    %b3: tensor<2xui8> {tg.input = dense<[5, 255]> : tensor<2xui8>},
    %a4: tensor<1xi32> {tg.input = dense<[-2147483648]> : tensor<1xi32>},
    %b4: tensor<1xi32> {tg.input = dense<[1]> : tensor<1xi32>})
    -> (tensor<3xf32>, tensor<1xf16>, tensor<2xi8>, tensor<2xui8>, tensor<1xi32>) {
  %0 = tg.sub %a0, %b0 : tensor<3xf32>
  %1 = tg.sub %a1, %b1 : tensor<1xf16>
  %2 = tg.sub %a2, %b2 : tensor<2xi8>
  %3 = tg.sub %a3, %b3 : tensor<2xui8>
  %4 = tg.sub %a4, %b4 : tensor<1xi32>
  return %0, %1, %2, %3, %4
      : tensor<3xf32>, tensor<1xf16>, tensor<2xi8>, tensor<2xui8>, tensor<1xi32>
}

// CHECK: result 0: tensor<3xf32> = [-0.5, nan, 0]
// CHECK-NEXT: result 1: tensor<1xf16> = [2048]
// CHECK-NEXT: result 2: tensor<2xi8> = [127, -128]
// CHECK-NEXT: result 3: tensor<2xui8> = [254, 1]
// CHECK-NEXT: result 4: tensor<1xi32> = [2147483647]
