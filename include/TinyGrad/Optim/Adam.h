//===- Adam.h - Adam and AdamW ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Adaptive moment estimation, with both kinds of weight decay.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_ADAM_H
#define TINYGRAD_OPTIM_ADAM_H

#include "TinyGrad/Optim/Moments.h"

#include <vector>

namespace tinygrad::optim {

/// The defaults are those of tinygrad and PyTorch.
struct AdamOptions {
  double learningRate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  /// Adds this times the weights to the gradient, as in PyTorch; tinygrad's
  /// Adam has none.
  double weightDecay = 0;
  bool masterWeights = true;
  bool skipWithoutGradient = false;
};

/// The defaults are those of tinygrad and PyTorch.
struct AdamWOptions {
  double learningRate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  /// Subtracts this times the learning rate times the weights from the weights.
  double weightDecay = 0.01;
  bool masterWeights = true;
  bool skipWithoutGradient = false;
};

/// With weights w, gradient g, and moments m and v, 0 at first, in step t = 1,
/// 2, ..:
///
///   m = beta1 * m + (1 - beta1) * g
///   v = beta2 * v + (1 - beta2) * g^2
///   w -= learningRate * m / (1 - beta1^t)
///        / (sqrt(v / (1 - beta2^t)) + eps)
///
/// Kingma and Ba, Adam: a method for stochastic optimization, arXiv:1412.6980;
/// as `Adam` of tinygrad and of PyTorch. The powers are computed in float64, as
/// in PyTorch (float32 in tinygrad), from the number of steps of the optimizer
/// (PyTorch counts for each parameter). State: `first_moments`,
/// `second_moments`, `step_count`.
class Adam : public Moments {
public:
  /// Throws Error for betas outside of [0, 1) and other negative options.
  explicit Adam(std::vector<Tensor> parameters,
                const AdamOptions &options = {});
  explicit Adam(const std::vector<ParameterGroup<AdamOptions>> &groups);

private:
  Tensor update(const ParameterUpdate &parameter, Step &step) override;

  std::vector<double> decays; ///< of each group
};

/// Adam with decoupled weight decay: w -= learningRate * weightDecay * w, with
/// the weights before the step. Loshchilov and Hutter, Decoupled weight decay
/// regularization, arXiv:1711.05101; as `AdamW` of tinygrad and of PyTorch.
class AdamW : public Moments {
public:
  /// As Adam.
  explicit AdamW(std::vector<Tensor> parameters,
                 const AdamWOptions &options = {});
  explicit AdamW(const std::vector<ParameterGroup<AdamWOptions>> &groups);

private:
  Tensor update(const ParameterUpdate &parameter, Step &step) override;

  std::vector<double> decays;
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_ADAM_H
