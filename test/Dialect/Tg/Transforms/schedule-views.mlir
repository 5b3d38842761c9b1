// RUN: tg-opt %s -split-input-file -tg-schedule | FileCheck %s

// Contiguous parts of an argument cost no kernel.

// CHECK-NOT:   tg.kernel
// CHECK-LABEL: func.func @parts_of_arguments
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<12xf32>)
// CHECK:         %[[V:.*]] = tg.subbuffer %[[Y]] at (32) : memref<12xf32> -> memref<3xf32>
// CHECK:         return %[[X]], %[[X]], %[[X]], %[[V]], %[[X]]
func.func @parts_of_arguments(%x: tensor<4xf32>, %y: tensor<2x6xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<1x3xf32>, tensor<4xf32>) {
  %r = tg.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
  %s = tg.shrink %y from [1, 2] to [2, 5] : tensor<2x6xf32> -> tensor<1x3xf32>
  %d = tg.detach %x : tensor<4xf32>
  %c = tg.contiguous %d : tensor<4xf32>
  return %x, %x, %r, %s, %c : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<1x3xf32>, tensor<4xf32>
}

// -----

// bool takes a byte each.

// CHECK-LABEL: func.func @offset_of_bool
// CHECK:         tg.subbuffer %{{.*}} at (3) : memref<8xi1> -> memref<2xi1>
func.func @offset_of_bool(%x: tensor<8xi1>) -> tensor<2xi1> {
  %s = tg.shrink %x from [3] to [5] : tensor<8xi1> -> tensor<2xi1>
  return %s : tensor<2xi1>
}

// -----

// Parts that are not contiguous, and elements in another order, are copied.

// CHECK-COUNT-3: tg.kernel
// CHECK-LABEL: func.func @copied
// CHECK-COUNT-3: tg.launch
// CHECK-NOT:     tg.subbuffer
func.func @copied(%y: tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<6x2xf32>, tensor<2x6xf32>) {
  %s = tg.shrink %y from [0, 2] to [2, 5] : tensor<2x6xf32> -> tensor<2x3xf32>
  %p = tg.permute %y [1, 0] : tensor<2x6xf32> -> tensor<6x2xf32>
  %f = tg.flip %y axes [0] : tensor<2x6xf32>
  return %s, %p, %f : tensor<2x3xf32>, tensor<6x2xf32>, tensor<2x6xf32>
}

// -----

// Of a computed tensor only the part that is returned is computed.

// CHECK-LABEL: tg.kernel @E_3_n0
// CHECK-LABEL: func.func @part_of_computed
// CHECK:         tg.alloc on "CPU" : memref<3xf32>
func.func @part_of_computed(%x: tensor<100xf32>) -> tensor<3xf32> {
  %n = tg.neg %x : tensor<100xf32>
  %s = tg.shrink %n from [5] to [8] : tensor<100xf32> -> tensor<3xf32>
  return %s : tensor<3xf32>
}

// -----

// Each view becomes arithmetic on the index of one load.

// CHECK-LABEL: tg.kernel
// CHECK-DAG:     %[[I:.*]] = tg.range 0 loop 3
// CHECK-DAG:     %[[J:.*]] = tg.range 1 loop 2
// CHECK-COUNT-1: tg.load
// CHECK-NOT:     tg.load
// CHECK-NOT:     tg.floordiv
// CHECK:         tg.store
// CHECK-LABEL: func.func @permute_flip_shrink
func.func @permute_flip_shrink(%x: tensor<4x6xf32>) -> tensor<3x2xf32> {
  %s = tg.shrink %x from [1, 2] to [3, 5] : tensor<4x6xf32> -> tensor<2x3xf32>
  %f = tg.flip %s axes [1] : tensor<2x3xf32>
  %p = tg.permute %f [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %p : tensor<3x2xf32>
}

// -----

// The result is the permuted tensor's buffer, in another shape.

// CHECK-LABEL: tg.kernel @E_6_4_n0
// CHECK-NOT:     tg.floordiv
// CHECK-LABEL: func.func @join_permuted_result
func.func @join_permuted_result(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %p = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %r = tg.reshape %p : tensor<6x4xf32> -> tensor<24xf32>
  return %r : tensor<24xf32>
}

// -----

// A reshape that only cuts or joins axes needs no division.

// CHECK-LABEL: tg.kernel
// CHECK-NOT:     tg.floordiv
// CHECK-NOT:     tg.floormod
// CHECK-LABEL: func.func @split_and_join
func.func @split_and_join(%x: tensor<4x6x5xf32>) -> tensor<2x2x30xf32> {
  %n = tg.reshape %x : tensor<4x6x5xf32> -> tensor<4x30xf32>
  %r = tg.reshape %n : tensor<4x30xf32> -> tensor<2x2x30xf32>
  %e = tg.exp2 %r : tensor<2x2x30xf32>
  return %e : tensor<2x2x30xf32>
}

// -----

// Others do.

// CHECK-LABEL: tg.kernel
// CHECK-DAG:     tg.floordiv
// CHECK-DAG:     tg.floormod
// CHECK-LABEL: func.func @join_permuted
func.func @join_permuted(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %p = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %r = tg.reshape %p : tensor<6x4xf32> -> tensor<24xf32>
  %n = tg.neg %r : tensor<24xf32>
  return %n : tensor<24xf32>
}

// -----

// Around a padded tensor nothing is read: the load is masked, and what was
// computed from it is not taken.

// CHECK-LABEL: tg.kernel
// CHECK:         tg.range 0 loop 7
// CHECK:         %[[M:.*]] = tg.and
// CHECK:         %[[X:.*]] = tg.load %{{.*}} mask %[[M]]
// CHECK:         %[[E:.*]] = tg.exp2 %[[X]]
// CHECK:         tg.where %[[M]], %[[E]], %{{.*}} : f32
// CHECK-LABEL: func.func @pad
func.func @pad(%x: tensor<4xf32>) -> tensor<7xf32> {
  %e = tg.exp2 %x : tensor<4xf32>
  %p = tg.pad %e low [1] high [2] : tensor<4xf32> -> tensor<7xf32>
  return %p : tensor<7xf32>
}

// -----

// A condition that always holds is none.

// CHECK-LABEL: tg.kernel
// CHECK:         tg.cmplt
// CHECK-NOT:     tg.cmplt
// CHECK-NOT:     tg.and
// CHECK-LABEL: func.func @pad_on_one_side
func.func @pad_on_one_side(%x: tensor<4xf32>) -> tensor<6xf32> {
  %p = tg.pad %x low [0] high [2] : tensor<4xf32> -> tensor<6xf32>
  return %p : tensor<6xf32>
}

// -----

// A part that leaves the padding out reads without a mask.

// CHECK-LABEL: tg.kernel
// CHECK-NOT:     mask
// CHECK-NOT:     tg.where
// CHECK-LABEL: func.func @pad_and_shrink
func.func @pad_and_shrink(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = tg.pad %x low [3] high [2] : tensor<4xf32> -> tensor<9xf32>
  %s = tg.shrink %p from [3] to [7] : tensor<9xf32> -> tensor<4xf32>
  %n = tg.neg %s : tensor<4xf32>
  return %n : tensor<4xf32>
}

// -----

// A contiguous part at a symbolic place is a view as well.
// CHECK-LABEL: func.func @symbolic_part
// CHECK-SAME:    (%[[X:.*]]: memref<80xf32>)
// CHECK-NEXT:    %[[V:.*]] = tg.subbuffer %[[X]] at (#s * 32) : memref<80xf32> -> memref<32xf32>
// CHECK-NEXT:    %[[W:.*]] = tg.subbuffer %[[X]] at (0) : memref<80xf32> -> memref<56xf32>
// CHECK-NEXT:    return %[[V]], %[[W]]
#s = #tg.var<"s", 0, 6>
#n = #tg.var<"n", 1, 7>
func.func @symbolic_part(%x: tensor<10x8xf32>) -> (tensor<4x8xf32>, tensor<?x8xf32, #tg.shape<#n, 8>>) {
  %0 = tg.shrink %x from [#s, 0] to [#tg.dim<add, #s, 4>, 8] : tensor<10x8xf32> -> tensor<4x8xf32>
  %1 = tg.contiguous %0 : tensor<4x8xf32>
  %2 = tg.shrink %x from [0, 0] to [#n, 8] : tensor<10x8xf32> -> tensor<?x8xf32, #tg.shape<#n, 8>>
  return %1, %2 : tensor<4x8xf32>, tensor<?x8xf32, #tg.shape<#n, 8>>
}

// -----

// In memory, rows are as far apart as those of the largest shape. So a reshape
// is the same memory if only its outermost size varies, and a kernel otherwise.
// CHECK-LABEL: func.func @symbolic_reshape
// CHECK-SAME: (%[[X:.*]]: memref<32xf32> {tg.elements = #tg.dim<#n * 4>}, %[[Y:.*]]: memref<32xf32>)
// CHECK-NOT:     tg.launch
// CHECK:         %[[O:.*]] = tg.alloc on "CPU" : memref<32xf32>
// CHECK:         tg.launch @{{.*}}(%[[O]], %[[Y]])
// CHECK-NEXT:    return %[[X]], %[[O]]
#n = #tg.var<"n", 1, 8>
#n4 = #tg.dim<mul, #n, 4>
func.func @symbolic_reshape(%x: tensor<?x4xf32, #tg.shape<#n, 4>>, %y: tensor<4x?xf32, #tg.shape<4, #n>>) -> (tensor<?xf32, #tg.shape<#n4>>, tensor<?xf32, #tg.shape<#n4>>) {
  %0 = tg.reshape %x : tensor<?x4xf32, #tg.shape<#n, 4>> -> tensor<?xf32, #tg.shape<#n4>>
  %1 = tg.reshape %y : tensor<4x?xf32, #tg.shape<4, #n>> -> tensor<?xf32, #tg.shape<#n4>>
  return %0, %1 : tensor<?xf32, #tg.shape<#n4>>, tensor<?xf32, #tg.shape<#n4>>
}

// -----

// A part whose size depends on where it begins: memory for its largest size
// would reach beyond the argument.
// CHECK-LABEL: func.func @symbolic_rest
// CHECK-SAME:    (%[[X:.*]]: memref<8xf32>)
// CHECK:         tg.launch
#n = #tg.var<"n", 0, 8>
!r = tensor<?xf32, #tg.shape<#tg.dim<add, 8, #tg.dim<mul, #n, -1>>>>
func.func @symbolic_rest(%x: tensor<8xf32>) -> !r {
  %0 = tg.shrink %x from [#n] to [8] : tensor<8xf32> -> !r
  return %0 : !r
}

// -----

// Views of views, and a part of a reshaped tensor at a symbolic position: what
// follows one another in memory costs no kernel, whatever it went through.

// CHECK-LABEL: func.func @views_of_views
// CHECK-SAME:    (%[[X:.*]]: memref<24xf32>, %[[Y:.*]]: memref<8xf32>)
// CHECK-DAG:     %[[A:.*]] = tg.subbuffer %[[X]] at (56) : memref<24xf32> -> memref<3xf32>
// CHECK-DAG:     %[[B:.*]] = tg.subbuffer %[[Y]] at (#p * 4) : memref<8xf32> -> memref<4xf32>
// CHECK-NOT:     tg.launch
// CHECK:         return %[[A]], %[[X]], %[[B]]
#p = #tg.var<"p", 0, 4>
func.func @views_of_views(%x: tensor<4x6xf32>, %y: tensor<8xf32>) -> (tensor<3xf32>, tensor<24xf32>, tensor<4xf32>) {
  %0 = tg.shrink %x from [2, 0] to [4, 6] : tensor<4x6xf32> -> tensor<2x6xf32>
  %1 = tg.contiguous %0 : tensor<2x6xf32>
  %2 = tg.reshape %1 : tensor<2x6xf32> -> tensor<12xf32>
  %3 = tg.shrink %2 from [2] to [5] : tensor<12xf32> -> tensor<3xf32>
  %4 = tg.contiguous %3 : tensor<3xf32>
  %5 = tg.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  %6 = tg.flip %5 axes [1] : tensor<6x4xf32>
  %7 = tg.permute %6 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
  %8 = tg.flip %7 axes [0] : tensor<4x6xf32>
  %9 = tg.reshape %8 : tensor<4x6xf32> -> tensor<24xf32>
  %10 = tg.shrink %y from [#p] to [#tg.dim<add, #p, 4>] : tensor<8xf32> -> tensor<4xf32>
  %11 = tg.reshape %10 : tensor<4xf32> -> tensor<2x2xf32>
  %12 = tg.contiguous %11 : tensor<2x2xf32>
  %13 = tg.reshape %12 : tensor<2x2xf32> -> tensor<4xf32>
  return %4, %9, %13 : tensor<3xf32>, tensor<24xf32>, tensor<4xf32>
}
