// RUN: tg-opt %s -split-input-file -canonicalize -tg-schedule -tg-narrow-buffers \
// RUN:   -tg-dedup-kernels -tg-collapse-reduce -canonicalize | FileCheck %s
// RUN: tg-opt %s -split-input-file -tg-schedule -o /dev/null \
// RUN:   --remark-format=emitRemark --remarks-filter=tg-schedule 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Tensors are joined by choosing by position between padded ones. Few small ones
// are one kernel.

// CHECK-LABEL: tg.kernel @E_12_n0
// CHECK-COUNT-2: tg.load
// CHECK-NOT:     tg.kernel
// CHECK-LABEL: func.func @few
// CHECK-COUNT-1: tg.launch
// CHECK-NOT:     tg.launch
func.func @few(%a: tensor<8xf32>, %b: tensor<4xf32>) -> tensor<12xf32> {
  %p = tg.iota 0 : tensor<12xi32>
  %c = tg.const(8 : i32) : tensor<12xi32>
  %m = tg.cmplt %p, %c : tensor<12xi32>
  %x = tg.pad %a low [0] high [4] : tensor<8xf32> -> tensor<12xf32>
  %y = tg.pad %b low [8] high [0] : tensor<4xf32> -> tensor<12xf32>
  %r = tg.where %m, %x, %y : tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

// Large ones are a kernel each, which computes nothing of the others. What
// follows elementwise is computed in it. Equal parts are one kernel.

// CHECK-LABEL: tg.kernel @E_2_50000_n
// CHECK-SAME:    (%[[OUT:.*]]: memref<100000xf32>, %[[A:.*]]: memref<100000xf32>)
// CHECK-NOT:     in_place
// CHECK:         %[[X:.*]] = tg.load %[[A]][%[[I:.*]]] : memref<100000xf32>
// CHECK-NEXT:    %[[Y:.*]] = tg.neg %[[X]]
// CHECK-NEXT:    tg.store %[[Y]], %[[OUT]][%[[I]]]
// CHECK-NOT:     tg.kernel
// CHECK-LABEL: func.func @large
// CHECK-SAME:    (%[[A:.*]]: memref<100000xf32>, %[[B:.*]]: memref<100000xf32>)
// CHECK:         %[[R:.*]] = tg.alloc on "CPU" : memref<200000xf32>
// CHECK-DAG:     %[[V0:.*]] = tg.subbuffer %[[R]] at (0) : memref<200000xf32> -> memref<100000xf32>
// CHECK-DAG:     %[[V1:.*]] = tg.subbuffer %[[R]] at (400000) : memref<200000xf32> -> memref<100000xf32>
// CHECK:         tg.launch @[[K:.*]](%[[V1]], %[[B]])
// CHECK:         tg.launch @[[K]](%[[V0]], %[[A]])
// REMARK:      tg.neg [4, 50000] gets a buffer in 2 parts: it is a result
func.func @large(%a: tensor<2x50000xf32>, %b: tensor<2x50000xf32>) -> tensor<4x50000xf32> {
  %p = tg.iota 0 : tensor<4x50000xi32>
  %c = tg.const(2 : i32) : tensor<4x50000xi32>
  %m = tg.cmplt %p, %c : tensor<4x50000xi32>
  %x = tg.pad %a low [0, 0] high [2, 0] : tensor<2x50000xf32> -> tensor<4x50000xf32>
  %y = tg.pad %b low [2, 0] high [0, 0] : tensor<2x50000xf32> -> tensor<4x50000xf32>
  %s = tg.where %m, %x, %y : tensor<4x50000xf32>
  %r = tg.neg %s : tensor<4x50000xf32>
  return %r : tensor<4x50000xf32>
}

// -----

// Parts along an inner axis, which are not contiguous. The second begins where no
// line of memory does.

// CHECK-LABEL: tg.kernel @E_1000_101_n
// CHECK-SAME:    memref<199901xf32>
// CHECK-SAME:    in_place
// CHECK-LABEL: tg.kernel @E_1000_99_n
// CHECK-SAME:    memref<199899xf32>
// CHECK-NOT:     in_place
// CHECK-LABEL: func.func @columns
// CHECK-DAG:     tg.subbuffer %[[R:.*]] at (0) : memref<200000xf32> -> memref<199899xf32>
// CHECK-DAG:     tg.subbuffer %[[R]] at (396) : memref<200000xf32> -> memref<199901xf32>
func.func @columns(%a: tensor<1000x99xf32>, %b: tensor<1000x101xf32>) -> tensor<1000x200xf32> {
  %p = tg.iota 1 : tensor<1000x200xi32>
  %c = tg.const(98 : i32) : tensor<1000x200xi32>
  %m = tg.cmplt %c, %p : tensor<1000x200xi32>
  %x = tg.pad %a low [0, 0] high [0, 101] : tensor<1000x99xf32> -> tensor<1000x200xf32>
  %y = tg.pad %b low [0, 99] high [0, 0] : tensor<1000x101xf32> -> tensor<1000x200xf32>
  %r = tg.where %m, %y, %x : tensor<1000x200xf32>
  return %r : tensor<1000x200xf32>
}

// -----

// Where rows are so short that each part would touch all lines of memory, there
// is one kernel.

// CHECK-LABEL: tg.kernel @E_100000_2_n0
// CHECK-NOT:     tg.kernel
// CHECK-LABEL: func.func @interleaved
func.func @interleaved(%a: tensor<100000x1xf32>, %b: tensor<100000x1xf32>) -> tensor<100000x2xf32> {
  %p = tg.iota 1 : tensor<100000x2xi32>
  %c = tg.const(1 : i32) : tensor<100000x2xi32>
  %m = tg.cmplt %p, %c : tensor<100000x2xi32>
  %x = tg.pad %a low [0, 0] high [0, 1] : tensor<100000x1xf32> -> tensor<100000x2xf32>
  %y = tg.pad %b low [0, 1] high [0, 0] : tensor<100000x1xf32> -> tensor<100000x2xf32>
  %r = tg.where %m, %x, %y : tensor<100000x2xf32>
  return %r : tensor<100000x2xf32>
}

// -----

// A part of joined tensors is read from the one that it lies in.

// CHECK-LABEL: tg.kernel @E_3_n0
// CHECK-COUNT-1: tg.load
// CHECK-NOT:     tg.load
// CHECK-LABEL: func.func @inside
func.func @inside(%a: tensor<8xf32>, %b: tensor<4xf32>) -> tensor<3xf32> {
  %p = tg.iota 0 : tensor<12xi32>
  %c = tg.const(8 : i32) : tensor<12xi32>
  %m = tg.cmplt %p, %c : tensor<12xi32>
  %x = tg.pad %a low [0] high [4] : tensor<8xf32> -> tensor<12xf32>
  %y = tg.pad %b low [8] high [0] : tensor<4xf32> -> tensor<12xf32>
  %r = tg.where %m, %x, %y : tensor<12xf32>
  %i = tg.shrink %r from [5] to [8] : tensor<12xf32> -> tensor<3xf32>
  %n = tg.neg %i : tensor<3xf32>
  return %n : tensor<3xf32>
}

// -----

// Positions wrap in a type that is too small for them: no boundary.

// CHECK-LABEL: tg.kernel @E_200000_n0
// CHECK-NOT:     tg.kernel
// CHECK-LABEL: func.func @wrapping
func.func @wrapping(%a: tensor<200000xf32>, %b: tensor<200000xf32>) -> tensor<200000xf32> {
  %p = tg.iota 0 : tensor<200000xi16>
  %c = tg.const(8 : i16) : tensor<200000xi16>
  %m = tg.cmplt %p, %c : tensor<200000xi16>
  %r = tg.where %m, %a, %b : tensor<200000xf32>
  return %r : tensor<200000xf32>
}

// -----

// What is asked to be contiguous is read from its buffer, not from its parts.

// CHECK-LABEL: func.func @stored
// CHECK-COUNT-2: tg.launch
// CHECK-NOT:     tg.launch
func.func @stored(%a: tensor<8xf32>, %b: tensor<4xf32>) -> tensor<3xf32> {
  %p = tg.iota 0 : tensor<12xi32>
  %c = tg.const(8 : i32) : tensor<12xi32>
  %m = tg.cmplt %p, %c : tensor<12xi32>
  %x = tg.pad %a low [0] high [4] : tensor<8xf32> -> tensor<12xf32>
  %y = tg.pad %b low [8] high [0] : tensor<4xf32> -> tensor<12xf32>
  %w = tg.where %m, %x, %y : tensor<12xf32>
  %r = tg.contiguous %w : tensor<12xf32>
  %i = tg.shrink %r from [5] to [8] : tensor<12xf32> -> tensor<3xf32>
  %n = tg.neg %i : tensor<3xf32>
  return %n : tensor<3xf32>
}
