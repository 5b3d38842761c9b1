// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Sums wrap for integers; over nothing the sum is 0.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
    %f: tensor<2x3xf32> {tg.input = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>},
    %b: tensor<3xi8> {tg.input = dense<[100, 100, 100]> : tensor<3xi8>},
    %h: tensor<4xf16> {tg.input = dense<[2048.0, 1.0, 1.0, 1.0]> : tensor<4xf16>},
    %e: tensor<2x0xf32> {tg.input = dense<> : tensor<2x0xf32>},
    %o: tensor<2xi1> {tg.input = dense<[false, true]> : tensor<2xi1>},
    %n: tensor<3xf32> {tg.input = dense<[1.0, 0x7F800000, 0xFF800000]> : tensor<3xf32>},
    %z: tensor<2xbf16> {tg.input = dense<[1.0, 2.0]> : tensor<2xbf16>})
    -> (tensor<2x1xi32>, tensor<1x3xi32>, tensor<1x1xf32>, tensor<1xi8>, tensor<1xf16>, tensor<2x1xf32>, tensor<1xi1>, tensor<1xf32>, tensor<1xbf16>, tensor<1x0xf32>) {
  %0 = tg.reduce add %x axes [1] : tensor<2x3xi32> -> tensor<2x1xi32>
  %1 = tg.reduce add %x axes [0] : tensor<2x3xi32> -> tensor<1x3xi32>
  %2 = tg.reduce add %f axes [0, 1] : tensor<2x3xf32> -> tensor<1x1xf32>
  %3 = tg.reduce add %b axes [0] : tensor<3xi8> -> tensor<1xi8>
  %4 = tg.reduce add %h axes [0] : tensor<4xf16> -> tensor<1xf16>
  %5 = tg.reduce add %e axes [1] : tensor<2x0xf32> -> tensor<2x1xf32>
  %6 = tg.reduce add %o axes [0] : tensor<2xi1> -> tensor<1xi1>
  %7 = tg.reduce add %n axes [0] : tensor<3xf32> -> tensor<1xf32>
  %8 = tg.reduce add %z axes [0] : tensor<2xbf16> -> tensor<1xbf16>
  %9 = tg.reduce add %e axes [0] : tensor<2x0xf32> -> tensor<1x0xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
      : tensor<2x1xi32>, tensor<1x3xi32>, tensor<1x1xf32>, tensor<1xi8>, tensor<1xf16>, tensor<2x1xf32>, tensor<1xi1>, tensor<1xf32>, tensor<1xbf16>, tensor<1x0xf32>
}

// CHECK: result 0: tensor<2x1xi32> = {{\[\[}}6], [15]]
// CHECK-NEXT: result 1: tensor<1x3xi32> = {{\[\[}}5, 7, 9]]
// CHECK-NEXT: result 2: tensor<1x1xf32> = {{\[\[}}21]]
// CHECK-NEXT: result 3: tensor<1xi8> = [44]
// CHECK-NEXT: result 4: tensor<1xf16> = [2052]
// CHECK-NEXT: result 5: tensor<2x1xf32> = {{\[\[}}0], [0]]
// CHECK-NEXT: result 6: tensor<1xi1> = [true]
// CHECK-NEXT: result 7: tensor<1xf32> = [nan]
// CHECK-NEXT: result 8: tensor<1xbf16> = [3]
// CHECK-NEXT: result 9: tensor<1x0xf32> = {{\[\[}}]]
