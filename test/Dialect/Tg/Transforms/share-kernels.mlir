// RUN: tg-opt %s -split-input-file -tg-share-kernels | FileCheck %s
// RUN: tg-opt %s -split-input-file -tg-share-kernels -tg-fuse-kernels -tg-stage-copies \
// RUN:   | FileCheck %s --check-prefix=LATER
// RUN: tg-opt %s -split-input-file -tg-share-kernels=fewest=2 | FileCheck %s --check-prefix=TWO

// Passes on launches leave those with numbers as they are.
// LATER-LABEL: func.func @alike
// LATER-COUNT-5: tg.launch @a0({{.*}}) {numbers =

// Constants that differ are numbers of the launches, as they lie in memory; one
// that is the same everywhere stays.

// CHECK:       tg.kernel @a0(
// CHECK-SAME:    numbers = [#number0], outputs = 1 : i64
// CHECK-NEXT:    tg.range
// CHECK-NEXT:    tg.load
// CHECK-NEXT:    %[[N:.*]] = tg.dim(#number0) : index
// CHECK-NEXT:    %[[BITS:.*]] = tg.cast %[[N]] : index -> i32
// CHECK-NEXT:    %[[C:.*]] = tg.bitcast %[[BITS]] : i32 -> f32
// CHECK-NEXT:    %[[K:.*]] = tg.const(3.0
// CHECK-NEXT:    %[[Y:.*]] = tg.add %{{.*}}, %[[C]] : f32
// CHECK-NEXT:    tg.mul %[[Y]], %[[K]]
// CHECK-NOT:   tg.kernel
// CHECK-LABEL: func.func @alike
// CHECK:         tg.launch @a0({{.*}}) {numbers = array<i64: 1069547520>}
// CHECK:         tg.launch @a0({{.*}}) {numbers = array<i64: 1075838976>}
// CHECK:         tg.launch @a0({{.*}}) {numbers = array<i64: -1067450368>}
// CHECK:         tg.launch @a0({{.*}}) {numbers = array<i64: 1083179008>}
// CHECK:         tg.launch @a0({{.*}}) {numbers = array<i64: 1075838976>}
tg.kernel @a0(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(1.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @a1(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @a2(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(-3.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @a3(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(4.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
func.func @alike(%x: memref<4xf32>, %y: memref<4xf32>) {
  tg.launch @a0(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @a1(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @a2(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @a3(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @a1(%y, %x) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// Few stay as they are.

// CHECK:       tg.kernel @b0
// CHECK:         tg.const(1.5
// CHECK:       tg.kernel @b1
// CHECK:         tg.const(2.5
// CHECK:       tg.kernel @b2
// CHECK:         tg.const(3.5
// CHECK-LABEL: func.func @few
// CHECK-NOT:     numbers
// TWO-LABEL:   func.func @few
// TWO-COUNT-3:   tg.launch @b0({{.*}}) {numbers
tg.kernel @b0(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(1.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @b1(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @b2(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(3.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
func.func @few(%x: memref<4xf32>, %y: memref<4xf32>) {
  tg.launch @b0(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @b1(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @b2(%y, %x) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// What code generation simplifies, or has better instructions for, stays: 1, 0,
// an infinity, a NaN, a division by a power of two, a power.

// TWO:         tg.kernel @one
// TWO:           tg.const(1.0
// TWO:         tg.kernel @zero
// TWO:           tg.const(-0.0
// TWO:         tg.kernel @infinity
// TWO:           tg.const(0x7F800000
// TWO:         tg.kernel @nan
// TWO:           tg.const(0x7FC00000
// TWO:         tg.kernel @half
// TWO:           tg.const(2.0
// TWO:         tg.kernel @quarter
// TWO:           tg.const(4.0
// TWO:         tg.kernel @square
// TWO:         tg.kernel @cube
// TWO-LABEL:   func.func @special
// TWO-NOT:       numbers
tg.kernel @one(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(1.0 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @zero(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(-0.0 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @infinity(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(0x7F800000 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @nan(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(0x7FC00000 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.add %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @half(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.0 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.fdiv %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @quarter(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(4.0 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.fdiv %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @square(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.pow %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
tg.kernel @cube(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(3.5 : f32) : f32
  %k = tg.const(3.0 : f32) : f32
  %y = tg.pow %x, %c : f32
  %z = tg.mul %y, %k : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
func.func @special(%x: memref<4xf32>, %y: memref<4xf32>) {
  tg.launch @one(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @zero(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @infinity(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @nan(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @half(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @quarter(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @square(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @cube(%y, %x) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// Integers are shared where they are added or compared, not where they are
// divisors, factors, or where positions are computed from them.

// TWO:         tg.kernel @sum0({{.*}}numbers = [#number0]
// TWO:           %[[N:.*]] = tg.dim
// TWO:           tg.cast %[[N]] : index -> ui8
// TWO-NOT:     tg.kernel @sum1
// TWO:         tg.kernel @quotient0
// TWO:         tg.kernel @quotient1
// TWO:         tg.kernel @gather0
// TWO:         tg.kernel @gather1
// TWO-LABEL:   func.func @integers
// TWO-NEXT:      tg.launch @sum0({{.*}}) {numbers = array<i64: 7>}
// TWO-NEXT:      tg.launch @sum0({{.*}}) {numbers = array<i64: -56>}
// TWO-NEXT:      tg.launch @quotient0
// TWO-NEXT:      tg.launch @quotient1
// TWO-NEXT:      tg.launch @gather0
// TWO-NEXT:      tg.launch @gather1
tg.kernel @sum0(%out: memref<4xui8>, %in: memref<4xui8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xui8>
  %c = tg.const(7 : ui8) : ui8
  %y = tg.add %x, %c : ui8
  tg.store %y, %out[%i] : memref<4xui8>
}
tg.kernel @sum1(%out: memref<4xui8>, %in: memref<4xui8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xui8>
  %c = tg.const(200 : ui8) : ui8
  %y = tg.add %x, %c : ui8
  tg.store %y, %out[%i] : memref<4xui8>
}
tg.kernel @quotient0(%out: memref<4xui8>, %in: memref<4xui8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xui8>
  %c = tg.const(7 : ui8) : ui8
  %y = tg.idiv %x, %c : ui8
  tg.store %y, %out[%i] : memref<4xui8>
}
tg.kernel @quotient1(%out: memref<4xui8>, %in: memref<4xui8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xui8>
  %c = tg.const(9 : ui8) : ui8
  %y = tg.idiv %x, %c : ui8
  tg.store %y, %out[%i] : memref<4xui8>
}
tg.kernel @gather0(%out: memref<4xui8>, %in: memref<4xui8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xui8>
  %c = tg.const(2 : ui8) : ui8
  %y = tg.and %x, %c : ui8
  %p = tg.cast %y : ui8 -> index
  %z = tg.load %in[%p] : memref<4xui8>
  tg.store %z, %out[%i] : memref<4xui8>
}
tg.kernel @gather1(%out: memref<4xui8>, %in: memref<4xui8>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xui8>
  %c = tg.const(3 : ui8) : ui8
  %y = tg.and %x, %c : ui8
  %p = tg.cast %y : ui8 -> index
  %z = tg.load %in[%p] : memref<4xui8>
  tg.store %z, %out[%i] : memref<4xui8>
}
func.func @integers(%x: memref<4xui8>, %y: memref<4xui8>) {
  tg.launch @sum0(%y, %x) : memref<4xui8>, memref<4xui8>
  tg.launch @sum1(%y, %x) : memref<4xui8>, memref<4xui8>
  tg.launch @quotient0(%y, %x) : memref<4xui8>, memref<4xui8>
  tg.launch @quotient1(%y, %x) : memref<4xui8>, memref<4xui8>
  tg.launch @gather0(%y, %x) : memref<4xui8>, memref<4xui8>
  tg.launch @gather1(%y, %x) : memref<4xui8>, memref<4xui8>
  return
}

// -----

// Two numbers in different places, and a name that is taken.

// TWO:         tg.kernel @c0({{.*}}numbers = [#number0, #number1]
// TWO-NOT:     tg.kernel @c1
// TWO:         tg.kernel @swapped
// TWO-LABEL:   func.func @two
// TWO-NEXT:      tg.launch @c0({{.*}}) {numbers = array<i64: 1069547520, 1075838976>}
// TWO-NEXT:      tg.launch @c0({{.*}}) {numbers = array<i64: 1075838976, 1075838976>}
// TWO-NEXT:      tg.launch @c0({{.*}}) {numbers = array<i64: 1075838976, 1080033280>}
// TWO-NEXT:      tg.launch @swapped
tg.kernel @c0(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %n = tg.dim(#tg.var<"~0", 1, 4>) : index
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(1.5 : f32) : f32
  %d = tg.const(2.5 : f32) : f32
  %l = tg.cast %n : index -> i32
  %m = tg.cast %l : i32 -> f32
  %y = tg.add %x, %c : f32
  %z = tg.sub %y, %d : f32
  %w = tg.mul %z, %m : f32
  tg.store %w, %out[%i] : memref<4xf32>
}
tg.kernel @c1(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %n = tg.dim(#tg.var<"~0", 1, 4>) : index
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.5 : f32) : f32
  %d = tg.const(2.5 : f32) : f32
  %l = tg.cast %n : index -> i32
  %m = tg.cast %l : i32 -> f32
  %y = tg.add %x, %c : f32
  %z = tg.sub %y, %d : f32
  %w = tg.mul %z, %m : f32
  tg.store %w, %out[%i] : memref<4xf32>
}
tg.kernel @c2(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %n = tg.dim(#tg.var<"~0", 1, 4>) : index
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.5 : f32) : f32
  %d = tg.const(3.5 : f32) : f32
  %l = tg.cast %n : index -> i32
  %m = tg.cast %l : i32 -> f32
  %y = tg.add %x, %c : f32
  %z = tg.sub %y, %d : f32
  %w = tg.mul %z, %m : f32
  tg.store %w, %out[%i] : memref<4xf32>
}
tg.kernel @swapped(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %n = tg.dim(#tg.var<"~0", 1, 4>) : index
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %c = tg.const(2.5 : f32) : f32
  %d = tg.const(3.5 : f32) : f32
  %l = tg.cast %n : index -> i32
  %m = tg.cast %l : i32 -> f32
  %y = tg.add %x, %c : f32
  %z = tg.sub %d, %y : f32
  %w = tg.mul %z, %m : f32
  tg.store %w, %out[%i] : memref<4xf32>
}
func.func @two(%x: memref<4xf32>, %y: memref<4xf32>) {
  tg.launch @c0(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @c1(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @c2(%y, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @swapped(%y, %x) : memref<4xf32>, memref<4xf32>
  return
}
