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
#include <limits>
#include <numbers>

using namespace tinygrad;
using namespace tinygrad::detail;

using std::numbers::ln10;
using std::numbers::ln2;
using std::numbers::log2e;
using std::numbers::pi;

static bool isDouble(const Tensor &x) { return x.dtype() == DType::Float64; }

/// An operand of the type and shape of \p x.
static Tensor likewise(const Operand &operand, const Tensor &x) {
  return operand.tensor() ? *operand.tensor() : same(x, operand.scalar());
}

Tensor detail::mulAdd(const Tensor &x, const Operand &factor,
                      const Operand &added) {
  return prim::mulacc(x, likewise(factor, x), likewise(added, x));
}

Tensor detail::polynomial(const Tensor &x,
                          const std::vector<double> &coefficients) {
  Tensor result = same(x, coefficients.back());
  for (std::size_t i = coefficients.size() - 1; i-- > 0;)
    result = mulAdd(result, x, coefficients[i]);
  return result;
}

/// \p magnitude with the sign of \p x, of which it is a function: the other
/// way around for negative x. Zeros do not keep their sign.
static Tensor withSign(const Tensor &x, const Tensor &magnitude) {
  return (x < 0).where(-magnitude, magnitude);
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
  // 0 - x and not -x: it makes +0 of -0.
  return (*this > 0).where(*this, 0 - *this);
}

Tensor Tensor::sign() const {
  const MethodScope method("sign");
  if (dtype() == DType::Bool)
    return prim::alias(*this);
  // What is neither above nor below zero is its own sign: zeros and NaN.
  Tensor result = (*this > 0).where(same(*this, 1), *this);
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

Tensor Tensor::clamp(std::optional<Scalar> min,
                     std::optional<Scalar> max) const {
  const MethodScope method("clamp");
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
Tensor Tensor::exp() const {
  const MethodScope method("exp");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this,
                 [&](const Tensor &x) { return exponential(x, isExact); });
}
Tensor Tensor::log() const {
  const MethodScope method("log");
  return inFloat(*this, [](const Tensor &x) { return x.log2() * ln2; });
}
Tensor Tensor::log10() const {
  const MethodScope method("log10");
  return inFloat(*this,
                 [](const Tensor &x) { return x.log2() * (ln2 / ln10); });
}

Tensor detail::exponential(const Tensor &argument, bool isExact) {
  if (!isExact)
    return (argument * log2e).exp2();
  // What rounding the product, and log2(e) before it, has lost. That is a
  // number as long as the product is one; the result is zero long before it is
  // not.
  Tensor x = argument.maximum(isDouble(argument) ? -1000 : -150);
  Tensor power = x * log2e, result = power.exp2();
  const double high = isDouble(x) ? log2e : double(float(log2e));
  const double low = isDouble(x) ? 2.0355273740931033e-17 : log2e - high;
  Tensor loss = mulAdd(x, low, mulAdd(x, high, -power));
  // 2^loss = 1 + loss ln(2)
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return (result < infinity).where(mulAdd(result, loss * ln2, result), result);
}

Tensor detail::expm1(const Tensor &x) {
  // From -1 to 0, where subtracting 1 would cancel, an interpolation at
  // Chebyshev points, and in double precision the Taylor series.
  std::vector<double> series = {0.9999999979335759,    0.4999997972520934,
                                0.16666340311488237,   0.04164684931307322,
                                0.008275504843159236,  0.0013007749576339777,
                                0.00012907631010911804};
  if (isDouble(x)) {
    series = {1};
    for (int n = 2; n < 19; ++n)
      series.push_back(series.back() / n);
  }
  return (x > -1).where(x * polynomial(x, series),
                        exponential(x, /*isExact=*/false) - 1);
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
  const MethodScope method("cos");
  return inFloat(*this, [](const Tensor &x) {
    // With the middle (k + 1/2) pi of the half period that |x| is in, cos(x) is
    // the sine of the distance from it, but for the sign. Pi in three parts
    // gives the distance all of its digits, however short it is, as long as k
    // is small; for larger x, 1 - 2 sin(x/2)^2 has an absolute error alone.
    static const double single[] = {3.1415927410125732, -8.742277657347586e-08,
                                    -3.4302490200117637e-15};
    static const double twice[] = {3.141592653589793, 1.2246467991473532e-16,
                                   -2.9947698097183397e-33};
    const double *parts = isDouble(x) ? twice : single;
    Tensor size = x.abs(), isSmall = size < (isDouble(x) ? 0x1p40 : 0x1p20);
    Tensor k = (size * (1 / pi)).trunc(), half = k * 0.5;
    Tensor middle = k + 0.5, distance = size;
    for (int i = 0; i < 3; ++i)
      distance = mulAdd(middle, -parts[i], distance);
    Tensor isEven = half.trunc() == half;
    distance = isEven.where(-distance, distance);
    Tensor sine = isSmall.where(distance, size * 0.5).sin();
    return isSmall.where(sine, mulAdd(sine * sine, -2, 1));
  });
}

Tensor Tensor::tan() const {
  const MethodScope method("tan");
  return inFloat(*this, [](const Tensor &x) { return x.sin() / x.cos(); });
}

/// The series for small x; larger ones are brought below tan(pi/8), where it is
/// short, by atan(x) = pi/4 + atan((x - 1) / (x + 1)) = pi/2 - atan(1/x).
static Tensor arctangent(const Tensor &x) {
  std::vector<double> series;
  const int numTerms = isDouble(x) ? 21 : 10;
  for (int n = 0; n < numTerms; ++n)
    series.push_back((n % 2 ? -1.0 : 1.0) / (2 * n + 1));
  Tensor size = x.abs();
  Tensor isLarge = size > 1 + std::numbers::sqrt2;
  Tensor isSmall = size < std::numbers::sqrt2 - 1;
  Tensor reduced = isSmall.where(
      x, isLarge.where(-size.reciprocal(), (size - 1) / (size + 1)));
  Tensor value = reduced * polynomial(reduced * reduced, series);
  Tensor offset = isLarge.where(same(x, pi / 2), pi / 4);
  return isSmall.where(value, withSign(x, offset + value));
}

Tensor Tensor::atan() const {
  const MethodScope method("atan");
  return inFloat(*this, arctangent);
}

Tensor Tensor::asin() const {
  const MethodScope method("asin");
  return inFloat(*this, [](const Tensor &x) {
    return arctangent(x / ((1 - x) * (1 + x)).sqrt());
  });
}

Tensor Tensor::acos() const {
  const MethodScope method("acos");
  return inFloat(*this, [](const Tensor &x) {
    return arctangent(((1 - x) / (1 + x)).sqrt()) * 2;
  });
}

/// The odd function that is \p magnitude of |x|, which cancels for an x near
/// zero: below a limit the series.
static Tensor oddFunction(const Tensor &x, double limit,
                          const std::vector<double> &series,
                          const Tensor &magnitude) {
  return (x.abs() < limit)
      .where(x * polynomial(x * x, series), withSign(x, magnitude));
}

/// exp(|x|) / 2, which is a number where exp(|x|) is too large to be one.
static Tensor halfExponential(const Tensor &x) {
  return exponential(x.abs() - 1) * (std::numbers::e / 2);
}

Tensor Tensor::sinh() const {
  const MethodScope method("sinh");
  return inFloat(*this, [](const Tensor &x) {
    std::vector<double> series = {1};
    for (int n = 3; n < (isDouble(x) ? 19 : 11); n += 2)
      series.push_back(series.back() / (n * (n - 1)));
    Tensor half = halfExponential(x);
    return oddFunction(x, 1, series, half - 0.25 / half);
  });
}

Tensor Tensor::cosh() const {
  const MethodScope method("cosh");
  return inFloat(*this, [](const Tensor &x) {
    Tensor half = halfExponential(x);
    return half + 0.25 / half;
  });
}

Tensor Tensor::tanh() const {
  const MethodScope method("tanh");
  return inFloat(*this, [](const Tensor &x) {
    // tanh' = 1 - tanh^2 gives each coefficient from those before it.
    std::vector<double> series = {1};
    for (int n = 1; n < (isDouble(x) ? 12 : 5); ++n) {
      double square = 0;
      for (int i = 0; i < n; ++i)
        square += series[i] * series[n - 1 - i];
      series.push_back(-square / (2 * n + 1));
    }
    Tensor decay = (x.abs() * (-2 * log2e)).exp2();
    return oddFunction(x, 0.25, series, (1 - decay) / (1 + decay));
  });
}

Tensor Tensor::asinh() const {
  const MethodScope method("asinh");
  return inFloat(*this, [](const Tensor &x) {
    Tensor size = x.abs();
    // Above the limit the square may be too large; there it is log(2 |x|).
    Tensor isLarge = size > 1e8, bounded = isLarge.where(same(x, 1), size);
    Tensor square = bounded * bounded;
    Tensor value = isLarge.where(
        size.log() + ln2, log1p(bounded + square / ((square + 1).sqrt() + 1)));
    return (x == 0).where(x, withSign(x, value));
  });
}

Tensor Tensor::acosh() const {
  const MethodScope method("acosh");
  return inFloat(*this, [](const Tensor &x) {
    Tensor isLarge = x > 1e8;
    Tensor rest = isLarge.where(same(x, 1), x) - 1;
    // Two roots: both factors of the product are negative for x < -1.
    return isLarge.where(x.log() + ln2,
                         log1p(rest + rest.sqrt() * (rest + 2).sqrt()));
  });
}

Tensor Tensor::atanh() const {
  const MethodScope method("atanh");
  return inFloat(*this, [](const Tensor &x) {
    Tensor size = x.abs();
    Tensor value = log1p(size * 2 / (1 - size)) * 0.5;
    return (x == 0).where(x, withSign(x, value));
  });
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

Tensor Tensor::erf() const {
  const MethodScope method("erf");
  return inFloat(*this, [](const Tensor &x) {
    // Up to 1, the Taylor series.
    std::vector<double> series;
    double factorial = 1;
    const int numTerms = isDouble(x) ? 18 : 11;
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
    Tensor tail = exponential(-bounded * bounded, /*isExact=*/false) *
                  polynomial(u, isDouble(x) ? twice : single);
    // NaN is not below 1 and stays NaN through the maximum.
    return oddFunction(x, 1, series, 1 - tail);
  });
}
