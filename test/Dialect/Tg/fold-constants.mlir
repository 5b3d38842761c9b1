// Operations on constants, by the semantics of each element type.

// RUN: tg-opt -canonicalize -split-input-file %s | FileCheck %s

// CHECK-LABEL: func @integers_wrap
func.func @integers_wrap() -> (i8, ui8, i8, i8, ui8, i8) {
  %a = tg.const(127 : i8) : i8
  %b = tg.const(3 : i8) : i8
  %min = tg.const(-128 : i8) : i8
  %ua = tg.const(200 : ui8) : ui8
  %ub = tg.const(100 : ui8) : ui8
  // CHECK-DAG: %[[ADD:.*]] = tg.const(-126 : i8)
  %0 = tg.add %a, %b : i8
  // CHECK-DAG: %[[UADD:.*]] = tg.const(44 : ui8)
  %1 = tg.add %ua, %ub : ui8
  // CHECK-DAG: %[[MUL:.*]] = tg.const(125 : i8)
  %2 = tg.mul %a, %b : i8
  // CHECK-DAG: %[[NEG:.*]] = tg.const(-128 : i8)
  %3 = tg.neg %min : i8
  // CHECK-DAG: %[[SUB:.*]] = tg.const(156 : ui8)
  %4 = tg.sub %ub, %ua : ui8
  // CHECK-DAG: %[[MULACC:.*]] = tg.const(-4 : i8)
  %5 = tg.mulacc %a, %b, %a : i8
  // CHECK: return %[[ADD]], %[[UADD]], %[[MUL]], %[[NEG]], %[[SUB]], %[[MULACC]]
  return %0, %1, %2, %3, %4, %5 : i8, ui8, i8, i8, ui8, i8
}

// -----

// CHECK-LABEL: func @bool_arithmetic
func.func @bool_arithmetic() -> (i1, i1, i1, i1, i1) {
  %t = tg.const(true) : i1
  %f = tg.const(false) : i1
  // CHECK-DAG: %[[T:.*]] = tg.const(true)
  // CHECK-DAG: %[[F:.*]] = tg.const(false)
  %0 = tg.add %t, %t : i1
  %1 = tg.mul %t, %f : i1
  %2 = tg.max %t, %f : i1
  %3 = tg.cmplt %f, %t : i1
  %4 = tg.cmplt %t, %f : i1
  // CHECK: return %[[T]], %[[F]], %[[T]], %[[T]], %[[F]]
  return %0, %1, %2, %3, %4 : i1, i1, i1, i1, i1
}

// -----

// CHECK-LABEL: func @signed_division
func.func @signed_division() -> (i32, i32, i32, i32, i32, i32, i32, i32) {
  %a = tg.const(-7 : i32) : i32
  %b = tg.const(3 : i32) : i32
  %c = tg.const(7 : i32) : i32
  %d = tg.const(-3 : i32) : i32
  // CHECK-DAG: %[[M2:.*]] = tg.const(-2 : i32)
  // CHECK-DAG: %[[M3:.*]] = tg.const(-3 : i32)
  // CHECK-DAG: %[[M1:.*]] = tg.const(-1 : i32)
  // CHECK-DAG: %[[P2:.*]] = tg.const(2 : i32)
  // CHECK-DAG: %[[P1:.*]] = tg.const(1 : i32)
  %0 = tg.idiv %a, %b : i32
  %1 = tg.floordiv %a, %b : i32
  %2 = tg.mod %a, %b : i32
  %3 = tg.floormod %a, %b : i32
  %4 = tg.idiv %c, %d : i32
  %5 = tg.floordiv %c, %d : i32
  %6 = tg.mod %c, %d : i32
  %7 = tg.floormod %c, %d : i32
  // CHECK: return %[[M2]], %[[M3]], %[[M1]], %[[P2]], %[[M2]], %[[M3]], %[[P1]], %[[M2]]
  return %0, %1, %2, %3, %4, %5, %6, %7 : i32, i32, i32, i32, i32, i32, i32, i32
}

// -----

// CHECK-LABEL: func @division_at_the_edges
func.func @division_at_the_edges() -> (i8, i8, i8, i8, ui8, i8, i8) {
  %min = tg.const(-128 : i8) : i8
  %m1 = tg.const(-1 : i8) : i8
  %zero = tg.const(0 : i8) : i8
  %seven = tg.const(7 : i8) : i8
  %u = tg.const(250 : ui8) : ui8
  %v = tg.const(7 : ui8) : ui8
  // CHECK-DAG: %[[MIN:.*]] = tg.const(-128 : i8)
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : i8)
  // CHECK-DAG: %[[U:.*]] = tg.const(35 : ui8)
  %0 = tg.idiv %min, %m1 : i8
  %1 = tg.floordiv %min, %m1 : i8
  %2 = tg.mod %min, %m1 : i8
  %3 = tg.idiv %seven, %zero : i8
  %4 = tg.idiv %u, %v : ui8
  %5 = tg.mod %seven, %zero : i8
  %6 = tg.floormod %seven, %zero : i8
  // CHECK: return %[[MIN]], %[[MIN]], %[[ZERO]], %[[ZERO]], %[[U]], %[[ZERO]], %[[ZERO]]
  return %0, %1, %2, %3, %4, %5, %6 : i8, i8, i8, i8, ui8, i8, i8
}

// -----

// CHECK-LABEL: func @shifts
func.func @shifts() -> (i8, i8, ui8, i8, i8, ui8, i8) {
  %x = tg.const(-127 : i8) : i8
  %u = tg.const(129 : ui8) : ui8
  %one = tg.const(1 : i8) : i8
  %uone = tg.const(1 : ui8) : ui8
  %eight = tg.const(8 : i8) : i8
  %m1 = tg.const(-1 : i8) : i8
  %ubig = tg.const(200 : ui8) : ui8
  // CHECK-DAG: %[[SHL:.*]] = tg.const(2 : i8)
  // CHECK-DAG: %[[SHR:.*]] = tg.const(-64 : i8)
  // CHECK-DAG: %[[USHR:.*]] = tg.const(64 : ui8)
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : i8)
  // CHECK-DAG: %[[M1:.*]] = tg.const(-1 : i8)
  // CHECK-DAG: %[[UZERO:.*]] = tg.const(0 : ui8)
  %0 = tg.shl %x, %one : i8
  %1 = tg.shr %x, %one : i8
  %2 = tg.shr %u, %uone : ui8
  %3 = tg.shl %x, %eight : i8
  // An amount of the width or more gives the sign fill.
  %4 = tg.shr %x, %m1 : i8
  %5 = tg.shr %u, %ubig : ui8
  %6 = tg.shl %x, %m1 : i8
  // CHECK: return %[[SHL]], %[[SHR]], %[[USHR]], %[[ZERO]], %[[M1]], %[[UZERO]], %[[ZERO]]
  return %0, %1, %2, %3, %4, %5, %6 : i8, i8, ui8, i8, i8, ui8, i8
}

// -----

// CHECK-LABEL: func @index_is_signed
func.func @index_is_signed() -> (index, index, i1) {
  %a = tg.const(-7 : index) : index
  %b = tg.const(4 : index) : index
  // CHECK-DAG: %[[DIV:.*]] = tg.const(-2 : index)
  // CHECK-DAG: %[[MOD:.*]] = tg.const(1 : index)
  // CHECK-DAG: %[[LT:.*]] = tg.const(true)
  %0 = tg.floordiv %a, %b : index
  %1 = tg.floormod %a, %b : index
  %2 = tg.cmplt %a, %b : index
  // CHECK: return %[[DIV]], %[[MOD]], %[[LT]]
  return %0, %1, %2 : index, index, i1
}

// -----

// CHECK-LABEL: func @unsigned_comparison
func.func @unsigned_comparison() -> (i1, i1, ui8) {
  %a = tg.const(200 : ui8) : ui8
  %b = tg.const(100 : ui8) : ui8
  // CHECK-DAG: %[[F:.*]] = tg.const(false)
  // CHECK-DAG: %[[T:.*]] = tg.const(true)
  // CHECK-DAG: %[[A:.*]] = tg.const(200 : ui8)
  %0 = tg.cmplt %a, %b : ui8
  %1 = tg.cmpne %a, %b : ui8
  %2 = tg.max %a, %b : ui8
  // CHECK: return %[[F]], %[[T]], %[[A]]
  return %0, %1, %2 : i1, i1, ui8
}

// -----

// CHECK-LABEL: func @float_arithmetic
func.func @float_arithmetic() -> (f32, f32, f32, f32, f32, f32) {
  %a = tg.const(1.0 : f32) : f32
  %b = tg.const(3.0 : f32) : f32
  %zero = tg.const(0.0 : f32) : f32
  %nzero = tg.const(-0.0 : f32) : f32
  // CHECK-DAG: %[[THIRD:.*]] = tg.const(0.333333343 : f32)
  // CHECK-DAG: %[[INF:.*]] = tg.const(0x7F800000 : f32)
  // CHECK-DAG: %[[NINF:.*]] = tg.const(0xFF800000 : f32)
  // CHECK-DAG: %[[NAN:.*]] = tg.const(0x7FC00000 : f32)
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0.000000e+00 : f32)
  // CHECK-DAG: %[[NZERO:.*]] = tg.const(-0.000000e+00 : f32)
  %0 = tg.recip %b : f32
  %1 = tg.fdiv %a, %zero : f32
  %2 = tg.recip %nzero : f32
  %3 = tg.fdiv %zero, %zero : f32
  %4 = tg.add %nzero, %zero : f32
  %5 = tg.sqrt %nzero : f32
  // CHECK: return %[[THIRD]], %[[INF]], %[[NINF]], %[[NAN]], %[[ZERO]], %[[NZERO]]
  return %0, %1, %2, %3, %4, %5 : f32, f32, f32, f32, f32, f32
}

// -----

// CHECK-LABEL: func @transcendental
func.func @transcendental() -> (f32, f32, f32, f64, f32, f32, f32) {
  %half = tg.const(0.5 : f32) : f32
  %three = tg.const(3.0 : f32) : f32
  %m1 = tg.const(-1.0 : f32) : f32
  %zero = tg.const(0.0 : f32) : f32
  %two = tg.const(2.0 : f64) : f64
  // CHECK-DAG: %[[EXP:.*]] = tg.const(1.41421354 : f32)
  // CHECK-DAG: %[[LOG:.*]] = tg.const(1.58496249 : f32)
  // CHECK-DAG: %[[SIN:.*]] = tg.const(1.411200e-01 : f32)
  // CHECK-DAG: %[[SQRT:.*]] = tg.const(1.4142135623730951 : f64)
  // CHECK-DAG: %[[POW:.*]] = tg.const(1.73205078 : f32)
  // CHECK-DAG: %[[NAN:.*]] = tg.const(0x7FC00000 : f32)
  // CHECK-DAG: %[[NINF:.*]] = tg.const(0xFF800000 : f32)
  %0 = tg.exp2 %half : f32
  %1 = tg.log2 %three : f32
  %2 = tg.sin %three : f32
  %3 = tg.sqrt %two : f64
  %4 = tg.pow %three, %half : f32
  %5 = tg.log2 %m1 : f32
  %6 = tg.log2 %zero : f32
  // CHECK: return %[[EXP]], %[[LOG]], %[[SIN]], %[[SQRT]], %[[POW]], %[[NAN]], %[[NINF]]
  return %0, %1, %2, %3, %4, %5, %6 : f32, f32, f32, f64, f32, f32, f32
}

// -----

// The functions of the C library in f64, rounded.
// CHECK-LABEL: func @functions
func.func @functions() -> (f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32) {
  %half = tg.const(0.5 : f32) : f32
  %three = tg.const(3.0 : f32) : f32
  %small = tg.const(0.001 : f32) : f32
  %m1 = tg.const(-1.0 : f32) : f32
  %inf = tg.const(0x7F800000 : f32) : f32
  // CHECK-DAG: %[[EXP:.*]] = tg.const(1.64872122 : f32)
  // CHECK-DAG: %[[EXPM1:.*]] = tg.const(0.00100050017 : f32)
  // CHECK-DAG: %[[LOG:.*]] = tg.const(1.09861231 : f32)
  // CHECK-DAG: %[[LOG1P:.*]] = tg.const(9.99500392E-4 : f32)
  // CHECK-DAG: %[[COS:.*]] = tg.const(-0.989992499 : f32)
  // CHECK-DAG: %[[TAN:.*]] = tg.const(-0.142546549 : f32)
  // CHECK-DAG: %[[ASIN:.*]] = tg.const(0.52359879 : f32)
  // CHECK-DAG: %[[ACOS:.*]] = tg.const(1.04719758 : f32)
  // CHECK-DAG: %[[ATAN:.*]] = tg.const(1.24904573 : f32)
  // CHECK-DAG: %[[TANH:.*]] = tg.const(0.462117165 : f32)
  // CHECK-DAG: %[[ERF:.*]] = tg.const(0.520499885 : f32)
  // CHECK-DAG: %[[NINF:.*]] = tg.const(0xFF800000 : f32)
  // CHECK-DAG: %[[NAN:.*]] = tg.const(0x7FC00000 : f32)
  %exp = tg.exp %half : f32
  %expm1 = tg.expm1 %small : f32
  %log = tg.log %three : f32
  %log1p = tg.log1p %small : f32
  %cos = tg.cos %three : f32
  %tan = tg.tan %three : f32
  %asin = tg.asin %half : f32
  %acos = tg.acos %half : f32
  %atan = tg.atan %three : f32
  %tanh = tg.tanh %half : f32
  %erf = tg.erf %half : f32
  %pole = tg.log1p %m1 : f32
  %beyond = tg.asin %three : f32
  %nowhere = tg.sub %inf, %inf : f32
  %nan = tg.erf %nowhere : f32
  // CHECK: return %[[EXP]], %[[EXPM1]], %[[LOG]], %[[LOG1P]], %[[COS]], %[[TAN]], %[[ASIN]], %[[ACOS]], %[[ATAN]], %[[TANH]], %[[ERF]], %[[NINF]], %[[NAN]], %[[NAN]]
  return %exp, %expm1, %log, %log1p, %cos, %tan, %asin, %acos, %atan, %tanh, %erf, %pole, %beyond, %nan : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
}

// -----

// f16 and bf16 are computed in f32 and rounded; ties go to even.
// CHECK-LABEL: func @small_floats_through_f32
func.func @small_floats_through_f32() -> (f16, bf16, f16, f32) {
  %big = tg.const(2048.0 : f16) : f16
  %one = tg.const(1.0 : f16) : f16
  %x = tg.const(1.0078125 : bf16) : bf16
  %huge = tg.const(65504.0 : f16) : f16
  %a = tg.const(16777216.0 : f32) : f32
  %b = tg.const(1.0 : f32) : f32
  // CHECK-DAG: %[[ADD:.*]] = tg.const(2.048000e+03 : f16)
  // CHECK-DAG: %[[MUL:.*]] = tg.const(1.015630e+00 : bf16)
  // CHECK-DAG: %[[INF:.*]] = tg.const(0x7C00 : f16)
  // CHECK-DAG: %[[FMA:.*]] = tg.const(0x4B800000 : f32)
  %0 = tg.add %big, %one : f16
  %1 = tg.mul %x, %x : bf16
  %2 = tg.add %huge, %huge : f16
  %3 = tg.mulacc %a, %b, %b : f32
  // CHECK: return %[[ADD]], %[[MUL]], %[[INF]], %[[FMA]]
  return %0, %1, %2, %3 : f16, bf16, f16, f32
}

// -----

// One rounding: (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24, which two roundings lose.
// CHECK-LABEL: func @mulacc_rounds_once
func.func @mulacc_rounds_once() -> f32 {
  %a = tg.const(1.000244140625 : f32) : f32
  %c = tg.const(-1.00048828125 : f32) : f32
  // CHECK: tg.const(5.96046448E-8 : f32)
  %0 = tg.mulacc %a, %a, %c : f32
  return %0 : f32
}

// -----

// CHECK-LABEL: func @nan
func.func @nan() -> (f32, i1, i1, i1, i32, i1) {
  %nan = tg.const(0x7FC00000 : f32) : f32
  %one = tg.const(1.0 : f32) : f32
  // CHECK-DAG: %[[NAN:.*]] = tg.const(0x7FC00000 : f32)
  // CHECK-DAG: %[[F:.*]] = tg.const(false)
  // CHECK-DAG: %[[T:.*]] = tg.const(true)
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : i32)
  %0 = tg.max %nan, %one : f32
  %1 = tg.cmplt %one, %nan : f32
  %2 = tg.cmpeq %nan, %nan : f32
  %3 = tg.cmpne %nan, %nan : f32
  %4 = tg.cast %nan : f32 -> i32
  %5 = tg.cast %nan : f32 -> i1
  // CHECK: return %[[NAN]], %[[F]], %[[F]], %[[T]], %[[ZERO]], %[[T]]
  return %0, %1, %2, %3, %4, %5 : f32, i1, i1, i1, i32, i1
}

// -----

// CHECK-LABEL: func @casts_from_float
func.func @casts_from_float() -> (i8, i8, ui8, i32, i64, f16, f8E4M3FN, f8E5M2) {
  %big = tg.const(300.7 : f32) : f32
  %neg = tg.const(-300.7 : f32) : f32
  %frac = tg.const(-2.9 : f32) : f32
  %inf = tg.const(0x7F800000 : f32) : f32
  // CHECK-DAG: %[[I127:.*]] = tg.const(127 : i8)
  // CHECK-DAG: %[[M128:.*]] = tg.const(-128 : i8)
  // CHECK-DAG: %[[U0:.*]] = tg.const(0 : ui8)
  // CHECK-DAG: %[[M2:.*]] = tg.const(-2 : i32)
  // CHECK-DAG: %[[I64:.*]] = tg.const(9223372036854775807 : i64)
  // CHECK-DAG: %[[F16:.*]] = tg.const(3.007500e+02 : f16)
  // CHECK-DAG: %[[FN:.*]] = tg.const({{0x7F|0xFF}} : f8E4M3FN)
  // CHECK-DAG: %[[E5:.*]] = tg.const(0x7C : f8E5M2)
  %0 = tg.cast %big : f32 -> i8
  %1 = tg.cast %neg : f32 -> i8
  %2 = tg.cast %neg : f32 -> ui8
  %3 = tg.cast %frac : f32 -> i32
  %4 = tg.cast %inf : f32 -> i64
  %5 = tg.cast %big : f32 -> f16
  %6 = tg.cast %inf : f32 -> f8E4M3FN
  %7 = tg.cast %inf : f32 -> f8E5M2
  // CHECK: return %[[I127]], %[[M128]], %[[U0]], %[[M2]], %[[I64]], %[[F16]], %[[FN]], %[[E5]]
  return %0, %1, %2, %3, %4, %5, %6, %7 : i8, i8, ui8, i32, i64, f16, f8E4M3FN, f8E5M2
}

// -----

// CHECK-LABEL: func @casts_from_int
func.func @casts_from_int() -> (i8, i64, ui64, f32, f16, i1, f32, index) {
  %a = tg.const(511 : i32) : i32
  %m1 = tg.const(-1 : i8) : i8
  %u = tg.const(255 : ui8) : ui8
  %big = tg.const(16777217 : i32) : i32
  %huge = tg.const(70000 : i32) : i32
  %t = tg.const(true) : i1
  // CHECK-DAG: %[[LOW:.*]] = tg.const(-1 : i8)
  // CHECK-DAG: %[[SEXT:.*]] = tg.const(-1 : i64)
  // CHECK-DAG: %[[ZEXT:.*]] = tg.const(255 : ui64)
  // CHECK-DAG: %[[EVEN:.*]] = tg.const(0x4B800000 : f32)
  // CHECK-DAG: %[[INF:.*]] = tg.const(0x7C00 : f16)
  // CHECK-DAG: %[[BOOL:.*]] = tg.const(true)
  // CHECK-DAG: %[[ONE:.*]] = tg.const(1.000000e+00 : f32)
  // CHECK-DAG: %[[INDEX:.*]] = tg.const(-1 : index)
  %0 = tg.cast %a : i32 -> i8
  %1 = tg.cast %m1 : i8 -> i64
  %2 = tg.cast %u : ui8 -> ui64
  %3 = tg.cast %big : i32 -> f32
  %4 = tg.cast %huge : i32 -> f16
  %5 = tg.cast %a : i32 -> i1
  %6 = tg.cast %t : i1 -> f32
  %7 = tg.cast %m1 : i8 -> index
  // CHECK: return %[[LOW]], %[[SEXT]], %[[ZEXT]], %[[EVEN]], %[[INF]], %[[BOOL]], %[[ONE]], %[[INDEX]]
  return %0, %1, %2, %3, %4, %5, %6, %7 : i8, i64, ui64, f32, f16, i1, f32, index
}

// -----

// CHECK-LABEL: func @bitcasts
func.func @bitcasts() -> (ui32, f32, i8) {
  %one = tg.const(1.0 : f32) : f32
  %bits = tg.const(1073741824 : i32) : i32
  %small = tg.const(1.0 : f8E5M2) : f8E5M2
  // CHECK-DAG: %[[ONE:.*]] = tg.const(1065353216 : ui32)
  // CHECK-DAG: %[[TWO:.*]] = tg.const(2.000000e+00 : f32)
  // CHECK-DAG: %[[SMALL:.*]] = tg.const(60 : i8)
  %0 = tg.bitcast %one : f32 -> ui32
  %1 = tg.bitcast %bits : i32 -> f32
  %2 = tg.bitcast %small : f8E5M2 -> i8
  // CHECK: return %[[ONE]], %[[TWO]], %[[SMALL]]
  return %0, %1, %2 : ui32, f32, i8
}

// -----

// The known answers of Threefry-2x32 with 20 rounds.
// CHECK-LABEL: func @threefry
func.func @threefry() -> (ui64, ui64, ui64) {
  %zero = tg.const(0 : ui64) : ui64
  %ones = tg.const(18446744073709551615 : ui64) : ui64
  %counter = tg.const(9629550131187509896 : ui64) : ui64
  %key = tg.const(247824715720788526 : ui64) : ui64
  // 0x99BA4EFE6B200159, 0xBB002BE71CB996FC, 0x483DF7A0C4923A9C
  // CHECK-DAG: %[[A:.*]] = tg.const(11077253088097075545 : ui64)
  // CHECK-DAG: %[[B:.*]] = tg.const(13474818356711888636 : ui64)
  // CHECK-DAG: %[[C:.*]] = tg.const(5205589014174907036 : ui64)
  %0 = tg.threefry %zero, %zero : ui64
  %1 = tg.threefry %ones, %ones : ui64
  %2 = tg.threefry %counter, %key : ui64
  // CHECK: return %[[A]], %[[B]], %[[C]]
  return %0, %1, %2 : ui64, ui64, ui64
}

// -----

// CHECK-LABEL: func @dense_elementwise
func.func @dense_elementwise() -> (tensor<2x2xi32>, tensor<3xi1>, tensor<3xf32>, tensor<2xi32>) {
  %a = tg.const(dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>) : tensor<2x2xi32>
  %ten = tg.const(10 : i32) : tensor<2x2xi32>
  // CHECK-DAG: %[[ADD:.*]] = tg.const(dense<{{\[\[}}11, 12], [13, 14]]> : tensor<2x2xi32>)
  %0 = tg.add %a, %ten : tensor<2x2xi32>
  %x = tg.const(dense<[1.0, 2.0, 3.0]> : tensor<3xf32>) : tensor<3xf32>
  %y = tg.const(dense<[3.0, 2.0, 1.0]> : tensor<3xf32>) : tensor<3xf32>
  // CHECK-DAG: %[[LT:.*]] = tg.const(dense<[true, false, false]> : tensor<3xi1>)
  %1 = tg.cmplt %x, %y : tensor<3xf32>
  // CHECK-DAG: %[[WHERE:.*]] = tg.const(dense<[1.000000e+00, 2.000000e+00, 1.000000e+00]> : tensor<3xf32>)
  %2 = tg.where %1, %x, %y : tensor<3xf32>
  %p = tg.const(dense<[1, 4]> : tensor<2xi32>) : tensor<2xi32>
  %q = tg.const(dense<[4, 1]> : tensor<2xi32>) : tensor<2xi32>
  // Equal elements become a splat.
  // CHECK-DAG: %[[SPLAT:.*]] = tg.const(5 : i32) : tensor<2xi32>
  %3 = tg.add %p, %q : tensor<2xi32>
  // CHECK: return %[[ADD]], %[[LT]], %[[WHERE]], %[[SPLAT]]
  return %0, %1, %2, %3 : tensor<2x2xi32>, tensor<3xi1>, tensor<3xf32>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func @dense_movement
func.func @dense_movement() -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<4x3xi32>, tensor<2x2xi32>) {
  %a = tg.const(dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>) : tensor<2x3xi32>
  // CHECK-DAG: %[[RESHAPE:.*]] = tg.const(dense<{{\[\[}}1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>)
  %0 = tg.reshape %a : tensor<2x3xi32> -> tensor<3x2xi32>
  // CHECK-DAG: %[[PERMUTE:.*]] = tg.const(dense<{{\[\[}}1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>)
  %1 = tg.permute %a [1, 0] : tensor<2x3xi32> -> tensor<3x2xi32>
  // CHECK-DAG: %[[FLIP:.*]] = tg.const(dense<{{\[\[}}3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>)
  %2 = tg.flip %a axes [1] : tensor<2x3xi32>
  // CHECK-DAG: %[[SHRINK:.*]] = tg.const(dense<{{\[\[}}2, 3], [5, 6]]> : tensor<2x2xi32>)
  %3 = tg.shrink %a from [0, 1] to [2, 3] : tensor<2x3xi32> -> tensor<2x2xi32>
  // CHECK-DAG: %[[PAD:.*]] = tg.const(dense<{{\[\[}}0, 0, 0], [1, 2, 3], [4, 5, 6], [0, 0, 0]]> : tensor<4x3xi32>)
  %4 = tg.pad %a low [1, 0] high [1, 0] : tensor<2x3xi32> -> tensor<4x3xi32>
  %b = tg.const(dense<[[7], [8]]> : tensor<2x1xi32>) : tensor<2x1xi32>
  // CHECK-DAG: %[[EXPAND:.*]] = tg.const(dense<{{\[\[}}7, 7], [8, 8]]> : tensor<2x2xi32>)
  %5 = tg.expand %b : tensor<2x1xi32> -> tensor<2x2xi32>
  // CHECK: return %[[RESHAPE]], %[[PERMUTE]], %[[FLIP]], %[[SHRINK]], %[[PAD]], %[[EXPAND]]
  return %0, %1, %2, %3, %4, %5 : tensor<3x2xi32>, tensor<3x2xi32>, tensor<2x3xi32>, tensor<2x2xi32>, tensor<4x3xi32>, tensor<2x2xi32>
}

// -----

// CHECK-LABEL: func @movement_of_splats
func.func @movement_of_splats() -> (tensor<8xf32>, tensor<3x2xf32>, tensor<2x5xf32>, tensor<1x1xf32>, tensor<9x9xf32>) {
  %x = tg.const(2.0 : f32) : tensor<2x4xf32>
  // CHECK-DAG: %[[A:.*]] = tg.const(2.000000e+00 : f32) : tensor<8xf32>
  %0 = tg.reshape %x : tensor<2x4xf32> -> tensor<8xf32>
  %y = tg.const(2.0 : f32) : tensor<2x3xf32>
  // CHECK-DAG: %[[B:.*]] = tg.const(2.000000e+00 : f32) : tensor<3x2xf32>
  %1 = tg.permute %y [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %z = tg.const(2.0 : f32) : tensor<2x1xf32>
  // CHECK-DAG: %[[C:.*]] = tg.const(2.000000e+00 : f32) : tensor<2x5xf32>
  %2 = tg.expand %z : tensor<2x1xf32> -> tensor<2x5xf32>
  // CHECK-DAG: %[[D:.*]] = tg.const(2.000000e+00 : f32) : tensor<1x1xf32>
  %3 = tg.shrink %x from [0, 0] to [1, 1] : tensor<2x4xf32> -> tensor<1x1xf32>
  // Padding with zeros changes nothing if all are zeros already.
  %zero = tg.const(0.0 : f32) : tensor<7x7xf32>
  // CHECK-DAG: %[[E:.*]] = tg.const(0.000000e+00 : f32) : tensor<9x9xf32>
  %4 = tg.pad %zero low [1, 1] high [1, 1] : tensor<7x7xf32> -> tensor<9x9xf32>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[E]]
  return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<3x2xf32>, tensor<2x5xf32>, tensor<1x1xf32>, tensor<9x9xf32>
}

// -----

// CHECK-LABEL: func @pad_of_other_splats_stays
func.func @pad_of_other_splats_stays() -> (tensor<300xf32>, tensor<300xf32>) {
  // CHECK-DAG: %[[ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<299xf32>
  %one = tg.const(1.0 : f32) : tensor<299xf32>
  // CHECK: tg.pad %[[ONE]]
  %0 = tg.pad %one low [1] high [0] : tensor<299xf32> -> tensor<300xf32>
  // The padding is +0.0.
  %nzero = tg.const(-0.0 : f32) : tensor<299xf32>
  // CHECK: tg.pad
  %1 = tg.pad %nzero low [1] high [0] : tensor<299xf32> -> tensor<300xf32>
  return %0, %1 : tensor<300xf32>, tensor<300xf32>
}

// -----

// CHECK-LABEL: func @large_dense_stays
func.func @large_dense_stays() -> (tensor<257xi8>, tensor<257xi8>) {
  %a = tg.const(dense<"0x000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecfd0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeeff0f1f2f3f4f5f6f7f8f9fafbfcfdfeff00"> : tensor<257xi8>) : tensor<257xi8>
  %one = tg.const(1 : i8) : tensor<257xi8>
  // CHECK: tg.add
  %0 = tg.add %a, %one : tensor<257xi8>
  // CHECK: tg.flip
  %1 = tg.flip %a axes [0] : tensor<257xi8>
  return %0, %1 : tensor<257xi8>, tensor<257xi8>
}

// -----

// CHECK-LABEL: func @reduce_of_splats
func.func @reduce_of_splats() -> (tensor<1xi8>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi1>, tensor<1xf32>, tensor<1xf32>) {
  %a = tg.const(3 : i8) : tensor<100xi8>
  // CHECK-DAG: %[[WRAP:.*]] = tg.const(44 : i8) : tensor<1xi8>
  %0 = tg.reduce add %a axes [0] : tensor<100xi8> -> tensor<1xi8>
  %b = tg.const(3 : i32) : tensor<5xi32>
  // CHECK-DAG: %[[POW:.*]] = tg.const(243 : i32) : tensor<1xi32>
  %1 = tg.reduce mul %b axes [0] : tensor<5xi32> -> tensor<1xi32>
  %c = tg.const(0.1 : f32) : tensor<5xf32>
  // CHECK-DAG: %[[MAX:.*]] = tg.const(1.000000e-01 : f32) : tensor<1xf32>
  %2 = tg.reduce max %c axes [0] : tensor<5xf32> -> tensor<1xf32>
  %one = tg.const(1.0 : f32) : tensor<1000xf32>
  // Every partial sum is exact.
  // CHECK-DAG: %[[SUM:.*]] = tg.const(1.000000e+03 : f32) : tensor<1xf32>
  %3 = tg.reduce add %one axes [0] : tensor<1000xf32> -> tensor<1xf32>
  %t = tg.const(true) : tensor<3xi1>
  // CHECK-DAG: %[[ANY:.*]] = tg.const(true) : tensor<1xi1>
  %4 = tg.reduce add %t axes [0] : tensor<3xi1> -> tensor<1xi1>
  %q = tg.const(-0.75 : f32) : tensor<6xf32>
  // CHECK-DAG: %[[QUARTERS:.*]] = tg.const(-4.500000e+00 : f32) : tensor<1xf32>
  %5 = tg.reduce add %q axes [0] : tensor<6xf32> -> tensor<1xf32>
  // CHECK-DAG: %[[ONE:.*]] = tg.const(1.000000e+00 : f32) : tensor<1xf32>
  %6 = tg.reduce mul %one axes [0] : tensor<1000xf32> -> tensor<1xf32>
  // CHECK: return %[[WRAP]], %[[POW]], %[[MAX]], %[[SUM]], %[[ANY]], %[[QUARTERS]], %[[ONE]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<1xi8>, tensor<1xi32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi1>, tensor<1xf32>, tensor<1xf32>
}

// -----

// Sums may be computed in a wider type: they are rounded once. Products of many
// floats are left alone.
// CHECK-LABEL: func @reduce_of_float_splats
func.func @reduce_of_float_splats() -> (tensor<1xf32>, tensor<1xf16>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf16>) {
  %a = tg.const(0.1 : f32) : tensor<20000000xf32>
  // CHECK-DAG: %[[A:.*]] = tg.const(2.000000e+06 : f32)
  %0 = tg.reduce add %a axes [0] : tensor<20000000xf32> -> tensor<1xf32>
  // 4096 ones: f16 counts to 2048.
  %b = tg.const(1.0 : f16) : tensor<4096xf16>
  // CHECK-DAG: %[[B:.*]] = tg.const(4.096000e+03 : f16)
  %1 = tg.reduce add %b axes [0] : tensor<4096xf16> -> tensor<1xf16>
  %c = tg.const(1.5 : f32) : tensor<300xf32>
  // CHECK-DAG: %[[C:.*]] = tg.reduce mul
  %2 = tg.reduce mul %c axes [0] : tensor<300xf32> -> tensor<1xf32>
  // Infinity.
  %d = tg.const(3.0e38 : f32) : tensor<2xf32>
  // CHECK-DAG: %[[D:.*]] = tg.const(0x7F800000 : f32)
  %3 = tg.reduce add %d axes [0] : tensor<2xf32> -> tensor<1xf32>
  %nan = tg.const(0x7FC00000 : f32) : tensor<7xf32>
  // CHECK-DAG: %[[NAN:.*]] = tg.const(0x7FC00000 : f32)
  %4 = tg.reduce add %nan axes [0] : tensor<7xf32> -> tensor<1xf32>
  %e = tg.const(100.0 : f16) : tensor<4096xf16>
  // CHECK-DAG: %[[E:.*]] = tg.const(0x7C00 : f16)
  %5 = tg.reduce add %e axes [0] : tensor<4096xf16> -> tensor<1xf16>
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]], %[[NAN]], %[[E]]
  return %0, %1, %2, %3, %4, %5 : tensor<1xf32>, tensor<1xf16>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf16>
}

// -----

// CHECK-LABEL: func @no_elements
// CHECK-SAME: (%{{.*}}: tensor<0x4xf32>, %[[Y:.*]]: tensor<4x0xi32>)
func.func @no_elements(%x: tensor<0x4xf32>, %y: tensor<4x0xi32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<4x1xi32>, tensor<0x4xf32>, tensor<2x4xf32>) {
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0.000000e+00 : f32) : tensor<1x4xf32>
  %0 = tg.reduce add %x axes [0] : tensor<0x4xf32> -> tensor<1x4xf32>
  // CHECK-DAG: %[[NINF:.*]] = tg.const(0xFF800000 : f32) : tensor<1x4xf32>
  %1 = tg.reduce max %x axes [0] : tensor<0x4xf32> -> tensor<1x4xf32>
  // CHECK-DAG: %[[MIN:.*]] = tg.const(-2147483648 : i32) : tensor<4x1xi32>
  %2 = tg.reduce max %y axes [1] : tensor<4x0xi32> -> tensor<4x1xi32>
  // CHECK-DAG: %[[EMPTY:.*]] = tg.const(0.000000e+00 : f32) : tensor<0x4xf32>
  %3 = tg.exp2 %x : tensor<0x4xf32>
  // CHECK-DAG: %[[PADDING:.*]] = tg.const(0.000000e+00 : f32) : tensor<2x4xf32>
  %4 = tg.pad %x low [1, 0] high [1, 0] : tensor<0x4xf32> -> tensor<2x4xf32>
  // CHECK: return %[[ZERO]], %[[NINF]], %[[MIN]], %[[EMPTY]], %[[PADDING]]
  return %0, %1, %2, %3, %4 : tensor<1x4xf32>, tensor<1x4xf32>, tensor<4x1xi32>, tensor<0x4xf32>, tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func @creation
func.func @creation() -> (tensor<3xi32>, tensor<1x5xi32>) {
  // CHECK-DAG: %[[SPLAT:.*]] = tg.const(4 : i32) : tensor<3xi32>
  %0 = tg.const(dense<4> : tensor<3xi32>) : tensor<3xi32>
  // CHECK-DAG: %[[ZERO:.*]] = tg.const(0 : i32) : tensor<1x5xi32>
  %1 = tg.iota 0 : tensor<1x5xi32>
  // CHECK: return %[[SPLAT]], %[[ZERO]]
  return %0, %1 : tensor<3xi32>, tensor<1x5xi32>
}

// -----

// CHECK-LABEL: func @vectors
func.func @vectors(%x: vector<4xi32>) -> (vector<4xi32>, vector<4xi32>, vector<2xi32>) {
  %zero = tg.const(0 : i32) : vector<4xi32>
  %two = tg.const(2 : i32) : vector<4xi32>
  // CHECK-DAG: %[[FOUR:.*]] = tg.const(4 : i32) : vector<4xi32>
  // CHECK-DAG: %[[DENSE:.*]] = tg.const(dense<[2, 4]> : vector<2xi32>) : vector<2xi32>
  %0 = tg.add %x, %zero : vector<4xi32>
  %1 = tg.mul %two, %two : vector<4xi32>
  %d = tg.const(dense<[1, 2]> : vector<2xi32>) : vector<2xi32>
  %2 = tg.add %d, %d : vector<2xi32>
  // CHECK: return %{{.*}}, %[[FOUR]], %[[DENSE]]
  return %0, %1, %2 : vector<4xi32>, vector<4xi32>, vector<2xi32>
}

// -----

// A part of static size, and a pad to one, at places that are not known.
// CHECK-LABEL: func @symbolic_places
#n = #tg.var<"n", 0, 2>
func.func @symbolic_places() -> (tensor<1xi32>, tensor<5xi32>) {
  %0 = tg.const(dense<[1, 2, 3]> : tensor<3xi32>) : tensor<3xi32>
  // CHECK: %[[PART:.*]] = tg.shrink %{{.*}} from [#n]
  %1 = tg.shrink %0 from [#n] to [#tg.dim<add, #n, 1>] : tensor<3xi32> -> tensor<1xi32>
  // CHECK: %[[PADDED:.*]] = tg.pad %{{.*}} low [#n]
  %2 = tg.pad %0 low [#n] high [#tg.dim<add, 2, #tg.dim<mul, #n, -1>>] : tensor<3xi32> -> tensor<5xi32>
  // CHECK: return %[[PART]], %[[PADDED]]
  return %1, %2 : tensor<1xi32>, tensor<5xi32>
}
