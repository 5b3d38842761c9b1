//===- TileProducts.cpp - products of matrices by groups ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of products whose factors are each used for many results: a group
/// computes a block of results. Its items read blocks of both factors into
/// tiles of the group, side by side in memory, and each item computes a few
/// rows and columns of the block in registers.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"

using namespace mlir;
using namespace mlir::tg;

/// Items of a group along rows and along columns.
constexpr int64_t kSide = 16;
/// Rows and columns of an item. A column is a lane: four f32 are one access.
constexpr int64_t kRows = 4, kColumns = 4;
/// Positions of the sum between two barriers.
constexpr int64_t kDepth = 16;

/// A load that is a factor along one range of the result, but not along the
/// other one; null if there is none or there are several.
static LoadOp findFactor(KernelSchedule &schedule, RangedReduceOp reduce,
                         RangeOp depth, RangeOp along, RangeOp across) {
  LoadOp found;
  for (Operation *op : schedule.getSlice(reduce.getValue())) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || !schedule.dependsOn(load.getResult(), along))
      continue;
    if (found || schedule.dependsOn(load.getResult(), across) ||
        !schedule.dependsOn(load.getResult(), depth))
      return LoadOp();
    found = load;
  }
  return found;
}

bool Heuristic::tileProducts() {
  mergeShortColumns(kSide * kColumns);
  Block &body = schedule.getKernel().getBody().front();
  auto reduces = llvm::to_vector(body.getOps<RangedReduceOp>());
  if (reduces.size() != 1 || hasScan() || schedule.getKernel().getInPlace() ||
      !body.getOps<StageOp>().empty() || target.groupItems < kSide * kSide ||
      llvm::any_of(
          body.getOps<StoreOp>(),
          [](StoreOp store) { return store.getUpdate().has_value(); }))
    return false;
  RangedReduceOp reduce = reduces.front();
  RangeOp columns = chooseResultLane(/*shortest=*/INT64_MAX);
  if (!columns || columns.isSymbolic() ||
      columns.getLargestExtent() < kSide * kColumns)
    return false;
  // The longest range of the sum, and the innermost rows that are long enough.
  RangeOp depth, rows;
  for (RangeOp range : getClosedRanges(reduce))
    if (!range.isSymbolic() && range.getLargestExtent() >= kDepth &&
        (!depth || range.getLargestExtent() >= depth.getLargestExtent()))
      depth = range;
  LoadOp left, right;
  for (RangeOp range : schedule.getResultRanges()) {
    if (!depth || range == columns || range.isSymbolic() ||
        range.getLargestExtent() < kSide * kRows)
      continue;
    LoadOp x = findFactor(schedule, reduce, depth, range, columns);
    LoadOp y = findFactor(schedule, reduce, depth, columns, range);
    if (!x || !y)
      continue;
    rows = range;
    left = x;
    right = y;
  }
  if (!rows)
    return false;

  report("rows", rows, kSide * kRows);
  report("columns", columns, kSide * kColumns);
  report("depth", depth, kDepth);
  auto [rowBlock, rowsOfBlock] = schedule.split(rows, kSide * kRows);
  auto [rowItem, row] = schedule.split(rowsOfBlock, kRows);
  auto [columnBlock, columnsOfBlock] =
      schedule.split(columns, kSide * kColumns);
  auto [columnItem, column] = schedule.split(columnsOfBlock, kColumns);
  // Tiles are filled outside of the loop over their positions, and so inside of
  // those over other ranges of the sum.
  for (RangeOp range : getClosedRanges(reduce))
    if (depth->isBeforeInBlock(range))
      schedule.moveBefore(range, depth);
  auto [block, position] = schedule.split(depth, kDepth);
  schedule.setKind(rowItem, RangeKind::local);
  schedule.setKind(columnItem, RangeKind::local);
  schedule.setKind(row, RangeKind::unroll);
  schedule.setKind(column, RangeKind::upcast);
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  // In each tile, the items along x read neighbors.
  auto fill = [&](LoadOp factor, ArrayRef<RangeOp> over, size_t items) {
    SmallVector<RangeOp> ranges =
        schedule.stage(factor.getResult(), over).second;
    if (admits(ranges[items], RangeKind::local))
      schedule.setKind(ranges[items], RangeKind::local);
  };
  fill(left, {rowItem, row, position}, 2);
  fill(right, {position, columnItem, column}, 0);
  return true;
}
