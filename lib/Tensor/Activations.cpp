//===- Activations.cpp - activation functions -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions between the layers of networks. Like those of Math.cpp, they
/// compute in float32 at least.
///
//===----------------------------------------------------------------------===//

#include "Primitives.h"

#include <cmath>
#include <numbers>
#include <optional>

using namespace tinygrad;
using namespace tinygrad::detail;

Tensor Tensor::relu() const {
  const MethodScope method("relu");
  const Tensor zero = same(*this, 0);
  if (!isFloat(dtype()) || isFloat8(dtype()))
    return maximum(zero);
  // The derivative at 0 is 0, as in PyTorch.
  const Tensor isZero = prim::binary(BinaryOp::CmpEq, *this, zero);
  return prim::binary(BinaryOp::Max, detachedWhere(isZero, *this), zero);
}

/// \p x bounded by 0 and \p most. As in tinygrad, the derivative is 0 at 0 and
/// 1 at the bound, where that of minimum() would be a half.
static Tensor reluUpTo(const Tensor &x, int most) {
  return x.relu().clamp({}, most);
}

Tensor Tensor::relu6() const {
  const MethodScope method("relu6");
  return reluUpTo(*this, 6);
}

Tensor Tensor::leakyRelu(double slope) const {
  const MethodScope method("leakyRelu");
  return inFloat(*this,
                 [&](const Tensor &x) { return (x < 0).where(x * slope, x); });
}

namespace {
/// 1 / (1 + exp(-y)) as whole * (1 - part), the whole being exp(y) for a
/// negative y and else 1: no exponential is too large, and however small the
/// result, it has all of its digits.
struct Sigmoid {
  Tensor isNegative, power, whole;

  explicit Sigmoid(const Tensor &y)
      : isNegative(y < 0), power(isNegative.where(y, -y).exp()),
        whole(isNegative.where(power, 1)) {}

  Tensor part() const { return power / (power + 1); }
};

/// The arguments below which the results of a function x s(x), with s near
/// exp(x), are smaller than the least normal number. They are zeros: those of
/// other arguments take no subnormal numbers to compute, with which many
/// processors are slow, also in what follows.
struct LeastArgument {
  double float32, float64;

  double of(const Tensor &x) const {
    return x.dtype() == DType::Float64 ? float64 : float32;
  }
};

/// exp(-y) for a y that is bounded below, so that it is finite, and quotients
/// by 1 + exp(-y). Where the latter is so large that its reciprocal, or what
/// corrects that, would be subnormal, the exponential is smaller by a constant
/// factor.
class InverseExponential {
public:
  explicit InverseExponential(const Tensor &y)
      : constants(constantsFor(y)), isLow(y < constants.low),
        power((-isLow.where(y + constants.step, y)).exp()) {}

  const Tensor &value() const { return power; }

  /// x / (1 + value() - subtracted), rounded little more than once. With
  /// \p low, the exponent is -(y + low), where low is a few units in the last
  /// place of y. \p bounded is x, but a number of moderate size: the rounding
  /// errors of the division of large numbers, by 1, are nothing, and a product
  /// with infinity would be NaN.
  Tensor gate(const Tensor &x, const Tensor &bounded,
              const std::optional<Tensor> &low = {},
              const std::optional<Tensor> &subtracted = {}) const {
    Tensor divisor = power + 1;
    if (subtracted)
      divisor = divisor - *subtracted;
    Tensor inverse = divisor.reciprocal();
    // 1 - inverse * (1 + value() - subtracted), in which the rounding errors of
    // the divisor and of the reciprocal both show. `rest` has one, too.
    Tensor rest = 1 - inverse, lost = (1 - rest) - inverse;
    Tensor error = mulAdd(inverse, -power, rest);
    if (subtracted)
      error = mulAdd(inverse, *subtracted, error);
    // The derivative of the divisor with respect to y is -value(); times the
    // reciprocal that is nearly `rest`.
    if (low)
      error = mulAdd(rest, *low, error);
    error = error + lost;
    // The sum of zeros of both signs would lose the sign of x.
    if (subtracted)
      error = (x == 0).where(0, error);
    Tensor result = mulAdd(x, inverse, bounded * (inverse * error));
    return isLow.where(result * constants.scale, result);
  }

private:
  struct Constants {
    /// Below, `step` is added. Corrections of a result, a 2^24th or 2^53rd of
    /// it, are not subnormal above.
    double low;
    /// A multiple of the unit in the last place of such exponents, so that the
    /// sum is exact.
    double step;
    /// exp(-step), off by less than a 20th of the unit in its last place
    /// (float32) or by a quarter of it.
    double scale;
  };
  static const Constants &constantsFor(const Tensor &y) {
    static constexpr Constants float32 = {-64, 0x1.5ff1f4p5, 0x1.71fb88p-64},
                               float64 = {-640, 0x1.52417db067f38p6, 0x1p-122};
    return y.dtype() == DType::Float64 ? float64 : float32;
  }

  const Constants &constants;
  Tensor isLow, power;
};

/// A constant as the sum of two numbers.
struct TwoParts {
  double high, low;

  /// The sum of two f64 as that of two numbers of the type of \p x; the high
  /// part has \p numSpare bits less than the type.
  TwoParts(const Tensor &x, double first, double second, int numSpare = 0) {
    const int numBits = (x.dtype() == DType::Float64 ? 53 : 24) - numSpare;
    const double unit = std::ldexp(1.0, std::ilogb(first) + 1 - numBits);
    high = std::nearbyint(first / unit) * unit;
    low = (first - high) + second;
  }
};
} // namespace

Tensor Tensor::sigmoid() const {
  const MethodScope method("sigmoid");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this, [&](const Tensor &x) {
    const Sigmoid sigmoid(x);
    Tensor y = isExact ? mulAdd(sigmoid.whole, -sigmoid.part(), sigmoid.whole)
                       : sigmoid.whole / (sigmoid.power + 1);
    return prim::withDerivative(y, x, [&] { return y * (1 - y); });
  });
}

/// The numbers between two bounds, and the nearer bound for others.
static Tensor bound(const Tensor &x, double low, double high) {
  const Tensor above = (x < low).where(low, x);
  return (above > high).where(high, above);
}

/// Zeros of the sign of x where it is less than \p least, and else \p y.
static Tensor zeroBelow(const Tensor &x, double least, const Tensor &y) {
  return (x < least).where(same(x, -0.0), y);
}

/// The magnitude of a y, in derivatives of x s(y), from which exp(-|y|) is zero
/// without rounding: see emitExp and emitWideExp.
static double vanishingExponent(const Tensor &y) {
  return y.dtype() == DType::Float64 ? 1420 : 180;
}

/// silu and mish are both x exp(x) there.
static constexpr LeastArgument kLeastSilu = {-0x1.6f6d56p+6,
                                             -0x1.657bfcf5db0ccp+9},
                               kLeastQuickGelu = {-0x1.ad3b62p+5,
                                                  -0x1.a3c340066ca6fp+8},
                               kLeastGelu = {-0x1.43386ap+3,
                                             -0x1.52d480630b9ccp+4};

/// The derivative of x s(y) with s(y) = 1 / (1 + exp(-y)), where y is a
/// function of x with the derivative \p slope. All are of moderate size.
static Tensor gateDerivative(const Tensor &x, const Tensor &y,
                             const Tensor &slope) {
  const Sigmoid sigmoid(y);
  const Tensor inverse = (sigmoid.power + 1).reciprocal();
  const Tensor s = sigmoid.whole * inverse;
  // 1 - s without a loss of digits.
  const Tensor rest = sigmoid.isNegative.where(1, sigmoid.power) * inverse;
  return s * mulAdd(x * slope, rest, same(x, 1));
}

/// A factor for numbers that are zero in few digits, which is x for all others:
/// the product of infinity with zero is NaN.
static Tensor withoutInfinity(const Tensor &x) {
  constexpr double least = -1024;
  return (x < least).where(least, x);
}

/// x / (1 + 2^-y) for a result of few digits.
static Tensor gate(const Tensor &x, const Tensor &y) {
  Tensor isNegative = y < 0;
  Tensor power = isNegative.where(y, -y).exp2();
  return withoutInfinity(x) * (isNegative.where(power, 1) / (power + 1));
}

Tensor Tensor::logsigmoid() const {
  const MethodScope method("logsigmoid");
  return inFloat(*this, [](const Tensor &x) { return -(-x).softplus(); });
}

Tensor Tensor::hardsigmoid(double alpha, double beta) const {
  const MethodScope method("hardsigmoid");
  return inFloat(
      *this, [&](const Tensor &x) { return reluUpTo(x * alpha + beta, 1); });
}

Tensor Tensor::hardswish() const {
  const MethodScope method("hardswish");
  return inFloat(*this, [](const Tensor &x) {
    // The product with x last: six times it may be too large.
    return x * scaled(reluUpTo(x + 3, 6), 1.0 / 6);
  });
}

Tensor Tensor::hardtanh(double min, double max) const {
  const MethodScope method("hardtanh");
  return clamp(min, max);
}

Tensor Tensor::gelu() const {
  const MethodScope method("gelu");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this, [&](const Tensor &x) {
    // 0.5 x (1 + tanh(y / 2)) = x sigmoid(y) with y = x (a + b x^2): no series
    // for small y is needed.
    constexpr double a = 0x1.9884533d43651p+0, aRest = -0x1.cbc0d30ebfd15p-54;
    constexpr double b = 0x1.2444f2a4d8b4bp-4, bRest = -0x1.6c843a29d1c7p-61;
    const double least = kLeastGelu.of(x);
    auto derivative = [&] {
      // Where y is at least vanishingExponent().
      const double limit = x.dtype() == DType::Float64 ? 27 : 13.2;
      const Tensor middle = bound(x, -limit, limit), square = middle * middle;
      return gateDerivative(middle, middle * mulAdd(square, b, a),
                            mulAdd(square, 3 * b, a));
    };
    if (!isExact)
      return prim::withDerivative(
          gate(x, x * mulAdd(x * x, b * std::numbers::log2e,
                             a * std::numbers::log2e)),
          x, derivative);
    // Above 8, the result is x.
    Tensor above = (x < least).where(least, x);
    Tensor bounded = (above > 8).where(8, above);
    // y in two parts. As `constant` has few bits, and rounding the sum leaves
    // no fewer, the difference of both is exact.
    const TwoParts constant(x, a, aRest, /*numSpare=*/7), slope(x, b, bRest);
    Tensor square = bounded * bounded;
    Tensor squareLow = mulAdd(bounded, bounded, -square);
    Tensor sum = mulAdd(square, slope.high, constant.high);
    Tensor sumLow = mulAdd(square, slope.high, constant.high - sum) +
                    mulAdd(square, slope.low, constant.low);
    sumLow = mulAdd(squareLow, slope.high, sumLow);
    Tensor high = bounded * sum;
    Tensor low = mulAdd(bounded, sumLow, mulAdd(bounded, sum, -high));
    return prim::withDerivative(
        zeroBelow(x, least, InverseExponential(high).gate(above, bounded, low)),
        x, derivative);
  });
}

Tensor Tensor::quickGelu() const {
  const MethodScope method("quickGelu");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this, [&](const Tensor &x) {
    constexpr double slope = 1.702, slopeRest = 0x1.89374bc6a7efap-55;
    const double least = kLeastQuickGelu.of(x);
    auto derivative = [&] {
      const double limit = vanishingExponent(x) / slope;
      const Tensor middle = bound(x, -limit, limit);
      return gateDerivative(middle, middle * slope, same(x, slope));
    };
    if (!isExact)
      return prim::withDerivative(gate(x, x * (slope * std::numbers::log2e)), x,
                                  derivative);
    Tensor above = (x < least).where(least, x);
    Tensor bounded = (above > 24).where(24, above);
    const TwoParts parts(x, slope, slopeRest);
    Tensor high = bounded * parts.high;
    Tensor low = mulAdd(bounded, parts.low, mulAdd(bounded, parts.high, -high));
    return prim::withDerivative(
        zeroBelow(x, least, InverseExponential(high).gate(above, bounded, low)),
        x, derivative);
  });
}

Tensor Tensor::silu() const {
  const MethodScope method("silu");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this, [&](const Tensor &x) {
    const double least = kLeastSilu.of(x);
    auto derivative = [&] {
      const double limit = vanishingExponent(x);
      const Tensor middle = bound(x, -limit, limit);
      return gateDerivative(middle, middle, same(x, 1));
    };
    if (!isExact) {
      const Sigmoid sigmoid(x);
      return prim::withDerivative(withoutInfinity(x) *
                                      (sigmoid.whole / (sigmoid.power + 1)),
                                  x, derivative);
    }
    Tensor above = (x < least).where(least, x);
    Tensor bounded = (above > 40).where(40, above);
    return prim::withDerivative(
        zeroBelow(x, least, InverseExponential(bounded).gate(above, bounded)),
        x, derivative);
  });
}

Tensor Tensor::elu(double alpha) const {
  const MethodScope method("elu");
  return inFloat(*this, [&](const Tensor &x) {
    return (x < 0).where(expm1((x < 0).where(x, 0)) * alpha, x);
  });
}

Tensor Tensor::celu(double alpha) const {
  const MethodScope method("celu");
  return inFloat(*this, [&](const Tensor &x) {
    return (x < 0).where(expm1((x < 0).where(x, 0) / alpha) * alpha, x);
  });
}

Tensor Tensor::selu(double alpha, double gamma) const {
  const MethodScope method("selu");
  return inFloat(*this, [&](const Tensor &x) {
    Tensor isNegative = x < 0;
    return isNegative.where(
        scaled(expm1(isNegative.where(x, 0)), alpha * gamma), x * gamma);
  });
}

Tensor Tensor::softplus(double beta) const {
  const MethodScope method("softplus");
  return inFloat(*this, [&](const Tensor &x) {
    // log(1 + exp(y)) = max(y, 0) + log(1 + exp(-|y|)) overflows for no y. The
    // same choice for both parts makes it smooth at 0.
    Tensor y = x * beta;
    return prim::withDerivative(
        ((y > 0).where(y, 0) + log1p((-magnitude(y)).exp())) * (1 / beta), x,
        [&] {
          const Sigmoid sigmoid(y);
          return sigmoid.whole / (sigmoid.power + 1);
        });
  });
}

Tensor Tensor::softsign() const {
  const MethodScope method("softsign");
  return inFloat(*this, [](const Tensor &x) { return x / (x.abs() + 1); });
}

Tensor Tensor::mish() const {
  const MethodScope method("mish");
  return inFloat(*this, [](const Tensor &x) {
    // With e = exp(-x), 1 / tanh(log(1 + exp(x))) is 1 + e - e / (1 + 2 e).
    const double least = kLeastSilu.of(x);
    Tensor above = (x < least).where(least, x);
    Tensor bounded = (above > 40).where(40, above);
    const InverseExponential inverse(bounded);
    const Tensor &power = inverse.value();
    return zeroBelow(
        x, least,
        inverse.gate(above, bounded, {}, power / mulAdd(power, 2, 1)));
  });
}
