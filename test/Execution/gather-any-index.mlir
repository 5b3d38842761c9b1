// An index that is read from memory may be any number of 64 bits; the greatest
// and the least select nothing.

// RUN: tg-run %s | FileCheck %s
// RUN: tg-run %s --interpret | FileCheck %s
// RUN: env SPEC=2 NOOPT=1 tg-run %s | FileCheck %s
// CHECK: result 0: tensor<4x1xi32> = {{\[}}[0], [2], [0], [6]]

func.func @main(%i: tensor<4xi64> {tg.input = dense<[-9223372036854775808, 1, 9223372036854775807, 5]> : tensor<4xi64>}, %t: tensor<6xi32> {tg.input = dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>}) -> tensor<4x1xi32> {
  %0 = tg.reshape %i : tensor<4xi64> -> tensor<4x1xi64>
  %1 = tg.expand %0 : tensor<4x1xi64> -> tensor<4x6xi64>
  %2 = tg.iota 1 : tensor<4x6xi64>
  %3 = tg.cmpeq %1, %2 : tensor<4x6xi64>
  %4 = tg.reshape %t : tensor<6xi32> -> tensor<1x6xi32>
  %5 = tg.expand %4 : tensor<1x6xi32> -> tensor<4x6xi32>
  %z = tg.const(0 : i32) : tensor<4x6xi32>
  %6 = tg.where %3, %5, %z : tensor<4x6xi32>
  %7 = tg.reduce add %6 axes [1] : tensor<4x6xi32> -> tensor<4x1xi32>
  return %7 : tensor<4x1xi32>
}
