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
