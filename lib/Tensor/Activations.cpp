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

Tensor Tensor::relu() const { return maximum(same(*this, 0)); }

Tensor Tensor::relu6() const { return clamp(0, 6); }

Tensor Tensor::leakyRelu(double slope) const {
  return inFloat(*this,
                 [&](const Tensor &x) { return (x < 0).where(x * slope, x); });
}

Tensor Tensor::sigmoid() const {
  return inFloat(*this, [](const Tensor &x) {
    return ((x * -std::numbers::log2e).exp2() + 1).reciprocal();
  });
}

Tensor Tensor::logsigmoid() const {
  return inFloat(*this, [](const Tensor &x) { return -(-x).softplus(); });
}

Tensor Tensor::hardsigmoid(double alpha, double beta) const {
  return inFloat(*this, [&](const Tensor &x) {
    return (x * alpha + beta).clamp(0.0, 1.0);
  });
}

Tensor Tensor::hardswish() const {
  return inFloat(*this, [](const Tensor &x) {
    return x * (x + 3).clamp(0.0, 6.0) * (1.0 / 6);
  });
}

Tensor Tensor::hardtanh(double min, double max) const {
  return clamp(min, max);
}

Tensor Tensor::gelu() const {
  return inFloat(*this, [](const Tensor &x) {
    // 0.5 x (1 + tanh(y)) = x sigmoid(2 y): no series for small y is needed.
    Tensor inner = x + x * x * x * 0.044715;
    return x * (inner * (2 * std::sqrt(2 / std::numbers::pi))).sigmoid();
  });
}

Tensor Tensor::quickGelu() const {
  return inFloat(*this,
                 [](const Tensor &x) { return x * (x * 1.702).sigmoid(); });
}

Tensor Tensor::silu() const {
  return inFloat(*this, [](const Tensor &x) { return x * x.sigmoid(); });
}

Tensor Tensor::elu(double alpha) const {
  return inFloat(*this, [&](const Tensor &x) {
    return (x > 0).where(x, (x.minimum(0).exp() - 1) * alpha);
  });
}

Tensor Tensor::celu(double alpha) const {
  return inFloat(*this, [&](const Tensor &x) {
    return x.maximum(0) + (((x / alpha).exp() - 1) * alpha).minimum(0);
  });
}

Tensor Tensor::selu(double alpha, double gamma) const {
  return inFloat(*this, [&](const Tensor &x) {
    return (x > 0).where(x, (x.minimum(0).exp() - 1) * alpha) * gamma;
  });
}

Tensor Tensor::softplus(double beta) const {
  return inFloat(*this, [&](const Tensor &x) {
    // log(1 + exp(y)) = max(y, 0) + log(1 + exp(-|y|)) overflows for no y.
    Tensor y = x * beta;
    return (y.maximum(0) + log1p((-y.abs()).exp())) * (1 / beta);
  });
}

Tensor Tensor::softsign() const {
  return inFloat(*this, [](const Tensor &x) { return x / (x.abs() + 1); });
}

Tensor Tensor::mish() const {
  return inFloat(*this,
                 [](const Tensor &x) { return x * x.softplus().tanh(); });
}
