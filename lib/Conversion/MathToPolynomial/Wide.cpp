//===- Wide.cpp - exponentials, logarithms and erf in f64 -----------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Exponentials and erf work like those of f32 (ExpLog.cpp), with more terms.
///
/// For logarithms, x = 2^k (1 + f), and with s = f / (2 + f)
///
///   ln(1 + f) = ln((1 + s) / (1 - s)) = 2 s + s R,   R = s^2 Q(s^2).
///
/// A polynomial in f itself would take 24 terms instead of 7 and a division. In
/// 2 s = f - f s, f is exact, and f s = f^2 / 2 - s f^2 / 2 again has a large
/// part that is rounded once, so that the remainder is small:
///
///   ln(1 + f) = f - (f^2 / 2 - s (f^2 / 2 + R)).
///
/// tanh has no polynomial of its own, which would take 20 terms for small
/// numbers.
///
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::coefficients;

namespace {
/// x = n ln 2 + r with an integer n.
struct ReducedExponent {
  Value r;
  /// In i64, n and a bias in the low twelve bits.
  Value biased;
};
} // namespace

/// With `low`, that is added to x; at most a small part of ln 2.
static ReducedExponent reduceExponent(MathBuilder &e, Value x, double bias,
                                      Value low = {}) {
  Value magic = e.constF64(0x1.8p52 + bias);
  Value biased = e.fma(x, e.constF64(0x1.71547652b82fep+0), magic);
  Value n = e.sub(biased, magic);
  Value r = e.fma(n, e.constF64(-kWideLn2[0]), x); // exact
  Value rest = e.constF64(-kWideLn2[1]);
  r = low ? e.add(r, e.fma(n, rest, low)) : e.fma(n, rest, r);
  return {r, e.bitcast(e.i64(), biased)};
}

/// The power of two whose biased exponent is in the low eleven bits.
static Value powerOf2(MathBuilder &e, Value exponent) {
  return e.bitcast(e.f64(), e.shl(exponent, e.constI64(52)));
}

/// p * 2^n, where `biased` is n + 2046.
static Value scaleByTwoPowers(MathBuilder &e, Value p, Value biased) {
  Value half = e.shru(biased, e.constI64(1));
  p = e.mul(p, powerOf2(e, half));
  return e.mul(p, powerOf2(e, e.subi(biased, half)));
}

/// Bounds the argument of an exponential, beyond which it is infinite or zero.
/// At the lower bound, both powers of two are zeros.
static Value clampExponent(MathBuilder &e, Value x) {
  return e.atLeast(e.atMost(x, e.constF64(710.0)), e.constF64(-1418.0));
}

static Value emitExpOfSum(MathBuilder &e, Value high, Value low) {
  auto [r, biased] = reduceExponent(e, high, 2046, low);
  Value p = e.fma(r, e.polynomial(kWideExp, r), e.constF64(1.0));
  return scaleByTwoPowers(e, p, biased);
}

Value tg::emitWideExp(MathBuilder &e, Value x) {
  return emitExpOfSum(e, clampExponent(e, x), {});
}

Value tg::emitWideExpOfSum(MathBuilder &e, Value high, Value low) {
  Value bounded = clampExponent(e, high);
  low = e.select(e.eq(bounded, high), low, e.constF64(0.0));
  return emitExpOfSum(e, bounded, low);
}

Value tg::emitWideExp2(MathBuilder &e, Value x) {
  // Beyond these limits the result is infinite or zero. At the lower one, both
  // powers of two are zeros.
  x = e.atLeast(e.atMost(x, e.constF64(1025.0)), e.constF64(-2046.0));
  Value magic = e.constF64(0x1.8p52 + 2046);
  Value sum = e.add(x, magic);
  Value r = e.sub(x, e.sub(sum, magic)); // exact
  Value biased = e.bitcast(e.i64(), sum);
  Value p = e.fma(r, e.polynomial(kWideExp2, r), e.constF64(1.0));
  return scaleByTwoPowers(e, p, biased);
}

Value tg::emitWideExpM1(MathBuilder &e, Value x) {
  Value bounded = e.atLeast(e.atMost(x, e.constF64(710.0)), e.constF64(-50.0));
  // 2^n (e^r - 1) + (2^n - 1), computed halved, since n reaches 1024.
  auto [r, biased] = reduceExponent(e, bounded, 1022);
  Value p = e.fma(e.mul(r, r), e.polynomial(kWideExpM1, r), r);
  Value scale = powerOf2(e, biased);
  Value half = e.fma(scale, p, e.sub(scale, e.constF64(0.5)));
  // Halving would round subnormal numbers, and zeros keep their sign.
  Value isTiny = e.lt(e.abs(x), e.constF64(0x1p-54));
  return e.select(isTiny, x, e.add(half, half));
}

/// The bits of sqrt(1/2).
static constexpr uint64_t kSqrtHalfBits = 0x3fe6a09e667f3bcdu;

/// A small i64 as f64. Not arith.sitofp: AVX2 has no such instruction.
static Value toF64(MathBuilder &e, Value x) {
  Value magic = e.constF64(0x1.8p52);
  Value sum = e.addi(x, e.bitcast(e.i64(), magic));
  return e.sub(e.bitcast(e.f64(), sum), magic);
}

/// k ln 2 + ln(1 + f).
static Value emitLogOfParts(MathBuilder &e, Value k, Value f) {
  Value s = e.div(f, e.add(f, e.constF64(2.0)));
  Value square = e.mul(s, s);
  Value rest = e.mul(square, e.polynomial(kWideLog, square));
  Value half = e.mul(e.mul(f, f), e.constF64(0.5));
  Value low = e.mul(k, e.constF64(kWideLn2[1]));
  Value small = e.sub(half, e.fma(s, e.add(half, rest), low));
  return e.fma(k, e.constF64(kWideLn2[0]), e.sub(f, small)); // product exact
}

SplitFloat tg::splitWide(MathBuilder &e, Value x) {
  // Subnormals are first brought into the normal range.
  Value isSmall = e.lt(x, e.constF64(0x1p-1022));
  Value normal = e.select(isSmall, e.mul(x, e.constF64(0x1p52)), x);
  Value base = e.constI64(kSqrtHalfBits);
  Value bits = e.subi(e.bitcast(e.i64(), normal), base);
  Value k = toF64(e, e.shrs(bits, e.constI64(52)));
  k = e.select(isSmall, e.sub(k, e.constF64(52.0)), k);
  Value mantissa = e.addi(e.andi(bits, e.constI64(0xfffffffffffffu)), base);
  Value f = e.sub(e.bitcast(e.f64(), mantissa), e.constF64(1.0)); // exact
  return {k, f};
}

Value tg::emitWideLog(MathBuilder &e, Value x) {
  auto [k, f] = splitWide(e, x);
  return withSpecialLogs(e, x, emitLogOfParts(e, k, f));
}

Value tg::emitWideLog2(MathBuilder &e, Value x) {
  auto [k, f] = splitWide(e, x);
  // ln(1 + f) as in emitLogOfParts, but as an unevaluated sum of two numbers,
  // and its product with log2(e) as another.
  Value s = e.div(f, e.add(f, e.constF64(2.0)));
  Value square = e.mul(s, s);
  Value rest = e.mul(square, e.polynomial(kWideLog, square));
  Value half = e.mul(e.mul(f, f), e.constF64(0.5));
  Value high = e.sub(f, half);
  Value low = e.fma(s, e.add(half, rest), e.sub(e.sub(f, high), half));
  Value factor = e.constF64(kWideLog2E[0]);
  Value product = e.mul(high, factor);
  Value small = e.fma(high, factor, e.neg(product));
  small = e.fma(low, factor, small);
  small = e.fma(high, e.constF64(kWideLog2E[1]), small);
  // k is 0 or larger than the product.
  Value sum = e.add(k, product);
  small = e.add(small, e.add(e.sub(k, sum), product));
  return withSpecialLogs(e, x, e.add(sum, small));
}

Value tg::emitWideLog1p(MathBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.builder();
  Value one = e.constF64(1.0), minusOne = e.constF64(-1.0);
  Value bits =
      e.subi(e.bitcast(e.i64(), e.add(x, one)), e.constI64(kSqrtHalfBits));
  Value k = toF64(e, e.shrs(bits, e.constI64(52)));
  // 2^-k. The biased exponent of four times as much is not negative.
  Value exponent = e.andi(bits, e.constI64(0xfff0000000000000u));
  Value four =
      e.bitcast(e.f64(), e.subi(e.constI64(0x4010000000000000u), exponent));
  Value scale = e.mul(four, e.constF64(0.25));
  Value f = e.fma(x, scale, e.sub(scale, one));
  Value value = emitLogOfParts(e, k, f);
  // Numbers below 2^-54 and non-finite numbers are their own result; one
  // comparison of bits detects both.
  constexpr uint64_t tiny = 0x3c90000000000000u, infinite = 0x7ff0000000000000u;
  Value distance = e.subi(e.bitcast(e.i64(), e.abs(x)), e.constI64(tiny));
  Value isOrdinary = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ult, distance, e.constI64(infinite - tiny));
  value = e.select(isOrdinary, value, x);
  value = e.select(e.eq(x, minusOne), e.infinity(/*negative=*/true), value);
  return e.select(e.lt(x, minusOne), e.nan(), value);
}

Value tg::emitWideTanh(MathBuilder &e, Value x) {
  Value one = e.constF64(1.0), two = e.constF64(2.0);
  // t / (t + 2) with t = e^2|x| - 1, which is 1 in f64 from 19.1 on. An error
  // of t affects the whole result, so t is a sum of two numbers.
  Value clamped = e.atMost(e.abs(x), e.constF64(20.0));
  auto [r, biased] = reduceExponent(e, e.mul(clamped, two), 1023);
  Value curve = e.mul(e.mul(r, r), e.polynomial(kWideExpM1, r));
  Value p = e.add(r, curve);
  Value pLow = e.add(e.sub(r, p), curve);
  Value scale = powerOf2(e, biased);
  Value scaleLess1 = e.sub(scale, one);
  Value t = e.fma(scale, p, scaleLess1);
  Value tLow = e.fma(scale, pLow, e.fma(scale, p, e.sub(scaleLess1, t)));
  // Correct the quotient for its own rounding error, too.
  Value divisor = e.add(t, two);
  Value divisorLow = e.add(e.add(e.sub(t, divisor), two), tLow);
  Value inverse = e.div(one, divisor);
  Value quotient = e.mul(t, inverse);
  Value left = e.fma(e.neg(quotient), divisor, t);
  left = e.add(e.fma(e.neg(quotient), divisorLow, left), tLow);
  Value result = e.fma(left, inverse, quotient);
  return e.withSign(result, e.signOf(x));
}

Value tg::emitWideErf(MathBuilder &e, Value x) {
  Value one = e.constF64(1.0);
  Value magnitude = e.abs(x);
  // Near zero, a polynomial.
  Value square = e.mul(x, x);
  Value small = e.fma(magnitude, e.polynomial(kWideErf, square), magnitude);
  // Elsewhere 1 - e^P, which is 1 from 6 on.
  Value clamped = e.atMost(magnitude, e.constF64(6.0));
  auto [r, biased] =
      reduceExponent(e, e.polynomial(kWideLogErfc, clamped), 1023);
  Value p = e.fma(r, e.polynomial(kWideExp, r), one);
  Value large = e.sub(one, e.mul(p, powerOf2(e, biased)));
  Value result = e.select(e.lt(magnitude, one), small, large);
  return e.withSign(result, e.signOf(x));
}
