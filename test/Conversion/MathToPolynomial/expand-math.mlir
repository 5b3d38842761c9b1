// RUN: tg-opt %s -tg-expand-math -split-input-file | FileCheck %s

// Two clamps, the rounding to an integer, a polynomial of degree 7, and the
// scale multiplied in twice.

// CHECK-LABEL: func @exp2
// CHECK-SAME: (%[[X:.*]]: vector<16xf32>)
// CHECK: %[[MAX:.*]] = arith.constant dense<1.290000e+02> : vector<16xf32>
// CHECK: %[[OVER:.*]] = arith.cmpf olt, %[[MAX]], %[[X]]
// CHECK: %[[LOW:.*]] = arith.select %[[OVER]], %[[MAX]], %[[X]]
// CHECK: %[[MIN:.*]] = arith.constant dense<-1.510000e+02> : vector<16xf32>
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

// CHECK-LABEL: func @every_function
// CHECK-NOT: math.{{exp2|exp|log2|log|sin|cos|tanh|powf}}
// CHECK-NOT: call
// CHECK: return
func.func @every_function(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  %0 = math.exp2 %x : f32
  %1 = math.exp %x : f32
  %2 = math.log2 %x : f32
  %3 = math.log %x : f32
  %4 = math.sin %x : f32
  %5 = math.cos %x : f32
  %6 = math.tanh %x : f32
  %7 = math.powf %x, %y : f32
  return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, f32, f32, f32, f32, f32, f32
}

// -----

// CHECK-LABEL: func @every_function_on_vectors
// CHECK-NOT: math.{{exp2|exp|log2|log|sin|cos|tanh|powf}}
// CHECK: return
func.func @every_function_on_vectors(%x: vector<8xf32>, %y: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp2 %x : vector<8xf32>
  %1 = math.exp %0 : vector<8xf32>
  %2 = math.log2 %1 : vector<8xf32>
  %3 = math.log %2 : vector<8xf32>
  %4 = math.sin %3 : vector<8xf32>
  %5 = math.cos %4 : vector<8xf32>
  %6 = math.tanh %5 : vector<8xf32>
  %7 = math.powf %6, %y : vector<8xf32>
  return %7 : vector<8xf32>
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

// Vectors of f64 become scalar operations, with their flags.

// CHECK-LABEL: func @f64_vectors
// CHECK-SAME: (%[[X:.*]]: vector<2xf64>, %[[Y:.*]]: vector<1x2xf64>)
// CHECK: %[[X0:.*]] = vector.extract %[[X]][0]
// CHECK: %[[R0:.*]] = math.sin %[[X0]] fastmath<contract> : f64
// CHECK: vector.insert %[[R0]], %{{.*}} [0]
// CHECK: %[[X1:.*]] = vector.extract %[[X]][1]
// CHECK: %[[R1:.*]] = math.sin %[[X1]] fastmath<contract> : f64
// CHECK: vector.insert %[[R1]], %{{.*}} [1]
// CHECK: vector.extract %[[Y]][0, 0]
// CHECK: math.powf %{{.*}}, %{{.*}} : f64
// CHECK: vector.extract %[[Y]][0, 1]
// CHECK: math.powf %{{.*}}, %{{.*}} : f64
// CHECK: vector.insert %{{.*}}, %{{.*}} [0, 1]
func.func @f64_vectors(%x: vector<2xf64>, %y: vector<1x2xf64>) -> (vector<2xf64>, vector<1x2xf64>) {
  %0 = math.sin %x fastmath<contract> : vector<2xf64>
  %1 = math.powf %y, %y : vector<1x2xf64>
  return %0, %1 : vector<2xf64>, vector<1x2xf64>
}

// -----

// What stays: scalar f64, other functions, tensors, scalable vectors, and
// types that are neither narrower than f32 nor f64; vectors of f64 that no
// program can have an operation for each element of.

// CHECK-LABEL: func @unchanged
// CHECK-NEXT: math.exp2 %{{.*}} : f64
// CHECK-NEXT: math.atan %{{.*}} : f32
// CHECK-NEXT: math.sqrt %{{.*}} : f32
// CHECK-NEXT: math.exp2 %{{.*}} : tensor<4xf32>
// CHECK-NEXT: math.sin %{{.*}} : vector<[4]xf32>
// CHECK-NEXT: math.log2 %{{.*}} : vector<[2]xf64>
// CHECK-NEXT: math.powf %{{.*}}, %{{.*}} : f80
// CHECK-NEXT: math.exp2 %{{.*}} : vector<2xf128>
// CHECK-NEXT: math.sin %{{.*}} : vector<2147483647xf64>
// CHECK-NEXT: return
func.func @unchanged(%a: f64, %b: f32, %c: tensor<4xf32>, %d: vector<[4]xf32>,
                     %e: vector<[2]xf64>, %f: f80, %g: vector<2xf128>,
                     %h: vector<2147483647xf64>) {
  %0 = math.exp2 %a : f64
  %1 = math.atan %b : f32
  %2 = math.sqrt %b : f32
  %3 = math.exp2 %c : tensor<4xf32>
  %4 = math.sin %d : vector<[4]xf32>
  %5 = math.log2 %e : vector<[2]xf64>
  %6 = math.powf %f, %f : f80
  %7 = math.exp2 %g : vector<2xf128>
  %8 = math.sin %h : vector<2147483647xf64>
  return
}
