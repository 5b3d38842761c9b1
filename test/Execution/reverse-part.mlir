// RUN: tg-run %s --interpret --print | FileCheck %s
// RUN: tg-run %s --print | FileCheck %s

// The lanes of one register, reversed, of which not all are stored: LLVM does
// not come to an end where it finds out which.
func.func @main(%x: tensor<34xi8> {tg.input = dense<[0, 1, 2, 3, 4, 5, 6, 7, 8,
      9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
      28, 29, 30, 31, 32, 33]> : tensor<34xi8>}) -> tensor<34xi8> {
  %0 = tg.neg %x : tensor<34xi8>
  %1 = tg.flip %0 axes [0] : tensor<34xi8>
  return %1 : tensor<34xi8>
}

// CHECK: result 0: tensor<34xi8> = [-33, -32, -31,
// CHECK-SAME: -2, -1, 0]
