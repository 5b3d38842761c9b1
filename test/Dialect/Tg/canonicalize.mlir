// Algebra: identities, constants, casts, where, comparisons. Movement and
// reduce are in canonicalize-movement.mlir.

// RUN: tg-opt -canonicalize -split-input-file %s | FileCheck %s

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @int_identities
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>, %[[Y:[a-z0-9]+]]: tensor<4xi32>
func.func @int_identities(%x: tensor<4xi32>, %y: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %zero = tg.const(0 : i32) : tensor<4xi32>
  %one = tg.const(1 : i32) : tensor<4xi32>
  %m1 = tg.const(-1 : i32) : tensor<4xi32>
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : i32)
  %0 = tg.add %zero, %x : tensor<4xi32>
  %1 = tg.mul %one, %x : tensor<4xi32>
  %2 = tg.sub %x, %zero : tensor<4xi32>
  %3 = tg.sub %x, %x : tensor<4xi32>
  %4 = tg.mul %x, %zero : tensor<4xi32>
  %5 = tg.neg %x : tensor<4xi32>
  %6 = tg.neg %5 : tensor<4xi32>
  %7 = tg.sub %x, %y : tensor<4xi32>
  %8 = tg.add %7, %y : tensor<4xi32>
  %9 = tg.add %y, %x : tensor<4xi32>
  %10 = tg.sub %9, %y : tensor<4xi32>
  %11 = tg.and %x, %m1 : tensor<4xi32>
  %12 = tg.or %x, %zero : tensor<4xi32>
  %13 = tg.xor %x, %x : tensor<4xi32>
  %14 = tg.max %x, %x : tensor<4xi32>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[ZERO]], %[[ZERO]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[ZERO]]
  return %0, %1, %2, %3, %4, %6, %8, %10, %11, %12, %13 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// -----

// CHECK-LABEL: func @bit_identities
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xui8>, %[[Y:[a-z0-9]+]]: tensor<4xui8>
func.func @bit_identities(%x: tensor<4xui8>, %y: tensor<4xui8>) -> (tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>) {
  %zero = tg.const(0 : ui8) : tensor<4xui8>
  %ones = tg.const(255 : ui8) : tensor<4xui8>
  %eight = tg.const(8 : ui8) : tensor<4xui8>
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : ui8)
  // CHECK-DAG: %[[ONES:.*]] = tg.const(255 : ui8)
  // CHECK-DAG: %[[AND:.*]] = tg.and %[[X]], %[[Y]]
  // CHECK-DAG: %[[OR:.*]] = tg.or %[[X]], %[[Y]]
  %0 = tg.and %x, %zero : tensor<4xui8>
  %1 = tg.or %x, %ones : tensor<4xui8>
  %2 = tg.and %x, %y : tensor<4xui8>
  %3 = tg.and %x, %2 : tensor<4xui8>
  %4 = tg.or %x, %y : tensor<4xui8>
  %5 = tg.or %4, %y : tensor<4xui8>
  %6 = tg.xor %x, %y : tensor<4xui8>
  %7 = tg.xor %y, %6 : tensor<4xui8>
  %8 = tg.shl %x, %zero : tensor<4xui8>
  %9 = tg.shr %x, %zero : tensor<4xui8>
  %10 = tg.shr %x, %eight : tensor<4xui8>
  %11 = tg.max %x, %zero : tensor<4xui8>
  %12 = tg.max %x, %ones : tensor<4xui8>
  // CHECK: return %[[ZERO]], %[[ONES]], %[[AND]], %[[OR]], %[[X]], %[[X]], %[[ZERO]], %[[X]], %[[ONES]]
  return %0, %1, %3, %5, %7, %8, %10, %11, %12 : tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>
}

// -----

// CHECK-LABEL: func @division_identities
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32
func.func @division_identities(%x: i32, %y: i32) -> (i32, i32, i32, i32, i32, i32, i32, i32) {
  %zero = tg.const(0 : i32) : i32
  %one = tg.const(1 : i32) : i32
  %m1 = tg.const(-1 : i32) : i32
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : i32)
  %0 = tg.idiv %x, %one : i32
  %1 = tg.floordiv %x, %zero : i32
  %2 = tg.idiv %zero, %x : i32
  // CHECK-DAG: %[[NEG:.*]] = tg.neg %[[X]]
  %3 = tg.idiv %x, %m1 : i32
  %4 = tg.mod %x, %one : i32
  %5 = tg.floormod %x, %m1 : i32
  // CHECK-DAG: %[[MOD:.*]] = tg.mod %[[X]], %[[Y]]
  %6 = tg.mod %x, %y : i32
  %7 = tg.mod %6, %y : i32
  %8 = tg.mod %x, %x : i32
  // CHECK: return %[[X]], %[[ZERO]], %[[ZERO]], %[[NEG]], %[[ZERO]], %[[ZERO]], %[[MOD]], %[[ZERO]]
  return %0, %1, %2, %3, %4, %5, %7, %8 : i32, i32, i32, i32, i32, i32, i32, i32
}

// -----

// x / x is 0 for x = 0.
// CHECK-LABEL: func @division_by_itself_stays
func.func @division_by_itself_stays(%x: i32) -> (i32, i32) {
  // CHECK: tg.idiv
  %0 = tg.idiv %x, %x : i32
  // CHECK: tg.floordiv
  %1 = tg.floordiv %x, %x : i32
  return %0, %1 : i32, i32
}

// -----

// An unsigned 255 is not -1.
// CHECK-LABEL: func @unsigned_all_ones_is_not_minus_one
func.func @unsigned_all_ones_is_not_minus_one(%x: ui8) -> (ui8, ui8) {
  %ones = tg.const(255 : ui8) : ui8
  // CHECK: tg.idiv
  %0 = tg.idiv %x, %ones : ui8
  // CHECK: tg.mod
  %1 = tg.mod %x, %ones : ui8
  return %0, %1 : ui8, ui8
}

// -----

// CHECK-LABEL: func @float_identities
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
func.func @float_identities(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = tg.const(0.0 : f32) : tensor<4xf32>
  %nzero = tg.const(-0.0 : f32) : tensor<4xf32>
  %one = tg.const(1.0 : f32) : tensor<4xf32>
  %ninf = tg.const(0xFF800000 : f32) : tensor<4xf32>
  // CHECK-DAG: %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
  // CHECK-DAG: %[[TRUNC:.*]] = tg.trunc %[[X]]
  %0 = tg.add %x, %nzero : tensor<4xf32>
  %1 = tg.sub %x, %zero : tensor<4xf32>
  %2 = tg.mul %x, %one : tensor<4xf32>
  %3 = tg.fdiv %x, %one : tensor<4xf32>
  %4 = tg.max %x, %ninf : tensor<4xf32>
  %5 = tg.pow %x, %one : tensor<4xf32>
  // 1 even for NaN.
  %6 = tg.pow %x, %nzero : tensor<4xf32>
  %7 = tg.pow %one, %x : tensor<4xf32>
  %8 = tg.trunc %x : tensor<4xf32>
  %9 = tg.trunc %8 : tensor<4xf32>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[ONE]], %[[ONE]], %[[TRUNC]]
  return %0, %1, %2, %3, %4, %5, %6, %7, %9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// What holds for integers but not for floats.
// CHECK-LABEL: func @not_for_floats
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
func.func @not_for_floats(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
  // CHECK-DAG: %[[INF:.*]] = tg.const(0x7F800000 : f32)
  %zero = tg.const(0.0 : f32) : tensor<4xf32>
  %nzero = tg.const(-0.0 : f32) : tensor<4xf32>
  %inf = tg.const(0x7F800000 : f32) : tensor<4xf32>
  // -0.0 + 0.0 is 0.0.
  // CHECK: tg.add %[[X]], %[[ZERO]]
  %0 = tg.add %x, %zero : tensor<4xf32>
  // -0.0 - -0.0 is 0.0.
  // CHECK: tg.add %[[X]], %[[ZERO]]
  %1 = tg.sub %x, %nzero : tensor<4xf32>
  // inf * 0 is NaN, -1 * 0 is -0.0.
  // CHECK: tg.mul %[[X]], %[[ZERO]]
  %2 = tg.mul %x, %zero : tensor<4xf32>
  // inf - inf is NaN.
  // CHECK: tg.sub %[[X]], %[[X]]
  %3 = tg.sub %x, %x : tensor<4xf32>
  // CHECK: tg.fdiv %[[X]], %[[X]]
  %4 = tg.fdiv %x, %x : tensor<4xf32>
  // 0.0 - 0.0 is 0.0, its negation -0.0.
  // CHECK: tg.sub %[[ZERO]], %[[X]]
  %5 = tg.sub %zero, %x : tensor<4xf32>
  // NaN is not inf.
  // CHECK: tg.max %[[X]], %[[INF]]
  %6 = tg.max %x, %inf : tensor<4xf32>
  // Rounding differs.
  // CHECK: %[[SUB:.*]] = tg.sub %[[X]], %[[Y]]
  // CHECK: tg.add %[[SUB]], %[[Y]]
  %7 = tg.sub %x, %y : tensor<4xf32>
  %8 = tg.add %7, %y : tensor<4xf32>
  // x - x is 0.0 and so is its swap, but the negation is -0.0.
  // CHECK: tg.neg %[[SUB]]
  %9 = tg.neg %7 : tensor<4xf32>
  // NaN is not equal to itself.
  // CHECK: tg.cmpeq %[[X]], %[[X]]
  %10 = tg.cmpeq %x, %x : tensor<4xf32>
  // CHECK: tg.cmpne %[[X]], %[[X]]
  %11 = tg.cmpne %x, %x : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %8, %9, %10, %11 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func @negation
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32, %[[Y:[a-z0-9]+]]: f32
func.func @negation(%x: f32, %y: f32) -> (f32, f32, f32, f32, f32, f32, f32, f32) {
  %nzero = tg.const(-0.0 : f32) : f32
  %m1 = tg.const(-1.0 : f32) : f32
  %nx = tg.neg %x : f32
  %ny = tg.neg %y : f32
  // CHECK-DAG: %[[NX:.*]] = tg.neg %[[X]]
  // CHECK-DAG: %[[A:.*]] = tg.sub %[[X]], %[[Y]]
  // CHECK-DAG: %[[B:.*]] = tg.sub %[[Y]], %[[X]]
  // CHECK-DAG: %[[C:.*]] = tg.add %[[X]], %[[Y]]
  // CHECK-DAG: %[[D:.*]] = tg.mul %[[X]], %[[Y]]
  // CHECK-DAG: %[[E:.*]] = tg.fdiv %[[X]], %[[Y]]
  %0 = tg.sub %nzero, %x : f32
  %1 = tg.mul %x, %m1 : f32
  %2 = tg.fdiv %x, %m1 : f32
  %3 = tg.add %x, %ny : f32
  %4 = tg.add %nx, %y : f32
  %5 = tg.sub %x, %ny : f32
  %6 = tg.mul %nx, %ny : f32
  %7 = tg.fdiv %nx, %ny : f32
  // CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %0, %1, %2, %3, %4, %5, %6, %7 : f32, f32, f32, f32, f32, f32, f32, f32
}

// -----

// CHECK-LABEL: func @int_negation
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32
func.func @int_negation(%x: i32, %y: i32) -> (i32, i32) {
  %zero = tg.const(0 : i32) : i32
  // CHECK-DAG: %[[A:.*]] = tg.neg %[[X]]
  // CHECK-DAG: %[[B:.*]] = tg.sub %[[Y]], %[[X]]
  %0 = tg.sub %zero, %x : i32
  %1 = tg.sub %x, %y : i32
  %2 = tg.neg %1 : i32
  // CHECK: return %[[A]], %[[B]]
  return %0, %2 : i32, i32
}

// -----

// CHECK-LABEL: func @powers
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32
func.func @powers(%x: f32) -> (f32, f32, f32, f32, f32, f32) {
  %one = tg.const(1.0 : f32) : f32
  %two = tg.const(2.0 : f32) : f32
  %m1 = tg.const(-1.0 : f32) : f32
  %half = tg.const(0.5 : f32) : f32
  %three = tg.const(3.0 : f32) : f32
  // CHECK-DAG: %[[SQUARE:.*]] = tg.mul %[[X]], %[[X]]
  %0 = tg.pow %x, %two : f32
  // CHECK-DAG: %[[RECIP:.*]] = tg.recip %[[X]]
  %1 = tg.pow %x, %m1 : f32
  // CHECK-DAG: %[[EXP:.*]] = tg.exp2 %[[X]]
  %2 = tg.pow %two, %x : f32
  // CHECK-DAG: %[[DIV:.*]] = tg.recip %[[X]]
  %3 = tg.fdiv %one, %x : f32
  // Not sqrt: that differs for -0.0 and -inf.
  // CHECK-DAG: %[[HALF:.*]] = tg.pow %[[X]], %{{.*}}
  %4 = tg.pow %x, %half : f32
  // Not x * x * x, which rounds twice.
  // CHECK-DAG: %[[THREE:.*]] = tg.pow %[[X]], %{{.*}}
  %5 = tg.pow %x, %three : f32
  // CHECK: return
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
}

// -----

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @constants_go_right
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
func.func @constants_go_right(%x: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi1>, tensor<4xi1>) {
  // CHECK: %[[C:.*]] = tg.const(5 : i32)
  %c = tg.const(5 : i32) : tensor<4xi32>
  // CHECK-NEXT: tg.add %[[X]], %[[C]]
  %0 = tg.add %c, %x : tensor<4xi32>
  // CHECK-NEXT: tg.cmpeq %[[X]], %[[C]]
  %1 = tg.cmpeq %c, %x : tensor<4xi32>
  // Order matters to this one.
  // CHECK-NEXT: tg.cmplt %[[C]], %[[X]]
  %2 = tg.cmplt %c, %x : tensor<4xi32>
  return %0, %1, %2 : tensor<4xi32>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func @merge_constants
// CHECK-SAME: %[[X:[a-z0-9]+]]: ui8, %[[F:[a-z0-9]+]]: f32
func.func @merge_constants(%x: ui8, %f: f32) -> (ui8, ui8, ui8, ui8, ui8, ui8, f32) {
  %a = tg.const(200 : ui8) : ui8
  %b = tg.const(100 : ui8) : ui8
  %fa = tg.const(2.5 : f32) : f32
  %fb = tg.const(1.5 : f32) : f32
  // CHECK-DAG: %[[C44:.*]] = tg.const(44 : ui8)
  // CHECK-DAG: %[[C32:.*]] = tg.const(32 : ui8)
  // CHECK-DAG: %[[C200:.*]] = tg.const(200 : ui8)
  // CHECK-DAG: %[[C64:.*]] = tg.const(64 : ui8)
  // CHECK-DAG: %[[C236:.*]] = tg.const(236 : ui8)
  // CHECK-DAG: %[[C172:.*]] = tg.const(172 : ui8)
  // CHECK-DAG: %[[F25:.*]] = tg.const(2.500000e+00 : f32)
  // CHECK-DAG: tg.add %[[X]], %[[C44]]
  %0 = tg.add %x, %a : ui8
  %1 = tg.add %0, %b : ui8
  // CHECK-DAG: tg.mul %[[X]], %[[C32]]
  %2 = tg.mul %x, %a : ui8
  %3 = tg.mul %2, %b : ui8
  // CHECK-DAG: tg.max %[[X]], %[[C200]]
  %4 = tg.max %x, %a : ui8
  %5 = tg.max %4, %b : ui8
  // CHECK-DAG: tg.and %[[X]], %[[C64]]
  %6 = tg.and %x, %a : ui8
  %7 = tg.and %6, %b : ui8
  // CHECK-DAG: tg.or %[[X]], %[[C236]]
  %8 = tg.or %x, %a : ui8
  %9 = tg.or %8, %b : ui8
  // CHECK-DAG: tg.xor %[[X]], %[[C172]]
  %10 = tg.xor %x, %a : ui8
  %11 = tg.xor %10, %b : ui8
  // CHECK-DAG: tg.max %[[F]], %[[F25]]
  %12 = tg.max %f, %fa : f32
  %13 = tg.max %12, %fb : f32
  return %1, %3, %5, %7, %9, %11, %13 : ui8, ui8, ui8, ui8, ui8, ui8, f32
}

// -----

// Sums and products of floats round at every step.
// CHECK-LABEL: func @float_constants_stay
func.func @float_constants_stay(%x: f32) -> (f32, f32) {
  %a = tg.const(0.1 : f32) : f32
  %b = tg.const(0.2 : f32) : f32
  // CHECK: tg.add
  // CHECK: tg.add
  %0 = tg.add %x, %a : f32
  %1 = tg.add %0, %b : f32
  // CHECK: tg.mul
  // CHECK: tg.mul
  %2 = tg.mul %x, %a : f32
  %3 = tg.mul %2, %b : f32
  return %1, %3 : f32, f32
}

// -----

// CHECK-LABEL: func @subtraction_of_constants
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[F:[a-z0-9]+]]: f32
func.func @subtraction_of_constants(%x: i32, %f: f32) -> (i32, f32, i32, i32, i32, i32) {
  %a = tg.const(7 : i32) : i32
  %b = tg.const(3 : i32) : i32
  %fa = tg.const(1.5 : f32) : f32
  // CHECK-DAG: %[[M7:.*]] = tg.const(-7 : i32)
  // CHECK-DAG: %[[M4:.*]] = tg.const(-4 : i32)
  // CHECK-DAG: %[[F15:.*]] = tg.const(-1.500000e+00 : f32)
  // CHECK-DAG: %[[P10:.*]] = tg.const(10 : i32)
  // CHECK-DAG: %[[P4:.*]] = tg.const(4 : i32)
  // CHECK-DAG: %[[A:.*]] = tg.add %[[X]], %[[M7]]
  %0 = tg.sub %x, %a : i32
  // CHECK-DAG: %[[B:.*]] = tg.add %[[F]], %[[F15]]
  %1 = tg.sub %f, %fa : f32
  // CHECK-DAG: %[[C:.*]] = tg.add %[[X]], %[[M4]]
  %2 = tg.add %0, %b : i32
  // CHECK-DAG: %[[D:.*]] = tg.sub %[[P10]], %[[X]]
  %3 = tg.sub %a, %x : i32
  %4 = tg.add %3, %b : i32
  // CHECK-DAG: %[[E:.*]] = tg.sub %[[P4]], %[[X]]
  %5 = tg.add %x, %b : i32
  %6 = tg.sub %a, %5 : i32
  // CHECK-DAG: %[[G:.*]] = tg.add %[[X]], %[[P4]]
  %7 = tg.sub %b, %x : i32
  %8 = tg.sub %a, %7 : i32
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]], %[[G]]
  return %0, %1, %2, %4, %6, %8 : i32, f32, i32, i32, i32, i32
}

// -----

// CHECK-LABEL: func @division_by_powers_of_two
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32
func.func @division_by_powers_of_two(%x: f32) -> (f32, f32, f32) {
  %four = tg.const(4.0 : f32) : f32
  %three = tg.const(3.0 : f32) : f32
  // The reciprocal is a denormal, which loses bits.
  %huge = tg.const(1.70141183E+38 : f32) : f32
  // CHECK-DAG: %[[QUARTER:.*]] = tg.const(2.500000e-01 : f32)
  // CHECK-DAG: %[[THREE:.*]] = tg.const(3.000000e+00 : f32)
  // CHECK: tg.mul %[[X]], %[[QUARTER]]
  %0 = tg.fdiv %x, %four : f32
  // CHECK: tg.fdiv %[[X]], %[[THREE]]
  %1 = tg.fdiv %x, %three : f32
  // CHECK: tg.fdiv %[[X]]
  %2 = tg.fdiv %x, %huge : f32
  return %0, %1, %2 : f32, f32, f32
}

// -----

// CHECK-LABEL: func @negation_and_constants
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32
func.func @negation_and_constants(%x: f32) -> (f32, f32) {
  // CHECK: %[[C:.*]] = tg.const(-3.000000e+00 : f32)
  %c = tg.const(3.0 : f32) : f32
  %n = tg.neg %x : f32
  // CHECK-NEXT: tg.mul %[[X]], %[[C]]
  %0 = tg.mul %n, %c : f32
  // CHECK-NEXT: tg.mul %[[X]], %[[C]]
  %1 = tg.mul %x, %c : f32
  %2 = tg.neg %1 : f32
  return %0, %2 : f32, f32
}

// -----

// CHECK-LABEL: func @shifts
// CHECK-SAME: %[[X:[a-z0-9]+]]: i8, %[[U:[a-z0-9]+]]: ui8
func.func @shifts(%x: i8, %u: ui8) -> (i8, i8, ui8, i8) {
  %three = tg.const(3 : i8) : i8
  %seven = tg.const(7 : i8) : i8
  %useven = tg.const(7 : ui8) : ui8
  // CHECK-DAG: %[[SIX:.*]] = tg.const(6 : i8)
  // CHECK-DAG: %[[EIGHT:.*]] = tg.const(8 : i8)
  // CHECK-DAG: %[[UZERO:.*]] = tg.const(0 : ui8)
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : i8)
  // CHECK-DAG: %[[A:.*]] = tg.shl %[[X]], %[[SIX]]
  %0 = tg.shl %x, %three : i8
  %1 = tg.shl %0, %three : i8
  // Only the sign is left.
  // CHECK-DAG: %[[B:.*]] = tg.shr %[[X]], %[[EIGHT]]
  %2 = tg.shr %x, %seven : i8
  %3 = tg.shr %2, %three : i8
  %4 = tg.shr %u, %useven : ui8
  %5 = tg.shr %4, %useven : ui8
  %6 = tg.shl %x, %seven : i8
  %7 = tg.shl %6, %three : i8
  // CHECK: return %[[A]], %[[B]], %[[UZERO]], %[[ZERO]]
  return %1, %3, %5, %7 : i8, i8, ui8, i8
}

// -----

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @lossless_casts
// CHECK-SAME: %[[F:[a-z0-9]+]]: f16, %[[I:[a-z0-9]+]]: i8, %[[U:[a-z0-9]+]]: ui8, %[[B:[a-z0-9]+]]: i1
func.func @lossless_casts(%f: f16, %i: i8, %u: ui8, %b: i1) -> (f16, f16, bf16, i8, f64, ui16, i1, f32, i32) {
  %0 = tg.cast %f : f16 -> f16
  %1 = tg.cast %f : f16 -> f32
  %2 = tg.cast %1 : f32 -> f16
  // CHECK-DAG: %[[BF:.*]] = tg.cast %[[F]] : f16 -> bf16
  %3 = tg.cast %1 : f32 -> bf16
  %4 = tg.cast %i : i8 -> f32
  %5 = tg.cast %4 : f32 -> i8
  // CHECK-DAG: %[[F64:.*]] = tg.cast %[[U]] : ui8 -> f64
  %6 = tg.cast %u : ui8 -> bf16
  %7 = tg.cast %6 : bf16 -> f64
  // CHECK-DAG: %[[U16:.*]] = tg.cast %[[I]] : i8 -> ui16
  %8 = tg.cast %i : i8 -> i32
  %9 = tg.cast %8 : i32 -> ui16
  %10 = tg.cast %b : i1 -> f8E4M3FNUZ
  %11 = tg.cast %10 : f8E4M3FNUZ -> i1
  // CHECK-DAG: %[[BF32:.*]] = tg.cast %[[B]] : i1 -> f32
  %12 = tg.cast %b : i1 -> i64
  %13 = tg.cast %12 : i64 -> f32
  // CHECK-DAG: %[[I32:.*]] = tg.cast %[[I]] : i8 -> i32
  %14 = tg.cast %i : i8 -> f32
  %15 = tg.cast %14 : f32 -> i32
  // CHECK: return %[[F]], %[[F]], %[[BF]], %[[I]], %[[F64]], %[[U16]], %[[B]], %[[BF32]], %[[I32]]
  return %0, %2, %3, %5, %7, %9, %11, %13, %15 : f16, f16, bf16, i8, f64, ui16, i1, f32, i32
}

// -----

// Low bits of low bits.
// CHECK-LABEL: func @truncations
// CHECK-SAME: %[[X:[a-z0-9]+]]: i64, %[[U:[a-z0-9]+]]: ui32
func.func @truncations(%x: i64, %u: ui32) -> (i8, ui32) {
  // CHECK-DAG: %[[A:.*]] = tg.cast %[[X]] : i64 -> i8
  %0 = tg.cast %x : i64 -> ui32
  %1 = tg.cast %0 : ui32 -> i8
  %2 = tg.cast %u : ui32 -> i32
  %3 = tg.cast %2 : i32 -> ui32
  // CHECK: return %[[A]], %[[U]]
  return %1, %3 : i8, ui32
}

// -----

// CHECK-LABEL: func @lossy_casts_stay
func.func @lossy_casts_stay(%f: f32, %i: i32, %s: i16, %h: f16) -> (f32, i32, i8, f32, f64, i1, f32, f16) {
  // CHECK-COUNT-2: tg.cast
  %0 = tg.cast %f : f32 -> f16
  %1 = tg.cast %0 : f16 -> f32
  // 2^24 + 1 is no f32.
  // CHECK-COUNT-2: tg.cast
  %2 = tg.cast %i : i32 -> f32
  %3 = tg.cast %2 : f32 -> i32
  // 300 saturates as a float and wraps as an integer.
  // CHECK-COUNT-2: tg.cast
  %4 = tg.cast %s : i16 -> f32
  %5 = tg.cast %4 : f32 -> i8
  // CHECK-COUNT-2: tg.cast
  %6 = tg.cast %f : f32 -> i32
  %7 = tg.cast %6 : i32 -> f32
  // Sign and zero extension differ.
  // CHECK-COUNT-2: tg.cast
  %8 = tg.cast %i : i32 -> ui32
  %9 = tg.cast %8 : ui32 -> f64
  // 256 is true, its low byte is not.
  // CHECK-COUNT-2: tg.cast
  %10 = tg.cast %i : i32 -> i8
  %11 = tg.cast %10 : i8 -> i1
  // CHECK-COUNT-2: tg.cast
  %12 = tg.cast %f : f32 -> i1
  %13 = tg.cast %12 : i1 -> f32
  // bf16 has fewer bits than f16.
  // CHECK-COUNT-2: tg.cast
  %14 = tg.cast %h : f16 -> bf16
  %15 = tg.cast %14 : bf16 -> f16
  return %1, %3, %5, %7, %9, %11, %13, %15 : f32, i32, i8, f32, f64, i1, f32, f16
}

// -----

// CHECK-LABEL: func @bitcasts
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32
func.func @bitcasts(%x: f32) -> (f32, f32, i32) {
  // CHECK-NEXT: %[[I:.*]] = tg.bitcast %[[X]] : f32 -> i32
  %0 = tg.bitcast %x : f32 -> f32
  %1 = tg.bitcast %x : f32 -> ui32
  %2 = tg.bitcast %1 : ui32 -> f32
  %3 = tg.bitcast %1 : ui32 -> i32
  // CHECK-NEXT: return %[[X]], %[[X]], %[[I]]
  return %0, %2, %3 : f32, f32, i32
}

// -----

// CHECK-LABEL: func @trunc_of_integers
func.func @trunc_of_integers(%i: i32, %f: f64) -> (f32, f32) {
  // CHECK: %[[A:.*]] = tg.cast
  %0 = tg.cast %i : i32 -> f32
  %1 = tg.trunc %0 : f32
  // CHECK: tg.cast
  // CHECK: %[[B:.*]] = tg.trunc
  %2 = tg.cast %f : f64 -> f32
  %3 = tg.trunc %2 : f32
  // CHECK: return %[[A]], %[[B]]
  return %1, %3 : f32, f32
}

// -----

//===----------------------------------------------------------------------===//
// Where
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @where_identities
// CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<4xi1>, %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
func.func @where_identities(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>) {
  %t = tg.const(true) : tensor<4xi1>
  %f = tg.const(false) : tensor<4xi1>
  // CHECK-DAG: %[[T:.*]] = tg.const(true)
  %0 = tg.where %t, %x, %y : tensor<4xf32>
  %1 = tg.where %f, %x, %y : tensor<4xf32>
  %2 = tg.where %c, %x, %x : tensor<4xf32>
  // CHECK-DAG: %[[SWAP:.*]] = tg.where %[[C]], %[[Y]], %[[X]]
  %3 = tg.xor %c, %t : tensor<4xi1>
  %4 = tg.where %3, %x, %y : tensor<4xf32>
  %5 = tg.where %c, %t, %f : tensor<4xi1>
  // CHECK-DAG: %[[NOT:.*]] = tg.xor %[[C]], %[[T]]
  %6 = tg.where %c, %f, %t : tensor<4xi1>
  // CHECK: return %[[X]], %[[Y]], %[[X]], %[[SWAP]], %[[C]], %[[NOT]]
  return %0, %1, %2, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>
}

// -----

// CHECK-LABEL: func @where_of_bool
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1, %[[X:[a-z0-9]+]]: i1
func.func @where_of_bool(%c: i1, %x: i1) -> (i1, i1) {
  %t = tg.const(true) : i1
  %f = tg.const(false) : i1
  // CHECK-DAG: %[[AND:.*]] = tg.and %[[C]], %[[X]]
  %0 = tg.where %c, %x, %f : i1
  // CHECK-DAG: %[[OR:.*]] = tg.or %[[C]], %[[X]]
  %1 = tg.where %c, %t, %x : i1
  // CHECK: return %[[AND]], %[[OR]]
  return %0, %1 : i1, i1
}

// -----

// CHECK-LABEL: func @where_of_where
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1, %[[D:[a-z0-9]+]]: i1, %[[X:[a-z0-9]+]]: f32, %[[Y:[a-z0-9]+]]: f32, %[[Z:[a-z0-9]+]]: f32
func.func @where_of_where(%c: i1, %d: i1, %x: f32, %y: f32, %z: f32) -> (f32, f32, f32, f32) {
  // CHECK-DAG: %[[A:.*]] = tg.where %[[C]], %[[X]], %[[Z]]
  %0 = tg.where %c, %x, %y : f32
  %1 = tg.where %c, %0, %z : f32
  // CHECK-DAG: %[[B:.*]] = tg.where %[[C]], %[[Z]], %[[Y]]
  %2 = tg.where %c, %x, %y : f32
  %3 = tg.where %c, %z, %2 : f32
  // CHECK-DAG: %[[AND:.*]] = tg.and %[[C]], %[[D]]
  // CHECK-DAG: %[[E:.*]] = tg.where %[[AND]], %[[X]], %[[Y]]
  %4 = tg.where %d, %x, %y : f32
  %5 = tg.where %c, %4, %y : f32
  // CHECK-DAG: %[[OR:.*]] = tg.or %[[C]], %[[D]]
  // CHECK-DAG: %[[F:.*]] = tg.where %[[OR]], %[[X]], %[[Y]]
  %6 = tg.where %d, %x, %y : f32
  %7 = tg.where %c, %x, %6 : f32
  // CHECK: return %[[A]], %[[B]], %[[E]], %[[F]]
  return %1, %3, %5, %7 : f32, f32, f32, f32
}

// -----

// CHECK-LABEL: func @where_is_max
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32, %[[F:[a-z0-9]+]]: f32, %[[G:[a-z0-9]+]]: f32
func.func @where_is_max(%x: i32, %y: i32, %f: f32, %g: f32) -> (i32, i32, f32) {
  %0 = tg.cmplt %x, %y : i32
  // CHECK: tg.max %[[X]], %[[Y]]
  %1 = tg.where %0, %y, %x : i32
  // The smaller one.
  // CHECK: tg.where
  %2 = tg.where %0, %x, %y : i32
  // For NaN the comparison is false and max is NaN.
  // CHECK: tg.where
  %3 = tg.cmplt %f, %g : f32
  %4 = tg.where %3, %g, %f : f32
  return %1, %2, %4 : i32, i32, f32
}

// -----

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @comparison_identities
// CHECK-SAME: %[[X:[a-z0-9]+]]: ui8, %[[F:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: i1
func.func @comparison_identities(%x: ui8, %f: f32, %b: i1) -> (i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1) {
  %zero = tg.const(0 : ui8) : ui8
  %ones = tg.const(255 : ui8) : ui8
  %inf = tg.const(0x7F800000 : f32) : f32
  %ninf = tg.const(0xFF800000 : f32) : f32
  %t = tg.const(true) : i1
  %no = tg.const(false) : i1
  // CHECK-DAG: %[[FALSE:.*]] = tg.const(false)
  // CHECK-DAG: %[[TRUE:.*]] = tg.const(true)
  %0 = tg.cmplt %x, %x : ui8
  %1 = tg.cmplt %f, %f : f32
  %2 = tg.cmpeq %x, %x : ui8
  %3 = tg.cmpne %x, %x : ui8
  %4 = tg.cmplt %x, %zero : ui8
  %5 = tg.cmplt %ones, %x : ui8
  %6 = tg.cmplt %f, %ninf : f32
  %7 = tg.cmplt %inf, %f : f32
  %8 = tg.cmpeq %b, %t : i1
  %9 = tg.cmpne %b, %no : i1
  %10 = tg.cmplt %no, %b : i1
  // CHECK: return %[[FALSE]], %[[FALSE]], %[[TRUE]], %[[FALSE]], %[[FALSE]], %[[FALSE]], %[[FALSE]], %[[FALSE]], %[[B]], %[[B]], %[[B]]
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : i1, i1, i1, i1, i1, i1, i1, i1, i1, i1, i1
}

// -----

// CHECK-LABEL: func @negated_comparisons
// CHECK-SAME: %[[X:[a-z0-9]+]]: f32, %[[Y:[a-z0-9]+]]: f32, %[[B:[a-z0-9]+]]: i1
func.func @negated_comparisons(%x: f32, %y: f32, %b: i1) -> (i1, i1, i1, i1, i1, i1, i1, i1) {
  %t = tg.const(true) : i1
  %no = tg.const(false) : i1
  %zero = tg.const(0.0 : f32) : f32
  // CHECK-DAG: %[[T:.*]] = tg.const(true)
  // CHECK-DAG: %[[NE:.*]] = tg.cmpne %[[X]], %[[Y]]
  %0 = tg.cmpeq %x, %y : f32
  %1 = tg.xor %0, %t : i1
  // CHECK-DAG: %[[EQ:.*]] = tg.cmpeq %[[X]], %[[Y]]
  %2 = tg.cmpne %x, %y : f32
  %3 = tg.cmpeq %2, %no : i1
  // CHECK-DAG: %[[NOT:.*]] = tg.xor %[[B]], %[[T]]
  %4 = tg.cmpeq %b, %no : i1
  // CHECK-DAG: tg.xor %[[B]], %[[T]]
  %5 = tg.cmpne %b, %t : i1
  // CHECK-DAG: tg.xor %[[B]], %[[T]]
  %6 = tg.cmplt %b, %t : i1
  %7 = tg.cast %b : i1 -> f32
  %8 = tg.cmpne %7, %zero : f32
  // CHECK-DAG: tg.xor %[[B]], %[[T]]
  %9 = tg.cmpeq %7, %zero : f32
  // Not y < x or equal: NaN.
  // CHECK-DAG: %[[LT:.*]] = tg.cmplt %[[X]], %[[Y]]
  // CHECK-DAG: %[[NLT:.*]] = tg.xor %[[LT]], %[[T]]
  %10 = tg.cmplt %x, %y : f32
  %11 = tg.xor %10, %t : i1
  // CHECK: return %[[NE]], %[[EQ]], %{{.*}}, %{{.*}}, %{{.*}}, %[[B]], %{{.*}}, %[[NLT]]
  return %1, %3, %4, %5, %6, %8, %9, %11 : i1, i1, i1, i1, i1, i1, i1, i1
}

// -----

// CHECK-LABEL: func @comparison_with_constants
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32, %[[F:[a-z0-9]+]]: f32, %[[G:[a-z0-9]+]]: f32
func.func @comparison_with_constants(%x: i32, %y: i32, %f: f32, %g: f32) -> (i1, i1, i1, i1, i1, i1, i1) {
  %a = tg.const(7 : i32) : i32
  %b = tg.const(3 : i32) : i32
  %two = tg.const(2.0 : f32) : f32
  // CHECK-DAG: %[[M4:.*]] = tg.const(-4 : i32)
  // CHECK-DAG: %[[P4:.*]] = tg.const(4 : i32)
  // CHECK-DAG: %[[M2:.*]] = tg.const(-2.000000e+00 : f32)
  // CHECK-DAG: %[[R0:.*]] = tg.cmpeq %[[X]], %[[M4]]
  %0 = tg.add %x, %a : i32
  %1 = tg.cmpeq %0, %b : i32
  // CHECK-DAG: %[[R1:.*]] = tg.cmpne %[[X]], %[[P4]]
  %2 = tg.xor %x, %a : i32
  %3 = tg.cmpne %2, %b : i32
  // CHECK-DAG: %[[R2:.*]] = tg.cmpeq %[[F]], %[[M2]]
  %4 = tg.neg %f : f32
  %5 = tg.cmpeq %4, %two : f32
  // CHECK-DAG: %[[R3:.*]] = tg.cmplt %[[M2]], %[[F]]
  %6 = tg.cmplt %4, %two : f32
  // CHECK-DAG: %[[R4:.*]] = tg.cmplt %[[F]], %[[M2]]
  %7 = tg.cmplt %two, %4 : f32
  // CHECK-DAG: %[[R5:.*]] = tg.cmplt %[[G]], %[[F]]
  %8 = tg.neg %g : f32
  %9 = tg.cmplt %4, %8 : f32
  // CHECK-DAG: %[[R6:.*]] = tg.cmpeq %[[X]], %[[Y]]
  %10 = tg.neg %x : i32
  %11 = tg.neg %y : i32
  %12 = tg.cmpeq %10, %11 : i32
  // CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]], %[[R5]], %[[R6]]
  return %1, %3, %5, %6, %7, %9, %12 : i1, i1, i1, i1, i1, i1, i1
}

// -----

// x + 7 < 3 may wrap, the least integer is its own negation, x + 0.1 == 0.3
// rounds.
// CHECK-LABEL: func @comparisons_that_stay
func.func @comparisons_that_stay(%x: i32, %y: i32, %f: f32) -> (i1, i1, i1) {
  %a = tg.const(7 : i32) : i32
  %b = tg.const(3 : i32) : i32
  %fa = tg.const(0.1 : f32) : f32
  %fb = tg.const(0.3 : f32) : f32
  // CHECK: tg.add
  // CHECK: tg.cmplt
  %0 = tg.add %x, %a : i32
  %1 = tg.cmplt %0, %b : i32
  // CHECK: tg.neg
  // CHECK: tg.neg
  // CHECK: tg.cmplt
  %2 = tg.neg %x : i32
  %3 = tg.neg %y : i32
  %4 = tg.cmplt %2, %3 : i32
  // CHECK: tg.add
  // CHECK: tg.cmpeq
  %5 = tg.add %f, %fa : f32
  %6 = tg.cmpeq %5, %fb : f32
  return %1, %4, %6 : i1, i1, i1
}

// -----

//===----------------------------------------------------------------------===//
// Level 1 never forms a fused multiply-add
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @no_mulacc
func.func @no_mulacc(%x: f32, %y: f32, %z: f32) -> f32 {
  // CHECK: tg.mul
  // CHECK: tg.add
  %0 = tg.mul %x, %y : f32
  %1 = tg.add %0, %z : f32
  return %1 : f32
}

// -----

//===----------------------------------------------------------------------===//
// Maximum and its gradient
//===----------------------------------------------------------------------===//

// relu and its gradient: the sign of the result says what that of the operand
// does, and there is no other use of it.

// CHECK-LABEL: func @relu_gradient
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[G:.*]]: tensor<4xf32>)
func.func @relu_gradient(%x: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG:  %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
  // CHECK:      %[[Y:.*]] = tg.max %[[X]], %[[ZERO]]
  // CHECK-NEXT: %[[C:.*]] = tg.cmplt %[[ZERO]], %[[Y]]
  // CHECK-NEXT: %[[R:.*]] = tg.where %[[C]], %[[G]], %[[ZERO]]
  // CHECK-NEXT: return %[[Y]], %[[R]]
  %zero = tg.const(0.0 : f32) : tensor<4xf32>
  %y = tg.max %x, %zero : tensor<4xf32>
  %half = tg.const(0.5 : f32) : tensor<4xf32>
  %h = tg.mul %g, %half : tensor<4xf32>
  %eq = tg.cmpeq %x, %zero : tensor<4xf32>
  %lt = tg.cmplt %zero, %x : tensor<4xf32>
  %0 = tg.where %lt, %g, %zero : tensor<4xf32>
  %1 = tg.where %eq, %h, %0 : tensor<4xf32>
  %2 = tg.where %eq, %zero, %1 : tensor<4xf32>
  return %y, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Only one of the conditions holds.

// CHECK-LABEL: func @where_equal
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>, %[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
func.func @where_equal(%x: tensor<4xf32>, %y: tensor<4xf32>, %a: tensor<4xf32>, %b: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-DAG: %[[LT:.*]] = tg.cmplt %[[X]], %[[Y]]
  // CHECK-DAG: %[[GT:.*]] = tg.cmplt %[[Y]], %[[X]]
  // CHECK-DAG: %[[EQ:.*]] = tg.cmpeq %[[X]], %[[Y]]
  // CHECK-DAG: %[[R0:.*]] = tg.where %[[LT]], %[[A]], %[[B]]
  // CHECK-DAG: %[[R1:.*]] = tg.where %[[GT]], %[[A]], %[[B]]
  // Not for other values.
  // CHECK-DAG: %[[R2:.*]] = tg.where %[[EQ]], %[[A]], %[[R0]]
  // CHECK:     return %[[R0]], %[[R1]], %[[R2]]
  %eq = tg.cmpeq %x, %y : tensor<4xf32>
  %lt = tg.cmplt %x, %y : tensor<4xf32>
  %gt = tg.cmplt %y, %x : tensor<4xf32>
  %0 = tg.where %lt, %a, %b : tensor<4xf32>
  %1 = tg.where %eq, %b, %0 : tensor<4xf32>
  %2 = tg.where %gt, %a, %b : tensor<4xf32>
  %3 = tg.where %eq, %b, %2 : tensor<4xf32>
  %4 = tg.where %eq, %a, %0 : tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The operand is compared with another number than that of the maximum; it is
// less; there is no tensor, or no maximum yet.

// CHECK-LABEL: func @no_maximum
// CHECK-SAME:    (%[[X:.*]]: tensor<4xf32>, %[[S:.*]]: f32)
func.func @no_maximum(%x: tensor<4xf32>, %s: f32)
    -> (tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, f32, i1, tensor<4xi1>) {
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<4xf32>
  // CHECK-DAG: %[[ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<4xf32>
  // CHECK-DAG: %[[NONE:.*]] = tg.const(0.000000e+00 : f32) : f32
  // CHECK:     tg.cmplt %[[ZERO]], %[[X]]
  // CHECK:     tg.max %[[X]], %[[ZERO]]
  // CHECK:     tg.cmplt %[[ONE]], %[[X]]
  // CHECK:     tg.cmplt %[[X]], %[[ZERO]]
  // CHECK:     tg.max %[[S]], %[[NONE]]
  // CHECK:     tg.cmplt %[[NONE]], %[[S]]
  %zero = tg.const(0.0 : f32) : tensor<4xf32>
  %one = tg.const(1.0 : f32) : tensor<4xf32>
  %none = tg.const(0.0 : f32) : f32
  %before = tg.cmplt %zero, %x : tensor<4xf32>
  %y = tg.max %x, %zero : tensor<4xf32>
  %0 = tg.cmplt %one, %x : tensor<4xf32>
  %1 = tg.cmplt %x, %zero : tensor<4xf32>
  %2 = tg.max %s, %none : f32
  %3 = tg.cmplt %none, %s : f32
  return %y, %0, %1, %2, %3, %before : tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, f32, i1, tensor<4xi1>
}
