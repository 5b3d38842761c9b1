//===- ProductRanges.cpp - sum, columns and depth of a product ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the product of matrices in a kernel, of which groups compute blocks.
/// In a convolution, the pixels of a row of an image are the columns. Rows of
/// small images are too short for a block, but those of one image are neighbors
/// in the result, and several small images together are long enough. The depth
/// is that of the channels and of both directions of a window: where none of
/// these is long enough by itself, as in the first convolution of a network,
/// they are one range.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// The fewest rows of a product whose columns are merged: those of the smallest
/// blocks, which have to be padded otherwise.
static constexpr int64_t kFewestRows = 16;
/// Columns are merged until at most this part of their number is padding.
static constexpr int64_t kPadding = 8;
/// Images are merged if a larger part is.
static constexpr int64_t kMuchPadding = 4;

/// The most terms of a sum besides the product: a single item adds them up.
static constexpr int64_t kFewTerms = 16;

bool tg::readsOwnElements(KernelSchedule &schedule, RangedReduceOp reduce) {
  KernelOp kernel = schedule.getKernel();
  auto isOutput = [&](Value buffer) {
    auto argument = dyn_cast<BlockArgument>(buffer);
    return argument &&
           argument.getArgNumber() < static_cast<uint64_t>(kernel.getOutputs());
  };
  Block &body = kernel.getBody().front();
  for (auto load : body.getOps<LoadOp>())
    if (isOutput(load.getBuffer()) &&
        !llvm::all_of(body.getOps<StoreOp>(), [&](StoreOp store) {
          return store.getBuffer() != load.getBuffer() ||
                 store.getIndex() == load.getIndex();
        }))
      return false;
  return llvm::none_of(schedule.getSlice(reduce.getValue()),
                       [&](Operation *op) {
                         auto load = dyn_cast<LoadOp>(op);
                         return load && isOutput(load.getBuffer());
                       });
}

/// The only sum of the kernel, if groups may compute blocks of its results.
/// There may be sums of a few terms besides, on which it does not depend, and
/// which do not depend on it. Null if there is none.
RangedReduceOp Heuristic::findOnlySum() {
  Block &body = schedule.getKernel().getBody().front();
  if (hasScan() || !body.getOps<StageOp>().empty() ||
      llvm::any_of(body.getOps<StoreOp>(),
                   [](StoreOp store) { return store.getUpdate().has_value(); }))
    return RangedReduceOp();
  auto countTerms = [](RangedReduceOp reduce) {
    double terms = 1;
    for (RangeOp range : getClosedRanges(reduce))
      terms *= static_cast<double>(range.getLargestExtent());
    return terms;
  };
  RangedReduceOp sum;
  for (auto reduce : body.getOps<RangedReduceOp>())
    if (!sum || countTerms(reduce) > countTerms(sum))
      sum = reduce;
  if (!sum)
    return RangedReduceOp();
  for (auto reduce : body.getOps<RangedReduceOp>())
    if (reduce != sum &&
        (countTerms(reduce) > kFewTerms ||
         llvm::any_of(getClosedRanges(reduce),
                      [&](RangeOp range) { return namesRange(sum, range); }) ||
         isComputedFrom(reduce.getValue(), sum) ||
         isComputedFrom(sum.getValue(), reduce)))
      return RangedReduceOp();
  if (schedule.getKernel().getInPlace() && !readsOwnElements(schedule, sum))
    return RangedReduceOp();
  return sum;
}

/// Whether the columns and another range of the results are those of one factor
/// alone, while the other factor has rows of its own.
static bool areOfOneFactor(KernelSchedule &schedule, RangedReduceOp sum,
                           RangeOp other, RangeOp columns) {
  SmallVector<LoadOp> factors, others;
  for (Operation *op : schedule.getSlice(sum.getValue()))
    if (auto load = dyn_cast<LoadOp>(op)) {
      const bool isAlong = schedule.dependsOn(load.getResult(), columns);
      if (isAlong != schedule.dependsOn(load.getResult(), other))
        return false;
      (isAlong ? factors : others).push_back(load);
    }
  auto isAnyAlong = [&](ArrayRef<LoadOp> loads, RangeOp range) {
    return llvm::any_of(loads, [&](LoadOp load) {
      return schedule.dependsOn(load.getResult(), range);
    });
  };
  return llvm::any_of(schedule.getResultRanges(), [&](RangeOp rows) {
    return isAnyAlong(others, rows) && !isAnyAlong(factors, rows) &&
           rows.getLargestExtent() >= kFewestRows;
  });
}

/// Moves a range of the results before the columns of a product and merges both
/// if a block would have few columns otherwise: the images of a convolution of
/// few pixels. Memory is then contiguous along parts of the columns only.
/// Pixels have to be a power of two: with other quotients and remainders, the
/// solver does not prove in reasonable time that items write different results.
RangeOp Heuristic::mergeImages(RangedReduceOp sum, RangeOp columns,
                               int64_t shortest) {
  const int64_t extent = columns.getLargestExtent(),
                padding = llvm::alignTo(extent, shortest) - extent;
  if (padding <= extent / kMuchPadding ||
      !llvm::isPowerOf2_64(static_cast<uint64_t>(extent)))
    return columns;
  for (RangeOp images : schedule.getResultRanges()) {
    if (images == columns || images.isSymbolic() ||
        images.getKind() != RangeKind::loop ||
        !areOfOneFactor(schedule, sum, images, columns) ||
        !admitsMove(images, columns))
      continue;
    schedule.moveBefore(images, columns);
    if (!schedule.areMergeable(images, columns))
      return columns;
    report("merge", columns, images.getLargestExtent());
    return schedule.merge(images, columns);
  }
  return columns;
}

/// Returns the columns of a product, the range along which results are
/// contiguous; null if there are none. Merges them with ranges around them
/// until they have \p shortest positions, of which blocks of as many need
/// little padding, as long as the result is contiguous along them; then with
/// images.
RangeOp Heuristic::chooseColumns(RangedReduceOp sum, int64_t shortest) {
  Block &body = schedule.getKernel().getBody().front();
  while (true) {
    RangeOp columns = chooseResultLane(/*shortest=*/INT64_MAX);
    if (!columns || columns.isSymbolic() ||
        columns.getKind() != RangeKind::loop)
      return columns;
    const int64_t extent = columns.getLargestExtent(),
                  padding = llvm::alignTo(extent, shortest) - extent;
    if (extent >= shortest && padding <= extent / kPadding)
      return columns;
    ArrayRef<RangeOp> ranges = schedule.getRanges();
    const size_t place = llvm::find(ranges, columns) - ranges.begin();
    RangeOp outer = place == 0 ? RangeOp() : ranges[place - 1];
    if (!outer || outer.isSymbolic() || !schedule.isResultRange(outer) ||
        !schedule.areMergeable(outer, columns) ||
        !llvm::all_of(body.getOps<StoreOp>(),
                      [&](StoreOp store) {
                        return schedule.isEvenIn(store.getIndex(), outer,
                                                 columns);
                      }) ||
        !areOfOneFactor(schedule, sum, outer, columns))
      return mergeImages(sum, columns, shortest);
    report("merge", columns, outer.getLargestExtent());
    schedule.merge(outer, columns);
  }
}

/// The range of the sum that is the depth of a product: the longest one if it
/// has \p shortest positions. Otherwise the innermost ranges are merged into
/// one of up to \p longest positions, if every factor varies along all of them.
/// An innermost range of \p least positions stays alone if it is what the
/// pixels of a window with a stride are contiguous along. Null if no range has
/// two positions.
RangeOp Heuristic::chooseDepth(RangedReduceOp reduce, RangeOp columns,
                               int64_t shortest, int64_t longest,
                               int64_t least) {
  auto findLongest = [&]() {
    RangeOp depth;
    for (RangeOp range : getClosedRanges(reduce))
      if (range.getLargestExtent() > 1 &&
          (!depth || range.getLargestExtent() >= depth.getLargestExtent()))
        depth = range;
    return depth;
  };
  RangeOp depth = findLongest();
  if (!depth || depth.getLargestExtent() >= shortest)
    return depth;
  auto varies = [&](RangeOp range) {
    return llvm::all_of(
        schedule.getSlice(reduce.getValue()), [&](Operation *op) {
          auto load = dyn_cast<LoadOp>(op);
          return !load || schedule.dependsOn(load.getResult(), range) ||
                 llvm::none_of(getClosedRanges(reduce), [&](RangeOp other) {
                   return schedule.dependsOn(load.getResult(), other);
                 });
        });
  };
  SmallVector<RangeOp> closed;
  for (RangeOp range : schedule.getRanges())
    if (namesRange(reduce, range) && range.getLargestExtent() > 1) {
      if (range.isSymbolic() || !varies(range))
        return depth;
      closed.push_back(range);
    }
  const int64_t single = depth.getLargestExtent();
  RangeOp merged = closed.pop_back_val();
  if (merged.getLargestExtent() >= least &&
      llvm::any_of(schedule.getSlice(reduce.getValue()), [&](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        return load && schedule.dependsOn(load.getResult(), columns) &&
               isContiguous(load.getResult(), merged) &&
               !isContiguous(load.getResult(), columns);
      }))
    return merged;
  while (!closed.empty()) {
    RangeOp outer = closed.pop_back_val();
    if (outer.getLargestExtent() * merged.getLargestExtent() > longest ||
        !schedule.areMergeable(outer, merged))
      break;
    report("merge", merged, outer.getLargestExtent());
    merged = schedule.merge(outer, merged);
  }
  return merged.getLargestExtent() >= std::min(single, shortest / 2)
             ? merged
             : findLongest();
}
