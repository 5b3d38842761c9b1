// RUN: tg-opt %s -split-input-file -tg-schedule | FileCheck %s

// The argument's own memory is written, and the result is that memory.

// CHECK-LABEL: tg.kernel @E_4_n0
// CHECK-SAME:    attributes {{{.*}}in_place
// CHECK-LABEL: func.func @whole
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK-NEXT:    tg.launch @E_4_n0(%[[X]], %[[Y]])
// CHECK-NEXT:    return %[[X]]
func.func @whole(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %n = tg.neg %y : tensor<4xf32>
  %a = tg.assign %x, %n : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// Nobody needs the result; it is done all the same.

// CHECK-LABEL: func.func @unused
// CHECK:         tg.launch
func.func @unused(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %a = tg.assign %x, %y : tensor<4xf32>
  return
}

// -----

// Each element is read before it is overwritten: no copy.

// CHECK-LABEL: tg.kernel @E_4_n0
// CHECK-SAME:    (%[[A:.*]]: memref<4xf32>, %{{.*}}: memref<4xf32>) attributes {{{.*}}in_place
// CHECK:         %[[O:.*]] = tg.load %[[A]]
// CHECK:         tg.store %{{.*}}, %[[A]]
// CHECK-LABEL: func.func @increment
// CHECK-NOT:     tg.transfer
// CHECK-NOT:     tg.alloc
func.func @increment(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %s = tg.add %x, %y : tensor<4xf32>
  %a = tg.assign %x, %s : tensor<4xf32>
  return
}

// -----

// Other elements are read: they are kept.

// CHECK-LABEL: func.func @reverse
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>)
// CHECK:         %[[C:.*]] = tg.alloc on "CPU" : memref<4xf32>
// CHECK-NEXT:    tg.transfer %[[X]] to %[[C]]
// CHECK-NEXT:    tg.launch @{{.*}}(%[[X]], %[[C]])
func.func @reverse(%x: tensor<4xf32>) {
  %f = tg.flip %x axes [0] : tensor<4xf32>
  %a = tg.assign %x, %f : tensor<4xf32>
  return
}

// -----

// Also where a reduction reads them.

// CHECK-LABEL: func.func @normalise
// CHECK-SAME:    (%[[X:.*]]: memref<16xf32>)
// CHECK:         tg.transfer %[[X]] to %{{.*}}
func.func @normalise(%x: tensor<4x4xf32>) {
  %s = tg.reduce add %x axes [1] : tensor<4x4xf32> -> tensor<4x1xf32>
  %e = tg.expand %s : tensor<4x1xf32> -> tensor<4x4xf32>
  %d = tg.fdiv %x, %e : tensor<4x4xf32>
  %a = tg.assign %x, %d : tensor<4x4xf32>
  return
}

// -----

// A kernel of the old contents runs first and needs no copy.

// CHECK-LABEL: func.func @old_and_new
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK-NOT:     tg.transfer
// CHECK:         tg.launch @[[K0:.*]](%[[OLD:.*]], %[[X]])
// CHECK-NEXT:    tg.launch @[[K1:.*]](%[[X]], %[[Y]])
// CHECK-NEXT:    tg.launch @[[K2:.*]](%[[NEW:.*]], %[[X]])
// CHECK-NEXT:    return %[[OLD]], %[[NEW]]
func.func @old_and_new(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = tg.neg %x : tensor<4xf32>
  %a = tg.assign %x, %y : tensor<4xf32>
  %new = tg.after %x[%a : tensor<4xf32>] : tensor<4xf32>
  %1 = tg.neg %new : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What is computed from the old contents in a kernel that comes after the
// assignment reads a copy of them; what wants the new ones reads the argument.

// CHECK-LABEL: func.func @late
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK:         tg.transfer %[[X]] to %[[C:.*]] : memref<4xf32>
// CHECK-NEXT:    tg.launch @[[K0:.*]](%[[X]], %[[Y]])
// CHECK-NEXT:    tg.launch @[[K1:.*]](%[[R:.*]], %[[A:.*]], %[[B:.*]])
// CHECK-NEXT:    return %[[R]]
func.func @late(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %old = tg.neg %x : tensor<4xf32>
  %a = tg.assign %x, %y : tensor<4xf32>
  %new = tg.after %x[%a : tensor<4xf32>] : tensor<4xf32>
  %r = tg.mul %old, %new : tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Parts: two overlapping ones are written in order, in the argument's memory.

// CHECK-LABEL: tg.kernel @E_2_n0
// CHECK:         %[[P:.*]] = tg.add
// CHECK:         tg.store %{{.*}}, %{{.*}}[%[[P]]] : memref<4xf32>
// CHECK-LABEL: func.func @parts
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<2xf32>, %[[Z:.*]]: memref<2xf32>)
// CHECK-NOT:     tg.transfer
// CHECK:         tg.launch @E_2_n0(%[[X]], %[[Y]])
// CHECK-NEXT:    tg.launch @E_2_n1(%[[X]], %[[Z]])
// CHECK-NEXT:    %[[V:.*]] = tg.subbuffer %[[X]] at (4) : memref<4xf32> -> memref<2xf32>
// CHECK-NEXT:    return %[[X]], %[[V]]
func.func @parts(%x: tensor<4xf32>, %y: tensor<2xf32>, %z: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %p = tg.shrink %x from [2] to [4] : tensor<4xf32> -> tensor<2xf32>
  %a = tg.assign %p, %y : tensor<2xf32>
  %q = tg.shrink %x from [1] to [3] : tensor<4xf32> -> tensor<2xf32>
  %b = tg.assign %q, %z : tensor<2xf32>
  %new = tg.after %x[%b : tensor<2xf32>] : tensor<4xf32>
  return %new, %b : tensor<4xf32>, tensor<2xf32>
}

// -----

// A result that is not the last to be assigned, or not contiguous, is copied.

// CHECK-LABEL: func.func @returned
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[Z:.*]]: memref<6xf32>, %[[W:.*]]: memref<2xf32>)
// CHECK:         tg.launch @[[K0:.*]](%[[X]], %[[Y]])
// CHECK-NEXT:    tg.launch @[[K1:.*]](%[[A:.*]], %[[X]])
// CHECK-NEXT:    tg.launch @[[K2:.*]](%[[X]]
// CHECK:         tg.launch @[[K3:.*]](%[[Z]], %[[W]])
// CHECK-NEXT:    tg.launch @[[K4:.*]](%[[C:.*]], %[[Z]])
// CHECK-NEXT:    return %[[A]], %[[C]]
func.func @returned(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<2x3xf32>, %w: tensor<2x1xf32>)
    -> (tensor<4xf32>, tensor<2x1xf32>) {
  %a = tg.assign %x, %y : tensor<4xf32>
  %n = tg.neg %a : tensor<4xf32>
  %b = tg.assign %x, %n : tensor<4xf32>
  %t = tg.shrink %z from [0, 1] to [2, 2] : tensor<2x3xf32> -> tensor<2x1xf32>
  %c = tg.assign %t, %w : tensor<2x1xf32>
  return %a, %c : tensor<4xf32>, tensor<2x1xf32>
}

// -----

// A result that is the old contents is a copy of them.

// CHECK-LABEL: func.func @returned_old
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK:         tg.launch @{{.*}}(%[[C:.*]], %[[X]])
// CHECK-NEXT:    tg.launch @{{.*}}(%[[X]], %[[Y]])
// CHECK-NEXT:    return %[[C]]
func.func @returned_old(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = tg.assign %x, %y : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// A permuted view is written through.

// CHECK-LABEL: tg.kernel @E_3_2_n0
// CHECK-DAG:     %[[I:.*]] = tg.range 0 loop 3
// CHECK-DAG:     %[[J:.*]] = tg.range 1 loop 2
// CHECK-DAG:     %[[C:.*]] = tg.const(3 : index)
// CHECK-DAG:     %[[M:.*]] = tg.mul %[[J]], %[[C]]
// CHECK-DAG:     %[[P:.*]] = tg.add %[[I]], %[[M]]
// CHECK:         tg.store %{{.*}}, %{{.*}}[%[[P]]]
// CHECK-LABEL: func.func @permuted
func.func @permuted(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  %p = tg.permute %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %a = tg.assign %p, %y : tensor<3x2xf32>
  return
}

// -----

// Nothing is written.

// CHECK-NOT:   tg.kernel
// CHECK-LABEL: func.func @no_elements
func.func @no_elements(%x: tensor<4xf32>, %y: tensor<0xf32>) -> tensor<0xf32> {
  %p = tg.shrink %x from [2] to [2] : tensor<4xf32> -> tensor<0xf32>
  %a = tg.assign %p, %y : tensor<0xf32>
  return %a : tensor<0xf32>
}

// -----

// Another device gets what was assigned before, not what is assigned later.

// CHECK-LABEL: func.func @copied
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[Z:.*]]: memref<4xf32>)
// CHECK:         tg.launch @{{.*}}(%[[X]], %[[Y]])
// CHECK:         tg.transfer
// CHECK:         tg.launch @{{.*}}(%[[X]], %[[Z]])
// CHECK:         return
func.func @copied(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %a = tg.assign %x, %y : tensor<4xf32>
  %c = tg.copy %a to "NULL" : tensor<4xf32>
  %b = tg.assign %x, %z : tensor<4xf32>
  return %c : tensor<4xf32>
}
