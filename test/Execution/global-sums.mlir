// Sums of everything, and what is computed with them at every position: several
// groups repeat the sum of the parts' sums and store a part of the results each.
// Integers, so that the order of sums does not matter.

// RUN: tg-run %s --entry row --print --interpret > %t.row
// RUN: tg-run %s --entry row --print --device=CPU | diff %t.row -
// RUN: env SIMCHIP=sm_90 tg-run %s --entry row --print --device=SIM | diff %t.row -
// RUN: env SIMCHIP=gfx942 SIMSEED=3 tg-run %s --entry row --print --device=SIM | diff %t.row -
// RUN: tg-run %s --entry permuted --print --interpret > %t.permuted
// RUN: tg-run %s --entry permuted --print --device=CPU | diff %t.permuted -
// RUN: env SIMCHIP=sm_90 SIMSEED=5 tg-run %s --entry permuted --print --device=SIM | diff %t.permuted -
// RUN: env SIMCHIP=gfx1100,items=64 tg-run %s --entry permuted --print --device=SIM | diff %t.permuted -
// RUN: tg-run %s --entry update --print --print-inputs --interpret > %t.update
// RUN: tg-run %s --entry update --print --print-inputs --device=CPU | diff %t.update -
// RUN: env SIMCHIP=sm_90 SIMSEED=7 tg-run %s --entry update --print --print-inputs --device=SIM | diff %t.update -
// RUN: env SIMCHIP=gfx942 tg-run %s --entry update --print --print-inputs --device=SIM | diff %t.update -

// An odd number of elements.
func.func @row() -> tensor<393450xi32> {
  %i = tg.iota 0 : tensor<393450xi32>
  %x = tg.contiguous %i : tensor<393450xi32>
  %s = tg.reduce add %x axes [0] : tensor<393450xi32> -> tensor<1xi32>
  %e = tg.expand %s : tensor<1xi32> -> tensor<393450xi32>
  %y = tg.add %x, %e : tensor<393450xi32>
  return %y : tensor<393450xi32>
}

// No axis is long, and memory holds them in another order.
func.func @permuted() -> tensor<5x258x5x61xi32> {
  %i = tg.iota 0 : tensor<393450xi32>
  %f = tg.contiguous %i : tensor<393450xi32>
  %x = tg.reshape %f : tensor<393450xi32> -> tensor<5x61x5x258xi32>
  %p = tg.permute %x [2, 3, 0, 1] : tensor<5x61x5x258xi32> -> tensor<5x258x5x61xi32>
  %s = tg.reduce add %p axes [0, 1, 2, 3] : tensor<5x258x5x61xi32> -> tensor<1x1x1x1xi32>
  %e = tg.expand %s : tensor<1x1x1x1xi32> -> tensor<5x258x5x61xi32>
  %y = tg.add %p, %e : tensor<5x258x5x61xi32>
  return %y : tensor<5x258x5x61xi32>
}

// In place, minus a sum of some of the elements themselves, and minus the sum
// of another tensor.
func.func @update(%x: tensor<512x512xi32> {tg.input = dense<3> : tensor<512x512xi32>},
    %z: tensor<512x512xi32> {tg.input = dense<2> : tensor<512x512xi32>}) -> tensor<512x512xi32> {
  %r = tg.iota 1 : tensor<512x512xi32>
  %h = tg.shrink %x from [0, 0] to [1, 64] : tensor<512x512xi32> -> tensor<1x64xi32>
  %s = tg.reduce add %h axes [0, 1] : tensor<1x64xi32> -> tensor<1x1xi32>
  %t = tg.reduce add %z axes [0, 1] : tensor<512x512xi32> -> tensor<1x1xi32>
  %b = tg.add %s, %t : tensor<1x1xi32>
  %e = tg.expand %b : tensor<1x1xi32> -> tensor<512x512xi32>
  %y = tg.sub %x, %e : tensor<512x512xi32>
  %w = tg.add %y, %r : tensor<512x512xi32>
  %a = tg.assign %x, %w : tensor<512x512xi32>
  return %a : tensor<512x512xi32>
}
