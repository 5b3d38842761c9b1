// RUN: tg-opt %s | tg-opt | FileCheck %s
// RUN: tg-opt %s --mlir-print-op-generic | tg-opt | FileCheck %s
// RUN: tg-opt %s --emit-bytecode | tg-opt | FileCheck %s

// Every kind of step, with and without what may be left out.

// CHECK-LABEL: tg.kernel @lists
// CHECK-SAME: schedule = [#tg.step<split [0] by 16 into [3, 4]>, #tg.step<split [0] by 16>,
// CHECK-SAME: #tg.step<merge [0, 1] into [2]>, #tg.step<reverse [2] into [3]>, #tg.step<move [3, 0]>,
// CHECK-SAME: #tg.step<set_kind [3] as upcast>, #tg.step<set_kind [3] as loop>, #tg.step<set_kind [3] as global by 8>,
// CHECK-SAME: #tg.step<unshare ranged_reduce 1 into [5]>, #tg.step<unshare ranged_reduce 2 [5]>,
// CHECK-SAME: #tg.step<accumulate ranged_reduce 0, ranged_reduce 1 [5]>,
// CHECK-SAME: #tg.step<stage load 1 [0, 5] by 4 into [6, 7]>, #tg.step<stage "other.op" 0 [0]>,
// CHECK-SAME: #tg.step<stage_window load 1, ranged_reduce 0 [0, 1] by 8 into [8, 9, 10]>,
// CHECK-SAME: #tg.step<reuse exp2 1, stage 0 [1]>, #tg.step<skip_masked ranged_reduce 0, load 1 [2, 3]>,
// CHECK-SAME: #tg.step<check_finite ranged_reduce 0 [4] by 16 into [11, 12, 13, 14, 15]>,
// CHECK-SAME: #tg.step<prefetch load 0 by 64>, #tg.step<prefetch store 0 by 1>, #tg.step<nontemporal store 0>,
// CHECK-SAME: #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>, #tg.step<contract ranged_reduce 1 on wmma12_16x16x16_i8>,
// CHECK-SAME: #tg.step<buffer stage 1 by 3>, #tg.step<buffer stage 2 by 4 as tma>, #tg.step<buffer stage 3 by 4 as tma by warpgroup>, #tg.step<buffer stage 3 by 3 as tma by warpgroup across blocks>, #tg.step<partition by 64 into [3]>, #tg.step<partition by 2>]
// CHECK-SAME: scheduled = []
tg.kernel @lists(%out: memref<4xf32>) attributes {outputs = 1 : i64, schedule = [
    #tg.step<split [0] by 16 into [3, 4]>, #tg.step<split [0] by 16>,
    #tg.step<merge [0, 1] into [2]>, #tg.step<reverse [2] into [3]>, #tg.step<move [3, 0]>,
    #tg.step<set_kind [3] as upcast>, #tg.step<set_kind [3] as loop>, #tg.step<set_kind [3] as global by 8>,
    #tg.step<unshare ranged_reduce 1 into [5]>, #tg.step<unshare ranged_reduce 2 [5]>,
    #tg.step<accumulate ranged_reduce 0, ranged_reduce 1 [5]>,
    #tg.step<stage load 1 [0, 5] by 4 into [6, 7]>, #tg.step<stage "other.op" 0 [0]>,
    #tg.step<stage_window load 1, ranged_reduce 0 [0, 1] by 8 into [8, 9, 10]>,
    #tg.step<reuse exp2 1, stage 0 [1]>, #tg.step<skip_masked ranged_reduce 0, load 1 [2, 3]>,
    #tg.step<check_finite ranged_reduce 0 [4] by 16 into [11, 12, 13, 14, 15]>,
    #tg.step<prefetch load 0 by 64>, #tg.step<prefetch store 0 by 1>, #tg.step<nontemporal store 0>,
    #tg.step<contract ranged_reduce 0 on mma_m16n8k16_f16>, #tg.step<contract ranged_reduce 1 on wmma12_16x16x16_i8>,
    #tg.step<buffer stage 1 by 3>, #tg.step<buffer stage 2 by 4 as tma>, #tg.step<buffer stage 3 by 4 as tma by warpgroup>, #tg.step<buffer stage 3 by 3 as tma by warpgroup across blocks>, #tg.step<partition by 64 into [3]>, #tg.step<partition by 2>],
    scheduled = []} {
}
