//===- Pow.cpp - pow ------------------------------------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// |x|^y = 2^(y log2 |x|), computed in f64. The product reaches 150, so an f32
/// result within 2 units in the last place needs a logarithm with an error of
/// about 2^-33, which near x = 1 is relative. Every f32 result is in the normal
/// range of f64; rounding to f32 gives overflow and gradual underflow.
///
/// Special cases: a zero, infinite or NaN x passes through the logarithm (as
/// -inf, inf, NaN), which mostly gives the right result. What remains is the
/// sign for odd y, NaN for a negative x and a fractional y, and results that
/// are 1.
///
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::coefficients;

/// log2 of a number that is not negative, in f64.
static Value emitLogForPow(MathBuilder &e, Value x) {
  auto [k, f] = splitFloat(e, x);
  // f is zero for 0 and inf, where k alone becomes the result.
  k = e.select(e.eq(x, e.constF32(0.0f)), e.infinity(/*negative=*/true), k);
  k = e.select(e.lt(x, e.infinity()), k, x);
  Value wideF = e.extf(e.f64(), f);
  return e.fma(wideF, e.polynomial(kPowLog2, wideF), e.extf(e.f64(), k));
}

/// 2^x for an f64, rounded to f32.
static Value emitExpForPow(MathBuilder &e, Value x) {
  // Beyond these limits the f32 result is infinite or zero.
  x = e.atLeast(e.atMost(x, e.constF64(160.0)), e.constF64(-160.0));
  // As in exp2 for f32: leaves the biased exponent in the low bits.
  Value magic = e.constF64(0x1.8p52 + 1023);
  Value biased = e.add(x, magic);
  Value r = e.sub(x, e.sub(biased, magic));
  Value exponent = e.shl(e.bitcast(e.i64(), biased), e.constI64(52));
  Value scale = e.bitcast(e.f64(), exponent);
  return e.truncf(e.f32(), e.mul(e.polynomial(kPowExp2, r), scale));
}

Value tg::emitPow(MathBuilder &e, Value x, Value y) {
  ImplicitLocOpBuilder &b = e.builder();
  Value zero = e.constF32(0.0f), one = e.constF32(1.0f);
  Value magnitude = e.abs(x);
  Value power =
      emitExpForPow(e, e.mul(e.extf(e.f64(), y), emitLogForPow(e, magnitude)));

  // The sign bit of x (of -0.0 and -inf, too) goes to the result for odd y.
  // Half an odd number is not an integer; large y are all even.
  Value halfY = e.mul(y, e.constF32(0.5f));
  Value fractionInY = e.ne(e.floor(y), y);
  Value fractionInHalfY = e.ne(e.floor(halfY), halfY);
  Value signOfX = e.andi(e.bitcast(e.i32(), x), e.constI32(0x80000000u));
  Value noSign = e.constI32(0);
  Value sign =
      e.select(fractionInY, noSign, e.select(fractionInHalfY, signOfX, noSign));
  Value result = e.bitcast(e.f32(), e.xori(e.bitcast(e.i32(), power), sign));

  // x is finite and below zero.
  Value finiteNegative =
      arith::AndIOp::create(b, e.lt(x, zero), e.lt(magnitude, e.infinity()));
  result = e.select(e.andi(finiteNegative, fractionInY), e.nan(), result);

  // 1 for y = 0 or x = 1, whatever the other operand is, and for (-1)^(+-inf).
  Value isOne = e.ori(e.eq(y, zero), e.eq(x, one));
  Value isMinusOneToInfinity =
      e.andi(e.eq(magnitude, one), e.eq(e.abs(y), e.infinity()));
  return e.select(e.ori(isOne, isMinusOneToInfinity), one, result);
}
