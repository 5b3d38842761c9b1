// RUN: tg-opt %s --tg-schedule-pipeline --tg-optimize-pipeline --convert-tg-to-vector \
// RUN:   --tg-kernel-to-llvm-pipeline --verify-each | FileCheck %s
// RUN: tg-opt %s --tg-schedule-pipeline --tg-optimize-pipeline --convert-tg-to-vector \
// RUN:   --tg-kernel-to-llvm-pipeline | mlir-translate --mlir-to-llvmir | FileCheck %s --check-prefix=IR

// Every pass from a tensor graph to what LLVM compiles has a name.

// CHECK-LABEL: llvm.func internal @E_64_n0.body(
// CHECK-SAME:    %[[OUT:.*]]: !llvm.ptr {llvm.dereferenceable = 256 : i64, llvm.noalias, llvm.noundef}
// CHECK-NOT:     vector.
// CHECK:         llvm.store %{{.*}}, %{{.*}} : vector<{{[0-9]+}}xf32>, !llvm.ptr
// CHECK-LABEL: llvm.func @E_64_n0(
// IR: define internal void @E_64_n0.body(
// IR: define void @E_64_n0(ptr %{{.*}}, ptr %{{.*}}, i64 %{{.*}}, i64 %{{.*}})
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = tg.exp2 %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}
