// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Division by zero gives an infinity, 0/0 NaN.
func.func @main(
    %a0: tensor<7xf32> {tg.input = dense<[1.0, -1.0, 1.0, 0.0, 0x7F800000, 1.0, 2.0]> : tensor<7xf32>},
    %b0: tensor<7xf32> {tg.input = dense<[0.0, 0.0, -0.0, 0.0, 0x7F800000, 0xFF800000, 3.0]> : tensor<7xf32>},
    %a1: tensor<1xf16> {tg.input = dense<[1.0]> : tensor<1xf16>},
    %b1: tensor<1xf16> {tg.input = dense<[3.0]> : tensor<1xf16>},
    %a2: tensor<1xbf16> {tg.input = dense<[1.0]> : tensor<1xbf16>},
    %b2: tensor<1xbf16> {tg.input = dense<[3.0]> : tensor<1xbf16>},
    %a3: tensor<1xf64> {tg.input = dense<[1.0]> : tensor<1xf64>},
    %b3: tensor<1xf64> {tg.input = dense<[3.0]> : tensor<1xf64>})
    -> (tensor<7xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<1xf64>) {
  %0 = tg.fdiv %a0, %b0 : tensor<7xf32>
  %1 = tg.fdiv %a1, %b1 : tensor<1xf16>
  %2 = tg.fdiv %a2, %b2 : tensor<1xbf16>
  %3 = tg.fdiv %a3, %b3 : tensor<1xf64>
  return %0, %1, %2, %3
      : tensor<7xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<1xf64>
}

// CHECK: result 0: tensor<7xf32> = [inf, -inf, -inf, nan, nan, -0, 0.6666667]
// CHECK-NEXT: result 1: tensor<1xf16> = [0.3333]
// CHECK-NEXT: result 2: tensor<1xbf16> = [0.334]
// CHECK-NEXT: result 3: tensor<1xf64> = [0.3333333333333333]
