// RUN: not tg-opt %s -tg-split-reduce=parts=0 2>&1 | FileCheck %s
// RUN: not tg-opt %s -tg-split-reduce=threshold=-5 2>&1 \
// RUN:   | FileCheck %s --check-prefix=THRESHOLD
// CHECK:     error: tg-split-reduce needs a threshold of at least 1 and 2 to 1048576 parts, not 262144 and 0
// The text of the function does not follow.
// CHECK-NOT: note:
// THRESHOLD: not -5 and 256
func.func @sum(%x: tensor<1048573xf32>) -> tensor<1xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<1048573xf32> -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
