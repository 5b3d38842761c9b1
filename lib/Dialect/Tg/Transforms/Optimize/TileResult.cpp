//===- TileResult.cpp - several results at once in registers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of tg-optimize-kernels that keep results of a reduction in a
/// register tile, and that stage the operands which such tiles reuse.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "TileAcross.h"
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace mlir::tg;

/// An operand is staged if at least this many positions of a loop reuse it, if
/// its rows are about a page apart, and if it is neither small enough for the
/// L1 cache anyway nor too large for the L2 cache.
constexpr int64_t kMinUses = 8;
/// Typical associativity of an L1 cache: 8 on most processors, up to 12.
constexpr int64_t kWays = 8;
/// Operands packed for lanes across the columns are reused at least at
/// kMinPositions positions.
constexpr int64_t kMinPositions = 32;
/// The same where most lanes along the columns would be idle.
constexpr int64_t kFewPositions = 8;
/// Minimum number of rows that reuse a tile transposed while it is filled.
constexpr int64_t kMinRows = 16;
/// Operands are packed for other lanes if more than one of so many lanes along
/// the columns is idle; the first number is for processors on which packed
/// operands come slowly (256 channels to 128 at 28x28: 1.2 times as fast).
constexpr int64_t kOftenWasted = 12, kSeldomWasted = 20;
/// Products of a vector in the time that it takes to transpose a vector of
/// results. On a Zen 4, 3x3 convolutions of one channel to 8, 32 and 64 take
/// 0.35 to 0.6 of the time with lanes along 26 columns, a 5x5 one with 24
/// columns (6.25 products are wasted) 0.66; with 6.75 it is 1.06.
constexpr double kTransposedResults = 6.5;
/// Storing a result that is strided along the lanes costs less than reading
/// this many strided elements.
constexpr int64_t kMinDepth = 4;
/// With fewer columns, neither lanes along them nor across them are full.
constexpr int64_t kFewColumns = 8;
/// Accumulators that hide the latency of the arithmetic units. With fewer,
/// products with at least 16 tiles of rows are faster if some rows are left
/// over (on AVX2 with 12 instead of 8, 512x512x512: 1.10 times; with 12 instead
/// of 10, 1000x1000x1000: 1.04 times).
constexpr int64_t kBusyAccumulators = 12, kManyTiles = 16;
/// Register tiles narrower than this many cache lines form blocks of this width
/// if the rows that they broadcast exceed the L2 cache: each column of tiles
/// reads them again (1.05 to 1.15 times for 2048x2048x2048 on AVX2, with one
/// and two threads).
constexpr int64_t kBlockLines = 4;
/// The size of a factor that is broadcast from memory again and again, relative
/// to the L2 cache (2048 positions of 2048 columns: 0.6 times as fast as lanes
/// along these).
constexpr int64_t kMostBroadcast = 4;
/// Prefetch distance in the rows of a matrix that is packed, in bytes.
constexpr int64_t kPackedBytesAhead = 8 << 10;
/// Short ranges of a reduce are unrolled up to this many copies of the body.
constexpr int64_t kMaxWindow = 8, kMaxCopies = 256;

bool tg::isMultiple(RangeOp range, int64_t count) {
  return Dim::get(DimOpKind::mod, range.getExtentDim(),
                  Dim(range.getContext(), count))
      .is(0);
}

/// Whether a load of a reduce that is strided along `lane`, but contiguous
/// along the reduced range, can be transposed while a tile is filled: enough
/// rows of the result must reuse it.
bool Heuristic::isTransposable(LoadOp load, RangedReduceOp reduce,
                               RangeOp lane) {
  if (load.getMask() || reduce.getRanges().size() != 1 ||
      !KernelSchedule::fitsTile(load.getType()))
    return false;
  auto depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
  const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
  if (index.getCoefficient(depth) != 1 ||
      index.getCoefficient(lane) < kSquare ||
      depth.getLargestExtent() < kSquare || lane.getLargestExtent() < kSquare ||
      depth.getLargestExtent() * 4 * target.vectorBytes > target.l2Bytes)
    return false;
  return llvm::any_of(schedule.getResultRanges(), [&](RangeOp rows) {
    return rows != lane && rows.getLargestExtent() >= kMinRows &&
           schedule.dependsOn(reduce, rows) &&
           !schedule.dependsOn(load.getResult(), rows);
  });
}

/// How many values \p reduce adds up for a result.
static int64_t getDepth(RangedReduceOp reduce) {
  int64_t depth = 1;
  for (Value range : reduce.getRanges())
    depth *= range.getDefiningOp<RangeOp>().getLargestExtent();
  return depth;
}

/// The longest result range along which everything that the reduces read is
/// contiguous or constant, if they read enough per result to justify a strided
/// store.
RangeOp Heuristic::findReadLane(ArrayRef<RangedReduceOp> reduces) {
  RangeOp lane;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range.getLargestExtent() <
            (lane ? lane.getLargestExtent() + 1 : getNumLanes()) ||
        !schedule.admitsLanes(range))
      continue;
    if (llvm::all_of(reduces, [&](RangedReduceOp reduce) {
          return getDepth(reduce) >= kMinDepth &&
                 schedule.dependsOn(reduce, range) &&
                 countStrided(range, reduce) == 0;
        }))
      lane = range;
  }
  return lane;
}

/// Lanes along \p columns that are not full are wasted; packing operands for
/// lanes along another range costs as much as about kPackedPositions positions,
/// and the results are transposed, for which sums of few values (\p depth) are
/// too short. Returns how many positions must reuse the operands to make up for
/// that; 0 if no number does.
int64_t Heuristic::getPositionsToPackFor(RangeOp columns, int64_t width,
                                         int64_t depth) const {
  const int64_t extent = columns.getLargestExtent();
  const int64_t count = fitLanes(extent, 4 * width, width);
  const int64_t filled =
      llvm::divideCeil(extent, count) * llvm::divideCeil(count, width) * width;
  const int64_t wasted = filled - extent;
  const int64_t times = waitsForColumns() ? kOftenWasted : kSeldomWasted;
  return columns.isSymbolic() || wasted * times < filled ||
                 static_cast<double>(depth * wasted) <
                     kTransposedResults * static_cast<double>(filled)
             ? 0
             : std::max<int64_t>(
                   llvm::divideCeil(kPackedPositions * extent, wasted),
                   2 * wasted > filled ? kFewPositions : kMinPositions);
}

/// Makes a tile with lanes across the columns, if some range suits.
bool Heuristic::tileAcrossColumns(RangeOp columns, int64_t fewestPositions,
                                  bool mayTurn) {
  std::optional<AcrossTile> tile = tileAcross(schedule, columns, getNumLanes(),
                                              fewestPositions, mayTurn, passes);
  if (!tile)
    return false;
  parallelize(tile->reusedAlong, tile->checks);
  return true;
}

/// Register tile: a reduce whose operands are reused along result ranges
/// computes several results at once. Returns whether work items were chosen
/// too.
bool Heuristic::tileResult() {
  // Tiles change the order in which results are stored.
  if (schedule.hasOrderedUpdate())
    return false;
  RangeOp lane = chooseResultLane();
  int64_t width = getNumLanes();
  // The rest hold operands.
  int64_t registers = target.vectorRegisters * 3 / 4;
  SmallVector<RangedReduceOp> reduces;
  for (auto reduce : schedule.getKernel().getBody().getOps<RangedReduceOp>())
    reduces.push_back(reduce);
  if (reduces.empty())
    return false;
  // What is reduced is contiguous, but too short to fill lanes (a row of a
  // window).
  if (!lane)
    if (RangeOp columns = chooseResultLane(std::numeric_limits<int64_t>::max());
        columns && !hasLaneConflict(columns)) {
      divideDepth(columns);
      if (tileAcrossColumns(columns, kMinPositions, /*mayTurn=*/true))
        return true;
    }
  // Lanes along the result are strided, and so are those along what is reduced.
  if (!lane && llvm::any_of(reduces, [&](RangedReduceOp reduce) {
        return countStrided(reduce.getRanges().back().getDefiningOp<RangeOp>(),
                            reduce) > 0;
      }))
    lane = findReadLane(reduces);
  if (!lane || !schedule.admitsLanes(lane))
    return false;
  // The reduces computed per lane.
  SmallVector<RangedReduceOp> perLane;
  for (RangedReduceOp reduce : reduces)
    if (schedule.dependsOn(reduce, lane))
      perLane.push_back(reduce);
  if (perLane.empty())
    return false;
  divideDepth(lane);
  if (tileTransposed(perLane, lane))
    return true;
  const bool isStrided = llvm::any_of(perLane, [&](RangedReduceOp reduce) {
    return countStrided(lane, reduce) > 0;
  });
  // Few columns do not fill lanes: the results are interleaved.
  RangeOp readLane;
  if (isStrided && lane.getLargestExtent() < kFewColumns)
    readLane = findReadLane(perLane);
  SmallVector<LoadOp> turned;
  for (RangedReduceOp reduce : perLane)
    for (Operation *op : schedule.getSlice(reduce.getValue()))
      if (auto load = dyn_cast<LoadOp>(op);
          !readLane && load && isTransposable(load, reduce, lane))
        turned.push_back(load);
  // Transposing the results takes less than transposing their operands. A row
  // tile uses a part of each cache line of rows that are strided; packed, they
  // are read once.
  int64_t depth = 1;
  for (RangedReduceOp reduce : perLane)
    depth = std::max(depth, getDepth(reduce));
  int64_t fewest = getPositionsToPackFor(lane, width, depth);
  if (isStrided || !turned.empty() || rereadsLines(perLane, lane))
    fewest = kMinPositions;
  else if (fewest == 0 && slidesAlong(perLane, lane))
    fewest = kMinPositions;
  if (fewest != 0 && !readLane)
    if (tileAcrossColumns(lane, fewest,
                          /*mayTurn=*/isStrided || turned.empty()))
      return true;
  if (isStrided)
    if (RangeOp other = readLane ? readLane : findReadLane(perLane)) {
      lane = other;
      turned.clear();
    }
  registers = std::max<int64_t>(registers / perLane.size(), 2);

  // Another result range along which some load is constant, so that a tile
  // loads it once.
  RangeOp rows;
  SmallVector<RangeOp> candidates = schedule.getResultRanges();
  for (RangeOp range : llvm::reverse(candidates)) {
    if (range == lane || range.getLargestExtent() < 2)
      continue;
    bool dependsAll = llvm::all_of(perLane, [&](RangedReduceOp reduce) {
      return schedule.dependsOn(reduce, range);
    });
    bool reuses = false;
    for (auto load : schedule.getKernel().getBody().getOps<LoadOp>())
      reuses |= schedule.dependsOn(load.getResult(), lane) &&
                !schedule.dependsOn(load.getResult(), range);
    if (dependsAll && reuses) {
      rows = range;
      break;
    }
  }

  // Only a tile makes up for strided lanes.
  if (!turned.empty() && !rows)
    return false;

  int64_t extent = lane.getLargestExtent();
  int64_t count = fitLanes(extent, 4 * width, width);
  if (rows && prefersNarrowTile(perLane, rows, lane, count))
    count = 2 * width;
  int64_t laneRegisters = llvm::divideCeil(count, width);
  int64_t rowCount = 1, most = 1;
  if (rows) {
    most = std::min<int64_t>(registers / laneRegisters, 8);
    if (most < kFewRows && laneRegisters > 2) {
      count = 2 * width;
      laneRegisters = 2;
      most = std::min<int64_t>(registers / laneRegisters, 8);
    }
    rowCount = std::min(most, rows.getLargestExtent());
    // Leave no rows over, unless they cost little compared with too few
    // accumulators.
    const bool isLong = rows.getLargestExtent() >= kManyTiles * most &&
                        most * laneRegisters >= kBusyAccumulators;
    for (int64_t candidate = rowCount;
         candidate >= std::min<int64_t>(kFewRows, rowCount); --candidate)
      if (isMultiple(rows, candidate) &&
          (candidate * laneRegisters >= kBusyAccumulators || !isLong)) {
        rowCount = candidate;
        break;
      }
  }
  const int64_t tileCount =
      rowCount > 1 && turned.empty()
          ? countTilesOfBlock(perLane, rows, lane, count, rowCount)
          : 1;
  if (tileCount > 1) {
    tileBlocks(perLane, rows, lane, count, rowCount, tileCount);
    return true;
  }
  const bool readsPanel =
      rowCount > 1 && readsPanels(perLane, rows, lane, count);
  if (readsPanel)
    rowCount = fitRows(rows.getLargestExtent(), rowCount, most);
  auto [columns, inColumn] = addLanes(lane, count);
  if (!rows && columns) {
    // Nothing is reused; several rows at once keep the memory busy.
    int64_t copies = std::min<int64_t>(registers / laneRegisters, 4);
    while (copies > 1 && !isMultiple(columns, copies))
      --copies;
    if (copies > 1 && !columns.getPeel()) {
      report("unroll", columns, copies);
      schedule.setKind(schedule.split(columns, copies).second,
                       RangeKind::unroll);
    }
  }
  unrollWindows(perLane, rowCount * laneRegisters);
  if (rowCount <= 1)
    return false;
  // Rows that are left over are those of a share: whole tiles could not be
  // divided among work items. A thread that computes several shares fills the
  // tile of columns once.
  RangeOp shares;
  if (readsPanel && !isMultiple(rows, rowCount)) {
    int64_t items = 1;
    for (RangeOp range : schedule.getResultRanges())
      if (range != rows && range != inColumn)
        items *= range.getLargestExtent();
    if (const int64_t share = getShare(rows, items, rowCount);
        share < rows.getLargestExtent()) {
      report("share", rows, share);
      std::tie(shares, rows) = schedule.split(rows, share);
    }
  }
  report("unroll", rows, rowCount);
  auto [outer, inner] = schedule.split(rows, rowCount);
  schedule.setKind(inner, RangeKind::unroll);
  // The columns of a tile stay in a cache while the rows pass over them.
  RangeOp first = shares ? shares : outer;
  if (columns && first->isBeforeInBlock(columns))
    schedule.moveBefore(columns, first);
  if (passes)
    schedule.moveBefore(passes, outer);
  const bool isStaged =
      inColumn && stageColumns(perLane, outer, inColumn, turned);
  unrollDepth(perLane);
  if (!isStaged)
    return false;
  parallelize(shares ? outer : shareRows(outer, columns ? columns : outer));
  return true;
}

/// How many rows a share has if the rows are divided among work items, of which
/// there are \p items without that: a divisor of the number of rows, and a
/// multiple of \p unit if that number is one.
int64_t Heuristic::getShare(RangeOp rows, int64_t items, int64_t unit) {
  const int64_t count = rows.getLargestExtent(),
                step = isMultiple(rows, unit) ? unit : 1;
  int64_t share = llvm::alignTo(
      std::max<int64_t>(llvm::divideCeil(count * items, target.parallelItems),
                        2 * kMinUses * unit),
      step);
  while (share < count && !isMultiple(rows, share))
    share += step;
  return std::min(share, count);
}

/// How many register tiles side by side form a block, which reuses rows while
/// they are in a cache: 1 if wider blocks would not help, or would leave too
/// few work items.
int64_t Heuristic::countTilesOfBlock(ArrayRef<RangedReduceOp> reduces,
                                     RangeOp rows, RangeOp lane, int64_t count,
                                     int64_t rowCount) {
  // Each reduction gets a tile of three ranges.
  if (rows.isSymbolic() || lane.isSymbolic() || count <= 1 ||
      rows.getLargestExtent() < kMinUses * rowCount ||
      !schedule.hasRoomFor(3 * reduces.size()))
    return 1;
  // The bytes that all rows broadcast, and the bytes of the columns that a
  // register tile uses.
  int64_t rowBytes = 0, tileBytes = 0;
  // A transposed factor comes from as many places as there are summands.
  bool isTransposed = false;
  for (RangedReduceOp reduce : reduces) {
    if (reduce.getRanges().size() != 1)
      return 1;
    auto depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
    int64_t packed = 0;
    for (Operation *op : schedule.getSlice(reduce.getValue())) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load || !schedule.dependsOn(load.getResult(), depth))
        continue;
      const bool onRows = schedule.dependsOn(load.getResult(), rows);
      const int64_t bytes =
          depth.getLargestExtent() *
          llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
      if (schedule.dependsOn(load.getResult(), lane)) {
        if (onRows || !isFar(load, depth, lane, count, rows))
          return 1;
        ++packed;
        tileBytes += count * bytes;
      } else if (onRows) {
        rowBytes += rows.getLargestExtent() * bytes;
        isTransposed |= schedule.getAnalysis()
                            .getLinear(load.getIndex())
                            .getCoefficient(rows) == 1;
      }
    }
    if (packed != 1)
      return 1;
  }
  if (rowBytes <= target.l2Bytes)
    return 1;
  const int64_t tiles = llvm::divideCeil(lane.getLargestExtent(), count);
  int64_t others = 1;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range == rows || range == lane)
      continue;
    // A block would be packed again for each position of this range.
    if (rows->isBeforeInBlock(range))
      return 1;
    others *= range.getLargestExtent();
  }
  const int64_t tileWidth =
      llvm::divideCeil(count, getNumLanes()) * target.vectorBytes;
  // The packed columns take half of the L2 cache.
  const int64_t most = target.l2Bytes / 2 / tileBytes;
  for (int64_t tileCount =
           isTransposed
               ? most
               : std::min(kBlockLines * target.lineBytes / tileWidth, most);
       tileCount > 1; --tileCount) {
    if (tiles % tileCount != 0)
      continue;
    const int64_t items = others * (tiles / tileCount);
    const int64_t shares =
        rows.getLargestExtent() / getShare(rows, items, rowCount);
    if (items * shares * 2 >= target.parallelItems)
      return tileCount;
  }
  return 1;
}

/// Blocks of register tiles side by side:
///
///   for each block of columns                            (in parallel)
///     for each share of the rows                         (in parallel)
///       packed = the columns of the block, one tile's after the other
///       for a few rows at a time
///         for each tile of the block
///           sums[rows][columns] += rows, broadcast, * packed
///
/// A thread that computes several consecutive shares packs the columns once.
void Heuristic::tileBlocks(ArrayRef<RangedReduceOp> reduces, RangeOp rows,
                           RangeOp lane, int64_t count, int64_t rowCount,
                           int64_t tileCount) {
  report("block columns", lane, tileCount * count);
  auto [blocks, block] = schedule.split(lane, tileCount * count);
  auto [tiles, inTile] = addLanes(block, count);
  if (rows->isBeforeInBlock(blocks))
    schedule.moveBefore(blocks, rows);
  int64_t items = 1;
  for (RangeOp range : schedule.getResultRanges())
    if (range != rows && range != tiles && range != inTile)
      items *= range.getLargestExtent();
  if (const int64_t share = getShare(rows, items, rowCount);
      share < rows.getLargestExtent()) {
    report("share", rows, share);
    rows = schedule.split(rows, share).second;
  }
  report("unroll", rows, rowCount);
  auto [outer, inner] = schedule.split(rows, rowCount);
  schedule.setKind(inner, RangeKind::unroll);
  if (tiles->isBeforeInBlock(outer))
    schedule.moveBefore(outer, tiles);
  if (passes)
    schedule.moveBefore(passes, outer);
  for (RangedReduceOp reduce : reduces)
    packBlock(reduce, tiles, inTile);
  for (RangedReduceOp reduce : reduces)
    prefetchRowTile(reduce, outer);
  parallelize(outer);
}

/// Packs the operands that differ between the columns of a block, the lanes of
/// one tile after those of the other.
void Heuristic::packBlock(RangedReduceOp reduce, RangeOp tiles, RangeOp lane) {
  auto depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
  LoadOp load;
  for (Operation *op : schedule.getSlice(reduce.getValue()))
    if (isa<LoadOp>(op) && schedule.dependsOn(op->getResult(0), lane) &&
        schedule.dependsOn(op->getResult(0), depth))
      load = cast<LoadOp>(op);
  // Another reduction has already packed it.
  if (load.getBuffer().getDefiningOp<BarrierOp>())
    return;
  const int64_t rowBytes =
      tiles.getLargestExtent() * lane.getLargestExtent() *
      llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
  report("stage", depth, depth.getLargestExtent() * rowBytes);
  auto [tile, copies] = schedule.stage(load, {tiles, depth, lane});
  // Read the rows one after the other, each contiguously.
  schedule.moveBefore(copies[1], copies[0]);
  StageOp stage = KernelSchedule::getStage(tile);
  auto read = stage.getValue().getDefiningOp<LoadOp>();
  const int64_t ahead = std::max<int64_t>(kPackedBytesAhead / rowBytes, 1);
  const int64_t stride = schedule.getAnalysis()
                             .getLinear(read.getIndex())
                             .getCoefficient(copies[1]);
  if (stride <= kMaxBufferSize / ahead)
    schedule.setPrefetch(read, ahead * stride);
}

/// The first tile of a block reads rows, which the others find in a cache,
/// faster than the hardware prefetches them. Therefore prefetches the next rows
/// meanwhile, once per cache line.
void Heuristic::prefetchRowTile(RangedReduceOp reduce, RangeOp rows) {
  // Other reductions over the same range have been here.
  if (reduce.getRanges().size() != 1)
    return;
  auto depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
  SmallVector<LoadOp> loads;
  int64_t perLine = target.lineBytes;
  for (Operation *op : schedule.getSlice(reduce.getValue()))
    if (auto load = dyn_cast<LoadOp>(op)) {
      const LinearForm &index =
          schedule.getAnalysis().getLinear(load.getIndex());
      const int64_t stride = index.getCoefficient(rows);
      if (index.getCoefficient(depth) != 1 || stride <= 0 ||
          stride > kMaxBufferSize)
        continue;
      loads.push_back(load);
      perLine = std::min<int64_t>(
          perLine,
          target.lineBytes /
              llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8));
    }
  int64_t step = perLine;
  while (step > perLine / 2 && !isMultiple(depth, step))
    --step;
  if (loads.empty() || step <= 1 || !isMultiple(depth, step))
    return;
  for (LoadOp load : loads)
    schedule.setPrefetch(
        load,
        schedule.getAnalysis().getLinear(load.getIndex()).getCoefficient(rows));
  schedule.split(depth, step);
}

/// If tiles are too few to keep many cores busy, divides the rows that pass
/// over a tile into shares, each with its own copy. Returns the rows of a
/// share.
RangeOp Heuristic::shareRows(RangeOp rows, RangeOp columns) {
  if (rows.isSymbolic())
    return rows;
  int64_t items = 1;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range == rows)
      break;
    items *= range.getLargestExtent();
  }
  const int64_t count = rows.getLargestExtent();
  int64_t share = std::max<int64_t>(
      llvm::divideCeil(count * items, target.parallelItems), 2 * kMinUses);
  while (share < count && !isMultiple(rows, share))
    ++share;
  if (share >= count || rows.getPeel())
    return rows;
  report("share", rows, share);
  auto [outer, inner] = schedule.split(rows, share);
  if (columns->isBeforeInBlock(outer))
    schedule.moveBefore(outer, columns);
  return inner;
}

/// Unrolls short ranges that a reduce closes and that masks of its loads depend
/// on, such as the window of a convolution. The lane masks of each position are
/// then computed before the loop over the other ranges.
void Heuristic::unrollWindows(ArrayRef<RangedReduceOp> reduces, int64_t tile) {
  for (RangedReduceOp reduce : reduces) {
    llvm::SetVector<Operation *> slice = schedule.getSlice(reduce.getValue());
    int64_t copies = tile;
    for (Value value : llvm::reverse(reduce.getRanges())) {
      auto range = value.getDefiningOp<RangeOp>();
      bool isInMask = llvm::any_of(slice, [&](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        return load && load.getMask() &&
               schedule.dependsOn(load.getMask(), range);
      });
      int64_t extent = range.getLargestExtent();
      if (!isInMask || range.getKind() != RangeKind::loop ||
          range.isSymbolic() || extent > kMaxWindow ||
          copies * extent > kMaxCopies)
        continue;
      copies *= extent;
      report("unroll", range, extent);
      schedule.setKind(range, RangeKind::unroll);
    }
  }
}

/// The number of bytes from which rows of `length` bytes, `stride` apart, are
/// worth a tile: the L1 cache, less what other operands take of it, would not
/// hold them (51 KB are read as fast without a tile, 64 KB a tenth slower). It
/// holds fewer if the stride shares a large divisor with the size of a way, so
/// that the rows map to few of its sets: a product of 2048x64 and 64x4096 takes
/// 11.0 instead of 15.1 ms with a tile of 16 KB.
int64_t Heuristic::getLeastStage(int64_t stride, int64_t length) {
  const int64_t way = target.l1Bytes / kWays,
                places = way / std::gcd(stride, way);
  const int64_t usable = std::min<int64_t>(
      way,
      places * (llvm::divideCeil(length, target.lineBytes) * target.lineBytes));
  return std::max(kWays * usable * 7 / 4, target.l1Bytes / 4);
}

/// Whether what the reduces broadcast to lanes along \p lane is contiguous
/// along another result range and strided along the depth (a transposed
/// factor), so that the next rows use the same cache lines, which are not in
/// the L1 cache any more. With lanes along those rows, the other factor is
/// broadcast instead: it must not be too far away.
bool Heuristic::rereadsLines(ArrayRef<RangedReduceOp> reduces, RangeOp lane) {
  bool isReread = false;
  for (RangedReduceOp reduce : reduces) {
    if (reduce.getRanges().size() != 1)
      return false;
    auto depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
    for (Operation *op : schedule.getSlice(reduce.getValue())) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load)
        continue;
      const LinearForm &index =
          schedule.getAnalysis().getLinear(load.getIndex());
      const int64_t bytes =
          llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
      if (schedule.dependsOn(load.getResult(), lane)) {
        if (depth.getLargestExtent() * lane.getLargestExtent() * bytes >
            kMostBroadcast * target.l2Bytes)
          return false;
        continue;
      }
      const int64_t stride =
          llvm::AbsoluteValue(index.getCoefficient(depth)) * bytes;
      const int64_t lines = depth.getLargestExtent() * target.lineBytes;
      isReread |= stride >= target.prefetchReach &&
                  lines >= target.l1Bytes / 2 &&
                  lines >= getLeastStage(stride, target.lineBytes) &&
                  llvm::any_of(schedule.getResultRanges(), [&](RangeOp range) {
                    return index.getCoefficient(range) == 1;
                  });
    }
  }
  return isReread;
}

/// Whether a reduction adds up products over windows that slide along \p lane
/// (a convolution), for which lanes along the columns are slow: they select
/// among the products, or fill one vector of a tile, so that the rows of a tile
/// are too few accumulators.
bool Heuristic::slidesAlong(ArrayRef<RangedReduceOp> reduces, RangeOp lane) {
  if (lane.isSymbolic())
    return false;
  const int64_t width = getNumLanes();
  const bool isNarrow =
      fitLanes(lane.getLargestExtent(), 4 * width, width) <= width;
  return llvm::any_of(reduces, [&](RangedReduceOp reduce) {
    if (!isNarrow && !reduce.getValue().getDefiningOp<WhereOp>())
      return false;
    const SmallVector<RangeOp> closed = getClosedRanges(reduce);
    return llvm::any_of(
        schedule.getSlice(reduce.getValue()), [&](Operation *op) {
          auto load = dyn_cast<LoadOp>(op);
          if (!load || !schedule.dependsOn(load.getResult(), lane))
            return false;
          auto window = schedule.findWindow(load.getResult(), lane, closed);
          return window && !window->parts.empty();
        });
  });
}

/// Whether a tile of \p count columns of what the load reads, reused along \p
/// rows, pays off: its rows are on different pages, and their cache lines do
/// not stay in the L1 cache.
bool Heuristic::isFar(LoadOp load, RangeOp depth, RangeOp lane, int64_t count,
                      RangeOp rows) {
  const int64_t bytes =
      llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
  const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
  const int64_t stride = index.getCoefficient(depth) * bytes;
  const int64_t length = count * bytes, extent = depth.getLargestExtent();
  return KernelSchedule::fitsTile(load.getType()) &&
         index.getCoefficient(lane) == 1 && stride >= target.prefetchReach &&
         extent * static_cast<int64_t>(llvm::alignTo(
                      length, static_cast<uint64_t>(target.lineBytes))) >=
             getLeastStage(stride, length) &&
         extent * length <= target.l2Bytes &&
         rows.getLargestExtent() >=
             (waitsForColumns() ? kMinUsesIfSlow : kMinUses);
}

/// Copies operands whose rows are on different pages, or that are strided along
/// the lanes, to a tile before the rows of the result pass over it. Returns
/// whether there are any.
bool Heuristic::stageColumns(ArrayRef<RangedReduceOp> reduces, RangeOp rows,
                             RangeOp lane, ArrayRef<LoadOp> turned) {
  bool isStaged = false;
  for (RangedReduceOp reduce : reduces) {
    if (reduce.getRanges().size() != 1)
      continue;
    auto depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
    for (Operation *op : schedule.getSlice(reduce.getValue())) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load || schedule.dependsOn(load.getResult(), rows) ||
          !schedule.dependsOn(load.getResult(), lane))
        continue;
      int64_t bytes =
          llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
      int64_t size = depth.getLargestExtent() * lane.getLargestExtent() * bytes;
      bool isTurned = llvm::is_contained(turned, load);
      if (!isTurned && !isFar(load, depth, lane, lane.getLargestExtent(), rows))
        continue;
      // Those of the tile, and those of its squares.
      if (!schedule.hasRoomFor(4))
        return isStaged;
      report(isTurned ? "stage transposed" : "stage", depth, size);
      auto [tile, copies] = schedule.stage(load, {depth, lane});
      if (isTurned) {
        int64_t square = std::min(kSquare, getNumLanes());
        RangeOp inDepth = schedule.split(copies[0], square).second;
        schedule.setKind(inDepth, RangeKind::unroll);
        auto [across, inSquare] = schedule.split(copies[1], square);
        schedule.setKind(across, RangeKind::loop);
        schedule.setKind(inSquare, RangeKind::upcast);
      }
      isStaged = true;
      break;
    }
  }
  return isStaged;
}
