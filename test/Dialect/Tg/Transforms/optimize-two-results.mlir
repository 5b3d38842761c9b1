// RUN: tg-opt %s --pass-pipeline='builtin.module(tg.kernel(tg-optimize-kernels{fall-back=false}))' | FileCheck %s
// RUN: tg-opt %s --tg-optimize-pipeline=verify-rewrites --convert-tg-to-vector -o /dev/null

// Of two results, one does not depend on the range that a register tile leaves
// outermost: its positions are no work items.

// CHECK-LABEL: tg.kernel @two_results(
// CHECK: tg.range 4 loop 5 peel 1
// CHECK-NEXT: tg.range 6 loop 1
// CHECK-NEXT: tg.range 7 unroll 4
module attributes {tg.target = #tg.target<"cpu:x86-64-v3", vector_bytes = 32, vector_registers = 16>} {
  tg.kernel @two_results(%rows: memref<4xf64>, %out: memref<68xf64>, %a: memref<68xf64>, %b: memref<68xf64>, %c: memref<36xf64>, %d: memref<8xf64>) attributes {outputs = 2 : i64} {
    %c17 = tg.const(17 : index) : index
    %c2 = tg.const(2 : index) : index
    %j = tg.range 0 loop 4
    %i = tg.range 1 loop 17
    %k = tg.range 2 loop 17
    %r = tg.range 3 loop 2
    %row = tg.mul %j, %c17 : index
    %at = tg.add %k, %row : index
    %x = tg.load %a[%at] : memref<68xf64>
    %y = tg.load %b[%at] : memref<68xf64>
    %xy = tg.mul %x, %y : f64
    %sum = tg.ranged_reduce add %xy over %k : f64
    %1 = tg.add %i, %r : index
    %p = tg.load %c[%1] : memref<36xf64>
    %2 = tg.mul %j, %c2 : index
    %3 = tg.add %2, %r : index
    %q = tg.load %d[%3] : memref<8xf64>
    %pq = tg.mul %p, %q : f64
    %product = tg.ranged_reduce add %pq over %r : f64
    tg.store %sum, %rows[%j] : memref<4xf64>
    %4 = tg.add %i, %row : index
    tg.store %product, %out[%4] : memref<68xf64>
  }
}
