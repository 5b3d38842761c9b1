// Products of few rows on several chips, and a deep one: a block of the results
// for each part of the depth is computed from tiles, so that little more than
// the factors is read. Nothing spills.

// RUN: tg-compile %s --target=cuda:sm_90 --emit=obj -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local --input-file=%t.ptx
// RUN: %if ptxas %{ %assemble_ptx sm_90 %t.ptx %}
// RUN: tg-compile %s --target=amd:gfx1100 --emit=asm | FileCheck %s --check-prefix=AMD --implicit-check-not=scratch_load --implicit-check-not=scratch_store
// RUN: env SIMCHIP=sm_90 SIMCOUNT=4 SIMSKIP=1 tg-run %s --device=SIM --random-inputs 2>&1 | FileCheck %s --check-prefix=COUNT

// Groups of 64 items compute 16x64 results, those of 256 items 64x64.
// PTX-DAG: .reqntid 8, 4, 2
// PTX-DAG: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// PTX-DAG: .reqntid 8, 4, 8
// AMD-DAG: ds_load_b128
// AMD-DAG: v_wmma_f32_16x16x16_f16

// The larger factor once (524288 sectors), and the smaller one for each of 32
// blocks of columns; both factors of the deep product once.
// COUNT: counts r_8_8_2048_256: {{.*}}sectors 589824 lines 589824 bytes 18874368; stores {{.*}} conflicts 0;
// COUNT: counts r_8_4_2048_256: {{.*}}sectors 278528 lines 139264 bytes 8912896; stores
// COUNT: counts r_64_64_64_128: {{.*}}sectors 131072 lines 81920 bytes 4194304; stores {{.*}} conflicts 0;
func.func @main(%a: tensor<8x2048xf32>, %b: tensor<2048x2048xf32>, %c: tensor<4x2048xf16>, %d: tensor<2048x2048xf16>, %e: tensor<64x8192xf32>, %f: tensor<8192x64xf32>) -> (tensor<8x2048xf32>, tensor<4x2048xf16>, tensor<64x64xf32>) {
  %a3 = tg.reshape %a : tensor<8x2048xf32> -> tensor<8x1x2048xf32>
  %ae = tg.expand %a3 : tensor<8x1x2048xf32> -> tensor<8x2048x2048xf32>
  %b3 = tg.reshape %b : tensor<2048x2048xf32> -> tensor<1x2048x2048xf32>
  %be = tg.expand %b3 : tensor<1x2048x2048xf32> -> tensor<8x2048x2048xf32>
  %ab = tg.mul %ae, %be : tensor<8x2048x2048xf32>
  %few = tg.reduce add %ab axes [2] : tensor<8x2048x2048xf32> -> tensor<8x2048x1xf32>
  %0 = tg.reshape %few : tensor<8x2048x1xf32> -> tensor<8x2048xf32>
  %c3 = tg.reshape %c : tensor<4x2048xf16> -> tensor<4x2048x1xf16>
  %ce = tg.expand %c3 : tensor<4x2048x1xf16> -> tensor<4x2048x2048xf16>
  %d3 = tg.reshape %d : tensor<2048x2048xf16> -> tensor<1x2048x2048xf16>
  %de = tg.expand %d3 : tensor<1x2048x2048xf16> -> tensor<4x2048x2048xf16>
  %cd = tg.mul %ce, %de : tensor<4x2048x2048xf16>
  %units = tg.reduce add %cd axes [1] : tensor<4x2048x2048xf16> -> tensor<4x1x2048xf16>
  %1 = tg.reshape %units : tensor<4x1x2048xf16> -> tensor<4x2048xf16>
  %e3 = tg.reshape %e : tensor<64x8192xf32> -> tensor<64x8192x1xf32>
  %ee = tg.expand %e3 : tensor<64x8192x1xf32> -> tensor<64x8192x64xf32>
  %f3 = tg.reshape %f : tensor<8192x64xf32> -> tensor<1x8192x64xf32>
  %fe = tg.expand %f3 : tensor<1x8192x64xf32> -> tensor<64x8192x64xf32>
  %ef = tg.mul %ee, %fe : tensor<64x8192x64xf32>
  %deep = tg.reduce add %ef axes [1] : tensor<64x8192x64xf32> -> tensor<64x1x64xf32>
  %2 = tg.reshape %deep : tensor<64x1x64xf32> -> tensor<64x64xf32>
  return %0, %1, %2 : tensor<8x2048xf32>, tensor<4x2048xf16>, tensor<64x64xf32>
}
