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

using namespace tinygrad;
using namespace tinygrad::detail;

Tensor Tensor::relu() const {
  const MethodScope method("relu");
  return maximum(same(*this, 0));
}

Tensor Tensor::relu6() const {
  const MethodScope method("relu6");
  return clamp(0, 6);
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
} // namespace

/// x * whole * (1 - part), rounded little more than once, for a part of at most
/// 1/2. The sign of a zero is that of x if the factor has no rounding there.
static Tensor gated(const Tensor &x, const Tensor &whole, const Tensor &part) {
  Tensor factor = mulAdd(whole, -part, whole);
  // What rounding the factor has lost. It is nothing for large x, and a product
  // with an infinity would be NaN.
  Tensor loss = mulAdd(whole, -part, whole - factor);
  return mulAdd(x, factor, (x < 1000).where(x, 1000) * loss);
}

Tensor Tensor::sigmoid() const {
  const MethodScope method("sigmoid");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this, [&](const Tensor &x) {
    const Sigmoid sigmoid(x);
    return isExact ? mulAdd(sigmoid.whole, -sigmoid.part(), sigmoid.whole)
                   : sigmoid.whole / (sigmoid.power + 1);
  });
}

/// x / (1 + 2^-y) for a y whose own error leaves no use for more digits.
static Tensor gate(const Tensor &x, const Tensor &y) {
  Tensor isNegative = y < 0;
  Tensor power = isNegative.where(y, -y).exp2();
  return x * (isNegative.where(power, 1) / (power + 1));
}

Tensor Tensor::logsigmoid() const {
  const MethodScope method("logsigmoid");
  return inFloat(*this, [](const Tensor &x) { return -(-x).softplus(); });
}

Tensor Tensor::hardsigmoid(double alpha, double beta) const {
  const MethodScope method("hardsigmoid");
  return inFloat(*this, [&](const Tensor &x) {
    return (x * alpha + beta).clamp(0.0, 1.0);
  });
}

Tensor Tensor::hardswish() const {
  const MethodScope method("hardswish");
  return inFloat(*this, [](const Tensor &x) {
    // The product with x last: six times it may be too large.
    return x * ((x + 3).clamp(0.0, 6.0) * (1.0 / 6));
  });
}

Tensor Tensor::hardtanh(double min, double max) const {
  const MethodScope method("hardtanh");
  return clamp(min, max);
}

Tensor Tensor::gelu() const {
  const MethodScope method("gelu");
  return inFloat(*this, [](const Tensor &x) {
    // 0.5 x (1 + tanh(y)) = x sigmoid(2 y): no series for small y is needed.
    const double scale =
        2 * std::sqrt(2 / std::numbers::pi) * std::numbers::log2e;
    return gate(x, x * mulAdd(x * x, scale * 0.044715, scale));
  });
}

Tensor Tensor::quickGelu() const {
  const MethodScope method("quickGelu");
  return inFloat(*this, [](const Tensor &x) {
    return gate(x, x * (1.702 * std::numbers::log2e));
  });
}

Tensor Tensor::silu() const {
  const MethodScope method("silu");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this, [&](const Tensor &x) {
    const Sigmoid sigmoid(x);
    return isExact ? gated(x, sigmoid.whole, sigmoid.part())
                   : x * (sigmoid.whole / (sigmoid.power + 1));
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
    // log(1 + exp(y)) = max(y, 0) + log(1 + exp(-|y|)) overflows for no y.
    Tensor y = x * beta;
    return (y.maximum(0) + log1p((-y.abs()).exp())) * (1 / beta);
  });
}

Tensor Tensor::softsign() const {
  const MethodScope method("softsign");
  return inFloat(*this, [](const Tensor &x) { return x / (x.abs() + 1); });
}

Tensor Tensor::mish() const {
  const MethodScope method("mish");
  return inFloat(*this, [](const Tensor &x) {
    // With e = exp(-|x|), tanh(log(1 + exp(x))) is
    //   1 - 2 e^2 / (1 + 2 e + 2 e^2), or for a negative x
    //   e (1 - (e + e^2) / (2 + 2 e + e^2)).
    const Sigmoid sigmoid(x);
    const Tensor &isNegative = sigmoid.isNegative, &power = sigmoid.power;
    Tensor above = power * (isNegative.where(1, power) + power);
    Tensor below =
        mulAdd(power, mulAdd(power, isNegative.where(same(x, 1), 2), 2),
               isNegative.where(same(x, 2), 1));
    // At zero the factor is 3/5, and the sign is lost.
    return (x == 0).where(x, gated(x, sigmoid.whole, above / below));
  });
}
