//===- Selection.h - selection by position ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A graph concatenates tensors by padding them and selecting by position along
/// an axis. If all positions of an access are on one side of the boundary, the
/// other tensor is not needed.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SELECTION_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SELECTION_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"

namespace mlir::tg {

/// Elements of `below` before position `bound` of `axis`, elements of `above`
/// from there on.
struct Selection {
  int64_t axis, bound;
  Value below, above;
};

/// `value` as a selection, if it is a `tg.where` whose condition compares a
/// `tg.iota` with a constant.
std::optional<Selection> getSelection(Value value);

/// The tensor that provides the elements of `value` at positions within these
/// bounds. The search stops at stored values.
Value getSelected(Value value, function_ref<bool(Value)> isStored,
                  function_ref<Interval(int64_t)> getPositions);

/// A tensor divided along one axis at the given positions, in ascending order.
struct Partition {
  int64_t axis = 0;
  SmallVector<int64_t> bounds;
  /// The approximate number of different kernels that compute the parts.
  int64_t numKernels = 1;

  bool isWhole() const { return bounds.empty(); }
  int64_t getNumParts() const { return bounds.size() + 1; }
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_SELECTION_H
