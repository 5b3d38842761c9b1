// Tiles of a product are filled ahead, into three buffers, by copies that no
// item waits for: those of a position are begun two positions before. Rows past
// the end become zeros, and no address of theirs is given.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=scheduled | FileCheck %s --check-prefix=STEPS
// RUN: tg-compile %s --target=cuda:sm_90 --emit=gpu | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=cuda:sm_75 --emit=ptx | FileCheck %s --check-prefix=NONE --implicit-check-not=cp.async
// RUN: tg-compile %s --target=amd:gfx942 --emit=scheduled | FileCheck %s --check-prefix=AMD --implicit-check-not=buffers

// STEPS: #tg.step<buffer stage 0 by 3>, #tg.step<buffer stage 1 by 3>
// STEPS: tg.stage {{.*}} in group buffers 3 : memref<256xf64>
// STEPS: tg.stage {{.*}} in group buffers 3 : memref<256xf64>
// AMD: tg.stage {{.*}} in group : memref<

// CHECK: workgroup(%[[A:.*]] : memref<768xf64, #gpu.address_space<workgroup>>, %[[B:.*]] : memref<768xf64, #gpu.address_space<workgroup>>)
// CHECK: %[[INDEX:.*]] = arith.select
// CHECK: %[[COUNT:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : index
// CHECK: nvgpu.device_async_copy %{{.*}}[%[[INDEX]]], %[[A]][%{{.*}}], 2, %[[COUNT]] {bypassL1} :
// CHECK: nvgpu.device_async_copy %{{.*}}, %[[B]][%{{.*}}], 2 {bypassL1} :
// CHECK: nvgpu.device_async_create_group
// CHECK: nvgpu.device_async_copy
// CHECK: %[[GROUP:.*]] = nvgpu.device_async_create_group
// CHECK: scf.for
// CHECK-NEXT: nvgpu.device_async_wait %[[GROUP]] {numGroups = 1 : i32}
// CHECK-NEXT: gpu.barrier
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy
// CHECK: }
// CHECK: nvgpu.device_async_create_group
// CHECK-NOT: gpu.barrier
// CHECK: nvgpu.mma.sync
// CHECK: scf.yield

// PTX-DAG: cp.async.cg.shared.global
// PTX-DAG: cp.async.commit_group
// PTX-DAG: cp.async.wait_group 1
// PTX-DAG: bar.sync
// PTX-DAG: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
// NONE: r_
func.func @main(%a: tensor<130x64xf64>, %b: tensor<128x64xf64>) -> tensor<130x128xf64> {
  %bt = tg.permute %b [1, 0] : tensor<128x64xf64> -> tensor<64x128xf64>
  %a3 = tg.reshape %a : tensor<130x64xf64> -> tensor<130x64x1xf64>
  %b3 = tg.reshape %bt : tensor<64x128xf64> -> tensor<1x64x128xf64>
  %ae = tg.expand %a3 : tensor<130x64x1xf64> -> tensor<130x64x128xf64>
  %be = tg.expand %b3 : tensor<1x64x128xf64> -> tensor<130x64x128xf64>
  %p = tg.mul %ae, %be : tensor<130x64x128xf64>
  %r = tg.reduce add %p axes [1] : tensor<130x64x128xf64> -> tensor<130x1x128xf64>
  %o = tg.reshape %r : tensor<130x1x128xf64> -> tensor<130x128xf64>
  return %o : tensor<130x128xf64>
}

