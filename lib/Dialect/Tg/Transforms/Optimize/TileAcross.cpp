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

#include "Across.h"
#include "Heuristic.h"
#include "llvm/Support/MathExtras.h"
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
/// How many times slower than the second-level cache the next one is.
constexpr int64_t kSlowerCache = 8;
/// The fewest columns of a tile of three vectors of lanes. With fewer, a step
/// of the sum has too few products for its scalar instructions.
constexpr int64_t kLeastOfThree = 8;
/// More columns of a tile leave registers for one vector of lanes, whose blocks
/// compute windows more often than those of several vectors of fewer columns.
constexpr int64_t kMaxTileColumns = 16;

/// The number of ranges of a reduction's tile, and of what fills it.
constexpr size_t kRangesOfTile = 5;

/// Collects the reductions that depend on the columns. All of them must consist
/// of loads and elementwise operations, and each gets a tile.
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
  return !reduces.empty() &&
         schedule.hasRoomFor(kRangesOfTile * reduces.size());
}

/// The values of a reduction that are constant along \p across and vary along
/// \p along: these are broadcast to the lanes.
SmallVector<Value> Across::findBroadcast(RangedReduceOp reduce, RangeOp along,
                                         RangeOp across) {
  SmallVector<Value> values;
  llvm::SetVector<Operation *> slice = schedule.getSlice(reduce.getValue());
  for (Operation *op : slice) {
    if (!KernelSchedule::fitsTile(op->getResult(0).getType()) ||
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
    if (llvm::MulOverflow(depth, range.getLargestExtent(), depth) ||
        depth > kShortDepth)
      return false;
  return true;
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

/// Whether some columns leave out products with padding, by branches.
bool Across::skipsColumns() {
  return llvm::any_of(reduces, [&](RangedReduceOp reduce) {
    return llvm::any_of(findBroadcast(reduce, columns, lane), [&](Value value) {
      auto load = value.getDefiningOp<LoadOp>();
      return load &&
             llvm::any_of(schedule.findSkippable(reduce, load, columns, lane),
                          [&](Value condition) {
                            return schedule.dependsOn(condition, columns);
                          });
    });
  });
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

/// The innermost range of a reduction, a part of the window along the columns,
/// if there are registers for all elements that the columns of a tile share, or
/// null. Unrolled, each element is broadcast once, it is known which products
/// are padding, and there are fewer scalar instructions.
RangeOp Across::findSharingRange(RangedReduceOp reduce, RangeOp along) {
  if (!target.sharedPorts)
    return RangeOp();
  const SmallVector<RangeOp> closed = getClosedRanges(reduce);
  RangeOp range = closed.back();
  const int64_t extent = range.getLargestExtent(),
                vectors = llvm::divideCeil(laneCount, width);
  if (range.isSymbolic() || range.getPeel() ||
      range.getKind() != RangeKind::loop || extent < 2 ||
      extent > kMaxUnrolled || columnCount * extent > kMaxCopies)
    return RangeOp();
  int64_t used = columnCount * vectors + vectors;
  for (Value value : findBroadcast(reduce, along, inner)) {
    auto window = schedule.findWindow(value, along, closed);
    if (!window)
      return RangeOp();
    auto *part = llvm::find_if(window->parts,
                               [&](auto &it) { return it.first == range; });
    if (part == window->parts.end())
      return RangeOp();
    used += std::min((columnCount - 1) * window->stride +
                         part->second * (extent - 1) + 1,
                     columnCount * extent);
  }
  return used <= target.vectorRegisters ? range : RangeOp();
}

/// Whether the tile may take all rows along \p range: their windows are shared,
/// and little of them is padding, unless the padding is omitted.
bool Across::isTileRow(RangedReduceOp reduce, RangeOp range) {
  if (!schedule.dependsOn(reduce, range))
    return false;
  // What is packed must be the same for all rows.
  for (Operation *op : schedule.getSlice(reduce.getValue()))
    if (isa<LoadOp>(op) && schedule.dependsOn(op->getResult(0), lane) &&
        schedule.dependsOn(op->getResult(0), range))
      return false;
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
    int64_t bytes =
        llvm::divideCeil(reduce.getType().getIntOrFloatBitWidth(), 8);
    for (Value range : reduce.getRanges())
      bytes *= range.getDefiningOp<RangeOp>().getLargestExtent();
    depth = std::max(depth, bytes);
  }
  int64_t positions = 1, others = 1;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range != lane)
      positions *= range.getLargestExtent();
    if (range != lane && range != columns && range != passes)
      others *= range.getLargestExtent();
  }
  const bool hasWindow = llvm::any_of(reduces, [&](RangedReduceOp reduce) {
    return llvm::any_of(findBroadcast(reduce, columns, lane), [&](Value value) {
      return findWindow(value, reduce, columns).has_value();
    });
  });
  auto getItems = [&](int64_t lanes) -> int64_t {
    if (passes)
      return others * llvm::divideCeil(channels, lanes);
    return std::max<int64_t>(positions / kMinPerItem, 1) *
           llvm::divideCeil(channels, lanes);
  };
  const bool mustUnroll =
      tileRow && !findUnrolled(reduces.front(), extent).empty();
  // Each vector of lanes is loaded once, each column broadcast in turn. Wide
  // tiles pay for a register too many where each column takes a branch, or
  // broadcasts from far away.
  const bool isTight = hasWindow && !skipsColumns();
  const bool areCostly = hasWindow && areWindowsCostly();
  int64_t least = std::numeric_limits<int64_t>::max(), best = 0;
  for (int64_t vectors : {1, 2, 3, 4}) {
    // A processor that multiplies as fast as it loads waits for a tile of one
    // vector. Three are copies of the body.
    if (vectors == 3 && (!waitsForColumns(target) || tileRow || passes ||
                         channels % (vectors * width) != 0))
      continue;
    if (vectors > 1 && (depth * width * vectors > getMostPackedBytes() ||
                        width * (vectors - 1) >= channels))
      break;
    const int64_t operands = isTight ? vectors + 1 : 0;
    for (int64_t count = std::min(registers / vectors, extent);
         count >= (vectors == 3 ? kLeastOfThree
                   : tileRow    ? extent
                                : 1);
         --count) {
      int64_t passes = llvm::divideCeil(extent, count) *
                       llvm::divideCeil(channels, vectors * width);
      int64_t used = count * vectors;
      if ((mustUnroll ? countRegisters(count, vectors) : used + operands) >
          target.vectorRegisters)
        continue;
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
  // So it is for the passes of a long sum: each block reads the other factor.
  const int64_t enough =
      areCostly || passes ? 2 * kFewItems : target.parallelItems / 2;
  blockCount = laneCount;
  auto mayShare = [&](int64_t times) {
    const int64_t count = times * blockCount;
    return channels % count == 0 && count <= kMaxBlockVectors * width &&
           count * depth <= getMostPackedBytes() && getItems(count) >= enough;
  };
  while ((hasWindow || passes) && mayShare(2))
    blockCount *= 2;
  // Processors that wait for columns have tiles of three vectors for this.
  if (hasWindow && !passes && !tileRow && !waitsForColumns(target) &&
      mayShare(3))
    blockCount *= 3;
  return columnCount > 0;
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
    if (items >= target.parallelItems || extent <= 1 || range == passes)
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

/// Whether the products of a block of lanes wait for what they broadcast, which
/// they read from where it is: the second-level cache holds the part of one
/// position of \p images, but not all of it, so that each of the \p blocks
/// would read it from a slower one.
bool Across::isReadAgain(RangeOp images, RangeOp blocks) {
  if (!waitsForColumns(target) || blocks.isSymbolic() || images.isSymbolic() ||
      blocks.getLargestExtent() < 2 || images.getLargestExtent() < 2)
    return false;
  int64_t bytes = 0, products = 0;
  for (RangedReduceOp reduce : reduces) {
    for (Value value : findBroadcast(reduce, columns, lane)) {
      auto load = value.getDefiningOp<LoadOp>();
      if (!load || load.getMask() ||
          load.getBuffer().getDefiningOp<BarrierOp>() ||
          !schedule.dependsOn(load.getResult(), images))
        return false;
      bytes += cast<MemRefType>(load.getBuffer().getType()).getNumElements() *
               llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
    }
    int64_t count = llvm::divideCeil(blockCount, width);
    for (RangeOp range : getClosedRanges(reduce))
      count *= range.getLargestExtent();
    for (RangeOp range : schedule.getResultRanges())
      if (range != lane && range != blocks)
        count *= range.getLargestExtent();
    products += count;
  }
  return bytes > target.l2Bytes &&
         bytes / images.getLargestExtent() <= target.l2Bytes &&
         bytes * kSlowerCache > products * target.l2BytesPerProduct;
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
      !schedule.dependsOn(reduces.front(), range) ||
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
  if (count == 1)
    return;
  reportStep(schedule, "block", range, count);
  auto [blocks, inBlock] = schedule.split(range, count);
  if (result.reusedAlong == range)
    result.reusedAlong = blocks;
  neighbours = inBlock;
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
  RangeOp images = schedule.getResultRanges()[1];
  if (images->isBeforeInBlock(result.reusedAlong) &&
      isReadAgain(images, blocks))
    schedule.moveBefore(images, blocks);
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
                                         int64_t fewestPositions, bool mayTurn,
                                         RangeOp passes) {
  return Across(schedule, columns, width, fewestPositions, mayTurn, passes)
      .run();
}
