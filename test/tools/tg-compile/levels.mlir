// tg-compile goes on from the level of its input, and keeps schedules.

// RUN: tg-compile %s --target=cpu:x86-64-v3 --emit=kernels -o %t.2
// RUN: tg-compile %t.2 --target=cpu:x86-64-v3 --emit=kernels | diff - %t.2
// RUN: tg-compile %t.2 --target=cpu:x86-64-v3 --emit=scheduled -o %t.3
// RUN: tg-compile %t.3 --emit=scheduled | diff - %t.3
// RUN: tg-compile %s --target=cpu:x86-64-v3 --emit=asm -o %t.asm
// RUN: tg-compile %t.2 --emit=asm | diff - %t.asm
// RUN: tg-compile %t.3 --emit=asm | diff - %t.asm

// RUN: not tg-compile %t.3 --target=cuda:sm_90 --emit=ptx 2>&1 | FileCheck %s
// CHECK: the module is scheduled for the target 'cpu:x86-64-v3', and there can be no code for 'cuda:sm_90'

func.func @main(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = tg.exp2 %x : tensor<4x8xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  return %1 : tensor<4x1xf32>
}
