//===- Arc.cpp - asin, acos and atan --------------------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inverse circular functions in f32.
///
/// asin and acos. Up to 1/2 there is a polynomial for asin x; from there on
/// asin x = pi / 2 - 2 asin t with t^2 = (1 - x) / 2, which is exact. Both take
/// the same polynomial in t^2, so that one of them is computed. acos is
/// pi / 2 - asin x, 2 asin t, or pi - 2 asin t for x below -1/2.
///
/// atan. Above 1, atan x = pi / 2 + atan(-1 / x); one quotient serves both.
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

static ReducedArc reduceArc(MathBuilder &e, Value x) {
  Value half = e.constF32(0.5f), magnitude = e.abs(x);
  Value isLarge = e.ge(magnitude, half);
  // NaN above 1.
  Value square =
      e.select(isLarge, e.fma(magnitude, e.constF32(-0.5f), half), e.mul(x, x));
  Value root = e.select(isLarge, e.sqrt(square), magnitude);
  Value rest = e.mul(e.mul(root, square), e.polynomial(kAsin, square));
  return {isLarge, root, rest};
}

Value tg::emitAsin(MathBuilder &e, Value x) {
  auto [isLarge, root, rest] = reduceArc(e, x);
  // pi / 2 - 2 root may be above 1 and the result, of smaller units, below:
  // what rounding the former has lost joins the small part.
  Value minusTwo = e.constF32(-2.0f), quarter = e.constF32(kHalfPi[0]);
  Value large = e.fma(root, minusTwo, quarter);
  Value lost = e.fma(root, minusTwo, e.sub(quarter, large));
  Value small = e.add(e.fma(rest, minusTwo, e.constF32(kHalfPi[1])), lost);
  Value result = e.select(isLarge, e.add(large, small), e.add(root, rest));
  return e.withSign(result, e.signOf(x));
}

Value tg::emitAcos(MathBuilder &e, Value x) {
  auto [isLarge, root, rest] = reduceArc(e, x);
  Value sign = e.signOf(x);
  Value arc = e.flipSign(e.add(root, rest), sign);
  Value factor = e.select(isLarge, e.constF32(2.0f), e.constF32(-1.0f));
  // The multiple of pi / 2 that is added: 0 or 2 for a large |x|, else 1.
  Value zero = e.constF32(0.0f), isNegative = e.lt(x, zero);
  auto multiple = [&](float part) {
    Value ofLarge = e.select(isNegative, e.constF32(2.0f * part), zero);
    return e.select(isLarge, ofLarge, e.constF32(part));
  };
  return e.add(e.fma(arc, factor, multiple(kHalfPi[1])), multiple(kHalfPi[0]));
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
