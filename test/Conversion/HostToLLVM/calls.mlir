// RUN: tg-opt %s --convert-tg-host-to-llvm | FileCheck %s
// RUN: tg-opt %s --convert-tg-host-to-llvm=kernels | FileCheck %s --check-prefixes=CHECK,KERNELS
// RUN: tg-opt %s --convert-tg-host-to-llvm="kernels static-scratch" | FileCheck %s --check-prefix=STATIC

// A declaration that tg-outline made gets a body, which has memory for
// intermediates; a function of other dialects stays.

// CHECK-LABEL: func.func private @step_call(
// CHECK-SAME:    %[[X:.*]]: memref<16xf32>, %[[Y:.*]]: memref<16xf32>, %[[N:.*]]: i64) {
// CHECK:         %[[XI:.*]] = memref.extract_aligned_pointer_as_index %[[X]]
// CHECK:         %[[XN:.*]] = arith.index_cast %[[XI]] : index to i64
// CHECK:         %[[XP:.*]] = llvm.inttoptr %[[XN]] : i64 to !llvm.ptr
// CHECK:         %[[YP:.*]] = llvm.inttoptr
// CHECK:         %[[SCRATCH:.*]] = llvm.call @aligned_alloc(%{{.*}}, %{{.*}})
// CHECK:         llvm.call @step(%[[XP]], %[[YP]], %[[N]], %[[SCRATCH]])
// CHECK:         llvm.call @free(%[[SCRATCH]])
// CHECK:         return
// CHECK-LABEL: func.func @other(
// CHECK:         call @step_call
// CHECK:       llvm.func internal @step(
// CHECK-NOT:     tg.

// In static memory, which has another name if this one is taken.

// STATIC-NOT:    aligned_alloc
// STATIC-LABEL: func.func private @step_call(
// STATIC:         %[[SCRATCH:.*]] = llvm.mlir.addressof @tg.scratch_0
// STATIC:         llvm.call @step({{.*}}, %[[SCRATCH]])
// STATIC-NOT:     llvm.call
// STATIC:         return
// STATIC:       llvm.mlir.global internal @tg.scratch_0() {{.*}}alignment = 64{{.*}} : !llvm.array<64 x i8>

// Declared, or defined.

// CHECK:       llvm.func @twice(
// KERNELS-SAME:  %{{.*}}: !llvm.ptr
// KERNELS:       llvm.call @twice.body
// KERNELS-NOT: tg.
tg.kernel @twice(%out: memref<16xf32>, %x: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %0 = tg.load %x[%i] : memref<16xf32>
  %1 = tg.add %0, %0 : f32
  tg.store %1, %out[%i] : memref<16xf32>
}
func.func private @step_call(memref<16xf32>, memref<16xf32>, i64)
    attributes {tg.graph = @step, tg.variables = [#tg.var<"n", 1, 16>]}
func.func @step(%x: memref<16xf32>) -> memref<16xf32> {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %b = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @twice(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @twice(%b, %a) : memref<16xf32>, memref<16xf32>
  return %b : memref<16xf32>
}
func.func @other(%x: memref<16xf32>, %n: i64) {
  func.call @step_call(%x, %x, %n) : (memref<16xf32>, memref<16xf32>, i64) -> ()
  return
}
llvm.mlir.global internal @tg.scratch(0 : i8) : i8
