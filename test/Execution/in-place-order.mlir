// A kernel that works in place has stores in several loops, and each of these
// reads the old contents: what is assigned is stored last.

// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s
// RUN: env NOOPT=1 tg-run %s --print | FileCheck %s
// RUN: tg-run %s --device=SIM --print | FileCheck %s
// RUN: env NOOPT=1 tg-run %s --device=SIM --print | FileCheck %s
// RUN: sed 's/4x/64x/g; s/x8x/x300x/g' %s | tg-run - --print | FileCheck %s --check-prefix=LARGE

// CHECK: result 0: tensor<4x8xf32> = {{\[\[}}2, 2,
// CHECK: result 1: tensor<4x8xf32> = {{\[\[}}5, 5,
// CHECK: result 2: tensor<4x1xf32> = {{\[\[}}40]
// CHECK: result 3: tensor<4x8xf32> = {{\[\[}}1, 1,
// LARGE: result 0: tensor<64x300xf32> = {{\[\[}}2, 2,
// LARGE: result 1: tensor<64x300xf32> = {{\[\[}}5, 5,
// LARGE: result 3: tensor<64x300xf32> = {{\[\[}}1, 1,
func.func @main(%s: tensor<4x8xf32> {tg.input = dense<1.0> : tensor<4x8xf32>},
                %x: tensor<4x8xf32> {tg.input = dense<5.0> : tensor<4x8xf32>})
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x8xf32>) {
  %0 = tg.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %1 = tg.neg %x : tensor<4x8xf32>
  %2 = tg.assign %s, %1 : tensor<4x8xf32>
  %3 = tg.mul %x, %s : tensor<4x8xf32>
  %4 = tg.exp2 %s : tensor<4x8xf32>
  return %4, %3, %0, %s : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x8xf32>
}
