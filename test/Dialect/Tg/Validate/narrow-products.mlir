// A few rows times a matrix that no cache holds: its rows are read once for all of
// them, and the results are accumulated in memory. Rows of the matrix are left over
// behind the last part, and columns do not fill vectors.

// RUN: tg-opt %s --tg-schedule-pipeline --tg-verify-schedules=print-counts=true -o /dev/null \
// RUN:   | FileCheck %s --check-prefix=COUNTS --implicit-check-not="not covered"
// RUN: tg-opt %s --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s

// COUNTS: schedules: 4 kernels

module attributes {tg.target = #tg.target<"cpu", cache_bytes = 65536, l2_bytes = 65536>} {
// CHECK:         tg.kernel @r_10_3_1030_48
// CHECK-SAME:    accumulate
// CHECK:         tg.range {{.*}} thread 10
// CHECK-NEXT:    tg.range {{.*}} thread 2 peel 1
// CHECK-NEXT:    tg.range {{.*}} loop 6
// CHECK-NEXT:    tg.range {{.*}} loop 9
// CHECK-NEXT:    tg.range {{.*}} unroll 3
// CHECK-NEXT:    tg.range {{.*}} upcast 64
// CHECK-NEXT:    tg.range {{.*}} unroll 8
// CHECK:         tg.store {{.*}} update add
func.func @narrow(%a: tensor<3x523xf32>, %b: tensor<523x1030xf32>) -> tensor<3x1x1030xf32> {
  %0 = tg.reshape %a : tensor<3x523xf32> -> tensor<3x523x1xf32>
  %1 = tg.expand %0 : tensor<3x523x1xf32> -> tensor<3x523x1030xf32>
  %2 = tg.reshape %b : tensor<523x1030xf32> -> tensor<1x523x1030xf32>
  %3 = tg.expand %2 : tensor<1x523x1030xf32> -> tensor<3x523x1030xf32>
  %4 = tg.mul %1, %3 : tensor<3x523x1030xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<3x523x1030xf32> -> tensor<3x1x1030xf32>
  return %5 : tensor<3x1x1030xf32>
}

// Too many rows: register tiles.
// CHECK:         tg.kernel @r_13_1030_256
// CHECK-NOT:     accumulate
func.func @wide(%a: tensor<13x256xf32>, %b: tensor<256x1030xf32>) -> tensor<13x1x1030xf32> {
  %0 = tg.reshape %a : tensor<13x256xf32> -> tensor<13x256x1xf32>
  %1 = tg.expand %0 : tensor<13x256x1xf32> -> tensor<13x256x1030xf32>
  %2 = tg.reshape %b : tensor<256x1030xf32> -> tensor<1x256x1030xf32>
  %3 = tg.expand %2 : tensor<1x256x1030xf32> -> tensor<13x256x1030xf32>
  %4 = tg.mul %1, %3 : tensor<13x256x1030xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<13x256x1030xf32> -> tensor<13x1x1030xf32>
  return %5 : tensor<13x1x1030xf32>
}

// A cache holds the matrix.
// CHECK:         tg.kernel @r_3_120_256
// CHECK-NOT:     accumulate
func.func @held(%a: tensor<3x256xf32>, %b: tensor<256x120xf32>) -> tensor<3x1x120xf32> {
  %0 = tg.reshape %a : tensor<3x256xf32> -> tensor<3x256x1xf32>
  %1 = tg.expand %0 : tensor<3x256x1xf32> -> tensor<3x256x120xf32>
  %2 = tg.reshape %b : tensor<256x120xf32> -> tensor<1x256x120xf32>
  %3 = tg.expand %2 : tensor<1x256x120xf32> -> tensor<3x256x120xf32>
  %4 = tg.mul %1, %3 : tensor<3x256x120xf32>
  %5 = tg.reduce add %4 axes [1] : tensor<3x256x120xf32> -> tensor<3x1x120xf32>
  return %5 : tensor<3x1x120xf32>
}
}
