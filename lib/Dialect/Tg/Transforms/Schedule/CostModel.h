//===- CostModel.h - cost of recomputing and of storing ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides whether an intermediate is computed inside its consumers or stored.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_COSTMODEL_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_COSTMODEL_H

#include "KernelBuilder.h"
#include "Selection.h"

namespace mlir::tg {

/// Estimates for each value of a function, computed once, from inputs to
/// results.
class CostModel {
public:
  /// \p stored are the values that have a buffer in any case.
  CostModel(Block &block, const DenseSet<Value> &stored);

  /// Why `value` should get a buffer, or an empty string if it should be
  /// computed where it is used.
  std::string getReasonToStore(Value value, ArrayRef<Access *> accesses);

  /// Whether the operand of `op` should be stored instead of its result. That
  /// is so for conversions on GPUs that widen without rounding: memory is
  /// slower than converting where the value is loaded, and matrix units
  /// multiply the narrow type.
  bool storesOperand(Operation *op) const;

  /// How to divide `value` into parts with a kernel each if it gets a buffer.
  /// Useful if `value` selects between tensors by position: then each kernel
  /// computes only the selected tensor.
  Partition getPartition(Value value);

  /// The positions of `value` that are read, from the first one to the one
  /// after the last along each axis. Only these are computed if the value gets
  /// a buffer for speed alone.
  std::pair<SmallVector<Dim>, SmallVector<Dim>> getReadPart(Value value) const;

  /// Whether computing an element of `value` runs a reduction.
  bool hasReduction(Value value) const {
    return getOperand(value).reducesPerElement;
  }

  /// The approximate number of operations that compute an element of `value` at
  /// its use. A value that is expected to be stored counts as a load; so does a
  /// value at which a large kernel can be split.
  int64_t getExpectedOps(Value value) const;

  /// Whether computing an element of `value` runs a reduction that needs lanes
  /// along its results (see Tiles.h).
  bool isTiled(Value value) const {
    return estimates.lookup(value).tiledWork > 0;
  }

  /// Whether such a reduction is read through a view that divides positions.
  bool isDivided(Value value) const {
    return estimates.lookup(value).isDivided;
  }

private:
  struct Estimate {
    /// Work for one element if everything is fused, in units of a simple
    /// arithmetic operation.
    double work = 1;
    /// The same within one part of a partition.
    double workInPart = 1;
    /// The share of `work` in reductions that need lanes along their results.
    double tiledWork = 0;
    /// Operations that each part of a partition repeats.
    double opsInPart = 1;
    /// The number of fused operations; those with two uses count twice.
    int64_t ops = 1;
    /// The greatest number of selections by position on a path of elementwise
    /// operations.
    int64_t selections = 0;
    /// Whether such a reduction is read through a view that divides positions.
    bool isDivided = false;
    /// Whether a reduction runs for every element.
    bool reducesPerElement = false;
  };
  Estimate estimate(Operation &op) const;
  Estimate getOperand(Value operand) const {
    return stored.contains(operand) ? Estimate() : estimates.lookup(operand);
  }
  /// The selections by position that a value depends on.
  struct Choices {
    /// Their boundaries along each axis, sorted.
    SmallVector<SmallVector<int64_t>> bounds;
    /// The distinct computations that are selected between.
    DenseSet<size_t> kinds;
    /// The number of operations between the value and these computations.
    int64_t numOps = 0;
    /// The partition along the axis with the most boundaries.
    Partition partition;
  };
  const Choices &getChoices(Value value);
  size_t getKind(Value value, int64_t depth) const;
  double getCost(Value value, const Partition &partition);
  void findReads(Block &block);
  double countReadElements(Value value) const;

  const TargetFacts &target;
  const DenseSet<Value> &stored;
  DenseMap<Value, Estimate> estimates;
  /// Bounds of the positions read along each axis, for values that are not read
  /// completely.
  DenseMap<Value, SmallVector<Interval>> reads;
  DenseMap<Value, std::shared_ptr<Choices>> choicesOf;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_COSTMODEL_H
