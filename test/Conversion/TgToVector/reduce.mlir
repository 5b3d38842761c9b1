// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Reductions over one range that do not need each other share a loop.

// CHECK-LABEL: func.func @fused
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} -> (f32, f32)
// CHECK: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
// CHECK-NOT: scf.for
// CHECK: memref.store %[[R]]#0
// CHECK: memref.store %[[R]]#1
tg.kernel @fused(%s: memref<1xf32>, %m: memref<1xf32>, %a: memref<100xf32>) attributes {outputs = 2 : i64} {
  %k = tg.range 0 loop 100
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%k] : memref<100xf32>
  %sum = tg.ranged_reduce add %x over %k : f32
  %max = tg.ranged_reduce max %x over %k : f32
  tg.store %sum, %s[%z] : memref<1xf32>
  tg.store %max, %m[%z] : memref<1xf32>
}

// -----

// Those that do need each other take one loop each, both in the row's loop.

// CHECK-LABEL: func.func @dependent
// CHECK: scf.for %{{.*}} = %arg2 to %arg3
// CHECK: %[[M:.*]] = scf.for
// CHECK: %[[S:.*]] = scf.for
// CHECK: arith.subf %{{.*}}, %[[M]]
// CHECK: memref.store %[[S]]
tg.kernel @dependent(%o: memref<4xf32>, %a: memref<400xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 4
  %k = tg.range 1 loop 100
  %l = tg.range 2 loop 100
  %c100 = tg.const(100 : index) : index
  %row = tg.mul %i, %c100 : index
  %p = tg.add %row, %k : index
  %q = tg.add %row, %l : index
  %x = tg.load %a[%p] : memref<400xf32>
  %max = tg.ranged_reduce max %x over %k : f32
  %y = tg.load %a[%q] : memref<400xf32>
  %d = tg.sub %y, %max : f32
  %s = tg.ranged_reduce add %d over %l : f32
  tg.store %s, %o[%i] : memref<4xf32>
}

// -----

// What does not depend on a loop is outside of it: here a whole reduction, which
// is two loops, over blocks and their positions.

// CHECK-LABEL: func.func @hoisted
// CHECK: %[[S:.*]] = scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: arith.mulf %{{.*}}, %[[S]]
// CHECK: memref.store
tg.kernel @hoisted(%o: memref<50xf32>, %a: memref<50xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 50
  %k = tg.range 1 loop 50
  %x = tg.load %a[%k] : memref<50xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  %y = tg.load %a[%i] : memref<50xf32>
  %r = tg.mul %y, %s : f32
  tg.store %r, %o[%i] : memref<50xf32>
}

// -----

// No positions: the identity.

// CHECK-LABEL: func.func @empty
// CHECK-NOT: scf.for
// CHECK: %[[I:.*]] = arith.constant 0xFF800000 : f32
// CHECK: memref.store %[[I]]
tg.kernel @empty(%o: memref<1xf32>, %a: memref<1xf32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 0
  %z = tg.const(0 : index) : index
  %x = tg.load %a[%k] : memref<1xf32>
  %s = tg.ranged_reduce max %x over %k : f32
  tg.store %s, %o[%z] : memref<1xf32>
}
