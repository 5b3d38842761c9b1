//===- Legality.cpp - which steps a kernel admits -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The conditions under which a step preserves what a kernel computes, and
/// leaves a kernel that code can be generated for.
///
//===----------------------------------------------------------------------===//

#include "KernelSchedule.h"
#include "TinyGrad/Dialect/Tg/IR/TgGroupOrder.h"
#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"
#include "TinyGrad/Dialect/Tg/Utils/ItemPasses.h"
#include "TinyGrad/Dialect/Tg/Utils/ThreadDiagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

using Obstacle = std::optional<std::string>;

/// Upper limits: lanes of one vector, copies of a value by unrolled ranges,
/// ranges, and bytes of a tile. Spare ranges are those of steps that follow.
static constexpr int64_t kMaxLanes = 256, kMaxCopies = 256;
static constexpr size_t kMaxRanges = 64, kSpareRanges = 16;
static constexpr int64_t kMaxTileBytes = int64_t(1) << 24, kMaxBuffers = 8;

static std::string describe(RangeOp range) {
  return "range " + std::to_string(range.getId());
}

static std::string describe(const StepOperand &operand) {
  return operand.name.getValue().str() + " " + std::to_string(operand.number);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

bool KernelSchedule::hasOrderedUpdate() {
  return llvm::any_of(kernel.getBody().getOps<StoreOp>(), [](StoreOp store) {
    return store.getUpdate() == UpdateKind::set;
  });
}

Obstacle KernelSchedule::findObstacleToMove(RangeOp range, RangeOp other) {
  if (range == other)
    return "a range cannot come before itself";
  if (hasOrderedUpdate())
    return "the last of several writes to an element must win, so the order of "
           "ranges is fixed";
  // The ranges between the two places.
  const auto *from = llvm::find(ranges, range), *to = llvm::find(ranges, other);
  const bool isForward = from < to;
  for (const auto *it = isForward ? from + 1 : to;
       it != (isForward ? to : from); ++it)
    if (isScanned(range) || isScanned(*it))
      return describe(isScanned(range) ? range : *it) +
             " is scanned: a scan is over the innermost ranges, in their order";
  if (!givenTiles.empty())
    return "the kernel overwrites memory from which it fills a tile";
  if (llvm::any_of(ranges,
                   [&](RangeOp own) { return readsSelectedWrites(own); }))
    return "the kernel reads an element that a single position overwrites";
  // A value computed once for several elements may be computed again after some
  // of them were written.
  for (Operation &op : kernel.getBody().front())
    if (isa<RangedReduceOp, StageOp>(op) && readsOutput(op.getOperand(0)))
      return "the kernel combines elements that it overwrites";
  return std::nullopt;
}

bool KernelSchedule::readsOutput(Value value) {
  // Also through reductions and tiles.
  return llvm::any_of(kernel.getBody().getOps<LoadOp>(), [&](LoadOp load) {
    auto argument = dyn_cast<BlockArgument>(load.getBuffer());
    return argument && argument.getArgNumber() < kernel.getOutputs() &&
           isComputedFrom(value, load);
  });
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

bool KernelSchedule::hasUpdate() {
  return llvm::any_of(kernel.getBody().getOps<StoreOp>(), [](StoreOp store) {
    return store.getUpdate().has_value();
  });
}

bool KernelSchedule::hasLaneConflict(RangeOp lane) {
  // Applies to the operations that close the ranges, too.
  return llvm::any_of(kernel.getBody().front(), [&](Operation &op) {
    bool hasThis = false, hasOther = false;
    for (Value operand : op.getOperands())
      for (Value value : analysis.getRanges(operand)) {
        hasThis |= value == lane.getResult();
        hasOther |=
            value != lane.getResult() &&
            value.getDefiningOp<RangeOp>().getKind() == RangeKind::upcast;
      }
    return hasThis && hasOther;
  });
}

bool KernelSchedule::admitsThreads(RangeOp range) {
  return !findObstacleToKind(range, RangeKind::thread);
}

bool KernelSchedule::admitsLanes(RangeOp range) {
  return range.getKind() == RangeKind::loop && !range.getPeel() &&
         !findObstacleToLanes(range);
}

Obstacle KernelSchedule::findObstacleToLanes(RangeOp range) {
  // A range that a reduction closes is none of updates.
  if (hasUpdate() && isResultRange(range)) {
    if (isOrdered(range) || mayMeetAlong(range))
      return "positions of " + describe(range) + " may update one element";
    for (auto store : kernel.getBody().getOps<StoreOp>())
      if (store.getUpdate() &&
          analysis.getLinear(store.getIndex()).getCoefficient(range) < 1)
        return "lanes along " + describe(range) + " may update one element";
    // Simplified indices do not depend on it, but a tile may.
    if (range.getLargestExtent() <= 1)
      return describe(range) + " has a single position, which is no part of "
                               "the index of an update";
  }
  if (hasLaneConflict(range))
    return "an operation would depend on two upcast ranges";
  for (auto stage : kernel.getBody().getOps<StageOp>())
    if (!namesRange(stage, range) && dependsOn(stage.getValue(), range))
      return "elements of a tile would be vectors";
  for (auto scan : kernel.getBody().getOps<RangedScanOp>())
    if (namesRange(scan, range) && scan.getRanges().back() != range)
      return describe(range) + " is scanned, and not the last such range";
  return std::nullopt;
}

Obstacle KernelSchedule::findObstacleToKind(RangeOp range, RangeKind kind) {
  switch (kind) {
  case RangeKind::loop:
    return std::nullopt;
  case RangeKind::global:
  case RangeKind::local:
  case RangeKind::group_reduce:
    if (target.groupItems == 0)
      return "kind " + stringifyRangeKind(kind).str() +
             " needs a target with work-groups";
    return findObstacleToGroups(range, kind);
  case RangeKind::upcast:
  case RangeKind::unroll:
  case RangeKind::thread:
    break;
  }
  if (range.getKind() != RangeKind::loop)
    return describe(range) + " is " +
           stringifyRangeKind(range.getKind()).str() + ", not loop";
  const int64_t extent = range.getLargestExtent();
  if (kind != RangeKind::thread) {
    if (range.isSymbolic())
      return describe(range) + " has a symbolic extent";
    if (range.getPeel() && kind == RangeKind::upcast)
      return describe(range) + " has peeled positions";
  }
  // Other work items load no element that this one updates (C8 of tg.kernel).
  if (hasUpdate() && isResultRange(range) &&
      (isOrdered(range) ||
       (kind != RangeKind::thread && mayMeetAlong(range))) &&
      (kind != RangeKind::unroll || hasOrderedUpdate()))
    return "positions of " + describe(range) + " may update one element";

  switch (kind) {
  case RangeKind::upcast:
    if (!llvm::isPowerOf2_64(extent) || extent > kMaxLanes)
      return "a vector has a power of two of lanes up to " +
             std::to_string(kMaxLanes) + ", not " + std::to_string(extent);
    return findObstacleToLanes(range);
  case RangeKind::unroll: {
    if (isScanned(range))
      return describe(range) + " is scanned";
    for (Operation &op : kernel.getBody().front()) {
      if (op.getNumResults() != 1 || !dependsOn(op.getResult(0), range))
        continue;
      int64_t copies = extent;
      for (Value value : analysis.getRanges(op.getResult(0)))
        if (auto other = value.getDefiningOp<RangeOp>();
            other.getKind() == RangeKind::unroll &&
            llvm::MulOverflow(copies, other.getLargestExtent(), copies))
          copies = kMaxCopies + 1;
      if (copies > kMaxCopies)
        return "more than " + std::to_string(kMaxCopies) +
               " copies of a value would be computed";
    }
    return std::nullopt;
  }
  case RangeKind::thread: {
    if (!isResultRange(range))
      return describe(range) + " is closed by a reduction or tile";
    for (RangeOp other : ranges) {
      if (other == range)
        break;
      if (isResultRange(other) && other.getKind() == RangeKind::loop &&
          (target.groupItems > 0 || !mayRunAroundItems(other, analysis)))
        return "work items are leading ranges of the result, and " +
               describe(other) + " comes before";
    }
    return findObstacleToWorkItems(range);
  }
  default:
    llvm_unreachable("handled above");
  }
}

Obstacle KernelSchedule::findObstacleToWorkItems(RangeOp range) {
  if (isScanned(range))
    return describe(range) + " is scanned";
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    if (range.getLargestExtent() <= 1 || dependsOn(store.getIndex(), range))
      continue;
    // Of several values, a mask selects one, or none (C2 of tg.store), so that
    // at most one work item writes an element. Otherwise, every item would
    // compute the value again; in place, it would also read what another one
    // has written already.
    if (!store.getMask() || store.getUpdate() ||
        (!dependsOn(store.getMask(), range) &&
         !dependsOn(store.getValue(), range)))
      return "work items along " + describe(range) +
             " would write the same elements";
  }
  if (readsSelectedWrites(range))
    return "work items along " + describe(range) +
           " may read an element that another one writes";
  for (StageOp stage : givenTiles)
    if (!dependsOn(stage.getValue(), range))
      return "work items along " + describe(range) +
             " would overwrite memory from which a tile is filled";
  return std::nullopt;
}

Obstacle KernelSchedule::findObstacleToGroups(RangeOp range, RangeKind kind) {
  if (range.getKind() != RangeKind::loop)
    return describe(range) + " is " +
           stringifyRangeKind(range.getKind()).str() + ", not loop";
  if (kind != RangeKind::global) {
    if (range.isSymbolic())
      return describe(range) + " has a symbolic extent";
    if (range.getLargestExtent() > target.groupItems)
      return "a group has at most " + std::to_string(target.groupItems) +
             " work items, and " + describe(range) + " has " +
             std::to_string(range.getLargestExtent()) + " positions";
  }
  const bool isOfItems =
      kind == RangeKind::local || kind == RangeKind::group_reduce;
  for (auto stage : kernel.getBody().getOps<StageOp>())
    if (isOfItems && stage.getMemory() == TileMemory::group &&
        !namesRange(stage, range) && dependsOn(stage.getValue(), range))
      return "the value of a group's tile would depend on " + describe(range) +
             ", along which its work items differ";
  if (kind == RangeKind::group_reduce) {
    if (llvm::any_of(kernel.getBody().getOps<StoreOp>(), [](StoreOp store) {
          return store.getUpdate().has_value();
        }))
      return "several work items would update one element";
    if (getReduces(range).empty() ||
        llvm::any_of(range->getUsers(), [&](Operation *user) {
          return !isa<RangedReduceOp>(user) && namesRange(user, range);
        }))
      return describe(range) + " is not closed by reductions alone";
    return std::nullopt;
  }
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (store.getUpdate() && isOrdered(range))
      return "positions of " + describe(range) + " may update one element";
  bool fillsTiles = false;
  for (auto stage : kernel.getBody().getOps<StageOp>()) {
    const bool isGroups = stage.getMemory() == TileMemory::group;
    if (namesRange(stage, range)) {
      if (kind != RangeKind::local || !isGroups)
        return describe(range) + " fills a tile of a work item";
      fillsTiles = true;
    }
  }
  if (!fillsTiles && !isResultRange(range))
    return describe(range) + " is closed by a reduction";
  if (fillsTiles)
    return std::nullopt;
  if (kind == RangeKind::global)
    return findObstacleToWorkItems(range);
  // The first of a group's items stores what is the same for all of them.
  if (isScanned(range))
    return describe(range) + " is scanned";
  if (llvm::any_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
        return store.getUpdate() && !dependsOn(store.getIndex(), range);
      }))
    return "several work items would update one element";
  if (readsSelectedWrites(range))
    return "work items along " + describe(range) +
           " may read an element that another one writes";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Obstacle KernelSchedule::findObstacleToStage(Value value,
                                             ArrayRef<RangeOp> over,
                                             int64_t pad) {
  if (!givenTiles.empty() || readsOutput(value))
    return "the kernel may overwrite memory from which the tile is filled";
  if (!kernel.getBody().getOps<RangedScanOp>().empty())
    return "tiles are not allowed in the loops of a scan";
  Operation *op = value.getDefiningOp();
  if (isa<RangeOp, DimOp, ConstOp, StageOp, BarrierOp>(op) ||
      !fitsTile(value.getType()))
    return op->getName().getStringRef().str() + " cannot be staged in a tile";
  for (Value range : analysis.getRanges(value))
    if (auto lane = range.getDefiningOp<RangeOp>();
        lane.getKind() == RangeKind::upcast && !llvm::is_contained(over, lane))
      return "elements of the tile would be vectors, since the value has lanes "
             "along " +
             describe(lane);
  // With a range of the items, the tile belongs to the group.
  auto isOfItems = [](RangeOp range) {
    return range.getKind() == RangeKind::local ||
           range.getKind() == RangeKind::group_reduce;
  };
  if (llvm::any_of(over, isOfItems) &&
      llvm::any_of(kernel.getBody().getOps<StoreOp>(),
                   [](StoreOp store) { return store.getUpdate().has_value(); }))
    return "several work items would update one element";
  if (llvm::any_of(over, isOfItems))
    for (Value range : analysis.getRanges(value))
      if (auto other = range.getDefiningOp<RangeOp>();
          isOfItems(other) && !llvm::is_contained(over, other))
        return "the value of a group's tile would depend on " +
               describe(other) + ", along which its work items differ";
  int64_t bytes = llvm::divideCeil(value.getType().getIntOrFloatBitWidth(), 8);
  for (RangeOp range : over) {
    if (!dependsOn(value, range))
      return "the value does not depend on " + describe(range);
    if (range.getPeel())
      return describe(range) + " has peeled positions";
    int64_t extent = range.getLargestExtent();
    if (range == over.back() && pad <= kMaxTileBytes)
      extent = llvm::alignTo(extent, pad);
    if (pad > kMaxTileBytes || llvm::MulOverflow(bytes, extent, bytes) ||
        bytes > kMaxTileBytes)
      return "the tile would have more than " + std::to_string(kMaxTileBytes) +
             " bytes";
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

size_t KernelSchedule::countNewRanges(StepAttr step) {
  auto getOp = [&](size_t i) { return findOp(step.getOps()[i]); };
  switch (step.getKind()) {
  case StepKind::split:
    return 2;
  case StepKind::merge:
  case StepKind::reverse:
  case StepKind::partition:
    return 1;
  case StepKind::unshare:
    return step.getRanges().empty()
               ? cast<RangedReduceOp>(getOp(0)).getRanges().size()
               : 0;
  case StepKind::stage:
    return step.getRanges().size();
  case StepKind::stage_window: {
    auto reduce = cast<RangedReduceOp>(getOp(1));
    SmallVector<RangeOp> along = llvm::map_to_vector(
        step.getRanges(), [&](int64_t id) { return findRange(id); });
    Value value = getOp(0)->getResult(0);
    const auto windows = findWindows(value, reduce, along);
    size_t count = along.size();
    for (Value range : reduce.getRanges())
      count += dependsOn(value, range.getDefiningOp<RangeOp>()) &&
               llvm::none_of(windows, [&](auto &window) {
                 return llvm::any_of(window.second.parts, [&](auto &part) {
                   return part.first == range.getDefiningOp<RangeOp>();
                 });
               });
    return count;
  }
  case StepKind::check_finite:
    return 5;
  default:
    return 0;
  }
}

Obstacle KernelSchedule::findObstacle(StepAttr step) {
  if (Obstacle obstacle = findObstacleToStep(step))
    return obstacle;
  return findObstacleToLayout(step);
}

std::optional<KernelSchedule::Refused>
KernelSchedule::applyAll(ArrayRef<StepAttr> steps) {
  // The first step since which groups cannot run the kernel.
  std::optional<Refused> refused;
  for (StepAttr step : steps) {
    if (Obstacle obstacle = findObstacleToStep(step))
      return Refused{step, *obstacle};
    apply(step);
    Obstacle obstacle =
        target.groupItems > 0 ? findObstacleToLayout() : std::nullopt;
    if (!obstacle)
      refused.reset();
    else if (!refused)
      refused = Refused{step, *obstacle};
  }
  return refused;
}

Obstacle KernelSchedule::findObstacleToStep(StepAttr step) {
  SmallVector<RangeOp> named;
  for (int64_t id : step.getRanges()) {
    named.push_back(findRange(id));
    if (!named.back())
      return "the kernel has no range " + std::to_string(id);
  }
  SmallVector<Operation *> ops;
  for (const StepOperand &operand : step.getOps()) {
    ops.push_back(findOp(operand));
    if (!ops.back())
      return "the kernel has no " + describe(operand);
  }
  auto getObstacle = [&]() -> Obstacle {
    const int64_t amount = step.getAmount(), pad = std::max<int64_t>(amount, 1);
    auto getReduce = [&](size_t i) { return dyn_cast<RangedReduceOp>(ops[i]); };
    auto expect = [&](size_t i, StringRef what) {
      return describe(step.getOps()[i]) + " is not a " + what.str();
    };
    switch (step.getKind()) {
    case StepKind::split: {
      RangeOp range = named[0];
      if (range.getPeel())
        return describe(range) + " has peeled positions";
      const int64_t extent = range.getLargestExtent();
      // A vector may have more lanes than the range has positions, and a group
      // more items.
      if (amount > std::max({2 * extent, kMaxLanes, target.groupItems}))
        return describe(range) + " has only " + std::to_string(extent) +
               " positions";
      // The outer range has the kind.
      if (range.getKind() == RangeKind::upcast) {
        if (isScanned(range))
          return describe(range) + " is scanned by lanes";
        if (const auto lanes = int64_t(llvm::divideCeil(extent, amount));
            !llvm::isPowerOf2_64(lanes))
          return "a vector has a power of two of lanes, not " +
                 std::to_string(lanes);
      }
      // Rows of a tile have room for the maximum number of positions.
      const bool isExact = extent % amount == 0;
      for (Operation *user : range->getUsers()) {
        auto stage = dyn_cast<StageOp>(user);
        if (!stage || !namesRange(stage, range))
          continue;
        auto padded = stage->getAttrOfType<DenseI64ArrayAttr>(paddedAttrName);
        const bool isPadded = padded && padded[0] == int64_t(range.getId());
        if (isPadded && padded[1] != amount)
          return "rows of the tile are padded for a split by " +
                 std::to_string(padded[1]);
        if (!isExact && !isPadded && stage.getRanges().front() != range)
          return std::to_string(amount) + " does not divide the extent of " +
                 describe(range) + ", along which rows of a tile are stored";
      }
      return std::nullopt;
    }
    case StepKind::merge:
      if (named[0].getKind() != RangeKind::loop ||
          named[1].getKind() != RangeKind::loop)
        return "ranges of kind loop can be merged";
      if (!areMergeable(named[0], named[1]))
        return describe(named[0]) + " and " + describe(named[1]) +
               " are not neighbors of static extent that the same operations "
               "close and the same stores depend on";
      return std::nullopt;
    case StepKind::reverse: {
      RangeOp range = named[0];
      if (range.isSymbolic() || range.getPeel() ||
          range.getKind() != RangeKind::loop)
        return describe(range) + " is not a loop of static extent";
      if (!isResultRange(range) || isOrdered(range) || hasOrderedUpdate() ||
          llvm::any_of(kernel.getBody().getOps<StoreOp>(),
                       [&](StoreOp store) { return namesRange(store, range); }))
        return "positions of " + describe(range) + " must stay in order";
      if (!givenTiles.empty())
        return "the kernel overwrites memory from which it fills a tile";
      if (readsSelectedWrites(range))
        return "the kernel reads an element that a single position overwrites";
      return std::nullopt;
    }
    case StepKind::move:
      return findObstacleToMove(named[0], named[1]);
    case StepKind::set_kind:
      return findObstacleToKind(named[0],
                                static_cast<RangeKind>(amount % kBandUnit));
    case StepKind::unshare: {
      RangedReduceOp reduce = getReduce(0);
      if (!reduce)
        return expect(0, "reduction");
      if (named.empty())
        return reduce.getRanges().empty() ? Obstacle("it has no range")
                                          : std::nullopt;
      if (named.size() != reduce.getRanges().size())
        return "it has " + std::to_string(reduce.getRanges().size()) +
               " ranges";
      for (auto [range, own] : llvm::zip_equal(named, reduce.getRanges())) {
        auto from = own.getDefiningOp<RangeOp>();
        if (range.getExtentDim() != from.getExtentDim() ||
            range.getKind() != from.getKind() || range.getPeel() ||
            from.getPeel() || namesRange(reduce, range))
          return describe(range) + " is not like " + describe(from);
        SmallVector<RangedReduceOp> closing = getReduces(range);
        if (closing.empty())
          return describe(range) + " is not closed by any reduction";
        for (RangedReduceOp other : closing)
          if (other.getRanges().size() != named.size() ||
              isComputedFrom(reduce.getValue(), other) ||
              isComputedFrom(other.getValue(), reduce))
            return "one of the reductions over " + describe(range) +
                   " has to come before the other";
        for (Operation *user : range->getUsers())
          if (isa<StageOp, RangedScanOp>(user) && namesRange(user, range))
            return describe(range) + " also belongs to a tile or scan";
      }
      return std::nullopt;
    }
    case StepKind::accumulate: {
      RangeOp range = named[0];
      if (kernel.getInPlace())
        return "the kernel works in place";
      for (RangeOp items : ranges)
        if (items.getKind() == RangeKind::group_reduce ||
            (items.getKind() == RangeKind::local &&
             llvm::any_of(kernel.getBody().getOps<StoreOp>(),
                          [&](StoreOp store) {
                            return !dependsOn(store.getIndex(), items);
                          })))
          return "several work items would update one element";
      SmallVector<RangedReduceOp> closing = getReduces(range);
      if (range.getPeel() || range.isSymbolic() ||
          range.getKind() != RangeKind::loop || closing.size() != ops.size() ||
          llvm::any_of(range->getUsers(), [&](Operation *user) {
            return !isa<RangedReduceOp>(user) && namesRange(user, range);
          }))
        return describe(range) +
               " is not a static loop that exactly these reductions close";
      size_t stores = 0;
      for (auto [i, op] : llvm::enumerate(ops)) {
        RangedReduceOp reduce = getReduce(i);
        if (!reduce || !llvm::is_contained(closing, reduce))
          return expect(i, "reduction over " + describe(range));
        if (!isa<IntegerType, Float32Type, Float64Type>(reduce.getType()) ||
            reduce.getType().isInteger(1))
          return "sums of the type would be rounded in memory";
        for (Operation *user : reduce->getUsers()) {
          auto store = dyn_cast<StoreOp>(user);
          // A mask may select the work item that stores an element. Several
          // ones must not update it, whatever the mask is (C8 of tg.kernel).
          if (!store || store.getUpdate() || store.getMask() ||
              store.getNontemporal() || store.getValue() != reduce.getResult())
            return describe(step.getOps()[i]) +
                   " has uses other than stores without a mask";
          if (store.getAsTma())
            return "updates cannot be stored 'as tma'";
          ++stores;
        }
      }
      if (stores != static_cast<size_t>(
                        llvm::range_size(kernel.getBody().getOps<StoreOp>())))
        return "the kernel stores other values too";
      return std::nullopt;
    }
    case StepKind::stage:
      if (ops[0]->getNumResults() != 1)
        return expect(0, "value");
      return findObstacleToStage(ops[0]->getResult(0), named, pad);
    case StepKind::stage_window: {
      RangedReduceOp reduce = getReduce(1);
      if (ops[0]->getNumResults() != 1)
        return expect(0, "value");
      if (!reduce)
        return expect(1, "reduction");
      Value value = ops[0]->getResult(0);
      if (!getSlice(reduce.getValue()).contains(ops[0]))
        return expect(0, "part of the reduction");
      if (Obstacle obstacle = findObstacleToStage(value, named, pad))
        return obstacle;
      const auto windows = findWindows(value, reduce, named);
      if (windows.size() != named.size())
        return "the value has no window along " +
               describe(named[windows.size()]);
      int64_t bytes =
          llvm::divideCeil(value.getType().getIntOrFloatBitWidth(), 8);
      SmallVector<RangeOp> parts;
      for (auto &[range, window] : windows) {
        for (auto &part : window.parts) {
          if (llvm::is_contained(parts, part.first))
            return "the windows have a common part";
          parts.push_back(part.first);
        }
        if (llvm::is_contained(named, range) && !isResultRange(range) &&
            namesRange(reduce, range))
          return describe(range) + " is a range of the reduction";
        if (llvm::MulOverflow<int64_t>(bytes, llvm::alignTo(window.extent, pad),
                                       bytes))
          bytes = kMaxTileBytes + 1;
      }
      for (Value range : reduce.getRanges())
        if (auto other = range.getDefiningOp<RangeOp>();
            !llvm::is_contained(parts, other) && dependsOn(value, other) &&
            llvm::MulOverflow(bytes, other.getLargestExtent(), bytes))
          bytes = kMaxTileBytes + 1;
      if (bytes > kMaxTileBytes || bytes < 0)
        return "the tile would have more than " +
               std::to_string(kMaxTileBytes) + " bytes";
      return std::nullopt;
    }
    case StepKind::reuse: {
      auto stage = dyn_cast<StageOp>(ops[1]);
      if (!stage)
        return expect(1, "tile");
      if (ops[0]->getNumResults() != 1 || isa<LoadOp>(ops[0]))
        return expect(0, "computed value");
      if (stage.getRanges().size() != 1 || named.size() != 1)
        return "the tile has several ranges";
      auto own = stage.getRanges().front().getDefiningOp<RangeOp>();
      if (stage->hasAttr(paddedAttrName) ||
          own.getExtentDim() != named[0].getExtentDim())
        return "the tile does not cover all positions of " + describe(named[0]);
      if (isComputedFrom(stage.getValue(), ops[0]))
        return "the tile is computed from " + describe(step.getOps()[0]);
      if (!isSameBut(stage.getValue(), ops[0]->getResult(0), own, named[0]))
        return describe(step.getOps()[0]) +
               " is computed differently from the tile";
      return std::nullopt;
    }
    case StepKind::skip_masked: {
      RangedReduceOp reduce = getReduce(0);
      auto load = dyn_cast<LoadOp>(ops[1]);
      if (!reduce)
        return expect(0, "reduction");
      if (!load)
        return expect(1, "load");
      if (findSkippable(reduce, load, ArrayRef(named).drop_back(), named.back())
              .empty())
        return "the mask bounds no products";
      return std::nullopt;
    }
    case StepKind::check_finite: {
      RangedReduceOp reduce = getReduce(0);
      if (!reduce)
        return expect(0, "reduction");
      LoadOp packed = findPacked(reduce, named[0]);
      if (!packed)
        return "the reduction skips no products with a packed factor";
      if (amount != named[0].getLargestExtent() ||
          named[0].getKind() != RangeKind::upcast ||
          cast<MemRefType>(packed.getBuffer().getType()).getNumElements() %
                  amount !=
              0)
        return "the tile does not have " + std::to_string(amount) + " lanes";
      return std::nullopt;
    }
    case StepKind::prefetch:
      if (!isa<LoadOp, StoreOp>(ops[0]))
        return expect(0, "load or store");
      if (amount > kMaxBufferSize)
        return "the distance is larger than any buffer";
      return std::nullopt;
    case StepKind::nontemporal: {
      auto store = dyn_cast<StoreOp>(ops[0]);
      if (!store)
        return expect(0, "store");
      if (store.getUpdate() || kernel.getInPlace())
        return "the element may be read again";
      return std::nullopt;
    }
    case StepKind::contract:
      if (!getReduce(0))
        return expect(0, "reduction");
      return findObstacleToContract(getReduce(0), amount);
    case StepKind::buffer: {
      if (auto store = dyn_cast<StoreOp>(ops[0])) {
        if (amount != StepAttr::kAsTma + 1 || store.getAsTma())
          return "a result is stored from 1 buffer, 'as tma'";
        if (store.getUpdate())
          return "the store updates elements";
        if (target.groupItems == 0)
          return "a store 'as tma' needs a target with work-groups";
        return std::nullopt;
      }
      auto stage = dyn_cast<StageOp>(ops[0]);
      if (!stage || stage.getMemory() != TileMemory::group)
        return expect(0, "tile of a group or store");
      const int64_t count = amount % StepAttr::kAsTma;
      if (stage.getBuffers() || count < 2 || count > kMaxBuffers)
        return "a tile has 2 to " + std::to_string(kMaxBuffers) + " buffers";
      return std::nullopt;
    }
    case StepKind::partition:
      return findObstacleToPartition(amount);
    }
    llvm_unreachable("unknown step");
  };
  if (Obstacle obstacle = getObstacle())
    return obstacle;
  const size_t count = countNewRanges(step);
  if (count > 0 && ranges.size() + count > kMaxRanges)
    return "a kernel has at most " + std::to_string(kMaxRanges) + " ranges";
  if (ArrayRef<int64_t> ids = step.getResults(); !ids.empty()) {
    if (ids.size() != count)
      return "it makes " + std::to_string(count) + " ranges, not " +
             std::to_string(ids.size());
    for (int64_t id : ids)
      if (findRange(id))
        return "the kernel has a range " + std::to_string(id) + " already";
  }
  return std::nullopt;
}

bool KernelSchedule::hasRoomFor(size_t count) const {
  return ranges.size() + count + kSpareRanges <= kMaxRanges;
}

Obstacle KernelSchedule::findObstacleToLayout(StepAttr step) {
  // Hints have no part in how groups run a kernel.
  if (target.groupItems == 0 || step.getKind() == StepKind::prefetch ||
      step.getKind() == StepKind::nontemporal)
    return std::nullopt;
  // Tried on a copy, because the items of ranges depend on all values.
  OwningOpRef<KernelOp> copy = kernel.clone();
  KernelSchedule trial(*copy, target);
  trial.apply(step);
  return trial.findObstacleToLayout();
}

Obstacle KernelSchedule::findObstacleToLayout() {
  std::string reason;
  // Other kernels are scheduled by other threads.
  ThreadDiagnosticHandler handler(
      kernel.getContext(), [&](Diagnostic &error) { reason = error.str(); });
  if (succeeded(getGroupLayout(kernel, target)))
    return std::nullopt;
  return reason;
}

Obstacle KernelSchedule::findUnfinished() {
  for (Operation &op : kernel.getBody().front()) {
    if (auto padded = op.getAttrOfType<DenseI64ArrayAttr>(paddedAttrName))
      return "range " + std::to_string(padded[0]) +
             " of a padded tile must be split by " + std::to_string(padded[1]);
    if (op.hasAttr(uncheckedAttrName))
      return std::string("skip_masked is not followed by check_finite");
  }
  return std::nullopt;
}
