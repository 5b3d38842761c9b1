// LLVM 22 would load all of a register none of whose lanes is wanted: here the
// second one, which holds column 8 and the padding. So each register is loaded
// by itself, and that one not at all.

// RUN: tg-compile %s --target=cpu:x86_64:x86-64-v3 --emit=llvm | FileCheck %s
// RUN: tg-compile %s --target=cpu:x86_64:x86-64-v4 --emit=llvm \
// RUN:   | FileCheck %s --check-prefix=V4

// CHECK: define
// CHECK: @llvm.masked.load.v8f32
// CHECK-NOT: masked.load
// CHECK: @llvm.masked.store.v16f32
// V4: @llvm.masked.load.v16f32
func.func @main(%x: tensor<5x4xf32>) -> tensor<10x9xf32> {
  %0 = tg.pad %x low [4, 0] high [1, 5] : tensor<5x4xf32> -> tensor<10x9xf32>
  return %0 : tensor<10x9xf32>
}
