// Tiles that copies with waiting fill: a remark says why. Such copies have at
// least 4 bytes, whose address is a multiple of their size.

// RUN: tg-opt %s --tg-attach-target=target=cuda:sm_90 --tg-schedule-pipeline --tg-optimize-pipeline -o /dev/null --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s
// RUN: tg-compile %s --target=cuda:sm_90 --emit=scheduled | FileCheck %s --check-prefix=NONE --implicit-check-not=buffers

// CHECK: Missed] waiting {{.*}}r_128_96_192_n0: tiles are not filled ahead: elements of fewer than 4 bytes are copied one by one
// CHECK: Missed] waiting {{.*}}r_129_97_65_n1: tiles are not filled ahead: elements of fewer than 4 bytes are copied one by one
// NONE: on "mma_m16n8k32_i8"
// NONE: on "mma_m16n8k16_f16"

// Elements of i8 that are transposed while a tile is filled.
func.func @transposed(%a: tensor<128x192xi8>, %b: tensor<192x96xi8>) -> tensor<128x96xi32> {
  %bt = tg.permute %b [1, 0] : tensor<192x96xi8> -> tensor<96x192xi8>
  %a3 = tg.reshape %a : tensor<128x192xi8> -> tensor<128x1x192xi8>
  %b3 = tg.reshape %bt : tensor<96x192xi8> -> tensor<1x96x192xi8>
  %ae = tg.expand %a3 : tensor<128x1x192xi8> -> tensor<128x96x192xi8>
  %be = tg.expand %b3 : tensor<1x96x192xi8> -> tensor<128x96x192xi8>
  %ac = tg.cast %ae : tensor<128x96x192xi8> -> tensor<128x96x192xi32>
  %bc = tg.cast %be : tensor<128x96x192xi8> -> tensor<128x96x192xi32>
  %p = tg.mul %ac, %bc : tensor<128x96x192xi32>
  %r = tg.reduce add %p axes [2] : tensor<128x96x192xi32> -> tensor<128x96x1xi32>
  %o = tg.reshape %r : tensor<128x96x1xi32> -> tensor<128x96xi32>
  return %o : tensor<128x96xi32>
}

// Rows of an odd number of elements of f16: addresses are multiples of 2 bytes.
func.func @odd(%a: tensor<129x65xf16>, %b: tensor<65x97xf16>) -> tensor<129x97xf32> {
  %bt = tg.permute %b [1, 0] : tensor<65x97xf16> -> tensor<97x65xf16>
  %a3 = tg.reshape %a : tensor<129x65xf16> -> tensor<129x1x65xf16>
  %b3 = tg.reshape %bt : tensor<97x65xf16> -> tensor<1x97x65xf16>
  %ae = tg.expand %a3 : tensor<129x1x65xf16> -> tensor<129x97x65xf16>
  %be = tg.expand %b3 : tensor<1x97x65xf16> -> tensor<129x97x65xf16>
  %ac = tg.cast %ae : tensor<129x97x65xf16> -> tensor<129x97x65xf32>
  %bc = tg.cast %be : tensor<129x97x65xf16> -> tensor<129x97x65xf32>
  %p = tg.mul %ac, %bc : tensor<129x97x65xf32>
  %r = tg.reduce add %p axes [2] : tensor<129x97x65xf32> -> tensor<129x97x1xf32>
  %o = tg.reshape %r : tensor<129x97x1xf32> -> tensor<129x97xf32>
  return %o : tensor<129x97xf32>
}
