// RUN: tg-opt -split-input-file --tg-name-sizes="sizes=arg0:0=n[1,512];arg0:1=m[1,8]" %s | FileCheck %s
// RUN: tg-opt -split-input-file --tg-name-sizes="sizes=arg0:0=n[1,512];arg0:1=m[1,8]" --tg-drop-sizes %s | FileCheck %s --check-prefix=DROP
// RUN: tg-opt -split-input-file --tg-name-sizes="sizes=arg0:0=n[1,512];arg0:1=m[1,8]" %s -o %t.named
// RUN: tg-opt -split-input-file --tg-drop-sizes --tg-name-sizes %t.named | diff %t.named -

// Operands of one operation have one size: one name is enough. Static tensors
// and results stay as they are.

// CHECK-DAG: #[[N:.*]] = #tg.var<"n", 1, 512>
// CHECK-DAG: #[[M:.*]] = #tg.var<"m", 1, 8>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<?x?xf32, #tg.shape<#[[N]], #[[M]]>>, %{{.*}}: tensor<?x?xf32, #tg.shape<#[[N]], #[[M]]>>, %{{.*}}: tensor<4xf32>)
// CHECK-SAME: -> (tensor<?x?xi1, #tg.shape<#[[N]], #[[M]]>>, tensor<4xf32>)
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}} : tensor<?x?xf32, #tg.shape<#[[N]], #[[M]]>>
// CHECK: arith.cmpf olt, %[[SUM]], %{{.*}} : tensor<?x?xf32, #tg.shape<#[[N]], #[[M]]>>
// CHECK: math.exp %{{.*}} : tensor<4xf32>

// DROP-LABEL: func.func @main(
// DROP-SAME: %{{.*}}: tensor<?x?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 512>, #tg.var<"m", 1, 8>>}, %{{.*}}: tensor<?x?xf32> {tg.sizes = #tg.shape<#tg.var<"n", 1, 512>, #tg.var<"m", 1, 8>>}, %{{.*}}: tensor<4xf32>)
// DROP-SAME: -> (tensor<?x?xi1>, tensor<4xf32>)
// DROP: %[[SUM:.*]] = arith.addf %{{.*}} : tensor<?x?xf32>
// DROP: arith.cmpf olt, %[[SUM]], %{{.*}} : tensor<?x?xf32>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<4xf32>)
    -> (tensor<?x?xi1>, tensor<4xf32>) {
  %0 = arith.addf %a, %b : tensor<?x?xf32>
  %1 = arith.cmpf olt, %0, %b : tensor<?x?xf32>
  %2 = math.exp %c : tensor<4xf32>
  return %1, %2 : tensor<?x?xi1>, tensor<4xf32>
}

// CHECK-LABEL: func.func @other(
// CHECK-SAME: %{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func @other(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.exp %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// Loops of linalg: the product has a size of each factor.

// CHECK-DAG: #[[N:.*]] = #tg.var<"n", 1, 512>
// CHECK-DAG: #[[M:.*]] = #tg.var<"m", 1, 8>
// CHECK-DAG: #[[K:.*]] = #tg.var<"k", 0, 64>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: tensor<?x?xf32, #tg.shape<#[[N]], #[[M]]>>, %{{.*}}: tensor<?x?xf32, #tg.shape<#[[M]], #[[K]]>>) -> tensor<?x?xf32, #tg.shape<#[[N]], #[[K]]>>
// CHECK: tensor.empty({{.*}}) : tensor<?x?xf32, #tg.shape<#[[N]], #[[K]]>>
#k = #tg.var<"k", 0, 64>
func.func @main(%a: tensor<?x?xf32>,
                %b: tensor<?x?xf32> {tg.sizes = #tg.shape<#tg.var<"m", 1, 8>, #k>})
    -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %b, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%n, %k) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x?xf32>)
      -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Loops and branches. A cast to a number says nothing about the size.

// CHECK-DAG: #[[N:.*]] = #tg.var<"n", 1, 512>
// CHECK-LABEL: func.func @main(
// CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args({{.*}}) -> (tensor<?x?xf32, #tg.shape<#[[N]], #{{.*}}>>)
// CHECK: scf.if {{.*}} -> (tensor<?x?xf32, #tg.shape<#[[N]], #{{.*}}>>)
// CHECK: tensor.cast %{{.*}} : tensor<?x?xf32, #tg.shape<#[[N]], #{{.*}}>> to tensor<4x8xf32>
// CHECK: tensor.cast %{{.*}} : tensor<4x8xf32> to tensor<?x?xf32>
// CHECK: scf.while {{.*}} : (tensor<?x?xf32, #tg.shape<#[[N]], #{{.*}}>>) -> tensor<?x?xf32, #tg.shape<#[[N]], #{{.*}}>>
// CHECK: scf.forall {{.*}} -> (tensor<?x?xf32, #tg.shape<#[[N]], #{{.*}}>>)
func.func @main(%a: tensor<?x?xf32>, %steps: index, %c: i1)
    -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %steps step %c1 iter_args(%x = %a)
      -> tensor<?x?xf32> {
    %y = math.exp %x : tensor<?x?xf32>
    scf.yield %y : tensor<?x?xf32>
  }
  %1 = scf.if %c -> tensor<?x?xf32> {
    scf.yield %0 : tensor<?x?xf32>
  } else {
    %s = arith.negf %0 : tensor<?x?xf32>
    scf.yield %s : tensor<?x?xf32>
  }
  %fixed = tensor.cast %1 : tensor<?x?xf32> to tensor<4x8xf32>
  %back = tensor.cast %fixed : tensor<4x8xf32> to tensor<?x?xf32>
  %2 = scf.while (%x = %1) : (tensor<?x?xf32>) -> tensor<?x?xf32> {
    scf.condition(%c) %x : tensor<?x?xf32>
  } do {
  ^bb0(%x: tensor<?x?xf32>):
    scf.yield %x : tensor<?x?xf32>
  }
  %3 = scf.forall (%i) in (%steps) shared_outs(%o = %2) -> tensor<?x?xf32> {
    scf.forall.in_parallel {
    }
  }
  return %3, %back : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// A size that is not computed from those of arguments stays `?`.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: -> tensor<?x?xf32> {
// CHECK: tensor.extract_slice %{{.*}} : tensor<?x?xf32, #{{.*}}> to tensor<?x?xf32>
func.func @main(%a: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c1 : tensor<?x?xf32>
  %0 = tensor.extract_slice %a[0, 0] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %1 = math.exp %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
