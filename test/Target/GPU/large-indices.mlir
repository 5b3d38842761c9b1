// Indices that may not fit into 32 bits have 64. The kernel decides, not the
// program.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=mlir | FileCheck %s
// RUN: tg-compile %s --target=amd:gfx942 --emit=mlir | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}

// CHECK: llvm.func @E_65536_65536
// CHECK: llvm.getelementptr {{.*}}, i64) ->
// CHECK-NOT: llvm.getelementptr {{.*}}, i32) ->
// CHECK: llvm.return
// CHECK: llvm.func @E_64_65536
// CHECK: llvm.getelementptr {{.*}}, i32) ->
// CHECK-NOT: llvm.getelementptr {{.*}}, i64) ->
// CHECK: llvm.return
func.func @main(%x: tensor<65536x65536xi8>, %y: tensor<64x65536xi8>) -> (tensor<65536x65536xi8>, tensor<64x65536xi8>) {
  %0 = tg.neg %x : tensor<65536x65536xi8>
  %1 = tg.neg %y : tensor<64x65536xi8>
  return %0, %1 : tensor<65536x65536xi8>, tensor<64x65536xi8>
}
