// RUN: tg-opt %s -split-input-file --tg-name-sizes="sizes=arg0:0=n[1,4];arg1:0=m[1,4]" | FileCheck %s

// Sizes that are computed from named ones.

// CHECK-DAG: #[[N:.*]] = #tg.var<"n", 1, 4>
// CHECK-DAG: #[[M:.*]] = #tg.var<"m", 1, 4>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> (tensor<?x2xf32, #tg.shape<#[[M]] + #[[N]], 2>>, tensor<?xf32, #tg.shape<#[[M]] * 2 + #[[N]] * 2>>, tensor<?x2xf32, #tg.shape<#[[N]] + 3, 2>>, tensor<?x2xf32, #tg.shape<#[[N]] - 1, 2>>, tensor<?x2xf32>)
// Nothing is left of how sizes are found.
// CHECK-NOT: affine.apply
func.func @main(%x: tensor<?x2xf32>, %y: tensor<?x2xf32>)
    -> (tensor<?x2xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = tensor.concat dim(0) %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  // The size is known only after that of its operand.
  %e = math.exp %0 : tensor<?x2xf32>
  %1 = tensor.collapse_shape %e [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %2 = tensor.pad %x low[1, 0] high[2, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x2xf32> to tensor<?x2xf32>
  %n = tensor.dim %x, %c0 : tensor<?x2xf32>
  %less = arith.subi %n, %c1 : index
  %3 = tensor.extract_slice %x[1, 0] [%less, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  // This may be negative.
  %two = arith.subi %n, %c2 : index
  %4 = tensor.extract_slice %x[2, 0] [%two, 2] [1, 1] : tensor<?x2xf32> to tensor<?x2xf32>
  return %e, %1, %2, %3, %4 : tensor<?x2xf32>, tensor<?xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}

// -----

// A loop that makes a tensor larger, and a size that is a number.

// CHECK-LABEL: func.func @main(
// CHECK: tensor.concat {{.*}} -> tensor<?xf32>
// CHECK: scf.for {{.*}} -> (tensor<?xf32>)
// CHECK: tensor.concat {{.*}} -> tensor<?xf32>
// CHECK: %[[SUM:.*]] = tensor.concat {{.*}} -> tensor<?xf32>
// CHECK-NEXT: tensor.cast %[[SUM]] : tensor<?xf32> to tensor<5xf32>
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>, %z: tensor<5xf32>) -> (tensor<?xf32>, tensor<5xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = tensor.concat dim(0) %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %0) -> (tensor<?xf32>) {
    %more = tensor.concat dim(0) %a, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %more : tensor<?xf32>
  }
  %2 = tensor.concat dim(0) %y, %x : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = tensor.cast %2 : tensor<?xf32> to tensor<5xf32>
  %4 = linalg.add ins(%2, %z : tensor<?xf32>, tensor<5xf32>) outs(%z : tensor<5xf32>) -> tensor<5xf32>
  %5 = arith.addf %3, %4 : tensor<5xf32>
  return %1, %5 : tensor<?xf32>, tensor<5xf32>
}

// -----

// Axes of parts that are not joined are equal: one name is enough.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<?x?xf32, #tg.shape<#[[N:.*]], #[[K:.*]]>>, %{{.*}}: tensor<?x?xf32, #tg.shape<#[[M:.*]], #[[K]]>>)
func.func @main(%x: tensor<?x?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 4>, #tg.var<"k", 1, 4>>}, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = tensor.concat dim(0) %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
