//===- ExpLog.cpp - exp2, exp, log2, log, tanh ----------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Exponentials and logarithms in f32.
///
/// Exponentials. With the nearest integer n to x / 2 (in the base's own unit)
/// 2^x = 4^n 4^r, |r| <= 1/2. Taking powers of 4 costs one more term of the
/// polynomial than powers of 2 would, but then 4^n = s * s with s = 2^n, which
/// stays a normal number where 4^n leaves the range: multiplying by s twice
/// gives overflow and gradual underflow, rounded once, without further code.
/// The integer comes out of adding 1.5 * 2^23, which leaves it in the low bits;
/// with the bias of the exponent in the constant as well, a shift turns those
/// bits into s.
///
/// Logarithms. x = 2^k (1 + f), and the polynomial is arranged as f + small so
/// that the large part enters the final sum without an error of its own.
///
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "Emitter.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::coefficients;

/// Adding this to n leaves n + 127 in the low nine bits.
static constexpr float kRoundAndBias = 0x1.8p23f + 127;

/// (1 + r q) * 4^n, where the bits of `biased` are those of n + kRoundAndBias.
static Value scaleByPowerOf4(Emitter &e, Value r, Value q, Value biased) {
  Value p = e.fma(r, q, e.constF32(1.0f));
  Value exponent = e.shl(e.bitcast(e.i32(), biased), e.constI32(23));
  Value scale = e.bitcast(e.f32(), exponent);
  return e.mul(e.mul(p, scale), scale);
}

Value tg::emitExp2(Emitter &e, Value x) {
  // Beyond these the result is infinite or zero, and s would leave the range.
  x = e.atLeast(e.atMost(x, e.constF32(129.0f)), e.constF32(-151.0f));
  Value half = e.constF32(0.5f);
  Value magic = e.constF32(kRoundAndBias);
  Value biased = e.fma(x, half, magic);
  Value n = e.sub(biased, magic);
  Value r = e.fma(x, half, e.neg(n)); // exact
  return scaleByPowerOf4(e, r, e.polynomial(kExp4, r), biased);
}

Value tg::emitExp(Emitter &e, Value x) {
  x = e.atLeast(e.atMost(x, e.constF32(89.0f)), e.constF32(-104.0f));
  Value magic = e.constF32(kRoundAndBias);
  // 1 / (2 ln 2); that it is rounded makes r a little larger than ln 2 at most.
  Value biased = e.fma(x, e.constF32(0x1.715476p-1f), magic);
  Value n = e.sub(biased, magic);
  Value r = e.fma(n, e.constF32(-kTwoLn2[0]), x); // exact
  r = e.fma(n, e.constF32(-kTwoLn2[1]), r);
  return scaleByPowerOf4(e, r, e.polynomial(kExp, r), biased);
}

SplitFloat tg::splitFloat(Emitter &e, Value x) {
  // Subnormals are first brought into the normal range.
  Value isSmall = e.lt(x, e.constF32(0x1p-126f));
  Value normal = e.select(isSmall, e.mul(x, e.constF32(0x1p23f)), x);
  // Subtracting the bits of sqrt(1/2) makes numbers from there on count as the
  // next power of two: the top bits become k, the bits below those of the
  // fraction, less those of sqrt(1/2).
  Value base = e.constI32(0x3f3504f3u);
  Value bits = e.subi(e.bitcast(e.i32(), normal), base);
  Value k = e.sitofp(e.f32(), e.shrs(bits, e.constI32(23)));
  k = e.select(isSmall, e.sub(k, e.constF32(23.0f)), k);
  Value mantissa = e.addi(e.andi(bits, e.constI32(0x7fffffu)), base);
  Value fraction =
      e.sub(e.bitcast(e.f32(), mantissa), e.constF32(1.0f)); // exact
  return {k, fraction};
}

/// `value`, the logarithm of x, with the results for zeros, negative numbers,
/// +inf and NaN put in.
static Value withSpecialLogs(Emitter &e, Value x, Value value) {
  Value zero = e.constF32(0.0f);
  Value ordinary = e.lt(x, e.infinity());
  value = e.select(ordinary, value, x);
  value = e.select(e.eq(x, zero), e.infinity(/*negative=*/true), value);
  return e.select(e.lt(x, zero), e.nan(), value);
}

Value tg::emitLog2(Emitter &e, Value x) {
  auto [k, f] = splitFloat(e, x);
  Value logarithm = e.fma(f, e.polynomial(kLog2, f), f);
  return withSpecialLogs(e, x, e.add(k, logarithm));
}

Value tg::emitLog(Emitter &e, Value x) {
  auto [k, f] = splitFloat(e, x);
  Value low = e.mul(k, e.constF32(kLn2[1]));
  Value small = e.fma(e.mul(f, f), e.polynomial(kLog, f), low);
  Value logarithm =
      e.fma(k, e.constF32(kLn2[0]), e.add(f, small)); // product exact
  return withSpecialLogs(e, x, logarithm);
}

Value tg::emitTanh(Emitter &e, Value x) {
  Value one = e.constF32(1.0f), two = e.constF32(2.0f);
  Value magnitude = e.abs(x);
  // Near zero, a polynomial.
  Value square = e.mul(x, x);
  Value small =
      e.fma(e.mul(square, magnitude), e.polynomial(kTanh, square), magnitude);
  // Elsewhere 1 - 2 / (e^2x + 1), which is 1 in f32 from 9.02 on.
  Value clamped = e.atMost(magnitude, e.constF32(10.0f));
  Value power = emitExp(e, e.mul(clamped, two));
  Value large = e.sub(one, e.div(two, e.add(power, one)));
  Value result = e.select(e.lt(magnitude, e.constF32(0.625f)), small, large);
  Value sign = e.andi(e.bitcast(e.i32(), x), e.constI32(0x80000000u));
  return e.bitcast(e.f32(), e.ori(e.bitcast(e.i32(), result), sign));
}
