//===- LARS.h - layer-wise adaptive rates -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Stochastic gradient descent with a rate for each parameter that is
/// proportional to its norm.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_LARS_H
#define TINYGRAD_OPTIM_LARS_H

#include "TinyGrad/Optim/Optimizer.h"

#include <vector>

namespace tinygrad::optim {

/// The defaults are those of tinygrad.
struct LARSOptions {
  double learningRate = 1e-3;
  double momentum = 0.9;
  double weightDecay = 1e-4;
  bool nesterov = false;
  /// As in SGDOptions.
  bool classic = true;
  double trustCoefficient = 1e-3;
  bool masterWeights = true;
  bool skipWithoutGradient = false;
};

/// SGD with the learning rate times
///
///   trustCoefficient * |w| / (|g| + weightDecay * |w|)
///
/// (1 if a norm is 0), where g is the gradient without the decay. You, Gitman
/// and Ginsburg, Large batch training of convolutional networks,
/// arXiv:1708.03888; as `LARS` of tinygrad. State: `momentum`.
class LARS : public Optimizer {
public:
  /// Throws Error for negative options, and for nesterov without momentum.
  explicit LARS(std::vector<Tensor> parameters,
                const LARSOptions &options = {});
  explicit LARS(const std::vector<ParameterGroup<LARSOptions>> &groups);

private:
  Tensor update(const ParameterUpdate &parameter, Step &step) override;

  std::vector<LARSOptions> groups;
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_LARS_H
