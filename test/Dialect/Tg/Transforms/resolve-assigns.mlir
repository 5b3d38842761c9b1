// RUN: tg-opt %s -split-input-file -tg-resolve-assigns | FileCheck %s
// Doing it again changes nothing.
// RUN: tg-opt %s -split-input-file -tg-resolve-assigns > %t.once
// RUN: tg-opt %t.once -split-input-file -tg-resolve-assigns | diff %t.once -

// All reads mean the old contents, the returned one too.

// CHECK-LABEL:  func.func @reads
// CHECK-SAME:     (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK-NEXT:     %[[OLD:.*]] = tg.after %[[X]] : tensor<4xf32>
// CHECK-NEXT:     %[[R0:.*]] = tg.neg %[[OLD]]
// CHECK-NEXT:     %[[S:.*]] = tg.add %[[OLD]], %[[Y]]
// CHECK-NEXT:     %[[A:.*]] = tg.assign %[[X]], %[[S]]
// CHECK-NEXT:     %[[R1:.*]] = tg.exp2 %[[OLD]]
// CHECK-NEXT:     %[[NEW:.*]] = tg.after %[[X]][%[[A]] : tensor<4xf32>]
// CHECK-NEXT:     return %[[R0]], %[[R1]], %[[OLD]], %[[NEW]]
func.func @reads(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tg.neg %x : tensor<4xf32>
  %s = tg.add %x, %y : tensor<4xf32>
  %a = tg.assign %x, %s : tensor<4xf32>
  %1 = tg.exp2 %x : tensor<4xf32>
  %new = tg.after %x[%a : tensor<4xf32>] : tensor<4xf32>
  return %0, %1, %x, %new : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A view that is both read and written is two.

// CHECK-LABEL: func.func @views
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[OLD:.*]] = tg.after %[[X]] : tensor<4xf32>
// CHECK-NEXT:    %[[V:.*]] = tg.shrink %[[OLD]]
// CHECK-NEXT:    %[[N:.*]] = tg.neg %[[V]]
// CHECK-NEXT:    %[[T:.*]] = tg.shrink %[[X]]
// CHECK-NEXT:    tg.assign %[[T]], %[[N]]
// CHECK-NEXT:    %[[E:.*]] = tg.exp2 %[[OLD]]
// CHECK-NEXT:    return %[[E]], %[[V]]
func.func @views(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %v = tg.shrink %x from [1] to [3] : tensor<4xf32> -> tensor<2xf32>
  %n = tg.neg %v : tensor<2xf32>
  %a = tg.assign %v, %n : tensor<2xf32>
  %e = tg.exp2 %x : tensor<4xf32>
  return %e, %v : tensor<4xf32>, tensor<2xf32>
}

// -----

// Targets that are results of assignments, and views of such, become views of
// the argument. What only targets used vanishes.

// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<2xf32>)
// CHECK-NEXT:    %[[T:.*]] = tg.shrink %[[X]] from [1] to [3]
// CHECK-NEXT:    %[[A:.*]] = tg.assign %[[T]], %[[Y]]
// CHECK-NEXT:    %[[F:.*]] = tg.flip %[[T]]
// CHECK-NEXT:    %[[B:.*]] = tg.assign %[[F]], %[[A]]
// CHECK-NEXT:    tg.assign %[[F]], %[[Y]]
// CHECK-NEXT:    return
func.func @chain(%x: tensor<4xf32>, %y: tensor<2xf32>) {
  %v = tg.shrink %x from [1] to [3] : tensor<4xf32> -> tensor<2xf32>
  %a = tg.assign %v, %y : tensor<2xf32>
  %f = tg.flip %a axes [0] : tensor<2xf32>
  %b = tg.assign %f, %a : tensor<2xf32>
  %c = tg.assign %b, %y : tensor<2xf32>
  return
}

// -----

// Arguments that are not assigned to, and functions without assignments, stay.

// CHECK-LABEL: func.func @untouched
// CHECK-NOT:     tg.after
// CHECK-LABEL: func.func @other_argument
// CHECK-NOT:     tg.after
func.func @untouched(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @other_argument(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %y : tensor<4xf32>
  %a = tg.assign %x, %y : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// Assignments of no elements vanish: memory holds what it held before.

// CHECK-LABEL: func.func @no_elements
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<0xf32>, %[[Z:.*]]: tensor<4xf32>)
// CHECK-NEXT:    %[[OLD:.*]] = tg.after %[[X]] : tensor<4xf32>
// CHECK-NEXT:    %[[A:.*]] = tg.assign %[[X]], %[[Z]]
// CHECK-NEXT:    %[[NEW:.*]] = tg.after %[[X]][%[[A]] : tensor<4xf32>]
// CHECK-NEXT:    return %[[Y]], %[[OLD]], %[[NEW]]
func.func @no_elements(%x: tensor<4xf32>, %y: tensor<0xf32>, %z: tensor<4xf32>)
    -> (tensor<0xf32>, tensor<4xf32>, tensor<4xf32>) {
  %p = tg.shrink %x from [2] to [2] : tensor<4xf32> -> tensor<0xf32>
  %a = tg.assign %p, %y : tensor<0xf32>
  %old = tg.after %x[%a : tensor<0xf32>] : tensor<4xf32>
  %b = tg.assign %x, %z : tensor<4xf32>
  %c = tg.assign %p, %y : tensor<0xf32>
  %new = tg.after %x[%c : tensor<0xf32>] : tensor<4xf32>
  return %a, %old, %new : tensor<0xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Values need no derivatives.

// CHECK-LABEL: func.func @derivative(
// CHECK-NEXT:    %[[Y:.*]] = tg.sin
// CHECK:         return %[[Y]]
func.func @derivative(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.sin %x : tensor<4xf32>
  %1 = tg.with_derivative %0 of %x by %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}
