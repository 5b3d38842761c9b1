// Loops of a sum whose tiles are filled ahead, one for each part of the rows and
// columns, in one block: a barrier keeps the copies of each from what the one
// before it reads.
// RUN: tg-opt %s --pass-pipeline='builtin.module(tg-optimize-pipeline, convert-tg-to-gpu)' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tg-opt %t.mlir --tg-verify-gpu-kernels -o /dev/null

// CHECK-COUNT-3: scf.yield {{.*}} vector<1x2xf64>
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: gpu.barrier
// CHECK: nvgpu.device_async_copy
// CHECK: scf.yield {{.*}} vector<1x2xf64>

#target = #tg.target<"cuda:sm_80", vector_bytes = 16, vector_registers = 48, line_bytes = 128, parallel_items = 216, group_items = 1024, subgroup_items = 32, group_bytes = 166912, matrix_units = 59, async_copies = 1, unit_subgroups = 64, unit_groups = 32, unit_barriers = 32, unit_registers = 65536, item_registers = 255, register_step = 8, unit_bytes = 167936, reserved_bytes = 1024, memory_step = 128>
module attributes {tg.target = #target} {
tg.kernel @product(%out: memref<1320xf64> {tg.alignment = 16 : i64}, %a: memref<2112xf64> {tg.alignment = 16 : i64}, %b: memref<2560xf64> {tg.alignment = 16 : i64}) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [1] by 32 into [4, 5]>, #tg.step<split [2] by 32 into [6, 7]>,
     #tg.step<split [3] by 8 into [8, 9]>, #tg.step<set_kind [5] as local>,
     #tg.step<stage load 0 [5, 9] into [10, 11]>, #tg.step<set_kind [5] as loop>,
     #tg.step<set_kind [10] as loop>, #tg.step<set_kind [7] as local>,
     #tg.step<stage load 2 [7, 9] into [12, 13]>, #tg.step<set_kind [7] as loop>,
     #tg.step<set_kind [12] as loop>, #tg.step<split [5] by 16 into [14, 15]>,
     #tg.step<set_kind [14] as local>, #tg.step<split [15] by 8 into [16, 17]>,
     #tg.step<set_kind [16] as unroll>, #tg.step<set_kind [17] as local>,
     #tg.step<split [7] by 16 into [18, 19]>, #tg.step<set_kind [18] as local>,
     #tg.step<split [19] by 8 into [20, 21]>, #tg.step<set_kind [20] as unroll>,
     #tg.step<split [21] by 2 into [22, 23]>, #tg.step<set_kind [22] as local>,
     #tg.step<set_kind [23] as upcast>, #tg.step<move [18, 17]>, #tg.step<split [9] by 4 into [24, 25]>,
     #tg.step<set_kind [24] as unroll>, #tg.step<contract ranged_reduce 0 on mma_m8n8k4_f64>,
     #tg.step<split [11] by 2 into [26, 27]>, #tg.step<set_kind [27] as upcast>,
     #tg.step<set_kind [26] as local>, #tg.step<split [10] by 8 into [28, 29]>,
     #tg.step<set_kind [29] as local>, #tg.step<split [28] by 2 into [30, 31]>,
     #tg.step<set_kind [31] as local>, #tg.step<set_kind [30] as local>,
     #tg.step<split [13] by 2 into [32, 33]>, #tg.step<set_kind [33] as upcast>,
     #tg.step<set_kind [32] as local>, #tg.step<split [12] by 8 into [34, 35]>,
     #tg.step<set_kind [35] as local>, #tg.step<split [34] by 2 into [36, 37]>,
     #tg.step<set_kind [37] as local>, #tg.step<set_kind [36] as local>, #tg.step<buffer stage 0 by 3>,
     #tg.step<buffer stage 1 by 3>]} {
  %c40 = tg.const(40 : index) : index
  %c64 = tg.const(64 : index) : index
  %i = tg.range 1 loop 33
  %j = tg.range 2 loop 40
  %k = tg.range 3 loop 64
  %row = tg.mul %i, %c64 : index
  %left = tg.add %k, %row : index
  %x = tg.load %a[%left] : memref<2112xf64>
  %column = tg.mul %j, %c64 : index
  %right = tg.add %k, %column : index
  %y = tg.load %b[%right] : memref<2560xf64>
  %p = tg.mul %x, %y : f64
  %sum = tg.ranged_reduce add %p over %k : f64
  %first = tg.mul %i, %c40 : index
  %at = tg.add %j, %first : index
  tg.store %sum, %out[%at] : memref<1320xf64>
}
}
