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

Tensor Tensor::sigmoid() const {
  const MethodScope method("sigmoid");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this, [&](const Tensor &x) {
    // exp(x) / (1 + exp(x)) for negative x: exp(-x) may be too large.
    Tensor isNegative = x < 0;
    Tensor power = exponential(isNegative.where(x, -x), isExact);
    return isNegative.where(power, 1) / (power + 1);
  });
}

/// x / (1 + exp(-y)) for a y whose own error leaves no use for more digits.
/// Zero for y below -88, where exp(-y) is infinite; the result is 1e-36 at
/// most.
static Tensor gate(const Tensor &x, const Tensor &y) {
  return x * (exponential(-y, /*isExact=*/false) + 1).reciprocal();
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
    const double scale = 2 * std::sqrt(2 / std::numbers::pi);
    return gate(x, x * mulAdd(x * x, scale * 0.044715, scale));
  });
}

Tensor Tensor::quickGelu() const {
  const MethodScope method("quickGelu");
  return inFloat(*this, [](const Tensor &x) { return gate(x, x * 1.702); });
}

Tensor Tensor::silu() const {
  const MethodScope method("silu");
  return inFloat(*this, [](const Tensor &x) { return x * x.sigmoid(); });
}

Tensor Tensor::elu(double alpha) const {
  const MethodScope method("elu");
  return inFloat(*this, [&](const Tensor &x) {
    return (x < 0).where(expm1(x.minimum(0)) * alpha, x);
  });
}

Tensor Tensor::celu(double alpha) const {
  const MethodScope method("celu");
  return inFloat(*this, [&](const Tensor &x) {
    return (x < 0).where(expm1((x / alpha).minimum(0)) * alpha, x);
  });
}

Tensor Tensor::selu(double alpha, double gamma) const {
  const MethodScope method("selu");
  return inFloat(*this, [&](const Tensor &x) {
    return (x < 0).where(expm1(x.minimum(0)) * alpha, x) * gamma;
  });
}

Tensor Tensor::softplus(double beta) const {
  const MethodScope method("softplus");
  const bool isExact = !isNarrowFloat(*this);
  return inFloat(*this, [&](const Tensor &x) {
    // log(1 + exp(y)) = max(y, 0) + log(1 + exp(-|y|)) overflows for no y.
    Tensor y = x * beta;
    return (y.maximum(0) + log1p(exponential(-y.abs(), isExact))) * (1 / beta);
  });
}

Tensor Tensor::softsign() const {
  const MethodScope method("softsign");
  return inFloat(*this, [](const Tensor &x) { return x / (x.abs() + 1); });
}

Tensor Tensor::mish() const {
  const MethodScope method("mish");
  return inFloat(*this, [](const Tensor &x) {
    // tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2), which is 1 from 20 on.
    Tensor power = x.minimum(20).exp();
    Tensor product = power * (power + 2);
    return x * (product / (product + 2));
  });
}
