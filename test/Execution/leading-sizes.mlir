// Inputs of their actual size, which tg-run places before pages that cannot be
// accessed: rows that fill vectors and others, masked, gathered, strided, turned,
// reduced and updated; against the interpreter.

// RUN: tg-run %s --random-inputs --var n=1 --interpret --print --print-inputs > %t.1
// RUN: tg-run %s --random-inputs --var n=1 --print --print-inputs | diff %t.1 -
// RUN: tg-run %s --random-inputs --var n=2 --interpret --print --print-inputs > %t.2
// RUN: tg-run %s --random-inputs --var n=2 --print --print-inputs | diff %t.2 -
// RUN: tg-run %s --random-inputs --var n=7 --interpret --print --print-inputs > %t.7
// RUN: tg-run %s --random-inputs --var n=7 --print --print-inputs | diff %t.7 -
// RUN: env NOOPT=1 tg-run %s --random-inputs --var n=7 --print --print-inputs | diff %t.7 -
// RUN: env SPEC=2 tg-run %s --random-inputs --var n=7 --print --print-inputs | diff %t.7 -
// RUN: env MCPU=x86-64-v2 tg-run %s --device CPU --random-inputs --var n=7 --print --print-inputs | diff %t.7 -
// RUN: tg-run %s --random-inputs --var n=40 --interpret --print --print-inputs > %t.40
// RUN: tg-run %s --random-inputs --var n=40 --print --print-inputs | diff %t.40 -
// RUN: tg-run %s --random-inputs --var n=64 --interpret --print --print-inputs > %t.64
// RUN: tg-run %s --random-inputs --var n=64 --print --print-inputs | diff %t.64 -

// The same as an artifact.
// RUN: tg-compile %s --emit=artifact --target=cpu -o %t.tga
// RUN: tg-run %t.tga --device CPU --random-inputs --var n=7 --print --print-inputs | diff %t.7 -
// RUN: tg-run %t.tga --device CPU --random-inputs --var n=40 --print --print-inputs | diff %t.40 -

// RUN: not tg-run %s --random-inputs --var n=65 2>&1 | FileCheck %s
// CHECK: variable 'n' cannot be 65, which is not in [1, 64]

#n = #tg.var<"n", 1, 64>
!rows = tensor<?x8xi32, #tg.shape<#n, 8>>
!odd = tensor<?x3xi32, #tg.shape<#n, 3>>
!bytes = tensor<?x5xi8, #tg.shape<#n, 5>>

func.func @main(%x: !rows, %w: tensor<64x8xi32>, %o: !odd, %b: !bytes,
                %at: tensor<?xi32, #tg.shape<#n>>, %old: !odd)
    -> (tensor<1x8xi32>, tensor<?x1xi32, #tg.shape<#n, 1>>, !odd,
        tensor<66x3xi32>, tensor<3x?xi32, #tg.shape<3, #n>>, !bytes,
        tensor<8x8xi32>, tensor<?x1xi32, #tg.shape<#n, 1>>, !odd, tensor<1x8xi32>) {
  // A factor that is masked where the other one is.
  %0 = tg.pad %x low [0, 0] high [#tg.dim<64 - #n>, 0] : !rows -> tensor<64x8xi32>
  %1 = tg.mul %0, %w : tensor<64x8xi32>
  %2 = tg.reduce add %1 axes [0] : tensor<64x8xi32> -> tensor<1x8xi32>
  // Sums of rows of 8.
  %3 = tg.reduce add %x axes [1] : !rows -> tensor<?x1xi32, #tg.shape<#n, 1>>
  // Backwards.
  %4 = tg.flip %o axes [0, 1] : !odd
  // Beside zeros, on both sides.
  %5 = tg.pad %o low [1, 0] high [#tg.dim<65 - #n>, 0] : !odd -> tensor<66x3xi32>
  %6 = tg.permute %o [1, 0] : !odd -> tensor<3x?xi32, #tg.shape<3, #n>>
  %7 = tg.add %b, %b : !bytes
  // A product over the rows.
  %8 = tg.reshape %x : !rows -> tensor<?x8x1xi32, #tg.shape<#n, 8, 1>>
  %9 = tg.expand %8 : tensor<?x8x1xi32, #tg.shape<#n, 8, 1>> -> tensor<?x8x8xi32, #tg.shape<#n, 8, 8>>
  %10 = tg.reshape %x : !rows -> tensor<?x1x8xi32, #tg.shape<#n, 1, 8>>
  %11 = tg.expand %10 : tensor<?x1x8xi32, #tg.shape<#n, 1, 8>> -> tensor<?x8x8xi32, #tg.shape<#n, 8, 8>>
  %12 = tg.mul %9, %11 : tensor<?x8x8xi32, #tg.shape<#n, 8, 8>>
  %13 = tg.reduce add %12 axes [0] : tensor<?x8x8xi32, #tg.shape<#n, 8, 8>> -> tensor<1x8x8xi32>
  %14 = tg.reshape %13 : tensor<1x8x8xi32> -> tensor<8x8xi32>
  // Elements at positions that are read, of which most are outside.
  %15 = tg.reshape %at : tensor<?xi32, #tg.shape<#n>> -> tensor<?x1xi32, #tg.shape<#n, 1>>
  %16 = tg.expand %15 : tensor<?x1xi32, #tg.shape<#n, 1>> -> tensor<?x?xi32, #tg.shape<#n, #n>>
  %17 = tg.iota 1 : tensor<?x?xi32, #tg.shape<#n, #n>>
  %18 = tg.cmpeq %16, %17 : tensor<?x?xi32, #tg.shape<#n, #n>>
  %19 = tg.reshape %at : tensor<?xi32, #tg.shape<#n>> -> tensor<1x?xi32, #tg.shape<1, #n>>
  %20 = tg.expand %19 : tensor<1x?xi32, #tg.shape<1, #n>> -> tensor<?x?xi32, #tg.shape<#n, #n>>
  %z = tg.const(0 : i32) : tensor<?x?xi32, #tg.shape<#n, #n>>
  %21 = tg.where %18, %20, %z : tensor<?x?xi32, #tg.shape<#n, #n>>
  %22 = tg.reduce add %21 axes [1] : tensor<?x?xi32, #tg.shape<#n, #n>> -> tensor<?x1xi32, #tg.shape<#n, 1>>
  // In place.
  %23 = tg.add %old, %o : !odd
  %24 = tg.assign %old, %23 : !odd
  // The last row.
  %25 = tg.shrink %x from [#tg.dim<#n - 1>, 0] to [#n, 8] : !rows -> tensor<1x8xi32>
  %26 = tg.neg %25 : tensor<1x8xi32>
  return %2, %3, %4, %5, %6, %7, %14, %22, %24, %26
      : tensor<1x8xi32>, tensor<?x1xi32, #tg.shape<#n, 1>>, !odd,
        tensor<66x3xi32>, tensor<3x?xi32, #tg.shape<3, #n>>, !bytes,
        tensor<8x8xi32>, tensor<?x1xi32, #tg.shape<#n, 1>>, !odd, tensor<1x8xi32>
}
