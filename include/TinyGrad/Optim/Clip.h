//===- Clip.h - clipping of gradients ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Limits gradients between backward() and the step of an optimizer. Lazy:
/// nothing is computed before the step.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_OPTIM_CLIP_H
#define TINYGRAD_OPTIM_CLIP_H

#include "TinyGrad/Tensor/Operand.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <vector>

namespace tinygrad::optim {

/// Multiplies the gradients by min(1, maxNorm / (norm + 1e-6)), where the norm
/// is that of all gradients together, sum(|g|^p)^(1/p), or the largest
/// magnitude for an infinite p. Returns the norm before that: float32 (float64
/// if a gradient is), rank 0. A gradient with an infinity makes others 0 and
/// itself NaN; one with a NaN makes all NaN. As `clip_grad_norm_` of PyTorch.
/// Parameters without a gradient are ignored. Throws Error unless p is positive
/// and \p maxNorm, if it is a number, not negative.
Tensor clipGradNorm(const std::vector<Tensor> &parameters,
                    const Operand &maxNorm, double p = 2);

/// Limits each element of the gradients to [-limit, limit]; a NaN stays. As
/// `clip_grad_value_` of PyTorch. Throws Error unless \p limit, if it is a
/// number, is not negative.
void clipGradValue(const std::vector<Tensor> &parameters, const Operand &limit);

} // namespace tinygrad::optim

#endif // TINYGRAD_OPTIM_CLIP_H
