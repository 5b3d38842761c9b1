// RUN: tg-opt %s -split-input-file -tg-schedule | FileCheck %s

// An elementwise chain is one kernel: one load for each input, one store.

// CHECK-LABEL: tg.kernel @E_4_8_n0
// CHECK-SAME:    (%[[OUT:.*]]: memref<32xf32>, %{{.*}}: memref<32xf32>, %{{.*}}: memref<32xf32>)
// CHECK-SAME:    attributes {outputs = 1 : i64}
// CHECK:         %[[I:.*]] = tg.range 0 loop 4
// CHECK-NEXT:    %[[J:.*]] = tg.range 1 loop 8
// CHECK-COUNT-2: tg.load
// CHECK-NOT:     tg.load
// CHECK:         tg.store %{{.*}}, %[[OUT]]
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME:    (%[[X:.*]]: memref<32xf32>, %[[Y:.*]]: memref<32xf32>) -> memref<32xf32>
// CHECK-NEXT:    %[[R:.*]] = tg.alloc on "CPU" : memref<32xf32>
// CHECK-NEXT:    tg.launch @E_4_8_n0(%[[R]], %{{.*}}, %{{.*}})
// CHECK-NEXT:    return %[[R]]
func.func @elementwise(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.mul %x, %y : tensor<4x8xf32>
  %1 = tg.add %0, %x : tensor<4x8xf32>
  %2 = tg.exp2 %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// An elementwise operation fuses into the reduce behind it, and the reduce into
// what follows. The sum does not depend on the columns of the result.

// CHECK-LABEL: tg.kernel @r_4_8_8_n0
// CHECK:         %[[I:.*]] = tg.range 0 loop 4
// CHECK-NEXT:    %[[J:.*]] = tg.range 1 loop 8
// CHECK-NEXT:    %[[K:.*]] = tg.range 2 loop 8
// CHECK-DAG:     %[[M:.*]] = tg.ranged_reduce max %{{.*}} over %[[K]]
// CHECK-DAG:     %[[S:.*]] = tg.ranged_reduce add %{{.*}} over %[[K]]
// CHECK:         tg.fdiv %{{.*}}, %[[S]]
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1: tg.launch
// CHECK-NOT:     tg.launch
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = tg.reduce max %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %me = tg.expand %m : tensor<4x1xf32> -> tensor<4x8xf32>
  %d = tg.sub %x, %me : tensor<4x8xf32>
  %e = tg.exp2 %d : tensor<4x8xf32>
  %s = tg.reduce add %e axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %se = tg.expand %s : tensor<4x1xf32> -> tensor<4x8xf32>
  %r = tg.fdiv %e, %se : tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// -----

// A reduction inside a reduction would leave too little to do in parallel.

// CHECK-LABEL: tg.kernel @r_8_64_n0
// CHECK-LABEL: tg.kernel @r_8_n1
// CHECK-LABEL: func.func @nested
// CHECK-DAG:     %[[T:.*]] = tg.alloc on "CPU" : memref<8xf32>
// CHECK-DAG:     %[[R:.*]] = tg.alloc on "CPU" : memref<1xf32>
// CHECK:         tg.launch @r_8_64_n0(%[[T]], %{{.*}})
// CHECK-NEXT:    tg.launch @r_8_n1(%[[R]], %[[T]])
func.func @nested(%x: tensor<8x64xf32>) -> tensor<1x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<8x64xf32> -> tensor<8x1xf32>
  %1 = tg.mul %0, %0 : tensor<8x1xf32>
  %2 = tg.reduce add %1 axes [0] : tensor<8x1xf32> -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}

// -----

// A costly value that many positions need is stored; a cheap one is computed
// again at each.

// CHECK-LABEL: func.func @costly
// CHECK-COUNT-2: tg.launch
// CHECK-NOT:     tg.launch
// CHECK-LABEL: func.func @cheap
// CHECK-COUNT-1: tg.launch
// CHECK-NOT:     tg.launch
func.func @costly(%x: tensor<64x1xf32>, %y: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %0 = tg.pow %x, %x : tensor<64x1xf32>
  %p = tg.permute %0 [1, 0] : tensor<64x1xf32> -> tensor<1x64xf32>
  %r = tg.reshape %p : tensor<1x64xf32> -> tensor<1x64xf32>
  %t = tg.expand %r : tensor<1x64xf32> -> tensor<4096x64xf32>
  %u = tg.permute %y [1, 0] : tensor<64x4096xf32> -> tensor<4096x64xf32>
  %s = tg.add %t, %u : tensor<4096x64xf32>
  %f = tg.reshape %s : tensor<4096x64xf32> -> tensor<64x4096xf32>
  return %f : tensor<64x4096xf32>
}
func.func @cheap(%x: tensor<64x1xf32>, %y: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %0 = tg.neg %x : tensor<64x1xf32>
  %p = tg.permute %0 [1, 0] : tensor<64x1xf32> -> tensor<1x64xf32>
  %r = tg.reshape %p : tensor<1x64xf32> -> tensor<1x64xf32>
  %t = tg.expand %r : tensor<1x64xf32> -> tensor<4096x64xf32>
  %u = tg.permute %y [1, 0] : tensor<64x4096xf32> -> tensor<4096x64xf32>
  %s = tg.add %t, %u : tensor<4096x64xf32>
  %f = tg.reshape %s : tensor<4096x64xf32> -> tensor<64x4096xf32>
  return %f : tensor<64x4096xf32>
}

// -----

// What tg.contiguous asks for is stored, even where it costs more.

// CHECK-LABEL: func.func @contiguous
// CHECK-COUNT-2: tg.launch
// CHECK-NOT:     tg.launch
func.func @contiguous(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = tg.neg %x : tensor<16xf32>
  %1 = tg.contiguous %0 : tensor<16xf32>
  %2 = tg.add %1, %x : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// -----

// Of two results one is computed from the other. Nothing is computed that no
// result needs.

// CHECK-NOT:   tg.sin
// CHECK-LABEL: func.func @two_results
// CHECK:         tg.launch @[[A:.*]](%[[N:.*]], %{{.*}})
// CHECK-NEXT:    tg.launch @[[B:.*]](%[[M:.*]], %[[N]])
// CHECK-NEXT:    return %[[N]], %[[M]]
func.func @two_results(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = tg.neg %x : tensor<16xf32>
  %1 = tg.exp2 %0 : tensor<16xf32>
  %2 = tg.sin %0 : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// A value that is returned twice, and a view of it, are one buffer.

// CHECK-LABEL: func.func @twice
// CHECK-NEXT:    %[[R:.*]] = tg.alloc on "CPU" : memref<4xf32>
// CHECK-NEXT:    tg.launch
// CHECK-NEXT:    return %[[R]], %[[R]], %[[R]]
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>) {
  %0 = tg.neg %x : tensor<4xf32>
  %1 = tg.reshape %0 : tensor<4xf32> -> tensor<2x2xf32>
  return %0, %1, %0 : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>
}

// -----

// Constants: equal elements are computed, listed ones are memory. A result is
// memory of its own.

// CHECK-LABEL: func.func @constants
// CHECK-SAME:    (%[[X:.*]]: memref<3xf32>)
// CHECK:         %[[L:.*]] = tg.literal dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32> on "CPU" : memref<3xf32>
// CHECK:         tg.launch @{{.*}}(%[[R0:.*]], %[[L]])
// CHECK:         tg.launch @{{.*}}(%[[R1:.*]]) : memref<2xi32>
// CHECK:         tg.launch @{{.*}}(%[[R2:.*]], %{{.*}}, %{{.*}})
// CHECK-NEXT:    return %[[R0]], %[[R1]], %[[R2]]
func.func @constants(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<2xi32>, tensor<3xf32>) {
  %d = tg.const(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : tensor<3xf32>
  %s = tg.const(7 : i32) : tensor<2xi32>
  %a = tg.add %x, %d : tensor<3xf32>
  return %d, %s, %a : tensor<3xf32>, tensor<2xi32>, tensor<3xf32>
}

// -----

// CHECK-LABEL: tg.kernel
// CHECK:         %[[I:.*]] = tg.range 0 loop 5
// CHECK-NEXT:    %[[J:.*]] = tg.cast %[[I]] : index -> i64
// CHECK-NEXT:    %[[F:.*]] = tg.cast %[[J]] : i64 -> f16
// CHECK-NEXT:    tg.store %[[F]]
func.func @iota() -> tensor<5xf16> {
  %0 = tg.iota 0 : tensor<5xf16>
  return %0 : tensor<5xf16>
}

// -----

// Without elements there is nothing to run, and reductions give the identity.

// CHECK-NOT:   tg.load
// CHECK-NOT:   tg.ranged_reduce
// CHECK:       tg.const(0xFF800000 : f32)
// CHECK:       tg.const(1.000000e+00 : f32)
// CHECK-NOT:   tg.load
// CHECK-LABEL: func.func @no_elements
// CHECK-DAG:     %[[E:.*]] = tg.alloc on "CPU" : memref<0xf32>
// CHECK-COUNT-3: tg.launch
// CHECK-NOT:     tg.launch
// CHECK:         return %[[E]]
func.func @no_elements(%x: tensor<0x3xf32>)
    -> (tensor<0x3xf32>, tensor<1x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>) {
  %n = tg.neg %x : tensor<0x3xf32>
  %r = tg.reduce max %x axes [0] : tensor<0x3xf32> -> tensor<1x3xf32>
  %t = tg.reshape %x : tensor<0x3xf32> -> tensor<3x0xf32>
  %m = tg.reduce mul %t axes [1] : tensor<3x0xf32> -> tensor<3x1xf32>
  %p = tg.pad %n low [1, 0] high [1, 0] : tensor<0x3xf32> -> tensor<2x3xf32>
  return %n, %r, %m, %p : tensor<0x3xf32>, tensor<1x3xf32>, tensor<3x1xf32>, tensor<2x3xf32>
}

// -----

// A reduction along axes of size 1 is no reduction.

// CHECK-NOT:   tg.ranged_reduce
// CHECK-LABEL: func.func @reduce_of_one
func.func @reduce_of_one(%x: tensor<4x1xf32>) -> tensor<4x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<4x1xf32> -> tensor<4x1xf32>
  %1 = tg.neg %0 : tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}

// -----

// Names that are taken are left alone; so is what works on no tensor.

// CHECK:       func.func private @E_4_n0()
// CHECK:       tg.kernel @E_4_n1
// CHECK-LABEL: func.func private @main
// CHECK:         tg.launch @E_4_n1
// CHECK-LABEL: func.func @scalars
// CHECK:         arith.addi
func.func private @E_4_n0()
func.func private @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @scalars(%x: i32) -> i32 {
  %0 = arith.addi %x, %x : i32
  return %0 : i32
}

// -----

// A tensor of rank 0 is a buffer of one element.

// CHECK-LABEL: func.func @scalar_result
// CHECK:         tg.alloc on "CPU" : memref<1xf32>
func.func @scalar_result(%x: tensor<f32>) -> tensor<f32> {
  %0 = tg.neg %x : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Equal kernels are made once, and named in the order of their first launch.

// CHECK:       tg.kernel @E_4_n0
// CHECK:         tg.neg
// CHECK:       tg.kernel @E_4_n1
// CHECK:         tg.exp2
// CHECK-NOT:   tg.kernel
// CHECK-LABEL: func.func @repeated
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>)
// CHECK:         tg.launch @E_4_n0(%{{.*}}, %[[X]])
// CHECK:         tg.launch @E_4_n1(%{{.*}}, %[[X]])
// CHECK:         tg.launch @E_4_n0(%{{.*}}, %[[Y]])
func.func @repeated(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tg.neg %x : tensor<4xf32>
  %1 = tg.exp2 %x : tensor<4xf32>
  %2 = tg.neg %y : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
