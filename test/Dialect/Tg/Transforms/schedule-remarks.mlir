// Every buffer and every copy has a reason, which is told on request.
// RUN: tg-opt %s -tg-schedule -o /dev/null --remark-format=emitRemark \
// RUN:   --remarks-filter=tg-schedule 2>&1 | FileCheck %s
// RUN: tg-opt %s -tg-schedule -o /dev/null 2>&1 | count 0

// CHECK: [[#@LINE+6]]:8: remark: [Passed] store | Category:tg-schedule | Remark="tg.reduce [1, 1] gets a buffer: it is a result or a tg.contiguous"
// CHECK: [[#@LINE+4]]:8: remark: {{.*}}tg.neg [8, 1] gets a buffer: a reduction would run inside another one"
// CHECK-NOT: tg.reduce [8, 1]
func.func @nested(%x: tensor<8x64xf32>) -> tensor<1x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = tg.neg %0 : tensor<8x1xf32>
  %2 = tg.reduce add %1 axes [0] : tensor<8x1xf32> -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// CHECK: [[#@LINE+3]]:8: remark: {{.*}}tg.pow [64, 1] gets a buffer: {{.*}} evaluations of 64 elements at {{.*}} operations each cost more than storing them"
func.func @costly(%x: tensor<64x1xf32>) -> tensor<4096x64xf32> {
  %e = tg.exp2 %x : tensor<64x1xf32>
  %0 = tg.pow %e, %x : tensor<64x1xf32>
  %p = tg.permute %0 [1, 0] : tensor<64x1xf32> -> tensor<1x64xf32>
  %t = tg.expand %p : tensor<1x64xf32> -> tensor<4096x64xf32>
  %u = tg.neg %t : tensor<4096x64xf32>
  return %u : tensor<4096x64xf32>
}

// CHECK: [[#@LINE+3]]:8: remark: [Passed] copy | Category:tg-schedule | Remark="the contents before this assignment are copied: a later kernel, or its own at other positions, reads them"
func.func @hazard(%x: tensor<4xf32>) {
  %f = tg.flip %x axes [0] : tensor<4xf32>
  %a = tg.assign %x, %f : tensor<4xf32>
  return
}
