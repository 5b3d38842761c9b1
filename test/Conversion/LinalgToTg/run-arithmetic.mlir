// RUN: tg-opt %s --convert-linalg-to-tg -o %t
// RUN: tg-run %t --interpret --print | FileCheck %s
// RUN: tg-run %t --print | FileCheck %s

// How operations read integers, what they do with NaN, and how they round.

#id = affine_map<(d0) -> (d0)>
func.func @main(
    %a: tensor<4xi8> {tg.input = dense<[-128, -7, 7, 100]> : tensor<4xi8>},
    %b: tensor<4xi8> {tg.input = dense<[3, 2, -2, -1]> : tensor<4xi8>},
    %p: tensor<4xi1> {tg.input = dense<[false, false, true, true]> : tensor<4xi1>},
    %q: tensor<4xi1> {tg.input = dense<[false, true, false, true]> : tensor<4xi1>},
    %x: tensor<6xf32> {tg.input = dense<[2.5, -2.5, 3.5, -0.5, 0.7, 0x7F800000]> : tensor<6xf32>},
    %y: tensor<4xf32> {tg.input = dense<[1.0, 0x7FC00000, -3.0, 0x7FC00000]> : tensor<4xf32>},
    %z: tensor<4xf32> {tg.input = dense<[2.0, 5.0, 0x7FC00000, 0x7FC00000]> : tensor<4xf32>})
    -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xi32>, tensor<4xi1>,
        tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: result 0: tensor<4xi8> = [-42, -3, -3, -100]
  %0 = arith.divsi %a, %b : tensor<4xi8>
  // -128 is 128, and -2 is 254.
  // CHECK-NEXT: result 1: tensor<4xi8> = [42, 124, 0, 0]
  %1 = arith.divui %a, %b : tensor<4xi8>
  // CHECK-NEXT: result 2: tensor<4xi8> = [-43, -4, -4, -100]
  %2 = arith.floordivsi %a, %b : tensor<4xi8>
  // CHECK-NEXT: result 3: tensor<4xi8> = [-42, -3, -3, -100]
  %3 = arith.ceildivsi %a, %b : tensor<4xi8>
  // CHECK-NEXT: result 4: tensor<4xi8> = [-128, -7, -2, -1]
  %4 = arith.maxui %a, %b : tensor<4xi8>
  // CHECK-NEXT: result 5: tensor<4xi1> = [false, false, true, true]
  %5 = arith.cmpi ult, %a, %b : tensor<4xi8>
  // CHECK-NEXT: result 6: tensor<4xi8> = [16, 62, 3, 12]
  %c = arith.constant dense<[3, 2, 1, 3]> : tensor<4xi8>
  %6 = arith.shrui %a, %c : tensor<4xi8>
  // CHECK-NEXT: result 7: tensor<4xi32> = [128, 249, 7, 100]
  %7 = arith.extui %a : tensor<4xi8> to tensor<4xi32>
  // CHECK-NEXT: result 8: tensor<4xi32> = [-128, -7, 7, 100]
  %8 = arith.extsi %a : tensor<4xi8> to tensor<4xi32>
  // CHECK-NEXT: result 9: tensor<4xf32> = [128, 249, 7, 100]
  %9 = arith.uitofp %a : tensor<4xi8> to tensor<4xf32>
  // CHECK-NEXT: result 10: tensor<4xf32> = [-128, -7, 7, 100]
  %10 = arith.sitofp %a : tensor<4xi8> to tensor<4xf32>
  // One bit: a sum wraps, and true is -1 where it is signed.
  // CHECK-NEXT: result 11: tensor<4xi1> = [false, true, true, false]
  %11 = arith.addi %p, %q : tensor<4xi1>
  // CHECK-NEXT: result 12: tensor<4xi1> = [false, false, false, true]
  %12 = arith.maxsi %p, %q : tensor<4xi1>
  // CHECK-NEXT: result 13: tensor<4xi1> = [false, false, true, false]
  %13 = arith.cmpi slt, %p, %q : tensor<4xi1>
  // CHECK-NEXT: result 14: tensor<4xf32> = [0, 0, -1, -1]
  %14 = arith.sitofp %p : tensor<4xi1> to tensor<4xf32>
  // CHECK-NEXT: result 15: tensor<4xi32> = [0, 0, -1, -1]
  %15 = arith.extsi %p : tensor<4xi1> to tensor<4xi32>
  // The low bit.
  // CHECK-NEXT: result 16: tensor<4xi1> = [false, true, true, false]
  %16 = arith.trunci %a : tensor<4xi8> to tensor<4xi1>
  // CHECK-NEXT: result 17: tensor<6xf32> = [2, -3, 3, -1, 0, inf]
  %17 = math.floor %x : tensor<6xf32>
  // CHECK-NEXT: result 18: tensor<6xf32> = [3, -2, 4, -0, 1, inf]
  %18 = math.ceil %x : tensor<6xf32>
  // CHECK-NEXT: result 19: tensor<6xf32> = [3, -3, 4, -1, 1, inf]
  %19 = math.round %x : tensor<6xf32>
  // CHECK-NEXT: result 20: tensor<6xf32> = [2, -2, 4, -0, 1, inf]
  %20 = math.roundeven %x : tensor<6xf32>
  // CHECK-NEXT: result 21: tensor<6xf32> = [2.5, 2.5, 3.5, 0.5, 0.7, inf]
  %21 = math.absf %x : tensor<6xf32>
  // CHECK-NEXT: result 22: tensor<4xf32> = [2, nan, nan, nan]
  %22 = arith.maximumf %y, %z : tensor<4xf32>
  // CHECK-NEXT: result 23: tensor<4xf32> = [2, 5, -3, nan]
  %23 = arith.maxnumf %y, %z : tensor<4xf32>
  // CHECK-NEXT: result 24: tensor<4xf32> = [1, 5, -3, nan]
  %24 = arith.minnumf %y, %z : tensor<4xf32>
  // CHECK-NEXT: result 25: tensor<4xi1> = [true, true, true, true]
  %25 = arith.cmpf ult, %y, %z : tensor<4xf32>
  // CHECK-NEXT: result 26: tensor<4xi1> = [true, false, false, false]
  %26 = arith.cmpf one, %y, %z : tensor<4xf32>
  // CHECK-NEXT: result 27: tensor<4xi1> = [true, false, false, false]
  %27 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
      ins(%y, %z : tensor<4xf32>, tensor<4xf32>) outs(%p : tensor<4xi1>) {
  ^bb0(%l: f32, %r: f32, %out: i1):
    %o = arith.cmpf ord, %l, %r : f32
    linalg.yield %o : i1
  } -> tensor<4xi1>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27
      : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>,
        tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xi32>, tensor<4xi1>,
        tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>,
        tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
