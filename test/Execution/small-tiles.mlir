// Rows of tiles are padded until their items are known, and do not fit in the
// memory of the group so far: the steps are admitted nevertheless, since they
// fit at the end.

// RUN: tg-run %s --interpret --print > %t.expected
// RUN: env SPEC=1 SIMCHIP=sm_90,shared=8192,items=128,units=4 tg-run %s --device=SIM --print | diff %t.expected -
// RUN: env SPEC=1 SIMCHIP=gfx942,shared=8192,units=4 tg-run %s --device=SIM --print | diff %t.expected -

func.func @main(%a: tensor<1x1x65x4xf64> {tg.input = dense<1.0> : tensor<1x1x65x4xf64>}, %b: tensor<1x65x1x4xf64> {tg.input = dense<1.0> : tensor<1x65x1x4xf64>}) -> tensor<1x1x1xf64> {
  %0 = tg.expand %b : tensor<1x65x1x4xf64> -> tensor<1x65x65x4xf64>
  %1 = tg.expand %a : tensor<1x1x65x4xf64> -> tensor<1x65x65x4xf64>
  %2 = tg.mul %0, %1 : tensor<1x65x65x4xf64>
  %3 = tg.reduce add %2 axes [3] : tensor<1x65x65x4xf64> -> tensor<1x65x65x1xf64>
  %4 = tg.reshape %3 : tensor<1x65x65x1xf64> -> tensor<1x65x65xf64>
  %5 = tg.reduce add %4 axes [1, 2] : tensor<1x65x65xf64> -> tensor<1x1x1xf64>
  return %5 : tensor<1x1x1xf64>
}
