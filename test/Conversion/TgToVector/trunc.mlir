// An f16 is truncated by its bits: LLVM would narrow the same in f32 to f16,
// which is then computed lane by lane. Other floats have an instruction.

// RUN: tg-compile %s --emit=vector | FileCheck %s
// RUN: tg-compile %s --emit=asm | FileCheck %s --check-prefix=ASM

// CHECK-LABEL: func.func @
// CHECK: arith.minui %{{.*}} : vector<[[N:.*]]xi16>
// CHECK: arith.shrsi %{{.*}} : vector<[[N]]xi16>
// CHECK-NOT: f16
// CHECK-NOT: math.trunc
// CHECK-LABEL: func.func @
// CHECK: math.trunc %{{.*}} : vector<{{.*}}xf32>
// CHECK-LABEL: func.func @
// CHECK: math.trunc %{{.*}} : vector<{{.*}}xf32>
// ASM-NOT: {{roundss|rndscaless}}
func.func @main(%x: tensor<4096xf16>, %y: tensor<1024xbf16>, %z: tensor<2048xf32>)
    -> (tensor<4096xf16>, tensor<1024xbf16>, tensor<2048xf32>) {
  %0 = tg.trunc %x : tensor<4096xf16>
  %1 = tg.trunc %y : tensor<1024xbf16>
  %2 = tg.trunc %z : tensor<2048xf32>
  return %0, %1, %2 : tensor<4096xf16>, tensor<1024xbf16>, tensor<2048xf32>
}
