//===- Dropout.h - dropout layer --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Dropout as a layer.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_DROPOUT_H
#define TINYGRAD_NN_DROPOUT_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

namespace tinygrad::nn {

/// Tensor::dropout: does nothing outside of a TrainingScope.
struct Dropout {
  explicit Dropout(double p = 0.5) : p(p) {}

  /// Throws Error unless p is between 0 and 1.
  Tensor operator()(const Tensor &x) const { return x.dropout(p); }

  /// The probability of a zero.
  double p;
  TINYGRAD_MEMBERS()
};

} // namespace tinygrad::nn

#endif // TINYGRAD_NN_DROPOUT_H
