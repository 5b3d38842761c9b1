// RUN: tg-opt %s -split-input-file -tg-stage-copies="whole-bytes=0 tile-bytes=4096" \
// RUN:   | FileCheck %s
// RUN: tg-opt %s -split-input-file -tg-stage-copies \
// RUN:   | FileCheck %s --check-prefix=WHOLE
// RUN: not tg-opt %s -split-input-file -tg-stage-copies="tile-bytes=0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INVALID

// INVALID: tg-stage-copies needs tiles of at least one byte, not 0 and 65536

// What each block reads of the next one is saved first; a block of 16 rows and
// the row behind it are kept in a tile.

// CHECK-LABEL: tg.kernel @up_borders(
// CHECK-SAME:    %[[B:.*]]: memref<288xf32>, %[[X:.*]]: memref<4096xf32>)
// CHECK:         %[[BLOCK:.*]] = tg.range 0 loop 9
// CHECK:         %[[PLACE:.*]] = tg.range 1 loop 32
// CHECK:         %[[E:.*]] = tg.load %[[X]][%{{.*}}]
// CHECK:         tg.store %[[E]], %[[B]]
// CHECK-LABEL: tg.kernel @up_0(
// CHECK-SAME:    %[[OUT:.*]]: memref<4096xf32>, %[[OLD:.*]]: memref<288xf32>) attributes {in_place
// CHECK:         %[[OWN:.*]] = tg.load %[[OUT]]
// CHECK:         %[[BEHIND:.*]] = tg.load %[[OLD]]
// CHECK:         %[[VALUE:.*]] = tg.where %{{.*}}, %[[OWN]], %[[BEHIND]]
// CHECK:         %[[T:.*]] = tg.stage %[[VALUE]] over %{{.*}} : memref<{{.*}}xf32>
// CHECK:         %[[TILE:.*]] = tg.barrier %[[T]]
// CHECK:         %[[READ:.*]] = tg.load %[[TILE]]
// CHECK:         tg.store %[[READ]], %[[OUT]]
// CHECK-LABEL: func.func @main
// CHECK:         %[[BORDERS:.*]] = tg.alloc on "CPU" : memref<288xf32>
// CHECK-NOT:     tg.transfer
// CHECK:         tg.launch @up_borders(%[[BORDERS]], %arg0)
// CHECK-NEXT:    tg.launch @up_0(%arg0, %[[BORDERS]])

// WHOLE-LABEL: tg.kernel @up_0(
// WHOLE-SAME:    %[[OUT:.*]]: memref<4096xf32>) attributes {in_place
// WHOLE:         tg.stage
// WHOLE-LABEL: func.func @main
// WHOLE-NOT:     tg.alloc
// WHOLE-NOT:     tg.transfer
// WHOLE:         tg.launch @up_0(%arg0) :
tg.kernel @up(%out: memref<4096xf32>, %old: memref<4096xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 127
  %j = tg.range 1 loop 32
  %c32 = tg.const(32 : index) : index
  %0 = tg.mul %i, %c32 : index
  %1 = tg.add %0, %j : index
  %2 = tg.add %1, %c32 : index
  %3 = tg.load %old[%2] : memref<4096xf32>
  tg.store %3, %out[%1] : memref<4096xf32>
}
func.func @main(%x: memref<4096xf32>) -> memref<4096xf32> {
  %0 = tg.alloc on "CPU" : memref<4096xf32>
  tg.transfer %x to %0 : memref<4096xf32>
  tg.launch @up(%x, %0) : memref<4096xf32>, memref<4096xf32>
  return %x : memref<4096xf32>
}

// -----

// Rows in another order: the copy stays.

// CHECK-LABEL: func.func @flip
// CHECK:         tg.transfer
// CHECK-NEXT:    tg.launch @flipped(
// WHOLE-LABEL: func.func @flip
// WHOLE:         tg.transfer
tg.kernel @flipped(%out: memref<4096xf32>, %old: memref<4096xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 4096
  %m = tg.neg %i : index
  %c = tg.const(4095 : index) : index
  %j = tg.add %m, %c : index
  %0 = tg.load %old[%j] : memref<4096xf32>
  tg.store %0, %out[%i] : memref<4096xf32>
}
func.func @flip(%x: memref<4096xf32>) -> memref<4096xf32> {
  %0 = tg.alloc on "CPU" : memref<4096xf32>
  tg.transfer %x to %0 : memref<4096xf32>
  tg.launch @flipped(%x, %0) : memref<4096xf32>, memref<4096xf32>
  return %x : memref<4096xf32>
}

// -----

// Somebody else reads the copy: it stays.

// CHECK-LABEL: func.func @returned
// CHECK:         tg.transfer
// WHOLE-LABEL: func.func @returned
// WHOLE:         tg.transfer
tg.kernel @next(%out: memref<4096xf32>, %old: memref<4096xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 4095
  %c1 = tg.const(1 : index) : index
  %j = tg.add %i, %c1 : index
  %0 = tg.load %old[%j] : memref<4096xf32>
  tg.store %0, %out[%i] : memref<4096xf32>
}
func.func @returned(%x: memref<4096xf32>) -> (memref<4096xf32>, memref<4096xf32>) {
  %0 = tg.alloc on "CPU" : memref<4096xf32>
  tg.transfer %x to %0 : memref<4096xf32>
  tg.launch @next(%x, %0) : memref<4096xf32>, memref<4096xf32>
  return %x, %0 : memref<4096xf32>, memref<4096xf32>
}

// -----

// What was copied is overwritten before the kernel runs: the copy stays.

// CHECK-LABEL: func.func @overwritten
// CHECK:         tg.transfer
// WHOLE-LABEL: func.func @overwritten
// WHOLE:         tg.transfer
tg.kernel @clear(%out: memref<4096xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 4096
  %0 = tg.const(0.0 : f32) : f32
  tg.store %0, %out[%i] : memref<4096xf32>
}
tg.kernel @next(%out: memref<4096xf32>, %old: memref<4096xf32>) attributes {in_place, outputs = 1 : i64} {
  %i = tg.range 0 loop 4095
  %c1 = tg.const(1 : index) : index
  %j = tg.add %i, %c1 : index
  %0 = tg.load %old[%j] : memref<4096xf32>
  tg.store %0, %out[%i] : memref<4096xf32>
}
func.func @overwritten(%x: memref<4096xf32>) -> memref<4096xf32> {
  %0 = tg.alloc on "CPU" : memref<4096xf32>
  tg.transfer %x to %0 : memref<4096xf32>
  tg.launch @clear(%x) : memref<4096xf32>
  tg.launch @next(%x, %0) : memref<4096xf32>, memref<4096xf32>
  return %x : memref<4096xf32>
}
