// Scans, scatters and sorts survive printing and parsing, in the custom and the
// generic form, and a trip through bytecode.

// RUN: tg-opt %s | FileCheck %s
// RUN: tg-opt --mlir-print-op-generic %s | tg-opt | FileCheck %s
// RUN: tg-opt --emit-bytecode %s | tg-opt | FileCheck %s

// CHECK-LABEL: func @graph
func.func @graph(%x: tensor<16x4xf32>, %i: tensor<100x4xi32>, %u: tensor<100x4xf32>, %h: tensor<2x?xf16, #tg.shape<2, #tg.var<"n", 0, 9>>>) {
  // CHECK-NEXT: tg.scan add %{{.*}} axis 1 : tensor<16x4xf32>
  %0 = tg.scan add %x axis 1 : tensor<16x4xf32>
  // CHECK-NEXT: tg.scan mul %{{.*}} axis 0 : tensor<16x4xf32>
  %1 = tg.scan mul %x axis 0 : tensor<16x4xf32>
  // CHECK-NEXT: tg.scan max %{{.*}} axis 1 : tensor<2x?xf16, #tg.shape<2, #n>>
  %2 = tg.scan max %h axis 1 : tensor<2x?xf16, #tg.shape<2, #tg.var<"n", 0, 9>>>
  // CHECK-NEXT: tg.scan logaddexp %{{.*}} axis 0 : tensor<16x4xf32>
  %3 = tg.scan logaddexp %x axis 0 : tensor<16x4xf32>
  // CHECK-NEXT: tg.scatter set %{{.*}}[%{{.*}}], %{{.*}} axis 0 : tensor<16x4xf32>, tensor<100x4xi32>, tensor<100x4xf32>
  %4 = tg.scatter set %x[%i], %u axis 0 : tensor<16x4xf32>, tensor<100x4xi32>, tensor<100x4xf32>
  // CHECK-NEXT: tg.scatter min
  %5 = tg.scatter min %x[%i], %u axis 0 : tensor<16x4xf32>, tensor<100x4xi32>, tensor<100x4xf32>
  // CHECK-NEXT: tg.argsort %{{.*}} : tensor<16x4xf32> -> tensor<16x4xi32>
  %6 = tg.argsort %x : tensor<16x4xf32> -> tensor<16x4xi32>
  // CHECK-NEXT: tg.argsort %{{.*}} descending : tensor<16x4xf32> -> tensor<16x4xi64>
  %7 = tg.argsort %x descending : tensor<16x4xf32> -> tensor<16x4xi64>
  return
}

// CHECK-LABEL: tg.kernel @kernel
tg.kernel @kernel(%out: memref<64xf32>, %a: memref<64xf32>, %i: memref<16xi32>) attributes {outputs = 1 : i64, in_place} {
  %r = tg.range 0 thread 4
  %p = tg.range 1 loop 4
  %q = tg.range 2 upcast 4
  %c = tg.const(4 : index) : index
  %r4 = tg.mul %r, %c : index
  %at = tg.add %r4, %p : index
  %x = tg.load %a[%at] : memref<64xf32>
  // CHECK: tg.ranged_scan add %{{.*}} over %{{.*}}, %{{.*}} : f32
  %s = tg.ranged_scan add %x over %p, %q : f32
  // CHECK-NEXT: tg.ranged_scan logaddexp %{{.*}} over %{{.*}} : f32
  %t = tg.ranged_scan logaddexp %x over %p : f32
  // CHECK-NEXT: tg.store %{{.*}}, %{{.*}}[%{{.*}}] update add over %{{.*}}, %{{.*}} : memref<64xf32>
  tg.store %s, %out[%r] update add over %p, %q : memref<64xf32>
  // CHECK-NEXT: tg.const
  %m = tg.const(true) : i1
  // CHECK-NEXT: tg.store %{{.*}}, %{{.*}}[%{{.*}}] mask %{{.*}} update set : memref<64xf32>
  tg.store %t, %out[%r] mask %m update set : memref<64xf32>
}

// CHECK-LABEL: func @host
func.func @host(%x: memref<32xf32>, %y: memref<32xi32>) {
  // CHECK-NEXT: tg.sort %{{.*}} to %{{.*}} rows 4 length (7) : memref<32xf32>, memref<32xi32>
  tg.sort %x to %y rows 4 length (7) : memref<32xf32>, memref<32xi32>
  // CHECK-NEXT: tg.sort %{{.*}} to %{{.*}} rows 4 length (#n1) descending : memref<32xf32>, memref<32xi32>
  tg.sort %x to %y rows 4 length (#tg.var<"n", 0, 8>) descending : memref<32xf32>, memref<32xi32>
  return
}
