//===- Momentum.h - sums of past gradients ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What SGD, LARS and Muon have in common.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_OPTIM_MOMENTUM_H
#define TINYGRAD_LIB_OPTIM_MOMENTUM_H

#include "TinyGrad/Tensor/Tensor.h"

namespace tinygrad::optim {

/// The sums after a step, and the direction to go.
struct Momentum {
  Tensor sum, direction;
};

/// \p sum, from the steps before, is undefined if there is no momentum.
inline Momentum addToMomentum(const Tensor &sum, const Tensor &gradient,
                              double momentum, bool nesterov) {
  if (!sum.defined())
    return {sum, gradient};
  const Tensor next = sum * momentum + gradient;
  return {next, nesterov ? gradient + next * momentum : next};
}

} // namespace tinygrad::optim

#endif // TINYGRAD_LIB_OPTIM_MOMENTUM_H
