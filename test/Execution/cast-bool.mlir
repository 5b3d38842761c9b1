// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Anything but zero is true, NaN too.
func.func @main(
    %x0: tensor<5xf32> {tg.input = dense<[0.0, -0.0, 0.1, 0x7FC00000, 0x00000001]> : tensor<5xf32>},
    %x1: tensor<2xf16> {tg.input = dense<[0x0001, 0.0]> : tensor<2xf16>},
    %x2: tensor<3xi32> {tg.input = dense<[0, 256, -1]> : tensor<3xi32>},
    %x3: tensor<2xui8> {tg.input = dense<[0, 2]> : tensor<2xui8>},
    %x4: tensor<2xi1> {tg.input = dense<[true, false]> : tensor<2xi1>},
    %x5: tensor<2xi1> {tg.input = dense<[true, false]> : tensor<2xi1>},
    %x6: tensor<2xi1> {tg.input = dense<[true, false]> : tensor<2xi1>})
    -> (tensor<5xi1>, tensor<2xi1>, tensor<3xi1>, tensor<2xi1>, tensor<2xf32>, tensor<2xi8>, tensor<2xui64>) {
  %0 = tg.cast %x0 : tensor<5xf32> -> tensor<5xi1>
  %1 = tg.cast %x1 : tensor<2xf16> -> tensor<2xi1>
  %2 = tg.cast %x2 : tensor<3xi32> -> tensor<3xi1>
  %3 = tg.cast %x3 : tensor<2xui8> -> tensor<2xi1>
  %4 = tg.cast %x4 : tensor<2xi1> -> tensor<2xf32>
  %5 = tg.cast %x5 : tensor<2xi1> -> tensor<2xi8>
  %6 = tg.cast %x6 : tensor<2xi1> -> tensor<2xui64>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<5xi1>, tensor<2xi1>, tensor<3xi1>, tensor<2xi1>, tensor<2xf32>, tensor<2xi8>, tensor<2xui64>
}

// CHECK: result 0: tensor<5xi1> = [false, false, true, true, true]
// CHECK-NEXT: result 1: tensor<2xi1> = [true, false]
// CHECK-NEXT: result 2: tensor<3xi1> = [false, true, true]
// CHECK-NEXT: result 3: tensor<2xi1> = [false, true]
// CHECK-NEXT: result 4: tensor<2xf32> = [1, 0]
// CHECK-NEXT: result 5: tensor<2xi8> = [1, 0]
// CHECK-NEXT: result 6: tensor<2xui64> = [1, 0]
