//===- TileAcross.cpp - tiles whose lanes are not stored together ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses the lanes and the size of a register tile by counting instructions,
/// and schedules the reductions of a kernel accordingly.
///
//===----------------------------------------------------------------------===//

#include "TileAcross.h"
#include "Heuristic.h"
#include <numeric>

using namespace mlir;
using namespace mlir::tg;

/// With so few parallel work items, some cores are certainly idle.
constexpr int64_t kFewItems = 4;
/// Minimum number of positions of a work item that reuse packed operands.
constexpr int64_t kMinPerItem = 192;
/// Number of accumulators that hides the latency of the arithmetic units.
constexpr int64_t kBusyRegisters = 8;
/// Maximum number of lane vectors that share windows; more would save little.
constexpr int64_t kMaxBlockVectors = 8;
/// Reductions of up to this many elements need no tile.
constexpr int64_t kShortDepth = 16;
/// Ranges of a reduction of up to this many positions are unrolled, in up to
/// this many copies of the body. Padding around more positions is a small part
/// of them.
constexpr int64_t kMaxUnrolled = 8, kMaxCopies = 144, kManyPositions = 7;
/// More columns of a tile leave registers for one vector of lanes, whose blocks
/// compute windows more often than those of several vectors of fewer columns.
constexpr int64_t kMaxTileColumns = 16;
/// Prefetch distances: bytes for windows of other channels, elements for what
/// is packed.
constexpr int64_t kWindowBytesAhead = 4 << 10, kPackedAhead = 64;

namespace {

class Across {
public:
  Across(KernelSchedule &schedule, RangeOp columns, int64_t width,
         int64_t fewestPositions, bool mayTurn)
      : schedule(schedule), target(schedule.getTarget()), columns(columns),
        width(width), registers(target.vectorRegisters - 4),
        fewestPositions(fewestPositions), mayTurn(mayTurn) {}

  std::optional<AcrossTile> run();

private:
  /// Maximum size of packed operands, which stay in the L2 cache.
  int64_t getMostPackedBytes() const { return target.l2Bytes * 7 / 8; }
  /// Maximum size of a tile of windows, which shares the L2 cache with packed
  /// operands. A tile that all work items share, so that a thread fills it
  /// once, may be larger.
  int64_t getMostWindowBytes() const { return target.l2Bytes * 5 / 16; }
  int64_t getMostSharedBytes() const { return target.l2Bytes / 2; }
  bool collectReduces();
  bool isSplitBy(RangedReduceOp reduce, RangeOp candidate);
  static bool isShort(RangedReduceOp reduce);
  SmallVector<Value> findBroadcast(RangedReduceOp reduce, RangeOp along,
                                   RangeOp across);
  int64_t getLaneCount(int64_t extent);
  int64_t getBytes(Value value, RangedReduceOp reduce,
                   const KernelSchedule::Window &window);
  std::optional<KernelSchedule::Window>
  findWindow(Value value, RangedReduceOp reduce, RangeOp along);
  int64_t getItemBytes(Value value, RangedReduceOp reduce);
  bool areWindowsCostly();
  bool chooseLane();
  /// The accumulators of a tile, and its operands.
  static int64_t countRegisters(int64_t columns, int64_t vectors) {
    return columns * vectors + columns + vectors;
  }
  SmallVector<RangeOp> findUnrolled(RangedReduceOp reduce, int64_t copies);
  bool isTileRow(RangedReduceOp reduce, RangeOp range);
  void chooseTileRow();
  bool chooseTile();
  void moveOutside();
  RangedReduceOp stageReduce(RangedReduceOp reduce);
  std::optional<KernelSchedule::Window>
  findRowWindow(Value value, RangedReduceOp reduce, RangeOp rows,
                const KernelSchedule::Window &inColumns);
  void prefetch(Value tile, RangeOp along, int64_t positions);
  bool isDecided(LoadOp load, RangedReduceOp reduce, RangeOp along);
  void stageWindows(RangedReduceOp reduce, RangeOp along);
  void pack(RangedReduceOp reduce);
  void mergeNeighbours(RangedReduceOp reduce);
  RangeOp shareRows();
  void groupRows();
  void findNeighbours();
  void mergeResults();
  void prefetchResults();

  KernelSchedule &schedule;
  const TargetFacts &target;
  RangeOp columns, lane;
  /// Result positions whose windows are computed together; null if each row
  /// computes its own.
  RangeOp row;
  /// Another result range whose positions are all in a register tile, with all
  /// columns; null if a tile has columns of one row.
  RangeOp tileRow;
  /// The positions of a range before the lanes whose results, in the tiles of
  /// several sums, are neighbors in memory; null if there are none.
  RangeOp neighbours;
  int64_t width;
  /// Vector registers for accumulators. The others hold lanes of one operand;
  /// the other operand is broadcast from memory.
  int64_t registers;
  int64_t fewestPositions;
  bool mayTurn;
  SmallVector<RangedReduceOp> reduces;
  /// Short reductions that depend on the columns too, but get no tile.
  SmallVector<RangedReduceOp> unsplit;
  /// Lanes and columns of a tile, and the lanes that share windows: those of
  /// one tile or of several.
  int64_t laneCount = 0, columnCount = 0, blockCount = 0;
  AcrossTile result;
  /// The lanes within a reduction, and the tiles of a block if there are
  /// several.
  RangeOp inner, tiles;
  /// Ranges that a reduction unrolls.
  DenseMap<Operation *, SmallVector<RangeOp>> unrolled;
  /// Reductions that skip padding.
  DenseSet<Operation *> skipping;
};

} // namespace

/// Collects the reductions that depend on the columns. All of them must consist
/// of loads and elementwise operations.
bool Across::collectReduces() {
  for (auto reduce : schedule.getKernel().getBody().getOps<RangedReduceOp>()) {
    if (!schedule.dependsOn(reduce, columns))
      continue;
    for (Operation *op : schedule.getSlice(reduce.getValue()))
      for (Value operand : op->getOperands())
        if (operand.getDefiningOp<RangedReduceOp>() ||
            operand.getDefiningOp<BarrierOp>() ||
            operand.getDefiningOp<StageOp>())
          return false;
    reduces.push_back(reduce);
  }
  return !reduces.empty();
}

/// The values of a reduction that are constant along \p across and vary along
/// \p along: these are broadcast to the lanes.
SmallVector<Value> Across::findBroadcast(RangedReduceOp reduce, RangeOp along,
                                         RangeOp across) {
  SmallVector<Value> values;
  llvm::SetVector<Operation *> slice = schedule.getSlice(reduce.getValue());
  for (Operation *op : slice) {
    Type type = op->getResult(0).getType();
    if (type.isIndex() || type.isInteger(1) ||
        schedule.dependsOn(op->getResult(0), across) ||
        !schedule.dependsOn(op->getResult(0), along))
      continue;
    if (llvm::any_of(op->getUsers(), [&](Operation *user) {
          return user == reduce ||
                 (slice.contains(user) &&
                  schedule.dependsOn(user->getResult(0), across));
        }))
      values.push_back(op->getResult(0));
  }
  return values;
}

static bool isPart(const KernelSchedule::Window &window, RangeOp range) {
  return llvm::any_of(window.parts,
                      [&](auto &part) { return part.first == range; });
}

/// The number of lanes with which a window of this extent is computed.
int64_t Across::getLaneCount(int64_t extent) {
  return std::min<int64_t>(width,
                           llvm::PowerOf2Ceil(static_cast<uint64_t>(extent)));
}

/// The size in bytes of a tile with the windows of one row.
int64_t Across::getBytes(Value value, RangedReduceOp reduce,
                         const KernelSchedule::Window &window) {
  int64_t bytes = llvm::alignTo(window.extent, getLaneCount(window.extent)) *
                  llvm::divideCeil(value.getType().getIntOrFloatBitWidth(), 8);
  for (RangeOp range : getClosedRanges(reduce))
    if (schedule.dependsOn(value, range) && !isPart(window, range))
      bytes *= range.getLargestExtent();
  return bytes;
}

/// The window of a broadcast value, if computing it once with its own lanes
/// pays off: there is a mask to evaluate, or an operation.
std::optional<KernelSchedule::Window>
Across::findWindow(Value value, RangedReduceOp reduce, RangeOp along) {
  auto load = value.getDefiningOp<LoadOp>();
  if (load && !load.getMask())
    return std::nullopt;
  auto window = schedule.findWindow(value, along, getClosedRanges(reduce));
  if (!window || getBytes(value, reduce, *window) > getMostWindowBytes())
    return std::nullopt;
  return window;
}

/// The window of the same value along the rows, if it takes other ranges of the
/// reduction than the window along the columns.
std::optional<KernelSchedule::Window>
Across::findRowWindow(Value value, RangedReduceOp reduce, RangeOp rows,
                      const KernelSchedule::Window &inColumns) {
  if (!rows || !schedule.dependsOn(value, rows))
    return std::nullopt;
  auto window = schedule.findWindow(value, rows, getClosedRanges(reduce));
  if (!window || window->parts.empty() ||
      llvm::any_of(window->parts,
                   [&](auto &part) { return isPart(inColumns, part.first); }))
    return std::nullopt;
  return window;
}

/// Whether every load of the reduction depends linearly on at most one of the
/// columns and the candidate, and loads of either kind are reused along the
/// other range.
bool Across::isSplitBy(RangedReduceOp reduce, RangeOp candidate) {
  if (!schedule.dependsOn(reduce, candidate))
    return false;
  bool isPacked = false;
  for (Operation *op : schedule.getSlice(reduce.getValue())) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load)
      continue;
    const bool onColumns = schedule.dependsOn(load.getResult(), columns);
    const bool onLane = schedule.dependsOn(load.getResult(), candidate);
    if (onColumns && onLane)
      return false;
    if (!onColumns && !onLane)
      continue;
    const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
    for (auto [atom, coefficient] : index.terms)
      if (!atom.getDefiningOp<RangeOp>() || !coefficient.isStatic())
        return false;
    if (!onLane)
      continue;
    if (load.getMask() || (!mayTurn && index.getCoefficient(candidate) != 1))
      return false;
    isPacked = true;
    // Count the result positions that reuse a packed element.
    int64_t positions = 1;
    for (RangeOp range : schedule.getResultRanges())
      if (!schedule.dependsOn(load.getResult(), range))
        positions *= range.getLargestExtent();
    int64_t bytes =
        width * llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
    for (Value range : reduce.getRanges())
      bytes *= range.getDefiningOp<RangeOp>().getLargestExtent();
    if (positions < fewestPositions || bytes > getMostPackedBytes())
      return false;
  }
  if (!isPacked)
    return false;
  SmallVector<Value> values = findBroadcast(reduce, columns, candidate);
  return !values.empty() && llvm::all_of(values, [&](Value value) {
    return value.getDefiningOp<LoadOp>() ||
           findWindow(value, reduce, columns).has_value();
  });
}

/// Whether a reduction adds up so few elements that it may stay with what
/// follows the tiles.
bool Across::isShort(RangedReduceOp reduce) {
  int64_t depth = 1;
  for (RangeOp range : getClosedRanges(reduce))
    depth *= range.getLargestExtent();
  return depth <= kShortDepth;
}

bool Across::chooseLane() {
  for (RangeOp range : schedule.getResultRanges()) {
    if (range == columns || range.isSymbolic() || range.getPeel() ||
        range.getKind() != RangeKind::loop ||
        range.getLargestExtent() < std::min<int64_t>(width, 8))
      continue;
    SmallVector<RangedReduceOp> split, others;
    for (RangedReduceOp reduce : reduces)
      (isSplitBy(reduce, range) ? split : others).push_back(reduce);
    if (!split.empty() && llvm::all_of(others, isShort)) {
      reduces = split;
      unsplit = others;
      lane = range;
      return true;
    }
  }
  return false;
}

/// The bytes of windows that a small work item stages.
int64_t Across::getItemBytes(Value value, RangedReduceOp reduce) {
  auto inColumns = findWindow(value, reduce, columns);
  if (!inColumns)
    return 0;
  int64_t bytes = getBytes(value, reduce, *inColumns);
  RangeOp rows;
  for (RangeOp range : schedule.getResultRanges())
    if (range != lane && range != columns)
      rows = range;
  if (!rows)
    return bytes;
  const int64_t extent = rows.getLargestExtent();
  const int64_t count = std::min<int64_t>(
      llvm::divideCeil(kMinPerItem, columns.getLargestExtent()), extent);
  auto inRows = findRowWindow(value, reduce, rows, *inColumns);
  if (!inRows)
    return bytes * count;
  for (auto [range, dilation] : inRows->parts)
    bytes /= range.getLargestExtent();
  return bytes * (inRows->extent - inRows->stride * (extent - count));
}

/// Whether a work item stages more bytes of windows than it packs for two
/// vectors of lanes.
bool Across::areWindowsCostly() {
  int64_t windows = 0, packed = 0;
  for (RangedReduceOp reduce : reduces) {
    int64_t bytes =
        2 * width *
        llvm::divideCeil(reduce.getType().getIntOrFloatBitWidth(), 8);
    for (RangeOp range : getClosedRanges(reduce))
      bytes *= range.getLargestExtent();
    packed += bytes;
    for (Value value : findBroadcast(reduce, columns, lane))
      windows += getItemBytes(value, reduce);
  }
  return windows > packed;
}

/// The innermost ranges of a reduction that are unrolled with \p copies of the
/// result, so that it is known which products are padding. Most elements of a
/// window are then used by several positions in turn, so there must be a
/// register for each.
SmallVector<RangeOp> Across::findUnrolled(RangedReduceOp reduce,
                                          int64_t copies) {
  SmallVector<RangeOp> unrolled;
  if (countRegisters(copies, 1) > target.vectorRegisters)
    return unrolled;
  const SmallVector<RangeOp> closed = getClosedRanges(reduce);
  for (RangeOp range : llvm::reverse(closed)) {
    const int64_t extent = range.getLargestExtent();
    if (range.isSymbolic() || range.getPeel() ||
        range.getKind() != RangeKind::loop || extent > kMaxUnrolled ||
        copies * extent > kMaxCopies)
      break;
    copies *= extent;
    unrolled.push_back(range);
  }
  return unrolled;
}

/// Whether the tile may take all rows along \p range: their windows are shared,
/// and little of them is padding, unless the padding is omitted.
bool Across::isTileRow(RangedReduceOp reduce, RangeOp range) {
  const SmallVector<RangeOp> unrolled = findUnrolled(
      reduce, range.getLargestExtent() * columns.getLargestExtent());
  auto isMostlyInside = [&](Value value, RangeOp along,
                            const KernelSchedule::Window &window) {
    auto load = value.getDefiningOp<LoadOp>();
    return !load || along.getLargestExtent() >= kManyPositions ||
           llvm::all_of(window.parts, [&](auto part) {
             return part.first.getLargestExtent() >= kManyPositions ||
                    llvm::is_contained(unrolled, part.first);
           });
  };
  return llvm::all_of(findBroadcast(reduce, columns, lane), [&](Value value) {
    // Other loads are broadcast from where they are.
    if (auto load = value.getDefiningOp<LoadOp>(); load && !load.getMask())
      return true;
    auto inColumns = findWindow(value, reduce, columns);
    if (!inColumns || !isMostlyInside(value, columns, *inColumns))
      return false;
    auto inRows = findRowWindow(value, reduce, range, *inColumns);
    return inRows && isMostlyInside(value, range, *inRows);
  });
}

/// A few columns (the window of a convolution, in the gradient of its weights)
/// leave most registers idle, and each of their rows would read what is packed
/// again. Takes all rows into the tile if they fit.
void Across::chooseTileRow() {
  // The copies of several reductions would multiply.
  if (reduces.size() > 1 || !unsplit.empty())
    return;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range == lane || range == columns || !range->isBeforeInBlock(columns) ||
        range.isSymbolic() || range.getPeel() ||
        range.getKind() != RangeKind::loop || range.getLargestExtent() < 2 ||
        range.getLargestExtent() * columns.getLargestExtent() >
            std::min(registers, kMaxTileColumns))
      continue;
    if (isTileRow(reduces.front(), range))
      tileRow = range;
  }
}

/// Chooses the tile with the least work, in registers of lanes times columns:
/// each step of a reduction takes an instruction per accumulator, or per load
/// if there are more loads.
bool Across::chooseTile() {
  const int64_t rows = tileRow ? tileRow.getLargestExtent() : 1;
  int64_t extent = columns.getLargestExtent() * rows,
          channels = lane.getLargestExtent();
  int64_t depth = 1;
  for (RangedReduceOp reduce : reduces) {
    int64_t bytes = 4;
    for (Value range : reduce.getRanges())
      bytes *= range.getDefiningOp<RangeOp>().getLargestExtent();
    depth = std::max(depth, bytes);
  }
  int64_t positions = 1;
  for (RangeOp range : schedule.getResultRanges())
    if (range != lane)
      positions *= range.getLargestExtent();
  const bool hasWindow = llvm::any_of(reduces, [&](RangedReduceOp reduce) {
    return llvm::any_of(findBroadcast(reduce, columns, lane), [&](Value value) {
      return findWindow(value, reduce, columns).has_value();
    });
  });
  auto getItems = [&](int64_t lanes) -> int64_t {
    return std::max<int64_t>(positions / kMinPerItem, 1) *
           llvm::divideCeil(channels, lanes);
  };
  const bool mustUnroll =
      tileRow && !findUnrolled(reduces.front(), extent).empty();
  const bool areCostly = hasWindow && areWindowsCostly();
  int64_t least = std::numeric_limits<int64_t>::max(), best = 0;
  for (int64_t vectors : {1, 2, 4}) {
    if (vectors > 1 && (depth * width * vectors > getMostPackedBytes() ||
                        width * (vectors - 1) >= channels))
      break;
    for (int64_t count = std::min(registers / vectors, extent);
         count >= (tileRow ? extent : 1); --count) {
      int64_t passes = llvm::divideCeil(extent, count) *
                       llvm::divideCeil(channels, vectors * width);
      if (mustUnroll && countRegisters(count, vectors) > target.vectorRegisters)
        continue;
      int64_t used = count * vectors;
      int64_t work = passes * std::max({used, count + vectors, kBusyRegisters});
      if (work > least || (work == least && used <= best))
        continue;
      least = work;
      best = used;
      laneCount = vectors * width;
      columnCount = count / rows;
    }
  }
  // Each block of lanes computes the windows again, so blocks of several tiles
  // are best if there are enough of them. Fewer suffice where the windows cost
  // more than packing.
  const int64_t enough = areCostly ? 2 * kFewItems : target.parallelItems / 2;
  blockCount = laneCount;
  while (hasWindow && channels % (2 * blockCount) == 0 &&
         2 * blockCount <= kMaxBlockVectors * width &&
         2 * blockCount * depth <= getMostPackedBytes() &&
         getItems(2 * blockCount) >= enough)
    blockCount *= 2;
  return columnCount > 0;
}

/// Moves all ranges but lanes and columns outside of the tile: what its
/// reductions depend on must not change while it is stored.
void Across::moveOutside() {
  for (RangeOp range : schedule.getResultRanges())
    if (range != lane && range != columns && range != tileRow &&
        !range->isBeforeInBlock(lane) &&
        llvm::any_of(reduces, [&](RangedReduceOp reduce) {
          return schedule.dependsOn(reduce, range);
        }))
      schedule.moveBefore(range, lane);
}

/// Keeps the sums of a block of lanes and a row of columns in a tile that is
/// contiguous along the columns.
RangedReduceOp Across::stageReduce(RangedReduceOp reduce) {
  int64_t blocks = llvm::divideCeil(columns.getLargestExtent(), columnCount);
  SmallVector<RangeOp> over{lane, columns};
  if (neighbours)
    over = {neighbours, tileRow, columns, lane};
  else if (tileRow)
    over = {lane, tileRow, columns};
  auto [tile, copies] =
      schedule.stage(reduce.getResult(), over, neighbours ? 1 : columnCount);
  auto stage =
      tile.getDefiningOp<BarrierOp>().getTile().getDefiningOp<StageOp>();
  if (neighbours)
    std::rotate(copies.begin(), std::prev(copies.end()), copies.end());
  inner = copies.front();
  tiles = RangeOp();
  RangeOp along = copies.back();
  if (tileRow) {
    row = copies[copies.size() - 2];
    reportStep(schedule, "unroll", row, row.getLargestExtent());
    blocks *= row.getLargestExtent();
  }
  reportStep(schedule, "stage", along, blockCount * blocks * columnCount);
  if (blockCount > laneCount)
    std::tie(tiles, inner) = schedule.split(inner, laneCount);
  schedule.setKind(inner, RangeKind::upcast);
  auto staged = stage.getValue().getDefiningOp<RangedReduceOp>();
  if (tileRow) {
    unrolled[staged] =
        findUnrolled(staged, row.getLargestExtent() * along.getLargestExtent());
    // Which rows of a window are padding is known only if they are unrolled.
    for (Value value : findBroadcast(staged, along, inner)) {
      const auto inColumns = findWindow(value, staged, along),
                 inRows = inColumns
                              ? findRowWindow(value, staged, row, *inColumns)
                              : std::nullopt;
      if (inRows && row.getKind() != RangeKind::unroll &&
          llvm::any_of(inRows->parts, [&](auto part) {
            return !llvm::is_contained(unrolled[staged], part.first);
          }))
        schedule.setKind(row, RangeKind::unroll);
    }
  }
  stageWindows(staged, along);
  if (tileRow && row.getKind() != RangeKind::unroll)
    schedule.setKind(row, RangeKind::unroll);
  reportStep(schedule, "unroll", along, columnCount);
  schedule.setKind(schedule.split(along, columnCount).second,
                   RangeKind::unroll);
  return staged;
}

/// Tiles are filled in pieces too short for the hardware prefetcher: prefetches
/// what comes \p positions later \p along.
void Across::prefetch(Value tile, RangeOp along, int64_t positions) {
  auto stage =
      tile.getDefiningOp<BarrierOp>().getTile().getDefiningOp<StageOp>();
  for (Operation *op : schedule.getSlice(stage.getValue()))
    if (auto load = dyn_cast<LoadOp>(op)) {
      const int64_t stride = schedule.getAnalysis()
                                 .getLinear(load.getIndex())
                                 .getCoefficient(along);
      if (stride > 0 && stride <= kMaxBufferSize / positions)
        schedule.setPrefetch(load, stride * positions);
    }
}

/// Whether it is known in each copy of the body if the load is masked, so that
/// the element is broadcast from where it is.
bool Across::isDecided(LoadOp load, RangedReduceOp reduce, RangeOp along) {
  if (!tileRow)
    return false;
  auto it = unrolled.find(reduce);
  return llvm::all_of(KernelSchedule::getSlice(load.getMask()),
                      [&](Operation *op) {
                        auto range = dyn_cast<RangeOp>(op);
                        return range ? range == row || range == along ||
                                           llvm::is_contained(it->second, range)
                                     : !isa<DimOp, LoadOp>(op);
                      });
}

/// Computes broadcast values once for all columns of one or several rows, and
/// their windows, with lanes along the columns.
void Across::stageWindows(RangedReduceOp reduce, RangeOp along) {
  for (Value value : findBroadcast(reduce, along, inner)) {
    auto inColumns = findWindow(value, reduce, along);
    if (!inColumns)
      continue;
    SmallVector<RangeOp> ranges{along};
    if (findRowWindow(value, reduce, row, *inColumns))
      ranges.insert(ranges.begin(), row);
    SmallVector<RangeOp> skipped{along};
    if (tileRow && row.getKind() != RangeKind::unroll)
      skipped.insert(skipped.begin(), row);
    const bool canSkip =
        !tileRow || llvm::all_of(inColumns->parts, [&](auto part) {
          return llvm::is_contained(unrolled[reduce], part.first);
        });
    auto load = value.getDefiningOp<LoadOp>();
    if (load && canSkip && schedule.skipMasked(reduce, load, skipped, inner))
      skipping.insert(reduce);
    if (load && isDecided(load, reduce, along))
      continue;
    // The number of elements per position of the other ranges.
    int64_t size = 1, lanes = 1;
    for (RangeOp range : ranges) {
      const int64_t extent =
          schedule.findWindow(value, range, getClosedRanges(reduce))->extent;
      reportStep(schedule, "stage window", range, extent);
      lanes = getLaneCount(extent);
      size *= range == along ? llvm::alignTo(extent, lanes) : extent;
    }
    const Type type = value.getType();
    auto [tile, copies] = schedule.stageWindows(value, reduce, ranges, lanes);
    // Prefetch the same place a few channels ahead: channels are far apart.
    const int64_t bytes =
        llvm::divideCeil(type.getIntOrFloatBitWidth(), 8) * size;
    if (copies.size() > ranges.size())
      prefetch(tile, copies.front(),
               std::max<int64_t>(kWindowBytesAhead / bytes, 2));
    if (lanes > 1) {
      RangeOp lane = schedule.split(copies.back(), lanes).second;
      schedule.setKind(lane, RangeKind::upcast);
    }
  }
}

/// Packs operands that differ between lanes into tiles that are contiguous
/// along the lanes, by transposing squares in registers if they are contiguous
/// along the reduced range.
void Across::pack(RangedReduceOp reduce) {
  // Packing a load erases the operations that only it used.
  SmallVector<LoadOp> loads;
  for (Operation *op : schedule.getSlice(reduce.getValue()))
    if (auto load = dyn_cast<LoadOp>(op);
        load && schedule.dependsOn(load.getIndex(), inner))
      loads.push_back(load);
  for (LoadOp load : loads) {
    SmallVector<RangeOp> over;
    for (Value value : reduce.getRanges())
      if (auto range = value.getDefiningOp<RangeOp>();
          schedule.dependsOn(load.getResult(), range))
        over.push_back(range);
    // The tiles of a block have separate parts, unless squares cross their
    // ends.
    const int64_t square = std::min({kSquare, width, laneCount});
    bool isExact = true;
    int64_t depth = 1;
    for (RangeOp range : llvm::reverse(over)) {
      depth *= range.getLargestExtent();
      isExact &= depth < square || depth % square == 0;
    }
    if (tiles)
      over.insert(isExact ? over.begin() : over.end(), tiles);
    over.push_back(inner);
    int64_t size = 1;
    for (RangeOp range : over)
      size *= range.getLargestExtent();
    reportStep(schedule, "pack", over.front(), size);
    auto [tile, copies] = schedule.stage(load, over);
    RangeOp lanes = copies.pop_back_val();
    if (tiles)
      copies.erase(isExact ? copies.begin() : std::prev(copies.end()));
    if (copies.empty())
      continue;
    prefetch(tile, copies.back(), kPackedAhead);
    // Merge neighboring ranges that are contiguous together.
    for (RangeOp copy : llvm::ArrayRef(copies).drop_front())
      schedule.moveBefore(copy, lanes);
    schedule.moveBefore(copies.front(), copies.size() > 1 ? copies[1] : lanes);
    while (copies.size() > 1 &&
           schedule.canMerge(copies[copies.size() - 2], copies.back())) {
      RangeOp last = copies.pop_back_val();
      copies.back() = schedule.merge(copies.back(), last);
    }
    // Between rows of a tile there is no room for the positions by which the
    // last square exceeds a range.
    const int64_t extent = copies.back().getLargestExtent();
    int64_t side = square;
    auto stage =
        tile.getDefiningOp<BarrierOp>().getTile().getDefiningOp<StageOp>();
    if (stage.getRanges().front() != copies.back())
      while (extent % side != 0)
        --side;
    if (extent >= square && side > 1)
      schedule.setKind(schedule.split(copies.back(), side).second,
                       RangeKind::unroll);
    auto [squares, inSquare] = schedule.split(lanes, square);
    schedule.setKind(squares, RangeKind::loop);
    schedule.setKind(inSquare, RangeKind::upcast);
  }
}

/// Merges ranges of a reduction over which both operands now advance alike.
/// (Windows stay loops: unrolled, they would share broadcast values, whose live
/// ranges exceed the registers.)
void Across::mergeNeighbours(RangedReduceOp reduce) {
  bool changed = true;
  while (changed) {
    changed = false;
    SmallVector<Value> ranges(reduce.getRanges());
    for (size_t i = 0; i + 1 < ranges.size() && !changed; ++i) {
      auto outer = ranges[i].getDefiningOp<RangeOp>();
      auto inside = ranges[i + 1].getDefiningOp<RangeOp>();
      if (llvm::is_contained(unrolled[reduce], outer) ||
          llvm::is_contained(unrolled[reduce], inside) ||
          !schedule.canMerge(outer, inside))
        continue;
      schedule.merge(outer, inside);
      changed = true;
    }
  }
}

/// If blocks of lanes are too few to keep many cores busy, divides the rows
/// into shares as well, each with its own copy of the packed operands. Returns
/// the first range that is not divided.
RangeOp Across::shareRows() {
  SmallVector<RangeOp> rows;
  int64_t positions =
      columns.getLargestExtent() * (tileRow ? tileRow.getLargestExtent() : 1);
  for (RangeOp range : schedule.getResultRanges())
    if (range != lane && range != columns && range->isBeforeInBlock(lane))
      rows.push_back(range);
  int64_t items = rows.front().getLargestExtent();
  for (RangeOp range : llvm::ArrayRef(rows).drop_front())
    positions *= range.getLargestExtent();
  for (RangeOp range : llvm::ArrayRef(rows).drop_front()) {
    int64_t extent = range.getLargestExtent();
    if (items >= target.parallelItems || extent <= 1)
      return range;
    int64_t each = std::max<int64_t>(positions / extent, 1);
    if (each < kMinPerItem) {
      auto getShare = [&](int64_t fewestPositions, int64_t mostItems) {
        int64_t share =
            std::max<int64_t>(llvm::divideCeil(fewestPositions, each),
                              items * extent / mostItems);
        while (share < extent && extent % share != 0)
          ++share;
        return share;
      };
      int64_t share = getShare(kMinPerItem, target.parallelItems);
      // Packing twice costs less than idle cores.
      if (share >= extent && items < kFewItems)
        share = getShare(kMinPerItem / 4, kFewItems);
      if (share >= extent || range.isSymbolic())
        return range;
      reportStep(schedule, "share", range, share);
      return schedule.split(range, share).second;
    }
    items *= extent;
    positions = each;
  }
  return lane;
}

/// Windows of neighboring rows overlap too: groups as many rows as fit into the
/// caches with their windows.
void Across::groupRows() {
  for (RangeOp range : schedule.getResultRanges())
    if (range->isBeforeInBlock(lane))
      row = range;
  if (row->isBeforeInBlock(result.reusedAlong) || row.isSymbolic() ||
      row.getPeel()) {
    row = RangeOp();
    return;
  }
  const int64_t extent = row.getLargestExtent();
  // Work items are blocks of channels of one image.
  const bool isShared =
      row == result.reusedAlong &&
      llvm::all_of(schedule.getResultRanges(), [&](RangeOp range) {
        return range == schedule.getResultRanges().front() || range == row ||
               !range->isBeforeInBlock(row) || range.getLargestExtent() == 1;
      });
  int64_t most = extent;
  bool hasWindow = false;
  for (RangedReduceOp reduce : reduces)
    for (Value value : findBroadcast(reduce, columns, lane)) {
      auto inColumns = findWindow(value, reduce, columns);
      if (!inColumns)
        continue;
      auto inRows = findRowWindow(value, reduce, row, *inColumns);
      if (!inRows)
        continue;
      hasWindow = true;
      int64_t bytes = getBytes(value, reduce, *inColumns);
      for (auto [range, dilation] : inRows->parts)
        bytes /= range.getLargestExtent();
      // The number of bytes for one row of the result, and for each further
      // one.
      const int64_t rows = std::max<int64_t>(getMostWindowBytes() / bytes, 1);
      const int64_t first = inRows->extent - inRows->stride * (extent - 1);
      if (isShared && inRows->extent * bytes <= getMostSharedBytes())
        continue;
      most = std::min(most, (rows - first) / inRows->stride + 1);
    }
  while (most > 1 && extent % most != 0)
    --most;
  if (!hasWindow || most <= 1) {
    row = RangeOp();
  } else if (most < extent) {
    reportStep(schedule, "group", row, most);
    auto [groups, inGroup] = schedule.split(row, most);
    if (result.reusedAlong == row)
      result.reusedAlong = groups;
    row = inGroup;
  }
}

/// The results of a tile are few neighbors in memory (the window of one pair of
/// channels), as often as there are lanes. Keeps those of several positions of
/// the range before (the other channels), so that whole vectors are stored.
void Across::findNeighbours() {
  RangeOp range;
  for (RangeOp other : schedule.getResultRanges())
    if (other->isBeforeInBlock(lane))
      range = other;
  const int64_t results =
      tileRow.getLargestExtent() * columns.getLargestExtent();
  if (range.isSymbolic() || range.getPeel() ||
      range->isBeforeInBlock(result.reusedAlong) ||
      llvm::any_of(schedule.getKernel().getBody().getOps<StoreOp>(),
                   [&](StoreOp store) {
                     const LinearForm &index =
                         schedule.getAnalysis().getLinear(store.getIndex());
                     return index.getCoefficient(columns) != 1 ||
                            index.getCoefficient(range) != results;
                   }))
    return;
  int64_t count = width / std::gcd(width, results);
  while (range.getLargestExtent() % count != 0)
    --count;
  reportStep(schedule, "block", range, count);
  auto [blocks, inBlock] = schedule.split(range, count);
  if (result.reusedAlong == range)
    result.reusedAlong = blocks;
  neighbours = inBlock;
}

/// Merges the ranges along which the results of tiles are neighbors.
void Across::mergeResults() {
  if (neighbours)
    schedule.moveBefore(neighbours, columns);
  schedule.moveBefore(tileRow, columns);
  if (!neighbours && !llvm::isPowerOf2_64(tileRow.getLargestExtent() *
                                          columns.getLargestExtent()))
    return;
  RangeOp merged = columns;
  for (RangeOp range : {tileRow, neighbours}) {
    if (!range || !schedule.canMerge(range, merged))
      return;
    merged = schedule.merge(range, merged);
  }
}

/// The results of a row are stored at once, to as many places as there are
/// lanes, which would wait for all of these cache lines: prefetches those of
/// the next row. Shorter rows mostly share a line with the previous row.
void Across::prefetchResults() {
  RangeOp last;
  for (RangeOp range : schedule.getResultRanges())
    if (range->isBeforeInBlock(lane))
      last = range;
  // Other channels belong to other work items.
  if (last == schedule.getResultRanges().front())
    return;
  for (auto store : schedule.getKernel().getBody().getOps<StoreOp>()) {
    const int64_t stride =
        schedule.getAnalysis().getLinear(store.getIndex()).getCoefficient(last);
    const auto bytes = static_cast<int64_t>(llvm::divideCeil(
        store.getValue().getType().getIntOrFloatBitWidth(), 8));
    if (!store.getUpdate() && stride >= target.lineBytes / bytes &&
        stride <= kMaxBufferSize)
      schedule.setPrefetch(store, stride);
  }
}

std::optional<AcrossTile> Across::run() {
  if (!collectReduces() || !chooseLane())
    return std::nullopt;
  chooseTileRow();
  if (!chooseTile())
    return std::nullopt;
  reportStep(schedule, "lanes across", lane, blockCount);
  auto [blocks, block] = schedule.split(lane, blockCount);
  lane = block;
  RangeOp first = schedule.getResultRanges().front();
  if (first != blocks)
    schedule.moveBefore(blocks, first);
  if (tileRow)
    schedule.moveBefore(tileRow, columns);
  schedule.moveBefore(lane, tileRow ? tileRow : columns);
  moveOutside();
  result.reusedAlong = shareRows();
  if (tileRow)
    findNeighbours();
  else
    groupRows();
  for (RangedReduceOp reduce : reduces) {
    RangedReduceOp staged = stageReduce(reduce);
    pack(staged);
    if (skipping.contains(staged)) {
      llvm::append_range(result.checks,
                         schedule.checkFinite(staged, inner, laneCount));
    }
    mergeNeighbours(staged);
    for (RangeOp range : unrolled[staged]) {
      reportStep(schedule, "unroll", range, range.getLargestExtent());
      schedule.setKind(range, RangeKind::unroll);
    }
  }
  // One, since the copies of several would multiply.
  if (unsplit.size() == 1)
    for (RangeOp range : getClosedRanges(unsplit.front()))
      if (range.getKind() == RangeKind::loop && !range.getPeel() &&
          !range.isSymbolic())
        schedule.setKind(range, RangeKind::unroll);
  if (tileRow)
    mergeResults();
  prefetchResults();
  return result;
}

std::optional<AcrossTile> tg::tileAcross(KernelSchedule &schedule,
                                         RangeOp columns, int64_t width,
                                         int64_t fewestPositions,
                                         bool mayTurn) {
  return Across(schedule, columns, width, fewestPositions, mayTurn).run();
}
