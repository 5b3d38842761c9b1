// RUN: tg-opt %s --split-input-file --allow-unregistered-dialect --tg-outline | FileCheck %s

// A tensor graph that nobody calls stays as it is.

// CHECK-LABEL: func.func @graph(
// CHECK-NEXT:    tg.exp2
// CHECK-NEXT:    return
// CHECK-NOT:   island
func.func @graph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp2 %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// One island: its second operation is behind another one that does not use the
// first. The call is where the last operation was. Constants belong to it.

// CHECK:       func.func private @main_island_call(memref<4xf32>, memref<4xf32>, memref<4xf32>) attributes {tg.graph = @main_island, tg.variables = []}
// CHECK:       func.func private @main_island(%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-DAG:     %[[C:.*]] = tg.const(2.000000e+00 : f32)
// CHECK-DAG:     %[[A:.*]] = tg.mul %[[X]], %[[C]]
// CHECK:         %[[B:.*]] = tg.add %[[A]], %[[Y]]
// CHECK:         return %[[B]]
// CHECK-LABEL: func.func @main(
// CHECK-NOT:     tg.
// CHECK:         %[[R:.*]] = "other.op"() : () -> tensor<4xf32>
// CHECK:         %[[IN:.*]] = bufferization.to_buffer %{{.*}} read_only
// CHECK:         %[[OTHER:.*]] = bufferization.to_buffer %[[R]] read_only
// CHECK:         %[[OUT:.*]] = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
// CHECK:         call @main_island_call(%[[IN]], %[[OTHER]], %[[OUT]])
// CHECK:         %[[T:.*]] = bufferization.to_tensor %[[OUT]] restrict writable
// CHECK:         "other.use"(%[[T]])
// CHECK-NEXT:    return %[[T]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tg.const(2.0 : f32) : tensor<4xf32>
  %0 = tg.mul %x, %c : tensor<4xf32>
  %1 = "other.op"() : () -> tensor<4xf32>
  %2 = tg.add %0, %1 : tensor<4xf32>
  "other.use"(%2) : (tensor<4xf32>) -> ()
  return %2 : tensor<4xf32>
}

// -----

// What another operation uses, here one in a region, ends an island: two calls.
// What is not connected is another island, too.

// CHECK-COUNT-3: tg.graph = @two_island
// CHECK-LABEL: func.func @two(
// CHECK:         call @two_island_call
// CHECK:         scf.if
// CHECK:         call @two_island_{{[01]}}_call
// CHECK:         call @two_island_{{[01]}}_call
// CHECK:         return
func.func @two(%x: tensor<4xf32>, %y: tensor<2xf32>, %b: i1) -> (tensor<4xf32>, tensor<2xf32>) {
  %0 = tg.exp2 %x : tensor<4xf32>
  scf.if %b {
    "other.use"(%0) : (tensor<4xf32>) -> ()
  }
  %1 = tg.neg %0 : tensor<4xf32>
  %2 = tg.neg %y : tensor<2xf32>
  return %1, %2 : tensor<4xf32>, tensor<2xf32>
}

// -----

// Islands in regions; a constant outside that only islands use disappears, one that
// another operation uses is an island.

// CHECK-LABEL: func.func private @loop_island(
// CHECK:         tg.const
// CHECK:         tg.add
// CHECK:       func.func private @loop_island_0() -> tensor<4xf32>
// CHECK-NEXT:    tg.iota 0
// CHECK-LABEL: func.func @loop(
// CHECK-NOT:     tg.
// CHECK:         call @loop_island_0_call(%{{.*}}) : (memref<4xf32>) -> ()
// CHECK:         scf.for
// CHECK:           call @loop_island_call(
// CHECK:           scf.yield
func.func @loop(%n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = tg.const(1.0 : f32) : tensor<4xf32>
  %begin = tg.iota 0 : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %begin) -> tensor<4xf32> {
    %0 = tg.add %x, %one : tensor<4xf32>
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A graph that is called keeps its type.

// CHECK:       func.func private @callee_island(
// CHECK-LABEL: func.func private @callee(%{{.*}}: tensor<4xf32>) -> tensor<4xf32>
// CHECK:         call @callee_island_call
// CHECK-LABEL: func.func @caller(
// CHECK:         call @callee(
func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tg.exp2 %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A symbolic size comes from the operand, and is checked. So is a size that is an
// argument. The tensor is not copied, since its leading size alone is symbolic.

// CHECK:       func.func private @sizes_island_call(memref<16xf32>, memref<16xf32>, memref<8xf32>, i64, i64)
// CHECK-SAME:    tg.variables = [#m, #n]
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME:    %[[X:.*]]: tensor<?x2xf32, #tg.shape<#{{.*}}, 2>>, %[[M:[a-z0-9]*]]: i32)
// CHECK:         %[[INDEX:.*]] = arith.index_cast %[[M]] : i32 to index
// CHECK:         cf.assert %{{.*}}, "the size 'm' is not in [1, 8]"
// CHECK:         %[[N:.*]] = tensor.dim %[[X]]
// CHECK:         cf.assert %{{.*}}, "the size 'n' is not in [1, 8]"
// CHECK:         cf.assert %{{.*}}, "axis 0 of operand 0 of '@sizes_island' is not n"
// CHECK-NOT:     memref.copy
// CHECK:         memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [16], strides: [1] : memref<?x2xf32> to memref<16xf32>
// CHECK:         memref.alloc(%[[N]]) {alignment = 64 : i64} : memref<?x2xf32>
// CHECK-NOT:     memref.copy
// CHECK:         call @sizes_island_call
// CHECK-NOT:     memref.copy
// CHECK:         "other.op"
func.func @sizes(%x: tensor<?x2xf32, #tg.shape<#tg.var<"n", 1, 8>, 2>>, %m: i32 {tg.variable = #tg.var<"m", 1, 8>})
    -> (tensor<?x2xf32, #tg.shape<#tg.var<"n", 1, 8>, 2>>, tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>) {
  %0 = tg.neg %x : tensor<?x2xf32, #tg.shape<#tg.var<"n", 1, 8>, 2>>
  %1 = tg.shrink %0 from [0, 0] to [1, 1] : tensor<?x2xf32, #tg.shape<#tg.var<"n", 1, 8>, 2>> -> tensor<1x1xf32>
  %2 = tg.reshape %1 : tensor<1x1xf32> -> tensor<1xf32>
  %3 = tg.expand %2 : tensor<1xf32> -> tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>
  "other.op"() : () -> ()
  return %0, %3 : tensor<?x2xf32, #tg.shape<#tg.var<"n", 1, 8>, 2>>, tensor<?xf32, #tg.shape<#tg.var<"m", 1, 8>>>
}

// -----

// The inner axis is symbolic: rows are not next to each other in the larger memory.

// CHECK-LABEL: func.func @columns(
// CHECK:         %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x8xf32>
// CHECK:         %[[PART:.*]] = memref.subview %[[ALL]][0, 0] [2, %{{.*}}] [1, 1] : memref<2x8xf32> to memref<2x?xf32, strided<[8, 1]>>
// CHECK:         memref.copy %{{.*}}, %[[PART]]
// CHECK:         call @columns_island_call
// CHECK:         %[[PACKED:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<2x?xf32>
// CHECK:         memref.copy %{{.*}}, %[[PACKED]]
// CHECK:         bufferization.to_tensor %[[PACKED]]
func.func @columns(%x: tensor<2x?xf32, #tg.shape<2, #tg.var<"n", 1, 8>>>) -> tensor<2x?xf32, #tg.shape<2, #tg.var<"n", 1, 8>>> {
  %0 = tg.neg %x : tensor<2x?xf32, #tg.shape<2, #tg.var<"n", 1, 8>>>
  "other.op"() : () -> ()
  return %0 : tensor<2x?xf32, #tg.shape<2, #tg.var<"n", 1, 8>>>
}
