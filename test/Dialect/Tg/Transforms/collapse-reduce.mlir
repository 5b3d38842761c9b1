// RUN: tg-opt %s -split-input-file -tg-collapse-reduce | FileCheck %s

// A sum that selects one row of a table reads that row, if there is one.

// CHECK-LABEL: tg.kernel @gather
// CHECK-SAME:    (%[[OUT:.*]]: memref<8xf32>, %[[T:.*]]: memref<100xf32>, %[[I:.*]]: memref<8xi32>)
// CHECK:         %[[R:.*]] = tg.range 0 loop 8
// CHECK-NOT:     tg.range
// CHECK:         %[[X:.*]] = tg.load %[[I]][%[[R]]]
// CHECK:         %[[P:.*]] = tg.cast %[[X]] : i32 -> index
// CHECK:         %[[M:.*]] = tg.and
// CHECK:         %[[S:.*]] = tg.where %[[M]], %[[P]], %{{.*}} : index
// CHECK:         %[[V:.*]] = tg.load %[[T]][%[[S]]] mask %[[M]]
// CHECK:         %[[W:.*]] = tg.where %[[M]], %[[V]], %{{.*}} : f32
// CHECK-NOT:     tg.ranged_reduce
// CHECK:         tg.store %[[W]], %[[OUT]]
tg.kernel @gather(%out: memref<8xf32>, %table: memref<100xf32>, %index: memref<8xi32>) attributes {outputs = 1 : i64} {
  %r = tg.range 0 loop 8
  %k = tg.range 1 loop 100
  %i = tg.load %index[%r] : memref<8xi32>
  %p = tg.cast %k : index -> i32
  %c = tg.cmpeq %p, %i : i32
  %x = tg.load %table[%k] : memref<100xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%r] : memref<8xf32>
}

// -----

// The comparison the other way round, among other conditions (which hold at the
// selected position or not), and one of two ranges: the other is still reduced.

// CHECK-LABEL: tg.kernel @conditions
// CHECK:         %[[K:.*]] = tg.range 1 loop 4
// CHECK-NOT:     tg.range 2
// CHECK:         tg.ranged_reduce add %{{.*}} over %[[K]] : i32
tg.kernel @conditions(%out: memref<8xi32>, %table: memref<400xi32>, %index: memref<8xi64>) attributes {outputs = 1 : i64} {
  %r = tg.range 0 loop 8
  %k = tg.range 1 loop 4
  %j = tg.range 2 loop 100
  %i = tg.load %index[%r] : memref<8xi64>
  %p = tg.cast %j : index -> i64
  %c = tg.cmpeq %i, %p : i64
  %ten = tg.const(10 : index) : index
  %d = tg.cmplt %j, %ten : index
  %both = tg.and %d, %c : i1
  %four = tg.const(4 : index) : index
  %row = tg.mul %j, %four : index
  %at = tg.add %row, %k : index
  %x = tg.load %table[%at] mask %d : memref<400xi32>
  %z = tg.const(0 : i32) : i32
  %y = tg.where %both, %x, %z : i32
  %s = tg.ranged_reduce add %y over %k, %j : i32
  tg.store %s, %out[%r] : memref<8xi32>
}

// -----

// i8 holds the positions up to 127.

// CHECK-LABEL: tg.kernel @fits
// CHECK-NOT:     tg.ranged_reduce
tg.kernel @fits(%out: memref<1xf32>, %table: memref<128xf32>, %index: memref<1xi8>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 128
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xi8>
  %p = tg.cast %k : index -> i8
  %c = tg.cmpeq %p, %i : i8
  %x = tg.load %table[%k] : memref<128xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}

// -----

// But not 128, which becomes -128: two positions may be selected.

// CHECK-LABEL: tg.kernel @wraps
// CHECK:         tg.ranged_reduce
tg.kernel @wraps(%out: memref<1xf32>, %table: memref<129xf32>, %index: memref<1xi8>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 129
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xi8>
  %p = tg.cast %k : index -> i8
  %c = tg.cmpeq %p, %i : i8
  %x = tg.load %table[%k] : memref<129xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}

// -----

// ui8 holds 256 positions; a cast on the way that wraps is one too many.

// CHECK-LABEL: tg.kernel @unsigned
// CHECK-NOT:     tg.ranged_reduce
// CHECK-LABEL: tg.kernel @wraps_on_the_way
// CHECK:         tg.ranged_reduce
tg.kernel @unsigned(%out: memref<1xf32>, %table: memref<256xf32>, %index: memref<1xui8>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 256
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xui8>
  %p = tg.cast %k : index -> ui8
  %c = tg.cmpeq %p, %i : ui8
  %x = tg.load %table[%k] : memref<256xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}
tg.kernel @wraps_on_the_way(%out: memref<1xf32>, %table: memref<256xf32>, %index: memref<1xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 256
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xi32>
  %p = tg.cast %k : index -> i8
  %q = tg.cast %p : i8 -> i32
  %c = tg.cmpeq %q, %i : i32
  %x = tg.load %table[%k] : memref<256xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}

// -----

// The number compared with is another one at each position.

// CHECK-LABEL: tg.kernel @depends
// CHECK:         tg.ranged_reduce
tg.kernel @depends(%out: memref<1xf32>, %table: memref<100xf32>, %index: memref<100xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%k] : memref<100xi32>
  %p = tg.cast %k : index -> i32
  %c = tg.cmpeq %p, %i : i32
  %x = tg.load %table[%k] : memref<100xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}

// -----

// Elsewhere the value is not 0; the maximum of a row and zeros is not the row;
// a product is 0; a position among floats may stand for two.

// CHECK-LABEL: tg.kernel @not_zero
// CHECK:         tg.ranged_reduce
// CHECK-LABEL: tg.kernel @maximum
// CHECK:         tg.ranged_reduce
// CHECK-LABEL: tg.kernel @product
// CHECK:         tg.ranged_reduce
// CHECK-LABEL: tg.kernel @floats
// CHECK:         tg.ranged_reduce
// CHECK-LABEL: tg.kernel @less
// CHECK:         tg.ranged_reduce
tg.kernel @not_zero(%out: memref<1xf32>, %table: memref<100xf32>, %index: memref<1xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xi32>
  %p = tg.cast %k : index -> i32
  %c = tg.cmpeq %p, %i : i32
  %x = tg.load %table[%k] : memref<100xf32>
  %z = tg.const(1.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}
tg.kernel @maximum(%out: memref<1xf32>, %table: memref<100xf32>, %index: memref<1xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xi32>
  %p = tg.cast %k : index -> i32
  %c = tg.cmpeq %p, %i : i32
  %x = tg.load %table[%k] : memref<100xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce max %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}
tg.kernel @product(%out: memref<1xf32>, %table: memref<100xf32>, %index: memref<1xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xi32>
  %p = tg.cast %k : index -> i32
  %c = tg.cmpeq %p, %i : i32
  %x = tg.load %table[%k] : memref<100xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce mul %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}
tg.kernel @floats(%out: memref<1xf32>, %table: memref<100xf32>, %index: memref<1xf16>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xf16>
  %q = tg.cast %k : index -> i64
  %p = tg.cast %q : i64 -> f16
  %c = tg.cmpeq %p, %i : f16
  %x = tg.load %table[%k] : memref<100xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}
tg.kernel @less(%out: memref<1xf32>, %table: memref<100xf32>, %index: memref<1xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xi32>
  %p = tg.cast %k : index -> i32
  %c = tg.cmplt %p, %i : i32
  %x = tg.load %table[%k] : memref<100xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}
