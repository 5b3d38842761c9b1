// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// A mask that is the same for all lanes: the load reads somewhere harmless, the
// store is a branch.

// CHECK-LABEL: func.func @uniform
// CHECK: %[[M:.*]] = arith.cmpi slt
// CHECK: %[[P:.*]] = arith.select %[[M]], %{{.*}}, %{{.*}} : index
// CHECK: %[[V:.*]] = vector.load %{{.*}}[%[[P]]]
// CHECK: arith.select %[[M]], %[[V]], %{{.*}} : vector<16xf32>
// CHECK: scf.if %[[M]] {
// CHECK-NEXT: vector.store
tg.kernel @uniform(%o: memref<64xf32>, %a: memref<48xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %v = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c3 = tg.const(3 : index) : index
  %i0 = tg.mul %i, %c16 : index
  %p = tg.add %i0, %v : index
  %m = tg.cmplt %i, %c3 : index
  %x = tg.load %a[%p] mask %m : memref<48xf32>
  tg.store %x, %o[%p] mask %m : memref<64xf32>
}

// -----

// In a buffer that is smaller than a vector there is nothing harmless.

// CHECK-LABEL: func.func @small
// CHECK: vector.maskedload
tg.kernel @small(%o: memref<64xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %v = tg.range 1 upcast 16
  %c16 = tg.const(16 : index) : index
  %c2 = tg.const(2 : index) : index
  %i0 = tg.mul %i, %c16 : index
  %p = tg.add %i0, %v : index
  %m = tg.cmplt %c2, %i : index
  %x = tg.load %a[%v] mask %m : memref<8xf32>
  tg.store %x, %o[%p] : memref<64xf32>
}

// -----

// What is never in bounds is never loaded; what always is, is not masked.

// CHECK-LABEL: func.func @decided
// CHECK-NOT: arith.cmpi
// CHECK-NOT: memref.load
// CHECK: vector.load %arg1
// CHECK-NOT: vector.load %arg2
// CHECK: vector.store
tg.kernel @decided(%o: memref<16xf32>, %a: memref<16xf32>, %b: memref<16xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 16
  %c16 = tg.const(16 : index) : index
  %c0 = tg.const(0 : index) : index
  %m = tg.cmplt %v, %c16 : index
  %n = tg.cmplt %v, %c0 : index
  %x = tg.load %a[%v] mask %m : memref<16xf32>
  %y = tg.load %b[%v] mask %n : memref<16xf32>
  %s = tg.add %x, %y : f32
  tg.store %s, %o[%v] mask %m : memref<16xf32>
}
