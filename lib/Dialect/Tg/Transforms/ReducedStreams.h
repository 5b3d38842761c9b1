//===- ReducedStreams.h - reductions of tensors in memory -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How what is reduced lies in memory.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_REDUCEDSTREAMS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_REDUCEDSTREAMS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include <optional>

namespace mlir::tg {

/// For each dimension of a value that is reduced through elementwise
/// operations, the reduced tensor's axis; `kNoAxis` for dimensions of one
/// element.
using Axes = SmallVector<int64_t>;
constexpr int64_t kNoAxis = -1;

/// The most rows of a narrow left factor, each of which a product multiplies
/// with a matrix that is read once for all of them.
constexpr int64_t kMostShared = 12;

/// Whether a few elementwise operations compute each element of what is reduced
/// from memory, so that the reduction runs at memory speed.
class StreamFinder {
public:
  /// Visits the operations from which \p value is computed.
  bool visit(Value value, Axes axes, int64_t depth = 0);
  /// The axes, in memory order, of operands that are read once from end to end.
  /// Small operands may be repeated. Without any it is a product that uses each
  /// element often, such as a matrix product.
  std::optional<Axes> order;
  /// The size of these operands.
  int64_t bits = 0;
  /// Operands that are repeated at most this often are read once: what they
  /// contribute to that many results is computed side by side.
  int64_t mostShared = 1;
};

/// The axes of a tensor with more than one element, at their dimensions.
Axes getLongAxes(RankedTensorType type);

/// If what is reduced is read from end to end, and the reduced axes are
/// neighbors in memory, replaces the reduction by one along a single axis,
/// which can be divided anywhere. Returns it, or \p op.
ReduceOp mergeReducedAxes(ReduceOp op);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_REDUCEDSTREAMS_H
