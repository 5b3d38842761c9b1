// RUN: tg-opt %s --convert-tg-to-vector | FileCheck %s

// Lanes that are 2^62 elements apart: indices are computed modulo 2^64, without
// an overflow in the compiler. No load is done, as far as the mask says.

// CHECK-LABEL: func.func @far_apart(
// CHECK:         arith.constant dense<[0, 4611686018427387904, -9223372036854775808, -4611686018427387904]> : vector<4xi64>
tg.kernel @far_apart(%o: memref<64xf32>, %a: memref<64xf32>, %m: memref<1xi1>) attributes {outputs = 1 : i64} {
  %u = tg.range 0 unroll 4
  %l = tg.range 1 upcast 4
  %c0 = tg.const(0 : index) : index
  %far = tg.const(4611686018427387904 : index) : index
  %four = tg.const(4 : index) : index
  %0 = tg.mul %l, %far : index
  %p = tg.add %0, %u : index
  %1 = tg.mul %u, %four : index
  %q = tg.add %1, %l : index
  %c = tg.load %m[%c0] : memref<1xi1>
  %x = tg.load %a[%p] mask %c : memref<64xf32>
  tg.store %x, %o[%q] : memref<64xf32>
}

// CHECK-LABEL: func.func @far_quotients(
tg.kernel @far_quotients(%o: memref<64xf32>, %a: memref<64xf32>, %m: memref<1xi1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %l = tg.range 1 upcast 4
  %c0 = tg.const(0 : index) : index
  %far = tg.const(4611686018427387904 : index) : index
  %least = tg.const(-9223372036854775808 : index) : index
  %four = tg.const(4 : index) : index
  %six = tg.const(6 : index) : index
  %0 = tg.mul %l, %far : index
  %1 = tg.mul %i, %least : index
  %2 = tg.add %0, %1 : index
  %p = tg.floordiv %2, %six : index
  %r = tg.floormod %2, %six : index
  %s = tg.add %p, %r : index
  %3 = tg.mul %i, %four : index
  %q = tg.add %3, %l : index
  %c = tg.load %m[%c0] : memref<1xi1>
  %x = tg.load %a[%s] mask %c : memref<64xf32>
  tg.store %x, %o[%q] : memref<64xf32>
}
