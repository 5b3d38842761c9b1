// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s

// Rows that are short, and one after the other along the columns that are written:
// a group reads the rows of 32 columns, which are contiguous together, into its
// memory, and writes a row of columns at a time.

// CHECK-LABEL: tg.kernel @window
// CHECK-DAG:   %[[ROW:.*]] = tg.range {{[0-9]+}} unroll 9
// CHECK-DAG:   %[[ITEM:.*]] = tg.range {{[0-9]+}} local 32
// CHECK:       tg.stage %{{.*}} in group : memref<288xf32>
// CHECK:       tg.barrier
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
tg.kernel @window(%out: memref<36864xf32>, %in: memref<36864xf32>) attributes {outputs = 1 : i64} {
  %nine = tg.const(9 : index) : index
  %n = tg.const(64 : index) : index
  %o = tg.range 0 loop 64
  %k = tg.range 1 loop 9
  %c = tg.range 2 loop 64
  %0 = tg.mul %o, %n : index
  %1 = tg.add %0, %c : index
  %2 = tg.mul %1, %nine : index
  %3 = tg.add %2, %k : index
  %x = tg.load %in[%3] : memref<36864xf32>
  %4 = tg.mul %o, %nine : index
  %5 = tg.add %4, %k : index
  %6 = tg.mul %5, %n : index
  %7 = tg.add %6, %c : index
  tg.store %x, %out[%7] : memref<36864xf32>
}

// Rows with gaps between them are read by single items.
// CHECK-LABEL: tg.kernel @gaps
// CHECK-NOT:   tg.stage
tg.kernel @gaps(%out: memref<36864xf32>, %in: memref<40960xf32>) attributes {outputs = 1 : i64} {
  %nine = tg.const(9 : index) : index
  %ten = tg.const(10 : index) : index
  %n = tg.const(64 : index) : index
  %o = tg.range 0 loop 64
  %k = tg.range 1 loop 9
  %c = tg.range 2 loop 64
  %0 = tg.mul %o, %n : index
  %1 = tg.add %0, %c : index
  %2 = tg.mul %1, %ten : index
  %3 = tg.add %2, %k : index
  %x = tg.load %in[%3] : memref<40960xf32>
  %4 = tg.mul %o, %nine : index
  %5 = tg.add %4, %k : index
  %6 = tg.mul %5, %n : index
  %7 = tg.add %6, %c : index
  tg.store %x, %out[%7] : memref<36864xf32>
}
}
