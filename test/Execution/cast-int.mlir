// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// Keeps the low bits; extends by the signedness of the operand.
func.func @main(
    %x0: tensor<3xi32> {tg.input = dense<[-1, 300, -129]> : tensor<3xi32>},
    %x1: tensor<2xi8> {tg.input = dense<[-1, 127]> : tensor<2xi8>},
    %x2: tensor<1xui8> {tg.input = dense<[255]> : tensor<1xui8>},
    %x3: tensor<1xi8> {tg.input = dense<[-1]> : tensor<1xi8>},
    %x4: tensor<1xui64> {tg.input = dense<[18446744073709551615]> : tensor<1xui64>},
    %x5: tensor<1xi64> {tg.input = dense<[4294967296]> : tensor<1xi64>})
    -> (tensor<3xi8>, tensor<2xui32>, tensor<1xi32>, tensor<1xui64>, tensor<1xi16>, tensor<1xi32>) {
  %0 = tg.cast %x0 : tensor<3xi32> -> tensor<3xi8>
  %1 = tg.cast %x1 : tensor<2xi8> -> tensor<2xui32>
  %2 = tg.cast %x2 : tensor<1xui8> -> tensor<1xi32>
  %3 = tg.cast %x3 : tensor<1xi8> -> tensor<1xui64>
  %4 = tg.cast %x4 : tensor<1xui64> -> tensor<1xi16>
  %5 = tg.cast %x5 : tensor<1xi64> -> tensor<1xi32>
  return %0, %1, %2, %3, %4, %5
      : tensor<3xi8>, tensor<2xui32>, tensor<1xi32>, tensor<1xui64>, tensor<1xi16>, tensor<1xi32>
}

// CHECK: result 0: tensor<3xi8> = [-1, 44, 127]
// CHECK-NEXT: result 1: tensor<2xui32> = [4294967295, 127]
// CHECK-NEXT: result 2: tensor<1xi32> = [255]
// CHECK-NEXT: result 3: tensor<1xui64> = [18446744073709551615]
// CHECK-NEXT: result 4: tensor<1xi16> = [-1]
// CHECK-NEXT: result 5: tensor<1xi32> = [0]
