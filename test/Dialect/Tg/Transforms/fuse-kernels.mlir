// RUN: tg-opt %s -split-input-file -tg-fuse-kernels | FileCheck %s

// Both read a buffer at the same positions: it is loaded once.

// CHECK-LABEL: tg.kernel @E_4_x2_n0
// CHECK-SAME:    (%[[P:.*]]: memref<4xf32>, %[[Q:.*]]: memref<4xf32>, %[[X:.*]]: memref<4xf32>) attributes {outputs = 2 : i64}
// CHECK-NEXT:    %[[I:.*]] = tg.range 0 loop 4
// CHECK-NEXT:    %[[L:.*]] = tg.load %[[X]][%[[I]]]
// CHECK-NEXT:    %[[A:.*]] = tg.neg %[[L]]
// CHECK-NEXT:    %[[B:.*]] = tg.exp2 %[[L]]
// CHECK-NEXT:    tg.store %[[A]], %[[P]][%[[I]]]
// CHECK-NEXT:    tg.store %[[B]], %[[Q]][%[[I]]]
// CHECK-NOT:   tg.kernel
// CHECK-LABEL: func.func @same_operand
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[P:.*]]: memref<4xf32>, %[[Q:.*]]: memref<4xf32>)
// CHECK-NEXT:    tg.launch @E_4_x2_n0(%[[P]], %[[Q]], %[[X]])
// CHECK-NEXT:    return
tg.kernel @E_4_n7(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @b(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 3 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
func.func @same_operand(%x: memref<4xf32>, %p: memref<4xf32>, %q: memref<4xf32>) {
  tg.launch @E_4_n7(%p, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @b(%q, %x) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// The second one reads what the first one stores, and nobody else does.

// CHECK-LABEL: tg.kernel @E_4_x1_n0
// CHECK-SAME:    (%[[Q:.*]]: memref<4xf32>, %[[X:.*]]: memref<4xf32>) attributes {outputs = 1 : i64}
// CHECK:         %[[L:.*]] = tg.load %[[X]]
// CHECK-NEXT:    %[[A:.*]] = tg.neg %[[L]]
// CHECK-NEXT:    %[[B:.*]] = tg.exp2 %[[A]]
// CHECK-NEXT:    tg.store %[[B]], %[[Q]]
// CHECK-NEXT:  }
// CHECK-LABEL: func.func @temporary
// CHECK-NEXT:    tg.launch @E_4_x1_n0(%{{.*}}, %{{.*}})
// CHECK-NEXT:    return
tg.kernel @E_4_n0(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @E_4_n1(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
func.func @temporary(%x: memref<4xf32>, %q: memref<4xf32>) {
  %t = tg.alloc on "CPU" : memref<4xf32>
  tg.launch @E_4_n0(%t, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @E_4_n1(%q, %t) : memref<4xf32>, memref<4xf32>
  return
}
// A result of the function is stored as well.

// CHECK-LABEL: func.func @returned
// CHECK:         %[[T:.*]] = tg.alloc
// CHECK-NEXT:    tg.launch @E_4_x2_n1(%[[T]], %{{.*}}, %{{.*}})
// CHECK-NEXT:    return %[[T]]
func.func @returned(%x: memref<4xf32>, %q: memref<4xf32>) -> memref<4xf32> {
  %t = tg.alloc on "CPU" : memref<4xf32>
  tg.launch @E_4_n0(%t, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @E_4_n1(%q, %t) : memref<4xf32>, memref<4xf32>
  return %t : memref<4xf32>
}

// -----

// A masked load of what is stored everywhere is the value or 0.

// CHECK-LABEL: tg.kernel @E_4_x1_n0
// CHECK:         %[[A:.*]] = tg.neg
// CHECK:         %[[M:.*]] = tg.cmplt
// CHECK:         %[[Z:.*]] = tg.const(0.000000e+00 : f32)
// CHECK:         %[[W:.*]] = tg.where %[[M]], %[[A]], %[[Z]]
// CHECK:         tg.store %[[W]]
tg.kernel @E_4_n0(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @E_4_n1(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %c = tg.const(3 : index) : index
  %m = tg.cmplt %i, %c : index
  %x = tg.load %in[%i] mask %m : memref<4xf32>
  tg.store %x, %out[%i] : memref<4xf32>
}
func.func @masked(%x: memref<4xf32>, %q: memref<4xf32>) {
  %t = tg.alloc on "CPU" : memref<4xf32>
  tg.launch @E_4_n0(%t, %x) : memref<4xf32>, memref<4xf32>
  tg.launch @E_4_n1(%q, %t) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// Assigned memory: the second one reads the new contents of the first one.

// CHECK-LABEL: tg.kernel @add_x2_n0
// CHECK-SAME:    (%[[M:.*]]: memref<4xf32>, %[[W:.*]]: memref<4xf32>, %[[G:.*]]: memref<4xf32>) attributes {in_place, outputs = 2 : i64}
// CHECK:         %[[OLD:.*]] = tg.load %[[M]]
// CHECK:         %[[NEW:.*]] = tg.add %[[OLD]], %{{.*}}
// CHECK-NOT:     tg.load %[[M]]
// CHECK:         tg.sub %{{.*}}, %[[NEW]]
// CHECK:         tg.store %[[NEW]], %[[M]]
// CHECK:         tg.store %{{.*}}, %[[W]]
// CHECK-LABEL: func.func @update
// CHECK-NEXT:    tg.launch @add_x2_n0
// CHECK-NEXT:    return
tg.kernel @add(%m: memref<4xf32>, %g: memref<4xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %m[%i] : memref<4xf32>
  %y = tg.load %g[%i] : memref<4xf32>
  %z = tg.add %x, %y : f32
  tg.store %z, %m[%i] : memref<4xf32>
}
tg.kernel @E_4(%w: memref<4xf32>, %m: memref<4xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %w[%i] : memref<4xf32>
  %y = tg.load %m[%i] : memref<4xf32>
  %z = tg.sub %x, %y : f32
  tg.store %z, %w[%i] : memref<4xf32>
}
func.func @update(%w: memref<4xf32>, %m: memref<4xf32>, %g: memref<4xf32>) {
  tg.launch @add(%m, %g) : memref<4xf32>, memref<4xf32>
  tg.launch @E_4(%w, %m) : memref<4xf32>, memref<4xf32>
  return
}
// A copy of the old contents is not needed where these are read as they are
// overwritten.

// CHECK-LABEL: func.func @update_by_old
// CHECK-NEXT:    tg.launch @add_x2_n1
// CHECK-NEXT:    return
func.func @update_by_old(%w: memref<4xf32>, %m: memref<4xf32>, %g: memref<4xf32>) {
  %c = tg.alloc on "CPU" : memref<4xf32>
  tg.transfer %m to %c : memref<4xf32>
  tg.launch @add(%m, %g) : memref<4xf32>, memref<4xf32>
  tg.launch @E_4(%w, %c) : memref<4xf32>, memref<4xf32>
  return
}
// It is if somebody else reads it.

// CHECK-LABEL: func.func @copy_is_returned
// CHECK:         tg.transfer
// CHECK-NEXT:    tg.launch @add_x2_n1
// CHECK-NEXT:    return
func.func @copy_is_returned(%w: memref<4xf32>, %m: memref<4xf32>, %g: memref<4xf32>) -> memref<4xf32> {
  %c = tg.alloc on "CPU" : memref<4xf32>
  tg.transfer %m to %c : memref<4xf32>
  tg.launch @add(%m, %g) : memref<4xf32>, memref<4xf32>
  tg.launch @E_4(%w, %c) : memref<4xf32>, memref<4xf32>
  return %c : memref<4xf32>
}
// What is in memory is not what was copied, since one more kernel wrote to it.

// CHECK-LABEL: func.func @two_versions
// CHECK-COUNT-2: tg.transfer
// CHECK-NEXT:    tg.launch @add(
// CHECK-NEXT:    tg.launch @E_4(
func.func @two_versions(%w: memref<4xf32>, %m: memref<4xf32>, %g: memref<4xf32>, %h: memref<8xf32>) {
  %c = tg.alloc on "CPU" : memref<4xf32>
  tg.transfer %m to %c : memref<4xf32>
  %v = tg.subbuffer %h at (16) : memref<8xf32> -> memref<4xf32>
  tg.transfer %v to %m : memref<4xf32>
  tg.launch @add(%m, %g) : memref<4xf32>, memref<4xf32>
  tg.launch @E_4(%w, %c) : memref<4xf32>, memref<4xf32>
  return
}

// -----

// What the first one stores is overwritten at once.

// CHECK-LABEL: tg.kernel @E_4_x1_n0
// CHECK-SAME:    (%[[M:.*]]: memref<4xf32>) attributes {in_place, outputs = 1 : i64}
// CHECK:         %[[A:.*]] = tg.neg
// CHECK-NEXT:    %[[B:.*]] = tg.neg %[[A]]
// CHECK-NEXT:    tg.store %[[B]], %[[M]]
// CHECK-NEXT:  }
tg.kernel @E_4(%m: memref<4xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %m[%i] : memref<4xf32>
  %y = tg.neg %x : f32
  tg.store %y, %m[%i] : memref<4xf32>
}
func.func @overwritten(%m: memref<4xf32>) {
  tg.launch @E_4(%m) : memref<4xf32>
  tg.launch @E_4(%m) : memref<4xf32>
  return
}

// -----

// One kernel walks over a matrix as a whole.

// CHECK-LABEL: tg.kernel @E_4_8_x2_n0
// CHECK:         %[[I:.*]] = tg.range 0 loop 4
// CHECK-NEXT:    %[[J:.*]] = tg.range 1 loop 8
// CHECK:         tg.load
// CHECK-NOT:     tg.load
// CHECK:         tg.store
// CHECK:         tg.store
tg.kernel @E_32(%out: memref<32xf32>, %in: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 32
  %x = tg.load %in[%i] : memref<32xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<32xf32>
}
tg.kernel @E_4_8(%out: memref<32xf32>, %in: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c = tg.const(8 : index) : index
  %r = tg.mul %i, %c : index
  %k = tg.add %r, %j : index
  %x = tg.load %in[%k] : memref<32xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %out[%k] : memref<32xf32>
}
func.func @other_shape(%x: memref<32xf32>, %p: memref<32xf32>, %q: memref<32xf32>) {
  tg.launch @E_32(%p, %x) : memref<32xf32>, memref<32xf32>
  tg.launch @E_4_8(%q, %x) : memref<32xf32>, memref<32xf32>
  return
}

// -----

// Reductions along the same operand share their range, and what is equal.

// CHECK-LABEL: tg.kernel @r_4_8_x2_n0
// CHECK-NEXT:    tg.range 0 loop 4
// CHECK-NEXT:    %[[K:.*]] = tg.range 1 loop 8
// CHECK-NOT:     tg.range
// CHECK:         %[[L:.*]] = tg.load
// CHECK-NOT:     tg.load
// CHECK:         tg.ranged_reduce add %[[L]] over %[[K]]
// CHECK:         tg.ranged_reduce max %[[L]] over %[[K]]
tg.kernel @r_4_8(%out: memref<4xf32>, %in: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c = tg.const(8 : index) : index
  %r = tg.mul %i, %c : index
  %k = tg.add %r, %j : index
  %x = tg.load %in[%k] : memref<32xf32>
  %y = tg.ranged_reduce add %x over %j : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @s_4_8(%out: memref<4xf32>, %in: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c = tg.const(8 : index) : index
  %r = tg.mul %i, %c : index
  %k = tg.add %r, %j : index
  %x = tg.load %in[%k] : memref<32xf32>
  %y = tg.ranged_reduce max %x over %j : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
func.func @reductions(%x: memref<32xf32>, %p: memref<4xf32>, %q: memref<4xf32>) {
  tg.launch @r_4_8(%p, %x) : memref<4xf32>, memref<32xf32>
  tg.launch @s_4_8(%q, %x) : memref<4xf32>, memref<32xf32>
  return
}

// -----

// Rows: the first one stores once for each row that the second one stores.

// CHECK-LABEL: tg.kernel @E_4_8_x2_n0
// CHECK:         %[[I:.*]] = tg.range 0 loop 4
// CHECK:         %[[J:.*]] = tg.range 1 loop 8
// CHECK:         %[[K:.*]] = tg.range 2 loop 8
// CHECK:         %[[S:.*]] = tg.ranged_reduce add %{{.*}} over %[[K]]
// CHECK:         %[[D:.*]] = tg.sub %{{.*}}, %[[S]]
// CHECK:         tg.store %[[S]], %{{.*}}[%[[I]]]
// CHECK:         tg.store %[[D]]
// CHECK-LABEL: func.func @rows
// CHECK-NEXT:    tg.launch
// CHECK-NEXT:    return
tg.kernel @r_4_8(%out: memref<4xf32>, %in: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c = tg.const(8 : index) : index
  %r = tg.mul %i, %c : index
  %k = tg.add %r, %j : index
  %x = tg.load %in[%k] : memref<32xf32>
  %y = tg.ranged_reduce add %x over %j : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @E_4_8(%out: memref<32xf32>, %in: memref<32xf32>, %s: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 8
  %c = tg.const(8 : index) : index
  %r = tg.mul %i, %c : index
  %k = tg.add %r, %j : index
  %x = tg.load %in[%k] : memref<32xf32>
  %y = tg.load %s[%i] : memref<4xf32>
  %z = tg.sub %x, %y : f32
  tg.store %z, %out[%k] : memref<32xf32>
}
func.func @rows(%x: memref<32xf32>, %p: memref<4xf32>, %q: memref<32xf32>) {
  tg.launch @r_4_8(%p, %x) : memref<4xf32>, memref<32xf32>
  tg.launch @E_4_8(%q, %x, %p) : memref<32xf32>, memref<32xf32>, memref<4xf32>
  return
}

// -----

// Where the sizes are symbolic.

// CHECK-LABEL: tg.kernel @E_n_x2_n0
// CHECK:         tg.range 0 loop #n
// CHECK-NOT:     tg.range
// CHECK:         tg.load
// CHECK-NOT:     tg.load
// CHECK:         tg.store
// CHECK:         tg.store
tg.kernel @E_n_n0(%out: memref<8xf32>, %in: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.var<"n", 1, 8>
  %x = tg.load %in[%i] : memref<8xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<8xf32>
}
tg.kernel @E_n_n1(%out: memref<8xf32>, %in: memref<8xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop #tg.var<"n", 1, 8>
  %x = tg.load %in[%i] : memref<8xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %out[%i] : memref<8xf32>
}
func.func @symbolic(%x: memref<8xf32>, %p: memref<8xf32>, %q: memref<8xf32>) {
  tg.launch @E_n_n0(%p, %x) : memref<8xf32>, memref<8xf32>
  tg.launch @E_n_n1(%q, %x) : memref<8xf32>, memref<8xf32>
  return
}

// -----

// A step in between that needs the first one, or that the second one needs, is
// done after or before both.

// CHECK-LABEL: func.func @early
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[P:.*]]: memref<4xf32>, %[[Q:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32>)
// CHECK-NEXT:    tg.launch @E_4_x2_n0(%[[P]], %[[Q]], %[[X]])
// CHECK-NEXT:    tg.transfer %[[P]] to %[[R]]
// CHECK-LABEL: func.func @late
// CHECK-SAME:    (%[[X:.*]]: memref<4xf32>, %[[P:.*]]: memref<4xf32>, %[[Q:.*]]: memref<4xf32>, %[[R:.*]]: memref<4xf32>)
// CHECK-NEXT:    tg.transfer %[[Q]] to %[[R]]
// CHECK-NEXT:    tg.launch @E_4_x2_n0(%[[P]], %[[Q]], %[[X]])
// Not if both are so.

// CHECK-LABEL: func.func @between
// CHECK-NEXT:    tg.launch @E_4_n0
// CHECK-NEXT:    tg.transfer
// CHECK-NEXT:    tg.launch @add
tg.kernel @E_4_n0(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @E_4_n1(%out: memref<4xf32>, %in: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %in[%i] : memref<4xf32>
  %y = tg.exp2 %x : f32
  tg.store %y, %out[%i] : memref<4xf32>
}
tg.kernel @add(%out: memref<4xf32>, %a: memref<4xf32>, %b: memref<4xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4
  %x = tg.load %a[%i] : memref<4xf32>
  %y = tg.load %b[%i] : memref<4xf32>
  %z = tg.add %x, %y : f32
  tg.store %z, %out[%i] : memref<4xf32>
}
func.func @early(%x: memref<4xf32>, %p: memref<4xf32>, %q: memref<4xf32>, %r: memref<4xf32>) {
  tg.launch @E_4_n0(%p, %x) : memref<4xf32>, memref<4xf32>
  tg.transfer %p to %r : memref<4xf32>
  tg.launch @E_4_n1(%q, %x) : memref<4xf32>, memref<4xf32>
  return
}
func.func @late(%x: memref<4xf32>, %p: memref<4xf32>, %q: memref<4xf32>, %r: memref<4xf32>) {
  tg.launch @E_4_n0(%p, %x) : memref<4xf32>, memref<4xf32>
  tg.transfer %q to %r : memref<4xf32>
  tg.launch @E_4_n1(%q, %x) : memref<4xf32>, memref<4xf32>
  return
}
func.func @between(%x: memref<4xf32>, %p: memref<4xf32>, %q: memref<4xf32>, %r: memref<4xf32>) {
  tg.launch @E_4_n0(%p, %x) : memref<4xf32>, memref<4xf32>
  tg.transfer %p to %r : memref<4xf32>
  tg.launch @add(%q, %x, %r) : memref<4xf32>, memref<4xf32>, memref<4xf32>
  return
}

// -----

// Small kernels of the same ranges share no operand, but one launch feeds both:
// their loops become one as well.

// CHECK-LABEL: tg.kernel @r_256_x2_n0
// CHECK-SAME:    (%[[P:.*]]: memref<1xf32>, %[[Q:.*]]: memref<1xf32>, %[[A:.*]]: memref<256xf32>, %[[B:.*]]: memref<256xf32>)
// CHECK:         %[[I:.*]] = tg.range 0 loop 256
// CHECK-NOT:     tg.range
// CHECK:         %[[X:.*]] = tg.load %[[A]][%[[I]]]
// CHECK:         %[[S:.*]] = tg.ranged_reduce add %[[X]] over %[[I]]
// CHECK:         %[[Y:.*]] = tg.load %[[B]][%[[I]]]
// CHECK:         %[[M:.*]] = tg.ranged_reduce max %[[Y]] over %[[I]]
// CHECK:         tg.store %[[S]], %[[P]]
// CHECK:         tg.store %[[M]], %[[Q]]
// CHECK-LABEL: func.func @siblings
// CHECK-SAME:    (%[[X:.*]]: memref<256xf32>, %[[P:.*]]: memref<1xf32>, %[[Q:.*]]: memref<1xf32>)
// CHECK:         tg.launch @parts(%[[A:.*]], %[[B:.*]], %[[X]])
// CHECK-NEXT:    tg.launch @r_256_x2_n0(%[[P]], %[[Q]], %[[A]], %[[B]])
// CHECK-NEXT:    return
tg.kernel @parts(%a: memref<256xf32>, %b: memref<256xf32>, %in: memref<256xf32>) attributes {outputs = 2 : i64} {
  %i = tg.range 0 loop 256
  %x = tg.load %in[%i] : memref<256xf32>
  %y = tg.exp2 %x : f32
  tg.store %x, %a[%i] : memref<256xf32>
  tg.store %y, %b[%i] : memref<256xf32>
}
tg.kernel @r_256_n1(%out: memref<1xf32>, %in: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 256
  %z = tg.const(0 : index) : index
  %x = tg.load %in[%i] : memref<256xf32>
  %y = tg.ranged_reduce add %x over %i : f32
  tg.store %y, %out[%z] : memref<1xf32>
}
tg.kernel @r_256_n2(%out: memref<1xf32>, %in: memref<256xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 256
  %z = tg.const(0 : index) : index
  %x = tg.load %in[%i] : memref<256xf32>
  %y = tg.ranged_reduce max %x over %i : f32
  tg.store %y, %out[%z] : memref<1xf32>
}
func.func @siblings(%x: memref<256xf32>, %p: memref<1xf32>, %q: memref<1xf32>) {
  %a = tg.alloc on "CPU" : memref<256xf32>
  %b = tg.alloc on "CPU" : memref<256xf32>
  tg.launch @parts(%a, %b, %x) : memref<256xf32>, memref<256xf32>, memref<256xf32>
  tg.launch @r_256_n1(%p, %a) : memref<1xf32>, memref<256xf32>
  tg.launch @r_256_n2(%q, %b) : memref<1xf32>, memref<256xf32>
  return
}

// -----

// Updates of two buffers share the loop over the positions, in the order that
// each had.

// CHECK-LABEL: tg.kernel @E_8_1000_x2_n0
// CHECK-SAME:    in_place, outputs = 2
// CHECK:         %[[D:.*]] = tg.range 0 loop 8
// CHECK:         %[[P:.*]] = tg.range 1 loop 1000
// CHECK-NOT:     tg.range
// CHECK-COUNT-2: tg.load
// CHECK-NOT:     tg.load
// CHECK:         tg.store %{{.*}}, %arg0[%{{.*}}] update add over %[[P]] : memref<256xf32>
// CHECK:         tg.store %{{.*}}, %arg1[%{{.*}}] update max over %[[P]] : memref<32xi32>
// CHECK-LABEL: func.func @updates
// CHECK-NEXT:    tg.launch @E_8_1000_x2_n0
// CHECK-NEXT:    return
tg.kernel @E_8_1000_n0(%out: memref<256xf32>, %at: memref<1000xi32>, %in: memref<8000xf32>) attributes {in_place, outputs = 1 : i64} {
  %d = tg.range 0 loop 8
  %p = tg.range 1 loop 1000
  %c = tg.const(8 : index) : index
  %r = tg.mul %p, %c : index
  %i = tg.add %r, %d : index
  %x = tg.load %in[%i] : memref<8000xf32>
  %l = tg.load %at[%p] : memref<1000xi32>
  %k = tg.cast %l : i32 -> index
  %s = tg.mul %k, %c : index
  %j = tg.add %s, %d : index
  tg.store %x, %out[%j] update add over %p : memref<256xf32>
}
tg.kernel @E_1000_n1(%out: memref<32xi32>, %at: memref<1000xi32>) attributes {in_place, outputs = 1 : i64} {
  %p = tg.range 0 loop 1000
  %x = tg.const(1 : i32) : i32
  %l = tg.load %at[%p] : memref<1000xi32>
  %k = tg.cast %l : i32 -> index
  tg.store %x, %out[%k] update max over %p : memref<32xi32>
}
func.func @updates(%at: memref<1000xi32>, %x: memref<8000xf32>, %p: memref<256xf32>, %q: memref<32xi32>) {
  tg.launch @E_8_1000_n0(%p, %at, %x) : memref<256xf32>, memref<1000xi32>, memref<8000xf32>
  tg.launch @E_1000_n1(%q, %at) : memref<32xi32>, memref<1000xi32>
  return
}

// -----

// Sums of columns, one of them of rows that are scaled: the scales are read for
// all columns, but the rows take the time. (A product of matrices stays apart.)

// CHECK-LABEL: tg.kernel @r_256_64_x2_n0
// CHECK: tg.load %arg2
// CHECK-NOT: tg.load %arg2
// CHECK: tg.load %arg3
tg.kernel @r_256_64_n0(%arg0: memref<256xf32>, %arg1: memref<16384xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 256
  %1 = tg.range 1 loop 64
  %2 = tg.const(256 : index) : index
  %3 = tg.mul %1, %2 : index
  %4 = tg.add %0, %3 : index
  %5 = tg.load %arg1[%4] : memref<16384xf32>
  %6 = tg.ranged_reduce add %5 over %1 : f32
  tg.store %6, %arg0[%0] : memref<256xf32>
}
tg.kernel @r_256_64_n1(%arg0: memref<256xf32>, %arg1: memref<16384xf32>, %arg2: memref<64xf32>) attributes {outputs = 1 : i64} {
  %0 = tg.range 0 loop 256
  %1 = tg.range 1 loop 64
  %2 = tg.const(256 : index) : index
  %3 = tg.mul %1, %2 : index
  %4 = tg.add %0, %3 : index
  %5 = tg.load %arg1[%4] : memref<16384xf32>
  %6 = tg.load %arg2[%1] : memref<64xf32>
  %7 = tg.mul %5, %6 : f32
  %8 = tg.ranged_reduce add %7 over %1 : f32
  tg.store %8, %arg0[%0] : memref<256xf32>
}
func.func @main(%arg0: memref<16384xf32>, %arg1: memref<64xf32>) -> (memref<256xf32>, memref<256xf32>) {
  %0 = tg.alloc on "CPU" : memref<256xf32>
  %1 = tg.alloc on "CPU" : memref<256xf32>
  tg.launch @r_256_64_n0(%1, %arg0) : memref<256xf32>, memref<16384xf32>
  tg.launch @r_256_64_n1(%0, %arg0, %arg1) : memref<256xf32>, memref<16384xf32>, memref<64xf32>
  return %1, %0 : memref<256xf32>, memref<256xf32>
}

// -----

// The last one reads what the first and the second one store. A step in between
// depends on the first one, so neither can be moved to the other as it stands:
// the second one, which depends on nothing, goes first.

// CHECK-LABEL: func.func @moved
// CHECK-SAME:    (%[[X:.*]]: memref<512xf32>, %[[Y:.*]]: memref<512xf32>, %[[P:.*]]: memref<512xf32>, %[[C:.*]]: memref<1xf32>, %[[S:.*]]: memref<1xf32>, %[[Q:.*]]: memref<512xf32>)
// CHECK-NEXT:    tg.launch @r_512_n1(%[[C]], %[[Y]])
// CHECK-NEXT:    tg.launch @E_512_x2_n0(%[[P]], %[[Q]], %[[X]], %[[C]])
// CHECK-NEXT:    tg.launch @r_512_n2(%[[S]], %[[P]], %[[C]])
// CHECK-NEXT:    return
tg.kernel @E_512_n0(%out: memref<512xf32>, %in: memref<512xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 512
  %x = tg.load %in[%i] : memref<512xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<512xf32>
}
tg.kernel @r_512_n1(%out: memref<1xf32>, %in: memref<512xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 0 loop 512
  %x = tg.load %in[%i] : memref<512xf32>
  %y = tg.ranged_reduce add %x over %i : f32
  tg.store %y, %out[%zero] : memref<1xf32>
}
tg.kernel @r_512_n2(%out: memref<1xf32>, %in: memref<512xf32>, %c: memref<1xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 0 loop 512
  %x = tg.load %in[%i] : memref<512xf32>
  %y = tg.ranged_reduce add %x over %i : f32
  %z = tg.load %c[%zero] : memref<1xf32>
  %w = tg.fdiv %y, %z : f32
  tg.store %w, %out[%zero] : memref<1xf32>
}
tg.kernel @E_512_n3(%out: memref<512xf32>, %in: memref<512xf32>, %c: memref<1xf32>) attributes {outputs = 1 : i64} {
  %zero = tg.const(0 : index) : index
  %i = tg.range 0 loop 512
  %x = tg.load %in[%i] : memref<512xf32>
  %z = tg.load %c[%zero] : memref<1xf32>
  %w = tg.fdiv %x, %z : f32
  tg.store %w, %out[%i] : memref<512xf32>
}
func.func @moved(%x: memref<512xf32>, %y: memref<512xf32>, %p: memref<512xf32>, %c: memref<1xf32>, %s: memref<1xf32>, %q: memref<512xf32>) {
  tg.launch @E_512_n0(%p, %x) : memref<512xf32>, memref<512xf32>
  tg.launch @r_512_n1(%c, %y) : memref<1xf32>, memref<512xf32>
  tg.launch @r_512_n2(%s, %p, %c) : memref<1xf32>, memref<512xf32>, memref<1xf32>
  tg.launch @E_512_n3(%q, %p, %c) : memref<512xf32>, memref<512xf32>, memref<1xf32>
  return
}
