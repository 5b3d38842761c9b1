//===- Moments.h - estimates of moments of gradients ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What Adam, AdamW and LAMB have in common.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_MOMENTS_H
#define TINYGRAD_OPTIM_MOMENTS_H

#include "TinyGrad/Optim/Optimizer.h"

#include <vector>

namespace tinygrad::optim {

/// An optimizer that keeps means of the gradients and of their squares, with
/// exponentially decreasing weights.
class Moments : public Optimizer {
protected:
  /// Takes learningRate, beta1, beta2, eps and weightDecay of each group.
  template <typename Options>
  Moments(const char *name, const std::vector<ParameterGroup<Options>> &groups)
      : Optimizer(name, groups) {
    for (const ParameterGroup<Options> &group : groups)
      addFactors(group.options.beta1, group.options.beta2, group.options.eps,
                 group.options.weightDecay);
    addMoments();
  }

  void beginStep(Step &step) override;
  /// Adds \p gradient to the moments. Returns m / (1 - beta1^t) / (sqrt(v / (1
  /// - beta2^t)) + eps), times the learning rate if \p isScaled.
  Tensor getDirection(const ParameterUpdate &parameter, const Tensor &gradient,
                      bool isScaled, Step &step);

private:
  void addFactors(double beta1, double beta2, double eps, double weightDecay);
  void addMoments();

  struct Factors {
    double beta1, beta2, eps;
  };
  std::vector<Factors> factors; ///< of each group
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_MOMENTS_H
