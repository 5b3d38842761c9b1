// Work items scan a block of a row each, and add up the totals of those before:
// many blocks, in small groups, but not more than a block has elements.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=scheduled | FileCheck %s
// RUN: tg-run %s --interpret --print > %t.expected
// RUN: env SIMCHIP=sm_90 tg-run %s --device=SIM --print | diff %t.expected -
// RUN: env SIMCHIP=gfx942 SIMSEED=3 tg-run %s --device=SIM --print | diff %t.expected -

// Two rows of 5000: 40 blocks of 128.
// CHECK: tg.kernel @{{.*}}2_40_128
// CHECK-DAG: tg.range {{.*}} group_reduce
// CHECK: tg.kernel @{{.*}}2_40_128_40
// CHECK: tg.range {{.*}} local 40
// CHECK: %[[BLOCK:.*]] = tg.range {{[0-9]+}} loop 32
// CHECK: %[[LANES:.*]] = tg.range {{[0-9]+}} upcast 4
// CHECK: tg.ranged_scan add {{.*}} over %[[BLOCK]], %[[LANES]]
// A row of 100 is too short, and 20000 rows are enough. What an item accesses
// at once is scanned in its registers.
// CHECK: tg.kernel @{{.*}}E_100
// CHECK: tg.ranged_scan max
// CHECK: tg.kernel @{{.*}}E_20000_256
// CHECK: tg.ranged_scan add
func.func @main(%short: tensor<1x100xi32> {tg.input = dense<7> : tensor<1x100xi32>}, %many: tensor<20000x256xi8> {tg.input = dense<1> : tensor<20000x256xi8>}) -> (tensor<2x5000xi32>, tensor<1x100xi32>, tensor<20000x256xi8>) {
  %0 = tg.iota 0 : tensor<10000xi32>
  %1 = tg.reshape %0 : tensor<10000xi32> -> tensor<2x5000xi32>
  %2 = tg.scan add %1 axis 1 : tensor<2x5000xi32>
  %3 = tg.scan max %short axis 1 : tensor<1x100xi32>
  %4 = tg.scan add %many axis 1 : tensor<20000x256xi8>
  return %2, %3, %4 : tensor<2x5000xi32>, tensor<1x100xi32>, tensor<20000x256xi8>
}
