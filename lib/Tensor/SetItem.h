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

/// An index whose slices and single positions were applied.
struct IndexTarget {
  /// What is left to select from, a view of the tensor that was indexed.
  Tensor view;
  /// The axes that tensors select from, in order; of a mask the first one.
  std::vector<int64_t> axes;
  std::vector<Tensor> indices;

  /// Whether there is a mask and nothing else.
  bool isMask() const {
    return indices.size() == 1 && indices[0].dtype() == DType::Bool;
  }
  /// The elements.
  Tensor select() const;
  /// Assigns new values to them.
  void assign(const Operand &value) const;
};

/// \p index with positions from the end made positions from the start, in a
/// type that holds all positions.
Tensor positionFromStart(const Tensor &index, SymInt size);

/// A number of rows that data decides, as a size with that value: programs are
/// compiled for as many or fewer, not for each number. At most as many as
/// \p most, which is the number itself then.
SymInt countAsVariable(int64_t count, int64_t most);
/// The values of a tensor whose first axis has such a size, computed at once:
/// the same with the number as size.
Tensor computeRows(const Tensor &x, int64_t count);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_SETITEM_H
