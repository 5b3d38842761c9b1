// RUN: tg-fuzz --device=CPU %s | FileCheck %s

// Without a schedule, a masked sum reads other reductions over the same range, whose
// loops must not be narrowed to the positions of its mask.

// CHECK: good
module {
  func.func @main(%arg0: tensor<8x2x2x1xf64> {tg.input = dense<[[[[1.2893638389000319], [-1.846398924763661]], [[1.4183395427232304], [0.98536064037810122]]], [[[1.0722740931979344], [1.3522917770584786]], [[-1.4092144632561348], [-1.7460333074530521]]], [[[-0.88833737101096543], [-1.3760391239413106]], [[-0.70279052450332369], [1.4887980246423229]]], [[[-1.2602450621847825], [1.7319538137117103]], [[-0.98808653151907055], [0.31553105582698038]]], [[[-0.97473711321702394], [-0.47402143386369389]], [[1.1174256357961654], [1.1419819151275736]]], [[[-1.294620201091317], [0.082475003335219288]], [[1.7440351608217575], [0.1198448051893668]]], [[[-0.98261645991922597], [-1.6301919732632637]], [[-1.9470952516311604], [-0.30289264258998161]]], [[[-0.0059293125758483889], [-0.74867601550505469]], [[1.0074952773953481], [-0.23918693512450639]]]]> : tensor<8x2x2x1xf64>}) -> tensor<8x2x2x1xf64> attributes {check_with_noise = 218324850317498968 : i64} {
    %0 = tg.const(0 : i32) : tensor<8x2x2x1xi32>
    %1 = tg.iota 2 : tensor<8x2x2x1xi32>
    %2 = tg.const(-1 : i32) : tensor<8x2x2x1xi32>
    %3 = tg.add %1, %2 : tensor<8x2x2x1xi32>
    %4 = tg.cmplt %0, %3 : tensor<8x2x2x1xi32>
    %5 = tg.const(true) : tensor<8x2x2x1xi1>
    %6 = tg.xor %4, %5 : tensor<8x2x2x1xi1>
    %7 = tg.neg %arg0 : tensor<8x2x2x1xf64>
    %8 = tg.const(0.000000e+00 : f64) : tensor<8x2x2x1xf64>
    %9 = tg.where %6, %7, %8 : tensor<8x2x2x1xf64>
    %10 = tg.neg %9 : tensor<8x2x2x1xf64>
    %11 = tg.reduce max %10 axes [2] : tensor<8x2x2x1xf64> -> tensor<8x2x1x1xf64>
    %12 = tg.expand %11 : tensor<8x2x1x1xf64> -> tensor<8x2x2x1xf64>
    %13 = tg.sub %10, %12 : tensor<8x2x2x1xf64>
    %14 = tg.const(1.4426950408889634 : f64) : tensor<8x2x2x1xf64>
    %15 = tg.mul %13, %14 : tensor<8x2x2x1xf64>
    %16 = tg.exp2 %15 : tensor<8x2x2x1xf64>
    %17 = tg.reduce add %16 axes [2] : tensor<8x2x2x1xf64> -> tensor<8x2x1x1xf64>
    %18 = tg.recip %17 : tensor<8x2x1x1xf64>
    %19 = tg.expand %18 : tensor<8x2x1x1xf64> -> tensor<8x2x2x1xf64>
    %20 = tg.mul %16, %19 : tensor<8x2x2x1xf64>
    %21 = tg.pad %20 low [0, 0, 1, 0] high [0, 0, 1, 0] : tensor<8x2x2x1xf64> -> tensor<8x2x4x1xf64>
    %22 = tg.reshape %21 : tensor<8x2x4x1xf64> -> tensor<8x2x2x2x1x1xf64>
    %23 = tg.permute %22 [0, 1, 2, 4, 3, 5] : tensor<8x2x2x2x1x1xf64> -> tensor<8x2x2x1x2x1xf64>
    %24 = tg.reduce add %23 axes [4] : tensor<8x2x2x1x2x1xf64> -> tensor<8x2x2x1x1x1xf64>
    %25 = tg.reshape %24 : tensor<8x2x2x1x1x1xf64> -> tensor<8x2x2x1xf64>
    %26 = tg.const(2.000000e+00 : f64) : tensor<8x2x2x1xf64>
    %27 = tg.fdiv %25, %26 : tensor<8x2x2x1xf64>
    %28 = tg.cmplt %27, %8 : tensor<8x2x2x1xf64>
    %29 = tg.const(-1.000000e+00 : f64) : tensor<8x2x2x1xf64>
    %30 = tg.cmplt %8, %27 : tensor<8x2x2x1xf64>
    %31 = tg.const(1.000000e+00 : f64) : tensor<8x2x2x1xf64>
    %32 = tg.trunc %27 : tensor<8x2x2x1xf64>
    %33 = tg.where %30, %31, %32 : tensor<8x2x2x1xf64>
    %34 = tg.where %28, %29, %33 : tensor<8x2x2x1xf64>
    return %34 : tensor<8x2x2x1xf64>
  }
}

