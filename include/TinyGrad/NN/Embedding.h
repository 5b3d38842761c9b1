//===- Embedding.h - table of vectors ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A layer that looks up vectors.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_NN_EMBEDDING_H
#define TINYGRAD_NN_EMBEDDING_H

#include "TinyGrad/Tensor/Members.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <cstdint>

namespace tinygrad::nn {

/// Options of Embedding.
struct EmbeddingOptions {
  /// Element type and device of the parameters.
  TensorOptions parameters = {};
};

/// The rows of a table at given positions: (..) becomes (.., size). The rows
/// begin as Tensor::glorotUniform, as in tinygrad. The cost of a call is
/// proportional to its result.
struct Embedding {
  /// Throws ShapeError for a negative size, DTypeError for parameters that are
  /// not floats.
  Embedding(int64_t rows, int64_t size, const EmbeddingOptions &options = {});

  /// Positions that are negative count from the end; those out of range give
  /// zeros. Throws DTypeError unless \p positions are integers.
  Tensor operator()(const Tensor &positions) const;

  /// (rows, size)
  Tensor weight;
  TINYGRAD_MEMBERS(weight)
};

} // namespace tinygrad::nn

#endif // TINYGRAD_NN_EMBEDDING_H
