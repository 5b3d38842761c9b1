// A result without elements does not keep another one from being computed.

// RUN: tg-run %s --interpret --var n=0 --print | FileCheck %s
// RUN: tg-run %s --var n=0 --print | FileCheck %s
// RUN: tg-run %s --device=SIM --var n=0 --print | FileCheck %s
// RUN: env NOOPT=1 tg-run %s --device=SIM --var n=0 --print | FileCheck %s
// RUN: tg-run %s --device=SIM --var n=2 --print | FileCheck %s --check-prefix=TWO

// CHECK: result 0: tensor<1x9x1xf32> = {{\[\[\[}}46], [46],
// CHECK: result 1: tensor<1x9x0xf32> = {{\[\[\[}}],
// TWO: result 1: tensor<1x9x2xf32> = {{\[\[\[}}46, 46],
#n = #tg.var<"n", 0, 3>
func.func @main(%x: tensor<46x9xf32> {tg.input = dense<1.0> : tensor<46x9xf32>})
    -> (tensor<1x9x1xf32>, tensor<1x9x?xf32, #tg.shape<1, 9, #n>>) {
  %0 = tg.reduce add %x axes [0] : tensor<46x9xf32> -> tensor<1x9xf32>
  %1 = tg.reshape %0 : tensor<1x9xf32> -> tensor<1x9x1xf32>
  %2 = tg.expand %1 : tensor<1x9x1xf32> -> tensor<1x9x?xf32, #tg.shape<1, 9, #n>>
  return %1, %2 : tensor<1x9x1xf32>, tensor<1x9x?xf32, #tg.shape<1, 9, #n>>
}
