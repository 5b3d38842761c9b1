// RUN: tg-opt %s --pass-pipeline='builtin.module(func.func(tg-distribute-permutations,canonicalize,cse))' | FileCheck %s
// What is distributed stays as it is.
// RUN: tg-opt %s --pass-pipeline='builtin.module(func.func(tg-distribute-permutations,canonicalize,cse,tg-distribute-permutations,canonicalize,cse))' | FileCheck %s

// Rows of 64 elements, of which 8 are a chunk; the order is that of 8 rows.
// 520 = 512 + 8: the rows are added, the chunk is flipped.
// CHECK-LABEL: func @all(
// CHECK-SAME: %{{.*}}: memref<8192xf16>, %[[NUMBER:.*]]: index)
// CHECK-DAG: %[[LANE:.*]] = gpu.lane_id
// CHECK-DAG: %[[WHICH:.*]] = arith.remui %[[NUMBER]]
// CHECK: %[[INNER:.*]] = arith.muli %[[LANE]], %c64
// CHECK: %[[ROW:.*]] = arith.shrui %[[INNER]], %c6
// CHECK: %[[TURN:.*]] = arith.andi %[[ROW]], %c7
// CHECK: %[[CHUNK:.*]] = arith.shli %[[TURN]], %c3
// CHECK: %[[PERMUTED:.*]] = arith.xori %[[INNER]], %[[CHUNK]]
// CHECK: %[[FLIPPED:.*]] = arith.xori %[[PERMUTED]], %c8
// CHECK: %[[START:.*]] = arith.muli %[[WHICH]], %c4096 overflow<nsw, nuw>
// CHECK: %[[SUM:.*]] = arith.addi %[[FLIPPED]], %[[START]] overflow<nsw, nuw>
// CHECK: %[[PLACE:.*]] = arith.addi %[[SUM]], %c512 overflow<nsw, nuw>
// CHECK: memref.load %{{.*}}[%[[PLACE]]]
func.func @all(%buffer: memref<8192xf16>, %number: index) -> f16 {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c520 = arith.constant 520 : index
  %c4096 = arith.constant 4096 : index
  %lane = gpu.lane_id upper_bound 8
  %which = arith.remui %number, %c2 : index
  %0 = arith.muli %lane, %c64 : index
  %1 = arith.muli %which, %c4096 : index
  %2 = arith.addi %0, %1 : index
  %x = arith.addi %2, %c520 : index
  %row = arith.shrui %x, %c6 : index
  %turn = arith.andi %row, %c7 : index
  %chunk = arith.shli %turn, %c3 : index
  %place = arith.xori %x, %chunk : index
  %value = memref.load %buffer[%place] : memref<8192xf16>
  return %value : f16
}

// Two indices that differ in a constant share the permutation.
// CHECK-LABEL: func @shared(
// CHECK: %[[PERMUTED:.*]] = arith.xori
// CHECK-NOT: arith.xori
// CHECK: memref.load %{{.*}}[%[[PERMUTED]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[PERMUTED]], %c1024
// CHECK: memref.load %{{.*}}[%[[NEXT]]]
func.func @shared(%buffer: memref<8192xf16>) -> (f16, f16) {
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c1024 = arith.constant 1024 : index
  %lane = gpu.lane_id upper_bound 16
  %x = arith.muli %lane, %c64 : index
  %row = arith.shrui %x, %c6 : index
  %turn = arith.andi %row, %c7 : index
  %chunk = arith.shli %turn, %c3 : index
  %place = arith.xori %x, %chunk : index
  %first = memref.load %buffer[%place] : memref<8192xf16>
  %y = arith.addi %x, %c1024 : index
  %row2 = arith.shrui %y, %c6 : index
  %turn2 = arith.andi %row2, %c7 : index
  %chunk2 = arith.shli %turn2, %c3 : index
  %place2 = arith.xori %y, %chunk2 : index
  %second = memref.load %buffer[%place2] : memref<8192xf16>
  return %first, %second : f16, f16
}

// 72 = 64 + 8, and the lane times 8 may have both bits: only whole periods are
// taken out of 584 = 512 + 72.
// CHECK-LABEL: func @carries(
// CHECK: %[[LANE:.*]] = gpu.lane_id
// CHECK: %[[PART:.*]] = arith.muli %[[LANE]], %c8
// CHECK: %[[INNER:.*]] = arith.addi %[[PART]], %c72
// CHECK: %[[ROW:.*]] = arith.shrui %[[INNER]], %c6
// CHECK: %[[PERMUTED:.*]] = arith.xori %[[INNER]],
// CHECK: %[[PLACE:.*]] = arith.addi %[[PERMUTED]], %c512
// CHECK: memref.load %{{.*}}[%[[PLACE]]]
func.func @carries(%buffer: memref<8192xf16>) -> f16 {
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c584 = arith.constant 584 : index
  %lane = gpu.lane_id upper_bound 32
  %0 = arith.muli %lane, %c8 : index
  %x = arith.addi %0, %c584 : index
  %row = arith.shrui %x, %c6 : index
  %turn = arith.andi %row, %c7 : index
  %chunk = arith.shli %turn, %c3 : index
  %place = arith.xori %x, %chunk : index
  %value = memref.load %buffer[%place] : memref<8192xf16>
  return %value : f16
}

// Nothing is known of the number: it may have any bit and be negative, so sums
// have no flags.
// CHECK-LABEL: func @unknown(
// CHECK-SAME: %{{.*}}: memref<8192xf16>, %[[NUMBER:.*]]: index)
// CHECK: %[[INNER:.*]] = arith.addi %[[NUMBER]], %c8 : index
// CHECK: arith.shrui %[[INNER]], %c6
// CHECK: %[[PERMUTED:.*]] = arith.xori %[[INNER]],
// CHECK: %[[PLACE:.*]] = arith.addi %[[PERMUTED]], %c512 : index
// CHECK: memref.load %{{.*}}[%[[PLACE]]]
func.func @unknown(%buffer: memref<8192xf16>, %number: index) -> f16 {
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c520 = arith.constant 520 : index
  %x = arith.addi %number, %c520 : index
  %row = arith.shrui %x, %c6 : index
  %turn = arith.andi %row, %c7 : index
  %chunk = arith.shli %turn, %c3 : index
  %place = arith.xori %x, %chunk : index
  %value = memref.load %buffer[%place] : memref<8192xf16>
  return %value : f16
}

// A number of elements that is not a multiple of the period stays inside.
// CHECK-LABEL: func @start(
// CHECK: %[[START:.*]] = arith.muli %{{.*}}, %c768
// CHECK: %[[INNER:.*]] = arith.addi %{{.*}}, %[[START]]
// CHECK: arith.shrui %[[INNER]], %c6
// CHECK: %[[PERMUTED:.*]] = arith.xori %[[INNER]],
// CHECK: memref.load %{{.*}}[%[[PERMUTED]]]
func.func @start(%buffer: memref<8192xf16>, %number: index) -> f16 {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  %c768 = arith.constant 768 : index
  %lane = gpu.lane_id upper_bound 8
  %which = arith.remui %number, %c4 : index
  %0 = arith.muli %lane, %c64 : index
  %1 = arith.muli %which, %c768 : index
  %x = arith.addi %0, %1 : index
  %row = arith.shrui %x, %c6 : index
  %turn = arith.andi %row, %c7 : index
  %chunk = arith.shli %turn, %c3 : index
  %place = arith.xori %x, %chunk : index
  %value = memref.load %buffer[%place] : memref<8192xf16>
  return %value : f16
}

// What is flipped is part of what says so: this has no period.
// CHECK-LABEL: func @overlapping(
// CHECK: %[[X:.*]] = arith.addi %{{.*}}, %c512
// CHECK: %[[ROW:.*]] = arith.shrui %[[X]], %c2
// CHECK: %[[TURN:.*]] = arith.andi %[[ROW]], %c7
// CHECK: %[[CHUNK:.*]] = arith.shli %[[TURN]], %c1
// CHECK: arith.xori %[[X]], %[[CHUNK]]
func.func @overlapping(%buffer: memref<8192xf16>) -> f16 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %c512 = arith.constant 512 : index
  %lane = gpu.lane_id upper_bound 8
  %x = arith.addi %lane, %c512 : index
  %row = arith.shrui %x, %c2 : index
  %turn = arith.andi %row, %c7 : index
  %chunk = arith.shli %turn, %c1 : index
  %place = arith.xori %x, %chunk : index
  %value = memref.load %buffer[%place] : memref<8192xf16>
  return %value : f16
}

// Another exclusive or is none of ours.
// CHECK-LABEL: func @other(
// CHECK: %[[X:.*]] = arith.addi %{{.*}}, %c512
// CHECK: arith.xori %[[X]], %c64
func.func @other(%buffer: memref<8192xf16>) -> f16 {
  %c64 = arith.constant 64 : index
  %c512 = arith.constant 512 : index
  %lane = gpu.lane_id upper_bound 8
  %x = arith.addi %lane, %c512 : index
  %place = arith.xori %x, %c64 : index
  %value = memref.load %buffer[%place] : memref<8192xf16>
  return %value : f16
}

// A sum of 2^39 terms stays.
// CHECK-LABEL: func @doubled(
// CHECK: arith.xori
func.func @doubled(%buffer: memref<8192xf16>) -> f16 {
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %d0 = gpu.lane_id upper_bound 8
  %d1 = arith.addi %d0, %d0 : index
  %d2 = arith.addi %d1, %d1 : index
  %d3 = arith.addi %d2, %d2 : index
  %d4 = arith.addi %d3, %d3 : index
  %d5 = arith.addi %d4, %d4 : index
  %d6 = arith.addi %d5, %d5 : index
  %d7 = arith.addi %d6, %d6 : index
  %d8 = arith.addi %d7, %d7 : index
  %d9 = arith.addi %d8, %d8 : index
  %d10 = arith.addi %d9, %d9 : index
  %d11 = arith.addi %d10, %d10 : index
  %d12 = arith.addi %d11, %d11 : index
  %d13 = arith.addi %d12, %d12 : index
  %d14 = arith.addi %d13, %d13 : index
  %d15 = arith.addi %d14, %d14 : index
  %d16 = arith.addi %d15, %d15 : index
  %d17 = arith.addi %d16, %d16 : index
  %d18 = arith.addi %d17, %d17 : index
  %d19 = arith.addi %d18, %d18 : index
  %d20 = arith.addi %d19, %d19 : index
  %d21 = arith.addi %d20, %d20 : index
  %d22 = arith.addi %d21, %d21 : index
  %d23 = arith.addi %d22, %d22 : index
  %d24 = arith.addi %d23, %d23 : index
  %d25 = arith.addi %d24, %d24 : index
  %d26 = arith.addi %d25, %d25 : index
  %d27 = arith.addi %d26, %d26 : index
  %d28 = arith.addi %d27, %d27 : index
  %d29 = arith.addi %d28, %d28 : index
  %d30 = arith.addi %d29, %d29 : index
  %d31 = arith.addi %d30, %d30 : index
  %d32 = arith.addi %d31, %d31 : index
  %d33 = arith.addi %d32, %d32 : index
  %d34 = arith.addi %d33, %d33 : index
  %d35 = arith.addi %d34, %d34 : index
  %d36 = arith.addi %d35, %d35 : index
  %d37 = arith.addi %d36, %d36 : index
  %d38 = arith.addi %d37, %d37 : index
  %d39 = arith.addi %d38, %d38 : index
  %row = arith.shrui %d39, %c6 : index
  %turn = arith.andi %row, %c7 : index
  %chunk = arith.shli %turn, %c3 : index
  %place = arith.xori %d39, %chunk : index
  %value = memref.load %buffer[%place] : memref<8192xf16>
  return %value : f16
}

// Rows of 128 elements; of their numbers, bits 0, 1 and 3 flip chunks of 16. Bit 2, and
// whole periods of 16 rows, are added.
// CHECK-LABEL: func @far(
// CHECK: %[[INNER:.*]] = arith.muli %{{.*}}, %c128
// CHECK: %[[NEAR:.*]] = arith.shrui %[[INNER]], %c7
// CHECK: %[[FIRST:.*]] = arith.andi %[[NEAR]], %c3
// CHECK: %[[FAR:.*]] = arith.shrui %[[INNER]], %c8
// CHECK: %[[LAST:.*]] = arith.andi %[[FAR]], %c4
// CHECK: %[[ROW:.*]] = arith.ori %[[FIRST]], %[[LAST]]
// CHECK: %[[CHUNK:.*]] = arith.shli %[[ROW]], %c4
// CHECK: %[[PERMUTED:.*]] = arith.xori %[[INNER]], %[[CHUNK]]
// CHECK-NOT: arith.xori
// CHECK: %[[PLACE:.*]] = arith.addi %[[PERMUTED]], %c2560
// CHECK: memref.load %{{.*}}[%[[PLACE]]]
func.func @far(%buffer: memref<8192xf16>) -> f16 {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c2560 = arith.constant 2560 : index
  %lane = gpu.lane_id upper_bound 4
  %0 = arith.muli %lane, %c128 : index
  %x = arith.addi %0, %c2560 : index
  %near = arith.shrui %x, %c7 : index
  %first = arith.andi %near, %c3 : index
  %beyond = arith.shrui %x, %c8 : index
  %last = arith.andi %beyond, %c4 : index
  %row = arith.ori %first, %last : index
  %chunk = arith.shli %row, %c4 : index
  %place = arith.xori %x, %chunk : index
  %value = memref.load %buffer[%place] : memref<8192xf16>
  return %value : f16
}
