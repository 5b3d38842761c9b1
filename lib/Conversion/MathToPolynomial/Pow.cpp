//===- Pow.cpp - pow ------------------------------------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// f32: |x|^y = 2^(y log2 |x|), computed in f64: the product reaches 150, so
/// that 2 units in the last place of the f32 result take a logarithm that is
/// good to some 2^-33, near 1 relative to itself. The result of the f64
/// arithmetic is in the normal range of f64 for every f32 result; rounding it
/// to f32 gives overflow and gradual underflow.
///
/// f64: |x|^y = e^(y ln |x|), where the logarithm and the product, which
/// reaches 745, are sums of two numbers, good to some 2^-65. Of the logarithm's
/// series in s (see Wide.cpp), the first two terms are such sums.
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

/// x^y for an x that is not negative, and a finite y.
static Value emitPower(MathBuilder &e, Value x, Value y) {
  Value logarithm = emitLogForPow(e, x);
  return emitExpForPow(e, e.mul(e.extf(e.f64(), y), logarithm));
}

namespace {
/// high + low.
struct Sum {
  Value high, low;
};
} // namespace

/// ln(1 + f) for 1 + f in [sqrt(1/2), sqrt(2)].
static Sum emitLog1pForPow(MathBuilder &e, Value f) {
  Value two = e.constF64(2.0), twoThirds = e.constF64(kWideTwoThirds[0]);
  // s = f / (2 + f)
  Value divisor = e.add(f, two);
  Value divisorLow = e.sub(f, e.sub(divisor, two));
  Value inverse = e.div(e.constF64(1.0), divisor);
  Value s = e.mul(f, inverse), minusS = e.neg(s);
  Value left = e.fma(minusS, divisorLow, e.fma(minusS, divisor, f));
  Value sLow = e.mul(left, inverse);
  // s^2
  Value square = e.mul(s, s);
  Value squareLow = e.fma(s, s, e.neg(square));
  squareLow = e.fma(e.add(s, s), sLow, squareLow);
  // 2 / 3 + s^2 Q(s^2)
  Value tail = e.mul(square, e.polynomial(kWidePowLog, square));
  Value factor = e.add(twoThirds, tail);
  Value factorLow = e.add(e.add(e.sub(twoThirds, factor), tail),
                          e.constF64(kWideTwoThirds[1]));
  // Times s^2
  Value rest = e.mul(square, factor);
  Value restLow = e.fma(square, factor, e.neg(rest));
  restLow = e.fma(square, factorLow, restLow);
  restLow = e.fma(squareLow, factor, restLow);
  // Plus 2, times s
  Value sum = e.add(two, rest);
  Value sumLow = e.add(e.add(e.sub(two, sum), rest), restLow);
  Value high = e.mul(s, sum);
  Value low = e.fma(s, sumLow, e.fma(s, sum, e.neg(high)));
  return {high, e.fma(sLow, sum, low)};
}

/// The same in f64.
static Value emitWidePower(MathBuilder &e, Value x, Value y) {
  auto [k, f] = splitWide(e, x);
  auto [high, low] = emitLog1pForPow(e, f);
  // k is 0, or k ln 2 larger than the rest.
  Value base = e.mul(k, e.constF64(kWideLn2[0])); // exact
  Value logarithm = e.add(base, high);
  low = e.add(e.add(e.sub(base, logarithm), high), low);
  low = e.fma(k, e.constF64(kWideLn2[1]), low);
  logarithm = e.select(e.eq(x, e.constF64(0.0)), e.infinity(/*negative=*/true),
                       logarithm);
  logarithm = e.select(e.lt(x, e.infinity()), logarithm, x);
  Value product = e.mul(y, logarithm);
  Value productLow = e.fma(y, logarithm, e.neg(product));
  return emitWideExpOfSum(e, product, e.fma(y, low, productLow));
}

Value tg::emitPow(MathBuilder &e, Value x, Value y) {
  Value zero = e.constant(0.0), one = e.constant(1.0);
  Value magnitude = e.abs(x);
  // Times the smallest logarithm, 2^64 is beyond the range of exponentials.
  Value bounded =
      e.atLeast(e.atMost(y, e.constant(0x1p64)), e.constant(-0x1p64));
  Value power = e.isWide() ? emitWidePower(e, magnitude, bounded)
                           : emitPower(e, magnitude, bounded);

  // The sign bit of x (of -0.0 and -inf, too) goes to the result for odd y.
  // Half an odd number is not an integer; large y are all even.
  Value halfY = e.mul(y, e.constant(0.5));
  Value fractionInY = e.ne(e.floor(y), y);
  Value fractionInHalfY = e.ne(e.floor(halfY), halfY);
  Value noSign = e.bits(0);
  Value sign = e.select(fractionInHalfY, e.signOf(x), noSign);
  Value result = e.flipSign(power, e.select(fractionInY, noSign, sign));

  // A finite x below zero.
  Value finiteNegative = e.andi(e.lt(x, zero), e.lt(magnitude, e.infinity()));
  result = e.select(e.andi(finiteNegative, fractionInY), e.nan(), result);

  // 1 for y = 0 and for x = 1 whatever the other is.
  return e.select(e.ori(e.eq(y, zero), e.eq(x, one)), one, result);
}
