// RUN: tg-opt %s -tg-schedule -o /dev/null --remark-format=emitRemark \
// RUN:   --remarks-filter=tg-schedule 2>&1 | FileCheck %s --implicit-check-not="compared with itself"

// A sum that meets itself again behind a maximum is computed once: each of the
// kernels could add in another order.

// CHECK: [[#@LINE+3]]:8: remark: {{.*}}tg.reduce [1, 1] gets a buffer: it is compared with itself, and adding in another order would make it differ"
func.func @equal(%x: tensor<1x3xf32>, %y: tensor<2x2xf32>)
    -> (tensor<1x2xf32>, tensor<2x2xi1>) {
  %0 = tg.reduce add %x axes [1] : tensor<1x3xf32> -> tensor<1x1xf32>
  %e = tg.expand %0 : tensor<1x1xf32> -> tensor<2x2xf32>
  %p = tg.mul %y, %e : tensor<2x2xf32>
  %1 = tg.reduce max %p axes [0] : tensor<2x2xf32> -> tensor<1x2xf32>
  %m = tg.expand %1 : tensor<1x2xf32> -> tensor<2x2xf32>
  %2 = tg.cmpeq %p, %m : tensor<2x2xf32>
  return %1, %2 : tensor<1x2xf32>, tensor<2x2xi1>
}

// The root of a negative difference would be NaN.
// CHECK: [[#@LINE+3]]:8: remark: {{.*}}tg.reduce [1, 1] gets a buffer: it is compared with itself
func.func @difference(%x: tensor<1x3xf32>, %y: tensor<2x2xf32>)
    -> (tensor<1x2xf32>, tensor<2x2xf32>) {
  %0 = tg.reduce add %x axes [1] : tensor<1x3xf32> -> tensor<1x1xf32>
  %e = tg.expand %0 : tensor<1x1xf32> -> tensor<2x2xf32>
  %p = tg.mul %y, %e : tensor<2x2xf32>
  %1 = tg.reduce max %p axes [0] : tensor<2x2xf32> -> tensor<1x2xf32>
  %m = tg.expand %1 : tensor<1x2xf32> -> tensor<2x2xf32>
  %2 = tg.sub %m, %p : tensor<2x2xf32>
  %3 = tg.sqrt %2 : tensor<2x2xf32>
  return %1, %3 : tensor<1x2xf32>, tensor<2x2xf32>
}

// Sums of rows at two positions.
// CHECK: [[#@LINE+2]]:8: remark: {{.*}}tg.reduce [2, 1] gets a buffer: it is compared with itself
func.func @positions(%x: tensor<2x3xf32>) -> tensor<2x1xi1> {
  %0 = tg.reduce add %x axes [1] : tensor<2x3xf32> -> tensor<2x1xf32>
  %1 = tg.flip %0 axes [0] : tensor<2x1xf32>
  %2 = tg.cmplt %0, %1 : tensor<2x1xf32>
  return %2 : tensor<2x1xi1>
}

// Sums of integers do not depend on the order.
func.func @integers(%x: tensor<2x3xi32>) -> tensor<2x1xi1> {
  %0 = tg.reduce add %x axes [1] : tensor<2x3xi32> -> tensor<2x1xi32>
  %1 = tg.flip %0 axes [0] : tensor<2x1xi32>
  %2 = tg.cmplt %0, %1 : tensor<2x1xi32>
  return %2 : tensor<2x1xi1>
}

// A value is the same as itself, and a constant does not depend on a sum.
func.func @isNaNOrPositive(%x: tensor<2x3xf32>)
    -> (tensor<2x1xi1>, tensor<2x1xi1>) {
  %zero = tg.const(0.0 : f32) : tensor<2x1xf32>
  %0 = tg.reduce add %x axes [1] : tensor<2x3xf32> -> tensor<2x1xf32>
  %1 = tg.cmpne %0, %0 : tensor<2x1xf32>
  %2 = tg.cmplt %zero, %0 : tensor<2x1xf32>
  return %1, %2 : tensor<2x1xi1>, tensor<2x1xi1>
}

// The sum that the numbers are compared with adds the elements of the other: no
// two of them are expected to be equal.
func.func @otherSum(%x: tensor<1x3xf32>, %y: tensor<2x2xf32>)
    -> (tensor<1x2xf32>, tensor<2x2xi1>) {
  %0 = tg.reduce add %x axes [1] : tensor<1x3xf32> -> tensor<1x1xf32>
  %e = tg.expand %0 : tensor<1x1xf32> -> tensor<2x2xf32>
  %p = tg.mul %y, %e : tensor<2x2xf32>
  %1 = tg.reduce add %p axes [0] : tensor<2x2xf32> -> tensor<1x2xf32>
  %m = tg.expand %1 : tensor<1x2xf32> -> tensor<2x2xf32>
  %2 = tg.cmplt %p, %m : tensor<2x2xf32>
  return %1, %2 : tensor<1x2xf32>, tensor<2x2xi1>
}

// Elements of the base remain, or are compared with those that replace them.
// CHECK: [[#@LINE+3]]:8: remark: {{.*}}tg.reduce [1, 3] gets a buffer: it is compared with itself
func.func @scatter(%x: tensor<4x3xf32>, %i: tensor<1x1xi32>,
    %u: tensor<1x1xf32>) -> tensor<1x3xi1> {
  %0 = tg.reduce add %x axes [0] : tensor<4x3xf32> -> tensor<1x3xf32>
  %1 = tg.scatter max %0[%i], %u axis 1
      : tensor<1x3xf32>, tensor<1x1xi32>, tensor<1x1xf32>
  %2 = tg.cmpeq %0, %1 : tensor<1x3xf32>
  return %2 : tensor<1x3xi1>
}

// What is scattered or scanned has one anyhow.
// CHECK: [[#@LINE+3]]:8: remark: {{.*}}tg.reduce [1, 3] gets a buffer: it is a result or a tg.contiguous
func.func @updates(%x: tensor<4x3xf32>, %i: tensor<1x3xi32>,
    %b: tensor<1x5xf32>) -> tensor<1x3xi1> {
  %0 = tg.reduce add %x axes [0] : tensor<4x3xf32> -> tensor<1x3xf32>
  %1 = tg.scatter set %b[%i], %0 axis 1
      : tensor<1x5xf32>, tensor<1x3xi32>, tensor<1x3xf32>
  %2 = tg.shrink %1 from [0, 0] to [1, 3] : tensor<1x5xf32> -> tensor<1x3xf32>
  %3 = tg.cmplt %0, %2 : tensor<1x3xf32>
  return %3 : tensor<1x3xi1>
}

// CHECK: [[#@LINE+2]]:8: remark: {{.*}}tg.reduce [1, 3] gets a buffer: it is a result or a tg.contiguous
func.func @scan(%x: tensor<4x3xf32>) -> tensor<1x3xi1> {
  %0 = tg.reduce add %x axes [0] : tensor<4x3xf32> -> tensor<1x3xf32>
  %1 = tg.scan max %0 axis 1 : tensor<1x3xf32>
  %2 = tg.cmpeq %0, %1 : tensor<1x3xf32>
  return %2 : tensor<1x3xi1>
}

// CHECK: [[#@LINE+2]]:8: remark: {{.*}}tg.reduce [1, 3] gets a buffer: it is a result or a tg.contiguous
func.func @scanDifference(%x: tensor<4x3xf32>) -> tensor<1x3xf32> {
  %0 = tg.reduce add %x axes [0] : tensor<4x3xf32> -> tensor<1x3xf32>
  %1 = tg.scan max %0 axis 1 : tensor<1x3xf32>
  %2 = tg.sub %1, %0 : tensor<1x3xf32>
  %3 = tg.sqrt %2 : tensor<1x3xf32>
  return %3 : tensor<1x3xf32>
}

// A prefix sum adds.
func.func @scanSum(%x: tensor<4x3xf32>) -> tensor<1x3xi1> {
  %0 = tg.reduce add %x axes [0] : tensor<4x3xf32> -> tensor<1x3xf32>
  %1 = tg.scan add %0 axis 1 : tensor<1x3xf32>
  %2 = tg.cmplt %0, %1 : tensor<1x3xf32>
  return %2 : tensor<1x3xi1>
}

// CHECK: [[#@LINE+3]]:8: remark: {{.*}}tg.reduce [1, 3] gets a buffer: it is compared with itself
func.func @assigned(%x: tensor<4x3xf32>, %y: tensor<1x3xf32>)
    -> tensor<1x3xi1> {
  %0 = tg.reduce add %x axes [0] : tensor<4x3xf32> -> tensor<1x3xf32>
  %1 = tg.assign %y, %0 : tensor<1x3xf32>
  %2 = tg.cmpeq %0, %1 : tensor<1x3xf32>
  return %2 : tensor<1x3xi1>
}
