//===- TileProducts.cpp - products of matrices by groups ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sums of products whose factors are each used for many results: a group
/// computes a block of results. Its items read blocks of both factors into
/// tiles of the group, and each item computes a few rows and columns of the
/// block in registers. The block of a product with few rows has more columns
/// than rows; rows that are missing are padded.
///
/// The rows of both tiles are positions of the sum, so that an item reads four
/// neighboring factors at once. Four items of a subgroup are neighbors along
/// the rows, and eight along the columns; those with the same rows or columns
/// read the same place. Thus no two items of a turn read different places of
/// one bank.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// The most items of a group along rows, and along columns if there are as many
/// rows.
constexpr int64_t kSide = 16;
/// Neighbors among them, of which those of the columns are the innermost ones.
constexpr int64_t kNearRows = 4, kNearColumns = 8;
/// Neighboring rows or columns of an item: f32 are one access.
constexpr int64_t kAtOnce = 4;
/// The rows and columns of the smallest block of as many of both; the fewest
/// columns of a product, its fewest rows, and its least positions of the sum.
constexpr int64_t kFewest = kSide * kAtOnce, kFewestRows = 2, kLeastDepth = 8;
/// The fewest columns that are padded to those of the smallest block.
constexpr int64_t kFewestColumns = 3 * kFewest / 4;
/// In a sum whose ranges are all shorter, tiles have as many positions of the
/// innermost ranges as fit, up to a limit: short sums have no loop around the
/// tiles, and none has positions past the end.
constexpr int64_t kFewPositions = 16, kMostPositions = 64;
/// The fewest positions of a tile.
constexpr int64_t kLeastPositions = 4;
/// Groups on a compute unit for which tiles of so many positions have to fit.
constexpr int64_t kGroups = 2;
/// The fewest rows of a block: those of the neighbors among the items. Products
/// of few rows wait for memory, so that padding costs no time, except for types
/// of 64 bits, whose arithmetic is slow: these have at least half of the rows.
constexpr int64_t kRowsOfNeighbors = kNearRows * kAtOnce;
/// The fewest positions for blocks of 16. With fewer than two whole blocks, no
/// loop would remain after unrolling and peeling, and in straight code
/// compilers move multiplications down over barriers, which their loaded
/// factors cannot cross: these would need more registers than there are.
constexpr int64_t kLeastForDeepBlocks = 32;
/// The most bytes of the results of an item: a quarter of all registers.
constexpr int64_t kMostBytes = 256;

namespace {
/// The rows and columns of a group, and positions of the sum between barriers.
struct BlockSize {
  int64_t rows, columns, depth;
};
} // namespace

/// The blocks of the fewest columns: with fewer positions between barriers,
/// too.
static void addNarrowBlocks(SmallVectorImpl<BlockSize> &blocks, int64_t rows,
                            int64_t columns, RangeOp depth) {
  for (int64_t size : {16, 8})
    if (size == 8 || depth.getLargestExtent() >= kLeastForDeepBlocks)
      blocks.push_back({rows, columns, size});
}

/// The blocks of a product of fewer than `kFewest` rows, from the largest on:
/// all rows, and as many columns as leave enough groups. None if even the
/// fewest columns leave too few: other ways have more groups, and read the
/// larger factor for each row.
static SmallVector<BlockSize> listShallowBlocks(RangeOp rows, RangeOp columns,
                                                RangeOp depth,
                                                const TargetFacts &target,
                                                double others) {
  const auto size = std::max(
      kRowsOfNeighbors,
      static_cast<int64_t>(llvm::bit_ceil(uint64_t(rows.getLargestExtent()))));
  auto countGroups = [&](int64_t count) {
    return others * static_cast<double>(
                        llvm::divideCeil(columns.getLargestExtent(), count));
  };
  SmallVector<BlockSize> blocks;
  if (size < kFewest && columns.getLargestExtent() > kFewest &&
      countGroups(2 * kFewest) >= static_cast<double>(target.parallelItems) / 2)
    addNarrowBlocks(blocks, size, 2 * kFewest, depth);
  if (countGroups(blocks.empty() ? kFewest : 2 * kFewest) <
      static_cast<double>(target.parallelItems) / 4)
    return {};
  addNarrowBlocks(blocks, size, kFewest, depth);
  return blocks;
}

/// The blocks that leave enough groups, of \p others for each, from the largest
/// one on.
static SmallVector<BlockSize> listBlocks(RangeOp rows, RangeOp columns,
                                         RangeOp depth, Type result,
                                         const TargetFacts &target,
                                         double others) {
  static constexpr BlockSize sizes[] = {
      {128, 128, 8}, {64, 128, 8}, {128, 64, 8}};
  const int64_t bytes =
      std::max<int64_t>(llvm::divideCeil(result.getIntOrFloatBitWidth(), 8), 4);
  SmallVector<BlockSize> found;
  for (BlockSize size : sizes) {
    const int64_t blocks =
        llvm::divideCeil(rows.getLargestExtent(), size.rows) *
        llvm::divideCeil(columns.getLargestExtent(), size.columns);
    if (size.rows * size.columns / (kSide * kSide) * bytes <= kMostBytes &&
        size.rows < 2 * rows.getLargestExtent() &&
        size.columns < 2 * columns.getLargestExtent() &&
        static_cast<double>(blocks) * others >=
            static_cast<double>(target.parallelItems) / 2 &&
        (found.empty() ||
         size.rows * size.columns < found.back().rows * found.back().columns))
      found.push_back(size);
  }
  addNarrowBlocks(found, kFewest, kFewest, depth);
  return found;
}

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

/// The factors of rows and of columns. If \p mayCompute, operands of the
/// product that are computed from loads, which is then done while a tile is
/// filled. Otherwise the loads: what is computed from them is computed for each
/// product. Null if there are none.
static std::pair<Value, Value> findFactors(KernelSchedule &schedule,
                                           RangedReduceOp reduce, RangeOp depth,
                                           RangeOp rows, RangeOp columns,
                                           bool mayCompute) {
  auto isLoaded = [](Value value) {
    if (auto cast = value.getDefiningOp<CastOp>())
      value = cast.getX();
    return isa_and_nonnull<LoadOp>(value.getDefiningOp());
  };
  auto isFactor = [&](Value value, RangeOp along, RangeOp across) {
    return schedule.dependsOn(value, depth) &&
           schedule.dependsOn(value, along) &&
           !schedule.dependsOn(value, across);
  };
  auto product = reduce.getValue().getDefiningOp<MulOp>();
  if (product && mayCompute &&
      !(isLoaded(product.getLhs()) && isLoaded(product.getRhs()))) {
    const Value lhs = product.getLhs(), rhs = product.getRhs();
    for (auto [x, y] : {std::pair(lhs, rhs), std::pair(rhs, lhs)})
      if (isFactor(x, rows, columns) && isFactor(y, columns, rows))
        return {x, y};
  }
  LoadOp left = findFactor(schedule, reduce, depth, rows, columns),
         right = findFactor(schedule, reduce, depth, columns, rows);
  if (!left || !right)
    return {};
  return {left.getResult(), right.getResult()};
}

namespace {
/// The rows or columns of a block: the items that are far apart, those that are
/// near, and what an item has side by side. No items are far apart in blocks of
/// few rows.
struct Side {
  RangeOp farItems, nearItems, own;
};
} // namespace

/// Splits the rows or columns of a block into the parts that an item has far
/// apart, \p items, of which \p near are side by side, and what an item has
/// side by side.
static Side splitSide(KernelSchedule &schedule, RangeOp side, int64_t items,
                      int64_t near) {
  if (side.getLargestExtent() > items * kAtOnce) {
    auto [part, rest] = schedule.split(side, items * kAtOnce);
    schedule.setKind(part, RangeKind::unroll);
    side = rest;
  }
  Side result;
  if (items > near) {
    std::tie(result.farItems, side) = schedule.split(side, near * kAtOnce);
    schedule.setKind(result.farItems, RangeKind::local);
  }
  std::tie(result.nearItems, result.own) = schedule.split(side, kAtOnce);
  schedule.setKind(result.nearItems, RangeKind::local);
  return result;
}

/// The innermost part of the positions of a tile that is worth unrolling: the
/// largest divisor that is no larger than a block of other sums.
static RangeOp splitForUnrolling(KernelSchedule &schedule, RangeOp position) {
  int64_t count = std::min(position.getLargestExtent(), kFewPositions);
  while (position.getLargestExtent() % count != 0)
    --count;
  return count == 1 || count == position.getLargestExtent()
             ? position
             : schedule.split(position, count).second;
}

bool Heuristic::tileProducts() {
  RangedReduceOp reduce = findOnlySum();
  if (!reduce || target.groupItems < kSide * kSide)
    return false;
  RangeOp columns = chooseColumns(reduce, kFewest);
  if (!columns)
    return false;
  if (columns.getLargestExtent() < kFewestColumns)
    return isUnfit(Twine(columns.getLargestExtent()) +
                   " columns are fewer than " + Twine(kFewestColumns));
  const int64_t positionBytes =
      3 * kFewest *
      llvm::divideCeil(reduce.getType().getIntOrFloatBitWidth(), 8);
  const bool isShort = llvm::all_of(getClosedRanges(reduce), [](RangeOp range) {
    return range.getLargestExtent() < kFewPositions && !range.isSymbolic();
  });
  int64_t terms = 1;
  for (RangeOp range : getClosedRanges(reduce))
    terms = isShort ? terms * range.getLargestExtent()
                    : std::max(terms, range.getLargestExtent());
  if (const int64_t least = isShort ? kLeastDepth : kFewPositions;
      terms < least)
    return isUnfit("sums have fewer than " + Twine(least) + " terms");
  RangeOp depth = chooseDepth(
      reduce, columns, kFewPositions,
      std::min(kMostPositions, target.groupBytes / (kGroups * positionBytes)),
      kLeastPositions);
  if (!depth || depth.getLargestExtent() < kLeastPositions)
    return isUnfit("no range of the sums has " + Twine(kLeastPositions) +
                   " positions");
  // The innermost rows that are long enough; the longest ones if none are.
  RangeOp rows;
  const int64_t fewestRows = reduce.getType().getIntOrFloatBitWidth() > 32
                                 ? kRowsOfNeighbors / 2
                                 : kFewestRows;
  Value left, right;
  double others = 1;
  for (RangeOp range : schedule.getResultRanges()) {
    others *= static_cast<double>(range.getLargestExtent());
    if (range == columns ||
        range.getLargestExtent() <
            (rows ? std::min(rows.getLargestExtent(), kFewest) : fewestRows))
      continue;
    // Only loads are zero past the end of the sum.
    const auto [x, y] =
        findFactors(schedule, reduce, depth, range, columns,
                    isShort || isMultiple(depth, kFewPositions));
    if (!x)
      continue;
    rows = range;
    left = x;
    right = y;
  }
  if (!rows)
    return isUnfit("there are no two factors, one of the columns and one of " +
                   Twine(fewestRows) + " or more rows");
  others /= static_cast<double>(rows.getLargestExtent());
  others /= static_cast<double>(columns.getLargestExtent());
  SmallVector<BlockSize> blocks =
      rows.getLargestExtent() >= kFewest
          ? listBlocks(rows, columns, depth, reduce.getType(), target, others)
          : listShallowBlocks(rows, columns, depth, target, others);
  if (blocks.empty())
    return isUnfit("blocks of " + Twine(rows.getLargestExtent()) +
                   " rows are too few groups");
  if (isShort)
    for (BlockSize &block : blocks)
      block.depth = depth.getLargestExtent();
  const BlockSize size = takeBlock<BlockSize>(blocks);
  const int64_t rowItems = std::min(size.rows / kAtOnce, kSide),
                columnItems = rowItems < kSide ? size.columns / kAtOnce : kSide;

  report("rows", rows, size.rows);
  report("columns", columns, size.columns);
  report("depth", depth, size.depth);
  if (columns->isBeforeInBlock(rows))
    schedule.moveBefore(rows, columns);
  RangeOp rowsOfBlock = schedule.split(rows, size.rows).second;
  RangeOp columnsOfBlock = schedule.split(columns, size.columns).second;
  RangeOp position = splitDepth(reduce, depth, size.depth);
  struct Factor {
    Fill fill;
    int64_t width;
  };
  auto stage = [&](Value factor, RangeOp side) -> Factor {
    const bool isAlongSide =
        isContiguous(factor, side) || !isContiguous(factor, position);
    auto load = factor.getDefiningOp<LoadOp>();
    const int64_t width = load && isAlongSide ? countContiguous(load, side) : 1;
    // The tile belongs to the group because of its local range.
    schedule.setKind(side, RangeKind::local);
    SmallVector<RangeOp> ranges =
        schedule.stage(factor, {position, side}).second;
    schedule.setKind(side, RangeKind::loop);
    schedule.setKind(ranges[1], RangeKind::loop);
    return {isAlongSide ? Fill{ranges[1], ranges[0]}
                        : Fill{ranges[0], ranges[1]},
            width};
  };
  const Factor factors[] = {stage(left, rowsOfBlock),
                            stage(right, columnsOfBlock)};
  auto [farRows, nearRows, row] =
      splitSide(schedule, rowsOfBlock, rowItems, kNearRows);
  auto [farColumns, nearColumns, column] =
      splitSide(schedule, columnsOfBlock, columnItems, kNearColumns);
  schedule.moveBefore(farColumns, nearRows);
  schedule.setKind(row, RangeKind::unroll);
  schedule.setKind(column, RangeKind::upcast);
  if (isShort)
    position = splitForUnrolling(schedule, position);
  if (admits(position, RangeKind::unroll))
    schedule.setKind(position, RangeKind::unroll);
  SmallVector<int64_t> axes{kNearColumns, kNearRows,
                            columnItems / kNearColumns};
  if (farRows)
    axes.push_back(rowItems / kNearRows);
  const std::optional<Ahead> ahead = planAhead(reduce);
  for (auto [fill, width] : factors)
    splitFill(fill, width, axes);
  fillAhead(ahead);
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  return true;
}
