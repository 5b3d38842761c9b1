// Results that take turns in memory: repeated, from several rows, from a row of
// as many elements as there are turns, with rows of padding, chosen by phase.

// RUN: tg-run %s --random-inputs --interpret --print > %t.expected
// RUN: tg-run %s --random-inputs --print > %t.got
// RUN: diff %t.expected %t.got
// RUN: env SPEC=1 THREADS=2 tg-run %s --random-inputs --print > %t.got
// RUN: diff %t.expected %t.got

func.func @main(%x: tensor<3x29xf32>, %y: tensor<3x4x31xi16>, %z: tensor<4xi16>, %u: tensor<3x28xf64>, %v: tensor<3x28xf64>)
    -> (tensor<3x31x2xf32>, tensor<3x31x4xi16>, tensor<3x2x28x2xf64>, tensor<3x61xf32>) {
  // Repeated, with a row of zeros at each end.
  %p = tg.pad %x low [0, 1] high [0, 1] : tensor<3x29xf32> -> tensor<3x31xf32>
  %p1 = tg.reshape %p : tensor<3x31xf32> -> tensor<3x31x1xf32>
  %repeated = tg.expand %p1 : tensor<3x31x1xf32> -> tensor<3x31x2xf32>
  // Four rows in turns, plus as many numbers.
  %t = tg.permute %y [0, 2, 1] : tensor<3x4x31xi16> -> tensor<3x31x4xi16>
  %z1 = tg.reshape %z : tensor<4xi16> -> tensor<1x1x4xi16>
  %z2 = tg.expand %z1 : tensor<1x1x4xi16> -> tensor<3x31x4xi16>
  %turns = tg.add %t, %z2 : tensor<3x31x4xi16>
  // Two operands by the phase of rows and columns.
  %u1 = tg.reshape %u : tensor<3x28xf64> -> tensor<3x1x28x1xf64>
  %u2 = tg.expand %u1 : tensor<3x1x28x1xf64> -> tensor<3x2x28x2xf64>
  %v1 = tg.reshape %v : tensor<3x28xf64> -> tensor<3x1x28x1xf64>
  %v2 = tg.expand %v1 : tensor<3x1x28x1xf64> -> tensor<3x2x28x2xf64>
  %zero = tg.const(0 : i32) : tensor<3x2x28x2xi32>
  %i = tg.iota 1 : tensor<3x2x28x2xi32>
  %isEvenRow = tg.cmpeq %i, %zero : tensor<3x2x28x2xi32>
  %j = tg.iota 3 : tensor<3x2x28x2xi32>
  %isEvenColumn = tg.cmpeq %j, %zero : tensor<3x2x28x2xi32>
  %w = tg.where %isEvenColumn, %u2, %v2 : tensor<3x2x28x2xf64>
  %n = tg.neg %u2 : tensor<3x2x28x2xf64>
  %phases = tg.where %isEvenRow, %w, %n : tensor<3x2x28x2xf64>
  // A part that begins within a repetition.
  %flat = tg.reshape %repeated : tensor<3x31x2xf32> -> tensor<3x62xf32>
  %part = tg.shrink %flat from [0, 1] to [3, 62] : tensor<3x62xf32> -> tensor<3x61xf32>
  return %repeated, %turns, %phases, %part : tensor<3x31x2xf32>, tensor<3x31x4xi16>, tensor<3x2x28x2xf64>, tensor<3x61xf32>
}
