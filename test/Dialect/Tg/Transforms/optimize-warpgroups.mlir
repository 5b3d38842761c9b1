// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:sm_90a:tf32 --tg-schedule-pipeline --tg-optimize-pipeline=verify-rewrites | FileCheck %s
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:sm_90a:tf32 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=REMARK

// Products on Hopper's wgmma, which the heuristics choose for blocks that fill the
// results and the device. Other chips have no such way.
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:sm_90:tf32 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s --check-prefix=OTHERS --implicit-check-not="for warpgroups"
// RUN: tg-opt %s --split-input-file --tg-attach-target=target=sim:sm_90:tf32 --tg-schedule-pipeline --tg-optimize-pipeline | FileCheck %s --check-prefix=WITHOUT --implicit-check-not=wgmma --implicit-check-not=tg.tma
// OTHERS: tiles for matrix units
// WITHOUT: on "mma_m16n8k16_f16"

// Each of two warpgroups has 64 rows and 256 columns.
// REMARK: r_{{.*}}: tiles for warpgroups
// REMARK: matrix rows range {{[0-9]+}} by 128
// REMARK: matrix columns range {{[0-9]+}} by 256
// REMARK: matrix depth range {{[0-9]+}} by 64
// REMARK: buffers range {{[0-9]+}} by 4
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.stage {{.*}} in group buffers 4 {tg.tma} : memref<8192xf16>
// CHECK: tg.stage {{.*}} in group buffers 4 {tg.tma} : memref<16384xf16>
// CHECK: tg.ranged_reduce add %{{.*}} on "wgmma_m64n256k16_f16" : f32
func.func @rows(%a: tensor<2048x512xf16>, %b: tensor<512x2048xf16>) -> tensor<2048x2048xf16> {
  %aw = tg.cast %a : tensor<2048x512xf16> -> tensor<2048x512xf32>
  %bw = tg.cast %b : tensor<512x2048xf16> -> tensor<512x2048xf32>
  %bt = tg.permute %bw [1, 0] : tensor<512x2048xf32> -> tensor<2048x512xf32>
  %a3 = tg.reshape %aw : tensor<2048x512xf32> -> tensor<2048x1x512xf32>
  %ae = tg.expand %a3 : tensor<2048x1x512xf32> -> tensor<2048x2048x512xf32>
  %b3 = tg.reshape %bt : tensor<2048x512xf32> -> tensor<1x2048x512xf32>
  %be = tg.expand %b3 : tensor<1x2048x512xf32> -> tensor<2048x2048x512xf32>
  %p = tg.mul %ae, %be : tensor<2048x2048x512xf32>
  %s = tg.reduce add %p axes [2] : tensor<2048x2048x512xf32> -> tensor<2048x2048x1xf32>
  %o = tg.reshape %s : tensor<2048x2048x1xf32> -> tensor<2048x2048xf32>
  %c = tg.cast %o : tensor<2048x2048xf32> -> tensor<2048x2048xf16>
  return %c : tensor<2048x2048xf16>
}

// -----

// Transposed factors, and what follows the sum.
// REMARK: r_{{.*}}: tiles for warpgroups
// REMARK: matrix columns range {{[0-9]+}} by 256
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.stage {{.*}} in group buffers 4 {tg.tma} : memref<8192xbf16>
// CHECK: tg.stage {{.*}} in group buffers 4 {tg.tma} : memref<16384xbf16>
// CHECK: tg.ranged_reduce add %{{.*}} on "wgmma_m64n256k16_bf16" : f32
func.func @transposed(%a: tensor<512x2048xbf16>, %b: tensor<2048x512xbf16>) -> tensor<2048x2048xbf16> {
  %aw = tg.cast %a : tensor<512x2048xbf16> -> tensor<512x2048xf32>
  %bw = tg.cast %b : tensor<2048x512xbf16> -> tensor<2048x512xf32>
  %at = tg.permute %aw [1, 0] : tensor<512x2048xf32> -> tensor<2048x512xf32>
  %a3 = tg.reshape %at : tensor<2048x512xf32> -> tensor<2048x1x512xf32>
  %ae = tg.expand %a3 : tensor<2048x1x512xf32> -> tensor<2048x2048x512xf32>
  %b3 = tg.reshape %bw : tensor<2048x512xf32> -> tensor<1x2048x512xf32>
  %be = tg.expand %b3 : tensor<1x2048x512xf32> -> tensor<2048x2048x512xf32>
  %p = tg.mul %ae, %be : tensor<2048x2048x512xf32>
  %s = tg.reduce add %p axes [2] : tensor<2048x2048x512xf32> -> tensor<2048x2048x1xf32>
  %o = tg.reshape %s : tensor<2048x2048x1xf32> -> tensor<2048x2048xf32>
  %q = tg.exp2 %o : tensor<2048x2048xf32>
  %c = tg.cast %q : tensor<2048x2048xf32> -> tensor<2048x2048xbf16>
  return %c : tensor<2048x2048xbf16>
}

// -----

// 384 columns are no multiple of 256. Three positions have three buffers.
// REMARK: r_{{.*}}: tiles for warpgroups
// REMARK: matrix rows range {{[0-9]+}} by 256
// REMARK: matrix columns range {{[0-9]+}} by 128
// REMARK: buffers range {{[0-9]+}} by 3
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "wgmma_m64n128k16_f16" : f32
func.func @columns(%a: tensor<16384x192xf16>, %b: tensor<192x384xf16>) -> tensor<16384x384xf16> {
  %aw = tg.cast %a : tensor<16384x192xf16> -> tensor<16384x192xf32>
  %bw = tg.cast %b : tensor<192x384xf16> -> tensor<192x384xf32>
  %bt = tg.permute %bw [1, 0] : tensor<192x384xf32> -> tensor<384x192xf32>
  %a3 = tg.reshape %aw : tensor<16384x192xf32> -> tensor<16384x1x192xf32>
  %ae = tg.expand %a3 : tensor<16384x1x192xf32> -> tensor<16384x384x192xf32>
  %b3 = tg.reshape %bt : tensor<384x192xf32> -> tensor<1x384x192xf32>
  %be = tg.expand %b3 : tensor<1x384x192xf32> -> tensor<16384x384x192xf32>
  %p = tg.mul %ae, %be : tensor<16384x384x192xf32>
  %s = tg.reduce add %p axes [2] : tensor<16384x384x192xf32> -> tensor<16384x384x1xf32>
  %o = tg.reshape %s : tensor<16384x384x1xf32> -> tensor<16384x384xf32>
  %c = tg.cast %o : tensor<16384x384xf32> -> tensor<16384x384xf16>
  return %c : tensor<16384x384xf16>
}

// -----

// Neither rows nor columns are; a depth that is no multiple of a tile's.
// REMARK: r_{{.*}}: tiles for warpgroups
// REMARK: matrix rows range {{[0-9]+}} by 128
// REMARK: matrix columns range {{[0-9]+}} by 128
// REMARK: buffers range {{[0-9]+}} by 2
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "wgmma_m64n128k16_f16" : f32
func.func @square(%a: tensor<1408x104xf16>, %b: tensor<104x1408xf16>) -> tensor<1408x1408xf16> {
  %aw = tg.cast %a : tensor<1408x104xf16> -> tensor<1408x104xf32>
  %bw = tg.cast %b : tensor<104x1408xf16> -> tensor<104x1408xf32>
  %bt = tg.permute %bw [1, 0] : tensor<104x1408xf32> -> tensor<1408x104xf32>
  %a3 = tg.reshape %aw : tensor<1408x104xf32> -> tensor<1408x1x104xf32>
  %ae = tg.expand %a3 : tensor<1408x1x104xf32> -> tensor<1408x1408x104xf32>
  %b3 = tg.reshape %bt : tensor<1408x104xf32> -> tensor<1x1408x104xf32>
  %be = tg.expand %b3 : tensor<1x1408x104xf32> -> tensor<1408x1408x104xf32>
  %p = tg.mul %ae, %be : tensor<1408x1408x104xf32>
  %s = tg.reduce add %p axes [2] : tensor<1408x1408x104xf32> -> tensor<1408x1408x1xf32>
  %o = tg.reshape %s : tensor<1408x1408x1xf32> -> tensor<1408x1408xf32>
  %c = tg.cast %o : tensor<1408x1408xf32> -> tensor<1408x1408xf16>
  return %c : tensor<1408x1408xf16>
}

// -----

// Sums of i8 are exact.
// REMARK: r_{{.*}}: tiles for warpgroups
// REMARK: matrix depth range {{[0-9]+}} by 128
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.stage {{.*}} in group buffers 4 {tg.tma} : memref<16384xi8>
// CHECK: tg.ranged_reduce add %{{.*}} on "wgmma_m64n256k32_i8" : i32
func.func @bytes(%a: tensor<2048x512xi8>, %b: tensor<2048x512xi8>) -> tensor<2048x2048xi32> {
  %aw = tg.cast %a : tensor<2048x512xi8> -> tensor<2048x512xi32>
  %bw = tg.cast %b : tensor<2048x512xi8> -> tensor<2048x512xi32>
  %a3 = tg.reshape %aw : tensor<2048x512xi32> -> tensor<2048x1x512xi32>
  %ae = tg.expand %a3 : tensor<2048x1x512xi32> -> tensor<2048x2048x512xi32>
  %b3 = tg.reshape %bw : tensor<2048x512xi32> -> tensor<1x2048x512xi32>
  %be = tg.expand %b3 : tensor<1x2048x512xi32> -> tensor<2048x2048x512xi32>
  %p = tg.mul %ae, %be : tensor<2048x2048x512xi32>
  %s = tg.reduce add %p axes [2] : tensor<2048x2048x512xi32> -> tensor<2048x2048x1xi32>
  %o = tg.reshape %s : tensor<2048x2048x1xi32> -> tensor<2048x2048xi32>
  return %o : tensor<2048x2048xi32>
}

// -----

// Only elements of 16 bits can be transposed.
// REMARK: tiles for warpgroups refused: {{.*}}rows of the tile{{.*}} do not have 128 elements
// REMARK: tiles for matrix units
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "mma_m16n8k32_i8" : i32
func.func @transposed_bytes(%a: tensor<2048x512xi8>, %b: tensor<512x2048xi8>) -> tensor<2048x2048xi32> {
  %aw = tg.cast %a : tensor<2048x512xi8> -> tensor<2048x512xi32>
  %bw = tg.cast %b : tensor<512x2048xi8> -> tensor<512x2048xi32>
  %bt = tg.permute %bw [1, 0] : tensor<512x2048xi32> -> tensor<2048x512xi32>
  %a3 = tg.reshape %aw : tensor<2048x512xi32> -> tensor<2048x1x512xi32>
  %ae = tg.expand %a3 : tensor<2048x1x512xi32> -> tensor<2048x2048x512xi32>
  %b3 = tg.reshape %bt : tensor<2048x512xi32> -> tensor<1x2048x512xi32>
  %be = tg.expand %b3 : tensor<1x2048x512xi32> -> tensor<2048x2048x512xi32>
  %p = tg.mul %ae, %be : tensor<2048x2048x512xi32>
  %s = tg.reduce add %p axes [2] : tensor<2048x2048x512xi32> -> tensor<2048x2048x1xi32>
  %o = tg.reshape %s : tensor<2048x2048x1xi32> -> tensor<2048x2048xi32>
  return %o : tensor<2048x2048xi32>
}

// -----

// wgmma cuts off bits of f32 that others round.
// REMARK: no tiles for warpgroups: the target has no operation for factors of f32 and sums of f32
// REMARK: tiles for matrix units
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "mma_m16n8k8_tf32" : f32
func.func @tf32(%a: tensor<2048x512xf32>, %b: tensor<2048x512xf32>) -> tensor<2048x2048xf32> {
  %a3 = tg.reshape %a : tensor<2048x512xf32> -> tensor<2048x1x512xf32>
  %ae = tg.expand %a3 : tensor<2048x1x512xf32> -> tensor<2048x2048x512xf32>
  %b3 = tg.reshape %b : tensor<2048x512xf32> -> tensor<1x2048x512xf32>
  %be = tg.expand %b3 : tensor<1x2048x512xf32> -> tensor<2048x2048x512xf32>
  %p = tg.mul %ae, %be : tensor<2048x2048x512xf32>
  %s = tg.reduce add %p axes [2] : tensor<2048x2048x512xf32> -> tensor<2048x2048x1xf32>
  %o = tg.reshape %s : tensor<2048x2048x1xf32> -> tensor<2048x2048xf32>
  return %o : tensor<2048x2048xf32>
}

// -----

// Blocks would be padded, or leave compute units without work.
// REMARK: no tiles for warpgroups: no blocks of 128x128 fill the results and the device
// REMARK: tiles for matrix units
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "mma_m16n8k16_f16" : f32
func.func @padded(%a: tensor<2016x512xf16>, %b: tensor<512x2048xf16>) -> tensor<2016x2048xf16> {
  %aw = tg.cast %a : tensor<2016x512xf16> -> tensor<2016x512xf32>
  %bw = tg.cast %b : tensor<512x2048xf16> -> tensor<512x2048xf32>
  %bt = tg.permute %bw [1, 0] : tensor<512x2048xf32> -> tensor<2048x512xf32>
  %a3 = tg.reshape %aw : tensor<2016x512xf32> -> tensor<2016x1x512xf32>
  %ae = tg.expand %a3 : tensor<2016x1x512xf32> -> tensor<2016x2048x512xf32>
  %b3 = tg.reshape %bt : tensor<2048x512xf32> -> tensor<1x2048x512xf32>
  %be = tg.expand %b3 : tensor<1x2048x512xf32> -> tensor<2016x2048x512xf32>
  %p = tg.mul %ae, %be : tensor<2016x2048x512xf32>
  %s = tg.reduce add %p axes [2] : tensor<2016x2048x512xf32> -> tensor<2016x2048x1xf32>
  %o = tg.reshape %s : tensor<2016x2048x1xf32> -> tensor<2016x2048xf32>
  %c = tg.cast %o : tensor<2016x2048xf32> -> tensor<2016x2048xf16>
  return %c : tensor<2016x2048xf16>
}

// -----

// REMARK: no tiles for warpgroups: no blocks of 128x128 fill the results and the device
// REMARK: tiles for matrix units
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "mma_m16n8k16_f16" : f32
func.func @few(%a: tensor<1152x512xf16>, %b: tensor<512x1280xf16>) -> tensor<1152x1280xf16> {
  %aw = tg.cast %a : tensor<1152x512xf16> -> tensor<1152x512xf32>
  %bw = tg.cast %b : tensor<512x1280xf16> -> tensor<512x1280xf32>
  %bt = tg.permute %bw [1, 0] : tensor<512x1280xf32> -> tensor<1280x512xf32>
  %a3 = tg.reshape %aw : tensor<1152x512xf32> -> tensor<1152x1x512xf32>
  %ae = tg.expand %a3 : tensor<1152x1x512xf32> -> tensor<1152x1280x512xf32>
  %b3 = tg.reshape %bt : tensor<1280x512xf32> -> tensor<1x1280x512xf32>
  %be = tg.expand %b3 : tensor<1x1280x512xf32> -> tensor<1152x1280x512xf32>
  %p = tg.mul %ae, %be : tensor<1152x1280x512xf32>
  %s = tg.reduce add %p axes [2] : tensor<1152x1280x512xf32> -> tensor<1152x1280x1xf32>
  %o = tg.reshape %s : tensor<1152x1280x1xf32> -> tensor<1152x1280xf32>
  %c = tg.cast %o : tensor<1152x1280xf32> -> tensor<1152x1280xf16>
  return %c : tensor<1152x1280xf16>
}

// -----

// REMARK: no tiles for warpgroups: a tile has all 64 positions of the sum
// REMARK: tiles for matrix units
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "mma_m16n8k16_f16" : f32
func.func @shallow(%a: tensor<2048x64xf16>, %b: tensor<64x2048xf16>) -> tensor<2048x2048xf16> {
  %aw = tg.cast %a : tensor<2048x64xf16> -> tensor<2048x64xf32>
  %bw = tg.cast %b : tensor<64x2048xf16> -> tensor<64x2048xf32>
  %bt = tg.permute %bw [1, 0] : tensor<64x2048xf32> -> tensor<2048x64xf32>
  %a3 = tg.reshape %aw : tensor<2048x64xf32> -> tensor<2048x1x64xf32>
  %ae = tg.expand %a3 : tensor<2048x1x64xf32> -> tensor<2048x2048x64xf32>
  %b3 = tg.reshape %bt : tensor<2048x64xf32> -> tensor<1x2048x64xf32>
  %be = tg.expand %b3 : tensor<1x2048x64xf32> -> tensor<2048x2048x64xf32>
  %p = tg.mul %ae, %be : tensor<2048x2048x64xf32>
  %s = tg.reduce add %p axes [2] : tensor<2048x2048x64xf32> -> tensor<2048x2048x1xf32>
  %o = tg.reshape %s : tensor<2048x2048x1xf32> -> tensor<2048x2048xf32>
  %c = tg.cast %o : tensor<2048x2048xf32> -> tensor<2048x2048xf16>
  return %c : tensor<2048x2048xf16>
}

// -----

// Copies of boxes compute nothing.
// REMARK: no tiles for warpgroups: a factor is computed, and not copied from memory
// REMARK: tiles for matrix units
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "mma_m16n8k16_f16" : f32
func.func @computed(%a: tensor<2048x512xf16>, %b: tensor<512x2048xf16>) -> tensor<2048x2048xf16> {
  %r = tg.neg %a : tensor<2048x512xf16>
  %aw = tg.cast %r : tensor<2048x512xf16> -> tensor<2048x512xf32>
  %bw = tg.cast %b : tensor<512x2048xf16> -> tensor<512x2048xf32>
  %bt = tg.permute %bw [1, 0] : tensor<512x2048xf32> -> tensor<2048x512xf32>
  %a3 = tg.reshape %aw : tensor<2048x512xf32> -> tensor<2048x1x512xf32>
  %ae = tg.expand %a3 : tensor<2048x1x512xf32> -> tensor<2048x2048x512xf32>
  %b3 = tg.reshape %bt : tensor<2048x512xf32> -> tensor<1x2048x512xf32>
  %be = tg.expand %b3 : tensor<1x2048x512xf32> -> tensor<2048x2048x512xf32>
  %p = tg.mul %ae, %be : tensor<2048x2048x512xf32>
  %s = tg.reduce add %p axes [2] : tensor<2048x2048x512xf32> -> tensor<2048x2048x1xf32>
  %o = tg.reshape %s : tensor<2048x2048x1xf32> -> tensor<2048x2048xf32>
  %c = tg.cast %o : tensor<2048x2048xf32> -> tensor<2048x2048xf16>
  return %c : tensor<2048x2048xf16>
}

// -----

// Rows of 516 bytes.
// REMARK: tiles for warpgroups refused: {{.*}}cannot be filled 'as tma': rows are 516 bytes apart, which is not a multiple of 16
// REMARK: tiles for matrix units
// CHECK-LABEL: tg.kernel @r_
// CHECK: tg.ranged_reduce add %{{.*}} on "mma_m16n8k16_f16" : f32
func.func @misaligned(%a: tensor<2048x258xf16>, %b: tensor<2048x258xf16>) -> tensor<2048x2048xf16> {
  %aw = tg.cast %a : tensor<2048x258xf16> -> tensor<2048x258xf32>
  %bw = tg.cast %b : tensor<2048x258xf16> -> tensor<2048x258xf32>
  %a3 = tg.reshape %aw : tensor<2048x258xf32> -> tensor<2048x1x258xf32>
  %ae = tg.expand %a3 : tensor<2048x1x258xf32> -> tensor<2048x2048x258xf32>
  %b3 = tg.reshape %bw : tensor<2048x258xf32> -> tensor<1x2048x258xf32>
  %be = tg.expand %b3 : tensor<1x2048x258xf32> -> tensor<2048x2048x258xf32>
  %p = tg.mul %ae, %be : tensor<2048x2048x258xf32>
  %s = tg.reduce add %p axes [2] : tensor<2048x2048x258xf32> -> tensor<2048x2048x1xf32>
  %o = tg.reshape %s : tensor<2048x2048x1xf32> -> tensor<2048x2048xf32>
  %c = tg.cast %o : tensor<2048x2048xf32> -> tensor<2048x2048xf16>
  return %c : tensor<2048x2048xf16>
}
