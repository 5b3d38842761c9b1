// RUN: tg-opt %s -split-input-file -tg-order-launches | FileCheck %s

// The updates of the weights %w and %v run as soon as their gradients are there,
// but after the last reader of the old weight; the small intermediate that they
// wait for is computed before. The second update of %w follows the first one.

// CHECK-LABEL: func.func @updates
// CHECK:         tg.launch @one(%[[SMALL:.*]], %arg4)
// CHECK:         tg.launch @neg(%[[A:.*]], %arg0)
// CHECK:         tg.launch @add(%[[G:.*]], %[[A]], %arg1)
// CHECK-NEXT:    tg.launch @update(%arg1, %[[G]], %[[SMALL]])
// CHECK-NEXT:    tg.launch @update(%arg1, %[[G]], %[[SMALL]])
// CHECK-NEXT:    tg.launch @neg(%[[B:.*]], %[[G]])
// CHECK-NEXT:    tg.launch @update(%arg2, %[[B]], %[[SMALL]])
// CHECK-NEXT:    tg.launch @neg(%[[C:.*]], %[[B]])
// CHECK-NEXT:    tg.launch @neg(%arg3, %[[C]])
// CHECK-NEXT:    return
tg.kernel @neg(%out: memref<1024xf32>, %in: memref<1024xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 1024
  %x = tg.load %in[%i] : memref<1024xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<1024xf32>
}
tg.kernel @one(%out: memref<1xf32>, %in: memref<1xf32>) attributes {outputs = 1 : i64} {
  %i = tg.const(0 : index) : index
  %x = tg.load %in[%i] : memref<1xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<1xf32>
}
tg.kernel @add(%out: memref<1024xf32>, %a: memref<1024xf32>, %b: memref<1024xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 1024
  %x = tg.load %a[%i] : memref<1024xf32>
  %y = tg.load %b[%i] : memref<1024xf32>
  %z = tg.add %x, %y : f32
  tg.store %z, %out[%i] : memref<1024xf32>
}
tg.kernel @update(%w: memref<1024xf32>, %g: memref<1024xf32>, %s: memref<1xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 1024
  %0 = tg.const(0 : index) : index
  %x = tg.load %w[%i] : memref<1024xf32>
  %y = tg.load %g[%i] : memref<1024xf32>
  %s0 = tg.load %s[%0] : memref<1xf32>
  %d = tg.mul %y, %s0 : f32
  %z = tg.add %x, %d : f32
  tg.store %z, %w[%i] : memref<1024xf32>
}
func.func @updates(%x: memref<1024xf32>, %w: memref<1024xf32>, %v: memref<1024xf32>, %r: memref<1024xf32>, %rate: memref<1xf32>) {
  %a = tg.alloc on "CPU" : memref<1024xf32>
  %g = tg.alloc on "CPU" : memref<1024xf32>
  %b = tg.alloc on "CPU" : memref<1024xf32>
  %c = tg.alloc on "CPU" : memref<1024xf32>
  tg.launch @neg(%a, %x) : memref<1024xf32>, memref<1024xf32>
  tg.launch @add(%g, %a, %w) : memref<1024xf32>, memref<1024xf32>, memref<1024xf32>
  tg.launch @neg(%b, %g) : memref<1024xf32>, memref<1024xf32>
  tg.launch @neg(%c, %b) : memref<1024xf32>, memref<1024xf32>
  tg.launch @neg(%r, %c) : memref<1024xf32>, memref<1024xf32>
  %small = tg.alloc on "CPU" : memref<1xf32>
  tg.launch @one(%small, %rate) : memref<1xf32>, memref<1xf32>
  tg.launch @update(%w, %g, %small) : memref<1024xf32>, memref<1024xf32>, memref<1xf32>
  tg.launch @update(%w, %g, %small) : memref<1024xf32>, memref<1024xf32>, memref<1xf32>
  tg.launch @update(%v, %b, %small) : memref<1024xf32>, memref<1024xf32>, memref<1xf32>
  return
}

// -----

// Parts of one argument: an update of a part passes a reader of another part,
// but not one of its own. What writes an intermediate stays where it is.

// CHECK-LABEL: func.func @parts
// CHECK:         %[[LOW:.*]] = tg.subbuffer %arg0 at (0)
// CHECK:         tg.launch @neg(%[[T:.*]], %[[LOW]])
// CHECK-NEXT:    %[[HIGH:.*]] = tg.subbuffer %arg0 at (4096)
// CHECK-NEXT:    tg.launch @neg(%[[HIGH]], %[[T]])
// CHECK-NEXT:    tg.launch @neg(%[[U:.*]], %[[LOW]])
// CHECK-NEXT:    tg.launch @neg(%[[LOW]], %[[T]])
// CHECK-NEXT:    tg.launch @neg(%[[V:.*]], %[[U]])
// CHECK-NEXT:    tg.launch @neg(%arg1, %[[V]])
tg.kernel @neg(%out: memref<1024xf32>, %in: memref<1024xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 1024
  %x = tg.load %in[%i] : memref<1024xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<1024xf32>
}
func.func @parts(%x: memref<2048xf32>, %r: memref<1024xf32>) {
  %low = tg.subbuffer %x at (0) : memref<2048xf32> -> memref<1024xf32>
  %t = tg.alloc on "CPU" : memref<1024xf32>
  %u = tg.alloc on "CPU" : memref<1024xf32>
  %v = tg.alloc on "CPU" : memref<1024xf32>
  tg.launch @neg(%t, %low) : memref<1024xf32>, memref<1024xf32>
  tg.launch @neg(%u, %low) : memref<1024xf32>, memref<1024xf32>
  tg.launch @neg(%v, %u) : memref<1024xf32>, memref<1024xf32>
  tg.launch @neg(%r, %v) : memref<1024xf32>, memref<1024xf32>
  %high = tg.subbuffer %x at (4096) : memref<2048xf32> -> memref<1024xf32>
  tg.launch @neg(%high, %t) : memref<1024xf32>, memref<1024xf32>
  tg.launch @neg(%low, %t) : memref<1024xf32>, memref<1024xf32>
  return
}
