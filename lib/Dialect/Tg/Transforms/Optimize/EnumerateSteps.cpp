//===- EnumerateSteps.cpp - schedules as lists of steps -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the interface for schedule searches: checks, applies and
/// enumerates steps.
///
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"
#include "TinyGrad/Dialect/Tg/IR/TgContraction.h"
#include "TinyGrad/Dialect/Tg/IR/TgCopyingItems.h"
#include "TinyGrad/Dialect/Tg/IR/TgGroupOrder.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tg;

/// The largest divisor of an extent that is proposed to split by, or into as
/// many parts, and the most owners of elements.
static constexpr int64_t kMaxParts = 64;

LogicalResult tg::canApply(KernelOp kernel, StepAttr step,
                           std::string &reason) {
  std::optional<std::string> obstacle =
      KernelSchedule(kernel).findObstacle(step);
  if (!obstacle)
    return success();
  reason = std::move(*obstacle);
  return failure();
}

LogicalResult tg::applySteps(KernelOp kernel, ArrayRef<StepAttr> steps) {
  OwningOpRef<KernelOp> before = kernel.clone();
  auto restore = [&] {
    kernel.getBody().takeBody(before->getBody());
    kernel->setAttrs((*before)->getAttrDictionary());
  };
  KernelSchedule schedule(kernel);
  if (auto refused = schedule.applyAll(steps)) {
    restore();
    return kernel.emitError()
           << "kernel '" << kernel.getName() << "' does not admit the step "
           << refused->step << ": " << refused->reason;
  }
  if (auto rest = schedule.findUnfinished()) {
    restore();
    return kernel.emitError() << "the steps of kernel '" << kernel.getName()
                              << "' are not complete: " << *rest;
  }
  SmallVector<Attribute> list;
  if (ArrayAttr earlier = kernel.getScheduledAttr())
    llvm::append_range(list, earlier);
  llvm::append_range(list, schedule.getSteps());
  kernel.setScheduledAttr(ArrayAttr::get(kernel.getContext(), list));
  return success();
}

void tg::visitSteps(KernelOp kernel, const TargetFacts &target,
                    ArrayRef<StepAttr> steps,
                    function_ref<bool(size_t, bool)> visit) {
  KernelSchedule schedule(kernel, target);
  for (auto [i, step] : llvm::enumerate(steps)) {
    schedule.apply(step);
    if (!visit(i + 1, !schedule.findUnfinished()))
      return;
  }
}

namespace {
/// Collects the proposals for a kernel that are admitted.
class StepEnumerator {
public:
  explicit StepEnumerator(KernelOp kernel)
      : kernel(kernel), schedule(kernel), ranges(schedule.getRanges()) {
    llvm::StringMap<int64_t> numbers;
    for (Operation &op : kernel.getBody().front())
      operands[&op] = {op.getName().getIdentifier(),
                       numbers[op.getName().getStringRef()]++};
    for (RangeOp range : ranges)
      nextId = std::max(nextId, static_cast<int64_t>(range.getId()) + 1);
  }

  void propose(StepKind kind);
  SmallVector<StepList> takeProposals() { return std::move(proposals); }

private:
  void proposeSplits(RangeOp range);
  void proposeMoves();
  void proposeKinds(RangeOp range);
  void proposeUnshares();
  void proposeAccumulations();
  void proposeTiles();
  void proposeWindows();
  void proposeReuses();
  void proposeSkips();
  void proposeSkips(RangedReduceOp reduce, LoadOp load, Value other,
                    ArrayRef<RangeOp> columns, RangeOp lanes);
  void proposeContractions();
  void proposeBuffers();

  StepAttr makeStep(StepKind kind, ArrayRef<Operation *> ops,
                    ArrayRef<RangeOp> over, int64_t amount = 0,
                    ArrayRef<int64_t> results = {}) {
    auto stepOps = llvm::map_to_vector(
        ops, [&](Operation *op) { return operands.lookup(op); });
    auto ids = llvm::map_to_vector(over, [](RangeOp range) {
      return static_cast<int64_t>(range.getId());
    });
    return StepAttr::get(kernel.getContext(), kind, stepOps, ids, amount,
                         results);
  }
  /// A step of a range that an earlier step of the list makes.
  StepAttr makeStepOf(StepKind kind, int64_t range, int64_t amount) {
    return StepAttr::get(kernel.getContext(), kind, {}, range, amount, {});
  }
  void add(StepKind kind, ArrayRef<Operation *> ops, ArrayRef<RangeOp> over,
           int64_t amount = 0) {
    StepAttr step = makeStep(kind, ops, over, amount);
    if (!schedule.findObstacle(step))
      proposals.push_back({step});
  }
  /// Steps that are admitted together, of which the first may leave something
  /// unfinished.
  void add(StepList steps) {
    OwningOpRef<KernelOp> copy = kernel.clone();
    KernelSchedule trial(*copy, schedule.getTarget());
    if (!trial.applyAll(steps) && !trial.findUnfinished())
      proposals.push_back(std::move(steps));
  }
  /// The ids that so many new ranges may have.
  SmallVector<int64_t> getNewIds(size_t count) const {
    return llvm::to_vector(llvm::seq(nextId, nextId + int64_t(count)));
  }
  template <typename OpT> auto getOps() {
    return kernel.getBody().getOps<OpT>();
  }
  SmallVector<RangeOp> getRangesOf(Value value) {
    return llvm::to_vector(llvm::make_filter_range(ranges, [&](RangeOp range) {
      return schedule.dependsOn(value, range);
    }));
  }

  KernelOp kernel;
  KernelSchedule schedule;
  SmallVector<RangeOp> ranges;
  DenseMap<Operation *, StepOperand> operands;
  int64_t nextId = 0;
  SmallVector<StepList> proposals;
};
} // namespace

void StepEnumerator::proposeSplits(RangeOp range) {
  const int64_t extent = range.getLargestExtent();
  llvm::SmallSetVector<int64_t, 16> factors;
  // A vector may have more lanes than there are positions.
  for (int64_t factor = 2; factor < 2 * extent; factor *= 2)
    factors.insert(factor);
  for (int64_t part = 1; part <= std::min(kMaxParts, extent); ++part)
    if (extent % part == 0) {
      factors.insert(part);
      factors.insert(extent / part);
    }
  // What divides few extents.
  for (int64_t factor : {int64_t(3), int64_t(7), extent - 1})
    if (factor > 1 && factor < extent)
      factors.insert(factor);
  factors.remove(1);
  for (int64_t factor : factors)
    add(StepKind::split, {}, range, factor);
}

void StepEnumerator::proposeMoves() {
  for (size_t i = 0; i + 1 < ranges.size(); ++i) {
    add(StepKind::move, {}, {ranges[i + 1], ranges[i]});
    if (i > 0) {
      add(StepKind::move, {}, {ranges[i + 1], ranges.front()});
      add(StepKind::move, {}, {ranges.front(), ranges[i + 1]});
    }
  }
}

void StepEnumerator::proposeKinds(RangeOp range) {
  for (uint32_t kind = 0; kind <= getMaxEnumValForRangeKind(); ++kind)
    if (static_cast<RangeKind>(kind) != range.getKind())
      add(StepKind::set_kind, {}, range, kind);
  const int64_t extent = range.getLargestExtent();
  llvm::SmallSetVector<int64_t, 8> bands;
  for (int64_t band : {int64_t(2), int64_t(3), int64_t(8), extent - 1, extent})
    if (band > 1 && band <= std::min(extent, kMaxRangeId))
      bands.insert(band);
  if (range.getKind() != RangeKind::global)
    for (int64_t band : bands)
      add(StepKind::set_kind, {}, range,
          static_cast<int64_t>(RangeKind::global) + band * kBandUnit);
}

void StepEnumerator::proposeUnshares() {
  for (auto reduce : getOps<RangedReduceOp>()) {
    add(StepKind::unshare, reduce.getOperation(), {});
    // Along the ranges of another one.
    for (auto other : getOps<RangedReduceOp>())
      if (other != reduce && !other.getRanges().empty() &&
          other.getRanges() != reduce.getRanges())
        add(StepKind::unshare, reduce.getOperation(), getClosedRanges(other));
  }
}

void StepEnumerator::proposeAccumulations() {
  for (RangeOp range : ranges) {
    auto reduces = llvm::map_to_vector(
        schedule.getReduces(range),
        [](RangedReduceOp reduce) { return reduce.getOperation(); });
    if (reduces.empty())
      continue;
    llvm::sort(reduces, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    add(StepKind::accumulate, reduces, range);
  }
}

void StepEnumerator::proposeTiles() {
  for (Operation &op : kernel.getBody().front()) {
    if (op.getNumResults() != 1 || isa<RangeOp, DimOp, ConstOp>(op) ||
        !KernelSchedule::fitsTile(op.getResult(0).getType()))
      continue;
    const SmallVector<RangeOp> over = getRangesOf(op.getResult(0));
    if (over.empty())
      continue;
    // Rows that have to be padded.
    auto addPadded = [&](ArrayRef<RangeOp> tile) {
      const SmallVector<int64_t> ids = getNewIds(tile.size());
      for (int64_t pad : {3, 8})
        if (RangeOp(tile.back()).getLargestExtent() % pad != 0)
          add({makeStep(StepKind::stage, &op, tile, pad, ids),
               makeStepOf(StepKind::split, ids.back(), pad)});
    };
    add(StepKind::stage, &op, over);
    // Of what is cheap to compute, only whole tiles.
    auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
    if (!isa<LoadOp, RangedReduceOp>(op) &&
        (!elementwise || !elementwise.isTranscendental()))
      continue;
    if (over.size() > 1)
      for (RangeOp range : over)
        add(StepKind::stage, &op, range);
    addPadded(over.back());
    // Along a range of a reduction, and before or after that one of the
    // result.
    for (RangeOp range : over) {
      if (schedule.isResultRange(range))
        continue;
      for (RangeOp other : over) {
        if (other == range || !schedule.isResultRange(other))
          continue;
        if (over.size() > 2 || range != over.front())
          add(StepKind::stage, &op, {range, other});
        if (over.size() > 2 || other != over.front())
          add(StepKind::stage, &op, {other, range});
        addPadded({range, other});
      }
    }
  }
}

void StepEnumerator::proposeWindows() {
  const SmallVector<RangeOp> resultRanges = schedule.getResultRanges();
  for (auto reduce : getOps<RangedReduceOp>())
    for (Operation *op : KernelSchedule::getSlice(reduce.getValue())) {
      if (isa<RangeOp, DimOp, ConstOp>(op) ||
          !KernelSchedule::fitsTile(op->getResult(0).getType()))
        continue;
      auto propose = [&](ArrayRef<RangeOp> along) {
        add(StepKind::stage_window, {op, reduce}, along);
      };
      for (RangeOp range : resultRanges) {
        if (!schedule.dependsOn(op->getResult(0), range))
          continue;
        propose(range);
        for (RangeOp other : resultRanges)
          if (other != range && schedule.dependsOn(op->getResult(0), other))
            propose({range, other});
      }
    }
}

void StepEnumerator::proposeReuses() {
  for (auto stage : getOps<StageOp>()) {
    Operation *staged = stage.getValue().getDefiningOp();
    if (!staged || stage.getRanges().size() != 1)
      continue;
    for (Operation &op : kernel.getBody().front())
      if (&op != staged && op.getName() == staged->getName())
        for (RangeOp range : getRangesOf(op.getResult(0)))
          add(StepKind::reuse, {&op, stage}, range);
  }
}

void StepEnumerator::proposeSkips(RangedReduceOp reduce, LoadOp load,
                                  Value other, ArrayRef<RangeOp> columns,
                                  RangeOp lanes) {
  SmallVector<RangeOp> named(columns);
  named.push_back(lanes);
  StepAttr skip = makeStep(StepKind::skip_masked, {reduce, load}, named);
  if (!isa<FloatType>(reduce.getType())) {
    add({skip});
    return;
  }
  // The factor that has to be finite is packed, and checked.
  Operation *factor = other.getDefiningOp();
  SmallVector<RangeOp> over;
  for (RangeOp range : getClosedRanges(reduce))
    if (schedule.dependsOn(other, range))
      over.push_back(range);
  if (!factor || over.empty() || !schedule.dependsOn(other, lanes))
    return;
  over.push_back(lanes);
  StepList steps;
  if (lanes.getKind() != RangeKind::upcast)
    steps.push_back(makeStep(StepKind::set_kind, {}, lanes,
                             static_cast<int64_t>(RangeKind::upcast)));
  steps.push_back(skip);
  steps.push_back(makeStep(StepKind::stage, factor, over));
  steps.push_back(makeStep(StepKind::check_finite, reduce.getOperation(), lanes,
                           lanes.getLargestExtent()));
  add(std::move(steps));
}

void StepEnumerator::proposeSkips() {
  for (auto reduce : getOps<RangedReduceOp>()) {
    auto product = reduce.getValue().getDefiningOp<MulOp>();
    if (!product)
      continue;
    for (auto [factor, other] :
         {std::pair(product.getLhs(), product.getRhs()),
          std::pair(product.getRhs(), product.getLhs())}) {
      auto load = factor.getDefiningOp<LoadOp>();
      if (!load || !load.getMask())
        continue;
      const SmallVector<RangeOp> masked = getRangesOf(load.getMask());
      for (RangeOp lanes : ranges)
        for (RangeOp column : ranges)
          if (lanes != column && schedule.isResultRange(lanes) &&
              schedule.isResultRange(column)) {
            proposeSkips(reduce, load, other, column, lanes);
            for (RangeOp row : masked)
              if (row != column && row != lanes &&
                  schedule.isResultRange(row) &&
                  llvm::is_contained(masked, column))
                proposeSkips(reduce, load, other, {row, column}, lanes);
          }
    }
  }
}

void StepEnumerator::proposeContractions() {
  for (auto reduce : getOps<RangedReduceOp>()) {
    Value value = reduce.getValue();
    if (auto where = value.getDefiningOp<WhereOp>())
      value = where.getX();
    std::optional<ProductFactors> factors = getFactors(value);
    if (!factors)
      continue;
    for (auto [i, unit] : llvm::enumerate(tinygrad::kMatrixUnits))
      if (fitsUnit(unit, *factors, reduce.getType()))
        add(StepKind::contract, reduce.getOperation(), {}, int64_t(i));
  }
}

void StepEnumerator::proposeBuffers() {
  const int64_t counts[] = {2, 3, 4, 8};
  for (auto stage : getOps<StageOp>())
    for (int64_t count : counts)
      add(StepKind::buffer, stage.getOperation(), {}, count);
  // Copies of boxes fill the tiles of both factors, or none.
  for (auto reduce : getOps<RangedReduceOp>()) {
    std::optional<ProductFactors> factors = getFactors(reduce.getValue());
    if (!reduce.getUnit() || !factors)
      continue;
    StageOp left = getGroupTile(factors->lhs),
            right = getGroupTile(factors->rhs);
    if (!left || !right || left == right)
      continue;
    for (int64_t count : counts)
      for (int64_t how :
           {int64_t(0), kByWarpgroup, kByWarpgroup + kAcrossBlocks}) {
        const int64_t amount = count + StepAttr::kAsTma + how;
        add({makeStep(StepKind::buffer, left.getOperation(), {}, amount),
             makeStep(StepKind::buffer, right.getOperation(), {}, amount)});
      }
  }
  for (auto store : getOps<StoreOp>())
    add(StepKind::buffer, store.getOperation(), {}, StepAttr::kAsTma + 1);
}

void StepEnumerator::propose(StepKind kind) {
  switch (kind) {
  case StepKind::split:
    for (RangeOp range : ranges)
      proposeSplits(range);
    break;
  case StepKind::merge:
    for (size_t i = 0; i + 1 < ranges.size(); ++i)
      add(StepKind::merge, {}, {ranges[i], ranges[i + 1]});
    break;
  case StepKind::reverse:
    for (RangeOp range : ranges)
      add(StepKind::reverse, {}, range);
    break;
  case StepKind::move:
    proposeMoves();
    break;
  case StepKind::set_kind:
    for (RangeOp range : ranges)
      proposeKinds(range);
    break;
  case StepKind::unshare:
    proposeUnshares();
    break;
  case StepKind::accumulate:
    proposeAccumulations();
    break;
  case StepKind::stage:
    proposeTiles();
    break;
  case StepKind::stage_window:
    proposeWindows();
    break;
  case StepKind::reuse:
    proposeReuses();
    break;
  case StepKind::skip_masked:
    proposeSkips();
    break;
  case StepKind::check_finite:
    // A part of what is proposed for skip_masked.
    break;
  case StepKind::prefetch:
    for (Operation &op : kernel.getBody().front())
      if (isa<LoadOp, StoreOp>(op))
        for (int64_t distance : {1, 64})
          add(StepKind::prefetch, &op, {}, distance);
    break;
  case StepKind::nontemporal:
    for (auto store : getOps<StoreOp>())
      if (!store.getNontemporal())
        add(StepKind::nontemporal, store.getOperation(), {});
    break;
  case StepKind::contract:
    proposeContractions();
    break;
  case StepKind::buffer:
    proposeBuffers();
    break;
  case StepKind::partition:
    for (int64_t owners = 2; owners <= kMaxParts; owners *= 2)
      add(StepKind::partition, {}, {}, owners);
    add(StepKind::partition, {}, {}, 3);
    break;
  }
}

SmallVector<StepList> tg::enumerateSteps(KernelOp kernel,
                                         std::optional<StepKind> kind) {
  StepEnumerator enumerator(kernel);
  if (kind)
    enumerator.propose(*kind);
  else
    for (uint32_t i = 0; i <= getMaxEnumValForStepKind(); ++i)
      enumerator.propose(static_cast<StepKind>(i));
  return enumerator.takeProposals();
}
