// RUN: tg-opt %s --convert-linalg-to-tg=max-size=4 -o %t
// RUN: tg-run %t --var arg0_0=3 --random-inputs --interpret --print > %t.interpreted
// RUN: tg-run %t --var arg0_0=3 --random-inputs --print | cmp %t.interpreted -
// RUN: FileCheck %s < %t.interpreted

// Every other element of a row of any length.
// CHECK: result 0: tensor<2xf32> =
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = affine.apply affine_map<(d0) -> ((d0 + 1) floordiv 2)>(%n)
  %e = tensor.empty(%m) : tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 * 2)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %in : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
