// RUN: tg-opt %s -split-input-file -tg-plan-memory | FileCheck %s
// RUN: tg-opt %s -split-input-file -tg-plan-memory=alignment=8 \
// RUN:   | FileCheck %s --check-prefix=ALIGN8
// RUN: not tg-opt %s -split-input-file -tg-plan-memory=alignment=0 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BAD
// BAD: error: tg-plan-memory needs an alignment that is a power of two from 8 to 1048576, not 0

// %t0 is done with when %t2 is first needed; %t1 is not. The result keeps memory
// of its own.

// CHECK-LABEL: func.func @chain
// CHECK-SAME:    (%[[X:.*]]: memref<16xf32>)
// CHECK-NEXT:    %[[A:.*]] = tg.alloc on "CPU" : memref<128xi8>
// CHECK-DAG:     %[[T0:.*]] = tg.subbuffer %[[A]] at (0) : memref<128xi8> -> memref<16xf32>
// CHECK-DAG:     %[[T1:.*]] = tg.subbuffer %[[A]] at (64) : memref<128xi8> -> memref<16xf32>
// CHECK:         %[[R:.*]] = tg.alloc on "CPU" : memref<16xf32>
// CHECK-NEXT:    tg.launch @k(%[[B0:.*]], %[[X]])
// CHECK-NEXT:    tg.launch @k(%[[B1:.*]], %[[B0]])
// CHECK-NEXT:    tg.launch @k(%[[B2:.*]], %[[B1]])
// CHECK-NEXT:    tg.launch @k(%[[R]], %[[B2]])
// CHECK-NEXT:    return %[[R]]
tg.kernel @k(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}
func.func @chain(%x: memref<16xf32>) -> memref<16xf32> {
  %t0 = tg.alloc on "CPU" : memref<16xf32>
  %t1 = tg.alloc on "CPU" : memref<16xf32>
  %t2 = tg.alloc on "CPU" : memref<16xf32>
  %r = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @k(%t0, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @k(%t1, %t0) : memref<16xf32>, memref<16xf32>
  tg.launch @k(%t2, %t1) : memref<16xf32>, memref<16xf32>
  tg.launch @k(%r, %t2) : memref<16xf32>, memref<16xf32>
  return %r : memref<16xf32>
}

// -----

// Both are needed to the end: no byte is shared.

// CHECK-LABEL: func.func @alive
// CHECK:         tg.alloc on "CPU" : memref<192xi8>
// CHECK-DAG:     tg.subbuffer %{{.*}} at (0) : memref<192xi8> -> memref<4xf32>
// CHECK-DAG:     tg.subbuffer %{{.*}} at (64) : memref<192xi8> -> memref<4xf32>
// CHECK-DAG:     tg.subbuffer %{{.*}} at (128) : memref<192xi8> -> memref<4xf32>
// ALIGN8-LABEL: func.func @alive
// ALIGN8:         tg.alloc on "CPU" : memref<48xi8>
// ALIGN8-DAG:     tg.subbuffer %{{.*}} at (0) : memref<48xi8> -> memref<4xf32>
// ALIGN8-DAG:     tg.subbuffer %{{.*}} at (16) : memref<48xi8> -> memref<4xf32>
// ALIGN8-DAG:     tg.subbuffer %{{.*}} at (32) : memref<48xi8> -> memref<4xf32>
func.func @alive(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t0 = tg.alloc on "CPU" : memref<4xf32>
  %t1 = tg.alloc on "CPU" : memref<4xf32>
  %t2 = tg.alloc on "CPU" : memref<4xf32>
  tg.transfer %x to %t0 : memref<4xf32>
  tg.transfer %x to %t1 : memref<4xf32>
  tg.transfer %t0 to %t2 : memref<4xf32>
  tg.transfer %t2 to %y : memref<4xf32>
  tg.transfer %t1 to %y : memref<4xf32>
  return
}

// -----

// What is returned in part is returned; a use through a view is a use.

// CHECK-LABEL: func.func @views
// CHECK:         %[[A:.*]] = tg.alloc on "CPU" : memref<128xi8>
// CHECK-NOT:     memref<64xi8>
// CHECK:         %[[R:.*]] = tg.alloc on "CPU" : memref<8xf32>
// CHECK:         tg.subbuffer %[[R]] at (16)
func.func @views(%x: memref<8xf32>, %y: memref<4xf32>) -> memref<4xf32> {
  %t0 = tg.alloc on "CPU" : memref<8xf32>
  %v = tg.subbuffer %t0 at (16) : memref<8xf32> -> memref<4xf32>
  %t1 = tg.alloc on "CPU" : memref<4xf32>
  %r = tg.alloc on "CPU" : memref<8xf32>
  %w = tg.subbuffer %r at (16) : memref<8xf32> -> memref<4xf32>
  tg.transfer %x to %t0 : memref<8xf32>
  tg.transfer %x to %r : memref<8xf32>
  tg.transfer %y to %t1 : memref<4xf32>
  tg.transfer %t1 to %y : memref<4xf32>
  tg.transfer %v to %y : memref<4xf32>
  return %w : memref<4xf32>
}

// -----

// An arena for each device.

// CHECK-LABEL: func.func @devices
// CHECK-DAG:     %[[C:.*]] = tg.alloc on "CPU" : memref<64xi8>
// CHECK-DAG:     %[[N:.*]] = tg.alloc on "NULL" : memref<64xi8>
// CHECK-DAG:     tg.subbuffer %[[C]] at (0)
// CHECK-DAG:     tg.subbuffer %[[N]] at (0)
func.func @devices(%x: memref<4xf32>, %y: memref<4xf32>) {
  %t0 = tg.alloc on "CPU" : memref<4xf32>
  %t1 = tg.alloc on "NULL" : memref<4xf32>
  tg.transfer %x to %t0 : memref<4xf32>
  tg.transfer %t0 to %t1 : memref<4xf32>
  tg.transfer %t1 to %y : memref<4xf32>
  return
}

// -----

// Gaps that lie side by side are one: two small buffers make room for a large.

// CHECK-LABEL: func.func @gaps
// CHECK:         tg.alloc on "CPU" : memref<192xi8>
// CHECK:         tg.subbuffer %{{.*}} at (0) : memref<192xi8> -> memref<32xf32>
func.func @gaps(%x: memref<16xf32>, %l: memref<32xf32>) {
  %t0 = tg.alloc on "CPU" : memref<16xf32>
  %t1 = tg.alloc on "CPU" : memref<16xf32>
  %t2 = tg.alloc on "CPU" : memref<16xf32>
  %t3 = tg.alloc on "CPU" : memref<32xf32>
  tg.transfer %x to %t0 : memref<16xf32>
  tg.transfer %x to %t1 : memref<16xf32>
  tg.transfer %t0 to %t2 : memref<16xf32>
  tg.transfer %t1 to %x : memref<16xf32>
  tg.transfer %l to %t3 : memref<32xf32>
  tg.transfer %t3 to %l : memref<32xf32>
  tg.transfer %t2 to %x : memref<16xf32>
  return
}

// -----

// Without intermediates there is no arena; what nothing uses vanishes; a use that
// the plan does not understand leaves the buffer alone.

// CHECK-LABEL: func.func @none
// CHECK-NOT:     tg.alloc
// CHECK-LABEL: func.func @unknown_use
// CHECK-NEXT:    %[[T:.*]] = tg.alloc on "CPU" : memref<4xf32>
// CHECK-NEXT:    tg.transfer
// CHECK-NEXT:    call @use(%[[T]])
func.func @none(%x: memref<4xf32>) -> memref<4xf32> {
  %t = tg.alloc on "CPU" : memref<4xf32>
  return %x : memref<4xf32>
}
func.func private @use(memref<4xf32>)
func.func @unknown_use(%x: memref<4xf32>) {
  %t = tg.alloc on "CPU" : memref<4xf32>
  tg.transfer %x to %t : memref<4xf32>
  call @use(%t) : (memref<4xf32>) -> ()
  return
}

// -----

// A buffer of more than 16 TiB stays as it is.
// CHECK-LABEL: func @endless
func.func @endless(%x: memref<9007199254740992xf32>) {
  // CHECK-NEXT: %[[A:.*]] = tg.alloc on "CPU" : memref<9007199254740992xf32>
  // CHECK-NEXT: tg.transfer %{{.*}} to %[[A]]
  %0 = tg.alloc on "CPU" : memref<9007199254740992xf32>
  tg.transfer %x to %0 : memref<9007199254740992xf32>
  return
}

// -----

// Each memory space has memory of its own.

// CHECK-LABEL: func.func @spaces
// CHECK-DAG: tg.alloc on "CPU" : memref<64xi8>
// CHECK-DAG: tg.alloc on "CPU" : memref<64xi8, 1>
// CHECK-DAG: tg.subbuffer %{{.*}} at (0) : memref<64xi8> -> memref<16xf32>
// CHECK-DAG: tg.subbuffer %{{.*}} at (0) : memref<64xi8, 1> -> memref<16xf32, 1>
tg.kernel @near(%out: memref<16xf32>, %a: memref<16xf32, 1>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %a[%i] : memref<16xf32, 1>
  tg.store %x, %out[%i] : memref<16xf32>
}
tg.kernel @far(%out: memref<16xf32, 1>, %a: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %a[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32, 1>
}
func.func @spaces(%a: memref<16xf32>) -> memref<16xf32> {
  %t = tg.alloc on "CPU" : memref<16xf32, 1>
  tg.launch @far(%t, %a) : memref<16xf32, 1>, memref<16xf32>
  %u = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @near(%u, %t) : memref<16xf32>, memref<16xf32, 1>
  %v = tg.alloc on "CPU" : memref<16xf32, 1>
  tg.launch @far(%v, %u) : memref<16xf32, 1>, memref<16xf32>
  %r = tg.alloc on "CPU" : memref<16xf32>
  tg.launch @near(%r, %v) : memref<16xf32>, memref<16xf32, 1>
  return %r : memref<16xf32>
}

// -----

// In the order of their first use, the first two buffers are neighbors, and the
// third one finds no gap that is large enough: 256 bytes. Placed by size, it comes
// first, and shares its memory with the first buffer.

// CHECK-LABEL: func.func @large
// CHECK-NEXT:    %[[A:.*]] = tg.alloc on "CPU" : memref<192xi8>
// CHECK-DAG:     tg.subbuffer %[[A]] at (0) : memref<192xi8> -> memref<32xf32>
// CHECK-DAG:     tg.subbuffer %[[A]] at (0) : memref<192xi8> -> memref<16xf32>
// CHECK-DAG:     tg.subbuffer %[[A]] at (128) : memref<192xi8> -> memref<16xf32>
tg.kernel @k(%out: memref<16xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}
tg.kernel @widen(%out: memref<32xf32>, %in: memref<16xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<16xf32>
  tg.store %x, %out[%i] : memref<32xf32>
}
tg.kernel @last(%out: memref<16xf32>, %in: memref<32xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 16
  %x = tg.load %in[%i] : memref<32xf32>
  tg.store %x, %out[%i] : memref<16xf32>
}
func.func @large(%x: memref<16xf32>, %r: memref<16xf32>) {
  %a = tg.alloc on "CPU" : memref<16xf32>
  %b = tg.alloc on "CPU" : memref<16xf32>
  %c = tg.alloc on "CPU" : memref<32xf32>
  tg.launch @k(%a, %x) : memref<16xf32>, memref<16xf32>
  tg.launch @k(%b, %a) : memref<16xf32>, memref<16xf32>
  tg.launch @widen(%c, %x) : memref<32xf32>, memref<16xf32>
  tg.launch @last(%r, %c) : memref<16xf32>, memref<32xf32>
  tg.launch @k(%r, %b) : memref<16xf32>, memref<16xf32>
  return
}
