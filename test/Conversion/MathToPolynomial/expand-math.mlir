// RUN: tg-opt %s -tg-expand-math -split-input-file | FileCheck %s

// Two clamps, the rounding to an integer, a polynomial of degree 7, and the
// scale multiplied in twice.

// CHECK-LABEL: func @exp2
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK: %[[MAX:.*]] = arith.constant dense<1.290000e+02> : vector<16xf32>
// CHECK: %[[OVER:.*]] = arith.cmpf olt, %[[MAX]], %[[X]]
// CHECK: %[[LOW:.*]] = arith.select %[[OVER]], %[[MAX]], %[[X]]
// CHECK: %[[MIN:.*]] = arith.constant dense<-2.540000e+02> : vector<16xf32>
// CHECK: arith.cmpf ogt, %[[MIN]], %[[LOW]]
// CHECK: arith.select
// CHECK: %[[BIASED:.*]] = math.fma
// CHECK: arith.subf %[[BIASED]]
// CHECK-COUNT-8: math.fma
// CHECK-NOT: math.fma
// CHECK: %[[SCALE:.*]] = arith.bitcast {{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: %[[ONCE:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
// CHECK: %[[RESULT:.*]] = arith.mulf %[[ONCE]], %[[SCALE]]
// CHECK: return %[[RESULT]]
func.func @exp2(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp2 %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// No clamps of an argument that is known to be from -87 to 88, and its power of
// two is one factor: -40 to 87, as the part below -87 is raised.

// CHECK-LABEL: func @exp_of_bounded
// CHECK-COUNT-3: arith.select
// CHECK-NOT: arith.select
// CHECK: math.fma
// CHECK-NOT: arith.shrui
// CHECK-COUNT-1: arith.shli
// CHECK-NOT: arith.shli
// CHECK: return
func.func @exp_of_bounded(%x: vector<16xf32>) -> vector<16xf32> {
  %least = arith.constant dense<-1.100000e+02> : vector<16xf32>
  %most = arith.constant dense<4.000000e+01> : vector<16xf32>
  %low = arith.constant dense<-8.700000e+01> : vector<16xf32>
  %step = arith.constant dense<2.300000e+01> : vector<16xf32>
  %isBelow = arith.cmpf olt, %x, %least : vector<16xf32>
  %0 = arith.select %isBelow, %least, %x : vector<16xi1>, vector<16xf32>
  %isAbove = arith.cmpf ogt, %0, %most : vector<16xf32>
  %1 = arith.select %isAbove, %most, %0 : vector<16xi1>, vector<16xf32>
  %isLow = arith.cmpf olt, %1, %low : vector<16xf32>
  %2 = arith.addf %1, %step : vector<16xf32>
  %3 = arith.select %isLow, %2, %1 : vector<16xi1>, vector<16xf32>
  %4 = arith.negf %3 : vector<16xf32>
  %5 = math.exp %4 : vector<16xf32>
  return %5 : vector<16xf32>
}

// -----

// Bounds on one side, and a product that may overflow in between.

// CHECK-LABEL: func @exp_of_unbounded
// CHECK-COUNT-2: arith.shli
// CHECK-COUNT-2: arith.shli
// CHECK: return
func.func @exp_of_unbounded(%x: f32) -> (f32, f32) {
  %least = arith.constant -4.000000e+01 : f32
  %most = arith.constant 4.000000e+01 : f32
  %large = arith.constant 1.000000e+38 : f32
  %small = arith.constant 1.000000e-38 : f32
  %isBelow = arith.cmpf olt, %x, %least : f32
  %0 = arith.select %isBelow, %least, %x : f32
  %1 = math.exp %0 : f32
  %isAbove = arith.cmpf ogt, %0, %most : f32
  %2 = arith.select %isAbove, %most, %0 : f32
  %3 = arith.mulf %2, %large : f32
  %4 = arith.mulf %3, %small : f32
  %5 = math.exp %4 : f32
  return %1, %5 : f32, f32
}

// -----

// CHECK-LABEL: func @every_function
// CHECK-NOT: math.{{exp2|exp|expm1|log2|log|log1p|sin|cos|tan|asin|acos|atan|tanh|erf|powf}}
// CHECK-NOT: call
// CHECK: return
func.func @every_function(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = math.exp2 %x : f32
  %1 = math.exp %x : f32
  %2 = math.expm1 %x : f32
  %3 = math.log2 %x : f32
  %4 = math.log %x : f32
  %5 = math.log1p %x : f32
  %6 = math.sin %x : f32
  %7 = math.cos %x : f32
  %8 = math.tan %x : f32
  %9 = math.asin %x : f32
  %10 = math.acos %x : f32
  %11 = math.atan %x : f32
  %12 = math.tanh %x : f32
  %13 = math.erf %x : f32
  %14 = math.powf %x, %y : f32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
}

// -----

// CHECK-LABEL: func @every_function_on_vectors
// CHECK-NOT: math.{{exp2|exp|expm1|log2|log|log1p|sin|cos|tan|asin|acos|atan|tanh|erf|powf}}
// CHECK: return
func.func @every_function_on_vectors(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp2 %x : vector<8xf32>
  %1 = math.exp %0 : vector<8xf32>
  %2 = math.expm1 %1 : vector<8xf32>
  %3 = math.log2 %2 : vector<8xf32>
  %4 = math.log %3 : vector<8xf32>
  %5 = math.log1p %4 : vector<8xf32>
  %6 = math.sin %5 : vector<8xf32>
  %7 = math.cos %6 : vector<8xf32>
  %8 = math.tan %7 : vector<8xf32>
  %9 = math.asin %8 : vector<8xf32>
  %10 = math.acos %9 : vector<8xf32>
  %11 = math.atan %10 : vector<8xf32>
  %12 = math.tanh %11 : vector<8xf32>
  %13 = math.erf %12 : vector<8xf32>
  %14 = math.powf %13, %y : vector<8xf32>
  return %14 : vector<8xf32>
}

// -----

// Large arguments take the branch when any lane has one.

// CHECK-LABEL: func @sin_rank2
// CHECK: %[[LARGE:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} : vector<2x4xf32>
// CHECK: %[[FLAT:.*]] = vector.shape_cast %[[LARGE]] : vector<2x4xi1> to vector<8xi1>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[FLAT]] : vector<8xi1> into i1
// CHECK: scf.if %[[ANY]] -> (vector<2x4xf32>, vector<2x4xi32>)
func.func @sin_rank2(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  %0 = math.sin %x : vector<2x4xf32>
  return %0 : vector<2x4xf32>
}

// -----

// CHECK-LABEL: func @sin_scalar
// CHECK-NOT: vector.
// CHECK: %[[LARGE:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} : f32
// CHECK: scf.if %[[LARGE]] -> (f32, i32)
// CHECK-NOT: vector.
// CHECK: return
func.func @sin_scalar(%x: f32) -> f32 {
  %0 = math.sin %x : f32
  return %0 : f32
}

// -----

// exp leaves the range of powers of two: its power is two factors.

// CHECK-LABEL: func @exp
// CHECK-COUNT-9: math.fma
// CHECK-NOT: math.fma
// CHECK: %[[HALF:.*]] = arith.shrui %[[BIASED:.*]], %{{.*}} : vector<16xi32>
// CHECK: %[[FIRST:.*]] = arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: %[[ONCE:.*]] = arith.mulf %{{.*}}, %[[FIRST]]
// CHECK: arith.subi %[[BIASED]], %[[HALF]]
// CHECK: %[[SECOND:.*]] = arith.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
// CHECK: %[[RESULT:.*]] = arith.mulf %[[ONCE]], %[[SECOND]]
// CHECK: return %[[RESULT]]
func.func @exp(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.exp %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// Of -|y|, which sigmoids take it of, there is a sign to set and no upper bound.

// CHECK-LABEL: func @exp_of_minus_abs
// CHECK-SAME: (%[[Y:.*]]: vector<16xf32>)
// CHECK: %[[BITS:.*]] = arith.bitcast %[[Y]]
// CHECK: %[[SET:.*]] = arith.ori %[[BITS]]
// CHECK: arith.bitcast %[[SET]]
// CHECK: arith.cmpf ogt
// CHECK-NOT: arith.cmpf
// CHECK: return
func.func @exp_of_minus_abs(%y: vector<16xf32>) -> vector<16xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = vector.broadcast %zero : f32 to vector<16xf32>
  %below = arith.cmpf olt, %y, %zeros : vector<16xf32>
  %minus = arith.negf %y : vector<16xf32>
  %0 = arith.select %below, %y, %minus : vector<16xi1>, vector<16xf32>
  %1 = math.exp %0 : vector<16xf32>
  return %1 : vector<16xf32>
}

// -----

// |y| is not that, nor is a choice by another number.

// CHECK-LABEL: func @exp_of_other_choices
// CHECK: arith.select
// CHECK: arith.select
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf olt
// CHECK: arith.cmpf ogt
// CHECK: return
func.func @exp_of_other_choices(%y: f32, %z: f32) -> (f32, f32) {
  %zero = arith.constant 0.0 : f32
  %below = arith.cmpf olt, %y, %zero : f32
  %other = arith.cmpf olt, %z, %zero : f32
  %minus = arith.negf %y : f32
  %0 = arith.select %below, %minus, %y : f32
  %1 = arith.select %other, %y, %minus : f32
  %2 = math.exp2 %0 : f32
  %3 = math.exp2 %1 : f32
  return %2, %3 : f32, f32
}

// -----

// log1p gets its fraction of x itself, not of the rounded 1 + x.

// CHECK-LABEL: func @log1p
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK: %[[SUM:.*]] = arith.addf %[[X]]
// CHECK: arith.bitcast %[[SUM]]
// CHECK: %[[SCALE:.*]] = arith.mulf
// CHECK: %[[REST:.*]] = arith.subf %[[SCALE]]
// CHECK: math.fma %[[X]], %[[SCALE]], %[[REST]]
func.func @log1p(%x: vector<16xf32>) -> vector<16xf32> {
  %0 = math.log1p %x : vector<16xf32>
  return %0 : vector<16xf32>
}

// -----

// tan keeps what is left of its argument in f64 and has one quotient.

// CHECK-LABEL: func @tan
// CHECK: %[[LEFT:.*]]:2 = scf.if %{{.*}} -> (vector<8xf64>, vector<8xi32>)
// CHECK: arith.truncf %[[LEFT]]#0
// CHECK-COUNT-1: arith.divf
// CHECK-NOT: arith.divf
// CHECK: return
func.func @tan(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.tan %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// asin and acos have one polynomial for both parts.

// CHECK-LABEL: func @asin
// CHECK: math.sqrt
// CHECK-COUNT-4: math.fma
// CHECK: return
func.func @asin(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.asin %x : vector<8xf32>
  return %0 : vector<8xf32>
}

// -----

// CHECK-LABEL: func @half
// CHECK: arith.extf %{{.*}} : vector<4xf16> to vector<4xf32>
// CHECK: math.fma {{.*}} : vector<4xf32>
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// CHECK-NOT: math.log2
func.func @half(%x: vector<4xf16>) -> vector<4xf16> {
  %0 = math.log2 %x : vector<4xf16>
  return %0 : vector<4xf16>
}

// -----

// Conversions from and to bf16 are spelled out: targets without bf16 make calls
// of arith.truncf.

// CHECK-LABEL: func @brain
// CHECK: arith.bitcast %{{.*}} : vector<4xbf16> to vector<4xi16>
// CHECK: arith.extui
// CHECK: math.fma {{.*}} : vector<4xf32>
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci %{{.*}} : vector<4xi32> to vector<4xi16>
// CHECK: arith.bitcast %{{.*}} : vector<4xi16> to vector<4xbf16>
func.func @brain(%x: vector<4xbf16>) -> vector<4xbf16> {
  %0 = math.exp2 %x : vector<4xbf16>
  return %0 : vector<4xbf16>
}

// -----

// In f64, the elements of 2^40 and more are reduced one by one, with wide
// integers.

// CHECK-LABEL: func @wide_sin
// CHECK: %[[HUGE:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} : vector<2x4xf64>
// CHECK: %[[FLAT:.*]] = vector.shape_cast %[[HUGE]] : vector<2x4xi1> to vector<8xi1>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[FLAT]] : vector<8xi1> into i1
// CHECK: scf.if %[[ANY]] -> (vector<2x4xf64>, vector<2x4xf64>, vector<2x4xi64>)
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args
// CHECK: %[[X:.*]] = vector.extract %{{.*}}[%[[I]]] : f64 from vector<8xf64>
// CHECK: %[[LARGE:.*]] = arith.cmpf oge, %[[X]], %{{.*}} : f64
// CHECK: scf.if %[[LARGE]] -> (vector<8xf64>, vector<8xf64>, vector<8xi64>)
// CHECK: arith.muli %{{.*}}, %{{.*}} : i256
// CHECK-COUNT-3: vector.insert {{.*}} [%[[I]]]
// CHECK: } else {
// CHECK-NOT: arith
// CHECK: } else {
// CHECK-NOT: arith
// CHECK: }
// CHECK: return
func.func @wide_sin(%x: vector<2x4xf64>) -> vector<2x4xf64> {
  %0 = math.sin %x : vector<2x4xf64>
  return %0 : vector<2x4xf64>
}

// -----

// CHECK-LABEL: func @wide_sin_scalar
// CHECK-NOT: vector.
// CHECK: %[[HUGE:.*]] = arith.cmpf oge, %{{.*}}, %{{.*}} : f64
// CHECK: scf.if %[[HUGE]] -> (f64, f64, i64)
// CHECK-NOT: scf.{{for|if}}
// CHECK-NOT: vector.
// CHECK: return
func.func @wide_sin_scalar(%x: f64) -> f64 {
  %0 = math.sin %x : f64
  return %0 : f64
}

// -----

// All functions are inline in f64, too: upstream's expm1 and log1p lose the
// digits of small arguments, its conversion to LLVM has no erf, and calls are slow.

// CHECK-LABEL: func @wide
// CHECK-NOT: math.{{exp|log|erf|tanh|a?(sin|cos|tan) |pow}}
// CHECK: return
func.func @wide(%x: vector<8xf64>, %y: f64) -> (vector<8xf64>, f64) {
  %0 = math.exp %x : vector<8xf64>
  %1 = math.expm1 %0 : vector<8xf64>
  %2 = math.log %1 : vector<8xf64>
  %3 = math.log1p %2 : vector<8xf64>
  %4 = math.expm1 %y : f64
  %5 = math.log1p %4 : f64
  %6 = math.erf %5 : f64
  %7 = math.exp2 %3 : vector<8xf64>
  %8 = math.log2 %7 : vector<8xf64>
  %9 = math.tanh %8 : vector<8xf64>
  %10 = math.asin %9 : vector<8xf64>
  %11 = math.acos %10 : vector<8xf64>
  %12 = math.atan %11 : vector<8xf64>
  %13 = math.sin %12 : vector<8xf64>
  %14 = math.cos %13 : vector<8xf64>
  %15 = math.tan %14 : vector<8xf64>
  %16 = math.powf %15, %x : vector<8xf64>
  %17 = math.powf %6, %y : f64
  return %16, %17 : vector<8xf64>, f64
}

// -----

// What stays: other functions, tensors, scalable vectors, and types that are
// neither narrower than f32 nor f64.

// CHECK-LABEL: func @unchanged
// CHECK-NEXT: math.cbrt %{{.*}} : f32
// CHECK-NEXT: math.sqrt %{{.*}} : f32
// CHECK-NEXT: math.exp2 %{{.*}} : tensor<4xf32>
// CHECK-NEXT: math.sin %{{.*}} : vector<[4]xf32>
// CHECK-NEXT: math.log2 %{{.*}} : vector<[2]xf64>
// CHECK-NEXT: math.powf %{{.*}}, %{{.*}} : f80
// CHECK-NEXT: math.exp2 %{{.*}} : vector<2xf128>
// CHECK-NEXT: return
func.func @unchanged(%a: f32, %b: tensor<4xf32>, %c: vector<[4]xf32>,
                     %d: vector<[2]xf64>, %e: f80, %f: vector<2xf128>) {
  %0 = math.cbrt %a : f32
  %1 = math.sqrt %a : f32
  %2 = math.exp2 %b : tensor<4xf32>
  %3 = math.sin %c : vector<[4]xf32>
  %4 = math.log2 %d : vector<[2]xf64>
  %5 = math.powf %e, %e : f80
  %6 = math.exp2 %f : vector<2xf128>
  return
}
