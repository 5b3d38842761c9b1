// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Nothing is less than NaN; false is less than true.
func.func @main(
    %a0: tensor<6xf32> {tg.input = dense<[1.0, 2.0, 0x7FC00000, 0.0, -0.0, 0xFF800000]> : tensor<6xf32>},
    %b0: tensor<6xf32> {tg.input = dense<[2.0, 2.0, 0x7FC00000, 0x7FC00000, 0.0, 0x7F800000]> : tensor<6xf32>},
    %a1: tensor<2xf16> {tg.input = dense<[1.0, 0x7E00]> : tensor<2xf16>},
    %b1: tensor<2xf16> {tg.input = dense<[1.5, 1.0]> : tensor<2xf16>},
    %a2: tensor<3xi8> {tg.input = dense<[-1, 100, 5]> : tensor<3xi8>},
    %b2: tensor<3xi8> {tg.input = dense<[1, -100, 5]> : tensor<3xi8>},
    %a3: tensor<2xui8> {tg.input = dense<[255, 1]> : tensor<2xui8>},
    %b3: tensor<2xui8> {tg.input = dense<[1, 255]> : tensor<2xui8>},
    %a4: tensor<4xi1> {tg.input = dense<[false, false, true, true]> : tensor<4xi1>},
    %b4: tensor<4xi1> {tg.input = dense<[false, true, false, true]> : tensor<4xi1>})
    -> (tensor<6xi1>, tensor<2xi1>, tensor<3xi1>, tensor<2xi1>, tensor<4xi1>) {
  %0 = tg.cmplt %a0, %b0 : tensor<6xf32>
  %1 = tg.cmplt %a1, %b1 : tensor<2xf16>
  %2 = tg.cmplt %a2, %b2 : tensor<3xi8>
  %3 = tg.cmplt %a3, %b3 : tensor<2xui8>
  %4 = tg.cmplt %a4, %b4 : tensor<4xi1>
  return %0, %1, %2, %3, %4
      : tensor<6xi1>, tensor<2xi1>, tensor<3xi1>, tensor<2xi1>, tensor<4xi1>
}

// CHECK: result 0: tensor<6xi1> = [true, false, false, false, false, true]
// CHECK-NEXT: result 1: tensor<2xi1> = [true, false]
// CHECK-NEXT: result 2: tensor<3xi1> = [true, false, false]
// CHECK-NEXT: result 3: tensor<2xi1> = [false, true]
// CHECK-NEXT: result 4: tensor<4xi1> = [false, true, false, false]
