// RUN: tg-opt %s --tg-name-sizes="sizes=arg0:0=n[1,4]" --convert-linalg-to-tg -o %t
// RUN: tg-run %t --var n=2 --interpret --print | FileCheck %s
// RUN: tg-run %t --var n=2 --print | FileCheck %s
// RUN: tg-run %t --var n=3 --print | FileCheck %s --check-prefix=THREE
// RUN: not tg-run %t --var n=5 --print 2>&1 | FileCheck %s --check-prefix=BOUNDS

// A function of unknown sizes, run for sizes between the bounds that it is
// given.

// CHECK: result 0: tensor<2xf32> = [16, 45]
// THREE: result 0: tensor<3xf32> = [16, 45, 54]
// BOUNDS: error: variable 'n' cannot be 5, which is not in [1, 4]
func.func @main(
    %x: tensor<?x3xf32> {tg.input = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [0.0, 0.0, 0.0]]> : tensor<4x3xf32>},
    %y: tensor<?xf32> {tg.input = dense<[10.0, 30.0, 30.0, 0.0]> : tensor<4xf32>})
    -> tensor<?xf32> {
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<?x3xf32>) outs(%y : tensor<?xf32>) dimensions = [1]
  return %0 : tensor<?xf32>
}
