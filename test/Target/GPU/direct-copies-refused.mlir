// Why subgroups of gfx950 do not copy the tiles of a product: a factor is transposed
// while its tile is filled, as those of i8 are, sizes are no multiples of those of blocks, or lanes of the
// matrix unit read fewer than 16 bytes.

// RUN: tg-opt %s --pass-pipeline="builtin.module(tg-attach-target{target=sim:gfx950,units=4}, tg-schedule-pipeline, tg-optimize-pipeline)" -o %t.mlir --remark-format=emitRemark --remarks-filter=tg-optimize.* 2>&1 | FileCheck %s
// RUN: FileCheck %s --input-file=%t.mlir --check-prefix=CODE --implicit-check-not=buffers

// CHECK-DAG: waiting {{.*}}r_128_128_128_n0: tiles are not filled ahead: a tile is transposed while it is filled
// CHECK-DAG: waiting {{.*}}r_120_128_64_n1: tiles are not filled ahead: sizes are no multiples of those of blocks
// CHECK-DAG: waiting {{.*}}r_128_128_64_n2: tiles are not filled ahead: lanes of the matrix unit read less than 16 bytes
// CODE: tg.kernel
func.func @transposed(%a: tensor<128x128xi8>, %b: tensor<128x128xi8>) -> tensor<128x1x128xi32> {
  %a3 = tg.reshape %a : tensor<128x128xi8> -> tensor<128x128x1xi8>
  %b3 = tg.reshape %b : tensor<128x128xi8> -> tensor<1x128x128xi8>
  %ae = tg.expand %a3 : tensor<128x128x1xi8> -> tensor<128x128x128xi8>
  %be = tg.expand %b3 : tensor<1x128x128xi8> -> tensor<128x128x128xi8>
  %ai = tg.cast %ae : tensor<128x128x128xi8> -> tensor<128x128x128xi32>
  %bi = tg.cast %be : tensor<128x128x128xi8> -> tensor<128x128x128xi32>
  %p = tg.mul %ai, %bi : tensor<128x128x128xi32>
  %r = tg.reduce add %p axes [1] : tensor<128x128x128xi32> -> tensor<128x1x128xi32>
  return %r : tensor<128x1x128xi32>
}

func.func @masked(%a: tensor<120x64xf16>, %b: tensor<128x64xf16>) -> tensor<120x128x1xf16> {
  %a3 = tg.reshape %a : tensor<120x64xf16> -> tensor<120x1x64xf16>
  %b3 = tg.reshape %b : tensor<128x64xf16> -> tensor<1x128x64xf16>
  %ae = tg.expand %a3 : tensor<120x1x64xf16> -> tensor<120x128x64xf16>
  %be = tg.expand %b3 : tensor<1x128x64xf16> -> tensor<120x128x64xf16>
  %p = tg.mul %ae, %be : tensor<120x128x64xf16>
  %r = tg.reduce add %p axes [2] : tensor<120x128x64xf16> -> tensor<120x128x1xf16>
  return %r : tensor<120x128x1xf16>
}

func.func @narrow(%a: tensor<128x64xf32>, %b: tensor<128x64xf32>) -> tensor<128x128x1xf32> {
  %a3 = tg.reshape %a : tensor<128x64xf32> -> tensor<128x1x64xf32>
  %b3 = tg.reshape %b : tensor<128x64xf32> -> tensor<1x128x64xf32>
  %ae = tg.expand %a3 : tensor<128x1x64xf32> -> tensor<128x128x64xf32>
  %be = tg.expand %b3 : tensor<1x128x64xf32> -> tensor<128x128x64xf32>
  %p = tg.mul %ae, %be : tensor<128x128x64xf32>
  %r = tg.reduce add %p axes [2] : tensor<128x128x64xf32> -> tensor<128x128x1xf32>
  return %r : tensor<128x128x1xf32>
}
