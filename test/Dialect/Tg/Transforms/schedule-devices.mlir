// RUN: tg-opt %s -split-input-file -tg-schedule | FileCheck %s
// RUN: tg-opt %s -split-input-file -tg-schedule=device=GPU \
// RUN:   | FileCheck %s --check-prefix=OPTION

// What moves between devices is copied; kernels run where their operands are.

// CHECK-LABEL: func.func @copies
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32> {tg.device = "NULL"})
// CHECK:         %[[R:.*]] = tg.alloc on "NULL" : memref<4xf32>
// CHECK:         tg.transfer %[[Y]] to %[[C:.*]] :
// CHECK-NEXT:    tg.launch @{{.*}}(%[[S:.*]], {{.*}}%[[C]]
// CHECK-NEXT:    tg.transfer %[[S]] to %[[R]] :
// CHECK-NEXT:    return %[[R]]
// OPTION-LABEL: func.func @copies
// OPTION:         tg.alloc on "GPU"
func.func @copies(%x: tensor<4xf32>, %y: tensor<4xf32> {tg.device = "NULL"}) -> tensor<4xf32> {
  %c = tg.copy %y to "CPU" : tensor<4xf32>
  %d = tg.copy %x to "CPU" : tensor<4xf32>
  %s = tg.add %d, %c : tensor<4xf32>
  %r = tg.copy %s to "NULL" : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// A contiguous part is copied from where it lies.

// CHECK-NOT:   tg.kernel
// CHECK-LABEL: func.func @part
// CHECK-SAME:    (%[[X:.*]]: memref<12xf32>)
// CHECK:         %[[V:.*]] = tg.subbuffer %[[X]] at (16) : memref<12xf32> -> memref<4xf32>
// CHECK:         tg.transfer %[[V]] to %[[R:.*]] :
// CHECK:         return %[[R]]
func.func @part(%x: tensor<3x4xf32>) -> tensor<2x2xf32> {
  %s = tg.shrink %x from [1, 0] to [2, 4] : tensor<3x4xf32> -> tensor<1x4xf32>
  %f = tg.reshape %s : tensor<1x4xf32> -> tensor<2x2xf32>
  %c = tg.copy %f to "NULL" : tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}

// -----

// Other parts become contiguous first.

// CHECK-LABEL: func.func @columns
// CHECK:         tg.launch @{{.*}}(%[[T:.*]], %{{.*}})
// CHECK-NEXT:    tg.transfer %[[T]] to
func.func @columns(%x: tensor<3x4xf32>) -> tensor<3x1xf32> {
  %s = tg.shrink %x from [0, 1] to [3, 2] : tensor<3x4xf32> -> tensor<3x1xf32>
  %c = tg.copy %s to "NULL" : tensor<3x1xf32>
  return %c : tensor<3x1xf32>
}

// -----

// A copy to the device that holds the tensor is the tensor.

// CHECK-LABEL: func.func @same
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>)
// CHECK-NEXT:    return %[[X]]
func.func @same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tg.copy %x to "CPU" : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// Constants are computed or placed where they are needed.

// CHECK-LABEL: func.func @constants
// CHECK:         %[[L:.*]] = tg.literal dense<[1, 2]> : tensor<2xi32> on "NULL"
// CHECK-NEXT:    tg.alloc on "NULL"
// CHECK-NEXT:    tg.alloc on "CPU"
// CHECK-NEXT:    tg.alloc on "NULL"
// CHECK-NEXT:    %[[I:.*]] = tg.alloc on "NULL"
// CHECK-NEXT:    tg.launch @{{.*}}(%[[I]])
// CHECK-NEXT:    tg.launch @{{.*}}(%{{.*}}, %[[I]], %[[L]], %{{.*}})
// CHECK-NEXT:    tg.launch @{{.*}}(%[[K:.*]]) :
// CHECK-NEXT:    tg.transfer %[[K]] to
func.func @constants(%y: tensor<2xi32> {tg.device = "NULL"}) -> (tensor<2xi32>, tensor<2xi32>) {
  %d = tg.const(dense<[1, 2]> : tensor<2xi32>) : tensor<2xi32>
  %i = tg.iota 0 : tensor<2xi32>
  %ic = tg.contiguous %i : tensor<2xi32>
  %0 = tg.add %d, %ic : tensor<2xi32>
  %1 = tg.mul %0, %y : tensor<2xi32>
  %k = tg.const(7 : i32) : tensor<2xi32>
  %kc = tg.copy %k to "NULL" : tensor<2xi32>
  return %1, %kc : tensor<2xi32>, tensor<2xi32>
}

// -----

// A copy that nothing needs is not made.

// CHECK-LABEL: func.func @unused
// CHECK-NOT:     tg.transfer
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tg.copy %x to "NULL" : tensor<4xf32>
  return %x : tensor<4xf32>
}
