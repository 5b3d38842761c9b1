// RUN: tg-opt %s --convert-tg-to-vector | FileCheck %s

// 70 elements in blocks of 16: the first four blocks need no mask, the last has
// one that is known when compiling.

// CHECK-LABEL: func.func @tail
// CHECK: %[[C4:.*]] = arith.constant 4 : index
// CHECK: scf.for %{{.*}} to %[[C4]]
// CHECK-NOT: mask
// CHECK: vector.load
// CHECK: vector.store
// CHECK: }
// CHECK: %[[M:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK: vector.maskedload %{{.*}}, %[[M]], %{{.*}}
// CHECK: vector.maskedstore %{{.*}}, %[[M]], %{{.*}}
tg.kernel @tail(%o: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64} {
  %io = tg.range 0 loop 5 peel 1
  %iv = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c70 = tg.const(70 : index) : index
  %i0 = tg.mul %io, %c16 : index
  %i = tg.add %i0, %iv : index
  %m = tg.cmplt %i, %c70 : index
  %x = tg.load %a[%i] mask %m : memref<70xf32>
  %y = tg.add %x, %x : f32
  tg.store %y, %o[%i] mask %m : memref<70xf32>
}

// The same without peel: every block is masked.

// CHECK-LABEL: func.func @no_peel
// CHECK: scf.for
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
// CHECK: }
// CHECK-NEXT: return
tg.kernel @no_peel(%o: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64} {
  %io = tg.range 0 loop 5
  %iv = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c70 = tg.const(70 : index) : index
  %i0 = tg.mul %io, %c16 : index
  %i = tg.add %i0, %iv : index
  %m = tg.cmplt %i, %c70 : index
  %x = tg.load %a[%i] mask %m : memref<70xf32>
  tg.store %x, %o[%i] mask %m : memref<70xf32>
}

// A guarded sum of products: the main loop fuses, the tail selects.

// CHECK-LABEL: func.func @dot
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: math.fma
// CHECK: scf.yield
// CHECK: vector.maskedload
// CHECK: arith.select
tg.kernel @dot(%o: memref<1xf32>, %a: memref<70xf32>, %b: memref<70xf32>) attributes {outputs = 1 : i64} {
  %io = tg.range 0 loop 5 peel 1
  %iv = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c70 = tg.const(70 : index) : index
  %z = tg.const(0 : index) : index
  %zero = tg.const(0.0 : f32) : f32
  %i0 = tg.mul %io, %c16 : index
  %i = tg.add %i0, %iv : index
  %m = tg.cmplt %i, %c70 : index
  %x = tg.load %a[%i] mask %m : memref<70xf32>
  %y = tg.load %b[%i] mask %m : memref<70xf32>
  %p = tg.mul %x, %y : f32
  %g = tg.where %m, %p, %zero : f32
  %s = tg.ranged_reduce add %g over %io, %iv : f32
  tg.store %s, %o[%z] : memref<1xf32>
}

// A range that threads share: a branch for each part.

// CHECK-LABEL: func.func @threads
// CHECK: scf.for %[[I:.*]] = %arg2 to %arg3
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[I]], %{{.*}} : index
// CHECK: scf.if %[[M]] {
// CHECK: vector.load
// CHECK: vector.store
// CHECK: } else {
// CHECK: vector.maskedload
// CHECK: vector.maskedstore
tg.kernel @threads(%o: memref<70xf32>, %a: memref<70xf32>) attributes {outputs = 1 : i64} {
  %io = tg.range 0 thread 5 peel 1
  %iv = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c70 = tg.const(70 : index) : index
  %i0 = tg.mul %io, %c16 : index
  %i = tg.add %i0, %iv : index
  %m = tg.cmplt %i, %c70 : index
  %x = tg.load %a[%i] mask %m : memref<70xf32>
  tg.store %x, %o[%i] mask %m : memref<70xf32>
}
