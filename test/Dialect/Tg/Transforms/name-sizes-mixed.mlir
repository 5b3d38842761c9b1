// RUN: tg-opt --tg-name-sizes="sizes=arg0:0=n[1,16]" --canonicalize %s | FileCheck %s
// RUN: tg-opt --tg-name-sizes="sizes=arg0:0=n[1,16]" --canonicalize --tg-outline %s | FileCheck %s --check-prefix=OUTLINE
// RUN: not tg-opt --tg-name-sizes="sizes=arg0:0=m[1,16]" %s 2>&1 | FileCheck %s --check-prefix=OTHER

// Operations of the dialect in a loop of a function of unknown sizes: casts to
// a #tg.shape become superfluous, and must have the name that is given.

// CHECK: func.func @main(%{{.*}}: tensor<?xf32, #tg.shape<#n>>, %[[B:.*]]: tensor<?xf32, #tg.shape<#n>>, %{{.*}}: index)
// CHECK: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (tensor<?xf32, #tg.shape<#n>>)
// CHECK-NEXT: %[[Y:.*]] = tg.exp2 %[[X]]
// CHECK-NEXT: %[[Z:.*]] = arith.addf %[[Y]], %[[B]] : tensor<?xf32, #tg.shape<#n>>
// CHECK-NEXT: scf.yield %[[Z]]

// OUTLINE: func.func private @main_island(%{{.*}}: tensor<?xf32, #tg.shape<#n>>) -> tensor<?xf32, #tg.shape<#n>>
// OUTLINE: func.func @main(
// OUTLINE: func.call @main_island_call(

// OTHER: error: axis 0 of argument 0 and axis 0 of a result of 'tensor.cast' must be equal, but one is m[1,16] and the other n[1,16]
!t = tensor<?xf32, #tg.shape<#tg.var<"n", 1, 16>>>
func.func @main(%a: tensor<?xf32>, %b: tensor<?xf32>, %steps: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %steps step %c1 iter_args(%x = %a) -> tensor<?xf32> {
    %y = tensor.cast %x : tensor<?xf32> to !t
    %z = tg.exp2 %y : !t
    %w = tensor.cast %z : !t to tensor<?xf32>
    %v = arith.addf %w, %b : tensor<?xf32>
    scf.yield %v : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}
