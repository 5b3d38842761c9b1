// RUN: tg-opt %s --convert-tg-to-vector --split-input-file | FileCheck %s

// Lanes that repeat elements, or take turns in reading rows, load these elements
// contiguously.

// CHECK-LABEL: func.func @repeated
// CHECK: %[[X:.*]] = vector.load %{{.*}} : memref<32xf32>, vector<4xf32>
// CHECK-NEXT: vector.shuffle %[[X]], %[[X]] [0, 0, 1, 1, 2, 2, 3, 3] : vector<4xf32>, vector<4xf32>
// CHECK-NOT: vector.gather
tg.kernel @repeated(%o: memref<64xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %v = tg.range 1 upcast 8
  %c2 = tg.const(2 : index) : index
  %c8 = tg.const(8 : index) : index
  %m = tg.mul %i, %c8 : index
  %p = tg.add %m, %v : index
  %q = tg.floordiv %p, %c2 : index
  %x = tg.load %a[%q] : memref<32xf32>
  tg.store %x, %o[%p] : memref<64xf32>
}

// -----

// Four rows, 100 elements apart.
// CHECK-LABEL: func.func @turns
// CHECK: %[[A:.*]] = vector.load {{.*}} vector<2xi16>
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<2xi16>
// CHECK: %[[C:.*]] = vector.load {{.*}} vector<2xi16>
// CHECK: %[[D:.*]] = vector.load {{.*}} vector<2xi16>
// CHECK-NEXT: %[[AB:.*]] = vector.shuffle %[[A]], %[[B]] [0, 1, 2, 3] : vector<2xi16>, vector<2xi16>
// CHECK-NEXT: %[[ABC:.*]] = vector.shuffle %[[AB]], %[[C]] [0, 1, 2, 3, 4, 5] : vector<4xi16>, vector<2xi16>
// CHECK-NEXT: vector.shuffle %[[ABC]], %[[D]] [0, 2, 4, 6, 1, 3, 5, 7] : vector<6xi16>, vector<2xi16>
tg.kernel @turns(%o: memref<80xi16>, %a: memref<400xi16>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 10
  %v = tg.range 1 upcast 8
  %c4 = tg.const(4 : index) : index
  %c8 = tg.const(8 : index) : index
  %c100 = tg.const(100 : index) : index
  %m = tg.mul %i, %c8 : index
  %p = tg.add %m, %v : index
  %q = tg.floordiv %p, %c4 : index
  %r = tg.floormod %p, %c4 : index
  %f = tg.mul %r, %c100 : index
  %at = tg.add %q, %f : index
  %x = tg.load %a[%at] : memref<400xi16>
  tg.store %x, %o[%p] : memref<80xi16>
}

// -----

// A row as long as there are turns.
// CHECK-LABEL: func.func @periodic
// CHECK: %[[X:.*]] = vector.load %{{.*}} : memref<2xf64>, vector<2xf64>
// CHECK-NEXT: vector.shuffle %[[X]], %[[X]] [0, 1, 0, 1] : vector<2xf64>, vector<2xf64>
tg.kernel @periodic(%o: memref<64xf64>, %a: memref<2xf64>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %v = tg.range 1 upcast 4
  %c2 = tg.const(2 : index) : index
  %c4 = tg.const(4 : index) : index
  %m = tg.mul %i, %c4 : index
  %p = tg.add %m, %v : index
  %q = tg.floormod %p, %c2 : index
  %x = tg.load %a[%q] : memref<2xf64>
  tg.store %x, %o[%p] : memref<64xf64>
}

// -----

// Whatever the mask says, all lanes are inside of the buffer.
// CHECK-LABEL: func.func @inside
// CHECK: %[[MASK:.*]] = arith.cmpi
// CHECK: %[[X:.*]] = vector.load %{{.*}} vector<4xf32>
// CHECK-NEXT: %[[R:.*]] = vector.shuffle %[[X]]
// CHECK: arith.select %[[MASK]], %[[R]]
tg.kernel @inside(%o: memref<64xf32>, %a: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %v = tg.range 1 upcast 8
  %c2 = tg.const(2 : index) : index
  %c8 = tg.const(8 : index) : index
  %c61 = tg.const(61 : index) : index
  %m = tg.mul %i, %c8 : index
  %p = tg.add %m, %v : index
  %q = tg.floordiv %p, %c2 : index
  %mask = tg.cmplt %p, %c61 : index
  %x = tg.load %a[%q] mask %mask : memref<32xf32>
  tg.store %x, %o[%p] : memref<64xf32>
}

// -----

// Here they are not: lanes 61 to 63 would read elements 30 and 31.
// CHECK-LABEL: func.func @outside
// CHECK: vector.gather
// CHECK-NOT: vector.shuffle
tg.kernel @outside(%o: memref<64xf32>, %a: memref<31xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %v = tg.range 1 upcast 8
  %c2 = tg.const(2 : index) : index
  %c8 = tg.const(8 : index) : index
  %c61 = tg.const(61 : index) : index
  %m = tg.mul %i, %c8 : index
  %p = tg.add %m, %v : index
  %q = tg.floordiv %p, %c2 : index
  %mask = tg.cmplt %p, %c61 : index
  %x = tg.load %a[%q] mask %mask : memref<31xf32>
  tg.store %x, %o[%p] : memref<64xf32>
}

// -----

// A mask that is known selects the elements.
// CHECK-LABEL: func.func @known
// CHECK: %[[E:.*]] = arith.ori %{{.*}} : vector<4xi1>
// CHECK: %[[X:.*]] = vector.maskedload %{{.*}}, %[[E]]
// CHECK: vector.shuffle %[[X]], %[[X]] [0, 0, 1, 1, 2, 2, 3, 3]
tg.kernel @known(%o: memref<8xf32>, %a: memref<3xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 8
  %c2 = tg.const(2 : index) : index
  %c5 = tg.const(5 : index) : index
  %q = tg.floordiv %v, %c2 : index
  %mask = tg.cmplt %v, %c5 : index
  %x = tg.load %a[%q] mask %mask : memref<3xf32>
  tg.store %x, %o[%v] : memref<8xf32>
}

// -----

// Lanes that begin within a repetition, or that are no multiple of it.
// CHECK-LABEL: func.func @shifted
// CHECK: vector.gather
tg.kernel @shifted(%o: memref<8xf32>, %a: memref<5xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 8
  %c1 = tg.const(1 : index) : index
  %c2 = tg.const(2 : index) : index
  %p = tg.add %v, %c1 : index
  %q = tg.floordiv %p, %c2 : index
  %x = tg.load %a[%q] : memref<5xf32>
  tg.store %x, %o[%v] : memref<8xf32>
}

// -----

// CHECK-LABEL: func.func @thirds
// CHECK: vector.gather
tg.kernel @thirds(%o: memref<8xf32>, %a: memref<3xf32>) attributes {outputs = 1 : i64} {
  %v = tg.range 0 upcast 8
  %c3 = tg.const(3 : index) : index
  %q = tg.floordiv %v, %c3 : index
  %x = tg.load %a[%q] : memref<3xf32>
  tg.store %x, %o[%v] : memref<8xf32>
}
