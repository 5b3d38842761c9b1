// Scheduling as a part of another compiler: what is not about tensor graphs
// stays as it is.

// RUN: tg-opt %s --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s

// Functions without operations of the dialect, and their calls.

// CHECK-LABEL: func.func private @sine(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: math.sin %{{.*}} : tensor<4xf32>
func.func private @sine(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.sin %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @twice(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-COUNT-2: call @sine(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @sine(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = func.call @sine(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @branch(
// CHECK: cf.cond_br
func.func @branch(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^one, ^two
^one:
  return %x : tensor<4xf32>
^two:
  return %y : tensor<4xf32>
}

// What others attached to a function, its arguments and results; not the
// elements of a tensor.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: memref<4xf32> {other.name = "x", tg.device = "CPU"}, %{{.*}}: memref<4xf32>)
// CHECK-SAME: -> (memref<4xf32> {other.name = "sum"})
// CHECK-SAME: attributes {llvm.emit_c_interface, no_inline, other.calls = @identity}
// CHECK: tg.launch
func.func @main(%x: tensor<4xf32> {other.name = "x", tg.device = "CPU"},
                %y: tensor<4xf32> {tg.input = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>})
    -> (tensor<4xf32> {other.name = "sum"})
    attributes {llvm.emit_c_interface, no_inline, other.calls = @identity} {
  %0 = tg.add %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// A function of no operations is a graph like any other.

// CHECK-LABEL: func.func @identity(
// CHECK-SAME: %[[X:.*]]: memref<4xf32>) -> memref<4xf32> {
// CHECK-NEXT: return %[[X]] : memref<4xf32>
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
