// A product whose factors no matrix operation multiplies: each item computes
// 8x8 results of a block of 128x128. Its factors are neighbors in the tiles,
// four of which are one access. A factor that is filled along the depth has
// unused elements after each row, so that neither writing nor reading a tile
// conflicts in the banks.

// RUN: tg-compile %s --target=cuda:sm_87 --emit=scheduled | FileCheck %s --check-prefix=STEPS
// RUN: tg-compile %s --target=cuda:sm_87 --emit=gpu | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_87 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_87 %t.ptx %}
// RUN: tg-compile %s --target=cuda:sm_72 --emit=gpu | FileCheck %s --check-prefix=WAIT
// RUN: tg-compile %s --target=amd:gfx1030 --emit=asm | FileCheck %s --check-prefix=AMD
// RUN: env SIMCHIP=sm_87 SIMCOUNT=2 tg-run %s --device=SIM --random-inputs 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: env SIMCHIP=sm_72 SIMCOUNT=2 tg-run %s --device=SIM --random-inputs 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: env SIMCHIP=gfx1030 SIMCOUNT=2 tg-run %s --device=SIM --random-inputs 2>&1 | FileCheck %s --check-prefix=COUNT

// STEPS: #tg.step<buffer stage 0 by 3>, #tg.step<buffer stage 1 by 3>
// STEPS: tg.range {{[0-9]+}} local 4
// STEPS: tg.range {{[0-9]+}} local 2
// STEPS: tg.range {{[0-9]+}} local 4
// STEPS: tg.range {{[0-9]+}} local 8
// STEPS: tg.range {{[0-9]+}} upcast 4

// Three buffers of 8 positions: of 132 rows, and of 128 columns.
// CHECK: workgroup(%[[A:.*]] : memref<3168xf32, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<3072xf32, #gpu.address_space<workgroup>>)
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[A]][%{{.*}}], 1 :
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[B]][%{{.*}}], 4 {bypassL1} :
// CHECK: scf.for
// CHECK-NEXT: nvgpu.device_async_wait
// CHECK-NEXT: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: vector.load %[[A]][%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK: vector.load %[[B]][%{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<4xf32>
// CHECK-NOT: memref.load
// CHECK: scf.yield

// Two groups share a compute unit: 128 registers for each item.
// PTX: .reqntid 8, 4, 8
// PTX-NEXT: .minnctapersm 2
// PTX: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 4
// PTX: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16
// PTX: ld.shared.v4
// PTX: fma.rn

// Without asynchronous copies, all items wait. The sums are running sums, not
// those of blocks, which would take as many registers again.
// WAIT: workgroup(%{{.*}} : memref<1056xf32, {{.*}}>, %{{.*}} : memref<1024xf32, {{.*}}>)
// WAIT: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args({{.*}}) -> (vector<4xf32>
// WAIT-NOT: scf.for
// WAIT: gpu.barrier
// WAIT-NOT: scf.for
// WAIT: math.fma

// AMD: ds_read_b128
// AMD: v_fmac_f32

// COUNT: conflicts 0;
func.func @main(%a: tensor<512x512xf32>, %b: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %a3 = tg.reshape %a : tensor<512x512xf32> -> tensor<512x512x1xf32>
  %b3 = tg.reshape %b : tensor<512x512xf32> -> tensor<1x512x512xf32>
  %ae = tg.expand %a3 : tensor<512x512x1xf32> -> tensor<512x512x512xf32>
  %be = tg.expand %b3 : tensor<1x512x512xf32> -> tensor<512x512x512xf32>
  %p = tg.mul %ae, %be : tensor<512x512x512xf32>
  %r = tg.reduce add %p axes [1] : tensor<512x512x512xf32> -> tensor<512x1x512xf32>
  %o = tg.reshape %r : tensor<512x1x512xf32> -> tensor<512x512xf32>
  return %o : tensor<512x512xf32>
}
