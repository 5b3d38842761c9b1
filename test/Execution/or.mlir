// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Bitwise on integers.
func.func @main(
    %a0: tensor<2xi8> {tg.input = dense<[12, -128]> : tensor<2xi8>},
    %b0: tensor<2xi8> {tg.input = dense<[10, 1]> : tensor<2xi8>},
    %a1: tensor<1xui8> {tg.input = dense<[128]> : tensor<1xui8>},
    %b1: tensor<1xui8> {tg.input = dense<[1]> : tensor<1xui8>},
    %a2: tensor<3xi1> {tg.input = dense<[false, true, true]> : tensor<3xi1>},
    %b2: tensor<3xi1> {tg.input = dense<[false, false, true]> : tensor<3xi1>})
    -> (tensor<2xi8>, tensor<1xui8>, tensor<3xi1>) {
  %0 = tg.or %a0, %b0 : tensor<2xi8>
  %1 = tg.or %a1, %b1 : tensor<1xui8>
  %2 = tg.or %a2, %b2 : tensor<3xi1>
  return %0, %1, %2
      : tensor<2xi8>, tensor<1xui8>, tensor<3xi1>
}

// CHECK: result 0: tensor<2xi8> = [14, -127]
// CHECK-NEXT: result 1: tensor<1xui8> = [129]
// CHECK-NEXT: result 2: tensor<3xi1> = [false, true, true]
