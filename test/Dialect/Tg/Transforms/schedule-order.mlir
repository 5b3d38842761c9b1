// RUN: tg-opt --tg-schedule --canonicalize -split-input-file %s | FileCheck %s

// The elements along the axis come last in the order of the loops; what is
// before the scan is computed in its kernel.
// CHECK-LABEL: tg.kernel @E_4_16_8
// CHECK: %[[I:.*]] = tg.range 0 loop 4
// CHECK: %[[J:.*]] = tg.range 1 loop 16
// CHECK: %[[K:.*]] = tg.range 2 loop 8
// CHECK: %[[X:.*]] = tg.neg
// CHECK: %[[S:.*]] = tg.ranged_scan add %[[X]] over %[[K]] : f32
// CHECK: tg.store %[[S]]
func.func @scan(%x: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %0 = tg.neg %x : tensor<4x8x16xf32>
  %1 = tg.scan add %0 axis 1 : tensor<4x8x16xf32>
  return %1 : tensor<4x8x16xf32>
}

// -----

// A long row: the sums of blocks, in f64, then each block with those before it.
// The last block is shorter.
// CHECK-LABEL: tg.kernel @r_62_16384
// CHECK: tg.range 0 loop 62 peel 1
// CHECK: tg.ranged_reduce add {{.*}} : f64
// CHECK-LABEL: tg.kernel @r_62_16384_62
// CHECK: %[[B:.*]] = tg.range 0 loop 62 peel 1
// CHECK: %[[P:.*]] = tg.range 1 loop 16384
// CHECK: %[[TOTAL:.*]] = tg.ranged_reduce add {{.*}} : f64
// CHECK-DAG: %[[CARRY:.*]] = tg.cast %[[TOTAL]] : f64 -> f32
// CHECK-DAG: %[[S:.*]] = tg.ranged_scan add %{{.*}} over %[[P]]
// CHECK: %[[R:.*]] = tg.add %[[CARRY]], %[[S]]
// CHECK: tg.store %[[R]]
func.func @blocks(%x: tensor<1000003xf32>) -> tensor<1000003xf32> {
  %0 = tg.scan add %x axis 0 : tensor<1000003xf32>
  return %0 : tensor<1000003xf32>
}

// -----

// The base is written first, then updated in place. An update depends on the
// position even if nothing that it reads does.
// CHECK-LABEL: tg.kernel @E_16
// CHECK-NOT: in_place
// CHECK-LABEL: tg.kernel @E_100
// CHECK-SAME: in_place
// CHECK: %[[P:.*]] = tg.range 0 loop 100
// CHECK: %[[I:.*]] = tg.load
// CHECK: tg.store %{{.*}}, %{{.*}}[%{{.*}}] mask %{{.*}} update add over %[[P]]
// CHECK-LABEL: func @scatter
// CHECK: tg.launch @E_16
// CHECK: tg.launch @E_100
func.func @scatter(%x: tensor<16xf32>, %i: tensor<100xi32>) -> tensor<16xf32> {
  %u = tg.const(1.0 : f32) : tensor<100xf32>
  %0 = tg.scatter add %x[%i], %u axis 0 : tensor<16xf32>, tensor<100xi32>, tensor<100xf32>
  return %0 : tensor<16xf32>
}

// -----

// Assigned to its own base, a scatter writes just the updates.
// CHECK-LABEL: tg.kernel
// CHECK: update set
// CHECK-LABEL: func @setitem
// CHECK-NOT: tg.alloc
// CHECK: tg.launch
// CHECK-NOT: tg.launch
// CHECK-NOT: tg.transfer
// CHECK: return
func.func @setitem(%x: tensor<16xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) -> tensor<16xf32> {
  %0 = tg.scatter set %x[%i], %u axis 0 : tensor<16xf32>, tensor<4xi32>, tensor<4xf32>
  %1 = tg.assign %x, %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// What the updates read of the old contents is computed before they change.
// CHECK-LABEL: func @reads_old
// CHECK: %[[T:.*]] = tg.alloc on "CPU" : memref<4xf32>
// CHECK-NOT: tg.alloc
// CHECK: tg.launch @{{.*}}(%[[T]], %{{.*}}) : memref<4xf32>
// CHECK: tg.launch @{{.*}}(%{{.*}}, %[[T]], %{{.*}}) : memref<16xf32>
// CHECK-NOT: tg.transfer
// CHECK: return
func.func @reads_old(%x: tensor<16xf32>, %i: tensor<4xi32>) -> tensor<16xf32> {
  %0 = tg.shrink %x from [4] to [8] : tensor<16xf32> -> tensor<4xf32>
  %1 = tg.neg %0 : tensor<4xf32>
  %2 = tg.scatter set %x[%i], %1 axis 0 : tensor<16xf32>, tensor<4xi32>, tensor<4xf32>
  %3 = tg.assign %x, %2 : tensor<16xf32>
  return %3 : tensor<16xf32>
}

// -----

// Of another base all is written.
// CHECK-LABEL: func @other_base
// CHECK-COUNT-2: tg.launch
func.func @other_base(%x: tensor<16xf32>, %y: tensor<16xf32>, %i: tensor<4xi32>, %u: tensor<4xf32>) -> tensor<16xf32> {
  %0 = tg.scatter set %y[%i], %u axis 0 : tensor<16xf32>, tensor<4xi32>, tensor<4xf32>
  %1 = tg.assign %x, %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// Sorting is a step of the host program, of values in memory.
// CHECK-LABEL: func @sort
// CHECK: %[[P:.*]] = tg.alloc on "CPU" : memref<32xi32>
// CHECK: %[[K:.*]] = tg.alloc on "CPU" : memref<32xf32>
// CHECK: tg.launch @{{.*}}(%[[K]], %{{.*}})
// CHECK: tg.sort %[[K]] to %[[P]] rows 4 length (8) descending : memref<32xf32>, memref<32xi32>
// CHECK: return %[[P]]
func.func @sort(%x: tensor<4x8xf32>) -> tensor<4x8xi32> {
  %0 = tg.neg %x : tensor<4x8xf32>
  %1 = tg.argsort %0 descending : tensor<4x8xf32> -> tensor<4x8xi32>
  return %1 : tensor<4x8xi32>
}

// -----

// Of the first positions there is memory for these alone.
// CHECK-LABEL: func @sort_first
// CHECK-SAME: (%[[X:.*]]: memref<32xf32>)
// CHECK: %[[P:.*]] = tg.alloc on "CPU" : memref<8xi32>
// CHECK: tg.sort %[[X]] to %[[P]] rows 4 length (8) descending : memref<32xf32>, memref<8xi32>
func.func @sort_first(%x: tensor<4x8xf32>) -> tensor<4x2xi32> {
  %1 = tg.argsort %x descending : tensor<4x8xf32> -> tensor<4x2xi32>
  return %1 : tensor<4x2xi32>
}

// -----

// An argument is sorted where it is; of a symbolic row, as many as it has.
// CHECK-LABEL: func @sort_symbolic
// CHECK-SAME: (%[[X:.*]]: memref<36xf32>)
// CHECK: tg.sort %[[X]] to %{{.*}} rows 4 length (#n) : memref<36xf32>, memref<36xi32>
func.func @sort_symbolic(%x: tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 9>>>) -> tensor<4x?xi32, #tg.shape<4, #tg.var<"n", 1, 9>>> {
  %1 = tg.argsort %x : tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 9>>> -> tensor<4x?xi32, #tg.shape<4, #tg.var<"n", 1, 9>>>
  return %1 : tensor<4x?xi32, #tg.shape<4, #tg.var<"n", 1, 9>>>
}
