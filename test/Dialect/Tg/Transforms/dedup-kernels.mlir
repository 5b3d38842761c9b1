// RUN: tg-opt %s -split-input-file -tg-dedup-kernels | FileCheck %s

// Equal but for their names.

// CHECK:       tg.kernel @a
// CHECK-NOT:   tg.kernel @b
// CHECK-LABEL: func.func @equal
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[Y:.*]]: memref<4xf32>, %[[Z:.*]]: memref<4xf32>)
// CHECK-NEXT:    tg.launch @a(%[[Y]], %[[X]])
// CHECK-NEXT:    tg.launch @a(%[[Z]], %[[Y]])
tg.kernel @a(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.mul %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @b(%o: memref<4xf32>, %a: memref<4xf32>) attributes {outputs = 1 : i64} {
  %j = tg.range 0 loop 4
  %u = tg.load %a[%j] : memref<4xf32>
  %v = tg.const(2.0 : f32) : f32
  %w = tg.mul %u, %v : f32
  tg.store %w, %o[%j] : memref<4xf32>
}
func.func @equal(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  tg.launch @a(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @b(%z, %y) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// Each differs from @base in one thing: a constant, an operation, an extent, the
// kind of a range, the order of operands, the type, what is written in place.

// CHECK:       tg.kernel @base
// CHECK:       tg.kernel @constant
// CHECK:       tg.kernel @operation
// CHECK:       tg.kernel @extent
// CHECK:       tg.kernel @kind
// CHECK:       tg.kernel @operands
// CHECK:       tg.kernel @type
// CHECK:       tg.kernel @in_place
// CHECK:       tg.kernel @index
// CHECK-NOT:   tg.kernel
// CHECK-LABEL: func.func @different
// CHECK:         tg.launch @base(
// CHECK:         tg.launch @constant(
// CHECK:         tg.launch @operands(
tg.kernel @base(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.sub %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @constant(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(3.0 : f32) : f32
  %y = tg.sub %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @operation(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.fdiv %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @extent(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 3
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.sub %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @kind(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 thread 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.sub %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @operands(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.sub %c, %x : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @type(%out: memref<4xf32>, %in: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<8xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.sub %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @in_place(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64, in_place} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.sub %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @index(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %o = tg.const(0 : index) : index
  %x = tg.load %in[%o] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %y = tg.sub %x, %c : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
func.func @different(%x: memref<4xf32>, %y: memref<4xf32>) {
  tg.launch @base(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @constant(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @operands(%y, %x) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// Which argument is read where counts, not only how often.

// CHECK:       tg.kernel @xy
// CHECK:       tg.kernel @yx
tg.kernel @xy(%out: memref<4xf32>, %x: memref<4xf32>, %y: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %a = tg.load %x[%i] : memref<4xf32>
  %b = tg.load %y[%i] : memref<4xf32>
  %s = tg.sub %a, %b : f32
  tg.store %s, %out[%i] : memref<4xf32>
}
tg.kernel @yx(%out: memref<4xf32>, %x: memref<4xf32>, %y: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %a = tg.load %y[%i] : memref<4xf32>
  %b = tg.load %x[%i] : memref<4xf32>
  %s = tg.sub %a, %b : f32
  tg.store %s, %out[%i] : memref<4xf32>
}

// -----

// What one may rely on is not there for the other.

// CHECK-LABEL: func.func @memory
// CHECK-NEXT:    tg.launch @all(
// CHECK-NEXT:    tg.launch @least(
tg.kernel @all(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  tg.store %x, %out[%i] : memref<4xf32>
}
tg.kernel @least(%out: memref<4xf32>, %in: memref<4xf32> {tg.least_elements = 1 : i64}) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  tg.store %x, %out[%i] : memref<4xf32>
}
func.func @memory(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) {
  tg.launch @all(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @least(%z, %y) : memref<4xf32>, memref<4xf32>
  return
}
