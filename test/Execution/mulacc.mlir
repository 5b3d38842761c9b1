// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Floats are rounded once: (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46.
func.func @main(
    %a: tensor<2xf32> {tg.input = dense<[0x3F800001, 2.0]> : tensor<2xf32>},
    %c: tensor<2xf32> {tg.input = dense<[0xBF800002, 1.0]> : tensor<2xf32>},
    %h: tensor<2xf16> {tg.input = dense<[256.0, 0.5]> : tensor<2xf16>},
    %k: tensor<2xf16> {tg.input = dense<[-65504.0, 0.25]> : tensor<2xf16>},
    %i: tensor<2xi8> {tg.input = dense<[100, -3]> : tensor<2xi8>},
    %u: tensor<2xui16> {tg.input = dense<[65535, 2]> : tensor<2xui16>},
    %d: tensor<2xf64> {tg.input = dense<[3.0, -1.0]> : tensor<2xf64>})
    -> (tensor<2xf32>, tensor<2xf16>, tensor<2xi8>, tensor<2xui16>, tensor<2xf64>) {
  %0 = tg.mulacc %a, %a, %c : tensor<2xf32>
  %1 = tg.mulacc %h, %h, %k : tensor<2xf16>
  %2 = tg.mulacc %i, %i, %i : tensor<2xi8>
  %3 = tg.mulacc %u, %u, %u : tensor<2xui16>
  %4 = tg.mulacc %d, %d, %d : tensor<2xf64>
  return %0, %1, %2, %3, %4
      : tensor<2xf32>, tensor<2xf16>, tensor<2xi8>, tensor<2xui16>, tensor<2xf64>
}

// CHECK: result 0: tensor<2xf32> = [1.4210855e-14, 5]
// CHECK-NEXT: result 1: tensor<2xf16> = [32, 0.5]
// CHECK-NEXT: result 2: tensor<2xi8> = [116, 6]
// CHECK-NEXT: result 3: tensor<2xui16> = [0, 6]
// CHECK-NEXT: result 4: tensor<2xf64> = [12, 0]
