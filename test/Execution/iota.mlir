// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The position along an axis, converted: ui8 wraps.
func.func @main()
    -> (tensor<2x3xi8>, tensor<3xf16>, tensor<2x2xf32>, tensor<258xui8>, tensor<0xi64>, tensor<3xui64>, tensor<2xbf16>, tensor<1x3xf64>) {
  %0 = tg.iota 1 : tensor<2x3xi8>
  %1 = tg.iota 0 : tensor<3xf16>
  %2 = tg.iota 0 : tensor<2x2xf32>
  %3 = tg.iota 0 : tensor<258xui8>
  %4 = tg.iota 0 : tensor<0xi64>
  %5 = tg.iota 0 : tensor<3xui64>
  %6 = tg.iota 0 : tensor<2xbf16>
  %7 = tg.iota 1 : tensor<1x3xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<2x3xi8>, tensor<3xf16>, tensor<2x2xf32>, tensor<258xui8>, tensor<0xi64>, tensor<3xui64>, tensor<2xbf16>, tensor<1x3xf64>
}

// CHECK: result 0: tensor<2x3xi8> = {{\[\[}}0, 1, 2], [0, 1, 2]]
// CHECK-NEXT: result 1: tensor<3xf16> = [0, 1, 2]
// CHECK-NEXT: result 2: tensor<2x2xf32> = {{\[\[}}0, 0], [1, 1]]
// CHECK-NEXT: result 3: tensor<258xui8> = [0, 1, 2, {{.*}}, 253, 254, 255, 0, 1]
// CHECK-NEXT: result 4: tensor<0xi64> = []
// CHECK-NEXT: result 5: tensor<3xui64> = [0, 1, 2]
// CHECK-NEXT: result 6: tensor<2xbf16> = [0, 1]
// CHECK-NEXT: result 7: tensor<1x3xf64> = {{\[\[}}0, 1, 2]]
