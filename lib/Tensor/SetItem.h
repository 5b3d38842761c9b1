//===- SetItem.h - tensors as indices ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reads and writes elements selected by tensors of positions or by a mask.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_SETITEM_H
#define TINYGRAD_LIB_TENSOR_SETITEM_H

#include "TensorImpl.h"

namespace tinygrad::detail {

/// The target of an index after its slices and integers were applied.
struct IndexTarget {
  /// The view of the indexed tensor that the index tensors select from.
  Tensor view;
  /// The axes that tensors select from, in order; for a mask, its first axis.
  std::vector<int64_t> axes;
  std::vector<Tensor> indices;

  /// Whether the index is a single mask.
  bool isMask() const {
    return indices.size() == 1 && indices[0].dtype() == DType::Bool;
  }
  /// The selected elements.
  Tensor select() const;
  /// Assigns new values to the selected elements.
  void assign(const Operand &value) const;
};

/// \p index with negative positions, which count from the end, replaced by
/// positions from the start, in a type that can represent all positions.
Tensor positionFromStart(const Tensor &index, SymInt size);

/// The number of rows of a data-dependent size, as a bound variable with an
/// upper bound of at most \p most: programs are compiled for the bound, not for
/// each number. Returns \p count itself if it equals \p most.
SymInt countAsVariable(int64_t count, int64_t most);
/// Computes a tensor whose first axis has such a size, and returns it with \p
/// count as the size.
Tensor computeRows(const Tensor &x, int64_t count);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_SETITEM_H
