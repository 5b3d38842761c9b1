// Blocks that would leave too few groups on a compute unit are not taken, but
// smaller ones, and a remark says what the unit would hold.

// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-optimize-pipeline=verify-rewrites -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Blocks of a product that leave two groups, and two subgroups on each part of a
// compute unit, are taken: 128 registers of 256 items, twice.
// REMARK-NOT: fine: smaller
// REMARK-NOT: fine: tiles of products: a compute unit
// REMARK: fine: tiles of products
// REMARK: fine: rows range {{[0-9]+}} by 128
// REMARK: fine: columns range {{[0-9]+}} by 128
// CHECK-LABEL: tg.kernel @fine(
// CHECK-COUNT-2: tg.stage {{.*}} in group : memref<1024xf32>
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 131072, reserved_bytes = 1024, memory_step = 128>} {
tg.kernel @fine(%out: memref<262144xf32>, %a: memref<262144xf32> {tg.alignment = 16 : i64}, %b: memref<262144xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %c : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %x = tg.load %a[%1] : memref<262144xf32>
  %y = tg.load %b[%3] : memref<262144xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<262144xf32>
}
}

// -----

// Two groups have no room for tiles of 8 KiB each: blocks of 64x128.
// REMARK: little_memory: smaller tiles of products: a compute unit would hold 1 group, 8 of 64 subgroups, by its memory ({{[0-9]+}} bytes of a group); 2 are wanted
// REMARK-NOT: little_memory: smaller
// REMARK: little_memory: tiles of products
// REMARK: little_memory: rows range {{[0-9]+}} by 64
// REMARK: little_memory: columns range {{[0-9]+}} by 128
// CHECK-LABEL: tg.kernel @little_memory(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 15360, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 16384, reserved_bytes = 1024, memory_step = 128>} {
tg.kernel @little_memory(%out: memref<262144xf32>, %a: memref<262144xf32> {tg.alignment = 16 : i64}, %b: memref<262144xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %c : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %x = tg.load %a[%1] : memref<262144xf32>
  %y = tg.load %b[%3] : memref<262144xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<262144xf32>
}
}

// -----

// Half of the registers: blocks of 64x64.
// REMARK: few_registers: smaller tiles of products: a compute unit would hold 1 group, 8 of 64 subgroups, by its registers (about {{[0-9]+}} of an item); 2 are wanted
// REMARK: few_registers: smaller tiles of products: {{.*}}by its registers
// REMARK-NOT: few_registers: smaller
// REMARK: few_registers: rows range {{[0-9]+}} by 64
// REMARK: few_registers: columns range {{[0-9]+}} by 64
// CHECK-LABEL: tg.kernel @few_registers(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 32768, item_registers = 255, register_step = 8, unit_bytes = 131072, reserved_bytes = 1024, memory_step = 128>} {
tg.kernel @few_registers(%out: memref<262144xf32>, %a: memref<262144xf32> {tg.alignment = 16 : i64}, %b: memref<262144xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %c : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %x = tg.load %a[%1] : memref<262144xf32>
  %y = tg.load %b[%3] : memref<262144xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<262144xf32>
}
}

// -----

// Even the smallest block is too large for two groups: it is taken, since one
// group fits.
// REMARK: one_group: smaller tiles of products: {{.*}}needs more memory than a group
// REMARK: one_group: tiles of products: a compute unit would hold 1 group
// REMARK: one_group: depth range {{[0-9]+}} by 8
// CHECK-LABEL: tg.kernel @one_group(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 6144, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 7168, reserved_bytes = 1024, memory_step = 128>} {
tg.kernel @one_group(%out: memref<262144xf32>, %a: memref<262144xf32> {tg.alignment = 16 : i64}, %b: memref<262144xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %c : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %x = tg.load %a[%1] : memref<262144xf32>
  %y = tg.load %b[%3] : memref<262144xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<262144xf32>
}
}

// -----

// Matrix units: f16 with f32 sums, in blocks of 128x128 where there are registers.
// REMARK-NOT: units: smaller
// REMARK: units: tiles for matrix units
// REMARK: units: matrix rows range {{[0-9]+}} by 128
// REMARK: units: matrix columns range {{[0-9]+}} by 128
// CHECK-LABEL: tg.kernel @units(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 131072, reserved_bytes = 1024, memory_step = 128, matrix_units = 59>} {
tg.kernel @units(%out: memref<262144xf32>, %a: memref<262144xf16> {tg.alignment = 16 : i64}, %b: memref<262144xf16> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %c : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %xh = tg.load %a[%1] : memref<262144xf16>
  %x = tg.cast %xh : f16 -> f32
  %yh = tg.load %b[%3] : memref<262144xf16>
  %y = tg.cast %yh : f16 -> f32
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<262144xf32>
}
}

// -----

// REMARK: crowded_units: smaller tiles for matrix units: a compute unit would hold 1 group, 4 of 64 subgroups, by its registers
// REMARK: crowded_units: tiles for matrix units
// REMARK: crowded_units: matrix rows range {{[0-9]+}} by 128
// REMARK: crowded_units: matrix columns range {{[0-9]+}} by 64
// CHECK-LABEL: tg.kernel @crowded_units(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 32768, item_registers = 255, register_step = 8, unit_bytes = 131072, reserved_bytes = 1024, memory_step = 128, matrix_units = 59>} {
tg.kernel @crowded_units(%out: memref<262144xf32>, %a: memref<262144xf16> {tg.alignment = 16 : i64}, %b: memref<262144xf16> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %c : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %xh = tg.load %a[%1] : memref<262144xf16>
  %x = tg.cast %xh : f16 -> f32
  %yh = tg.load %b[%3] : memref<262144xf16>
  %y = tg.cast %yh : f16 -> f32
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<262144xf32>
}
}

// -----

// Transposed squares of 32x32 leave half of the subgroups.
// REMARK-NOT: squares: smaller
// REMARK: squares: turn range {{[0-9]+}} by 32
// CHECK-LABEL: tg.kernel @squares(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 131072, reserved_bytes = 1024, memory_step = 128>} {
tg.kernel @squares(%out: memref<262144xf32>, %a0: memref<262144xf32>, %a1: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %0 = tg.mul %j, %c : index
  %1 = tg.add %0, %i : index
  %2 = tg.mul %i, %c : index
  %3 = tg.add %2, %j : index
  %x0 = tg.load %a0[%1] : memref<262144xf32>
  %x1 = tg.load %a1[%1] : memref<262144xf32>
  %s1 = tg.add %x0, %x1 : f32
  tg.store %s1, %out[%3] : memref<262144xf32>
}
}

// -----

// Those of more operands do not: squares of 16x16.
// REMARK: small_squares: smaller transposed tiles: a compute unit would hold 3 groups, 24 of 64 subgroups, by its memory (33792 bytes of a group); 4 are wanted
// REMARK: small_squares: turn range {{[0-9]+}} by 16
// CHECK-LABEL: tg.kernel @small_squares(
// CHECK-COUNT-8: tg.stage {{.*}} in group : memref<256xf32>
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 131072, reserved_bytes = 1024, memory_step = 128>} {
tg.kernel @small_squares(%out: memref<262144xf32>, %a0: memref<262144xf32>, %a1: memref<262144xf32>, %a2: memref<262144xf32>, %a3: memref<262144xf32>, %a4: memref<262144xf32>, %a5: memref<262144xf32>, %a6: memref<262144xf32>, %a7: memref<262144xf32>) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %0 = tg.mul %j, %c : index
  %1 = tg.add %0, %i : index
  %2 = tg.mul %i, %c : index
  %3 = tg.add %2, %j : index
  %x0 = tg.load %a0[%1] : memref<262144xf32>
  %x1 = tg.load %a1[%1] : memref<262144xf32>
  %x2 = tg.load %a2[%1] : memref<262144xf32>
  %x3 = tg.load %a3[%1] : memref<262144xf32>
  %x4 = tg.load %a4[%1] : memref<262144xf32>
  %x5 = tg.load %a5[%1] : memref<262144xf32>
  %x6 = tg.load %a6[%1] : memref<262144xf32>
  %x7 = tg.load %a7[%1] : memref<262144xf32>
  %s1 = tg.add %x0, %x1 : f32
  %s2 = tg.add %s1, %x2 : f32
  %s3 = tg.add %s2, %x3 : f32
  %s4 = tg.add %s3, %x4 : f32
  %s5 = tg.add %s4, %x5 : f32
  %s6 = tg.add %s5, %x6 : f32
  %s7 = tg.add %s6, %x7 : f32
  tg.store %s7, %out[%3] : memref<262144xf32>
}
}

// -----

// Four rows share a vector, if their registers leave half of the subgroups.
// REMARK-NOT: four_rows: smaller
// REMARK: four_rows: tile range {{[0-9]+}} by 4
// CHECK-LABEL: tg.kernel @four_rows(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 131072, reserved_bytes = 1024, memory_step = 128>} {
tg.kernel @four_rows(%out: memref<4096xf32>, %a: memref<16777216xf32> {tg.alignment = 16 : i64}, %b: memref<4096xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(4096 : index) : index
  %i = tg.range 0 loop 4096
  %k = tg.range 1 loop 4096
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<16777216xf32>
  %y = tg.load %b[%k] : memref<4096xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%i] : memref<4096xf32>
}
}

// -----

// REMARK: two_rows: smaller rows shared by groups: a compute unit would hold 3 groups, 24 of 64 subgroups, by its registers
// REMARK: two_rows: tile range {{[0-9]+}} by 2
// CHECK-LABEL: tg.kernel @two_rows(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 49152, item_registers = 255, register_step = 8, unit_bytes = 131072, reserved_bytes = 1024, memory_step = 128>} {
tg.kernel @two_rows(%out: memref<4096xf32>, %a: memref<16777216xf32> {tg.alignment = 16 : i64}, %b: memref<4096xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(4096 : index) : index
  %i = tg.range 0 loop 4096
  %k = tg.range 1 loop 4096
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %x = tg.load %a[%1] : memref<16777216xf32>
  %y = tg.load %b[%k] : memref<4096xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%i] : memref<4096xf32>
}
}

// -----

// Without facts about compute units, nothing is refused.
// REMARK-NOT: unknown: smaller
// REMARK: unknown: rows range {{[0-9]+}} by 128
// CHECK-LABEL: tg.kernel @unknown(
module attributes {tg.target = #tg.target<"gpu", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 8, group_items = 1024, subgroup_items = 32, group_bytes = 65536>} {
tg.kernel @unknown(%out: memref<262144xf32>, %a: memref<262144xf32> {tg.alignment = 16 : i64}, %b: memref<262144xf32> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64} {
  %c = tg.const(512 : index) : index
  %i = tg.range 0 loop 512
  %j = tg.range 1 loop 512
  %k = tg.range 2 loop 512
  %0 = tg.mul %i, %c : index
  %1 = tg.add %0, %k : index
  %2 = tg.mul %k, %c : index
  %3 = tg.add %2, %j : index
  %4 = tg.add %0, %j : index
  %x = tg.load %a[%1] : memref<262144xf32>
  %y = tg.load %b[%3] : memref<262144xf32>
  %z = tg.mul %x, %y : f32
  %s = tg.ranged_reduce add %z over %k : f32
  tg.store %s, %out[%4] : memref<262144xf32>
}
}
