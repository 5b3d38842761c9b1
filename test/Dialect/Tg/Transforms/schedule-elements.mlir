// RUN: tg-opt %s --tg-schedule --split-input-file | FileCheck %s

// Memory of the actual size suffices if only the leading size is symbolic, also
// after sizes of 1. Others have the layout of the largest shape, and its memory.

#n = #tg.var<"n", 0, 64>
#m = #tg.var<"m", 1, 4>
// CHECK-LABEL: func.func @leading
// CHECK-SAME: (%{{[^:]*}}: memref<512xf32> {tg.elements = #tg.dim<#n * 8>},
// CHECK-SAME: %{{[^:]*}}: memref<1032xf32> {tg.elements = #tg.dim<#n * 16 + 8>},
// CHECK-SAME: %{{[^:]*}}: memref<64xf32> {tg.elements = #n},
// CHECK-SAME: %{{[^:]*}}: memref<512xf32>, %{{[^:]*}}: memref<256xf32>, %{{[^:]*}}: memref<8xf32>)
// CHECK-SAME: -> (memref<512xf32> {tg.elements = #tg.dim<#n * 8>}, memref<512xf32>)
func.func @leading(%rows: tensor<?x8xf32, #tg.shape<#n, 8>>,
                   %more: tensor<1x?x8xf32, #tg.shape<1, #n * 2 + 1, 8>>,
                   %vector: tensor<?x1x1xf32, #tg.shape<#n, 1, 1>>,
                   %columns: tensor<8x?xf32, #tg.shape<8, #n>>,
                   %both: tensor<?x?xf32, #tg.shape<#n, #m>>,
                   %static: tensor<1x8xf32>)
    -> (tensor<?x8xf32, #tg.shape<#n, 8>>, tensor<8x?xf32, #tg.shape<8, #n>>) {
  %0 = tg.expand %static : tensor<1x8xf32> -> tensor<?x8xf32, #tg.shape<#n, 8>>
  %1 = tg.add %rows, %0 : tensor<?x8xf32, #tg.shape<#n, 8>>
  %2 = tg.neg %columns : tensor<8x?xf32, #tg.shape<8, #n>>
  return %1, %2 : tensor<?x8xf32, #tg.shape<#n, 8>>, tensor<8x?xf32, #tg.shape<8, #n>>
}

// -----

// Without symbolic sizes nothing is stated.

// CHECK-LABEL: func.func @main
// CHECK-NOT: tg.elements
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tg.neg %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// Bounds of terms do not show that this is a size, which it is for all values.

// CHECK-LABEL: func.func @difference(
// CHECK-SAME:    %arg0: memref<9999xf32> {tg.elements = #tg.dim<#n * #n - min(#n * #n, #n)>})
#n = #tg.var<"n", 1, 100>
#s = #tg.dim<#n * #n - #n>
func.func @difference(%x: tensor<?xf32, #tg.shape<#s>>) -> tensor<?xf32, #tg.shape<#s>> {
  %0 = tg.neg %x : tensor<?xf32, #tg.shape<#s>>
  return %0 : tensor<?xf32, #tg.shape<#s>>
}

// -----

// A part of a stored value may be all of it, by the largest sizes. A caller's
// memory for the part may be too small for the value: it is computed alone.

#n = #tg.var<"n", 0, 3>
// CHECK-LABEL: tg.kernel @E_3_n0
// CHECK-SAME: (%[[OUT:[a-z0-9]+]]: memref<3xi32>,
// CHECK:         %[[I:[0-9]+]] = tg.range 0 loop 3
// CHECK:         tg.store %{{.*}}, %[[OUT]][%[[I]]]
// CHECK-LABEL: tg.kernel @E_n_n1
// CHECK-SAME: (%[[OUT:[a-z0-9]+]]: memref<3xi32>,
// CHECK:         %[[I:[0-9]+]] = tg.range 0 loop #n
// CHECK:         tg.store %{{.*}}, %[[OUT]][%[[I]]]
// CHECK-LABEL: func.func @part
// CHECK-SAME: -> (memref<3xi32>, memref<3xi32> {tg.elements = #n})
// CHECK:         tg.launch @E_3_n0(%[[WHOLE:[0-9]+]],
// CHECK:         tg.launch @E_n_n1(%[[PART:[0-9]+]],
// CHECK:         return %[[WHOLE]], %[[PART]]
func.func @part(%x: tensor<3xi32>)
    -> (tensor<3xi32>, tensor<?xi32, #tg.shape<#n>>) {
  %0 = tg.const(dense<[0, 5, 5]> : tensor<3xi32>) : tensor<3xi32>
  %1 = tg.shr %x, %0 : tensor<3xi32>
  %2 = tg.contiguous %1 : tensor<3xi32>
  %3 = tg.shrink %2 from [0] to [#n] : tensor<3xi32> -> tensor<?xi32, #tg.shape<#n>>
  return %2, %3 : tensor<3xi32>, tensor<?xi32, #tg.shape<#n>>
}

// -----

// A view of as many elements is in the memory of what it is a view of.

#n = #tg.var<"n", 0, 3>
// CHECK-LABEL: func.func @reshaped
// CHECK-SAME: -> (memref<12xi32> {tg.elements = #tg.dim<#n * 4>}, memref<12xi32> {tg.elements = #tg.dim<#n * 4>})
// CHECK-COUNT-1: tg.launch
// CHECK-NOT: tg.launch
// CHECK:     return %[[X:.*]], %[[X]]
func.func @reshaped(%x: tensor<?x4xi32, #tg.shape<#n, 4>>)
    -> (tensor<?x4xi32, #tg.shape<#n, 4>>, tensor<?xi32, #tg.shape<#n * 4>>) {
  %0 = tg.neg %x : tensor<?x4xi32, #tg.shape<#n, 4>>
  %1 = tg.reshape %0 : tensor<?x4xi32, #tg.shape<#n, 4>> -> tensor<?xi32, #tg.shape<#n * 4>>
  return %0, %1 : tensor<?x4xi32, #tg.shape<#n, 4>>, tensor<?xi32, #tg.shape<#n * 4>>
}

// -----

// As above, of what was copied from another device.

#n = #tg.var<"n", 0, 3>
// CHECK-LABEL: func.func @copied
// CHECK-SAME: -> (memref<3xi32> {tg.elements = #n}, memref<3xi32>)
// CHECK:         tg.transfer %{{.*}} to %[[COPY:[0-9]+]]
// CHECK:         tg.launch @{{.*}}(%[[PART:[0-9]+]], %[[COPY]])
// CHECK:         tg.launch @{{.*}}(%[[NEG:[0-9]+]], %[[COPY]])
// CHECK:         return %[[PART]], %[[NEG]]
func.func @copied(%x: tensor<3xi32>)
    -> (tensor<?xi32, #tg.shape<#n>>, tensor<3xi32>) {
  %0 = tg.copy %x to "CPU:1" : tensor<3xi32>
  %1 = tg.shrink %0 from [0] to [#n] : tensor<3xi32> -> tensor<?xi32, #tg.shape<#n>>
  %2 = tg.neg %0 : tensor<3xi32>
  return %1, %2 : tensor<?xi32, #tg.shape<#n>>, tensor<3xi32>
}
