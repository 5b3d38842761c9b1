//===- GroupItems.cpp - schedules for targets with groups -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses what the groups and the work items of a GPU compute. The items of a
/// group are neighbors in memory. A reduction of rows is shared by the items of
/// a group; other reductions are done by each item alone.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Work items of a group: several subgroups hide the latency of memory.
constexpr int64_t kGroupItems = 256;
/// The least positions of a reduction that a group shares.
constexpr int64_t kMinShared = 32;
/// With at least as many results, a reduction that reads along its results is
/// done by single items.
constexpr int64_t kEnoughResults = 4096;

bool Heuristic::admits(RangeOp range, RangeKind kind) {
  auto step = StepAttr::get(range.getContext(), StepKind::set_kind, {},
                            {static_cast<int64_t>(range.getId())},
                            static_cast<int64_t>(kind), {});
  return !schedule.findObstacle(step);
}

/// The range of a reduction along which a group shares it: one along which
/// loads are contiguous. None if single items are better.
RangeOp Heuristic::findShared(RangedReduceOp reduce) {
  RangeOp best;
  bool isContiguousAlongResult = false;
  for (Operation *op : schedule.getSlice(reduce.getValue())) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load)
      continue;
    const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
    for (RangeOp range : schedule.getRanges()) {
      if (std::abs(index.getCoefficient(range)) != 1 ||
          range.getLargestExtent() < 2)
        continue;
      if (llvm::is_contained(reduce.getRanges(), range.getResult()))
        best = range;
      else
        isContiguousAlongResult = true;
    }
  }
  double results = 1;
  for (Value range : schedule.getAnalysis().getRanges(reduce.getResult()))
    results *=
        static_cast<double>(range.getDefiningOp<RangeOp>().getLargestExtent());
  const bool isFew = results < static_cast<double>(kEnoughResults);
  if (!isFew && (isContiguousAlongResult || !best))
    return RangeOp();
  if (!best)
    best = reduce.getRanges().back().getDefiningOp<RangeOp>();
  return best.getLargestExtent() >= kMinShared ? best : RangeOp();
}

/// Gives each reduction of the result to the items of a group. Returns how many
/// these are; 1 if single items do the reductions.
int64_t Heuristic::shareReduces() {
  Block &body = schedule.getKernel().getBody().front();
  if (hasScan() || !body.getOps<StageOp>().empty() ||
      llvm::any_of(body.getOps<StoreOp>(),
                   [](StoreOp store) { return store.getUpdate().has_value(); }))
    return 1;
  llvm::SetVector<RangeOp> shared;
  SmallVector<RangeOp> results;
  int64_t items = std::min(kGroupItems, target.groupItems);
  for (auto reduce : body.getOps<RangedReduceOp>()) {
    ArrayRef<Value> outer =
        schedule.getAnalysis().getRanges(reduce.getResult());
    if (reduce.getRanges().empty() || !llvm::all_of(outer, [&](Value range) {
          return schedule.isResultRange(range.getDefiningOp<RangeOp>());
        }))
      continue;
    RangeOp range = findShared(reduce);
    if (!range || !admits(range, RangeKind::loop))
      return 1;
    for (Value value : outer)
      results.push_back(value.getDefiningOp<RangeOp>());
    items = std::min(items, static_cast<int64_t>(llvm::bit_ceil(
                                uint64_t(range.getLargestExtent()))));
    shared.insert(range);
  }
  if (shared.empty() || llvm::any_of(shared, [&](RangeOp range) {
        return llvm::any_of(range->getUsers(), [&](Operation *user) {
          return isa<StageOp, RangedScanOp>(user) && namesRange(user, range);
        });
      }))
    return 1;
  for (RangeOp range : shared) {
    report("group reduce", range, items);
    schedule.setKind(schedule.split(range, items).second,
                     RangeKind::group_reduce);
  }
  for (RangeOp range : results)
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  return items;
}

/// Makes work items of the result ranges, `items` in a group, from the one
/// along which stores are contiguous outward. If the items share reductions,
/// one range is split into as many.
void Heuristic::distribute(int64_t items, bool shareReduces) {
  SmallVector<RangeOp> ranges = schedule.getResultRanges();
  if (RangeOp lane = chooseResultLane(/*shortest=*/INT64_MAX))
    std::rotate(llvm::find(ranges, lane), llvm::find(ranges, lane) + 1,
                ranges.end());
  for (RangeOp range : llvm::reverse(ranges)) {
    if (range.getKind() != RangeKind::loop || range.getLargestExtent() < 2 ||
        !admits(range, RangeKind::global))
      continue;
    if (items > 1 && !shareReduces && !range.isSymbolic() &&
        range.getLargestExtent() <= items && admits(range, RangeKind::local)) {
      schedule.setKind(range, RangeKind::local);
      items /= static_cast<int64_t>(
          llvm::bit_ceil(uint64_t(range.getLargestExtent())));
      continue;
    }
    if (items > 1) {
      report("local", range, items);
      auto [outer, inner] = schedule.split(range, items);
      schedule.setKind(inner, RangeKind::local);
      items = 1;
      range = outer;
    }
    schedule.setKind(range, RangeKind::global);
  }
}

void Heuristic::runForGroups() {
  mergeRanges();
  separateReduces();
  if (contractProducts() || tileProducts())
    return;
  const int64_t shared = shareReduces();
  if (shared > 1)
    distribute(shared, /*shareReduces=*/true);
  else
    distribute(std::min(kGroupItems, target.groupItems),
               /*shareReduces=*/false);
}
