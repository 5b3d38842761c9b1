// A layer whose product the heuristics compute by wgmma: its code, which does not spill,
// that for GPUs that refuse to copy boxes, and proofs of both. Other GPUs get other code.

// RUN: tg-compile %s --target=cuda:sm_90a --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90a %t.ptx %}
// PTX: .entry [[NAME:[a-z0-9_]+]](
// PTX: cp.async.bulk.tensor.2d
// PTX: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// PTX: .entry [[NAME]]_without_tensor_maps(
// PTX: cp.async.cg.shared.global
// PTX: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o - | FileCheck %s --check-prefix=OTHER --implicit-check-not=wgmma --implicit-check-not=_without_tensor_maps
// OTHER: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32

// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_90a --tg-schedule-pipeline --tg-verify-schedules=print-counts=true -o /dev/null | FileCheck %s --check-prefix=SAME --implicit-check-not="not covered"
// SAME: schedules: 1 kernels

// A unit with a quarter of the registers holds no such group.
// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_90a | sed 's/unit_registers = 65536/unit_registers = 16384/' > %t.few.mlir
// RUN: tg-opt %t.few.mlir --tg-schedule-pipeline --tg-optimize-pipeline --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=CROWDED --implicit-check-not=wgmma_m64
// CROWDED: tiles for warpgroups refused: a compute unit would hold 0 groups, 0 of 64 subgroups, by its registers
// CROWDED: on "mma_m16n8k16_bf16"

// RUN: %if z3 %{ %python %S/../../Dialect/Tg/Verify/Inputs/verify-gpu-kernels.py tg-opt cuda:sm_90a %s | FileCheck %s --check-prefix=PROVED %}
// PROVED: modules on matrix units: 1
// PROVED: proved access: {{[1-9]}}
// PROVED: proved permutation: {{[1-9]}}
// PROVED: proved race: {{[1-9]}}

func.func @main(%a: tensor<1408x136xbf16>, %b: tensor<136x1152xbf16>, %bias: tensor<1x1152xf32>) -> tensor<1408x1152xbf16> {
  %aw = tg.cast %a : tensor<1408x136xbf16> -> tensor<1408x136xf32>
  %bw = tg.cast %b : tensor<136x1152xbf16> -> tensor<136x1152xf32>
  %bt = tg.permute %bw [1, 0] : tensor<136x1152xf32> -> tensor<1152x136xf32>
  %a3 = tg.reshape %aw : tensor<1408x136xf32> -> tensor<1408x1x136xf32>
  %ae = tg.expand %a3 : tensor<1408x1x136xf32> -> tensor<1408x1152x136xf32>
  %b3 = tg.reshape %bt : tensor<1152x136xf32> -> tensor<1x1152x136xf32>
  %be = tg.expand %b3 : tensor<1x1152x136xf32> -> tensor<1408x1152x136xf32>
  %p = tg.mul %ae, %be : tensor<1408x1152x136xf32>
  %s = tg.reduce add %p axes [2] : tensor<1408x1152x136xf32> -> tensor<1408x1152x1xf32>
  %o = tg.reshape %s : tensor<1408x1152x1xf32> -> tensor<1408x1152xf32>
  %be2 = tg.expand %bias : tensor<1x1152xf32> -> tensor<1408x1152xf32>
  %biased = tg.add %o, %be2 : tensor<1408x1152xf32>
  %zero = tg.const(0.0 : f32) : tensor<1408x1152xf32>
  %q = tg.max %biased, %zero : tensor<1408x1152xf32>
  %c = tg.cast %q : tensor<1408x1152xf32> -> tensor<1408x1152xbf16>
  return %c : tensor<1408x1152xbf16>
}
