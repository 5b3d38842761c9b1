// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Schedules for targets with groups of work items.

module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {

// Items access four elements at once, of buffers that are aligned.
// REMARK: remark: {{.*}}elementwise: single items
// CHECK-LABEL: tg.kernel @elementwise(
// CHECK-DAG: tg.range {{[0-9]+}} global 1024
// CHECK-DAG: tg.range {{[0-9]+}} local 256
// CHECK-DAG: tg.range {{[0-9]+}} upcast 4
tg.kernel @elementwise(%out: memref<1048576xf32>, %a: memref<1048576xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 1048576
  %x = tg.load %a[%i] : memref<1048576xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<1048576xf32>
}

// One sum for all results, which is short beside them: several groups repeat it
// and store a part of the results each.
// REMARK: remark: {{.*}}shortSum: rows shared by groups
// REMARK: remark: {{.*}}shortSum: parts of rows range {{[0-9]+}} by 2048
// CHECK-LABEL: tg.kernel @shortSum(
// CHECK-DAG: tg.range {{[0-9]+}} global 2048
// CHECK-DAG: tg.range {{[0-9]+}} group_reduce 256
// CHECK-DAG: tg.range {{[0-9]+}} local 256
tg.kernel @shortSum(%out: memref<16777216xf32>, %a: memref<16777216xf32> {tg.alignment = 16 : i64}, %parts: memref<256xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c4096 = tg.const(4096 : index) : index
  %i = tg.range 0 loop 4096
  %j = tg.range 1 loop 4096
  %k = tg.range 2 loop 256
  %row = tg.mul %i, %c4096 : index
  %p = tg.add %row, %j : index
  %x = tg.load %a[%p] : memref<16777216xf32>
  %part = tg.load %parts[%k] : memref<256xf32>
  %sum = tg.ranged_reduce add %part over %k : f32
  %y = tg.sub %x, %sum : f32
  tg.store %y, %out[%p] : memref<16777216xf32>
}

// A number of positions without a fitting divisor: each group stores one.
// REMARK: remark: {{.*}}oddParts: parts of rows range {{[0-9]+}} by 385
// CHECK-LABEL: tg.kernel @oddParts(
// CHECK-DAG: tg.range {{[0-9]+}} global 385
tg.kernel @oddParts(%out: memref<393450xf32>, %a: memref<393450xf32> {tg.alignment = 16 : i64}, %parts: memref<256xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %j = tg.range 0 loop 393450
  %k = tg.range 1 loop 256
  %x = tg.load %a[%j] : memref<393450xf32>
  %part = tg.load %parts[%k] : memref<256xf32>
  %sum = tg.ranged_reduce add %part over %k : f32
  %y = tg.sub %x, %sum : f32
  tg.store %y, %out[%j] : memref<393450xf32>
}

// In place too, if the sum does not read what other groups overwrite.
// REMARK: remark: {{.*}}update: parts of rows
// REMARK: remark: {{.*}}ownSum: rows shared by groups
// REMARK-NOT: ownSum: parts of rows
// CHECK-LABEL: tg.kernel @update(
// CHECK-DAG: tg.range {{[0-9]+}} global 1024
// CHECK-LABEL: tg.kernel @ownSum(
// CHECK-NOT: global
// CHECK: tg.store
tg.kernel @update(%out: memref<1048576xf32> {tg.alignment = 16 : i64}, %parts: memref<256xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64, in_place} {
  %j = tg.range 0 loop 1048576
  %k = tg.range 1 loop 256
  %x = tg.load %out[%j] : memref<1048576xf32>
  %part = tg.load %parts[%k] : memref<256xf32>
  %sum = tg.ranged_reduce add %part over %k : f32
  %y = tg.sub %x, %sum : f32
  tg.store %y, %out[%j] : memref<1048576xf32>
}
tg.kernel @ownSum(%out: memref<1048576xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64, in_place} {
  %j = tg.range 0 loop 1048576
  %k = tg.range 1 loop 256
  %x = tg.load %out[%j] : memref<1048576xf32>
  %part = tg.load %out[%k] : memref<1048576xf32>
  %sum = tg.ranged_reduce add %part over %k : f32
  %y = tg.sub %x, %sum : f32
  tg.store %y, %out[%j] : memref<1048576xf32>
}

// A sum of columns that reads what the kernel overwrites keeps the order of its
// ranges.
// REMARK: remark: {{.*}}ownColumns: columns shared by groups
// CHECK-LABEL: tg.kernel @ownColumns(
// CHECK: tg.range {{[0-9]+}} local 4
// CHECK: tg.range {{[0-9]+}} group_reduce 2
tg.kernel @ownColumns(%out: memref<3xf32>, %sums: memref<3xf32>, %a: memref<24xf32>) attributes {outputs = 2 : i64, in_place} {
  %c3 = tg.const(3 : index) : index
  %i = tg.range 0 loop 3
  %k = tg.range 1 loop 8
  %x = tg.load %out[%i] : memref<3xf32>
  %row = tg.mul %k, %c3 : index
  %p = tg.add %row, %i : index
  %y = tg.load %a[%p] : memref<24xf32>
  %z = tg.max %x, %y : f32
  %sum = tg.ranged_reduce add %z over %k : f32
  tg.store %x, %out[%i] : memref<3xf32>
  tg.store %sum, %sums[%i] : memref<3xf32>
}

// A sum as long as what is stored is not repeated.
// REMARK: remark: {{.*}}longSum: rows shared by groups
// REMARK-NOT: longSum: parts of rows
// CHECK-LABEL: tg.kernel @longSum(
// CHECK-DAG: tg.range {{[0-9]+}} global 4
// CHECK-NOT: global
// CHECK: tg.store
tg.kernel @longSum(%out: memref<65536xf32>, %a: memref<65536xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c16384 = tg.const(16384 : index) : index
  %i = tg.range 0 loop 4
  %j = tg.range 1 loop 16384
  %k = tg.range 2 loop 16384
  %row = tg.mul %i, %c16384 : index
  %p = tg.add %row, %j : index
  %q = tg.add %row, %k : index
  %x = tg.load %a[%p] : memref<65536xf32>
  %z = tg.load %a[%q] : memref<65536xf32>
  %sum = tg.ranged_reduce add %z over %k : f32
  %y = tg.sub %x, %sum : f32
  tg.store %y, %out[%p] : memref<65536xf32>
}

// Without a proof that loads are aligned, one.
// CHECK-LABEL: tg.kernel @not_aligned(
// CHECK-NOT: upcast
// CHECK-DAG: tg.range {{[0-9]+}} global 4096
// CHECK-DAG: tg.range {{[0-9]+}} local 256
// CHECK-NOT: upcast
// CHECK: tg.store
tg.kernel @not_aligned(%out: memref<1048576xf32>, %a: memref<1048576xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 1048576
  %x = tg.load %a[%i] : memref<1048576xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<1048576xf32>
}

// Few results: smaller groups, so that more compute units have one.
// CHECK-LABEL: tg.kernel @few(
// CHECK-DAG: tg.range {{[0-9]+}} global 64
// CHECK-DAG: tg.range {{[0-9]+}} local 64
tg.kernel @few(%out: memref<4096xf32>, %a: memref<4096xf32>) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 4096
  %x = tg.load %a[%i] : memref<4096xf32>
  %y = tg.neg %x : f32
  tg.store %y, %out[%i] : memref<4096xf32>
}

// A group adds up a row, and its items share what is stored along the row.
// REMARK: remark: {{.*}}rows: rows shared by groups
// REMARK: remark: {{.*}}rows: group reduce range 2 by 256
// CHECK-LABEL: tg.kernel @rows(
// CHECK-DAG: %[[ROW:.*]] = tg.range 0 global 4096
// CHECK-DAG: tg.range {{[0-9]+}} local 256
// CHECK-DAG: tg.range {{[0-9]+}} group_reduce 256
// CHECK-DAG: tg.range {{[0-9]+}} upcast 4
// CHECK-DAG: tg.range {{[0-9]+}} upcast 4
tg.kernel @rows(%sums: memref<4096xf32>, %out: memref<16777216xf32>, %a: memref<16777216xf32> {tg.alignment = 16 : i64}) attributes {outputs = 2 : i64} {
  %c4096 = tg.const(4096 : index) : index
  %i = tg.range 0 loop 4096
  %j = tg.range 1 loop 4096
  %k = tg.range 2 loop 4096
  %0 = tg.mul %i, %c4096 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<16777216xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  %2 = tg.add %0, %j : index
  %y = tg.load %a[%2] : memref<16777216xf32>
  %z = tg.mul %y, %y : f32
  tg.store %s, %sums[%i] : memref<4096xf32>
  tg.store %z, %out[%2] : memref<16777216xf32>
}

// Short rows are several to a group.
// CHECK-LABEL: tg.kernel @short_rows(
// CHECK-DAG: tg.range {{[0-9]+}} global 4096
// CHECK-DAG: tg.range {{[0-9]+}} local 16
// CHECK-DAG: tg.range {{[0-9]+}} group_reduce 16
// CHECK-DAG: tg.range {{[0-9]+}} upcast 4
tg.kernel @short_rows(%sums: memref<65536xf32>, %a: memref<4194304xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c64 = tg.const(64 : index) : index
  %i = tg.range 0 loop 65536
  %k = tg.range 1 loop 64
  %0 = tg.mul %i, %c64 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<4194304xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %sums[%i] : memref<65536xf32>
}

// Items are neighbors along the columns, and divide the rows.
// REMARK: remark: {{.*}}columns: columns shared by groups
// CHECK-LABEL: tg.kernel @columns(
// CHECK: tg.range {{[0-9]+}} global 128
// CHECK: tg.range {{[0-9]+}} group_reduce 32
// CHECK: tg.range {{[0-9]+}} local 8
// CHECK: tg.range {{[0-9]+}} upcast 4
tg.kernel @columns(%sums: memref<4096xf32>, %a: memref<4194304xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c4096 = tg.const(4096 : index) : index
  %i = tg.range 0 loop 4096
  %k = tg.range 1 loop 1024
  %0 = tg.mul %k, %c4096 : index
  %1 = tg.add %0, %i : index
  %x = tg.load %a[%1] : memref<4194304xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %sums[%i] : memref<4096xf32>
}
}

// -----

// Tiles that are larger than the memory of a group are refused, after smaller ones
// were tried.
// REMARK: remark: {{.*}}product: smaller tiles of products: {{.*}}needs more memory than a group of work items has
// REMARK: remark: {{.*}}product: tiles of products refused: {{.*}}needs more memory than a group of work items has
// REMARK: remark: {{.*}}product: {{rows|columns|single}}
// CHECK-LABEL: tg.kernel @product(
// CHECK-NOT: tg.stage
// CHECK: tg.store
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 4096>} {
tg.kernel @product(%out: memref<65536xf32>, %a: memref<65536xf32>, %b: memref<65536xf32>) attributes {outputs = 1 : i64} {
  %c256 = tg.const(256 : index) : index
  %i = tg.range 0 loop 256
  %j = tg.range 1 loop 256
  %k = tg.range 2 loop 256
  %0 = tg.mul %i, %c256 : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %c256 : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %x = tg.load %a[%1] : memref<65536xf32>
  %y = tg.load %b[%3] : memref<65536xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<65536xf32>
}
}

// -----

module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
// Groups compute blocks of 128x128 if there are enough of them. An item has two
// times four rows, and as many columns.
// REMARK: remark: {{.*}}many_blocks: tiles of products
// REMARK: remark: {{.*}}many_blocks: rows range 0 by 128
// REMARK: remark: {{.*}}many_blocks: columns range 1 by 128
// REMARK: remark: {{.*}}many_blocks: depth range 2 by 8
// CHECK-LABEL: tg.kernel @many_blocks(
// CHECK-COUNT-2: tg.range {{[0-9]+}} unroll 2
// CHECK: tg.range {{[0-9]+}} upcast 4
// CHECK: tg.range {{[0-9]+}} loop 256
// CHECK: tg.range {{[0-9]+}} unroll 8
// CHECK-COUNT-2: tg.stage {{.*}} in group : memref<1024xf32>
tg.kernel @many_blocks(%out: memref<4194304xf32>, %a: memref<4194304xf32> {tg.alignment = 16 : i64}, %b: memref<4194304xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %n = tg.const(2048 : index) : index
  %i = tg.range 0 loop 2048
  %j = tg.range 1 loop 2048
  %k = tg.range 2 loop 2048
  %0 = tg.mul %i, %n : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %n : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %x = tg.load %a[%1] : memref<4194304xf32>
  %y = tg.load %b[%3] : memref<4194304xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<4194304xf32>
}

// Smaller ones if not.
// REMARK: remark: {{.*}}few_blocks: rows range 0 by 64
// REMARK: remark: {{.*}}few_blocks: columns range 1 by 64
// CHECK-LABEL: tg.kernel @few_blocks(
// CHECK: tg.range {{[0-9]+}} upcast 4
// CHECK: tg.range {{[0-9]+}} loop 16
// CHECK: tg.range {{[0-9]+}} unroll 16
// CHECK-COUNT-2: tg.stage {{.*}} in group : memref<1024xf32>
tg.kernel @few_blocks(%out: memref<65536xf32>, %a: memref<65536xf32> {tg.alignment = 16 : i64}, %b: memref<65536xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %n = tg.const(256 : index) : index
  %i = tg.range 0 loop 256
  %j = tg.range 1 loop 256
  %k = tg.range 2 loop 256
  %0 = tg.mul %i, %n : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %n : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %x = tg.load %a[%1] : memref<65536xf32>
  %y = tg.load %b[%3] : memref<65536xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<65536xf32>
}
}

// -----

// A group of at most 64 items.
// CHECK-LABEL: tg.kernel @small_groups(
// CHECK-DAG: tg.range {{[0-9]+}} group_reduce 64
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, parallel_items = 8, group_items = 64, subgroup_items = 32, group_bytes = 4096>} {
tg.kernel @small_groups(%out: memref<16xf32>, %a: memref<65536xf32>) attributes {outputs = 1 : i64} {
  %c4096 = tg.const(4096 : index) : index
  %i = tg.range 0 loop 16
  %k = tg.range 1 loop 4096
  %0 = tg.mul %i, %c4096 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<65536xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%i] : memref<16xf32>
}
}

// -----

// Squares are read along rows and written along columns.
// REMARK: remark: {{.*}}transpose: transposed tiles
// CHECK-LABEL: tg.kernel @transpose(
// CHECK: tg.stage %{{.*}} over %{{.*}}, %{{.*}}, %{{.*}} in group : memref<1024xf32>
// Too narrow for tiles.
// CHECK-LABEL: tg.kernel @narrow(
// CHECK-NOT: tg.stage
// CHECK: tg.store
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
tg.kernel @transpose(%out: memref<60000xf32>, %a: memref<60000xf32>) attributes {outputs = 1 : i64} {
  %c300 = tg.const(300 : index) : index
  %c200 = tg.const(200 : index) : index
  %i = tg.range 0 loop 300
  %j = tg.range 1 loop 200
  %0 = tg.mul %j, %c300 : index
  %1 = tg.add %0, %i : index
  %2 = tg.mul %i, %c200 : index
  %3 = tg.add %2, %j : index
  %x = tg.load %a[%1] : memref<60000xf32>
  tg.store %x, %out[%3] : memref<60000xf32>
}
tg.kernel @narrow(%out: memref<600xf32>, %a: memref<600xf32>) attributes {outputs = 1 : i64} {
  %c200 = tg.const(200 : index) : index
  %c3 = tg.const(3 : index) : index
  %i = tg.range 0 loop 200
  %j = tg.range 1 loop 3
  %0 = tg.mul %j, %c200 : index
  %1 = tg.add %0, %i : index
  %2 = tg.mul %i, %c3 : index
  %3 = tg.add %2, %j : index
  %x = tg.load %a[%1] : memref<600xf32>
  tg.store %x, %out[%3] : memref<600xf32>
}
}

// -----

// Tiles that the device has no memory for are refused.
// REMARK: remark: {{.*}}refused_transpose: smaller transposed tiles: {{.*}}needs more memory than a group
// REMARK: remark: {{.*}}refused_transpose: transposed tiles refused
// REMARK: remark: {{.*}}refused_transpose: single items
// CHECK-LABEL: tg.kernel @refused_transpose(
// CHECK-NOT: tg.stage
// CHECK: tg.store
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 1024>} {
tg.kernel @refused_transpose(%out: memref<60000xf32>, %a: memref<60000xf32>) attributes {outputs = 1 : i64} {
  %c300 = tg.const(300 : index) : index
  %c200 = tg.const(200 : index) : index
  %i = tg.range 0 loop 300
  %j = tg.range 1 loop 200
  %0 = tg.mul %j, %c300 : index
  %1 = tg.add %0, %i : index
  %2 = tg.mul %i, %c200 : index
  %3 = tg.add %2, %j : index
  %x = tg.load %a[%1] : memref<60000xf32>
  tg.store %x, %out[%3] : memref<60000xf32>
}
}

// -----

// Items compute four results along ranges that a factor does not depend on, so
// that they use what they load several times. 55 is no multiple.
// REMARK: remark: {{.*}}windows: tile range 0 by 4
// CHECK-LABEL: tg.kernel @windows(
// CHECK-DAG: tg.range {{[0-9]+}} unroll 4
// CHECK-DAG: tg.range {{[0-9]+}} local
// CHECK: tg.store
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
tg.kernel @windows(%out: memref<200640xf32>, %x: memref<3200xf32>, %w: memref<192xf32>) attributes {outputs = 1 : i64} {
  %c57 = tg.const(57 : index) : index
  %c55 = tg.const(55 : index) : index
  %c3 = tg.const(3 : index) : index
  %c3135 = tg.const(3135 : index) : index
  %o = tg.range 0 loop 64
  %i = tg.range 1 loop 55
  %j = tg.range 2 loop 57
  %k = tg.range 3 loop 3
  %0 = tg.mul %i, %c57 : index
  %1 = tg.add %0, %j : index
  %2 = tg.add %1, %k : index
  %3 = tg.mul %o, %c3 : index
  %4 = tg.add %3, %k : index
  %5 = tg.mul %o, %c3135 : index
  %6 = tg.add %5, %1 : index
  %a = tg.load %x[%2] : memref<3200xf32>
  %b = tg.load %w[%4] : memref<192xf32>
  %ab = tg.mul %a, %b : f32
  %s = tg.ranged_reduce add %ab over %k : f32
  tg.store %s, %out[%6] : memref<200640xf32>
}
}

// -----

// Few rows: groups have more items.
// CHECK-LABEL: tg.kernel @few_rows(
// CHECK-DAG: tg.range {{[0-9]+}} global 8
// CHECK-DAG: tg.range {{[0-9]+}} group_reduce 512
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
tg.kernel @few_rows(%out: memref<8xf32>, %a: memref<65536xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c8192 = tg.const(8192 : index) : index
  %i = tg.range 0 loop 8
  %k = tg.range 1 loop 8192
  %0 = tg.mul %i, %c8192 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<65536xf32>
  %s = tg.ranged_reduce add %x over %k : f32
  tg.store %s, %out[%i] : memref<8xf32>
}
}

// -----

// Rows that are multiplied by the same vector are computed four at a time.
// REMARK: remark: {{.*}}vector: tile range 0 by 4
// CHECK-LABEL: tg.kernel @vector(
// CHECK-DAG: tg.range {{[0-9]+}} global 1024
// CHECK-DAG: tg.range {{[0-9]+}} unroll 4
// CHECK-DAG: tg.range {{[0-9]+}} group_reduce 256
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
tg.kernel @vector(%out: memref<4096xf32>, %a: memref<4194304xf32> {tg.alignment = 16 : i64}, %b: memref<1024xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c1024 = tg.const(1024 : index) : index
  %i = tg.range 0 loop 4096
  %k = tg.range 1 loop 1024
  %0 = tg.mul %i, %c1024 : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<4194304xf32>
  %y = tg.load %b[%k] : memref<1024xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%i] : memref<4096xf32>
}
}

// -----

// A row that is much shorter than what the items add up: each item stores at most
// one element of it.
// REMARK: remark: {{.*}}short_row: local range 0 by 512
// CHECK-LABEL: tg.kernel @short_row(
// CHECK-NOT: upcast
// CHECK-DAG: tg.range {{[0-9]+}} local 512
// CHECK-DAG: tg.range {{[0-9]+}} group_reduce 512
// CHECK-NOT: upcast
// CHECK: tg.store
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
tg.kernel @short_row(%out: memref<3xui32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %i = tg.range 0 loop 3
  %k = tg.range 1 loop 513
  %x = tg.cast %k : index -> ui32
  %s = tg.ranged_reduce add %x over %k : ui32
  tg.store %s, %out[%i] : memref<3xui32>
}
}

// -----

// Tiles do not hold i1: it is not read along its rows.
// REMARK: remark: {{.*}}turned: transposed tiles
// REMARK: remark: {{.*}}turned_bits: single items
// CHECK-LABEL: tg.kernel @turned(
// CHECK: tg.stage
// CHECK-LABEL: tg.kernel @turned_bits(
// CHECK-NOT: tg.stage
// CHECK: tg.store
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, line_bytes = 128, parallel_items = 264, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
tg.kernel @turned(%out: memref<4096xi8>, %a: memref<4096xi8>) attributes {outputs = 1 : i64} {
  %c64 = tg.const(64 : index) : index
  %i = tg.range 0 loop 64
  %j = tg.range 1 loop 64
  %0 = tg.mul %j, %c64 : index
  %1 = tg.add %0, %i : index
  %x = tg.load %a[%1] : memref<4096xi8>
  %2 = tg.mul %i, %c64 : index
  %3 = tg.add %2, %j : index
  tg.store %x, %out[%3] : memref<4096xi8>
}
tg.kernel @turned_bits(%out: memref<4096xi1>, %a: memref<4096xi1>) attributes {outputs = 1 : i64} {
  %c64 = tg.const(64 : index) : index
  %i = tg.range 0 loop 64
  %j = tg.range 1 loop 64
  %0 = tg.mul %j, %c64 : index
  %1 = tg.add %0, %i : index
  %x = tg.load %a[%1] : memref<4096xi1>
  %2 = tg.mul %i, %c64 : index
  %3 = tg.add %2, %j : index
  tg.store %x, %out[%3] : memref<4096xi1>
}
}
