// Tiles and results that NVIDIA's tensor memory accelerator copies: text, and
// bytecode, which is as that of version 0.1 but for these operations.

// RUN: tg-opt %s | tg-opt | FileCheck %s
// RUN: tg-opt %s --emit-bytecode | tg-opt | FileCheck %s
// RUN: tg-opt %s --emit-bytecode --emit-bytecode-version=5 | tg-opt | FileCheck %s
// RUN: tg-opt %s --mlir-print-op-generic | tg-opt | FileCheck %s

// CHECK-LABEL: tg.kernel @boxes
tg.kernel @boxes(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 local 64
  %j = tg.range 1 loop 64
  %x = tg.load %a[%j] : memref<64xf32>
  // CHECK: tg.stage %{{.*}} over %{{.*}} in group buffers 3 as tma : memref<64xf32>
  %t = tg.stage %x over %j in group buffers 3 as tma : memref<64xf32>
  // CHECK: tg.stage %{{.*}} over %{{.*}} in group buffers 2 : memref<64xf32>
  %u = tg.stage %x over %j in group buffers 2 : memref<64xf32>
  // CHECK: tg.stage %{{.*}} over %{{.*}} in group buffers 4 as tma {tg.by_warpgroup} : memref<64xf32>
  %v = tg.stage %x over %j in group buffers 4 as tma {tg.by_warpgroup} : memref<64xf32>
  %b = tg.barrier %t : memref<64xf32>
  %c = tg.barrier %u : memref<64xf32>
  %l = tg.load %b[%i] : memref<64xf32>
  %r = tg.load %c[%i] : memref<64xf32>
  %y = tg.add %l, %r : f32
  // CHECK: tg.store %{{.*}}, %{{.*}}[%{{.*}}] as tma : memref<64xf32>
  tg.store %y, %out[%i] as tma : memref<64xf32>
  // CHECK: tg.store %{{.*}}, %{{.*}}[%{{.*}}] nontemporal prefetch 8 as tma : memref<64xf32>
  tg.store %y, %out[%i] nontemporal prefetch 8 as tma : memref<64xf32>
  // CHECK: tg.store %{{.*}}, %{{.*}}[%{{.*}}] nontemporal : memref<64xf32>
  tg.store %y, %out[%i] nontemporal : memref<64xf32>
}
