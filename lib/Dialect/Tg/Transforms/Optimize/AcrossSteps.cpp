//===- AcrossSteps.cpp - the steps of tiles with lanes across -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Applies what tileAcross() has chosen: tiles of results, of windows and of
/// packed operands.
///
//===----------------------------------------------------------------------===//

#include "Across.h"
#include "Heuristic.h"
#include "TinyGrad/Dialect/Tg/Utils/Strips.h"

using namespace mlir;
using namespace mlir::tg;

/// Prefetch distances: bytes for windows of other channels, elements for what
/// is packed.
constexpr int64_t kWindowBytesAhead = 4 << 10, kPackedAhead = 64;
/// The same for strips: positions of the range around them.
constexpr int64_t kStripsAhead = 2;
/// The rows of a window that are computed in copies at most.
constexpr int64_t kMaxWindowRows = 16;

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

/// Keeps the sums of a block of lanes and a row of columns, or all rows of the
/// register tile, in a tile that is contiguous along the columns. Sums of
/// neighbors in memory are contiguous along the lanes, as they are computed,
/// and transposed when they are stored.
RangedReduceOp Across::stageReduce(RangedReduceOp reduce) {
  int64_t blocks = llvm::divideCeil(columns.getLargestExtent(), columnCount);
  SmallVector<RangeOp> over{lane, columns};
  if (neighbours)
    over = {neighbours, tileRow, columns, lane};
  else if (tileRow)
    over = {lane, tileRow, columns};
  auto [tile, copies] =
      schedule.stage(reduce.getResult(), over, neighbours ? 1 : columnCount);
  StageOp stage = KernelSchedule::getStage(tile);
  if (neighbours)
    std::rotate(copies.begin(), std::prev(copies.end()), copies.end());
  inner = copies.front();
  tiles = vectors = RangeOp();
  RangeOp along = copies.back();
  if (tileRow) {
    row = copies[copies.size() - 2];
    reportStep(schedule, "unroll", row, row.getLargestExtent());
    blocks *= row.getLargestExtent();
  }
  reportStep(schedule, "stage", along, blockCount * blocks * columnCount);
  if (blockCount > laneCount)
    std::tie(tiles, inner) = schedule.split(inner, laneCount);
  if (!llvm::isPowerOf2_64(laneCount)) {
    std::tie(vectors, inner) = schedule.split(inner, width);
    schedule.setKind(vectors, RangeKind::unroll);
  }
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
  } else if (RangeOp range = findSharingRange(staged, along)) {
    unrolled[staged] = {range};
  }
  stageWindows(staged, along);
  if (tileRow && row.getKind() != RangeKind::unroll)
    schedule.setKind(row, RangeKind::unroll);
  reportStep(schedule, "unroll", along, columnCount);
  auto [blocksAlong, inBlock] = schedule.split(along, columnCount);
  schedule.setKind(inBlock, RangeKind::unroll);
  // The tiles of a block use what is broadcast in turn.
  if (passes && tiles && blocksAlong)
    schedule.moveBefore(blocksAlong, tiles);
  return staged;
}

/// Tiles are filled in pieces too short for the hardware prefetcher: prefetches
/// what comes \p positions later \p along.
void Across::prefetch(Value tile, RangeOp along, int64_t positions) {
  StageOp stage = KernelSchedule::getStage(tile);
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

/// Whether it is known for each of the rows of a tile of windows if all of its
/// elements are padding.
bool Across::isDecidedByRow(Value tile, RangeOp rows) {
  StageOp stage = KernelSchedule::getStage(tile);
  bool isDecided = false;
  for (Operation *op : schedule.getSlice(stage.getValue())) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || !load.getMask())
      continue;
    for (Value condition : getConjuncts(load.getMask())) {
      if (!schedule.dependsOn(condition, rows))
        continue;
      if (llvm::any_of(KernelSchedule::getSlice(condition),
                       [&](Operation *other) {
                         return isa<RangeOp, DimOp, LoadOp>(other) &&
                                other != rows.getOperation();
                       }))
        return false;
      isDecided = true;
    }
  }
  return isDecided;
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
    // Each of several vectors would branch.
    const bool canSkip =
        !vectors && (!tileRow || llvm::all_of(inColumns->parts, [&](auto part) {
          return llvm::is_contained(unrolled[reduce], part.first);
        }));
    auto load = value.getDefiningOp<LoadOp>();
    if (load && canSkip && schedule.skipMasked(reduce, load, skipped, inner))
      skipping.insert(reduce);
    if (load && isDecided(load, reduce, along))
      continue;
    if (!schedule.hasRoomFor(getClosedRanges(reduce).size() + ranges.size() +
                             1))
      return;
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
    if (ranges.size() > 1) {
      RangeOp rows = copies[copies.size() - 2];
      if (!rows.isSymbolic() && rows.getLargestExtent() <= kMaxWindowRows &&
          isDecidedByRow(tile, rows)) {
        reportStep(schedule, "unroll", rows, rows.getLargestExtent());
        schedule.setKind(rows, RangeKind::unroll);
      }
    }
  }
}

/// Whether the innermost range that fills a packed tile and its lanes are a
/// strip.
bool Across::isStripOf(StageOp stage, RangeOp range, RangeOp lanes,
                       int64_t count) {
  auto load = stage.getValue().getDefiningOp<LoadOp>();
  if (!load || load.getMask() || range.isSymbolic() || range.getPeel())
    return false;
  const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
  const int64_t extent = range.getLargestExtent();
  return isStrip(extent, count, load.getType().getIntOrFloatBitWidth()) &&
         index.getCoefficient(lanes) == extent &&
         std::abs(index.getCoefficient(range)) == 1;
}

/// Packs operands that differ between lanes into tiles that are contiguous
/// along the lanes, by transposing squares in registers if they are contiguous
/// along the reduced range, or strips of a window's weights.
void Across::pack(RangedReduceOp reduce) {
  // Packing a load erases the operations that only it used.
  SmallVector<LoadOp> loads;
  for (Operation *op : schedule.getSlice(reduce.getValue()))
    if (auto load = dyn_cast<LoadOp>(op);
        load && schedule.dependsOn(load.getIndex(), inner) &&
        KernelSchedule::fitsTile(load.getType()))
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
    if (vectors)
      over.push_back(vectors);
    over.push_back(inner);
    int64_t size = 1;
    for (RangeOp range : over)
      size *= range.getLargestExtent();
    // Those of the tile, and those of its squares.
    if (!schedule.hasRoomFor(over.size() + 2))
      return;
    reportStep(schedule, "pack", over.front(), size);
    auto [tile, copies] = schedule.stage(load, over);
    RangeOp lanes = copies.pop_back_val();
    // Squares of each vector are transposed in turn.
    RangeOp first = vectors ? copies.pop_back_val() : lanes;
    if (tiles)
      copies.erase(isExact ? copies.begin() : std::prev(copies.end()));
    if (copies.empty())
      continue;
    // Merge neighboring ranges that are contiguous together.
    for (RangeOp copy : llvm::ArrayRef(copies).drop_front())
      schedule.moveBefore(copy, first);
    schedule.moveBefore(copies.front(), copies.size() > 1 ? copies[1] : first);
    while (copies.size() > 1 &&
           schedule.canMerge(copies[copies.size() - 2], copies.back())) {
      RangeOp last = copies.pop_back_val();
      // Those of a range that was unrolled for another sum are, too.
      for (RangeOp copy : {copies.back(), last})
        if (copy.getKind() != RangeKind::loop)
          schedule.setKind(copy, RangeKind::loop);
      copies.back() = schedule.merge(copies.back(), last);
    }
    StageOp stage = KernelSchedule::getStage(tile);
    const bool areStrips = isStripOf(stage, copies.back(), lanes, square);
    if (!areStrips)
      prefetch(tile, copies.back(), kPackedAhead);
    else if (copies.size() > 1)
      prefetch(tile, copies.front(), kStripsAhead);
    // Between rows of a tile there is no room for the positions by which the
    // last square exceeds a range.
    const int64_t extent = copies.back().getLargestExtent();
    int64_t side = square;
    if (stage.getRanges().front() != copies.back())
      while (extent % side != 0)
        --side;
    if (areStrips) {
      reportStep(schedule, "unroll", copies.back(), extent);
      schedule.setKind(copies.back(), RangeKind::unroll);
    } else if (extent >= square && side > 1) {
      schedule.setKind(schedule.split(copies.back(), side).second,
                       RangeKind::unroll);
    }
    auto [squares, inSquare] = schedule.split(lanes, square);
    schedule.setKind(squares, RangeKind::loop);
    schedule.setKind(inSquare, RangeKind::upcast);
  }
}

/// Merges ranges of a reduction over which both operands now advance alike.
/// (Windows stay loops, unless a tile has several rows or findSharingRange()
/// has found one: unrolled, they would share broadcast values, whose live
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
