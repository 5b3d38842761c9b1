// RUN: tg-test-opt --split-input-file --tg-schedule-pipeline %s | FileCheck %s --check-prefixes=CHECK,KERNEL
// RUN: tg-test-opt --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline %s | FileCheck %s --check-prefixes=CHECK,EXPANDED
// RUN: tg-test-opt --split-input-file --tg-schedule-pipeline --tg-optimize-pipeline --convert-tg-to-vector %s | FileCheck %s --check-prefix=VECTOR

// Operations of another dialect that implement the interfaces are fused with
// others, stay what they are until the kernel is scheduled, and then become what
// they are composed of.

// CHECK: tg.kernel @r_64_256
// KERNEL: tg_test.softsign %{{.*}} : f32
// KERNEL: %[[C:.*]] = tg_test.clamp %{{.*}} from -5.000000e-01 to 5.000000e-01 : f32
// KERNEL: tg.ranged_reduce add %[[C]]
// EXPANDED-NOT: tg_test
// EXPANDED: tg.fdiv
// EXPANDED: tg.where
// EXPANDED: tg.ranged_reduce
// CHECK-NOT: tg.kernel
// CHECK-LABEL: func.func @fused
// CHECK: tg.launch
// CHECK-NOT: tg.launch
// CHECK: return
// VECTOR: func.func @r_64_256
// VECTOR: arith.divf %{{.*}} : vector<
func.func @fused(%x: tensor<64x256xf32>) -> tensor<64x1xf32> {
  %0 = tg_test.rot180 %x : tensor<64x256xf32>
  %1 = tg_test.softsign %0 : tensor<64x256xf32>
  %2 = tg.add %1, %x : tensor<64x256xf32>
  %3 = tg_test.clamp %2 from -0.5 to 0.5 : tensor<64x256xf32>
  %4 = tg.reduce add %3 axes [1] : tensor<64x256xf32> -> tensor<64x1xf32>
  return %4 : tensor<64x1xf32>
}

// -----

// A graph of other operations alone.

// CHECK: tg.kernel
// KERNEL: tg_test.softsign
// CHECK-LABEL: func.func @alone
// CHECK: tg.launch
func.func @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = tg_test.softsign %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Costly functions are kept in a tile instead of being computed twice, as in
// softmax.

// EXPANDED: tg.kernel
// EXPANDED: tg.stage
// CHECK-LABEL: func.func @staged
func.func @staged(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %0 = tg_test.swish %x : tensor<64x512xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<64x512xf32> -> tensor<64x1xf32>
  %2 = tg.expand %1 : tensor<64x1xf32> -> tensor<64x512xf32>
  %3 = tg.fdiv %0, %2 : tensor<64x512xf32>
  return %3 : tensor<64x512xf32>
}

// -----

// Cheap ones are not.

// EXPANDED: tg.kernel
// EXPANDED-NOT: tg.stage
// CHECK-LABEL: func.func @not_staged
func.func @not_staged(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %0 = tg_test.softsign %x : tensor<64x512xf32>
  %1 = tg.reduce add %0 axes [1] : tensor<64x512xf32> -> tensor<64x1xf32>
  %2 = tg.expand %1 : tensor<64x1xf32> -> tensor<64x512xf32>
  %3 = tg.fdiv %0, %2 : tensor<64x512xf32>
  return %3 : tensor<64x512xf32>
}

// -----

// Symbolic sizes.

// KERNEL: tg_test.softsign
// EXPANDED: tg.fdiv
// CHECK-LABEL: func.func @symbolic
func.func @symbolic(%x: tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 8>>>)
    -> tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 8>>> {
  %0 = tg_test.rot180 %x : tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 8>>>
  %1 = tg_test.softsign %0 : tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 8>>>
  return %1 : tensor<4x?xf32, #tg.shape<4, #tg.var<"n", 1, 8>>>
}
