//===- InterleaveResult.cpp - results of which few are neighbors ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of tg-optimize-kernels for results that take turns in memory: the
/// phases of a transposed convolution with a stride, pixels that are repeated
/// or that come from channels.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"

using namespace mlir;
using namespace mlir::tg;

/// The longest range of results that take turns.
constexpr int64_t kMostTurns = 8;
/// Ranges of up to this many positions that decide which operand a result is,
/// or whether it is loaded, are unrolled.
constexpr int64_t kMostBranches = 4;

/// The result range before \p turns, if together they number the results as
/// memory does, and if lanes along both read everything as a few contiguous
/// parts, repeated or taking turns.
RangeOp Heuristic::findTakingTurns(RangeOp turns) {
  const int64_t count = turns.getLargestExtent();
  Block &body = schedule.getKernel().getBody().front();
  if (turns.isSymbolic() || count > kMostTurns ||
      !llvm::isPowerOf2_64(static_cast<uint64_t>(count)) ||
      2 * count > getNumLanes() || llvm::any_of(body, [](Operation &op) {
        // The order of updates may matter.
        auto store = dyn_cast<StoreOp>(op);
        return isa<RangedReduceOp, RangedScanOp, StageOp>(op) ||
               (store && store.getUpdate());
      }))
    return RangeOp();
  const SmallVector<RangeOp> results = schedule.getResultRanges();
  auto *place = llvm::find(results, turns);
  if (place == results.begin() || std::next(place) != results.end())
    return RangeOp();
  RangeOp rows = *std::prev(place);
  if (rows.getKind() != RangeKind::loop || rows.isSymbolic() ||
      rows.getLargestExtent() * count < getNumLanes() ||
      !schedule.areMergeable(rows, turns) || schedule.isOrdered(rows) ||
      schedule.isOrdered(turns))
    return RangeOp();
  for (Operation &op : body) {
    Value index;
    if (auto load = dyn_cast<LoadOp>(op))
      index = load.getIndex();
    else if (auto store = dyn_cast<StoreOp>(op))
      index = store.getIndex();
    else
      continue;
    const LinearForm &form = schedule.getAnalysis().getLinear(index);
    for (auto [atom, coefficient] : form.terms)
      if (!coefficient.isStatic() ||
          (!atom.getDefiningOp<RangeOp>() &&
           (schedule.dependsOn(atom, rows) || schedule.dependsOn(atom, turns))))
        return RangeOp();
    const int64_t ofRows = form.getCoefficient(rows),
                  ofTurns = form.getCoefficient(turns);
    if (ofRows == count && ofTurns == 1)
      continue;
    if (isa<StoreOp>(op) || (ofRows != 0 && ofRows != 1) ||
        (ofRows == 0 && ofTurns != 0 && ofTurns != 1))
      return RangeOp();
  }
  return rows;
}

/// Merges a short range of results that take turns with the one before, so that
/// lanes run along both. Otherwise a vector would hold one turn.
///
/// Short ranges that decide which operand a result is, or whether it is one,
/// are unrolled: only that operand is then loaded, with constant masks of
/// lanes.
RangeOp Heuristic::mergeTurns(RangeOp turns) {
  RangeOp rows = findTakingTurns(turns);
  if (!rows)
    return turns;
  Block &body = schedule.getKernel().getBody().front();
  SmallVector<RangeOp> branches;
  int64_t copies = 1;
  for (Operation &op : body) {
    Value condition;
    if (auto where = dyn_cast<WhereOp>(op))
      condition = where.getCondition();
    else if (auto load = dyn_cast<LoadOp>(op))
      condition = load.getMask();
    if (!condition)
      continue;
    for (RangeOp range : schedule.getResultRanges()) {
      const int64_t count = range.getLargestExtent();
      if (range == rows || range == turns || range.isSymbolic() ||
          range.getPeel() || range.getKind() != RangeKind::loop ||
          llvm::is_contained(branches, range) || count < 2 ||
          copies * count > kMostBranches ||
          !schedule.dependsOn(condition, range) || schedule.isOrdered(range))
        continue;
      copies *= count;
      branches.push_back(range);
    }
  }
  report("interleave", rows, turns.getLargestExtent());
  for (RangeOp range : branches) {
    report("unroll", range, range.getLargestExtent());
    schedule.setKind(range, RangeKind::unroll);
  }
  return schedule.merge(rows, turns);
}
