//===- Math.cpp - functions of one tensor ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elementary functions, built from those that the dialect has. Integers are
/// taken as float32; float16, bfloat16 and fp8 are computed in float32 and
/// rounded once.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::detail;

using std::numbers::ln10;
using std::numbers::ln2;
using std::numbers::log2e;
using std::numbers::pi;

/// c[0] + c[1] x + c[2] x^2 + ...
template <typename Coefficients>
static Tensor polynomial(const Tensor &x, const Coefficients &coefficients) {
  auto it = std::rbegin(coefficients);
  Tensor result = same(x, *it);
  for (++it; it != std::rend(coefficients); ++it)
    result = result * x + *it;
  return result;
}

Tensor detail::floatUnary(UnaryOp op, const Tensor &x) {
  return inFloat(x, [op](const Tensor &y) { return prim::unary(op, y); });
}

//===----------------------------------------------------------------------===//
// Signs and integers
//===----------------------------------------------------------------------===//

Tensor Tensor::neg() const {
  if (dtype() == DType::Bool)
    return bitwiseNot();
  if (isFloat8(dtype()))
    return floatUnary(UnaryOp::Neg, *this);
  return prim::unary(UnaryOp::Neg, *this);
}

Tensor Tensor::abs() const {
  if (dtype() == DType::Bool || isUnsigned(dtype()))
    return *this;
  // 0 - x and not -x: it makes +0 of -0.
  return (*this > 0).where(*this, 0 - *this);
}

Tensor Tensor::sign() const {
  if (dtype() == DType::Bool)
    return *this;
  // What is neither above nor below zero is its own sign: zeros and NaN.
  Tensor result = (*this > 0).where(same(*this, 1), *this);
  if (isUnsigned(dtype()))
    return result;
  return (*this < 0).where(same(*this, -1), result);
}

Tensor Tensor::trunc() const {
  return isFloat(dtype()) ? floatUnary(UnaryOp::Trunc, *this) : *this;
}

Tensor Tensor::floor() const {
  if (!isFloat(dtype()))
    return *this;
  Tensor whole = trunc();
  return (*this < whole).where(whole - 1, whole);
}

Tensor Tensor::ceil() const {
  if (!isFloat(dtype()))
    return *this;
  Tensor whole = trunc();
  return (whole < *this).where(whole + 1, whole);
}

Tensor Tensor::round() const {
  if (!isFloat(dtype()))
    return *this;
  return inFloat(*this, [](const Tensor &x) {
    // The distance to the integer below, in absolute value, is exact.
    Tensor whole = x.trunc();
    Tensor rest = (x - whole).abs(), half = whole * 0.5;
    Tensor isOdd = half.trunc() != half;
    Tensor isUp = (rest > 0.5) | ((rest == 0.5) & isOdd);
    return isUp.where(whole + x.sign(), whole);
  });
}

Tensor Tensor::isnan() const {
  return isFloat(dtype()) ? *this != *this : zerosLike(DType::Bool);
}

Tensor Tensor::isinf(bool detectPositive, bool detectNegative) const {
  Tensor result = zerosLike(DType::Bool);
  if (!isFloat(dtype()))
    return result;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Some types have no infinity to compare with.
  Tensor x = isFloat8(dtype()) ? toFloat() : *this;
  if (detectPositive)
    result = result | (x == infinity);
  if (detectNegative)
    result = result | (x == -infinity);
  return result;
}

Tensor Tensor::isfinite() const { return !(isinf() | isnan()); }

Tensor Tensor::clamp(std::optional<Scalar> min,
                     std::optional<Scalar> max) const {
  if (!min && !max)
    throw Error("clamp: neither a least nor a greatest value is given");
  Tensor result = *this;
  if (min)
    result = result.maximum(*min);
  return max ? result.minimum(*max) : result;
}

//===----------------------------------------------------------------------===//
// Powers, exponentials, logarithms
//===----------------------------------------------------------------------===//

Tensor Tensor::square() const { return *this * *this; }
Tensor Tensor::reciprocal() const { return floatUnary(UnaryOp::Recip, *this); }
Tensor Tensor::sqrt() const { return floatUnary(UnaryOp::Sqrt, *this); }
Tensor Tensor::rsqrt() const {
  return inFloat(*this, [](const Tensor &x) { return x.sqrt().reciprocal(); });
}
Tensor Tensor::exp2() const { return floatUnary(UnaryOp::Exp2, *this); }
Tensor Tensor::log2() const { return floatUnary(UnaryOp::Log2, *this); }
Tensor Tensor::exp() const {
  return inFloat(*this, [](const Tensor &x) { return (x * log2e).exp2(); });
}
Tensor Tensor::log() const {
  return inFloat(*this, [](const Tensor &x) { return x.log2() * ln2; });
}
Tensor Tensor::log10() const {
  return inFloat(*this,
                 [](const Tensor &x) { return x.log2() * (ln2 / ln10); });
}

// What rounding 1 + x loses is made good by the quotient.
Tensor detail::log1p(const Tensor &x) {
  Tensor sum = x + 1, added = sum - 1;
  Tensor scaled = sum.log() * (x / added);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return (added == 0).where(x, (sum == infinity).where(sum, scaled));
}

//===----------------------------------------------------------------------===//
// Circular and hyperbolic functions
//===----------------------------------------------------------------------===//

Tensor Tensor::sin() const { return floatUnary(UnaryOp::Sin, *this); }

Tensor Tensor::cos() const {
  return inFloat(*this, [](const Tensor &x) {
    // sin(pi/2 - |x|) loses what rounding the difference loses, which is too
    // much for a large x: there it is 1 - 2 sin(x/2)^2.
    Tensor size = x.abs(), isSmall = size < 4;
    const bool isDouble = x.dtype() == DType::Float64;
    const double high = isDouble ? pi / 2 : double(float(pi / 2));
    const double low = isDouble ? 6.123233995736766e-17 : pi / 2 - high;
    Tensor sine = isSmall.where((high - size) + low, size * 0.5).sin();
    return isSmall.where(sine, 1 - sine * sine * 2);
  });
}

Tensor Tensor::tan() const {
  return inFloat(*this, [](const Tensor &x) { return x.sin() / x.cos(); });
}

/// The series for small x; larger ones are brought below tan(pi/8), where it is
/// short, by atan(x) = pi/4 + atan((x - 1) / (x + 1)) = pi/2 - atan(1/x).
static Tensor arctangent(const Tensor &x) {
  std::vector<double> series;
  const int numTerms = x.dtype() == DType::Float64 ? 21 : 10;
  for (int n = 0; n < numTerms; ++n)
    series.push_back((n % 2 ? -1.0 : 1.0) / (2 * n + 1));
  Tensor size = x.abs();
  Tensor isLarge = size > 1 + std::numbers::sqrt2;
  Tensor isSmall = size < std::numbers::sqrt2 - 1;
  Tensor reduced = isSmall.where(
      size, isLarge.where(-size.reciprocal(), (size - 1) / (size + 1)));
  Tensor offset =
      isSmall.where(same(x, 0), isLarge.where(same(x, pi / 2), pi / 4));
  Tensor value = offset + reduced * polynomial(reduced * reduced, series);
  return (x < 0).where(-value, value);
}

Tensor Tensor::atan() const { return inFloat(*this, arctangent); }

Tensor Tensor::asin() const {
  return inFloat(*this, [](const Tensor &x) {
    return arctangent(x / ((1 - x) * (1 + x)).sqrt());
  });
}

Tensor Tensor::acos() const {
  return inFloat(*this, [](const Tensor &x) {
    return arctangent(((1 - x) / (1 + x)).sqrt()) * 2;
  });
}

/// \p series(x) for an x near zero, where \p formula cancels.
template <typename Coefficients>
static Tensor oddFunction(const Tensor &x, double singleLimit,
                          double doubleLimit, const Coefficients &coefficients,
                          const Tensor &formula) {
  const double limit = x.dtype() == DType::Float64 ? doubleLimit : singleLimit;
  return (x.abs() < limit).where(x * polynomial(x * x, coefficients), formula);
}

Tensor Tensor::sinh() const {
  return inFloat(*this, [](const Tensor &x) {
    constexpr double series[] = {1, 1.0 / 6, 1.0 / 120, 1.0 / 5040,
                                 1.0 / 362880};
    // Halved in the exponent, where the function is not yet too large.
    Tensor power = x * log2e;
    return oddFunction(x, 1, 0.1, series,
                       (power - 1).exp2() - (-power - 1).exp2());
  });
}

Tensor Tensor::cosh() const {
  return inFloat(*this, [](const Tensor &x) {
    Tensor power = x * log2e;
    return (power - 1).exp2() + (-power - 1).exp2();
  });
}

Tensor Tensor::tanh() const {
  return inFloat(*this, [](const Tensor &x) {
    constexpr double series[] = {1, -1.0 / 3, 2.0 / 15, -17.0 / 315,
                                 62.0 / 2835};
    Tensor decay = (x.abs() * (-2 * log2e)).exp2();
    Tensor size = (1 - decay) / (1 + decay);
    return oddFunction(x, 0.25, 0.01, series, (x < 0).where(-size, size));
  });
}

Tensor Tensor::asinh() const {
  return inFloat(*this, [](const Tensor &x) {
    Tensor size = x.abs();
    // Above the limit the square may be too large; there it is log(2 |x|).
    Tensor isLarge = size > 1e8, bounded = isLarge.where(same(x, 1), size);
    Tensor square = bounded * bounded;
    Tensor value = isLarge.where(
        size.log() + ln2, log1p(bounded + square / ((square + 1).sqrt() + 1)));
    return (x < 0).where(-value, value);
  });
}

Tensor Tensor::acosh() const {
  return inFloat(*this, [](const Tensor &x) {
    Tensor isLarge = x > 1e8;
    Tensor rest = isLarge.where(same(x, 1), x) - 1;
    return isLarge.where(x.log() + ln2,
                         log1p(rest + (rest * 2 + rest * rest).sqrt()));
  });
}

Tensor Tensor::atanh() const {
  return inFloat(*this, [](const Tensor &x) {
    Tensor size = x.abs();
    Tensor value = log1p(size * 2 / (1 - size)) * 0.5;
    return (x < 0).where(-value, value);
  });
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

Tensor Tensor::erf() const {
  return inFloat(*this, [](const Tensor &x) {
    const bool isDouble = x.dtype() == DType::Float64;

    // Up to 1, the Taylor series.
    std::vector<double> series;
    double factorial = 1;
    const int numTerms = isDouble ? 18 : 11;
    for (int n = 0; n < numTerms; ++n) {
      series.push_back((n % 2 ? -2 : 2) * std::numbers::inv_sqrtpi /
                       (factorial * (2 * n + 1)));
      factorial *= n + 1;
    }

    // Above, 1 - exp(-x^2) q(1 / (1 + x/2)) with polynomials that interpolate q
    // at Chebyshev points for x from 1 to 6; from there on erf is 1.
    static const std::vector<double> single = {
        0.22142953896942183,     0.1618935702886035,     0.03856061080237543,
        0.005588786139893283,    0.00019693696658540025, -8.068263967624112e-05,
        -7.0160157362025855e-06, 1.830633359983791e-06};
    static const std::vector<double> twice = {
        0.2214295402299319,      0.16189356804102303,
        0.03856057042518542,     0.005588816281894306,
        0.00019713917762840052,  -8.079220480661925e-05,
        -7.340516954806864e-06,  1.9795645490039426e-06,
        1.6349504544654891e-07,  -7.006109559171136e-08,
        -5.787139656376894e-10,  2.637691842721779e-09,
        -2.80932610507989e-10,   -8.754064140248374e-11,
        2.991029646182142e-11,   7.538858426414663e-12,
        -2.9274360713316128e-12, -1.6200374375330284e-12};
    constexpr double middle = 11.0 / 24, halfWidth = 5.0 / 24;
    Tensor size = x.abs();
    Tensor bounded = size.maximum(1).minimum(6);
    Tensor u = ((bounded * 0.5 + 1).reciprocal() - middle) * (1 / halfWidth);
    Tensor tail =
        (-bounded * bounded).exp() * polynomial(u, isDouble ? twice : single);
    Tensor large = 1 - tail;
    // NaN is not below 1 and stays NaN through the maximum.
    return (size < 1).where(x * polynomial(x * x, series),
                            (x < 0).where(-large, large));
  });
}
