// RUN: not tg-fuzz --device=CPU %s | FileCheck %s

// Two equal terms of 1e12 cancel: to 0 in the interpreter, compiled code adds the
// three products in another order and may leave a rounding error. With errors,
// log(1) is not 0, so that no run with them has a term of this size.
// CHECK: not comparable
module {
  func.func @main(
      %arg0: tensor<1x2xf64> {tg.input = dense<[[0.9345445144345933, 1.4811214867192741]]> : tensor<1x2xf64>},
      %arg1: tensor<3x2xf64> {tg.input = dense<[[0.3437981625703963, 0.86354924917132525], [0.62904661079587543, -1.260219430237207], [-1.8078997487907484, -1.6789710725174927]]> : tensor<3x2xf64>},
      %arg2: tensor<1x2xf64> {tg.input = dense<0.000000e+00> : tensor<1x2xf64>},
      %arg3: tensor<1x2xf64> {tg.input = dense<1.000000e+00> : tensor<1x2xf64>},
      %arg4: tensor<1x2xf64> {tg.input = dense<1.4426950408889634> : tensor<1x2xf64>},
      %arg5: tensor<1x2xf64> {tg.input = dense<[[1.9448388922525714, 2.2699810969350143]]> : tensor<1x2xf64>},
      %arg6: tensor<3x2xf64> {tg.input = dense<[[1.0205882885705542, -2.1644151840553039], [0.85894783386563844, -0.13251271846266111], [1.6073062027683109, -1.3906347779217192]]> : tensor<3x2xf64>})
      -> tensor<1x2xf64> attributes {check_with_noise = 4059716603090305313 : i64} {
    %0 = tg.log %arg3 : tensor<1x2xf64>
    %1 = tg.cmpne %0, %arg2 : tensor<1x2xf64>
    %2 = tg.cast %1 : tensor<1x2xi1> -> tensor<1x2xf64>
    %3 = tg.const(9.9999999999999998E-13 : f64) : tensor<1x2xf64>
    %4 = tg.max %2, %3 : tensor<1x2xf64>
    %5 = tg.fdiv %arg0, %4 : tensor<1x2xf64>
    %6 = tg.const(0.69314718055994529 : f64) : tensor<1x2xf64>
    %7 = tg.mul %arg6, %arg1 : tensor<3x2xf64>
    %8 = tg.reduce add %7 axes [0] : tensor<3x2xf64> -> tensor<1x2xf64>
    %9 = tg.fdiv %8, %arg5 : tensor<1x2xf64>
    %10 = tg.mul %9, %arg4 : tensor<1x2xf64>
    %11 = tg.mul %10, %5 : tensor<1x2xf64>
    %12 = tg.mul %11, %6 : tensor<1x2xf64>
    %13 = tg.mul %10, %6 : tensor<1x2xf64>
    %14 = tg.mul %13, %5 : tensor<1x2xf64>
    %15 = tg.neg %14 : tensor<1x2xf64>
    %16 = tg.add %12, %15 : tensor<1x2xf64>
    return %16 : tensor<1x2xf64>
  }
}

