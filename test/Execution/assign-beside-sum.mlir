// RUN: tg-run %s --entry small --print --print-inputs --interpret > %t.small
// RUN: tg-run %s --entry small --print --print-inputs --device=CPU \
// RUN:   | diff %t.small -
// RUN: env NOOPT=1 tg-run %s --entry small --print --print-inputs --device=CPU \
// RUN:   | diff %t.small -
// RUN: tg-run %s --entry small --print --print-inputs --device=SIM \
// RUN:   | diff %t.small -
// RUN: env NOOPT=1 tg-run %s --entry small --print --print-inputs --device=SIM \
// RUN:   | diff %t.small -
// RUN: tg-run %s --entry peeled --print --print-inputs --interpret > %t.peeled
// RUN: tg-run %s --entry peeled --print --print-inputs --device=CPU \
// RUN:   | diff %t.peeled -
// RUN: env NOOPT=1 tg-run %s --entry peeled --print --print-inputs --device=CPU \
// RUN:   | diff %t.peeled -
// RUN: tg-run %s --entry peeled --print --print-inputs --device=SIM \
// RUN:   | diff %t.peeled -
// RUN: env NOOPT=1 tg-run %s --entry peeled --print --print-inputs --device=SIM \
// RUN:   | diff %t.peeled -
// RUN: tg-run %s --entry large --print --print-inputs --interpret > %t.large
// RUN: tg-run %s --entry large --print --print-inputs --device=CPU \
// RUN:   | diff %t.large -
// RUN: env NOOPT=1 tg-run %s --entry large --print --print-inputs --device=CPU \
// RUN:   | diff %t.large -
// RUN: tg-run %s --entry large --print --print-inputs --device=SIM \
// RUN:   | diff %t.large -
// RUN: env NOOPT=1 tg-run %s --entry large --print --print-inputs --device=SIM \
// RUN:   | diff %t.large -

// One kernel overwrites %s, returns what it was and computed from it, and the
// sum of each row. The store of the sums, outside of the loop over a row, must
// not split that loop: its second part would read what the first one wrote.

func.func @small(%s: tensor<4x8xf32> {tg.input = dense<1.0> : tensor<4x8xf32>},
    %x: tensor<4x8xf32> {tg.input = dense<5.0> : tensor<4x8xf32>})
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x8xf32>) {
  %r = tg.reduce add %x axes [1] : tensor<4x8xf32> -> tensor<4x1xf32>
  %n = tg.neg %x : tensor<4x8xf32>
  %a = tg.assign %s, %n : tensor<4x8xf32>
  %m = tg.mul %x, %s : tensor<4x8xf32>
  %e = tg.exp2 %s : tensor<4x8xf32>
  return %e, %m, %r, %s : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x8xf32>
}

func.func @peeled(%s: tensor<64x300xf32> {tg.input = dense<1.0> : tensor<64x300xf32>},
    %x: tensor<64x300xf32> {tg.input = dense<5.0> : tensor<64x300xf32>})
    -> (tensor<64x300xf32>, tensor<64x300xf32>, tensor<64x1xf32>, tensor<64x300xf32>) {
  %r = tg.reduce add %x axes [1] : tensor<64x300xf32> -> tensor<64x1xf32>
  %n = tg.neg %x : tensor<64x300xf32>
  %a = tg.assign %s, %n : tensor<64x300xf32>
  %m = tg.mul %x, %s : tensor<64x300xf32>
  %e = tg.exp2 %s : tensor<64x300xf32>
  return %e, %m, %r, %s : tensor<64x300xf32>, tensor<64x300xf32>, tensor<64x1xf32>, tensor<64x300xf32>
}

func.func @large(%s: tensor<256x1024xf32> {tg.input = dense<1.0> : tensor<256x1024xf32>},
    %x: tensor<256x1024xf32> {tg.input = dense<5.0> : tensor<256x1024xf32>})
    -> (tensor<256x1024xf32>, tensor<256x1024xf32>, tensor<256x1xf32>, tensor<256x1024xf32>) {
  %r = tg.reduce add %x axes [1] : tensor<256x1024xf32> -> tensor<256x1xf32>
  %n = tg.neg %x : tensor<256x1024xf32>
  %a = tg.assign %s, %n : tensor<256x1024xf32>
  %m = tg.mul %x, %s : tensor<256x1024xf32>
  %e = tg.exp2 %s : tensor<256x1024xf32>
  return %e, %m, %r, %s : tensor<256x1024xf32>, tensor<256x1024xf32>, tensor<256x1xf32>, tensor<256x1024xf32>
}
