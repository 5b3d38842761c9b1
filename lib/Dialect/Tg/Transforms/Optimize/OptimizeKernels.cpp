//===- OptimizeKernels.cpp - heuristic schedules --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements the tg-optimize-kernels pass: merges ranges, chooses what becomes
/// vector lanes, register tiles (TileResult.cpp) and parallel work, in that
/// order.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "MemoryHints.h"
#include "TileAcross.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Transforms/ScheduleSteps.h"
#include "TinyGrad/Dialect/Tg/Utils/ThreadDiagnostics.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tg {
#define GEN_PASS_DEF_TGOPTIMIZEKERNELS
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h.inc"
} // namespace mlir::tg

using namespace mlir;
using namespace mlir::tg;

/// Reductions of at least this many elements of a buffer that exceeds the L2
/// cache run in the memory order of what they read.
constexpr int64_t kMinDepthInOrder = 32;
/// How many squares, transposed in registers, are processed one after the
/// other.
constexpr int64_t kSquares = 4;
/// Cost of a gathered element relative to one of a transposed square.
constexpr int64_t kGather = 4;
/// Minimum number of lanes that are worth a transposition.
constexpr int64_t kMinToTurn = 4;

static void reportStep(KernelOp kernel, StringRef step, int64_t range,
                       int64_t amount) {
  remark::passed(kernel.getLoc(),
                 remark::RemarkOpts::name(step).category("tg-optimize-kernels"))
      << (kernel.getName() + ": " + step + " range " + std::to_string(range) +
          " by " + std::to_string(amount))
             .str();
}

void tg::reportStep(KernelSchedule &schedule, StringRef step, RangeOp range,
                    int64_t amount) {
  ::reportStep(schedule.getKernel(), step, range.getId(), amount);
}

void Heuristic::emitReport(StringRef step, int64_t range, int64_t amount) {
  ::reportStep(schedule.getKernel(), step, range, amount);
}

void Heuristic::report(StringRef step, RangeOp range, int64_t amount) {
  if (isTrial)
    reports.push_back(
        {step.str(), static_cast<int64_t>(range.getId()), amount});
  else
    emitReport(step, static_cast<int64_t>(range.getId()), amount);
}

/// Elements of the widest type that the kernel computes with in one register.
int64_t Heuristic::getNumLanes() {
  int64_t bytes = 1;
  for (Operation &op : schedule.getKernel().getBody().front())
    for (Type type : op.getResultTypes())
      if (type.isIntOrFloat())
        bytes = std::max<int64_t>(bytes, type.getIntOrFloatBitWidth() / 8);
  return std::min<int64_t>(std::max<int64_t>(target.vectorBytes / bytes, 1),
                           64);
}

/// Whether the intermediates of one element fill so many registers that several
/// elements at once would not fit.
bool Heuristic::needsManyRegisters(ArrayRef<Operation *> ops) {
  int64_t count = 0;
  for (Operation *op : ops) {
    if (op->getNumResults() != 1 ||
        isa<IndexType>(op->getResult(0).getType()) || isNumber(op))
      continue;
    auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
    count += elementwise ? elementwise.getRegisters() : 1;
  }
  return count >= 16;
}

/// How many loads and stores (of one reduce, if given) would have to gather if
/// `lane` became lanes: the index is neither constant along it nor contiguous,
/// and it cannot be transposed.
int64_t Heuristic::countStrided(RangeOp lane, RangedReduceOp within) {
  int64_t count = 0;
  IndexAnalysis &analysis = schedule.getAnalysis();
  llvm::SetVector<Operation *> slice;
  if (within)
    slice = schedule.getSlice(within.getValue());
  for (Operation &op : schedule.getKernel().getBody().front()) {
    if (within && !slice.contains(&op))
      continue;
    Value index;
    if (auto load = dyn_cast<LoadOp>(op))
      index = load.getIndex();
    else if (auto store = dyn_cast<StoreOp>(op))
      index = store.getIndex();
    if (!index || !schedule.dependsOn(index, lane))
      continue;
    auto load = dyn_cast<LoadOp>(op);
    if (analysis.getLinear(index).getCoefficient(lane) != 1 &&
        !(within && load && isTransposable(load, within, lane)))
      ++count;
  }
  return count;
}

/// Rows that reductions read from the last to the first (of a flipped result)
/// are read in ascending order, which hardware prefetchers expect.
void Heuristic::readForward() {
  for (RangeOp range : schedule.getResultRanges()) {
    if (!admitsReverse(range))
      continue;
    bool isBackward = false, isForward = false;
    for (auto reduce : schedule.getKernel().getBody().getOps<RangedReduceOp>())
      for (Operation *op : schedule.getSlice(reduce.getValue()))
        if (auto load = dyn_cast<LoadOp>(op)) {
          const int64_t step = schedule.getAnalysis()
                                   .getLinear(load.getIndex())
                                   .getCoefficient(range);
          isBackward |= step < 0;
          isForward |= step > 0;
        }
    if (!isBackward || isForward)
      continue;
    report("reverse", range, range.getLargestExtent());
    schedule.reverse(range);
  }
}

/// If reductions read much for each result, and nothing twice, the result
/// ranges get the memory order of what is read, whatever that of the results
/// is.
void Heuristic::readInOrder() {
  SmallVector<RangeOp> ranges = schedule.getResultRanges();
  SmallVector<uint64_t> steps;
  for (auto reduce : schedule.getKernel().getBody().getOps<RangedReduceOp>()) {
    int64_t depth = 1;
    for (Value range : reduce.getRanges())
      depth *= range.getDefiningOp<RangeOp>().getLargestExtent();
    if (depth < kMinDepthInOrder)
      return;
    for (Operation *op : schedule.getSlice(reduce.getValue())) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load)
        continue;
      const LinearForm &index =
          schedule.getAnalysis().getLinear(load.getIndex());
      auto own = llvm::map_to_vector(ranges, [&](RangeOp range) {
        return llvm::AbsoluteValue(index.getCoefficient(range));
      });
      auto type = cast<MemRefType>(load.getBuffer().getType());
      if ((!steps.empty() && own != steps) || llvm::is_contained(own, 0) ||
          !type.hasStaticShape() || getBufferBytes(type) < target.l2Bytes)
        return;
      steps = own;
    }
  }
  if (steps.empty() || llvm::is_sorted(steps, std::greater<>()) ||
      llvm::any_of(ranges,
                   [&](RangeOp range) { return schedule.isOrdered(range); }))
    return;
  auto order = llvm::to_vector(llvm::seq<size_t>(0, ranges.size()));
  llvm::stable_sort(order,
                    [&](size_t a, size_t b) { return steps[a] > steps[b]; });
  report("order", ranges[order.front()],
         ranges[order.front()].getLargestExtent());
  for (size_t next : llvm::reverse(order))
    if (RangeOp front = schedule.getRanges().front();
        ranges[next] != front && admitsMove(ranges[next], front))
      schedule.moveBefore(ranges[next], front);
}

void Heuristic::mergeRanges() {
  bool changed = true;
  while (changed) {
    changed = false;
    ArrayRef<RangeOp> ranges = schedule.getRanges();
    for (size_t i = 0; i + 1 < ranges.size(); ++i) {
      RangeOp outer = ranges[i], inner = ranges[i + 1];
      if (schedule.isResultRange(outer) != schedule.isResultRange(inner) ||
          !schedule.canMerge(outer, inner))
        continue;
      schedule.merge(outer, inner);
      changed = true;
      break;
    }
  }
}

/// The result range along which a store is contiguous, forward or backward, if
/// lanes along it pay off: reductions may be contiguous along their own ranges
/// instead, if these have at least `shortest` positions. Of several stores,
/// those over the most ranges count; the others write once per row.
RangeOp Heuristic::chooseResultLane(int64_t shortest) {
  RangeOp lane;
  size_t most = 0;
  for (auto store : schedule.getKernel().getBody().getOps<StoreOp>()) {
    const size_t depth =
        schedule.getAnalysis().getRanges(store.getIndex()).size();
    if (depth < most)
      continue;
    if (depth > most)
      lane = RangeOp();
    most = depth;
    for (RangeOp range : schedule.getResultRanges())
      if (range.getLargestExtent() > 1 &&
          llvm::AbsoluteValue(schedule.getAnalysis()
                                  .getLinear(store.getIndex())
                                  .getCoefficient(range)) == 1)
        lane = range;
  }
  if (!lane)
    return lane;
  for (auto reduce : schedule.getKernel().getBody().getOps<RangedReduceOp>()) {
    if (!schedule.dependsOn(reduce, lane))
      continue;
    RangeOp inner = reduce.getRanges().back().getDefiningOp<RangeOp>();
    int64_t here = countStrided(lane, reduce);
    int64_t there = countStrided(inner, reduce);
    if (here > there && inner.getLargestExtent() >= shortest)
      return RangeOp();
  }
  return lane;
}

int64_t tg::fitLanes(int64_t extent, int64_t limit, int64_t width) {
  auto getRegisters = [&](int64_t count) -> int64_t {
    return llvm::divideCeil(extent, count) * llvm::divideCeil(count, width);
  };
  int64_t fewest = getRegisters(limit);
  for (int64_t count = limit; count > 1; count /= 2)
    fewest = std::min<int64_t>(fewest, getRegisters(count));
  for (int64_t count = limit; count > 1; count /= 2)
    if (getRegisters(count) * 10 <= fewest * 11 && count < 2 * extent)
      return count;
  return 1;
}

std::pair<RangeOp, RangeOp> Heuristic::addLanes(RangeOp range, int64_t count) {
  if (count <= 1)
    return {};
  report("upcast", range, count);
  auto [outer, inner] = schedule.split(range, count);
  schedule.setKind(inner, RangeKind::upcast);
  return {outer, inner};
}

/// Dependent reduces cannot share a loop. With ranges of its own, each of them
/// gets its own schedule. Reduces that depend on the same one, but not on each
/// other, still share one (the sums of deviations from a mean and of their
/// squares).
void Heuristic::separateReduces() {
  struct Separated {
    SmallVector<Value> from;
    SmallVector<RangeOp> to;
    SmallVector<RangedReduceOp> reduces;
  };
  SmallVector<Separated> separated;
  DenseMap<Value, SmallVector<RangedReduceOp>> users;
  for (auto reduce : llvm::to_vector(
           schedule.getKernel().getBody().getOps<RangedReduceOp>())) {
    auto followsOne = [&](ArrayRef<RangedReduceOp> earlier) {
      return llvm::any_of(earlier, [&](RangedReduceOp other) {
        return isComputedFrom(reduce.getValue(), other.getOperation());
      });
    };
    if (llvm::any_of(reduce.getRanges(), [&](Value range) {
          return followsOne(users.lookup(range));
        })) {
      SmallVector<Value> from(reduce.getRanges());
      Separated *group = llvm::find_if(separated, [&](Separated &candidate) {
        return candidate.from == from && !followsOne(candidate.reduces);
      });
      if (group == separated.end()) {
        separated.push_back({from, schedule.unshare(reduce), {reduce}});
      } else {
        schedule.unshare(reduce, group->to);
        group->reduces.push_back(reduce);
      }
    }
    for (Value range : reduce.getRanges())
      users[range].push_back(reduce);
  }
}

/// Keeps a costly value in a tile if a reduction computes it along its range
/// and the result computes it again along one of its own (as softmax does).
void Heuristic::stageRepeated() {
  for (auto reduce : llvm::to_vector(
           schedule.getKernel().getBody().getOps<RangedReduceOp>())) {
    if (reduce.getRanges().size() != 1)
      continue;
    auto inner = reduce.getRanges()[0].getDefiningOp<RangeOp>();
    // Lanes need several positions; here they would run along a range that is
    // not in the tile.
    if (inner.getLargestExtent() < 2)
      continue;
    for (Operation *op : schedule.getSlice(reduce.getValue())) {
      auto elementwise = dyn_cast<ElementwiseOpInterface>(op);
      if (!elementwise || !elementwise.isTranscendental() ||
          !schedule.dependsOn(op->getResult(0), inner))
        continue;
      int64_t bytes = inner.getLargestExtent() *
                      op->getResult(0).getType().getIntOrFloatBitWidth() / 8;
      if (bytes > target.l2Bytes / 4)
        continue;
      for (RangeOp outer : schedule.getResultRanges()) {
        if (outer.getExtentDim() != inner.getExtentDim() ||
            schedule.dependsOn(op->getResult(0), outer) ||
            outer != schedule.getResultRanges().back())
          continue;
        Operation *again = nullptr;
        for (Operation &other : schedule.getKernel().getBody().front())
          if (&other != op && other.getName() == op->getName() &&
              schedule.isSameBut(op->getResult(0), other.getResult(0), inner,
                                 outer))
            again = &other;
        if (!again)
          continue;
        report("stage", inner, bytes);
        auto [tile, ranges] = schedule.stage(op->getResult(0), {inner});
        int64_t extent = inner.getLargestExtent();
        schedule.reuse(again->getResult(0), tile, {outer});
        addLanes(ranges[0], fitLanes(extent, getNumLanes(), getNumLanes()));
        return;
      }
    }
  }
}

/// Vectorizes the filling of the tiles that the kernel already has.
void Heuristic::vectorizeStages() {
  for (StageOp stage :
       llvm::to_vector(schedule.getKernel().getBody().getOps<StageOp>())) {
    auto range = stage.getRanges().back().getDefiningOp<RangeOp>();
    const int64_t width = getNumLanes();
    if (schedule.admitsLanes(range))
      addLanes(range, fitLanes(range.getLargestExtent(), 2 * width, width));
  }
}

/// Another range of a reduction, along which every load is contiguous that is
/// strided along the lanes, as in a product with a transposed matrix.
RangeOp Heuristic::findTurned(RangedReduceOp reduce, RangeOp lane) {
  auto isLong = [](RangeOp range) {
    return range.getKind() == RangeKind::loop && !range.isSymbolic() &&
           !range.getPeel() && range.getLargestExtent() >= kSquare;
  };
  if (!isLong(lane))
    return RangeOp();
  for (Value value : reduce.getRanges()) {
    auto range = value.getDefiningOp<RangeOp>();
    if (range == lane || !isLong(range))
      continue;
    bool isStrided = false, isTurned = true;
    for (Operation *op : schedule.getSlice(reduce.getValue())) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load || !schedule.dependsOn(load.getResult(), lane))
        continue;
      const LinearForm &index =
          schedule.getAnalysis().getLinear(load.getIndex());
      if (index.getCoefficient(lane) == 1)
        continue;
      isStrided = true;
      isTurned &= !load.getMask() && index.getCoefficient(range) == 1 &&
                  index.getCoefficient(lane) >= kSquare;
    }
    if (isStrided && isTurned)
      return range;
  }
  return RangeOp();
}

/// Vectorizes the innermost range of reduces that are not computed per lane,
/// several registers wide, which also gives several accumulators.
void Heuristic::vectorizeReduces() {
  int64_t width = getNumLanes();
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto reduce :
         schedule.getKernel().getBody().getOps<RangedReduceOp>()) {
      bool hasLanes = false;
      for (Value range : schedule.getAnalysis().getRanges(reduce.getValue()))
        hasLanes |=
            range.getDefiningOp<RangeOp>().getKind() == RangeKind::upcast;
      if (hasLanes)
        continue;
      // The range with the fewest strided loads; the innermost of equally good
      // ones.
      RangeOp best;
      for (Value value : reduce.getRanges()) {
        auto range = value.getDefiningOp<RangeOp>();
        if (range.getLargestExtent() < 4 ||
            !schedule.dependsOn(reduce.getValue(), range) ||
            !schedule.admitsLanes(range))
          continue;
        if (!best || countStrided(range, reduce) <= countStrided(best, reduce))
          best = range;
      }
      if (!best)
        continue;
      bool isHeavy = needsManyRegisters(
          schedule.getSlice(reduce.getValue()).getArrayRef());
      RangeOp turned = isHeavy ? RangeOp() : findTurned(reduce, best);
      if (turned && width >= kMinToTurn)
        addSquares(best, turned, std::min(width, kSquare));
      else
        addLanes(best, fitLanes(best.getLargestExtent(),
                                (isHeavy ? 1 : 4) * width, width));
      changed = true;
      break;
    }
  }
}

void Heuristic::vectorizeResult() {
  int64_t width = getNumLanes();
  RangeOp lane = chooseResultLane();
  if (!lane || !schedule.admitsLanes(lane))
    return;
  for (RangeOp other : schedule.getResultRanges())
    if (other.getKind() == RangeKind::upcast)
      return;
  lane = mergeTurns(lane);
  // Long bodies need the registers for their intermediates.
  SmallVector<Operation *> ops;
  for (auto store : schedule.getKernel().getBody().getOps<StoreOp>())
    llvm::append_range(ops, schedule.getSlice(store.getValue()));
  int64_t limit = needsManyRegisters(ops) ? width : 2 * width;
  // A scan along the lanes is done in a register; its positions stay loops.
  if (hasScan() && schedule.isOrdered(lane))
    limit = width;
  // A tile that is filled from memory that the kernel overwrites depends on the
  // order of the results.
  RangeOp across = hasScan() || !schedule.getGivenTiles().empty()
                       ? RangeOp()
                       : findTransposed(lane);
  if (across)
    limit = width = std::min(width, kSquare);
  const int64_t count = fitLanes(lane.getLargestExtent(), limit, width);
  if (across && count > 1)
    addSquares(lane, across, count);
  else
    addLanes(lane, count);
}

/// How many squares side by side: the largest number that takes little longer
/// than the best one. What is left over for the last block is gathered.
static int64_t fitSquares(int64_t extent, int64_t size) {
  auto getWork = [&](int64_t count) {
    const int64_t side = size * count;
    return extent / side * side + (extent % side ? kGather * side : 0);
  };
  int64_t least = getWork(1);
  for (int64_t count = kSquares; count > 1; count /= 2)
    least = std::min(least, getWork(count));
  for (int64_t count = kSquares; count > 1; count /= 2)
    if (getWork(count) * 4 <= least * 5)
      return count;
  return 1;
}

/// Splits one range into lanes and the other one into squares that are
/// transposed in registers, several side by side: neighboring cache lines are
/// then read while the TLB holds their page.
void Heuristic::addSquares(RangeOp lane, RangeOp across, int64_t size) {
  RangeOp inner = addLanes(lane, size).second;
  const int64_t side = size * fitSquares(across.getLargestExtent(), size);
  report("block", across, side);
  RangeOp squares = schedule.split(across, side).second;
  auto [square, row] = schedule.split(squares, size);
  schedule.moveBefore(square, inner);
  schedule.moveBefore(row, inner);
  schedule.setKind(row, RangeKind::unroll);
}

/// A result range before \p lane along which a load is contiguous that is
/// strided along the lane, as in a transposition. Its loop becomes an inner
/// one, in which a reduction would run again for each of its positions.
RangeOp Heuristic::findTransposed(RangeOp lane) {
  auto isReducedAlong = [&](RangeOp range) {
    return llvm::any_of(schedule.getKernel().getBody().getOps<RangedReduceOp>(),
                        [&](RangedReduceOp reduce) {
                          return schedule.dependsOn(reduce, range) &&
                                 !schedule.dependsOn(reduce, lane);
                        });
  };
  for (auto load : schedule.getKernel().getBody().getOps<LoadOp>()) {
    const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
    if (index.getCoefficient(lane) < kSquare)
      continue;
    for (RangeOp range : schedule.getResultRanges())
      if (range != lane && range->isBeforeInBlock(lane) &&
          range.getKind() == RangeKind::loop && !range.getPeel() &&
          range.getLargestExtent() >= kSquare &&
          index.getCoefficient(range) == 1 && !isReducedAlong(range))
        return range;
  }
  return RangeOp();
}

bool Heuristic::hasScan() {
  return !schedule.getKernel().getBody().getOps<RangedScanOp>().empty();
}

/// Makes leading result ranges parallel: as few as give enough work items, and
/// none whose positions are ordered. A reduce or store that depends on fewer of
/// them would run again in every work item, which is acceptable for \p
/// repeated. Ranges from \p end on, along which a tile is reused, stay loops:
/// each work item would fill the tile again.
void Heuristic::parallelize(RangeOp end, ArrayRef<RangedReduceOp> repeated) {
  SmallVector<RangeOp> leading;
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop &&
        !(runsAroundItems && range == passes))
      leading.push_back(range);
  size_t limit =
      llvm::find_if(leading,
                    [&](RangeOp range) { return schedule.isOrdered(range); }) -
      leading.begin();
  if (end)
    limit = std::min<size_t>(limit, llvm::find(leading, end) - leading.begin());
  for (StageOp stage : schedule.getGivenTiles())
    limit = std::min<size_t>(limit, llvm::find_if(leading, [&](RangeOp range) {
                                      return !schedule.dependsOn(
                                          stage.getValue(), range);
                                    }) - leading.begin());
  for (Operation &op : schedule.getKernel().getBody().front()) {
    Value value;
    if (auto reduce = dyn_cast<RangedReduceOp>(op);
        reduce && !llvm::is_contained(repeated, reduce))
      value = reduce;
    else if (auto store = dyn_cast<StoreOp>(op))
      value = store.getIndex();
    if (!value)
      continue;
    size_t depth = 0;
    for (auto [i, range] : llvm::enumerate(leading))
      if (schedule.dependsOn(value, range))
        depth = i + 1;
    limit = std::min(limit, depth);
  }
  int64_t items = 1;
  for (size_t i = 0; i < limit && items < target.parallelItems; ++i) {
    // One of several results may depend on a later range, but not on this one.
    if (!schedule.admitsThreads(leading[i]))
      break;
    schedule.setKind(leading[i], RangeKind::thread);
    items *= leading[i].getLargestExtent();
  }
}

/// Whether the iteration space is too large to run. Such a kernel is left
/// unscheduled, so that products of extents stay within 64 bits.
bool Heuristic::hasTooManyPositions() {
  auto isTooMany = [](ArrayRef<Value> ranges) {
    double positions = 1;
    for (Value range : ranges)
      positions *= static_cast<double>(
          range.getDefiningOp<RangeOp>().getLargestExtent());
    return positions > static_cast<double>(kMaxRangeExtent);
  };
  SmallVector<Value> resultRanges;
  for (RangeOp range : schedule.getResultRanges())
    resultRanges.push_back(range);
  if (isTooMany(resultRanges))
    return true;
  for (Operation &op : schedule.getKernel().getBody().front())
    for (Value operand : op.getOperands())
      if (isTooMany(schedule.getAnalysis().getRanges(operand)))
        return true;
  return false;
}

void Heuristic::runWithoutOptimization() { parallelize(); }

/// Of targets without groups, before those that all targets have.
static constexpr StringLiteral kProcessorSchedules[] = {"tiles and lanes",
                                                        "lanes"};
static constexpr StringLiteral kLastSchedules[] = {"work items", "no steps"};

static size_t countOwn(const TargetFacts &target) {
  return target.groupItems > 0 ? Heuristic::countWays()
                               : std::size(kProcessorSchedules);
}

size_t Heuristic::countSchedules(const TargetFacts &target) {
  return countOwn(target) + std::size(kLastSchedules);
}

StringRef Heuristic::getName(size_t number, const TargetFacts &target) {
  const size_t own = countOwn(target);
  if (number >= own)
    return kLastSchedules[number - own];
  return target.groupItems > 0 ? getWayName(number)
                               : StringRef(kProcessorSchedules[number]);
}

size_t Heuristic::run(size_t first) {
  schedule.checkSteps();
  const size_t items = getWorkItems(target);
  if (first == items)
    runWithoutOptimization();
  else if (first < items && target.groupItems > 0)
    return runForGroups(first);
  else if (first == 0)
    runForProcessor();
  else if (first < items)
    runWithLanes();
  return first;
}

std::optional<std::string> Heuristic::findFault() {
  if (const auto &refused = schedule.getRefused()) {
    std::string text;
    llvm::raw_string_ostream(text) << "the kernel does not admit the step "
                                   << refused->step << ": " << refused->reason;
    return text;
  }
  if (std::optional<std::string> rest = schedule.findUnfinished())
    return "the steps are not complete: " + *rest;
  return std::nullopt;
}

void Heuristic::runWithLanes() {
  mergeRanges();
  separateReduces();
  vectorizeReduces();
  vectorizeResult();
  parallelize();
}

void Heuristic::runForProcessor() {
  readForward();
  readInOrder();
  mergeRanges();
  separateReduces();
  const bool hasTiles =
      !schedule.getKernel().getBody().getOps<StageOp>().empty();
  vectorizeStages();
  bool isParallel = false;
  // Only lanes and unrolled ranges may be inside the loops of a scan.
  if (!hasScan() && !hasTiles && !accumulateRows()) {
    stageRepeated();
    isParallel = tileDepth() || tileResult();
  }
  vectorizeReduces();
  shareBlocks();
  vectorizeResult();
  if (!isParallel)
    parallelize();
  storeNonTemporally(schedule);
  prefetchRows(schedule);
  prefetchColumns(schedule);
  prefetchStreams(schedule);
}

namespace {
struct TgOptimizeKernelsPass
    : public tg::impl::TgOptimizeKernelsBase<TgOptimizeKernelsPass> {
  using Base::Base;
  TgOptimizeKernelsPass(const TgOptimizeKernelsOptions &options,
                        ScheduleObserver *observer)
      : Base(options), observer(observer) {}

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getScheduled())
      return;
    if (ArrayAttr given = kernel.getScheduleAttr()) {
      kernel.removeScheduleAttr();
      if (failed(applySteps(kernel,
                            llvm::to_vector(given.getAsRange<StepAttr>()))))
        signalPassFailure();
      return;
    }
    for (auto range : kernel.getBody().getOps<RangeOp>()) {
      // Kernels without positions do nothing; scheduled kernels stay unchanged.
      if (range.getLargestExtent() == 0 || range.getKind() != RangeKind::loop)
        return;
    }
    // A reduction over one element is that element.
    for (auto reduce :
         llvm::make_early_inc_range(kernel.getBody().getOps<RangedReduceOp>()))
      if (reduce.getRanges().empty()) {
        reduce.replaceAllUsesWith(reduce.getValue());
        reduce.erase();
      }
    if (!Heuristic(kernel).hasTooManyPositions() && failed(schedule(kernel)))
      signalPassFailure();
  }

private:
  /// Applies the first schedule that is valid.
  LogicalResult schedule(KernelOp kernel) {
    const TargetFacts &target = getTargetFacts(kernel);
    const size_t last = Heuristic::countSchedules(target) - 1;
    size_t number = firstSchedule;
    if (noOpt)
      number = std::max(number, Heuristic::getWorkItems(target));
    number = std::min(number, last);
    OwningOpRef<KernelOp> original = kernel.clone();
    for (unsigned numRefused = 0;; ++numRefused, ++number) {
      Heuristic heuristic(kernel);
      number = heuristic.run(number);
      const std::string fault = number < last && numRefused < refuse
                                    ? "it is refused for a test"
                                    : findFault(kernel, *original, heuristic);
      if (fault.empty()) {
        if (ArrayRef<Attribute> steps = heuristic.getSteps(); !steps.empty())
          kernel.setScheduledAttr(ArrayAttr::get(&getContext(), steps));
        break;
      }
      const std::string text =
          ("the schedule '" + Heuristic::getName(number, target) +
           "' is not valid: " + fault)
              .str();
      if (number == last || !fallBack)
        return kernel.emitError() << text;
      remark::failed(
          kernel.getLoc(),
          remark::RemarkOpts::name("refused").category("tg-optimize-kernels"))
          << kernel.getName().str() + ": " + text;
      if (observer)
        observer->refused(kernel, text);
      OwningOpRef<KernelOp> again = original->clone();
      kernel.getBody().takeBody(again->getBody());
      kernel->setAttrs((*original)->getAttrDictionary());
    }
    if (observer && number != last)
      observer->scheduled(kernel, std::move(original),
                          static_cast<unsigned>(number + 1));
    return success();
  }

  /// What is wrong with a scheduled kernel; empty if nothing.
  std::string findFault(KernelOp kernel, KernelOp original,
                        Heuristic &heuristic) {
    if (std::optional<std::string> fault = heuristic.findFault())
      return *fault;
    std::string errors;
    // Other kernels are scheduled by other threads.
    ThreadDiagnosticHandler handler(&getContext(), [&](Diagnostic &error) {
      if (!errors.empty())
        errors += "; ";
      errors += error.str();
    });
    if (failed(mlir::verify(kernel)) ||
        (checkSteps &&
         failed(checkList(kernel, original, heuristic.getSteps()))))
      return errors.empty() ? "it does not verify" : errors;
    return "";
  }

  /// Whether the list, applied to the original kernel, gives the scheduled one.
  static LogicalResult checkList(KernelOp kernel, KernelOp original,
                                 ArrayRef<Attribute> steps) {
    OwningOpRef<KernelOp> copy = original.clone();
    KernelSchedule schedule(*copy, getTargetFacts(kernel));
    if (auto refused = schedule.applyAll(llvm::map_to_vector(
            steps, [](Attribute step) { return cast<StepAttr>(step); })))
      return kernel.emitError() << "the step " << refused->step
                                << " is not admitted: " << refused->reason;
    if (auto rest = schedule.findUnfinished())
      return kernel.emitError() << "the steps are not complete: " << *rest;
    if (!OperationEquivalence::isRegionEquivalentTo(
            &kernel.getBody(), &copy->getBody(),
            OperationEquivalence::IgnoreLocations) ||
        kernel.getInPlace() != copy->getInPlace())
      return (kernel.emitError() << "the steps produce a different kernel")
                 .attachNote(copy->getLoc())
             << *copy;
    return success();
  }

  ScheduleObserver *observer = nullptr;
};
} // namespace

ScheduleObserver::~ScheduleObserver() = default;

unsigned tg::countSchedules(const TargetFacts &target) {
  return static_cast<unsigned>(Heuristic::countSchedules(target));
}

std::unique_ptr<Pass>
tg::createTgOptimizeKernels(const TgOptimizeKernelsOptions &options,
                            ScheduleObserver *observer) {
  return std::make_unique<TgOptimizeKernelsPass>(options, observer);
}
