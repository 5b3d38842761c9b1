//===- ExpLog.cpp - exponentials, logarithms, tanh and erf ----------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Exponentials and logarithms in f32, and functions built on them.
///
/// exp2. With n the nearest integer to x / 2, 2^x = 4^n 4^r, |r| <= 1/2. Powers
/// of 4 take one more polynomial term than powers of 2, but 4^n = s * s where
/// s = 2^n stays a normal number even if 4^n leaves the range: multiplying by s
/// twice gives overflow and gradual underflow, rounded once, without further
/// code. Adding 1.5 * 2^23 leaves the integer in the low bits; with the
/// exponent bias in the constant as well, a shift turns those bits into s.
///
/// exp is a building block of other functions and therefore more precise:
/// e^x = 2^n e^r with |r| <= (ln 2) / 2, where rounding r and its polynomial
/// costs half as much. 2^n leaves the range, so n is split into two halves
/// whose powers are multiplied in one after the other.
///
/// Logarithms. x = 2^k (1 + f), and the polynomial is arranged as f + small: f
/// has no error of its own. In log1p, k is that of the rounded 1 + x, and f =
/// 2^-k x + (2^-k - 1) is one fused multiply-add, in which nothing of x is
/// lost; where k is not 0, the terms are within a factor of two of each other,
/// and f is exact.
///
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "MathBuilder.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::coefficients;

/// The number that each element of a constant is.
static std::optional<double> constantOf(Value x) {
  if (auto broadcast = x.getDefiningOp<vector::BroadcastOp>())
    x = broadcast.getSource();
  APFloat value(0.0);
  if (matchPattern(x, m_ConstantFloat(&value)))
    return value.convertToDouble();
  return std::nullopt;
}

static bool isZero(Value x) { return constantOf(x) == 0; }

namespace {
/// Bounds of an f32 where it is not NaN, but for rounding errors of the
/// operations that it is made of.
struct FloatRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();

  /// From bounds without rounding. Those that f32 may not hold are infinite;
  /// NaN, as of zero times infinity, is no bound.
  static FloatRange between(double least, double most) {
    FloatRange range;
    if (least > -1e38)
      range.least = least;
    if (most < 1e38)
      range.most = most;
    return range;
  }

  FloatRange operator-() const { return {-most, -least}; }
  FloatRange operator+(const FloatRange &other) const {
    return between(least + other.least, most + other.most);
  }
  FloatRange operator*(const FloatRange &other) const {
    const double products[] = {least * other.least, least * other.most,
                               most * other.least, most * other.most};
    if (llvm::any_of(products, [](double x) { return std::isnan(x); }))
      return {};
    return between(*llvm::min_element(products), *llvm::max_element(products));
  }
};

/// A comparison of a value with a constant, known to be true.
struct KnownBound {
  Value value;
  FloatRange range;
};
} // namespace

/// The bounds of x implied by `x < c` or `x > c` with a constant c, or by its
/// negation.
static KnownBound boundFrom(Value condition, bool isTrue) {
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  if (!compare)
    return {};
  bool isLess = compare.getPredicate() == arith::CmpFPredicate::OLT;
  if (!isLess && compare.getPredicate() != arith::CmpFPredicate::OGT)
    return {};
  Value value = compare.getLhs();
  std::optional<double> bound = constantOf(compare.getRhs());
  if (!bound) {
    value = compare.getRhs();
    bound = constantOf(compare.getLhs());
    isLess = !isLess;
  }
  if (!bound)
    return {};
  FloatRange range;
  (isLess == isTrue ? range.most : range.least) = *bound;
  return {value, range};
}

/// The range of what clamps and a few operations on them give.
static FloatRange rangeOf(Value x, const KnownBound &known = {},
                          unsigned depth = 0) {
  constexpr unsigned maxDepth = 8;
  if (std::optional<double> constant = constantOf(x))
    return FloatRange::between(*constant, *constant);
  Operation *op = x.getDefiningOp();
  if (!op || depth == maxDepth)
    return x == known.value ? known.range : FloatRange();
  auto operand = [&](unsigned i) {
    return rangeOf(op->getOperand(i), known, depth + 1);
  };
  FloatRange range;
  if (isa<arith::NegFOp>(op)) {
    range = -operand(0);
  } else if (isa<arith::AddFOp>(op)) {
    range = operand(0) + operand(1);
  } else if (isa<arith::MulFOp>(op)) {
    range = operand(0) * operand(1);
  } else if (isa<math::FmaOp>(op)) {
    range = operand(0) * operand(1) + operand(2);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto choice = [&](Value value, bool isTrue) {
      return rangeOf(value, boundFrom(select.getCondition(), isTrue),
                     depth + 1);
    };
    FloatRange first = choice(select.getTrueValue(), true);
    FloatRange second = choice(select.getFalseValue(), false);
    range = {std::min(first.least, second.least),
             std::max(first.most, second.most)};
  }
  if (x == known.value) {
    range.least = std::max(range.least, known.range.least);
    range.most = std::min(range.most, known.range.most);
  }
  return range;
}

/// Matches x = (y < 0 ? y : -y), which is -|y| up to the sign of a zero, and
/// returns y. Sigmoids use exponentials of it.
static Value matchMinusAbs(Value x) {
  auto select = x.getDefiningOp<arith::SelectOp>();
  if (!select)
    return {};
  Value y = select.getTrueValue();
  auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
  auto negative = select.getFalseValue().getDefiningOp<arith::NegFOp>();
  return compare && negative && negative.getOperand() == y &&
                 compare.getPredicate() == arith::CmpFPredicate::OLT &&
                 compare.getLhs() == y && isZero(compare.getRhs())
             ? y
             : Value();
}

/// Clamps the argument of an exponential to where it is neither infinite nor
/// zero.
static Value clampExponent(MathBuilder &e, Value x, float least, float most) {
  if (Value y = matchMinusAbs(x))
    x = e.withSign(y, e.signBit());
  else
    x = e.atMost(x, e.constF32(most));
  return e.atLeast(x, e.constF32(least));
}

/// Adding this to n leaves n + 127 in the low nine bits.
static constexpr float kRoundAndBias = 0x1.8p23f + 127;

/// (1 + r q) * 4^n, where the bits of `biased` are those of n + kRoundAndBias.
static Value scaleByPowerOf4(MathBuilder &e, Value r, Value q, Value biased) {
  Value p = e.fma(r, q, e.constF32(1.0f));
  Value exponent = e.shl(e.bitcast(e.i32(), biased), e.constI32(23));
  Value scale = e.bitcast(e.f32(), exponent);
  return e.mul(e.mul(p, scale), scale);
}

Value tg::emitExp2(MathBuilder &e, Value x) {
  // Outside of this range s would overflow or underflow. From -253 down, s is
  // zero, so that an exponential of -infinity or of a large number, as of a
  // mask, takes no subnormal numbers to compute.
  x = clampExponent(e, x, -254.0f, 129.0f);
  Value half = e.constF32(0.5f);
  Value magic = e.constF32(kRoundAndBias);
  Value biased = e.fma(x, half, magic);
  Value n = e.sub(biased, magic);
  Value r = e.fma(x, half, e.neg(n)); // exact
  return scaleByPowerOf4(e, r, e.polynomial(kExp4, r), biased);
}

namespace {
/// x = n ln 2 + r with an integer n.
struct ReducedExponent {
  /// Within [-(ln 2) / 2, (ln 2) / 2] or a little more.
  Value r;
  /// In i32, n and a bias in the low nine bits.
  Value biased;
};
} // namespace

static ReducedExponent reduceExponent(MathBuilder &e, Value x, float bias) {
  Value magic = e.constF32(0x1.8p23f + bias);
  Value biased = e.fma(x, e.constF32(0x1.715476p+0f), magic);
  Value n = e.sub(biased, magic);
  Value r = e.fma(n, e.constF32(-kLn2[0]), x); // exact
  r = e.fma(n, e.constF32(-kLn2[1]), r);
  return {r, e.bitcast(e.i32(), biased)};
}

/// The power of two whose biased exponent is in the low eight bits.
static Value powerOf2(MathBuilder &e, Value exponent) {
  return e.bitcast(e.f32(), e.shl(exponent, e.constI32(23)));
}

Value tg::emitExpOfModerate(MathBuilder &e, Value x) {
  auto [r, biased] = reduceExponent(e, x, 127);
  Value p = e.fma(r, e.polynomial(kExp, r), e.constF32(1.0f));
  return e.mul(p, powerOf2(e, biased));
}

Value tg::emitExp(MathBuilder &e, Value x) {
  if (const FloatRange range = rangeOf(x);
      range.least >= -87 && range.most <= 88)
    return emitExpOfModerate(e, x);
  // At the lower bound both halves of n are zeros, as in emitExp2.
  x = clampExponent(e, x, -176.0f, 89.0f);
  // Twice the bias: each half of n gets one.
  auto [r, biased] = reduceExponent(e, x, 254);
  Value p = e.fma(r, e.polynomial(kExp, r), e.constF32(1.0f));
  Value half = e.shru(biased, e.constI32(1));
  p = e.mul(p, powerOf2(e, half));
  return e.mul(p, powerOf2(e, e.subi(biased, half)));
}

Value tg::emitExpM1(MathBuilder &e, Value x) {
  Value bounded = e.atLeast(e.atMost(x, e.constF32(89.0f)), e.constF32(-25.0f));
  // 2^n (e^r - 1) + (2^n - 1), computed halved, since n reaches 128.
  auto [r, biased] = reduceExponent(e, bounded, 126);
  Value p = e.fma(e.mul(r, r), e.polynomial(kExpM1, r), r);
  Value scale = powerOf2(e, biased);
  Value half = e.fma(scale, p, e.sub(scale, e.constF32(0.5f)));
  // Halving would round subnormal numbers, and zeros keep their sign.
  Value isTiny = e.lt(e.abs(x), e.constF32(0x1p-25f));
  return e.select(isTiny, x, e.add(half, half));
}

/// The bits of sqrt(1/2).
static constexpr uint32_t kSqrtHalfBits = 0x3f3504f3u;

SplitFloat tg::splitFloat(MathBuilder &e, Value x) {
  // Scale subnormals into the normal range first.
  Value isSmall = e.lt(x, e.constF32(0x1p-126f));
  Value normal = e.select(isSmall, e.mul(x, e.constF32(0x1p23f)), x);
  // Subtracting the bits of sqrt(1/2) lets the next power of two start there:
  // the top bits become k, and the bits below become those of the fraction less
  // those of sqrt(1/2).
  Value base = e.constI32(kSqrtHalfBits);
  Value bits = e.subi(e.bitcast(e.i32(), normal), base);
  Value k = e.sitofp(e.f32(), e.shrs(bits, e.constI32(23)));
  k = e.select(isSmall, e.sub(k, e.constF32(23.0f)), k);
  Value mantissa = e.addi(e.andi(bits, e.constI32(0x7fffffu)), base);
  Value fraction =
      e.sub(e.bitcast(e.f32(), mantissa), e.constF32(1.0f)); // exact
  return {k, fraction};
}

Value tg::withSpecialLogs(MathBuilder &e, Value x, Value value) {
  Value zero = e.constant(0.0);
  value = e.select(e.lt(x, e.infinity()), value, x);
  value = e.select(e.eq(x, zero), e.infinity(/*negative=*/true), value);
  return e.select(e.lt(x, zero), e.nan(), value);
}

Value tg::emitLog2(MathBuilder &e, Value x) {
  auto [k, f] = splitFloat(e, x);
  Value logarithm = e.fma(f, e.polynomial(kLog2, f), f);
  return withSpecialLogs(e, x, e.add(k, logarithm));
}

/// k ln 2 + ln(1 + f) = k ln 2 + f + f^2 Q(f).
static Value emitLogOfParts(MathBuilder &e, Value k, Value f,
                            ArrayRef<float> q) {
  Value logarithm = e.fma(e.mul(f, f), e.polynomial(q, f), f);
  // One number is enough for ln 2: rounding it costs 0.02 units.
  return e.fma(k, e.constF32(0x1.62e43p-1f), logarithm);
}

Value tg::emitLog(MathBuilder &e, Value x) {
  auto [k, f] = splitFloat(e, x);
  return withSpecialLogs(e, x, emitLogOfParts(e, k, f, kLog));
}

Value tg::emitLog1p(MathBuilder &e, Value x) {
  ImplicitLocOpBuilder &b = e.builder();
  Value one = e.constF32(1.0f), minusOne = e.constF32(-1.0f);
  // 1 + f is in [3/4, 3/2): with sqrt(2) as the upper bound, f would be rounded
  // for x from there to 1/2.
  constexpr uint32_t threeQuarters = 0x3f400000u;
  Value bits =
      e.subi(e.bitcast(e.i32(), e.add(x, one)), e.constI32(threeQuarters));
  Value k = e.sitofp(e.f32(), e.shrs(bits, e.constI32(23)));
  // 2^-k. The biased exponent of four times as much is not negative.
  Value exponent = e.andi(bits, e.constI32(0xff800000u));
  Value four = e.bitcast(e.f32(), e.subi(e.constI32(0x40800000u), exponent));
  Value scale = e.mul(four, e.constF32(0.25f));
  Value f = e.fma(x, scale, e.sub(scale, one));
  Value value = emitLogOfParts(e, k, f, kLog1p);
  // Numbers below 2^-25 and what is not finite are their own result; one
  // comparison of bits finds both.
  constexpr uint32_t tiny = 0x33000000u, infinite = 0x7f800000u;
  Value distance = e.subi(e.bitcast(e.i32(), e.abs(x)), e.constI32(tiny));
  Value isOrdinary = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ult, distance, e.constI32(infinite - tiny));
  value = e.select(isOrdinary, value, x);
  value = e.select(e.eq(x, minusOne), e.infinity(/*negative=*/true), value);
  return e.select(e.lt(x, minusOne), e.nan(), value);
}

Value tg::emitTanh(MathBuilder &e, Value x) {
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
  return e.withSign(result, e.signOf(x));
}

Value tg::emitErf(MathBuilder &e, Value x) {
  Value one = e.constF32(1.0f);
  Value magnitude = e.abs(x);
  // Near zero, a polynomial.
  Value square = e.mul(x, x);
  Value small = e.fma(magnitude, e.polynomial(kErf, square), magnitude);
  // Elsewhere 1 - e^P, where P is the logarithm of the complement 1 - erf x.
  // The result is 1 from 4 on.
  Value clamped = e.atMost(magnitude, e.constF32(4.0f));
  Value rest = emitExpOfModerate(e, e.polynomial(kLogErfc, clamped));
  Value result = e.select(e.lt(magnitude, one), small, e.sub(one, rest));
  return e.withSign(result, e.signOf(x));
}
