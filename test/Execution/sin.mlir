// RUN: tg-run %s --interpret --print --precision=6 | FileCheck %s
// RUN: tg-run %s --print --precision=6 | FileCheck %s

// Small and large arguments: the reduction of 1e22 needs many digits of pi.
func.func @main(
    %x0: tensor<8xf32> {tg.input = dense<[0.0, -0.0, 1.0, -2.0, 100000.0, 1.0e22, 0x7F800000, 0x7FC00000]> : tensor<8xf32>},
    %x1: tensor<1xf16> {tg.input = dense<[1.0]> : tensor<1xf16>},
    %x2: tensor<1xbf16> {tg.input = dense<[1.0]> : tensor<1xbf16>},
    %x3: tensor<2xf64> {tg.input = dense<[1.0, 1.0e22]> : tensor<2xf64>})
    -> (tensor<8xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>) {
  %0 = tg.sin %x0 : tensor<8xf32>
  %1 = tg.sin %x1 : tensor<1xf16>
  %2 = tg.sin %x2 : tensor<1xbf16>
  %3 = tg.sin %x3 : tensor<2xf64>
  return %0, %1, %2, %3
      : tensor<8xf32>, tensor<1xf16>, tensor<1xbf16>, tensor<2xf64>
}

// CHECK: result 0: tensor<8xf32> = [0, -0, 0.841471, -0.909297, 0.0357488, -0.734082, nan, nan]
// CHECK-NEXT: result 1: tensor<1xf16> = [0.841309]
// CHECK-NEXT: result 2: tensor<1xbf16> = [0.839844]
// CHECK-NEXT: result 3: tensor<2xf64> = [0.841471, -0.852201]
