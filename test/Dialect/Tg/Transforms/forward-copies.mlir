// RUN: tg-opt %s -split-input-file -tg-forward-copies | FileCheck %s

// Both buffers are computed where they would be copied to; the readers of the
// first one read that part. Nothing launches the copy any more.

// CHECK-NOT:   tg.kernel @copy
// CHECK-LABEL: func.func @parts
// CHECK:         %[[ALL:.*]] = tg.alloc on "CPU" : memref<32xf32>
// CHECK-DAG:     %[[A:.*]] = tg.subbuffer %[[ALL]] at (0) : memref<32xf32> -> memref<16xf32>
// CHECK-DAG:     %[[B:.*]] = tg.subbuffer %[[ALL]] at (64) : memref<32xf32> -> memref<16xf32>
// CHECK:         tg.launch @neg(%[[A]], %arg0)
// CHECK-NEXT:    tg.launch @neg(%[[B]], %[[A]])
// CHECK-NEXT:    return %[[ALL]]
tg.kernel @neg(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<16xf32>
}
tg.kernel @copy(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}
func.func @parts(%x: memref<16xf32>) -> memref<32xf32> {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %b = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<32xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @neg(%b, %a) : memref<16xf32>, memref<16xf32>
  %0 = tg.subbuffer %all at (0) : memref<32xf32> -> memref<16xf32>
  tg.launch @copy(%0, %a) : memref<16xf32>, memref<16xf32>
  %1 = tg.subbuffer %all at (64) : memref<32xf32> -> memref<16xf32>
  tg.launch @copy(%1, %b) : memref<16xf32>, memref<16xf32>
  return %all : memref<32xf32>
}

// -----

// A buffer that is a part and has parts itself.

// CHECK-LABEL: func.func @nested
// CHECK:         %[[ALL:.*]] = tg.alloc on "CPU" : memref<16xf32>
// CHECK:         tg.launch @neg(%{{.*}}, %arg0)
// CHECK-NOT:     tg.launch @copy
tg.kernel @neg(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<16xf32>
}
tg.kernel @copy(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}
func.func @nested(%x: memref<16xf32>) -> memref<16xf32> {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %b = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @copy(%b, %a) : memref<16xf32>, memref<16xf32>
  tg.launch @copy(%all, %b) : memref<16xf32>, memref<16xf32>
  return %all : memref<16xf32>
}

// -----

// Not where the source changes after the copy (@changed), where the part is
// read or written before (@early) or written after the copy (@late), where the
// source is an argument or a result (@kept), where the part is not aligned
// (@unaligned), where most of the buffer is computed otherwise (@small), or where
// it is not copied only (@scaled).

// CHECK-LABEL: func.func @changed
// CHECK-COUNT-1: tg.launch @copy
// CHECK-LABEL: func.func @early
// CHECK-COUNT-1: tg.launch @copy
// CHECK-LABEL: func.func @late
// CHECK-COUNT-1: tg.launch @copy
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-2: tg.launch @copy
// CHECK-LABEL: func.func @unaligned
// CHECK-COUNT-1: tg.launch @copy
// CHECK-LABEL: func.func @small
// CHECK-COUNT-1: tg.launch @copy
// CHECK-LABEL: func.func @scaled
// CHECK-COUNT-1: tg.launch @scale
tg.kernel @neg(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<16xf32>
}
tg.kernel @copy(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}
tg.kernel @scale(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  %y = tg.add %x, %x : f32
  tg.store %y, %out[%i] : memref<16xf32>
}
func.func @changed(%x: memref<16xf32>) -> (memref<16xf32>, memref<16xf32>) {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %r = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @copy(%all, %a) : memref<16xf32>, memref<16xf32>
  tg.launch @neg(%a, %all) : memref<16xf32>, memref<16xf32>
  tg.launch @neg(%r, %a) : memref<16xf32>, memref<16xf32>
  return %all, %r : memref<16xf32>, memref<16xf32>
}
func.func @early(%x: memref<16xf32>) -> (memref<16xf32>, memref<16xf32>) {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %r = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @neg(%all, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @neg(%r, %all) : memref<16xf32>, memref<16xf32>
  tg.launch @copy(%all, %a) : memref<16xf32>, memref<16xf32>
  return %all, %r : memref<16xf32>, memref<16xf32>
}
func.func @late(%x: memref<16xf32>) -> (memref<16xf32>, memref<16xf32>) {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %r = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @copy(%all, %a) : memref<16xf32>, memref<16xf32>
  tg.launch @neg(%all, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @neg(%r, %a) : memref<16xf32>, memref<16xf32>
  return %all, %r : memref<16xf32>, memref<16xf32>
}
func.func @kept(%x: memref<16xf32>) -> (memref<16xf32>, memref<16xf32>, memref<16xf32>) {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<16xf32>
  %other = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @copy(%all, %a) : memref<16xf32>, memref<16xf32>
  tg.launch @copy(%other, %x) : memref<16xf32>, memref<16xf32>
  return %a, %all, %other : memref<16xf32>, memref<16xf32>, memref<16xf32>
}
func.func @unaligned(%x: memref<16xf32>) -> memref<24xf32> {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<24xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  %0 = tg.subbuffer %all at (16) : memref<24xf32> -> memref<16xf32>
  tg.launch @copy(%0, %a) : memref<16xf32>, memref<16xf32>
  return %all : memref<24xf32>
}
func.func @small(%x: memref<16xf32>) -> memref<48xf32> {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<48xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  %0 = tg.subbuffer %all at (0) : memref<48xf32> -> memref<16xf32>
  tg.launch @copy(%0, %a) : memref<16xf32>, memref<16xf32>
  return %all : memref<48xf32>
}
func.func @scaled(%x: memref<16xf32>) -> memref<16xf32> {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @scale(%all, %a) : memref<16xf32>, memref<16xf32>
  return %all : memref<16xf32>
}

// -----

// Kernels that are not launched at all stay.

// CHECK: tg.kernel @alone
tg.kernel @alone(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}

// -----

// The caller's memory for the result may end before what would be forwarded to it:
// only the first part is there for all sizes.

// CHECK-LABEL: func.func @leading
// CHECK:         tg.launch @neg(%[[A:.*]], %arg0)
// CHECK-NEXT:    tg.launch @neg(%[[B:.*]], %[[A]])
// CHECK-NOT:     tg.launch @copy(%{{.*}}, %[[A]])
// CHECK:         tg.launch @copy(%{{.*}}, %[[B]])
tg.kernel @neg(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<16xf32>
}
tg.kernel @copy(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}
func.func @leading(%x: memref<16xf32>) -> (memref<32xf32> {tg.elements = #tg.var<"n", 16, 32>}) {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %b = tg.alloc on "CPU" : memref<16xf32>
  %all = tg.alloc on "CPU" : memref<32xf32>
  tg.launch @neg(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @neg(%b, %a) : memref<16xf32>, memref<16xf32>
  %0 = tg.subbuffer %all at (0) : memref<32xf32> -> memref<16xf32>
  tg.launch @copy(%0, %a) : memref<16xf32>, memref<16xf32>
  %1 = tg.subbuffer %all at (64) : memref<32xf32> -> memref<16xf32>
  tg.launch @copy(%1, %b) : memref<16xf32>, memref<16xf32>
  return %all : memref<32xf32>
}
