// RUN: tg-opt %s -split-input-file -convert-tg-to-vector -tg-check-bounds | FileCheck %s

// CHECK: func.func private @tg_report_bounds(i64, i64, i64)

// One element: it is loaded where it is inside, else reported.

// CHECK-LABEL: func.func @scalar
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK-NEXT:    %[[X:.*]] = scf.if %[[IN]] -> (f32) {
// CHECK-NEXT:      %[[L:.*]] = memref.load
// CHECK-NEXT:      scf.yield %[[L]] : f32
// CHECK-NEXT:    } else {
// CHECK:           func.call @tg_report_bounds
// CHECK-NEXT:      %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      scf.yield %[[Z]] : f32
// CHECK:         scf.if
// CHECK-NEXT:      memref.store %[[X]]
// CHECK-NEXT:    } else {
// CHECK:           func.call @tg_report_bounds
tg.kernel @scalar(%o: memref<8xf32>, %a: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %x = tg.load %a[%i] : memref<8xf32>
  tg.store %x, %o[%i] : memref<8xf32>
}

// -----

// Lanes under a mask: those that are outside and not masked are taken out of
// the mask and reported.

// CHECK-LABEL: func.func @lanes
// CHECK:         %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : vector<4xindex>
// CHECK-NEXT:    %[[OK:.*]] = arith.andi %[[M:.*]], %[[IN]] : vector<4xi1>
// CHECK-NEXT:    %[[BAD:.*]] = arith.cmpi ne, %[[M]], %[[OK]] : vector<4xi1>
// CHECK-NEXT:    %[[ANY:.*]] = vector.reduction <or>, %[[BAD]] : vector<4xi1> into i1
// CHECK-NEXT:    scf.if %[[ANY]] {
// CHECK:           func.call @tg_report_bounds
// CHECK:         vector.maskedload %{{.*}}[%{{.*}}], %[[OK]]
tg.kernel @lanes(%o: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 upcast 4
  %c2 = tg.const(2 : index) : index
  %c4 = tg.const(4 : index) : index
  %p = tg.add %i, %c2 : index
  %m = tg.cmplt %p, %c4 : index
  %x = tg.load %a[%p] mask %m : memref<4xf32>
  tg.store %x, %o[%i] : memref<4xf32>
}
