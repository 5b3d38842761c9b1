// Subgroups of gfx950 copy both factors of a large product to the memory of the
// group without waiting: the addresses of what they read are permuted, those of
// what they write are in scalar registers. As many copies as a position has are
// running while another one is multiplied. An iteration has the positions of all
// buffers; the last positions follow the loop.

// RUN: tg-compile %s --target=amd:gfx950 --emit=scheduled | FileCheck %s --check-prefix=STEPS
// RUN: tg-compile %s --target=amd:gfx950 --emit=gpu | FileCheck %s
// RUN: tg-compile %s --target=amd:gfx950 --emit=llvm | FileCheck %s --check-prefix=LLVM
// RUN: tg-compile %s --target=amd:gfx950 --emit=asm | FileCheck %s --check-prefix=ASM --implicit-check-not=scratch_
// gfx942 copies 4 bytes at once, which does not pay.
// RUN: tg-compile %s --target=amd:gfx942 --emit=scheduled | FileCheck %s --check-prefix=NONE --implicit-check-not=buffers

// STEPS: #tg.step<buffer stage 0 by 3>, #tg.step<buffer stage 1 by 3>
// STEPS: tg.stage {{.*}} in group buffers 3 : memref<4096xf16>
// STEPS: tg.stage {{.*}} in group buffers 3 : memref<4096xf16>
// NONE: tg.stage {{.*}} in group : memref<4096xf16>

// CHECK: workgroup(%[[A:.*]] : memref<12288xf16, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<12288xf16, #gpu.address_space<workgroup>>)
// CHECK-COUNT-2: amdgpu.gather_to_lds %{{.*}}, %[[A]][%{{.*}}] : vector<8xf16>
// CHECK-COUNT-2: amdgpu.gather_to_lds %{{.*}}, %[[B]][%{{.*}}] : vector<8xf16>
// CHECK-COUNT-4: amdgpu.gather_to_lds
// CHECK-NOT: amdgpu.gather_to_lds
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c126{{.*}} step %c3
// CHECK-NEXT: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: scf.if
// The chunk that an item reads is its own number, with bits of the row flipped.
// CHECK: %[[ROW:.*]] = arith.andi
// CHECK: arith.xori %thread_id_x, %[[ROW]]
// CHECK-COUNT-4: amdgpu.gather_to_lds
// CHECK-COUNT-16: amdgpu.mfma
// CHECK: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: amdgpu.gather_to_lds
// CHECK-COUNT-16: amdgpu.mfma
// CHECK: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-4: amdgpu.gather_to_lds
// CHECK-COUNT-16: amdgpu.mfma
// CHECK: scf.yield
// CHECK-NOT: amdgpu.gather_to_lds
// CHECK: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-16: amdgpu.mfma
// CHECK: amdgpu.memory_counter_wait load(0)
// CHECK-NEXT: gpu.barrier
// CHECK-COUNT-16: amdgpu.mfma
// CHECK-NOT: scf.for

// LLVM: call void @llvm.amdgcn.load.to.lds.p1({{.*}}, i32 16, i32 0, i32 0), !alias.scope ![[SCOPES:[0-9]+]]
// LLVM: call void @llvm.amdgcn.s.waitcnt(i32 3956)
// LLVM-NEXT: call void @llvm.amdgcn.s.waitcnt(i32 49279)
// LLVM-NEXT: call void @llvm.amdgcn.s.barrier()
// LLVM: load <8 x half>, ptr addrspace(3) {{.*}}, !noalias ![[SCOPES]]

// The loop: LLVM adds no wait for copies, and vector registers hold no addresses of
// the group's memory to write to, and none to read that a buffer changes.
// ASM: .LBB0_1:
// ASM-NOT: {{v_readfirstlane|v_add_u32|vmcnt|s_cbranch}}
// ASM: s_waitcnt vmcnt(4) lgkmcnt(0)
// ASM-NEXT: s_barrier
// ASM-NOT: {{v_readfirstlane|v_add_u32|vmcnt|s_cbranch}}
// ASM: global_load_lds_dwordx4
// ASM-NOT: {{v_readfirstlane|v_add_u32|vmcnt|s_cbranch}}
// ASM: v_mfma_f32_16x16x32_f16
// ASM-NOT: {{v_readfirstlane|v_add_u32|vmcnt\(0\)|s_cbranch_vcc}}
// ASM: ds_read_b128 v[{{.*}} offset:8192
// ASM-NOT: {{v_readfirstlane|v_add_u32|vmcnt\(0\)|s_cbranch_vcc}}
// ASM: s_cbranch_scc1 .LBB0_1
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
