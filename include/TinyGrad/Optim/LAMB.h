//===- LAMB.h - layer-wise adaptive moments ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// AdamW with a rate for each parameter that is proportional to its norm.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_LAMB_H
#define TINYGRAD_OPTIM_LAMB_H

#include "TinyGrad/Optim/Moments.h"

#include <vector>

namespace tinygrad::optim {

/// The defaults are those of tinygrad.
struct LAMBOptions {
  double learningRate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-6;
  double weightDecay = 0;
  bool masterWeights = true;
  bool skipWithoutGradient = false;
};

/// With u the direction of Adam plus weightDecay * w:
///
///   w -= learningRate * |w| / |u| * u
///
/// (the quotient is 1 if a norm is 0). You et al., Large batch optimization for
/// deep learning, arXiv:1904.00962; as `LAMB` of tinygrad. State: that of Adam.
class LAMB : public Moments {
public:
  /// As Adam.
  explicit LAMB(std::vector<Tensor> parameters,
                const LAMBOptions &options = {});
  explicit LAMB(const std::vector<ParameterGroup<LAMBOptions>> &groups);

private:
  Tensor update(const ParameterUpdate &parameter, Step &step) override;

  std::vector<double> decays;
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_LAMB_H
