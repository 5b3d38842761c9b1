//===- SGD.h - stochastic gradient descent ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Stochastic gradient descent with momentum.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_SGD_H
#define TINYGRAD_OPTIM_SGD_H

#include "TinyGrad/Optim/Optimizer.h"

#include <vector>

namespace tinygrad::optim {

/// The defaults are those of tinygrad and PyTorch.
struct SGDOptions {
  double learningRate = 1e-3;
  double momentum = 0;
  /// Adds this times the weights to the gradient.
  double weightDecay = 0;
  bool nesterov = false;
  /// Multiplies the gradient by the learning rate before it is added to the
  /// momentum rather than after that: they differ if the rate changes.
  bool classic = false;
  bool masterWeights = true;
  bool skipWithoutGradient = false;
};

/// With weights w, gradient g and momentum b, 0 at first:
///
///   g += weightDecay * w
///   b = momentum * b + g
///   w -= learningRate * (nesterov ? g + momentum * b : b)
///
/// As `SGD` of tinygrad and of PyTorch (without its dampening). State:
/// `momentum`.
class SGD : public Optimizer {
public:
  /// Throws Error for negative options, and for nesterov without momentum.
  explicit SGD(std::vector<Tensor> parameters, const SGDOptions &options = {});
  explicit SGD(const std::vector<ParameterGroup<SGDOptions>> &groups);

private:
  Tensor update(const ParameterUpdate &parameter, Step &step) override;

  std::vector<SGDOptions> groups;
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_SGD_H
