// Eight subgroups compute blocks of 256x256 results of a large product on gfx950,
// if these are enough groups for the compute units: 12 reads of the group's memory
// for 32 products of an item, instead of 8 for 16, and half of the copies. One group
// fits into a compute unit, and nothing spills.

// RUN: tg-compile %s --target=amd:gfx950 --emit=scheduled | FileCheck %s --check-prefix=STEPS
// RUN: tg-compile %s --target=amd:gfx950 --emit=asm | FileCheck %s --check-prefix=ASM --implicit-check-not=scratch_
// Otherwise, and on other chips, four subgroups compute 128x128.
// RUN: sed 's/4096/2048/g' %s | tg-compile - --target=amd:gfx950 --emit=scheduled | FileCheck %s --check-prefix=SMALL
// RUN: tg-compile %s --target=amd:gfx942 --emit=scheduled | FileCheck %s --check-prefix=GFX942 --implicit-check-not=buffers

// STEPS: tg.stage {{.*}} in group buffers 3 : memref<8192xf16>
// STEPS: tg.stage {{.*}} in group buffers 3 : memref<8192xf16>
// SMALL: tg.stage {{.*}} in group buffers 3 : memref<4096xf16>
// GFX942: tg.stage {{.*}} in group : memref<4096xf16>

// ASM: .LBB0_1:
// ASM: s_waitcnt vmcnt(4) lgkmcnt(0)
// ASM-NEXT: s_barrier
// ASM-COUNT-4: global_load_lds_dwordx4
// ASM: s_waitcnt vmcnt(4) lgkmcnt(0)
// ASM: s_cbranch_scc1 .LBB0_1
// ASM: .group_segment_fixed_size: 98304
// ASM: .max_flat_workgroup_size: 512
// ASM: .vgpr_spill_count: 0
func.func @main(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %bt = tg.permute %b [1, 0] : tensor<4096x4096xf16> -> tensor<4096x4096xf16>
  %a3 = tg.reshape %a : tensor<4096x4096xf16> -> tensor<4096x4096x1xf16>
  %b3 = tg.reshape %bt : tensor<4096x4096xf16> -> tensor<1x4096x4096xf16>
  %ae = tg.expand %a3 : tensor<4096x4096x1xf16> -> tensor<4096x4096x4096xf16>
  %be = tg.expand %b3 : tensor<1x4096x4096xf16> -> tensor<4096x4096x4096xf16>
  %p = tg.mul %ae, %be : tensor<4096x4096x4096xf16>
  %r = tg.reduce add %p axes [1] : tensor<4096x4096x4096xf16> -> tensor<4096x1x4096xf16>
  %o = tg.reshape %r : tensor<4096x1x4096xf16> -> tensor<4096x4096xf16>
  return %o : tensor<4096x4096xf16>
}
