// Graphs of symbolic shapes: ranges have symbolic extents, strides are those of
// the largest shape, variables enter kernels as values.

// RUN: tg-opt -split-input-file -tg-schedule %s | FileCheck %s

// CHECK-LABEL: tg.kernel @E_n_m_n0
// CHECK-SAME:    (%[[O:.*]]: memref<40xf32>, %[[X:.*]]: memref<48xf32>)
// CHECK-DAG:     %[[I:.*]] = tg.range 0 loop #n
// CHECK-DAG:     %[[J:.*]] = tg.range 1 loop #m
// CHECK-DAG:     %[[SIX:.*]] = tg.const(6 : index)
// CHECK-DAG:     %[[ROW:.*]] = tg.mul %[[I]], %[[SIX]]
// CHECK:         tg.load %[[X]]
// CHECK-NOT:     mask
// CHECK-DAG:     tg.const(5 : index)
// CHECK:         tg.store %{{.*}}, %[[O]]
#n = #tg.var<"n", 1, 8>
#m = #tg.var<"m", 0, 5>
!v = tensor<?x?xf32, #tg.shape<#n, #m>>
func.func @part(%x: tensor<8x6xf32>) -> !v {
  %0 = tg.shrink %x from [0, 0] to [#n, #m] : tensor<8x6xf32> -> !v
  %1 = tg.neg %0 : !v
  return %1 : !v
}

// -----

// A pad by a symbolic amount: the mask compares with it.
// CHECK-LABEL: tg.kernel @E_12_n0
// CHECK:         %[[I:.*]] = tg.range 0 loop 12
// CHECK:         %[[N:.*]] = tg.dim(#n) : index
// CHECK:         %[[IN:.*]] = tg.cmplt %[[I]], %[[N]]
// CHECK:         tg.load %{{.*}}[%[[I]]] mask %[[IN]]
#n = #tg.var<"n", 1, 8>
#rest = #tg.dim<add, 12, #tg.dim<mul, #n, -1>>
func.func @padded(%x: tensor<?xf32, #tg.shape<#n>>) -> tensor<12xf32> {
  %0 = tg.pad %x low [0] high [#rest] : tensor<?xf32, #tg.shape<#n>> -> tensor<12xf32>
  return %0 : tensor<12xf32>
}

// -----

// A reduction over a symbolic axis, divided by its length.
// CHECK-LABEL: tg.kernel @r_4_n_n0
// CHECK:         %[[K:.*]] = tg.range 1 loop #n
// CHECK:         %[[S:.*]] = tg.ranged_reduce add %{{.*}} over %[[K]]
// CHECK:         %[[N:.*]] = tg.dim(#n) : index
// CHECK:         %[[L:.*]] = tg.cast %[[N]] : index -> i64
// CHECK:         %[[F:.*]] = tg.cast %[[L]] : i64 -> f32
// CHECK:         tg.fdiv %[[S]], %[[F]]
#n = #tg.var<"n", 1, 8>
func.func @mean(%x: tensor<4x?xf32, #tg.shape<4, #n>>) -> tensor<4x1xf32> {
  %0 = tg.reduce add %x axes [1] : tensor<4x?xf32, #tg.shape<4, #n>> -> tensor<4x1xf32>
  %1 = tg.dim(#n) : tensor<4x1xf32>
  %2 = tg.fdiv %0, %1 : tensor<4x1xf32>
  return %2 : tensor<4x1xf32>
}

// -----

// Of a range of one position at most no index depends; where it has none,
// nothing is written.
// CHECK-LABEL: tg.kernel
// CHECK-DAG:     %[[ZERO:.*]] = tg.const(0 : index)
// CHECK-DAG:     %[[N:.*]] = tg.dim(#n) : index
// CHECK:         %[[ANY:.*]] = tg.cmplt %[[ZERO]], %[[N]]
// CHECK:         tg.store %{{.*}}, %{{.*}}[%{{.*}}] mask %[[ANY]]
#n = #tg.var<"n", 0, 1>
func.func @one_or_none(%x: tensor<1xi64>, %y: tensor<1xi64>) {
  %0 = tg.shrink %x from [0] to [#n] : tensor<1xi64> -> tensor<?xi64, #tg.shape<#n>>
  %1 = tg.expand %y : tensor<1xi64> -> tensor<?xi64, #tg.shape<#n>>
  %2 = tg.assign %0, %1 : tensor<?xi64, #tg.shape<#n>>
  return
}

// -----

// No elements at all: no kernel.
// CHECK-LABEL: func.func @none
// CHECK-NEXT:    return
#n = #tg.var<"n", 0, 0>
func.func @none(%x: tensor<?xi64, #tg.shape<#n>>, %y: tensor<?xi64, #tg.shape<#n>>) {
  %0 = tg.assign %x, %y : tensor<?xi64, #tg.shape<#n>>
  return
}

// -----

// A cache that grows: the assignment writes at a symbolic place of the
// argument, the attention over it reads the contents after that, no copy.
// CHECK-LABEL: tg.kernel @E_4_n
// CHECK:         tg.dim(#p * 4) : index
// CHECK:         tg.store
// CHECK-LABEL: tg.kernel @r_4_pp1
// CHECK:         tg.range 1 loop #p + 1
// CHECK-LABEL: func.func @cache
// CHECK-NOT:     tg.transfer
// CHECK:         tg.launch @E_4_n{{.*}}(%arg0, %arg1)
// CHECK:         tg.launch @r_4_pp1_n{{.*}}(%{{.*}}, %arg0)
#p = #tg.var<"p", 0, 15>
#q = #tg.dim<add, #p, 1>
!c = tensor<16x4xf32>
!s = tensor<?x4xf32, #tg.shape<#q, 4>>
func.func @cache(%cache: !c, %k: tensor<1x4xf32>) -> tensor<1x4xf32> {
  %0 = tg.shrink %cache from [#p, 0] to [#q, 4] : !c -> tensor<1x4xf32>
  %1 = tg.assign %0, %k : tensor<1x4xf32>
  %2 = tg.after %cache[%1 : tensor<1x4xf32>] : !c
  %3 = tg.shrink %2 from [0, 0] to [#q, 4] : !c -> !s
  %4 = tg.reduce add %3 axes [0] : !s -> tensor<1x4xf32>
  return %4 : tensor<1x4xf32>
}

// -----

// So with another axis beside it: simplification would take the range out of
// the index.
// CHECK-LABEL: tg.kernel @E_n_4
// CHECK:         %[[ANY:.*]] = tg.cmplt
// CHECK:         tg.store %{{.*}}, %{{.*}}[%{{.*}}] mask %[[ANY]]
#n = #tg.var<"n", 0, 1>
!v = tensor<?x4xi64, #tg.shape<#n, 4>>
func.func @rows_or_none(%x: !v, %y: !v) {
  %0 = tg.neg %y : !v
  %1 = tg.assign %x, %0 : !v
  return
}

// -----

// Along an axis of one element or none: what is read if there is one is not
// there if there is none. The range is 0 in each index, so masks say it.
// CHECK-LABEL: tg.kernel @E_n
// CHECK:         %[[ANY:.*]] = tg.cmplt %{{.*}}, %{{.*}} : index
// CHECK:         tg.load %{{.*}}[%{{.*}}] mask %[[ANY]] : memref<9xf32>
// CHECK:         tg.store %{{.*}} mask %[[ANY]] : memref<1xf32>
#n = #tg.var<"n", 0, 1>
#from = #tg.dim<add, #tg.dim<mul, #n, -1>, 9>
func.func @last_or_none(%x: tensor<9xf32>) -> tensor<?xf32, #tg.shape<#n>> {
  %0 = tg.shrink %x from [#from] to [9] : tensor<9xf32> -> tensor<?xf32, #tg.shape<#n>>
  %1 = tg.neg %0 : tensor<?xf32, #tg.shape<#n>>
  return %1 : tensor<?xf32, #tg.shape<#n>>
}

// -----

// The same of an axis that is reduced.
// CHECK-LABEL: tg.kernel @r_4_n
// CHECK:         %[[ANY:.*]] = tg.cmplt %{{.*}}, %{{.*}} : index
// CHECK:         tg.load %{{.*}}[%{{.*}}] mask %[[ANY]] : memref<36xf32>
// CHECK:         tg.ranged_reduce
// CHECK-NOT:     mask
#n = #tg.var<"n", 0, 1>
#from = #tg.dim<add, #tg.dim<mul, #n, -1>, 9>
#s = #tg.shape<4, #n>
func.func @sum_of_last_or_none(%x: tensor<4x9xf32>) -> tensor<4x1xf32> {
  %0 = tg.shrink %x from [0, #from] to [4, 9] : tensor<4x9xf32> -> tensor<4x?xf32, #s>
  %1 = tg.exp2 %0 : tensor<4x?xf32, #s>
  %2 = tg.reduce add %1 axes [1] : tensor<4x?xf32, #s> -> tensor<4x1xf32>
  return %2 : tensor<4x1xf32>
}

// -----

// Where there is a position no size is 0, so that indices are as short as with
// sizes from 1 on.

// CHECK-LABEL: tg.kernel @r_512_8_k_n0
// CHECK-NOT: floordiv
// CHECK-NOT: floormod
// CHECK: tg.store
#k = #tg.var<"k", 0, 512>
!a = tensor<512x?xf32, #tg.shape<512, #k>>
!a3 = tensor<512x1x?xf32, #tg.shape<512, 1, #k>>
!p = tensor<512x8x?xf32, #tg.shape<512, 8, #k>>
func.func @may_be_empty(%a: !a) -> tensor<512x8x1xf32> {
  %0 = tg.reshape %a : !a -> !a3
  %1 = tg.expand %0 : !a3 -> !p
  %2 = tg.exp2 %1 : !p
  %3 = tg.reduce add %2 axes [2] : !p -> tensor<512x8x1xf32>
  return %3 : tensor<512x8x1xf32>
}
