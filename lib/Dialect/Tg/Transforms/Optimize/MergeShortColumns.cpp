//===- MergeShortColumns.cpp - longer ranges of products ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In a convolution, the pixels of a row of an image are the columns of a
/// product of matrices. Rows of small images are too short for a block of the
/// product, but those of one image are neighbors in the result. The depth is
/// that of the channels and of both directions of a window: where none of these
/// is long enough by itself, as in the first convolution of a network, they
/// are one range.
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

/// Merges the columns of a product with ranges around them until they have
/// \p shortest positions, of which blocks of as many need little padding, as
/// long as the result is contiguous along them.
void Heuristic::mergeShortColumns(int64_t shortest) {
  Block &body = schedule.getKernel().getBody().front();
  auto reduces = llvm::to_vector(body.getOps<RangedReduceOp>());
  if (reduces.size() != 1 || hasScan() || !body.getOps<StageOp>().empty())
    return;
  while (true) {
    RangeOp columns = chooseResultLane(/*shortest=*/INT64_MAX);
    if (!columns)
      return;
    const int64_t extent = columns.getLargestExtent(),
                  padding = llvm::alignTo(extent, shortest) - extent;
    if (extent >= shortest && padding <= extent / kPadding)
      return;
    ArrayRef<RangeOp> ranges = schedule.getRanges();
    const size_t place = llvm::find(ranges, columns) - ranges.begin();
    if (place == 0)
      return;
    RangeOp outer = ranges[place - 1];
    if (outer.isSymbolic() || !schedule.isResultRange(outer) ||
        !schedule.areMergeable(outer, columns) ||
        !llvm::all_of(body.getOps<StoreOp>(), [&](StoreOp store) {
          return schedule.isEvenIn(store.getIndex(), outer, columns);
        }))
      return;
    // One factor depends on both, the other one on neither, but on rows.
    SmallVector<LoadOp> factors, others;
    for (Operation *op : schedule.getSlice(reduces.front().getValue()))
      if (auto load = dyn_cast<LoadOp>(op)) {
        const bool isAlong = schedule.dependsOn(load.getResult(), columns);
        if (isAlong != schedule.dependsOn(load.getResult(), outer))
          return;
        (isAlong ? factors : others).push_back(load);
      }
    auto isAnyAlong = [&](ArrayRef<LoadOp> loads, RangeOp range) {
      return llvm::any_of(loads, [&](LoadOp load) {
        return schedule.dependsOn(load.getResult(), range);
      });
    };
    if (llvm::none_of(schedule.getResultRanges(), [&](RangeOp rows) {
          return isAnyAlong(others, rows) && !isAnyAlong(factors, rows) &&
                 rows.getLargestExtent() >= kFewestRows;
        }))
      return;
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
