// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Products; over nothing the product is 1.
func.func @main(
    %x: tensor<2x3xi32> {tg.input = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>},
    %b: tensor<3xui8> {tg.input = dense<[16, 16, 3]> : tensor<3xui8>},
    %f: tensor<3xf64> {tg.input = dense<[0.5, 4.0, -3.0]> : tensor<3xf64>},
    %e: tensor<0xf16> {tg.input = dense<> : tensor<0xf16>},
    %o: tensor<2xi1> {tg.input = dense<[true, false]> : tensor<2xi1>},
    %p: tensor<0xi1> {tg.input = dense<> : tensor<0xi1>})
    -> (tensor<2x1xi32>, tensor<1xui8>, tensor<1xf64>, tensor<1xf16>, tensor<1xi1>, tensor<1xi1>) {
  %0 = tg.reduce mul %x axes [1] : tensor<2x3xi32> -> tensor<2x1xi32>
  %1 = tg.reduce mul %b axes [0] : tensor<3xui8> -> tensor<1xui8>
  %2 = tg.reduce mul %f axes [0] : tensor<3xf64> -> tensor<1xf64>
  %3 = tg.reduce mul %e axes [0] : tensor<0xf16> -> tensor<1xf16>
  %4 = tg.reduce mul %o axes [0] : tensor<2xi1> -> tensor<1xi1>
  %5 = tg.reduce mul %p axes [0] : tensor<0xi1> -> tensor<1xi1>
  return %0, %1, %2, %3, %4, %5
      : tensor<2x1xi32>, tensor<1xui8>, tensor<1xf64>, tensor<1xf16>, tensor<1xi1>, tensor<1xi1>
}

// CHECK: result 0: tensor<2x1xi32> = {{\[\[}}6], [120]]
// CHECK-NEXT: result 1: tensor<1xui8> = [0]
// CHECK-NEXT: result 2: tensor<1xf64> = [-6]
// CHECK-NEXT: result 3: tensor<1xf16> = [1]
// CHECK-NEXT: result 4: tensor<1xi1> = [false]
// CHECK-NEXT: result 5: tensor<1xi1> = [true]
