// RUN: tg-opt --canonicalize %s | FileCheck %s

// One element is its own scan; no positions update nothing.
// CHECK-LABEL: func @folds
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>, %[[I:.*]]: tensor<0x1xi32>, %[[U:.*]]: tensor<0x1xf32>)
// CHECK-NEXT: return %[[X]], %[[X]]
func.func @folds(%x: tensor<4x1xf32>, %i: tensor<0x1xi32>, %u: tensor<0x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>) {
  %0 = tg.scan add %x axis 1 : tensor<4x1xf32>
  %1 = tg.scatter set %x[%i], %u axis 0 : tensor<4x1xf32>, tensor<0x1xi32>, tensor<0x1xf32>
  return %0, %1 : tensor<4x1xf32>, tensor<4x1xf32>
}

// An update of one element may leave others; a row of a length that may be 1 is
// scanned all the same.
// CHECK-LABEL: func @stays
// CHECK: tg.scan add
// CHECK: tg.scan max
// CHECK: tg.scatter set
func.func @stays(%x: tensor<4x1xf32>, %i: tensor<1x1xi32>, %u: tensor<1x1xf32>, %v: tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9>>>)
    -> (tensor<4x1xf32>, tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9>>>, tensor<4x1xf32>) {
  %0 = tg.scan add %x axis 0 : tensor<4x1xf32>
  %1 = tg.scan max %v axis 0 : tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9>>>
  %2 = tg.scatter set %x[%i], %u axis 0 : tensor<4x1xf32>, tensor<1x1xi32>, tensor<1x1xf32>
  return %0, %1, %2 : tensor<4x1xf32>, tensor<?xf32, #tg.shape<#tg.var<"n", 1, 9>>>, tensor<4x1xf32>
}

// CHECK-LABEL: tg.kernel @over_nothing
// CHECK: %[[X:.*]] = tg.load
// CHECK-NEXT: tg.store %[[X]]
tg.kernel @over_nothing(%out: memref<1xf32>, %a: memref<1xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %x = tg.load %a[%zero] : memref<1xf32>
  %s = tg.ranged_scan add %x over : f32
  tg.store %s, %out[%zero] : memref<1xf32>
}
