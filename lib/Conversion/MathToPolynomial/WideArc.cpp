//===- WideArc.cpp - asin, acos and atan in f64 ---------------------------===//
//
// Part of the TinyGrad project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Inverse circular functions in f64. asin and acos are those of f32 (Arc.cpp)
/// with more terms.
///
/// atan. A polynomial for numbers up to 1 would have 22 terms; up to 1/2 it has
/// 12. From 1/2 to 2, atan x = pi / 4 + atan((x - 1) / (x + 1)), and above,
/// atan x = pi / 2 + atan(-1 / x); one quotient serves all.
///
//===----------------------------------------------------------------------===//

#include "Coefficients.h"
#include "MathBuilder.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::coefficients;

static Value copySign(MathBuilder &e, Value magnitude, Value sign) {
  return math::CopySignOp::create(e.builder(), magnitude, sign);
}

namespace {
/// What asin and acos have in common.
struct ReducedArc {
  /// Whether |x| is 1/2 or more.
  Value isLarge;
  /// |x|, or sqrt((1 - |x|) / 2).
  Value root;
  /// What asin(root) is more than root.
  Value rest;
};
} // namespace

static ReducedArc reduceArc(MathBuilder &e, Value x) {
  Value half = e.constF64(0.5), magnitude = e.abs(x);
  Value isLarge = e.ge(magnitude, half);
  // NaN above 1.
  Value square =
      e.select(isLarge, e.fma(magnitude, e.constF64(-0.5), half), e.mul(x, x));
  Value root = e.select(isLarge, e.sqrt(square), magnitude);
  Value rest = e.mul(e.mul(root, square), e.polynomial(kWideAsin, square));
  return {isLarge, root, rest};
}

Value tg::emitWideAsin(MathBuilder &e, Value x) {
  auto [isLarge, root, rest] = reduceArc(e, x);
  // What rounding pi / 2 - 2 root has lost joins the small part.
  Value minusTwo = e.constF64(-2.0), quarter = e.constF64(kWideHalfPi[0]);
  Value large = e.fma(root, minusTwo, quarter);
  Value lost = e.fma(root, minusTwo, e.sub(quarter, large));
  Value small = e.add(e.fma(rest, minusTwo, e.constF64(kWideHalfPi[1])), lost);
  Value result = e.select(isLarge, e.add(large, small), e.add(root, rest));
  return copySign(e, result, x);
}

Value tg::emitWideAcos(MathBuilder &e, Value x) {
  auto [isLarge, root, rest] = reduceArc(e, x);
  Value arc = copySign(e, e.add(root, rest), x);
  Value factor = e.select(isLarge, e.constF64(2.0), e.constF64(-1.0));
  // The multiple of pi / 2 that is added: 0 or 2 for a large |x|, else 1.
  Value zero = e.constF64(0.0), isNegative = e.lt(x, zero);
  auto multiple = [&](double part) {
    Value ofLarge = e.select(isNegative, e.constF64(2.0 * part), zero);
    return e.select(isLarge, ofLarge, e.constF64(part));
  };
  return e.add(e.fma(arc, factor, multiple(kWideHalfPi[1])),
               multiple(kWideHalfPi[0]));
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
  return copySign(e, result, x);
}
