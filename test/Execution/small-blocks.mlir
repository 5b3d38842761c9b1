// Groups with little memory take smaller blocks: products of 64x64 results with 8
// positions of the sum between barriers, and transposed squares of 16x16.

// RUN: tg-run %s --interpret --random-inputs --print > %t.expected
// RUN: env SIMCHIP=sm_90,shared=5000,units=2 tg-run %s --device=SIM --random-inputs --print | diff %t.expected -
// RUN: env SIMCHIP=sm_75,shared=5000,units=2 tg-run %s --device=SIM --random-inputs --print | diff %t.expected -
// RUN: env SIMCHIP=gfx942,shared=2048,units=2 tg-run %s --device=SIM --random-inputs --print | diff %t.expected -
// RUN: tg-compile %s --target=sim:sm_75,shared=5000,units=2 --emit=scheduled | FileCheck %s --check-prefix=BLOCKS
// RUN: tg-compile %s --target=sim:gfx942,shared=2048,units=2 --emit=scheduled | FileCheck %s --check-prefix=SQUARES

// BLOCKS-COUNT-2: in group : memref<512xi32>
// SQUARES: in group : memref<256xi32>

func.func @main(%a: tensor<150x90xi32>, %b: tensor<90x130xi32>) -> (tensor<150x130xi32>, tensor<90x150xi32>) {
  %t = tg.permute %b [1, 0] : tensor<90x130xi32> -> tensor<130x90xi32>
  %l = tg.reshape %a : tensor<150x90xi32> -> tensor<150x1x90xi32>
  %r = tg.reshape %t : tensor<130x90xi32> -> tensor<1x130x90xi32>
  %le = tg.expand %l : tensor<150x1x90xi32> -> tensor<150x130x90xi32>
  %re = tg.expand %r : tensor<1x130x90xi32> -> tensor<150x130x90xi32>
  %p = tg.mul %le, %re : tensor<150x130x90xi32>
  %s = tg.reduce add %p axes [2] : tensor<150x130x90xi32> -> tensor<150x130x1xi32>
  %product = tg.reshape %s : tensor<150x130x1xi32> -> tensor<150x130xi32>
  %turned = tg.permute %a [1, 0] : tensor<150x90xi32> -> tensor<90x150xi32>
  %copy = tg.contiguous %turned : tensor<90x150xi32>
  return %product, %copy : tensor<150x130xi32>, tensor<90x150xi32>
}
