//===- Arc.cpp - asin, acos and atan --------------------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inverse circular functions in f32 and f64.
///
/// asin and acos. Up to 1/2 there is a polynomial for asin x; from there on
/// asin x = pi / 2 - 2 asin t with t^2 = (1 - x) / 2, which is exact. Both take
/// the same polynomial in t^2, so that one of them is computed. acos is
/// pi / 2 - asin x, 2 asin t, or pi - 2 asin t for x below -1/2.
///
/// atan. Above 1, atan x = pi / 2 + atan(-1 / x); one quotient serves both. In
/// f64, a polynomial for numbers up to 1 would have 22 terms; up to 1/2 it has
/// 12. From 1/2 to 2, atan x = pi / 4 + atan((x - 1) / (x + 1)).
///
/// Pi is the sum of two numbers, the smaller of which joins the small part of
/// the result.
///
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::coefficients;

namespace {
/// What asin and acos have in common.
struct ReducedArc {
  /// Whether |x| is 1/2 or more.
  Value isLarge;
  /// |x|, or t.
  Value root;
  /// Q(root^2) root^3, what asin(root) is more than root.
  Value rest;
};
} // namespace

/// One of the two numbers whose sum is pi / 2.
static double halfPi(MathBuilder &e, unsigned part) {
  return e.isWide() ? kWideHalfPi[part] : kHalfPi[part];
}

static ReducedArc reduceArc(MathBuilder &e, Value x) {
  Value half = e.constant(0.5), magnitude = e.abs(x);
  Value isLarge = e.ge(magnitude, half);
  // NaN above 1.
  Value square =
      e.select(isLarge, e.fma(magnitude, e.constant(-0.5), half), e.mul(x, x));
  Value root = e.select(isLarge, e.sqrt(square), magnitude);
  Value polynomial = e.isWide() ? e.polynomial(kWideAsin, square)
                                : e.polynomial(kAsin, square);
  Value rest = e.mul(e.mul(root, square), polynomial);
  return {isLarge, root, rest};
}

Value tg::emitAsin(MathBuilder &e, Value x) {
  auto [isLarge, root, rest] = reduceArc(e, x);
  // pi / 2 - 2 root may be above 1 and the result, of smaller units, below:
  // what rounding the former has lost joins the small part.
  Value minusTwo = e.constant(-2.0), quarter = e.constant(halfPi(e, 0));
  Value large = e.fma(root, minusTwo, quarter);
  Value lost = e.fma(root, minusTwo, e.sub(quarter, large));
  Value small = e.add(e.fma(rest, minusTwo, e.constant(halfPi(e, 1))), lost);
  Value result = e.select(isLarge, e.add(large, small), e.add(root, rest));
  return e.withSign(result, e.signOf(x));
}

Value tg::emitAcos(MathBuilder &e, Value x) {
  auto [isLarge, root, rest] = reduceArc(e, x);
  Value sign = e.signOf(x);
  Value arc = e.flipSign(e.add(root, rest), sign);
  Value factor = e.select(isLarge, e.constant(2.0), e.constant(-1.0));
  // The multiple of pi / 2 that is added: 0 or 2 for a large |x|, else 1.
  Value zero = e.constant(0.0), isNegative = e.lt(x, zero);
  auto multiple = [&](unsigned part) {
    Value ofLarge = e.select(isNegative, e.constant(2 * halfPi(e, part)), zero);
    return e.select(isLarge, ofLarge, e.constant(halfPi(e, part)));
  };
  return e.add(e.fma(arc, factor, multiple(1)), multiple(0));
}

Value tg::emitAtan(MathBuilder &e, Value x) {
  Value zero = e.constF32(0.0f), one = e.constF32(1.0f);
  Value magnitude = e.abs(x);
  Value isLarge = e.gt(magnitude, one);
  Value t = e.div(e.select(isLarge, e.constF32(-1.0f), magnitude),
                  e.select(isLarge, magnitude, one));
  Value square = e.mul(t, t);
  Value cubic = e.mul(square, e.polynomial(kAtan, square));
  Value low = e.select(isLarge, e.constF32(kHalfPi[1]), zero);
  Value high = e.select(isLarge, e.constF32(kHalfPi[0]), zero);
  Value result = e.add(high, e.add(t, e.fma(t, cubic, low)));
  return e.withSign(result, e.signOf(x));
}

Value tg::emitWideAtan(MathBuilder &e, Value x) {
  Value one = e.constF64(1.0), magnitude = e.abs(x);
  Value isSmall = e.lt(magnitude, e.constF64(0.5));
  Value isMedium = e.lt(magnitude, e.constF64(2.0));
  // Of three numbers for small, medium and other x.
  auto choose = [&](Value small, Value medium, Value large) {
    return e.select(isSmall, small, e.select(isMedium, medium, large));
  };
  Value dividend = choose(magnitude, e.sub(magnitude, one), e.constF64(-1.0));
  Value divisor = choose(one, e.add(magnitude, one), magnitude);
  Value t = e.div(dividend, divisor);
  Value square = e.mul(t, t);
  Value cubic = e.mul(square, e.polynomial(kWideAtan, square));
  auto base = [&](double part) {
    return choose(e.constF64(0.0), e.constF64(part / 2), e.constF64(part));
  };
  Value rest = e.fma(t, cubic, base(kWideHalfPi[1]));
  Value result = e.add(base(kWideHalfPi[0]), e.add(t, rest));
  return e.withSign(result, e.signOf(x));
}
