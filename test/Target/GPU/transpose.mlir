// A transposition goes through the memory of a group: reads and writes are both
// contiguous, and columns of the tile are in different banks.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=gpu | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: env SIMCHIP=sm_90 SIMCOUNT=4 tg-run %s --device=SIM 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: env SIMCHIP=gfx942 SIMCOUNT=4 tg-run %s --device=SIM 2>&1 | FileCheck %s --check-prefix=COUNT64

// CHECK: gpu.func @{{.*}} workgroup(%[[TILE:.*]] : memref<1056xf32, #gpu.address_space<workgroup>>) kernel attributes {known_block_size = array<i32: 32, 8, 1>
// CHECK-DAG: %[[X:.*]] = gpu.thread_id x
// CHECK-DAG: %[[Y:.*]] = gpu.thread_id y
// CHECK-DAG: %[[PITCH:.*]] = arith.constant 33 : index
// CHECK-DAG: %[[ROW:.*]] = arith.muli %[[Y]], %[[PITCH]] : index
// CHECK: %[[PLACE:.*]] = arith.addi %[[X]], %[[ROW]] : index
// CHECK: memref.store %{{.*}}, %[[TILE]][%[[PLACE]]]
// CHECK: gpu.barrier
// CHECK: arith.muli %[[X]], %{{.*}} : index
// CHECK: memref.load %[[TILE]]
// PTX: st.shared
// PTX: bar.sync
// PTX: ld.shared
// PTX-NOT: .local
// AMD: ds_store_b32
// AMD: s_barrier
// AMD: ds_load

// One line for each subgroup of 32 lanes, and no conflicts.
// COUNT: loads 2048 sectors 8192 lines 2048 bytes 262144; stores 2048 sectors 8192 lines 2048 bytes 262144; shared 4096 bytes 524288 conflicts 0
// COUNT64: loads 1024 sectors 4096 lines 2048 bytes 262144; stores 1024 sectors 4096 lines 2048 bytes 262144; shared 2048 bytes 524288 conflicts 0
func.func @main(%x: tensor<256x256xf32> {tg.input = dense<1.0> : tensor<256x256xf32>}) -> tensor<256x256xf32> {
  %0 = tg.permute %x [1, 0] : tensor<256x256xf32> -> tensor<256x256xf32>
  %1 = tg.contiguous %0 : tensor<256x256xf32>
  return %1 : tensor<256x256xf32>
}
