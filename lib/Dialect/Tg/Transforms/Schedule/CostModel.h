//===- CostModel.h - what fusing and storing cost ---------------*- C++ -*-===//
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

/// Estimates of each value of a function, computed once from its inputs on.
class CostModel {
public:
  /// `stored` are the values that have a buffer in any case.
  CostModel(Block &block, const DenseSet<Value> &stored);

  /// Why `value` should get a buffer, or an empty string if it should be
  /// computed where it is used.
  std::string getReasonToStore(Value value, ArrayRef<Access *> accesses);

  /// The parts of `value` that are worth a kernel each if it gets a buffer: it
  /// chooses between tensors by position, and such a kernel computes only what
  /// is chosen.
  Partition getPartition(Value value);

  /// The positions of `value` that anything reads, from the first of each axis
  /// to the one after the last: those that are filled if it gets a buffer only
  /// because that is faster.
  std::pair<SmallVector<Dim>, SmallVector<Dim>> getReadPart(Value value) const;

  /// Whether a reduction is run for every element of `value`.
  bool hasReduction(Value value) const {
    return getOperand(value).reducesPerElement;
  }

  /// About how many operations compute an element of `value` where it is used.
  /// What is expected to be stored counts as a load, and so does a value whose
  /// size makes it a place to cut a large kernel.
  int64_t getExpectedOps(Value value) const;

  /// Whether computing an element of `value` runs a reduction that needs lanes
  /// along its results (Tiles.h).
  bool isTiled(Value value) const {
    return estimates.lookup(value).tiledWork > 0;
  }

  /// Whether such a reduction is behind a view that divides positions.
  bool isDivided(Value value) const {
    return estimates.lookup(value).isDivided;
  }

private:
  struct Estimate {
    /// Work for one element with everything behind it fused, in units of a
    /// simple arithmetic operation.
    double work = 1;
    /// The same inside one part of a partition.
    double workInPart = 1;
    /// How much of `work` is in reductions that need lanes along their results.
    double tiledWork = 0;
    /// Operations that all parts of a partition need.
    double opsInPart = 1;
    /// Operations behind it, those that are used twice counted twice.
    int64_t ops = 1;
    /// How many choices by position there are one behind the other, with
    /// nothing but elementwise operations in between.
    int64_t selections = 0;
    /// Whether such a reduction is behind a view that divides positions.
    bool isDivided = false;
    /// Whether one reduction is run for every element.
    bool reducesPerElement = false;
  };
  Estimate estimate(Operation &op) const;
  Estimate getOperand(Value operand) const {
    return stored.contains(operand) ? Estimate() : estimates.lookup(operand);
  }
  /// The choices by position behind a value.
  struct Choices {
    /// Their boundaries by axis, in order.
    SmallVector<SmallVector<int64_t>> bounds;
    /// The different computations that are chosen from.
    DenseSet<size_t> kinds;
    /// Operations between the value and these computations.
    int64_t numOps = 0;
    /// Along the axis that has the most boundaries.
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
  /// Bounds of the positions that are read along each axis, where these are not
  /// all.
  DenseMap<Value, SmallVector<Interval>> reads;
  DenseMap<Value, std::shared_ptr<Choices>> choicesOf;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_SCHEDULE_COSTMODEL_H
