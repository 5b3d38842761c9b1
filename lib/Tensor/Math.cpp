//===- Math.cpp - functions of one tensor ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Elementary functions, those that the dialect has and what is built from
/// them. Integers are taken as float32; float16, bfloat16 and fp8 are computed
/// in float32 and rounded once.
///
/// What a tg.where does not choose is finite wherever its argument is: the
/// derivative of a choice multiplies that of either operand by 0 or 1, and 0
/// times infinity is NaN.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::detail;

using std::numbers::ln10;
using std::numbers::ln2;

static bool isDouble(const Tensor &x) { return x.dtype() == DType::Float64; }

/// An operand of the type and shape of \p x.
static Tensor likewise(const Operand &operand, const Tensor &x) {
  return operand.tensor() ? *operand.tensor() : same(x, operand.scalar());
}

Tensor detail::mulAdd(const Tensor &x, const Operand &factor,
                      const Operand &added) {
  return prim::mulacc(x, likewise(factor, x), likewise(added, x));
}

Tensor detail::scaled(const Tensor &x, double factor) {
  if (isDouble(x))
    return x * factor;
  // Both parts have the sign of the factor: infinities stay infinite.
  float high = float(factor);
  if (std::abs(high) > std::abs(factor))
    high = std::nextafter(high, 0.0f);
  return mulAdd(x, double(high), x * (factor - high));
}

Tensor detail::polynomial(const Tensor &x,
                          const std::vector<double> &coefficients) {
  Tensor result = same(x, coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;)
    result = mulAdd(result, x, coefficients[i]);
  return result;
}

Tensor detail::isSignSet(const Tensor &x) {
  constexpr DType bits[] = {DType::Int8, DType::Int16, DType::Int32,
                            DType::Int64};
  return prim::bitcast(x, bits[std::countr_zero(itemSize(x.dtype()))]) < 0;
}

Tensor detail::magnitude(const Tensor &x) {
  // 0 - x and not -x: it makes +0 of -0.
  return (x > 0).where(x, 0 - x);
}

Tensor detail::detachedWhere(const Tensor &condition, const Tensor &x) {
  return prim::where(condition, prim::detach(x), x);
}

Tensor
detail::constantAtZero(const Tensor &x, double value,
                       const std::function<Tensor(const Tensor &)> &function) {
  // The derivatives of function(1) are finite: those of function(0), times 0,
  // would be NaN.
  Tensor isZero = x == 0;
  return isZero.where(value, function(isZero.where(1, x)));
}

/// |x| by the sign bit. Of odd functions of x, withSign() of a function of it
/// has the right derivatives also at 0.
static Tensor withoutSign(const Tensor &x) { return isSignSet(x).where(-x, x); }

/// \p size, which is not negative, with the sign of \p x.
static Tensor withSign(const Tensor &x, const Tensor &size) {
  return isSignSet(x).where(-size, size);
}

Tensor detail::floatUnary(UnaryOp op, const Tensor &x) {
  return inFloat(x, [op](const Tensor &y) { return prim::unary(op, y); });
}

//===----------------------------------------------------------------------===//
// Signs and integers
//===----------------------------------------------------------------------===//

Tensor Tensor::neg() const {
  const MethodScope method("neg");
  if (dtype() == DType::Bool)
    return bitwiseNot();
  if (isFloat8(dtype()))
    return floatUnary(UnaryOp::Neg, *this);
  return prim::unary(UnaryOp::Neg, *this);
}

Tensor Tensor::abs() const {
  const MethodScope method("abs");
  if (dtype() == DType::Bool || isUnsigned(dtype()))
    return prim::alias(*this);
  if (!isFloat(dtype()) || isFloat8(dtype()))
    return magnitude(*this);
  // As magnitude(), but with the derivative 0 at 0.
  return (*this > 0).where(*this, 0 - detachedWhere(*this == 0, *this));
}

Tensor Tensor::sign() const {
  const MethodScope method("sign");
  if (dtype() == DType::Bool)
    return prim::alias(*this);
  // What is neither above nor below zero is its own sign: zeros and NaN.
  // trunc() leaves them as they are, and its derivative is 0.
  const bool hasGradient = isFloat(dtype()) && !isFloat8(dtype());
  Tensor result =
      (*this > 0).where(same(*this, 1), hasGradient ? trunc() : detach());
  if (isUnsigned(dtype()))
    return result;
  return (*this < 0).where(same(*this, -1), result);
}

Tensor Tensor::trunc() const {
  const MethodScope method("trunc");
  return isFloat(dtype()) ? floatUnary(UnaryOp::Trunc, *this)
                          : prim::alias(*this);
}

Tensor Tensor::floor() const {
  const MethodScope method("floor");
  if (!isFloat(dtype()))
    return prim::alias(*this);
  Tensor whole = trunc();
  return (*this < whole).where(whole - 1, whole);
}

Tensor Tensor::ceil() const {
  const MethodScope method("ceil");
  if (!isFloat(dtype()))
    return prim::alias(*this);
  Tensor whole = trunc();
  return (whole < *this).where(whole + 1, whole);
}

Tensor Tensor::round() const {
  const MethodScope method("round");
  if (!isFloat(dtype()))
    return prim::alias(*this);
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
  const MethodScope method("isnan");
  return isFloat(dtype()) ? *this != *this : zerosLike(DType::Bool);
}

Tensor Tensor::isinf(bool detectPositive, bool detectNegative) const {
  const MethodScope method("isinf");
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

Tensor Tensor::isfinite() const {
  const MethodScope method("isfinite");
  return !(isinf() | isnan());
}

/// The maximum of \p x and \p limit, or the minimum. Where both are equal, the
/// gradient flows through x, of which maximum() and minimum() give each a half.
static Tensor clampBy(const Tensor &x, const Operand &limit, bool isUpper) {
  const auto [value, bound] = broadcast(x, limit, "clamp");
  // What is known of the positions in an index is known of maxima.
  if (!isFloat(value.dtype()))
    return isUpper ? value.minimum(bound) : value.maximum(bound);
  Tensor isBeyond = isUpper ? value > bound : value < bound;
  // Of a number, whether it is NaN is known.
  const Scalar &number = limit.scalar();
  if (limit.tensor() ||
      (number.kind() == Scalar::Kind::Float && std::isnan(number.toDouble())))
    isBeyond = isBeyond | bound.isnan();
  return isBeyond.where(bound, value);
}

Tensor Tensor::clamp(std::optional<Operand> min,
                     std::optional<Operand> max) const {
  const MethodScope method("clamp");
  if (!min && !max)
    throw Error("clamp: neither a minimum nor a maximum is given");
  Tensor result = *this;
  if (min)
    result = clampBy(result, *min, /*isUpper=*/false);
  return max ? clampBy(result, *max, /*isUpper=*/true) : result;
}

//===----------------------------------------------------------------------===//
// Powers, exponentials, logarithms
//===----------------------------------------------------------------------===//

Tensor Tensor::square() const {
  const MethodScope method("square");
  return *this * *this;
}

Tensor Tensor::reciprocal() const { return floatUnary(UnaryOp::Recip, *this); }
Tensor Tensor::sqrt() const { return floatUnary(UnaryOp::Sqrt, *this); }
Tensor Tensor::rsqrt() const {
  const MethodScope method("rsqrt");
  return inFloat(*this, [](const Tensor &x) { return x.sqrt().reciprocal(); });
}
Tensor Tensor::exp2() const { return floatUnary(UnaryOp::Exp2, *this); }
Tensor Tensor::log2() const { return floatUnary(UnaryOp::Log2, *this); }
Tensor Tensor::exp() const { return floatUnary(UnaryOp::Exp, *this); }
Tensor Tensor::log() const { return floatUnary(UnaryOp::Log, *this); }
Tensor Tensor::log10() const {
  const MethodScope method("log10");
  return inFloat(*this,
                 [](const Tensor &x) { return scaled(x.log(), 1 / ln10); });
}

Tensor detail::expm1(const Tensor &x) { return prim::unary(UnaryOp::ExpM1, x); }
Tensor detail::log1p(const Tensor &x) { return prim::unary(UnaryOp::Log1p, x); }

Tensor detail::cheapExponential(const Tensor &x) {
  return mlir::tg::recipes::cheapExponential(x);
}

//===----------------------------------------------------------------------===//
// Circular and hyperbolic functions
//===----------------------------------------------------------------------===//

Tensor Tensor::sin() const { return floatUnary(UnaryOp::Sin, *this); }
Tensor Tensor::cos() const { return floatUnary(UnaryOp::Cos, *this); }
Tensor Tensor::tan() const { return floatUnary(UnaryOp::Tan, *this); }
Tensor Tensor::asin() const { return floatUnary(UnaryOp::Asin, *this); }
Tensor Tensor::acos() const { return floatUnary(UnaryOp::Acos, *this); }
Tensor Tensor::atan() const { return floatUnary(UnaryOp::Atan, *this); }
Tensor Tensor::tanh() const { return floatUnary(UnaryOp::Tanh, *this); }

namespace {
/// exp(|x|) / 2 as the product of a power and a constant, so that a sum with it
/// is rounded once. The power is a number where exp(|x|) is too large to be
/// one.
struct HalfExponential {
  Tensor power;
  double factor;

  /// The power of |x| - 13/16: the constant for that is nearly a float32.
  explicit HalfExponential(const Tensor &x)
      : power((magnitude(x) - shift).exp()), factor(std::exp(shift) / 2) {}

  /// exp(|x|) / 2 + sign * exp(-|x|) / 2
  Tensor plusInverse(int sign) const {
    return mulAdd(power, factor, (sign * 0.25 / factor) / power);
  }

private:
  static constexpr double shift = 0.8125;
};
} // namespace

static Tensor sinhOf(const Tensor &x) {
  // Below 1, where the difference cancels, the Taylor series.
  std::vector<double> series = {1.0 / 6};
  for (int n = 5; n < (isDouble(x) ? 21 : 11); n += 2)
    series.push_back(series.back() / (n * (n - 1)));
  Tensor isSmall = x.abs() < 1, small = isSmall.where(x, 0);
  Tensor square = small * small;
  return isSmall.where(
      mulAdd(small * square, polynomial(square, series), small),
      withSign(x, HalfExponential(x).plusInverse(-1)));
}

static Tensor coshOf(const Tensor &x) {
  return HalfExponential(x).plusInverse(1);
}

Tensor Tensor::sinh() const {
  const MethodScope method("sinh");
  return inFloat(*this, [](const Tensor &x) {
    // Where these overflow, the second derivatives of their parts have a
    // difference that is NaN. Three derivatives are given; the fourth one is
    // that of the parts again.
    return prim::withDerivative(sinhOf(x), x, [&] {
      return prim::withDerivative(coshOf(x), x, [&] { return sinhOf(x); });
    });
  });
}

Tensor Tensor::cosh() const {
  const MethodScope method("cosh");
  return inFloat(*this, [](const Tensor &x) {
    return prim::withDerivative(coshOf(x), x, [&] {
      return prim::withDerivative(sinhOf(x), x, [&] { return coshOf(x); });
    });
  });
}

/// From here on asinh(x) is log(2 x), and x^2 may be too large.
static constexpr double kLargeForSquare = 1e8;

Tensor Tensor::asinh() const {
  const MethodScope method("asinh");
  return inFloat(*this, [](const Tensor &x) {
    Tensor size = withoutSign(x), isLarge = size > kLargeForSquare;
    Tensor bounded = isLarge.where(1, size), square = bounded * bounded;
    Tensor value =
        isLarge.where(isLarge.where(size, 1).log() + ln2,
                      log1p(bounded + square / ((square + 1).sqrt() + 1)));
    return withSign(x, value);
  });
}

/// \p value with NaN where \p mask is true, and the derivatives of \p value.
static Tensor withNan(const Tensor &mask, const Tensor &value) {
  return mask.where(value + std::numeric_limits<double>::quiet_NaN(), value);
}

Tensor Tensor::acosh() const {
  const MethodScope method("acosh");
  return inFloat(*this, [](const Tensor &x) {
    // From here on acosh(x) is log(2 x).
    const double large = isDouble(x) ? kLargeForSquare : 4096;
    // Below -1 there is no value, but the formula has a derivative.
    const Tensor size = withoutSign(x);
    Tensor isLarge = size > large, bounded = isLarge.where(1, size);
    Tensor rest = bounded - 1;
    Tensor root = mulAdd(rest, rest, rest * 2).sqrt(), sum = rest + root;
    // What rounding the sum has lost counts by the derivative of the logarithm,
    // 1 / (x + root), which is x - root. For a larger x, that would be noise.
    Tensor lost = rest - (sum - root);
    Tensor value = log1p(sum) + (lost * (bounded - root)).detach();
    value = isLarge.where(isLarge.where(size, 1).log() + ln2, value);
    value = withNan(x < 1, withSign(x, value));
    return prim::withDerivative(
        value, x,
        [&] { return ((size - 1).sqrt() * (size + 1).sqrt()).reciprocal(); },
        /*isNeeded=*/true);
  });
}

Tensor Tensor::atanh() const {
  const MethodScope method("atanh");
  return inFloat(*this, [](const Tensor &x) {
    // log((1 + x) / (1 - x)) / 2
    Tensor size = withoutSign(x), twice = size * 2;
    Tensor value = log1p(mulAdd(twice, size / (1 - size), twice)) * 0.5;
    value = withNan(size > 1, withSign(x, value));
    return prim::withDerivative(
        value, x, [&] { return ((1 - x) * (1 + x)).reciprocal(); },
        /*isNeeded=*/true);
  });
}

Tensor Tensor::erf() const { return floatUnary(UnaryOp::Erf, *this); }
