// RUN: tg-opt %s -split-input-file -pass-pipeline='builtin.module(tg.kernel(tg-collapse-reduce,tg-simplify-index,canonicalize))' | FileCheck %s

// Sums that count positions.

// Positions before an index: a cumulative sum of ones, as arange is one.

// CHECK-LABEL: tg.kernel @arange
// CHECK:         %[[I:.*]] = tg.range 0 loop 100
// CHECK-NOT:     tg.range
// CHECK-NOT:     tg.ranged_reduce
// CHECK:         %[[N:.*]] = tg.add %[[I]], %{{.*}} : index
// CHECK:         %[[R:.*]] = tg.cast %[[N]] : index -> i32
// CHECK:         tg.store %[[R]], %{{.*}}[%[[I]]]
tg.kernel @arange(%out: memref<100xi32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 100
  %k = tg.range 1 loop 100
  %c = tg.cmplt %i, %k : index
  %true = tg.const(true) : i1
  %d = tg.xor %c, %true : i1
  %one = tg.const(1 : i32) : i32
  %z = tg.const(0 : i32) : i32
  %y = tg.where %d, %one, %z : i32
  %s = tg.ranged_reduce add %y over %k : i32
  tg.store %s, %out[%i] : memref<100xi32>
}

// -----

// With symbolic extents, a value from memory, two ends and another condition.

// CHECK-LABEL: tg.kernel @window
// CHECK:         %[[I:.*]] = tg.range 0 loop #n
// CHECK-NOT:     tg.range
// CHECK-NOT:     tg.ranged_reduce
// CHECK:         %[[N:.*]] = tg.max
// CHECK:         tg.mul %{{.*}}, %{{.*}} : f32
// CHECK:         tg.where %{{.*}}, %{{.*}}, %{{.*}} : f32
tg.kernel @window(%out: memref<64xf32>, %a: memref<64xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.var<"n", 1, 64>
  %k = tg.range 1 loop #tg.var<"n", 1, 64>
  %three = tg.const(3 : index) : index
  %x = tg.load %a[%i] : memref<64xf32>
  %first = tg.sub %i, %three : index
  %c = tg.cmplt %first, %k : index
  %twice = tg.add %k, %k : index
  %d = tg.cmplt %twice, %i : index
  %e = tg.cmplt %three, %i : index
  %f = tg.and %c, %d : i1
  %g = tg.and %f, %e : i1
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %g, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%i] : memref<64xf32>
}

// -----

// Up to a number from memory, of any size: it is cut to the positions first.

// CHECK-LABEL: tg.kernel @lengths
// CHECK-NOT:     tg.ranged_reduce
// CHECK:         tg.where %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK-NOT:     tg.ranged_reduce
tg.kernel @lengths(%out: memref<8xi64>, %a: memref<8xi64>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 100
  %n = tg.load %a[%i] : memref<8xi64>
  %p = tg.cast %k : index -> i64
  %c = tg.cmplt %n, %p : i64
  %s = tg.cast %c : i1 -> i64
  %t = tg.ranged_reduce add %s over %k : i64
  tg.store %t, %out[%i] : memref<8xi64>
}

// -----

// One-hot rows times a table of integers are rows of the table.

// CHECK-LABEL: tg.kernel @one_hot
// CHECK-NOT:     tg.ranged_reduce
// CHECK:         tg.load %{{.*}}[%{{.*}}] mask %{{.*}} : memref<400xi32>
// CHECK-NOT:     tg.ranged_reduce
tg.kernel @one_hot(%out: memref<32xi32>, %table: memref<400xi32>, %index: memref<8xi32>) attributes {outputs = 1 : i64} {
  %r = tg.range 0 loop 8
  %j = tg.range 1 loop 4
  %k = tg.range 2 loop 100
  %four = tg.const(4 : index) : index
  %i = tg.load %index[%r] : memref<8xi32>
  %p = tg.cast %k : index -> i32
  %c = tg.cmpeq %p, %i : i32
  %hot = tg.cast %c : i1 -> i32
  %row = tg.mul %k, %four : index
  %at = tg.add %row, %j : index
  %x = tg.load %table[%at] : memref<400xi32>
  %y = tg.mul %hot, %x : i32
  %s = tg.ranged_reduce add %y over %k : i32
  %first = tg.mul %r, %four : index
  %o = tg.add %first, %j : index
  tg.store %s, %out[%o] : memref<32xi32>
}

// -----

// Not counted: more than the type can hold exactly, a value of another position,
// a comparison of squares, and of floats, in which 0 times infinity is no 0.

// CHECK-LABEL: tg.kernel @too_many
// CHECK:         tg.ranged_reduce
// CHECK-LABEL: tg.kernel @depends_on_position
// CHECK:         tg.ranged_reduce
// CHECK-LABEL: tg.kernel @not_linear
// CHECK:         tg.ranged_reduce
// CHECK-LABEL: tg.kernel @one_hot_floats
// CHECK:         tg.ranged_reduce
tg.kernel @too_many(%out: memref<1xf16>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 2049
  %o = tg.const(0 : index) : index
  %n = tg.const(2000 : index) : index
  %c = tg.cmplt %k, %n : index
  %one = tg.const(1.0 : f16) : f16
  %z = tg.const(0.0 : f16) : f16
  %y = tg.where %c, %one, %z : f16
  %s = tg.ranged_reduce add %y over %k : f16
  tg.store %s, %out[%o] : memref<1xf16>
}
tg.kernel @depends_on_position(%out: memref<1xf32>, %a: memref<100xf32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %n = tg.const(50 : index) : index
  %c = tg.cmplt %k, %n : index
  %x = tg.load %a[%k] : memref<100xf32>
  %z = tg.const(0.0 : f32) : f32
  %y = tg.where %c, %x, %z : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}
tg.kernel @not_linear(%out: memref<1xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %n = tg.const(50 : index) : index
  %q = tg.mul %k, %k : index
  %c = tg.cmplt %q, %n : index
  %s = tg.cast %c : i1 -> i32
  %t = tg.ranged_reduce add %s over %k : i32
  tg.store %t, %out[%o] : memref<1xi32>
}
tg.kernel @one_hot_floats(%out: memref<1xf32>, %table: memref<100xf32>, %index: memref<1xi32>) attributes {outputs = 1 : i64} {
  %k = tg.range 0 loop 100
  %o = tg.const(0 : index) : index
  %i = tg.load %index[%o] : memref<1xi32>
  %p = tg.cast %k : index -> i32
  %c = tg.cmpeq %p, %i : i32
  %hot = tg.cast %c : i1 -> f32
  %x = tg.load %table[%k] : memref<100xf32>
  %y = tg.mul %hot, %x : f32
  %s = tg.ranged_reduce add %y over %k : f32
  tg.store %s, %out[%o] : memref<1xf32>
}
