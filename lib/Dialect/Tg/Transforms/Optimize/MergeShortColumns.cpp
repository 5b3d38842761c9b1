//===- MergeShortColumns.cpp - longer columns of products -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// In a convolution, the pixels of a row of an image are the columns of a
/// product of matrices. Rows of small images are too short for a block of the
/// product, but those of one image are neighbors in the result.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"

using namespace mlir;
using namespace mlir::tg;

/// Merges the columns of a product with ranges around them until they have
/// \p shortest positions, as long as the result is contiguous along them.
void Heuristic::mergeShortColumns(int64_t shortest) {
  Block &body = schedule.getKernel().getBody().front();
  auto reduces = llvm::to_vector(body.getOps<RangedReduceOp>());
  if (reduces.size() != 1 || hasScan() || !body.getOps<StageOp>().empty())
    return;
  while (true) {
    RangeOp columns = chooseResultLane(/*shortest=*/INT64_MAX);
    if (!columns || columns.getLargestExtent() >= shortest)
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
                 rows.getLargestExtent() >= shortest;
        }))
      return;
    report("merge", columns, outer.getLargestExtent());
    schedule.merge(outer, columns);
  }
}
