// RUN: tg-opt %s --convert-linalg-to-tg=max-size=4 -o %t
// RUN: tg-run %t --var n=2 --interpret --print | FileCheck %s
// RUN: tg-run %t --var n=2 --print | FileCheck %s
// RUN: tg-run %t --var n=3 --print | FileCheck %s --check-prefix=THREE

// The sums of rows, whose number is known at run time, and that number.

// CHECK: result 0: tensor<2xf32> = [6, 15]
// CHECK-NEXT: result 1: tensor<i64> = 2
// THREE: result 0: tensor<3xf32> = [6, 15, 24]
// THREE-NEXT: result 1: tensor<i64> = 3
!rows = tensor<?x3xf32, #tg.shape<#tg.var<"n", 1, 4>, 3>>
!column = tensor<?xf32, #tg.shape<#tg.var<"n", 1, 4>>>
func.func @main(%x: !rows {tg.input = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [0.0, 0.0, 0.0]]> : tensor<4x3xf32>}) -> (!column, index) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : !rows
  %e = tensor.empty(%n) : !column
  %i = linalg.fill ins(%z : f32) outs(%e : !column) -> !column
  %0 = linalg.reduce {arith.addf} ins(%x : !rows) outs(%i : !column) dimensions = [1]
  return %0, %n : !column, index
}
