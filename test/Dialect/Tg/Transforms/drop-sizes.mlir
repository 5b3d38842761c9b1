// RUN: split-file %s %t
// RUN: tg-opt --tg-name-sizes="sizes=arg0:0=n[1,512];arg0:1=m[1,8]" %t/cast.mlir | FileCheck %t/cast.mlir
// RUN: tg-opt --tg-name-sizes="sizes=arg0:0=n[1,512];arg0:1=m[1,8]" %t/cast.mlir -o %t/named.mlir
// RUN: tg-opt -split-input-file --tg-drop-sizes -verify-diagnostics %t/invalid.mlir
// RUN: not tg-opt --tg-drop-sizes %t/named.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: tg-opt --tg-drop-sizes %t/upstream.mlir | FileCheck %s --check-prefix=DROP
// RUN: tg-opt --tg-drop-sizes --tg-name-sizes %t/upstream.mlir | FileCheck %s --check-prefix=BACK

// ERROR: error: 'tg.exp2' op needs the sizes of 'tensor<?xf32, #tg.shape<#tg.var<"p", 1, 16> * 2>>', which cannot be dropped; convert it first, as convert-tg-to-linalg does

// Arguments keep the sizes, and by them the names come back. Operations of the
// dialect on static tensors stay; a declaration, which computes nothing, has
// nothing to name.

// DROP: func.func private @outside(tensor<?x4xf32> {tg.sizes = #tg.shape<#n * 2, 4>})
// DROP: func.func @main(%{{.*}}: tensor<?x4xf32> {tg.sizes = #tg.shape<#n * 2, 4>}, %{{.*}}: tensor<4xf32>, %{{.*}}: index) -> (tensor<?x4xf32>, tensor<4xf32>)
// DROP-NOT: #tg.shape
// DROP: scf.for {{.*}} -> (tensor<?x4xf32>)
// DROP: math.exp2 %{{.*}} : tensor<?x4xf32>
// DROP: tg.exp2 %{{.*}} : tensor<4xf32>
// DROP-NOT: #tg.shape
// DROP: return

// BACK: func.func @main(%{{.*}}: tensor<?x4xf32, #tg.shape<#n * 2, 4>>, %{{.*}}: tensor<4xf32>, %{{.*}}: index) -> (tensor<?x4xf32, #tg.shape<#n * 2, 4>>, tensor<4xf32>)
// BACK: math.exp2 %{{.*}} : tensor<?x4xf32, #tg.shape<#n * 2, 4>>

//--- cast.mlir

// Operations of the dialect: a cast to a #tg.shape names what it casts.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %{{.*}}: tensor<?x?xf32, #[[S:.*]]>, %{{.*}}: tensor<?xf32, #tg.shape<#[[P:.*]] * 2>>)
// CHECK: tg.exp2 {{.*}} : tensor<?xf32, #tg.shape<#[[P]] * 2>>
!t = tensor<?xf32, #tg.shape<#tg.dim<mul, #tg.var<"p", 1, 16>, 2>>>
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?xf32>) -> !t {
  %0 = tensor.cast %b : tensor<?xf32> to !t
  %1 = tg.exp2 %0 : !t
  return %1 : !t
}

//--- upstream.mlir

!t = tensor<?x4xf32, #tg.shape<#tg.var<"n", 1, 8> * 2, 4>>
func.func private @outside(!t)
func.func @main(%x: !t, %y: tensor<4xf32>, %steps: index) -> (!t, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %steps step %c1 iter_args(%a = %x) -> !t {
    %b = math.exp2 %a : !t
    scf.yield %b : !t
  }
  %1 = tg.exp2 %y : tensor<4xf32>
  return %0, %1 : !t, tensor<4xf32>
}

//--- invalid.mlir

#n = #tg.var<"n", 1, 8>
!t = tensor<?xf32, #tg.shape<#n>>
func.func @operation(%a: !t, %b: tensor<4xf32>) -> !t {
  %0 = tg.exp2 %b : tensor<4xf32>
  // expected-error @+1 {{'tg.sin' op needs the sizes of 'tensor<?xf32, #tg.shape<#tg.var<"n", 1, 8>>>', which cannot be dropped}}
  %1 = tg.sin %a : !t
  return %1 : !t
}
