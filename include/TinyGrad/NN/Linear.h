//===- Linear.h - linear layer ----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A layer that is a matrix product.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_LINEAR_H
#define TINYGRAD_NN_LINEAR_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>

namespace tinygrad::nn {

/// Options of Linear.
struct LinearOptions {
  bool bias = true;
  /// Element type and device of the parameters.
  TensorOptions parameters = {};
};

/// x.matmul(weight.T()) + bias along the last axis: (.., in) becomes (.., out).
/// The parameters are uniform in +-1/sqrt(in), as in tinygrad.
struct Linear {
  /// Throws ShapeError for a negative size, DTypeError for parameters that are
  /// not floats.
  Linear(int64_t inFeatures, int64_t outFeatures,
         const LinearOptions &options = {});

  /// Throws ShapeError unless the last axis of \p x has the size `in`.
  Tensor operator()(const Tensor &x) const;

  /// (out, in) and (out); no bias is an undefined tensor.
  Tensor weight, bias;
  TINYGRAD_MEMBERS(weight, bias)
};

} // namespace tinygrad::nn

#endif // TINYGRAD_NN_LINEAR_H
