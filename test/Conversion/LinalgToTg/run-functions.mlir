// RUN: tg-opt %s --convert-linalg-to-tg -o %t
// RUN: tg-run %t --interpret --print --precision=7 | FileCheck %s
// RUN: tg-run %t --print --precision=7 | FileCheck %s

// Functions that consist of several operations, at signs of zeros, infinities, NaN,
// subnormal numbers and the ends of their ranges.

func.func @main(
    // 1e38 and 3e38 divided by subnormal numbers: quotients of up to 277 bits.
    %x: tensor<12xf32> {tg.input = dense<[5.5, -5.5, 5.5, -0.0, 0x7F800000, 1.0, 1.0, 0x7F7FFFFF, 0x7F7FFFFF, 3.0, -6.0, 0x00000003]> : tensor<12xf32>},
    %y: tensor<12xf32> {tg.input = dense<[2.0, 2.0, -2.0, 3.0, 2.0, 0.0, 0x7F800000, 0x00000003, 0x007FFFFF, 0.1, 3.0, 0x00000002]> : tensor<12xf32>},
    %h: tensor<4xf16> {tg.input = dense<[65504.0, -65504.0, 7.0, 0x7E00]> : tensor<4xf16>},
    %k: tensor<4xf16> {tg.input = dense<[0x0001, 0x0003, 0.1, 1.0]> : tensor<4xf16>},
    // The largest number divided by the least ones: quotients of up to 2098 bits.
    %u: tensor<17xf64> {tg.input = dense<[5.5, -5.5, 0x7FEFFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7E37E43C8800759C, 3.602879701896397e+16, -6.0, 0x0000000000000003, 1.0, 0x7FF0000000000000, 1.0, 0x7FF8000000000000, 0x0010000000000000, 0.3, 0x7FEFFFFFFFFFFFFF]> : tensor<17xf64>},
    %v: tensor<17xf64> {tg.input = dense<[2.0, 2.0, 0x0000000000000001, 0x0000000000000003, 0x0000070000000000, 0.1, 3.0, 0.7, 3.0, 0x0000000000000002, 0x7FF0000000000000, 2.0, 0.0, 1.0, 0x0000000000000005, 0.1, 0x7FE0000000000000]> : tensor<17xf64>},
    %r: tensor<10xf32> {tg.input = dense<[8.0, -27.0, 0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 0x00000001, 0x7F7FFFFF, 2.0]> : tensor<10xf32>},
    %rd: tensor<5xf64> {tg.input = dense<[-1000.0, 0x0000000000000001, 0x7FEFFFFFFFFFFFFF, 3.0, 0xFFF0000000000000]> : tensor<5xf64>},
    %e: tensor<10xf32> {tg.input = dense<[0.0, -0.0, 0.5, -0.5, 3.0, 9.0, 10.0, 11.0, 0x7F800000, 0xFF800000]> : tensor<10xf32>},
    %ed: tensor<6xf64> {tg.input = dense<[0.25, 1.0, 6.0, 26.0, -7.0, 0x7FF8000000000000]> : tensor<6xf64>},
    %i: tensor<8xi32> {tg.input = dense<[2, -3, 1, -1, 0, 5, -1, 7]> : tensor<8xi32>},
    %j: tensor<8xi32> {tg.input = dense<[10, 3, -5, -3, 0, -2, 4, 13]> : tensor<8xi32>},
    %c: tensor<6xf32> {tg.input = dense<[1.0, 0x00000001, 0x00800000, 0x7F800000, 0x7FC00000, 0.0]> : tensor<6xf32>})
    -> (tensor<12xf32>, tensor<4xf16>, tensor<10xf32>, tensor<5xf64>, tensor<10xf32>,
        tensor<6xf64>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<6xi1>, tensor<2xf32>, tensor<2xf32>, tensor<17xf64>) {
  // Exact, with the sign of the dividend.
  // CHECK: result 0: tensor<12xf32> = [1.5, -1.5, 1.5, -0, nan, nan, 1, 0, 1.401298e-45, 0.09999996, -0, 1.401298e-45]
  %0 = arith.remf %x, %y : tensor<12xf32>
  // CHECK-NEXT: result 1: tensor<4xf16> = [0, -1.192093e-07, 0.001708984, nan]
  %1 = arith.remf %h, %k : tensor<4xf16>
  // CHECK-NEXT: result 2: tensor<10xf32> = [2, -3, 0, -0, inf, -inf, nan, 1.119035e-15, 6.981464e+12, 1.259921]
  %2 = math.cbrt %r : tensor<10xf32>
  // CHECK-NEXT: result 3: tensor<5xf64> = [-10, 1.703184e-108, 5.643803e+102, 1.44225, -inf]
  %3 = math.cbrt %rd : tensor<5xf64>
  // CHECK-NEXT: result 4: tensor<10xf32> = [1, 1, 0.4795001, 1.5205, 2.20905e-05, 4.137032e-37, 1.401298e-45, 0, 0, 2]
  %4 = math.erfc %e : tensor<10xf32>
  // CHECK-NEXT: result 5: tensor<6xf64> = [0.7236736, 0.1572992, 2.151974e-17, 5.663192e-296, 2, nan]
  %5 = math.erfc %ed : tensor<6xf64>
  // CHECK-NEXT: result 6: tensor<8xi32> = [1024, -27, 1, -1, 1, 0, 1, -1895237401]
  %6 = math.ipowi %i, %j : tensor<8xi32>
  %three = arith.constant dense<3> : tensor<8xi32>
  // CHECK-NEXT: result 7: tensor<8xi32> = [8, -27, 1, -1, 0, 125, -1, 343]
  %7 = math.ipowi %i, %three : tensor<8xi32>
  %minus = arith.constant dense<-3> : tensor<8xi32>
  // CHECK-NEXT: result 8: tensor<8xi32> = [0, 0, 1, -1, 0, 0, -1, 0]
  %8 = math.ipowi %i, %minus : tensor<8xi32>
  // CHECK-NEXT: result 9: tensor<6xi1> = [true, false, true, false, false, false]
  %9 = math.isnormal %c : tensor<6xf32>
  %angles = arith.constant dense<[0.0, 1.0]> : tensor<2xf32>
  // CHECK-NEXT: result 10: tensor<2xf32> = [0, 0.841471]
  // CHECK-NEXT: result 11: tensor<2xf32> = [1, 0.5403023]
  %10, %11 = math.sincos %angles : tensor<2xf32>
  // CHECK-NEXT: result 12: tensor<17xf64> = [1.5, -1.5, 0, 9.881313e-324, 3.259386e-311, -0.05, 0, 0.08571429, -0, 4.940656e-324, 1, nan, nan, nan, 4.940656e-324, 0.1, 8.988466e+307]
  %12 = arith.remf %u, %v : tensor<17xf64>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12
      : tensor<12xf32>, tensor<4xf16>, tensor<10xf32>, tensor<5xf64>, tensor<10xf32>,
        tensor<6xf64>, tensor<8xi32>, tensor<8xi32>, tensor<8xi32>, tensor<6xi1>, tensor<2xf32>, tensor<2xf32>, tensor<17xf64>
}
