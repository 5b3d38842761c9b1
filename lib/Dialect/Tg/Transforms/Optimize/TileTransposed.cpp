//===- TileTransposed.cpp - products with a transposed left factor --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products whose left factor is contiguous along the rows of the result (the
/// gradient of a layer's weights), on processors that multiply faster than
/// their second-level cache delivers, or where that cache holds few of the
/// factor's lines (DivideDepth.cpp). Both factors are packed:
///
///   for each block of columns                            (in parallel)
///     for each share of the rows                         (in parallel)
///       packed columns = those of the block, one tile's after the other
///       for each group of rows
///         packed rows = those of the group, one tile's after the other
///         for each tile of rows
///           for each tile of columns
///             sums[rows][columns] += packed rows, broadcast, * packed columns
///
/// If the second-level cache does not hold all columns, the depth is divided
/// into passes that run around the work items of a thread, so that each factor
/// is packed once; each pass adds to the results in memory:
///
///   for each pass over the depth
///     for each share of the rows                         (in parallel)
///       packed columns = all of them, packed by the first share of a thread
///       for each group of rows
///         as above
///
/// Read where it is, the left factor has a line for each summand, of which a
/// tile uses a part. Where all lines are in few sets of a cache, each tile of
/// columns would read them from farther away. A tile has as many rows as there
/// are registers for, and few columns: these come from the second-level cache,
/// and a row that is broadcast takes a port for loads and no other.
///
//===----------------------------------------------------------------------===//

#include "DivideDepth.h"
#include "Heuristic.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::tg;

/// Vectors of columns in a register tile.
constexpr int64_t kVectors = 2;
/// A tile has up to so many rows less than there are registers for, if fewer
/// are left over.
constexpr int64_t kFewerRows = 2;
/// Shares have up to so many groups more, which leaves fewer of them, if that
/// saves one of so many rows.
constexpr int64_t kMoreGroups = 4, kWorthFewerShares = 32;
/// The fewest columns of a block: rows are packed again for each block.
constexpr int64_t kLeastBlock = 128;
/// The fewest tiles of rows in a share: columns are packed for each share that
/// another thread computes.
constexpr int64_t kLeastTiles = 4;
/// Parts of the second-level cache: packed columns are at most one of so many,
/// packed rows one of so many.
constexpr int64_t kColumnsPart = 2, kRowsPart = 4;
/// One of so many of the parallel items that the target asks for is enough. In
/// passes over the depth, columns are packed for each share in each pass.
constexpr int64_t kItemsPart = 2, kItemsPartOfPasses = 8;

/// Passes around the work items: the fewest positions, a number of which these
/// are a multiple, and the most bytes of results, which each pass reads and
/// writes.
constexpr int64_t kLeastPass = 128, kPassUnit = 16,
                  kMostResultBytes = int64_t(8) << 20;
/// The most tiles of rows in a group of such a pass, and the fewest shares of
/// rows, which are all work items. On a Sapphire Rapids, groups of 4 to 20
/// tiles take the same time.
constexpr int64_t kMostTilesOfPass = 6, kLeastShares = 8;

/// The factors of a sum of products: of rows and of columns.
struct Heuristic::Factors {
  LoadOp left, right;
  RangeOp depth, rows;
};

/// The factors of a product of two matrices, if the left one is contiguous
/// along the rows.
std::optional<Heuristic::Factors>
Heuristic::findTransposedFactors(RangedReduceOp reduce, RangeOp columns) {
  auto product = reduce.getValue().getDefiningOp<MulOp>();
  if (!product || reduce.getRanges().size() != 1)
    return std::nullopt;
  Factors found;
  found.depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
  found.left = product.getLhs().getDefiningOp<LoadOp>();
  found.right = product.getRhs().getDefiningOp<LoadOp>();
  if (!found.left || !found.right || found.depth.isSymbolic() ||
      columns.isSymbolic())
    return std::nullopt;
  if (schedule.dependsOn(found.left.getResult(), columns))
    std::swap(found.left, found.right);
  for (LoadOp load : {found.left, found.right})
    if (load.getMask() || load.getBuffer().getDefiningOp() ||
        !schedule.dependsOn(load.getResult(), found.depth))
      return std::nullopt;
  // Copies: asking for one form may move the others.
  const LinearForm left =
                       schedule.getAnalysis().getLinear(found.left.getIndex()),
                   right =
                       schedule.getAnalysis().getLinear(found.right.getIndex());
  for (RangeOp range : schedule.getResultRanges())
    if (left.getCoefficient(range) == 1)
      found.rows = range;
  if (!found.rows || found.rows == columns || found.rows.isSymbolic() ||
      schedule.dependsOn(found.left.getResult(), columns) ||
      schedule.dependsOn(found.right.getResult(), found.rows) ||
      right.getCoefficient(columns) != 1)
    return std::nullopt;
  return found;
}

/// Whether the lines of the left factor stay in the first-level cache until the
/// next tile of rows needs the rest of them.
bool Heuristic::doLinesStay(Factors factors) {
  LoadOp left = factors.left;
  const int64_t bytes =
                    llvm::divideCeil(left.getType().getIntOrFloatBitWidth(), 8),
                stride =
                    llvm::AbsoluteValue(schedule.getAnalysis()
                                            .getLinear(left.getIndex())
                                            .getCoefficient(factors.depth)) *
                    bytes,
                lines = factors.depth.getLargestExtent() * target.lineBytes;
  return stride < target.prefetchReach || lines < target.l1Bytes / 2 ||
         lines < getLeastStage(stride, target.lineBytes);
}

/// Whether the caches hold few of the lines of the left factor, of which there
/// is one for each of \p depth positions.
bool Heuristic::hasManyLines(Factors factors, int64_t depth, RangeOp columns) {
  LoadOp left = factors.left;
  const int64_t bytes =
                    llvm::divideCeil(left.getType().getIntOrFloatBitWidth(), 8),
                stride = schedule.getAnalysis()
                             .getLinear(left.getIndex())
                             .getCoefficient(factors.depth);
  return tg::hasManyLines(
      depth, llvm::AbsoluteValue(stride) * bytes,
      std::min(factors.rows.getLargestExtent(), columns.getLargestExtent()),
      target);
}

/// Whether the depth was divided into passes since the caches hold few of the
/// lines of the left factor, so that it has to be packed.
bool Heuristic::isDividedForLines(Factors factors, RangeOp columns) {
  return passes && packsManyLines(target) &&
         hasManyLines(factors,
                      passes.getLargestExtent() *
                          factors.depth.getLargestExtent(),
                      columns);
}

namespace {
/// How rows are divided: the rows of a register tile, the tiles of a group, and
/// the groups of a share.
struct Division {
  int64_t rows, tiles, groups;
  int64_t getGroup() const { return rows * tiles; }
  int64_t getShare() const { return rows * tiles * groups; }
};
} // namespace

/// Divides \p extent rows so that shares have at least \p least of them, and
/// the fewest rows are computed past the end; a few groups more if that saves a
/// part of all rows.
static Division divideRows(int64_t extent, int64_t mostRows, int64_t mostTiles,
                           int64_t least) {
  Division best = {mostRows, mostTiles, extent};
  int64_t leastLost = std::numeric_limits<int64_t>::max();
  for (int64_t rows = mostRows; rows >= mostRows - kFewerRows; --rows)
    for (int64_t tiles = mostTiles; tiles > mostTiles / 2; --tiles) {
      Division division = {rows, tiles, 1};
      const auto fewest =
          static_cast<int64_t>(llvm::divideCeil(least, division.getGroup()));
      for (int64_t groups = fewest;
           groups <= std::min(2 * fewest, fewest + kMoreGroups); ++groups) {
        division.groups = groups;
        const int64_t lost =
            static_cast<int64_t>(llvm::alignTo(extent, division.getShare())) -
            extent + (groups > fewest ? extent / kWorthFewerShares : 0);
        if (lost < leastLost) {
          best = division;
          leastLost = lost;
        }
      }
    }
  return best;
}

/// The length of the passes that run around the work items: so many positions
/// of all columns fit into their part of the second-level cache that both
/// factors are packed once. None if the factors are not packed, or if the depth
/// needs no passes, or has no such part, or if reading and writing the results
/// again would take longer.
std::optional<int64_t> Heuristic::getPassAroundItems(RangedReduceOp sum,
                                                     RangeOp columns) {
  if ((!waitsForColumns() && !packsManyLines(target)) || target.groupItems > 0)
    return std::nullopt;
  std::optional<Factors> factors = findTransposedFactors(sum, columns);
  if (!factors || schedule.getResultRanges().size() != 2 ||
      (!waitsForColumns() &&
       !hasManyLines(*factors, factors->depth.getLargestExtent(), columns)))
    return std::nullopt;
  const int64_t bytes =
                    llvm::divideCeil(sum.getType().getIntOrFloatBitWidth(), 8),
                rows = factors->rows.getLargestExtent(),
                width = columns.getLargestExtent(),
                depth = factors->depth.getLargestExtent();
  if (rows > kMostResultBytes / (width * bytes) || width < kLeastBlock ||
      rows < kLeastShares * kLeastTiles *
                 (target.vectorRegisters / kVectors - kFewerRows))
    return std::nullopt;
  const auto count =
      static_cast<int64_t>(llvm::alignTo(width, kVectors * getNumLanes()));
  const int64_t longest = target.l2Bytes / kColumnsPart / (count * bytes);
  if (depth <= longest)
    return std::nullopt;
  for (int64_t passes = llvm::divideCeil(depth, longest);
       depth / passes >= kLeastPass; ++passes)
    if (depth % (passes * kPassUnit) == 0)
      return depth / passes;
  return std::nullopt;
}

bool Heuristic::tileTransposed(ArrayRef<RangedReduceOp> reduces, RangeOp lane) {
  if (reduces.size() != 1)
    return false;
  RangedReduceOp reduce = reduces[0];
  std::optional<Factors> factors = findTransposedFactors(reduce, lane);
  if (!factors)
    return false;
  // Passes around the work items are for factors that are packed.
  if (waitsForColumns() ? !runsAroundItems && doLinesStay(*factors)
                        : !isDividedForLines(*factors, lane))
    return false;
  RangeOp rows = factors->rows, depth = factors->depth;
  const int64_t extent = rows.getLargestExtent(),
                count = kVectors * getNumLanes(),
                tileBytes =
                    depth.getLargestExtent() * kVectors * target.vectorBytes;
  // The rest hold columns and a row that is broadcast.
  const int64_t mostRows = (target.vectorRegisters - kVectors - 1) / kVectors;
  const auto tiles =
      static_cast<int64_t>(llvm::divideCeil(lane.getLargestExtent(), count));
  int64_t tileCount =
      std::min(target.l2Bytes / kColumnsPart / tileBytes, tiles);
  while (tileCount > 1 && tiles % tileCount != 0)
    --tileCount;
  if (mostRows <= kFewerRows || tileCount * count < kLeastBlock ||
      extent < kLeastTiles * mostRows)
    return false;
  int64_t items = tiles / tileCount;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range == rows || range == lane || range == passes)
      continue;
    // The columns would be packed again for each of its positions.
    if (rows->isBeforeInBlock(range))
      return false;
    items *= range.getLargestExtent();
  }
  const int64_t padded = static_cast<int64_t>(llvm::PowerOf2Ceil(mostRows)),
                rowBytes = llvm::divideCeil(
                    reduce.getType().getIntOrFloatBitWidth(), 8),
                mostTiles = std::min(
                    target.l2Bytes / kRowsPart /
                        (depth.getLargestExtent() * padded * rowBytes),
                    runsAroundItems ? kMostTilesOfPass
                                    : std::numeric_limits<int64_t>::max());
  if (mostTiles < 1)
    return false;
  const int64_t fewestItems =
      target.parallelItems /
      (passes && !runsAroundItems ? kItemsPartOfPasses : kItemsPart);
  const Division division = divideRows(
      extent, mostRows, std::min(mostTiles, extent / mostRows),
      std::max<int64_t>(llvm::divideCeil(extent * items, fewestItems),
                        kLeastTiles * mostRows));

  report("block columns", lane, tileCount * count);
  auto [blocks, block] = schedule.split(lane, tileCount * count);
  auto [tilesOfBlock, inTile] = addLanes(block, count);
  if (rows->isBeforeInBlock(blocks))
    schedule.moveBefore(blocks, rows);
  report("share", rows, division.getShare());
  rows = schedule.split(rows, division.getShare()).second;
  report("group", rows, division.getGroup());
  auto [groups, group] = schedule.split(rows, division.getGroup());
  report("unroll", group, division.rows);
  auto [outer, inner] = schedule.split(group, division.rows);
  schedule.setKind(inner, RangeKind::unroll);
  if (tilesOfBlock->isBeforeInBlock(groups))
    schedule.moveBefore(groups, tilesOfBlock);
  if (tilesOfBlock->isBeforeInBlock(outer))
    schedule.moveBefore(outer, tilesOfBlock);
  if (runsAroundItems)
    schedule.moveBefore(passes, schedule.getRanges().front());
  else if (passes)
    schedule.moveBefore(passes, groups);
  packBlock(reduce, tilesOfBlock, inTile);
  report("stage", depth,
         depth.getLargestExtent() * padded * division.tiles * rowBytes);
  // Rows of the tile are whole vectors.
  auto [tile, copies] =
      schedule.stage(factors->left.getResult(), {outer, depth, inner}, padded);
  schedule.setKind(copies[2], RangeKind::loop);
  schedule.setKind(schedule.split(copies[2], padded).second, RangeKind::upcast);
  // The rows of a group are neighbors in memory.
  schedule.moveBefore(copies[1], copies[0]);
  unrollDepth(reduces);
  // The next tile of results, which the next pass reads again.
  if (runsAroundItems)
    for (auto store : schedule.getKernel().getBody().getOps<StoreOp>())
      if (store.getUpdate())
        schedule.setPrefetch(store, count);
  parallelize(groups);
  return true;
}
