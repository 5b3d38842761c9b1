// RUN: tg-opt %s -split-input-file --convert-tg-to-vector | FileCheck %s

// A masked scalar load reads element 0 instead, if there is one for all sizes.

// CHECK-LABEL: func.func @one(
// CHECK-SAME:    %[[A:[a-z0-9]*]]: memref<8xf32> {tg.least_elements = 1 : i64}
// CHECK-NOT:     scf.if
// CHECK:         %[[AT:.*]] = arith.select
// CHECK:         memref.load %[[A]][%[[AT]]]
tg.kernel @one(%out: memref<8xf32>, %a: memref<8xf32> {tg.least_elements = 1 : i64}) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %n = tg.dim(#tg.var<"n", 1, 8>) : index
  %m = tg.cmplt %i, %n : index
  %x = tg.load %a[%i] mask %m : memref<8xf32>
  tg.store %x, %out[%i] : memref<8xf32>
}

// -----

// Otherwise it is a branch.

// CHECK-LABEL: func.func @none(
// CHECK:         %[[IF:.*]] = scf.if %{{.*}} -> (f32)
// CHECK-NEXT:      %[[X:.*]] = memref.load
// CHECK-NEXT:      scf.yield %[[X]]
// CHECK-NEXT:    } else {
tg.kernel @none(%out: memref<8xf32>, %a: memref<8xf32> {tg.least_elements = 0 : i64}) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %n = tg.dim(#tg.var<"n", 0, 8>) : index
  %m = tg.cmplt %i, %n : index
  %x = tg.load %a[%i] mask %m : memref<8xf32>
  tg.store %x, %out[%i] : memref<8xf32>
}

// -----

// Lanes with one mask are read from the beginning instead, if they are there for all
// sizes, and masked otherwise.

// CHECK-LABEL: func.func @lanes(
// CHECK:         vector.load %{{.*}} : memref<32xf32>, vector<8xf32>
// CHECK:         vector.maskedload %{{.*}} : memref<32xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
tg.kernel @lanes(%out: memref<32xf32>, %a: memref<32xf32> {tg.least_elements = 8 : i64}, %b: memref<32xf32> {tg.least_elements = 7 : i64}) attributes {outputs = 1 : i64} {
  %c8 = tg.const(8 : index) : index
  %i = tg.range 0 loop 4
  %l = tg.range 1 upcast 8
  %n = tg.dim(#tg.var<"n", 1, 4>) : index
  %m = tg.cmplt %i, %n : index
  %row = tg.mul %i, %c8 : index
  %at = tg.add %row, %l : index
  %x = tg.load %a[%at] mask %m : memref<32xf32>
  %y = tg.load %b[%at] mask %m : memref<32xf32>
  %z = tg.add %x, %y : f32
  tg.store %z, %out[%at] : memref<32xf32>
}
