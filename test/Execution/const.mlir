// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// A scalar fills the result; a dense value gives every element.
func.func @main()
    -> (tensor<2x2xf32>, tensor<2xi8>, tensor<2xi1>, tensor<2xi1>, tensor<2xf8E4M3FN>, tensor<1xui64>, tensor<f32>, tensor<0xf16>, tensor<2x2xf64>) {
  %0 = tg.const(1.5 : f32) : tensor<2x2xf32>
  %1 = tg.const(dense<[1, -2]> : tensor<2xi8>) : tensor<2xi8>
  %2 = tg.const(true) : tensor<2xi1>
  %3 = tg.const(dense<[true, false]> : tensor<2xi1>) : tensor<2xi1>
  %4 = tg.const(0x7F : f8E4M3FN) : tensor<2xf8E4M3FN>
  %5 = tg.const(18446744073709551615 : ui64) : tensor<1xui64>
  %6 = tg.const(0xFF800000 : f32) : tensor<f32>
  %7 = tg.const(1.0 : f16) : tensor<0xf16>
  %8 = tg.const(dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf64>) : tensor<2x2xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
      : tensor<2x2xf32>, tensor<2xi8>, tensor<2xi1>, tensor<2xi1>, tensor<2xf8E4M3FN>, tensor<1xui64>, tensor<f32>, tensor<0xf16>, tensor<2x2xf64>
}

// CHECK: result 0: tensor<2x2xf32> = {{\[\[}}1.5, 1.5], [1.5, 1.5]]
// CHECK-NEXT: result 1: tensor<2xi8> = [1, -2]
// CHECK-NEXT: result 2: tensor<2xi1> = [true, true]
// CHECK-NEXT: result 3: tensor<2xi1> = [true, false]
// CHECK-NEXT: result 4: tensor<2xf8E4M3FN> = [nan, nan]
// CHECK-NEXT: result 5: tensor<1xui64> = [18446744073709551615]
// CHECK-NEXT: result 6: tensor<f32> = -inf
// CHECK-NEXT: result 7: tensor<0xf16> = []
// CHECK-NEXT: result 8: tensor<2x2xf64> = {{\[\[}}1, 2], [3, 4]]
