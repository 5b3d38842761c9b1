// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// RUN: env NOOPT=1 SPEC=2 tg-run %s --print | FileCheck %s

// The last one stays; what is out of range is left out; updates that depend on
// no position count as often as there are positions.
func.func @main(
    %a: tensor<4xf32> {tg.input = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>},
    %i: tensor<6xi64> {tg.input = dense<[1, 3, 1, -1, 4, -9223372036854775808]> : tensor<6xi64>},
    %u: tensor<6xf32> {tg.input = dense<[10.0, 20.0, 30.0, 40.0, 50.0, 60.0]> : tensor<6xf32>},
    %b: tensor<2x3xi8> {tg.input = dense<[[1, 2, 3], [100, 5, 6]]> : tensor<2x3xi8>},
    %j: tensor<3x3xui8> {tg.input = dense<[[1, 0, 2], [1, 255, 0], [0, 0, 1]]> : tensor<3x3xui8>},
    %v: tensor<3x3xi8> {tg.input = dense<[[100, -7, 1], [3, 1, 9], [-2, 3, -6]]> : tensor<3x3xi8>})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<2x3xi8>, tensor<2x3xi8>,
        tensor<2x3xi8>, tensor<2x3xi8>, tensor<3xi32>) {
  %0 = tg.scatter set %a[%i], %u axis 0 : tensor<4xf32>, tensor<6xi64>, tensor<6xf32>
  %1 = tg.scatter add %a[%i], %u axis 0 : tensor<4xf32>, tensor<6xi64>, tensor<6xf32>
  %2 = tg.scatter add %b[%j], %v axis 0 : tensor<2x3xi8>, tensor<3x3xui8>, tensor<3x3xi8>
  %3 = tg.scatter mul %b[%j], %v axis 0 : tensor<2x3xi8>, tensor<3x3xui8>, tensor<3x3xi8>
  %4 = tg.scatter max %b[%j], %v axis 0 : tensor<2x3xi8>, tensor<3x3xui8>, tensor<3x3xi8>
  %5 = tg.scatter min %b[%j], %v axis 0 : tensor<2x3xi8>, tensor<3x3xui8>, tensor<3x3xi8>
  %zero = tg.const(0 : i32) : tensor<3xi32>
  %one = tg.const(1 : i32) : tensor<100xi32>
  %6 = tg.scatter add %zero[%one], %one axis 0 : tensor<3xi32>, tensor<100xi32>, tensor<100xi32>
  return %0, %1, %2, %3, %4, %5, %6
      : tensor<4xf32>, tensor<4xf32>, tensor<2x3xi8>, tensor<2x3xi8>,
        tensor<2x3xi8>, tensor<2x3xi8>, tensor<3xi32>
}

// CHECK: result 0: tensor<4xf32> = [1, 30, 3, 20]
// CHECK-NEXT: result 1: tensor<4xf32> = [1, 42, 3, 24]
// CHECK-NEXT: result 2: tensor<2x3xi8> = {{\[}}[-1, -2, 12], [-53, 5, 0]]
// CHECK-NEXT: result 3: tensor<2x3xi8> = {{\[}}[-2, -42, 27], [48, 5, -36]]
// CHECK-NEXT: result 4: tensor<2x3xi8> = {{\[}}[1, 3, 9], [100, 5, 6]]
// CHECK-NEXT: result 5: tensor<2x3xi8> = {{\[}}[-2, -7, 3], [3, 5, -6]]
// CHECK-NEXT: result 6: tensor<3xi32> = [0, 100, 0]
