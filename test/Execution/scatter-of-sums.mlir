// The lanes of a reduction are not those of the updates that its result makes:
// the steps of such a schedule are admitted.

// RUN: env SPEC=1 tg-run %s --print --device=CPU | FileCheck %s
// RUN: env SPEC=1 tg-run %s --print --device=SIM | FileCheck %s
// RUN: tg-run %s --print --interpret | FileCheck %s
// CHECK: result 0: tensor<3xf32> = [17, 2, 3]
func.func @main(%to: tensor<3xf32> {tg.input = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>}, %at: tensor<2xi32> {tg.input = dense<0> : tensor<2xi32>}, %x: tensor<8xf32> {tg.input = dense<[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 1.0]> : tensor<8xf32>}) -> tensor<3xf32> {
  %0 = tg.reduce mul %x axes [0] : tensor<8xf32> -> tensor<1xf32>
  %1 = tg.expand %0 : tensor<1xf32> -> tensor<2xf32>
  %2 = tg.scatter add %to[%at], %1 axis 0 : tensor<3xf32>, tensor<2xi32>, tensor<2xf32>
  return %2 : tensor<3xf32>
}
