// Copies that no item waits for, where sizes are no multiples of those of blocks,
// the depth is a variable, or a tile is transposed while it is filled: then each
// copies an element. Copies of elements past the end have no source.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=gpu | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local --implicit-check-not=ld.global --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_75 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=SM75

// SM75: Missed] waiting {{.*}}r_130_88_72_n0: tiles are not filled ahead: the target has no asynchronous copies

// REMARK-NOT: Missed] waiting
// REMARK: Passed] buffers {{.*}}r_130_88_72_n0
// REMARK: Passed] buffers {{.*}}r_64_70_
// REMARK: Passed] buffers {{.*}}r_64_70_
// REMARK-NOT: Missed] waiting

// Both columns and the depth are padded; the mask is the same for all 8 elements.
// CHECK-LABEL: gpu.func @r_130_88_72_n0
// CHECK: %[[COUNT:.*]] = arith.select %{{.*}}, %c8{{.*}}, %c0 : index
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 8, %[[COUNT]] {bypassL1} : memref<9360xf16>
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 8, %{{.*}} {bypassL1} : memref<6336xf16>
// CHECK: scf.for
// CHECK-NEXT: nvgpu.device_async_wait
// CHECK: nvgpu.mma.sync
// CHECK-NOT: scf.for
func.func @padded(%a: tensor<130x72xf16>, %b: tensor<72x88xf16>) -> tensor<130x88xf32> {
  %bt = tg.permute %b [1, 0] : tensor<72x88xf16> -> tensor<88x72xf16>
  %a3 = tg.reshape %a : tensor<130x72xf16> -> tensor<130x1x72xf16>
  %b3 = tg.reshape %bt : tensor<88x72xf16> -> tensor<1x88x72xf16>
  %ae = tg.expand %a3 : tensor<130x1x72xf16> -> tensor<130x88x72xf16>
  %be = tg.expand %b3 : tensor<1x88x72xf16> -> tensor<130x88x72xf16>
  %ac = tg.cast %ae : tensor<130x88x72xf16> -> tensor<130x88x72xf32>
  %bc = tg.cast %be : tensor<130x88x72xf16> -> tensor<130x88x72xf32>
  %p = tg.mul %ac, %bc : tensor<130x88x72xf32>
  %r = tg.reduce add %p axes [2] : tensor<130x88x72xf32> -> tensor<130x88x1xf32>
  %o = tg.reshape %r : tensor<130x88x1xf32> -> tensor<130x88xf32>
  return %o : tensor<130x88xf32>
}

// The second tile is transposed.
// CHECK-LABEL: gpu.func @r_64_70_64_n1
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 2 {bypassL1} : memref<4096xf64>
// CHECK: nvgpu.device_async_copy %{{.*}}, %{{.*}}, 1, %{{.*}} : memref<4480xf64>
// CHECK: nvgpu.mma.sync
func.func @transposed(%a: tensor<64x64xf64>, %b: tensor<64x70xf64>) -> tensor<64x70xf64> {
  %bt = tg.permute %b [1, 0] : tensor<64x70xf64> -> tensor<70x64xf64>
  %a3 = tg.reshape %a : tensor<64x64xf64> -> tensor<64x1x64xf64>
  %b3 = tg.reshape %bt : tensor<70x64xf64> -> tensor<1x70x64xf64>
  %ae = tg.expand %a3 : tensor<64x1x64xf64> -> tensor<64x70x64xf64>
  %be = tg.expand %b3 : tensor<1x70x64xf64> -> tensor<64x70x64xf64>
  %p = tg.mul %ae, %be : tensor<64x70x64xf64>
  %r = tg.reduce add %p axes [2] : tensor<64x70x64xf64> -> tensor<64x70x1xf64>
  %o = tg.reshape %r : tensor<64x70x1xf64> -> tensor<64x70xf64>
  return %o : tensor<64x70xf64>
}

// Positions that there may not be are begun in a branch each.
// CHECK-LABEL: gpu.func @r_64_70_k_n2
// CHECK: scf.if
// CHECK: nvgpu.device_async_copy
// CHECK: nvgpu.device_async_create_group
// CHECK: scf.for %{{.*}} = %c0 to %
// CHECK-NEXT: nvgpu.device_async_wait
// CHECK: nvgpu.mma.sync
#k = #tg.var<"k", 1, 300>
func.func @symbolic(%a: tensor<?x64xf64, #tg.shape<#k, 64>>, %b: tensor<?x70xf64, #tg.shape<#k, 70>>) -> tensor<64x70xf64> {
  %a1 = tg.permute %a [1, 0] : tensor<?x64xf64, #tg.shape<#k, 64>> -> tensor<64x?xf64, #tg.shape<64, #k>>
  %b1 = tg.permute %b [1, 0] : tensor<?x70xf64, #tg.shape<#k, 70>> -> tensor<70x?xf64, #tg.shape<70, #k>>
  %a3 = tg.reshape %a1 : tensor<64x?xf64, #tg.shape<64, #k>> -> tensor<64x1x?xf64, #tg.shape<64, 1, #k>>
  %b3 = tg.reshape %b1 : tensor<70x?xf64, #tg.shape<70, #k>> -> tensor<1x70x?xf64, #tg.shape<1, 70, #k>>
  %ae = tg.expand %a3 : tensor<64x1x?xf64, #tg.shape<64, 1, #k>> -> tensor<64x70x?xf64, #tg.shape<64, 70, #k>>
  %be = tg.expand %b3 : tensor<1x70x?xf64, #tg.shape<1, 70, #k>> -> tensor<64x70x?xf64, #tg.shape<64, 70, #k>>
  %p = tg.mul %ae, %be : tensor<64x70x?xf64, #tg.shape<64, 70, #k>>
  %r = tg.reduce add %p axes [2] : tensor<64x70x?xf64, #tg.shape<64, 70, #k>> -> tensor<64x70x1xf64>
  %o = tg.reshape %r : tensor<64x70x1xf64> -> tensor<64x70xf64>
  return %o : tensor<64x70xf64>
}

// PTX-LABEL: .entry r_130_88_72_n0
// PTX: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %r
// PTX-LABEL: .entry r_64_70_64_n1
// PTX: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8, %r
// PTX-LABEL: .entry r_64_70_k_n2
// PTX: cp.async.ca.shared.global [{{.*}}], [{{.*}}], 8, %r
