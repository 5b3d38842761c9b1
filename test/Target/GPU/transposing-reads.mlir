// A right factor with its rows along the result, as most weights that are multiplied
// from the right have: subgroups of gfx950 copy it as it is in memory, and read it by
// reads that transpose, two for a fragment, which begin at constant distances.

// RUN: tg-compile %s --target=amd:gfx950 --emit=scheduled | FileCheck %s --check-prefix=STEPS
// RUN: tg-compile %s --target=amd:gfx950 --emit=gpu | FileCheck %s
// RUN: tg-compile %s --target=amd:gfx950 --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: tg-compile %s --target=amd:gfx950 --emit=asm | FileCheck %s --check-prefix=ASM --implicit-check-not=scratch_
// Other chips have none.
// RUN: tg-compile %s --target=amd:gfx942 --emit=gpu | FileCheck %s --check-prefix=NONE --implicit-check-not=transpose_load

// STEPS: #tg.step<buffer stage 0 by 3>, #tg.step<buffer stage 1 by 3>
// NONE: amdgpu.mfma

// CHECK: workgroup(%[[A:.*]] : memref<12288xf16, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<12288xf16, #gpu.address_space<workgroup>>)
// CHECK: scf.for
// CHECK-NEXT: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: amdgpu.gather_to_lds
// CHECK: vector.load %[[A]]{{.*}} vector<8xf16>
// CHECK: amdgpu.transpose_load %[[B]]{{.*}} -> vector<4xf16>
// CHECK: amdgpu.transpose_load %[[B]]{{.*}} -> vector<4xf16>
// CHECK: vector.shuffle
// CHECK: amdgpu.mfma

// LLVM: call <4 x half> @llvm.amdgcn.ds.read.tr16.b64.v4f16(ptr addrspace(3) {{.*}}), !noalias

// ASM: .LBB0_1:
// ASM-NOT: {{v_readfirstlane|v_add_u32|v_xor|vmcnt|s_cbranch}}
// ASM: s_waitcnt vmcnt(4) lgkmcnt(0)
// ASM-NEXT: s_barrier
// ASM-NOT: {{v_readfirstlane|v_add_u32|v_xor|vmcnt|s_cbranch}}
// ASM: ds_read_b64_tr_b16 v[{{.*}} offset:
// ASM-NOT: {{v_readfirstlane|v_add_u32|v_xor|vmcnt\(0\)|s_cbranch_vcc}}
// ASM: s_cbranch_scc1 .LBB0_1
func.func @main(%a: tensor<2048x4096xf16>, %b: tensor<4096x2048xf16>) -> tensor<2048x2048xf16> {
  %a3 = tg.reshape %a : tensor<2048x4096xf16> -> tensor<2048x4096x1xf16>
  %b3 = tg.reshape %b : tensor<4096x2048xf16> -> tensor<1x4096x2048xf16>
  %ae = tg.expand %a3 : tensor<2048x4096x1xf16> -> tensor<2048x4096x2048xf16>
  %be = tg.expand %b3 : tensor<1x4096x2048xf16> -> tensor<2048x4096x2048xf16>
  %p = tg.mul %ae, %be : tensor<2048x4096x2048xf16>
  %r = tg.reduce add %p axes [1] : tensor<2048x4096x2048xf16> -> tensor<2048x1x2048xf16>
  %o = tg.reshape %r : tensor<2048x1x2048xf16> -> tensor<2048x2048xf16>
  return %o : tensor<2048x2048xf16>
}
