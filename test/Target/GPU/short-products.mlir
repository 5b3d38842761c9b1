// A product whose depth is short is computed in a loop too: in straight code,
// compilers would move all multiplications behind the barriers, and run out of
// registers.

// RUN: tg-compile %s --target=cuda:sm_75 --emit=gpu | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_75 --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tg-compile %s --target=cuda:sm_90 --emit=ptx | FileCheck %s --check-prefix=PTX
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}

// CHECK-LABEL: gpu.func @r_m_n_16
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK: scf.yield
// CHECK-LABEL: gpu.func @r_m_n_24
// CHECK: scf.for
// CHECK: gpu.barrier
// CHECK: math.fma
// CHECK: scf.yield

// PTX-COUNT-2: .pragma "nounroll"

func.func @depth_16(%a: tensor<?x16xf32, #tg.shape<#tg.var<"m", 1, 64>, 16>>, %b: tensor<?x16xf32, #tg.shape<#tg.var<"n", 1, 100>, 16>>) -> tensor<?x?xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>>> {
  %0 = tg.reshape %a : tensor<?x16xf32, #tg.shape<#tg.var<"m", 1, 64>, 16>> -> tensor<?x1x16xf32, #tg.shape<#tg.var<"m", 1, 64>, 1, 16>>
  %1 = tg.expand %0 : tensor<?x1x16xf32, #tg.shape<#tg.var<"m", 1, 64>, 1, 16>> -> tensor<?x?x16xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 16>>
  %2 = tg.reshape %b : tensor<?x16xf32, #tg.shape<#tg.var<"n", 1, 100>, 16>> -> tensor<1x?x16xf32, #tg.shape<1, #tg.var<"n", 1, 100>, 16>>
  %3 = tg.expand %2 : tensor<1x?x16xf32, #tg.shape<1, #tg.var<"n", 1, 100>, 16>> -> tensor<?x?x16xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 16>>
  %4 = tg.mul %1, %3 : tensor<?x?x16xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 16>>
  %5 = tg.reduce add %4 axes [2] : tensor<?x?x16xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 16>> -> tensor<?x?x1xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 1>>
  %6 = tg.reshape %5 : tensor<?x?x1xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 1>> -> tensor<?x?xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>>>
  return %6 : tensor<?x?xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>>>
}

func.func @depth_24(%a: tensor<?x24xf32, #tg.shape<#tg.var<"m", 1, 64>, 24>>, %b: tensor<?x24xf32, #tg.shape<#tg.var<"n", 1, 100>, 24>>) -> tensor<?x?xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>>> {
  %0 = tg.reshape %a : tensor<?x24xf32, #tg.shape<#tg.var<"m", 1, 64>, 24>> -> tensor<?x1x24xf32, #tg.shape<#tg.var<"m", 1, 64>, 1, 24>>
  %1 = tg.expand %0 : tensor<?x1x24xf32, #tg.shape<#tg.var<"m", 1, 64>, 1, 24>> -> tensor<?x?x24xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 24>>
  %2 = tg.reshape %b : tensor<?x24xf32, #tg.shape<#tg.var<"n", 1, 100>, 24>> -> tensor<1x?x24xf32, #tg.shape<1, #tg.var<"n", 1, 100>, 24>>
  %3 = tg.expand %2 : tensor<1x?x24xf32, #tg.shape<1, #tg.var<"n", 1, 100>, 24>> -> tensor<?x?x24xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 24>>
  %4 = tg.mul %1, %3 : tensor<?x?x24xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 24>>
  %5 = tg.reduce add %4 axes [2] : tensor<?x?x24xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 24>> -> tensor<?x?x1xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 1>>
  %6 = tg.reshape %5 : tensor<?x?x1xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>, 1>> -> tensor<?x?xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>>>
  return %6 : tensor<?x?xf32, #tg.shape<#tg.var<"m", 1, 64>, #tg.var<"n", 1, 100>>>
}
