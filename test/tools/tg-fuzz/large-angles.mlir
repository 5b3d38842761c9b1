// RUN: not tg-fuzz --device=CPU %s | FileCheck %s
// RUN: sed 's/3.0e+09/30.0/' %s > %t.small.mlir
// RUN: tg-fuzz --device=CPU %t.small.mlir | FileCheck %s --check-prefix=SMALL

// Rounding errors turn an angle of 3e9 by a part of a circle or more: its sine is
// any number in compiled code, and decides which element is the largest.
// CHECK: not comparable
// SMALL: good
module {
  func.func @main(
      %arg0: tensor<3xf32> {tg.input = dense<[3.0e+09, 0.5, 0.25]> : tensor<3xf32>},
      %arg1: tensor<3xf32> {tg.input = dense<[1.1, 1.2, 1.3]> : tensor<3xf32>})
      -> tensor<3xf32> attributes {check_with_noise = 3 : i64} {
    %0 = tg.mul %arg0, %arg1 : tensor<3xf32>
    %1 = tg.sin %0 : tensor<3xf32>
    %2 = tg.reduce max %1 axes [0] : tensor<3xf32> -> tensor<1xf32>
    %3 = tg.expand %2 : tensor<1xf32> -> tensor<3xf32>
    %4 = tg.cmpeq %1, %3 : tensor<3xf32>
    %5 = tg.cast %4 : tensor<3xi1> -> tensor<3xf32>
    return %5 : tensor<3xf32>
  }
}
