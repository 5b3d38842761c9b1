// RUN: rm -f %t.mlir
// RUN: not tg-opt %s --tg-kernel-to-llvm-pipeline --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 \
// RUN:   | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not tg-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN

// A failure writes a file that repeats it: every pass can be named.

// CHECK: error: failed to legalize operation
// CHECK: note: {{.*}}reproducer generated at
// FILE: tg-require-functions
// FILE-SAME: tg-annotate-kernel-functions
// FILE-SAME: tg-expand-math
// FILE-SAME: convert-scf-to-cf
// FILE-SAME: convert-kernel-functions-to-llvm
// FILE-SAME: tg-add-kernel-interface
// AGAIN: error: failed to legalize operation
func.func @main() {
  %0 = tensor.empty() : tensor<64xf32>
  return
}
