// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The fp8 types round to nearest even. E4M3FN and the FNUZ types have no
// infinity: out of range is NaN; the FNUZ types have no negative zero.
func.func @main(
    %x0: tensor<8xf32> {tg.input = dense<[1.0, 448.0, 464.0, 465.0, 0.001953125, 0.0009765625, -0.0, 0x7F800000]> : tensor<8xf32>},
    %x1: tensor<7xf32> {tg.input = dense<[1.0, 57344.0, 61439.0, 61440.0, 0x37800000, 0x37000000, 0xFF800000]> : tensor<7xf32>},
    %x2: tensor<6xf32> {tg.input = dense<[1.0, 240.0, 247.0, 248.0, -0.0, 0x7FC00000]> : tensor<6xf32>},
    %x3: tensor<5xf32> {tg.input = dense<[1.0, 57344.0, 61440.0, -0.0, 0x7F800000]> : tensor<5xf32>},
    %x4: tensor<4xf8E4M3FN> {tg.input = dense<[0x38, 0xFE, 0x01, 0x7F]> : tensor<4xf8E4M3FN>},
    %x5: tensor<4xf8E5M2> {tg.input = dense<[0x3C, 0x7C, 0xFC, 0x7F]> : tensor<4xf8E5M2>},
    %x6: tensor<3xf8E4M3FNUZ> {tg.input = dense<[0x40, 0x7F, 0x80]> : tensor<3xf8E4M3FNUZ>},
    %x7: tensor<3xf8E5M2FNUZ> {tg.input = dense<[0x40, 0x80, 0x00]> : tensor<3xf8E5M2FNUZ>},
    %x8: tensor<3xf8E4M3FN> {tg.input = dense<[0x7F, 0x80, 0x01]> : tensor<3xf8E4M3FN>},
    %x9: tensor<3xi32> {tg.input = dense<[448, 1000, -7]> : tensor<3xi32>},
    %x10: tensor<2xi1> {tg.input = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<8xf8E4M3FN>, tensor<7xf8E5M2>, tensor<6xf8E4M3FNUZ>, tensor<5xf8E5M2FNUZ>, tensor<4xf32>, tensor<4xf16>, tensor<3xf64>, tensor<3xi32>, tensor<3xi1>, tensor<3xf8E4M3FN>, tensor<2xf8E5M2>) {
  %0 = tg.cast %x0 : tensor<8xf32> -> tensor<8xf8E4M3FN>
  %1 = tg.cast %x1 : tensor<7xf32> -> tensor<7xf8E5M2>
  %2 = tg.cast %x2 : tensor<6xf32> -> tensor<6xf8E4M3FNUZ>
  %3 = tg.cast %x3 : tensor<5xf32> -> tensor<5xf8E5M2FNUZ>
  %4 = tg.cast %x4 : tensor<4xf8E4M3FN> -> tensor<4xf32>
  %5 = tg.cast %x5 : tensor<4xf8E5M2> -> tensor<4xf16>
  %6 = tg.cast %x6 : tensor<3xf8E4M3FNUZ> -> tensor<3xf64>
  %7 = tg.cast %x7 : tensor<3xf8E5M2FNUZ> -> tensor<3xi32>
  %8 = tg.cast %x8 : tensor<3xf8E4M3FN> -> tensor<3xi1>
  %9 = tg.cast %x9 : tensor<3xi32> -> tensor<3xf8E4M3FN>
  %10 = tg.cast %x10 : tensor<2xi1> -> tensor<2xf8E5M2>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10
      : tensor<8xf8E4M3FN>, tensor<7xf8E5M2>, tensor<6xf8E4M3FNUZ>, tensor<5xf8E5M2FNUZ>, tensor<4xf32>, tensor<4xf16>, tensor<3xf64>, tensor<3xi32>, tensor<3xi1>, tensor<3xf8E4M3FN>, tensor<2xf8E5M2>
}

// CHECK: result 0: tensor<8xf8E4M3FN> = [1, 448, 448, nan, 0.002, 0, -0, nan]
// CHECK-NEXT: result 1: tensor<7xf8E5M2> = [1, 57344, 57344, inf, 2e-05, 0, -inf]
// CHECK-NEXT: result 2: tensor<6xf8E4M3FNUZ> = [1, 240, 240, nan, 0, nan]
// CHECK-NEXT: result 3: tensor<5xf8E5M2FNUZ> = [1, 57344, nan, 0, nan]
// CHECK-NEXT: result 4: tensor<4xf32> = [1, -448, 0.001953125, nan]
// CHECK-NEXT: result 5: tensor<4xf16> = [1, inf, -inf, nan]
// CHECK-NEXT: result 6: tensor<3xf64> = [1, 240, nan]
// CHECK-NEXT: result 7: tensor<3xi32> = [1, 0, 0]
// CHECK-NEXT: result 8: tensor<3xi1> = [true, false, true]
// CHECK-NEXT: result 9: tensor<3xf8E4M3FN> = [448, nan, -7]
// CHECK-NEXT: result 10: tensor<2xf8E5M2> = [1, 0]
