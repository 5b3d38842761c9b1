// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// The special cases are those of C.
func.func @main(
    %a0: tensor<5xf32> {tg.input = dense<[2.0, 2.0, -2.0, -8.0, 9.0]> : tensor<5xf32>},
    %b0: tensor<5xf32> {tg.input = dense<[10.0, 0.5, 3.0, 0.5, -0.5]> : tensor<5xf32>},
    %a1: tensor<6xf32> {tg.input = dense<[0x7FC00000, 1.0, 0.0, -0.0, -0.0, 0.0]> : tensor<6xf32>},
    %b1: tensor<6xf32> {tg.input = dense<[0.0, 0x7FC00000, 0.0, -3.0, 3.0, -0.5]> : tensor<6xf32>},
    %a2: tensor<6xf32> {tg.input = dense<[0xFF800000, 0xFF800000, 0.5, 0.5, -1.0, 2.0]> : tensor<6xf32>},
    %b2: tensor<6xf32> {tg.input = dense<[3.0, -3.0, 0x7F800000, 0xFF800000, 0x7F800000, 1000.0]> : tensor<6xf32>},
    %a3: tensor<1xf16> {tg.input = dense<[3.0]> : tensor<1xf16>},
    %b3: tensor<1xf16> {tg.input = dense<[2.0]> : tensor<1xf16>},
    %a4: tensor<1xbf16> {tg.input = dense<[2.0]> : tensor<1xbf16>},
    %b4: tensor<1xbf16> {tg.input = dense<[-3.0]> : tensor<1xbf16>},
    %a5: tensor<2xf64> {tg.input = dense<[2.0, 10.0]> : tensor<2xf64>},
    %b5: tensor<2xf64> {tg.input = dense<[0.5, 300.0]> : tensor<2xf64>})
    -> (tensor<5xf32>, tensor<6xf32>, tensor<6xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>) {
  %0 = tg.pow %a0, %b0 : tensor<5xf32>
  %1 = tg.pow %a1, %b1 : tensor<6xf32>
  %2 = tg.pow %a2, %b2 : tensor<6xf32>
  %3 = tg.pow %a3, %b3 : tensor<1xf16>
  %4 = tg.pow %a4, %b4 : tensor<1xbf16>
  %5 = tg.pow %a5, %b5 : tensor<2xf64>
  return %0, %1, %2, %3, %4, %5
      : tensor<5xf32>, tensor<6xf32>, tensor<6xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>
}

// CHECK: result 0: tensor<5xf32> = [1024, 1.41421, -8, nan, 0.333333]
// CHECK-NEXT: result 1: tensor<6xf32> = [1, 1, 1, -inf, -0, inf]
// CHECK-NEXT: result 2: tensor<6xf32> = [-inf, -0, 0, inf, 1, inf]
// CHECK-NEXT: result 3: tensor<1xf16> = [9]
// CHECK-NEXT: result 4: tensor<1xbf16> = [0.125]
// CHECK-NEXT: result 5: tensor<2xf64> = [1.41421, 1e+300]
