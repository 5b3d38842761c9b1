// RUN: tg-run %s --print | FileCheck %s --implicit-check-not=", 0"

// The last of 17 lanes of narrow elements is stored alone; what follows it in
// memory stays as it is (the elements of the next row, written before).
func.func @main(
    %x: tensor<17x32xf32> {tg.input = dense<1.0> : tensor<17x32xf32>})
    -> tensor<32x17xf8E5M2FNUZ> {
  %0 = tg.cast %x : tensor<17x32xf32> -> tensor<17x32xf8E5M2FNUZ>
  %1 = tg.permute %0 [1, 0]
      : tensor<17x32xf8E5M2FNUZ> -> tensor<32x17xf8E5M2FNUZ>
  return %1 : tensor<32x17xf8E5M2FNUZ>
}

// CHECK: result 0: tensor<32x17xf8E5M2FNUZ> = {{\[\[}}1, 1, 1
