// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The bits stay, those of a NaN too.
func.func @main(
    %x0: tensor<3xf32> {tg.input = dense<[1.0, -0.0, 0x7FC00001]> : tensor<3xf32>},
    %x1: tensor<1xi32> {tg.input = dense<[1065353216]> : tensor<1xi32>},
    %x2: tensor<1xf16> {tg.input = dense<[1.0]> : tensor<1xf16>},
    %x3: tensor<1xui16> {tg.input = dense<[16256]> : tensor<1xui16>},
    %x4: tensor<2xui8> {tg.input = dense<[56, 254]> : tensor<2xui8>},
    %x5: tensor<1xf8E5M2> {tg.input = dense<[0x3C]> : tensor<1xf8E5M2>},
    %x6: tensor<1xf64> {tg.input = dense<[1.0]> : tensor<1xf64>},
    %x7: tensor<1xi8> {tg.input = dense<[-1]> : tensor<1xi8>})
    -> (tensor<3xui32>, tensor<1xf32>, tensor<1xi16>, tensor<1xbf16>, tensor<2xf8E4M3FN>, tensor<1xf8E4M3FNUZ>, tensor<1xi64>, tensor<1xui8>) {
  %0 = tg.bitcast %x0 : tensor<3xf32> -> tensor<3xui32>
  %1 = tg.bitcast %x1 : tensor<1xi32> -> tensor<1xf32>
  %2 = tg.bitcast %x2 : tensor<1xf16> -> tensor<1xi16>
  %3 = tg.bitcast %x3 : tensor<1xui16> -> tensor<1xbf16>
  %4 = tg.bitcast %x4 : tensor<2xui8> -> tensor<2xf8E4M3FN>
  %5 = tg.bitcast %x5 : tensor<1xf8E5M2> -> tensor<1xf8E4M3FNUZ>
  %6 = tg.bitcast %x6 : tensor<1xf64> -> tensor<1xi64>
  %7 = tg.bitcast %x7 : tensor<1xi8> -> tensor<1xui8>
  return %0, %1, %2, %3, %4, %5, %6, %7
      : tensor<3xui32>, tensor<1xf32>, tensor<1xi16>, tensor<1xbf16>, tensor<2xf8E4M3FN>, tensor<1xf8E4M3FNUZ>, tensor<1xi64>, tensor<1xui8>
}

// CHECK: result 0: tensor<3xui32> = [1065353216, 2147483648, 2143289345]
// CHECK-NEXT: result 1: tensor<1xf32> = [1]
// CHECK-NEXT: result 2: tensor<1xi16> = [15360]
// CHECK-NEXT: result 3: tensor<1xbf16> = [1]
// CHECK-NEXT: result 4: tensor<2xf8E4M3FN> = [1, -448]
// CHECK-NEXT: result 5: tensor<1xf8E4M3FNUZ> = [0.75]
// CHECK-NEXT: result 6: tensor<1xi64> = [4607182418800017408]
// CHECK-NEXT: result 7: tensor<1xui8> = [255]
