//===- ShareWindows.cpp - sums over images, for the positions of a window -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The gradient of a convolution by its weights is a sum over images and their
/// pixels, for each position of a window. If there are too few channels for
/// blocks of results, a group shares the sums of all positions of a window: its
/// items are neighbors along the pixels of a row, and each computes all
/// positions for a few channels in registers. An element of the one factor is
/// then loaded once for all positions, and one of the other factor once for all
/// these channels.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"

using namespace mlir;
using namespace mlir::tg;

/// Work items of a group.
constexpr int64_t kGroupItems = 256;
/// The shortest row that items share, and the fewest pixels of an item: adding
/// the sums of all items takes as long as some pixels.
constexpr int64_t kShortestRow = 8, kLeastPixels = 8;
/// The most positions of a window that an item computes, the most channels, and
/// the most sums: as many registers are left for what it loads.
constexpr int64_t kMostPositions = 16, kMostChannels = 4, kMostSums = 48;

/// The range of the sum along which every load is contiguous, if one of them is
/// contiguous along a few results as well, as windows that overlap are.
static RangeOp findSlidingRow(KernelSchedule &schedule, RangedReduceOp reduce,
                              ArrayRef<LoadOp> loads) {
  RangeOp row;
  for (RangeOp range : getClosedRanges(reduce)) {
    if (range.isSymbolic() || range.getLargestExtent() < kShortestRow ||
        (row && range.getLargestExtent() <= row.getLargestExtent()))
      continue;
    bool slides = false;
    if (llvm::all_of(
            loads,
            [&](LoadOp load) {
              const LinearForm &index =
                  schedule.getAnalysis().getLinear(load.getIndex());
              slides |= llvm::any_of(
                  schedule.getResultRanges(), [&](RangeOp position) {
                    return position.getLargestExtent() > 1 &&
                           position.getLargestExtent() <= kMostPositions &&
                           llvm::AbsoluteValue(
                               index.getCoefficient(position)) == 1;
                  });
              return llvm::AbsoluteValue(index.getCoefficient(range)) == 1;
            }) &&
        slides)
      row = range;
  }
  return row;
}

bool Heuristic::shareWindows() {
  const SmallVector<RangedReduceOp> reduces = findSharedReduces();
  if (reduces.size() != 1)
    return false;
  RangedReduceOp reduce = reduces.front();
  SmallVector<LoadOp> loads;
  for (Operation *op : schedule.getSlice(reduce.getValue()))
    if (auto load = dyn_cast<LoadOp>(op))
      loads.push_back(load);
  RangeOp row = findSlidingRow(schedule, reduce, loads);
  if (!row || !admits(row, RangeKind::loop))
    return false;

  // The positions of a window, from the innermost ones on. What the results
  // have besides: an item computes a few of them if they share a factor that
  // depends on the window.
  SmallVector<RangeOp> window;
  RangeOp channels;
  int64_t sums = 1;
  double groups = 1;
  const SmallVector<RangeOp> results = schedule.getResultRanges();
  auto isFactor = [&](LoadOp load, RangeOp range) {
    return schedule.dependsOn(load.getResult(), range);
  };
  for (RangeOp range : llvm::reverse(results))
    if (range.getKind() == RangeKind::loop && !range.isSymbolic() &&
        sums * range.getLargestExtent() <= kMostPositions &&
        isReused(reduces, range) && admits(range, RangeKind::unroll)) {
      sums *= range.getLargestExtent();
      window.push_back(range);
    }
  if (sums == 1)
    return isUnfit("no window has up to " + Twine(kMostPositions) +
                   " positions");
  for (RangeOp range : results) {
    if (llvm::is_contained(window, range))
      continue;
    groups *= static_cast<double>(range.getLargestExtent());
    if (range.getKind() == RangeKind::loop && !range.isSymbolic() &&
        llvm::any_of(loads,
                     [&](LoadOp load) {
                       return !isFactor(load, range) &&
                              isFactor(load, window.front());
                     }) &&
        (!channels || range.getLargestExtent() > channels.getLargestExtent()))
      channels = range;
  }
  int64_t copies = channels ? kMostChannels : 1;
  while (copies > 1 &&
         (!isMultiple(channels, copies) || sums * copies > kMostSums ||
          groups / static_cast<double>(copies) <
              static_cast<double>(target.parallelItems) / 2))
    copies /= 2;
  copies = takeCopies(copies);

  // Items along the row, and along the longest other range of the sum.
  RangeOp other;
  double pixels = 1;
  for (RangeOp range : getClosedRanges(reduce)) {
    pixels *= static_cast<double>(range.getLargestExtent());
    if (range != row && !range.isSymbolic() &&
        (!other || range.getLargestExtent() > other.getLargestExtent()))
      other = range;
  }
  const auto fewest = std::max<int64_t>(target.subgroupItems, 1);
  if (pixels < static_cast<double>(kLeastPixels * fewest))
    return isUnfit("sums of " + Twine(static_cast<int64_t>(pixels)) +
                   " pixels are too short to be shared by " + Twine(fewest) +
                   " items");
  int64_t most = std::min(kGroupItems, target.groupItems);
  while (pixels < static_cast<double>(kLeastPixels * most))
    most /= 2;
  const auto items =
      std::min<int64_t>(most, llvm::bit_ceil(uint64_t(row.getLargestExtent())));
  const int64_t rows =
      other ? std::min<int64_t>(most / items, llvm::bit_floor(uint64_t(
                                                  other.getLargestExtent())))
            : 1;
  report("group reduce", row, items);
  RangeOp item = schedule.split(row, items).second;
  schedule.setKind(item, RangeKind::group_reduce);
  if (rows > 1) {
    report("group reduce", other, rows);
    RangeOp part = schedule.split(other, rows).second;
    // Neighbors are those along the row.
    schedule.moveBefore(part, item);
    schedule.setKind(part, RangeKind::group_reduce);
  }
  for (RangeOp range : window) {
    report("window", range, range.getLargestExtent());
    schedule.setKind(range, RangeKind::unroll);
  }
  if (copies > 1) {
    report("tile", channels, copies);
    schedule.setKind(schedule.split(channels, copies).second,
                     RangeKind::unroll);
  }
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  return true;
}
