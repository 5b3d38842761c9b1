// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:sapphirerapids --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefixes=CHECK,SPR
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:znver5 --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s --check-prefixes=CHECK,ZEN
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=cpu:x86_64:sapphirerapids --tg-schedule-pipeline --tg-verify-schedules -o /dev/null

// Lanes across the columns, on processors that multiply faster than their
// second-level cache delivers and whose scalar instructions delay arithmetic.

// 7 columns of a window of 3 share 9 elements, for which there are registers
// beside 14 accumulators: range 6, along the window, is unrolled, which decides
// what is padding.
// CHECK-LABEL: tg.kernel @r_3_32_7_7_16_3_3_n0
// CHECK-SAME: <stage ranged_reduce 0 {{.*}} by 7 into
// SPR-SAME: <set_kind [6] as unroll>
// ZEN-NOT: <set_kind [6] as unroll>
func.func @window(%arg0: tensor<3x16x7x7xf32>, %arg1: tensor<32x16x3x3xf32>) -> tensor<3x32x7x7xf32> {
  %0 = tg.pad %arg0 low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<3x16x7x7xf32> -> tensor<3x16x9x9xf32>
  %1 = tg.strided %0 [#tg.view<[3, 1, 1, 7, 7, 16, 3, 3] strides [1296, 0, 0, 9, 1, 81, 9, 1]>] : tensor<3x16x9x9xf32> -> tensor<3x1x1x7x7x16x3x3xf32>
  %2 = tg.expand %1 : tensor<3x1x1x7x7x16x3x3xf32> -> tensor<3x1x32x7x7x16x3x3xf32>
  %3 = tg.reshape %arg1 : tensor<32x16x3x3xf32> -> tensor<1x1x32x1x1x16x3x3xf32>
  %4 = tg.expand %3 : tensor<1x1x32x1x1x16x3x3xf32> -> tensor<3x1x32x7x7x16x3x3xf32>
  %5 = tg.mul %2, %4 : tensor<3x1x32x7x7x16x3x3xf32>
  %6 = tg.reduce add %5 axes [5, 6, 7] : tensor<3x1x32x7x7x16x3x3xf32> -> tensor<3x1x32x7x7x1x1x1xf32>
  %7 = tg.reshape %6 : tensor<3x1x32x7x7x1x1x1xf32> -> tensor<3x32x7x7xf32>
  return %7 : tensor<3x32x7x7xf32>
}

// -----

// 14 columns leave no registers for 16 elements.
// CHECK-LABEL: tg.kernel @r_2_64_14_14_16_3_3_n0
// CHECK-NOT: <set_kind [6] as unroll>
func.func @many_columns(%arg0: tensor<2x16x14x14xf32>, %arg1: tensor<64x16x3x3xf32>) -> tensor<2x64x14x14xf32> {
  %0 = tg.pad %arg0 low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<2x16x14x14xf32> -> tensor<2x16x16x16xf32>
  %1 = tg.strided %0 [#tg.view<[2, 1, 1, 14, 14, 16, 3, 3] strides [4096, 0, 0, 16, 1, 256, 16, 1]>] : tensor<2x16x16x16xf32> -> tensor<2x1x1x14x14x16x3x3xf32>
  %2 = tg.expand %1 : tensor<2x1x1x14x14x16x3x3xf32> -> tensor<2x1x64x14x14x16x3x3xf32>
  %3 = tg.reshape %arg1 : tensor<64x16x3x3xf32> -> tensor<1x1x64x1x1x16x3x3xf32>
  %4 = tg.expand %3 : tensor<1x1x64x1x1x16x3x3xf32> -> tensor<2x1x64x14x14x16x3x3xf32>
  %5 = tg.mul %2, %4 : tensor<2x1x64x14x14x16x3x3xf32>
  %6 = tg.reduce add %5 axes [5, 6, 7] : tensor<2x1x64x14x14x16x3x3xf32> -> tensor<2x1x64x14x14x1x1x1xf32>
  %7 = tg.reshape %6 : tensor<2x1x64x14x14x1x1x1xf32> -> tensor<2x64x14x14xf32>
  return %7 : tensor<2x64x14x14xf32>
}

// -----

// With stride 2, 7 columns of 4 vectors share 15 elements.
// CHECK-LABEL: tg.kernel @r_3_64_7_7_16_3_3_n0
// CHECK-SAME: <split [1] by 64 into
// CHECK-NOT: <set_kind [6] as unroll>
func.func @stride(%arg0: tensor<3x16x14x14xf32>, %arg1: tensor<64x16x3x3xf32>) -> tensor<3x64x7x7xf32> {
  %0 = tg.pad %arg0 low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<3x16x14x14xf32> -> tensor<3x16x16x16xf32>
  %1 = tg.strided %0 [#tg.view<[3, 1, 1, 7, 7, 16, 3, 3] strides [4096, 0, 0, 32, 2, 256, 16, 1]>] : tensor<3x16x16x16xf32> -> tensor<3x1x1x7x7x16x3x3xf32>
  %2 = tg.expand %1 : tensor<3x1x1x7x7x16x3x3xf32> -> tensor<3x1x64x7x7x16x3x3xf32>
  %3 = tg.reshape %arg1 : tensor<64x16x3x3xf32> -> tensor<1x1x64x1x1x16x3x3xf32>
  %4 = tg.expand %3 : tensor<1x1x64x1x1x16x3x3xf32> -> tensor<3x1x64x7x7x16x3x3xf32>
  %5 = tg.mul %2, %4 : tensor<3x1x64x7x7x16x3x3xf32>
  %6 = tg.reduce add %5 axes [5, 6, 7] : tensor<3x1x64x7x7x16x3x3xf32> -> tensor<3x1x64x7x7x1x1x1xf32>
  %7 = tg.reshape %6 : tensor<3x1x64x7x7x1x1x1xf32> -> tensor<3x64x7x7xf32>
  return %7 : tensor<3x64x7x7xf32>
}

// -----

// What a 1x1 convolution reads exceeds the second-level cache, one image does
// not: all channels of an image (ranges 0 and 5) are computed before the next
// image.
// CHECK-LABEL: tg.kernel @r_2_64_28_28_16_n0
// SPR-SAME: <move [0, 5]>
// SPR-SAME: <set_kind [0] as thread>, #tg.step<set_kind [5] as thread>
// ZEN-NOT: <move [0, 5]>
// ZEN: <set_kind [5] as thread>, #tg.step<set_kind [0] as thread>
func.func @images(%arg0: tensor<2x16x112x112xf32>, %arg1: tensor<64x16x1x1xf32>) -> tensor<2x64x28x28xf32> {
  %0 = tg.strided %arg0 [#tg.view<[2, 1, 1, 28, 28, 16, 1, 1] strides [200704, 0, 0, 448, 4, 12544, 0, 0]>] : tensor<2x16x112x112xf32> -> tensor<2x1x1x28x28x16x1x1xf32>
  %1 = tg.expand %0 : tensor<2x1x1x28x28x16x1x1xf32> -> tensor<2x1x64x28x28x16x1x1xf32>
  %2 = tg.reshape %arg1 : tensor<64x16x1x1xf32> -> tensor<1x1x64x1x1x16x1x1xf32>
  %3 = tg.expand %2 : tensor<1x1x64x1x1x16x1x1xf32> -> tensor<2x1x64x28x28x16x1x1xf32>
  %4 = tg.mul %1, %3 : tensor<2x1x64x28x28x16x1x1xf32>
  %5 = tg.reduce add %4 axes [5] : tensor<2x1x64x28x28x16x1x1xf32> -> tensor<2x1x64x28x28x1x1x1xf32>
  %6 = tg.reshape %5 : tensor<2x1x64x28x28x1x1x1xf32> -> tensor<2x64x28x28xf32>
  return %6 : tensor<2x64x28x28xf32>
}

// -----

// The cache holds all of these images.
// CHECK-LABEL: tg.kernel @r_2_64_14_14_16_n0
// CHECK-SAME: <set_kind [5] as thread>, #tg.step<set_kind [0] as thread>
func.func @small_images(%arg0: tensor<2x16x56x56xf32>, %arg1: tensor<64x16x1x1xf32>) -> tensor<2x64x14x14xf32> {
  %0 = tg.strided %arg0 [#tg.view<[2, 1, 1, 14, 14, 16, 1, 1] strides [50176, 0, 0, 224, 4, 3136, 0, 0]>] : tensor<2x16x56x56xf32> -> tensor<2x1x1x14x14x16x1x1xf32>
  %1 = tg.expand %0 : tensor<2x1x1x14x14x16x1x1xf32> -> tensor<2x1x64x14x14x16x1x1xf32>
  %2 = tg.reshape %arg1 : tensor<64x16x1x1xf32> -> tensor<1x1x64x1x1x16x1x1xf32>
  %3 = tg.expand %2 : tensor<1x1x64x1x1x16x1x1xf32> -> tensor<2x1x64x14x14x16x1x1xf32>
  %4 = tg.mul %1, %3 : tensor<2x1x64x14x14x16x1x1xf32>
  %5 = tg.reduce add %4 axes [5] : tensor<2x1x64x14x14x16x1x1xf32> -> tensor<2x1x64x14x14x1x1x1xf32>
  %6 = tg.reshape %5 : tensor<2x1x64x14x14x1x1x1xf32> -> tensor<2x64x14x14xf32>
  return %6 : tensor<2x64x14x14xf32>
}

// -----

// Windows use each element often.
// CHECK-LABEL: tg.kernel @r_2_64_27_27_16_5_5_n0
// CHECK-SAME: <set_kind [7] as thread>, #tg.step<set_kind [0] as thread>
func.func @many_products(%arg0: tensor<2x16x112x112xf32>, %arg1: tensor<64x16x5x5xf32>) -> tensor<2x64x27x27xf32> {
  %0 = tg.strided %arg0 [#tg.view<[2, 1, 1, 27, 27, 16, 5, 5] strides [200704, 0, 0, 448, 4, 12544, 112, 1]>] : tensor<2x16x112x112xf32> -> tensor<2x1x1x27x27x16x5x5xf32>
  %1 = tg.expand %0 : tensor<2x1x1x27x27x16x5x5xf32> -> tensor<2x1x64x27x27x16x5x5xf32>
  %2 = tg.reshape %arg1 : tensor<64x16x5x5xf32> -> tensor<1x1x64x1x1x16x5x5xf32>
  %3 = tg.expand %2 : tensor<1x1x64x1x1x16x5x5xf32> -> tensor<2x1x64x27x27x16x5x5xf32>
  %4 = tg.mul %1, %3 : tensor<2x1x64x27x27x16x5x5xf32>
  %5 = tg.reduce add %4 axes [5, 6, 7] : tensor<2x1x64x27x27x16x5x5xf32> -> tensor<2x1x64x27x27x1x1x1xf32>
  %6 = tg.reshape %5 : tensor<2x1x64x27x27x1x1x1xf32> -> tensor<2x64x27x27xf32>
  return %6 : tensor<2x64x27x27xf32>
}

// -----

// 48 channels are three vectors with 8 columns, which load less than one vector
// with 15. No product is left out: each vector would branch.
// CHECK-LABEL: tg.kernel @r_48_15_15_3_11_11_n0
// SPR-SAME: <split [0] by 48 into [6, 7]>
// SPR-SAME: <stage ranged_reduce 0 [7, 2] by 8 into [10, 11]>
// SPR-SAME: <split [10] by 16 into [12, 13]>, #tg.step<set_kind [12] as unroll>, #tg.step<set_kind [13] as upcast>
// SPR-NOT: skip_masked
// ZEN-SAME: <split [0] by 16 into [6, 7]>
// ZEN-SAME: skip_masked
func.func @three(%arg0: tensor<1x3x64x64xf32>, %arg1: tensor<48x3x11x11xf32>) -> tensor<1x48x15x15xf32> {
  %0 = tg.pad %arg0 low [0, 0, 2, 2] high [0, 0, 2, 2] : tensor<1x3x64x64xf32> -> tensor<1x3x68x68xf32>
  %1 = tg.strided %0 [#tg.view<[1, 1, 1, 15, 15, 3, 11, 11] strides [0, 0, 0, 272, 4, 4624, 68, 1]>] : tensor<1x3x68x68xf32> -> tensor<1x1x1x15x15x3x11x11xf32>
  %2 = tg.expand %1 : tensor<1x1x1x15x15x3x11x11xf32> -> tensor<1x1x48x15x15x3x11x11xf32>
  %3 = tg.reshape %arg1 : tensor<48x3x11x11xf32> -> tensor<1x1x48x1x1x3x11x11xf32>
  %4 = tg.expand %3 : tensor<1x1x48x1x1x3x11x11xf32> -> tensor<1x1x48x15x15x3x11x11xf32>
  %5 = tg.mul %2, %4 : tensor<1x1x48x15x15x3x11x11xf32>
  %6 = tg.reduce add %5 axes [5, 6, 7] : tensor<1x1x48x15x15x3x11x11xf32> -> tensor<1x1x48x15x15x1x1x1xf32>
  %7 = tg.reshape %6 : tensor<1x1x48x15x15x1x1x1xf32> -> tensor<1x48x15x15xf32>
  return %7 : tensor<1x48x15x15xf32>
}

// -----

// Two vectors stay one range of lanes.
// CHECK-LABEL: tg.kernel @r_32_15_15_3_11_11_n0
// CHECK-SAME: <split [0] by 32 into [6, 7]>
// CHECK-SAME: <set_kind [10] as upcast>
func.func @two(%arg0: tensor<1x3x64x64xf32>, %arg1: tensor<32x3x11x11xf32>) -> tensor<1x32x15x15xf32> {
  %0 = tg.pad %arg0 low [0, 0, 2, 2] high [0, 0, 2, 2] : tensor<1x3x64x64xf32> -> tensor<1x3x68x68xf32>
  %1 = tg.strided %0 [#tg.view<[1, 1, 1, 15, 15, 3, 11, 11] strides [0, 0, 0, 272, 4, 4624, 68, 1]>] : tensor<1x3x68x68xf32> -> tensor<1x1x1x15x15x3x11x11xf32>
  %2 = tg.expand %1 : tensor<1x1x1x15x15x3x11x11xf32> -> tensor<1x1x32x15x15x3x11x11xf32>
  %3 = tg.reshape %arg1 : tensor<32x3x11x11xf32> -> tensor<1x1x32x1x1x3x11x11xf32>
  %4 = tg.expand %3 : tensor<1x1x32x1x1x3x11x11xf32> -> tensor<1x1x32x15x15x3x11x11xf32>
  %5 = tg.mul %2, %4 : tensor<1x1x32x15x15x3x11x11xf32>
  %6 = tg.reduce add %5 axes [5, 6, 7] : tensor<1x1x32x15x15x3x11x11xf32> -> tensor<1x1x32x15x15x1x1x1xf32>
  %7 = tg.reshape %6 : tensor<1x1x32x15x15x1x1x1xf32> -> tensor<1x32x15x15xf32>
  return %7 : tensor<1x32x15x15xf32>
}

// -----

// Two sums have the ranges of the window in common. The weights of the second one are
// packed when one of these is unrolled for the first: its copy is a loop that is
// merged with the one around it.
// SPR-LABEL: tg.kernel @r_2_32_8_8_16_3_3_n0
// SPR-SAME:  #tg.step<set_kind [46] as loop>, #tg.step<merge [45, 46] into
func.func @main(%arg0: tensor<2x16x8x8xf32>, %arg1: tensor<32x16x3x3xf32>, %arg2: tensor<32x16x3x3xf32>) -> tensor<2x32x8x8xf32> {
  %0 = tg.pad %arg0 low [0, 0, 1, 1] high [0, 0, 1, 1] : tensor<2x16x8x8xf32> -> tensor<2x16x10x10xf32>
  %1 = tg.strided %0 [#tg.view<[2, 1, 1, 8, 8, 16, 3, 3] strides [1600, 0, 0, 10, 1, 100, 10, 1]>] : tensor<2x16x10x10xf32> -> tensor<2x1x1x8x8x16x3x3xf32>
  %2 = tg.expand %1 : tensor<2x1x1x8x8x16x3x3xf32> -> tensor<2x1x32x8x8x16x3x3xf32>
  %3 = tg.reshape %arg1 : tensor<32x16x3x3xf32> -> tensor<1x1x32x1x1x16x3x3xf32>
  %4 = tg.expand %3 : tensor<1x1x32x1x1x16x3x3xf32> -> tensor<2x1x32x8x8x16x3x3xf32>
  %5 = tg.mul %2, %4 : tensor<2x1x32x8x8x16x3x3xf32>
  %6 = tg.reduce add %5 axes [5, 6, 7] : tensor<2x1x32x8x8x16x3x3xf32> -> tensor<2x1x32x8x8x1x1x1xf32>
  %7 = tg.reshape %6 : tensor<2x1x32x8x8x1x1x1xf32> -> tensor<2x32x8x8xf32>
  %8 = tg.reshape %arg2 : tensor<32x16x3x3xf32> -> tensor<1x1x32x1x1x16x3x3xf32>
  %9 = tg.expand %8 : tensor<1x1x32x1x1x16x3x3xf32> -> tensor<2x1x32x8x8x16x3x3xf32>
  %10 = tg.mul %2, %9 : tensor<2x1x32x8x8x16x3x3xf32>
  %11 = tg.reduce add %10 axes [5, 6, 7] : tensor<2x1x32x8x8x16x3x3xf32> -> tensor<2x1x32x8x8x1x1x1xf32>
  %12 = tg.reshape %11 : tensor<2x1x32x8x8x1x1x1xf32> -> tensor<2x32x8x8xf32>
  %13 = tg.add %7, %12 : tensor<2x32x8x8xf32>
  return %13 : tensor<2x32x8x8xf32>
}
