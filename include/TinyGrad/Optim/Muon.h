//===- Muon.h - momentum with orthogonal updates ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Momentum whose updates are made nearly orthogonal.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_MUON_H
#define TINYGRAD_OPTIM_MUON_H

#include "TinyGrad/Optim/Optimizer.h"

#include <cstdint>
#include <vector>

namespace tinygrad::optim {

/// The defaults are those of tinygrad and PyTorch.
struct MuonOptions {
  double learningRate = 1e-3;
  double momentum = 0.95;
  /// Subtracts this times the learning rate times the weights from the weights.
  double weightDecay = 0.1;
  bool nesterov = true;
  /// Iterations of Newton-Schulz, and the coefficients of their odd polynomial.
  int64_t iterations = 5;
  std::vector<double> coefficients = {3.4445, -4.775, 2.0315};
  bool masterWeights = true;
  bool skipWithoutGradient = false;
};

/// SGD with the update replaced by the nearest matrix with orthonormal rows or
/// columns, as far as the iterations of Newton-Schulz approximate it:
///
///   b = momentum * b + g
///   u = orthogonal(nesterov ? g + momentum * b : b)
///   w -= learningRate * (u + weightDecay * w)
///
/// The axes after the first one are flattened. For the matrices inside of a
/// network; use another optimizer for the rest (OptimizerGroup). Jordan et al.,
/// https://kellerjordan.github.io/posts/muon, and Liu et al., Muon is scalable
/// for LLM training, arXiv:2502.16982; as `Muon` of tinygrad. PyTorch's (2.9)
/// iterates in bfloat16, and multiplies the learning rate by sqrt(max(1, rows /
/// columns)). State: `momentum`.
class Muon : public Optimizer {
public:
  /// Throws ShapeError for parameters with fewer than two axes, Error for
  /// negative options, for nesterov without momentum, and without coefficients.
  explicit Muon(std::vector<Tensor> parameters,
                const MuonOptions &options = {});
  explicit Muon(const std::vector<ParameterGroup<MuonOptions>> &groups);

private:
  Tensor update(const ParameterUpdate &parameter, Step &step) override;

  std::vector<MuonOptions> groups;
};

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_MUON_H
