//===- FillTiles.cpp - how groups fill the tiles of factors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The items of a group copy the factors of a product into tiles: neighbors
/// read neighbors in memory, and do not wait where the target can copy ahead.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"
#include "TinyGrad/Support/MatrixUnits.h"
#include "TinyGrad/Support/Occupancy.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Into how many buffers items copy without waiting.
static constexpr int64_t kMostBuffers = 3;
/// Accesses of 16 bytes that the memory of a group serves in one turn. Rows of
/// fewer lie side by side in what is permuted.
static constexpr int64_t kTurnChunks = 8;

/// Whether neighbors along a range are neighbors in memory, for a value that
/// several loads may be the source of.
bool Heuristic::isContiguous(Value value, RangeOp range) {
  return llvm::any_of(schedule.getSlice(value), [&](Operation *op) {
    auto load = dyn_cast<LoadOp>(op);
    return load && schedule.getAnalysis()
                           .getLinear(load.getIndex())
                           .getCoefficient(range) == 1;
  });
}

/// Splits the depth of a product into blocks, and returns the positions of a
/// block. Tiles are filled inside of the loops over other ranges of the sum.
/// Those are inside of the one over blocks: the positions of a window read much
/// the same memory, which is then still in a cache.
RangeOp Heuristic::splitDepth(RangedReduceOp reduce, RangeOp depth,
                              int64_t size) {
  auto [block, position] = schedule.split(depth, size);
  for (RangeOp range : getClosedRanges(reduce))
    if (range != block && range != position)
      schedule.moveBefore(range, position);
  return position;
}

/// Up to how many elements of a load along a range have an address that is a
/// multiple of their size; 0 if they are not neighbors in memory.
int64_t Heuristic::countAligned(LoadOp load, RangeOp range) {
  LinearForm index = schedule.getAnalysis().getLinear(load.getIndex());
  if (index.saturated || index.getCoefficient(range) != 1)
    return 0;
  index.addTerm(range, -1);
  if (llvm::any_of(index.terms, [&](auto &term) {
        return schedule.dependsOn(term.first, range);
      }))
    return 0;
  const int64_t bytes =
      llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
  const int64_t alignment =
      std::min(getAlignment(schedule.getKernel(), load.getBuffer()),
               target.vectorBytes) /
      bytes;
  auto isMultipleOf = [&](int64_t count) {
    auto isDivided = [&](Dim dim) {
      return divideExactly(dim, Dim(index.getContext(), count)).has_value();
    };
    return range.getLargestExtent() % count == 0 && isDivided(index.constant) &&
           llvm::all_of(index.terms,
                        [&](auto &term) { return isDivided(term.second); });
  };
  int64_t count = 1;
  while (2 * count <= alignment && isMultipleOf(2 * count))
    count *= 2;
  return count;
}

/// How many elements of a load one access reads along a range: all or none of
/// them are masked, and their address is a multiple of their size.
int64_t Heuristic::countContiguous(LoadOp load, RangeOp range) {
  if (load.getMask() && schedule.dependsOn(load.getMask(), range))
    return 1;
  return std::max<int64_t>(countAligned(load, range), 1);
}

/// How many neighbors along a range one access of the loads that a value is
/// computed from reads, up to \p most: from an address on that is a multiple of
/// their size. Masks do not count: where they are those of columns past the
/// end, few accesses are in parts. What is not contiguous at all does not count
/// either: it would touch as many sectors in another order.
int64_t Heuristic::countAtOnce(Value value, RangeOp range, int64_t most) {
  for (Operation *op : schedule.getSlice(value))
    if (auto load = dyn_cast<LoadOp>(op))
      if (const int64_t count = countAligned(load, range))
        most = std::min(most, count);
  return most;
}

/// Whether a range numbers the rows of a tile.
static bool isOutermostOfTile(RangeOp range) {
  return llvm::all_of(range->getUsers(), [&](Operation *user) {
    auto stage = dyn_cast<StageOp>(user);
    return !stage || stage.getRanges().front() == range.getResult();
  });
}

/// Makes digits of a range, from the innermost on, items of a group. What is
/// left is unrolled.
void Heuristic::distributeFill(RangeOp range, ArrayRef<int64_t> digits) {
  for (int64_t digit : digits) {
    if (range.getLargestExtent() == digit)
      return schedule.setKind(range, RangeKind::local);
    auto [outer, inner] = schedule.split(range, digit);
    schedule.setKind(inner, RangeKind::local);
    range = outer;
  }
  if (range.getLargestExtent() > 1)
    schedule.setKind(range, RangeKind::unroll);
}

/// Distributes the filling of a tile over the items of a group, whose extents
/// are \p axes from the innermost on: items that are neighbors read neighbors
/// in memory, \p width elements at once. If rows of the tile are along the
/// other range, the innermost items are along it, so that they write neighbors:
/// those along the contiguous one are in few banks. Of several ways to assign
/// the items, that of the most items along the contiguous range comes first,
/// unless it leaves more of them without work.
void Heuristic::splitFill(Fill fill, int64_t width, ArrayRef<int64_t> axes,
                          bool mayNarrow) {
  RangeOp rows = fill.other, chunks = fill.contiguous;
  // Items of a subgroup share rows, or each access would touch the sectors of
  // many rows, and use a part of them.
  const ArrayRef<int64_t> near = axes.take_front(2);
  const int64_t extent = chunks.getLargestExtent();
  while (mayNarrow && 1 < width && width < extent &&
         llvm::none_of(
             near, [&](int64_t items) { return extent / width % items == 0; }))
    width /= 2;
  // Whether several items read what one access of an aligned address would.
  bool isNarrow = false;
  auto splitLanes = [&](RangeOp range) -> std::pair<RangeOp, RangeOp> {
    if (range.getLargestExtent() > width)
      return schedule.split(range, width);
    return {RangeOp(), range};
  };
  if (width > 1) {
    RangeOp lanes;
    std::tie(chunks, lanes) = splitLanes(chunks);
    int64_t count = width;
    if (mayNarrow)
      for (Operation *user : lanes->getUsers())
        if (auto tile = dyn_cast<StageOp>(user))
          count = countAtOnce(tile.getValue(), lanes, count);
    if (count < width && (!chunks || schedule.areMergeable(chunks, lanes))) {
      // The lanes would be read one by one, and each access of a subgroup would
      // touch the sectors of all of them.
      if (chunks)
        lanes = schedule.merge(chunks, lanes);
      width = count;
      isNarrow = true;
      if (width == 1)
        std::tie(chunks, lanes) = std::pair(lanes, RangeOp());
      else
        std::tie(chunks, lanes) = splitLanes(lanes);
    }
    if (lanes)
      schedule.setKind(lanes, RangeKind::upcast);
  }
  const int64_t rowChunks = chunks ? chunks.getLargestExtent() : 1;
  SmallVector<int64_t> ofChunks, ofRows;
  // A depth that few items divide is padded to a multiple of the innermost
  // ones, if it numbers the rows of the tile: only their number may be padded.
  const bool isPadded = width == 1 && !fill.isTurned &&
                        isOutermostOfTile(chunks) &&
                        chunks.getLargestExtent() % (axes.front() / 2) != 0 &&
                        chunks.getLargestExtent() > axes.front() / 2;
  // The items along rows of a turned tile. Few of them leave others to read
  // whole sectors, if these read single elements.
  const unsigned along = isNarrow && axes.size() > 1 && axes[1] < axes[0];
  int64_t most = 0, mostNear = 0;
  for (unsigned skipped = 0; skipped < 1U << axes.size(); ++skipped) {
    int64_t numChunks = chunks ? chunks.getLargestExtent() : 1,
            numRows = rows.getLargestExtent(), items = 1, nearAlong = 1;
    SmallVector<int64_t> chunkDigits, rowDigits;
    for (auto [i, extent] : llvm::enumerate(axes)) {
      const bool isAlongRows =
          (skipped >> i & 1) ||
          (fill.isTurned && i == along && numRows % extent == 0 &&
           axes.size() > 1 && (along == 1 || numChunks % axes[1] == 0));
      if (isPadded && i == 0) {
        chunkDigits.push_back(extent);
        numChunks = 1;
      } else if (!isAlongRows && numChunks % extent == 0) {
        chunkDigits.push_back(extent);
        numChunks /= extent;
        nearAlong *= i < near.size() ? extent : 1;
      } else if (numRows % extent == 0) {
        rowDigits.push_back(extent);
        numRows /= extent;
      } else {
        continue;
      }
      items *= extent;
    }
    // Of single elements, as many as possible are in the same sectors.
    if (items < most || (items == most && (!isNarrow || nearAlong <= mostNear)))
      continue;
    most = items;
    mostNear = nearAlong;
    ofChunks = chunkDigits;
    ofRows = rowDigits;
  }
  if (chunks)
    distributeFill(chunks, ofChunks);
  if (fill.isSpread && rowChunks >= kTurnChunks) {
    // Rows of one item are neighbors; those of the innermost items are the
    // farthest apart.
    int64_t own = rows.getLargestExtent();
    for (int64_t digit : ofRows)
      own /= digit;
    if (own > 1 && !ofRows.empty()) {
      auto [outer, inner] = schedule.split(rows, own);
      schedule.setKind(inner, RangeKind::unroll);
      rows = outer;
    }
    std::reverse(ofRows.begin(), ofRows.end());
  }
  distributeFill(rows, ofRows);
}

/// Whether subgroups may copy the factors of a product, both of which have to
/// be loaded, without masks, and along the depth, or along their side of the
/// result if reads transpose.
bool Heuristic::mayFillDirectly(const tinygrad::MatrixUnit &unit, RangeOp depth,
                                std::array<RangeOp, 2> sides,
                                std::array<Value, 2> factors) {
  const int64_t width =
      tinygrad::kDirectCopyBytes / tinygrad::getBytes(unit.element);
  return copiesBySubgroups() &&
         unit.getChunkBytes() == tinygrad::kDirectCopyBytes &&
         llvm::all_of(llvm::zip_equal(sides, factors), [&](auto pair) {
           auto [side, factor] = pair;
           auto load = factor.template getDefiningOp<LoadOp>();
           return load && isa<BlockArgument>(load.getBuffer()) &&
                  !load.getMask() &&
                  (countAligned(load, depth) >= width ||
                   (unit.readsTransposed() &&
                    countAligned(load, side) >= width));
         });
}

/// Why subgroups cannot copy both tiles of a product at once, \p width elements
/// for each of the \p items of a group; null if they can.
std::optional<StringRef>
Heuristic::findObstacleToDirectFills(const tinygrad::MatrixUnit &unit,
                                     const Ahead &ahead, ArrayRef<Fill> fills,
                                     int64_t width, int64_t items) {
  // Chunks of permuted tiles are what an item copies.
  if (unit.getChunkBytes() != tinygrad::kDirectCopyBytes)
    return "lanes of the matrix unit read less than 16 bytes";
  for (Fill fill : fills) {
    const auto *tile = llvm::find_if(ahead.tiles, [&](StageOp tile) {
      return llvm::is_contained(tile.getRanges(), fill.contiguous.getResult());
    });
    auto load = tile == ahead.tiles.end()
                    ? LoadOp()
                    : StageOp(*tile).getValue().getDefiningOp<LoadOp>();
    if (!load || !isa<BlockArgument>(load.getBuffer()))
      return "what a tile holds is computed";
    if (fill.isTurned)
      return "a tile is transposed while it is filled";
    if (load.getMask())
      return "sizes are no multiples of those of blocks";
    if (countAligned(load, fill.contiguous) < width)
      return "addresses are not multiples of 16 bytes";
    if (fill.other.getLargestExtent() * fill.contiguous.getLargestExtent() %
            (width * items) !=
        0)
      return "a tile is smaller than what a group copies at once";
  }
  return std::nullopt;
}

/// Distributes the filling of a tile over the items of a group, whose extents
/// are \p axes from the innermost on, as copies of subgroups want it: what
/// neighbors copy, \p width elements at once, is neighbors in the tile.
void Heuristic::splitDirectFill(Fill fill, int64_t width,
                                ArrayRef<int64_t> axes) {
  RangeOp rows = fill.other, lanes = fill.contiguous;
  if (lanes.getLargestExtent() > width) {
    RangeOp chunks;
    std::tie(chunks, lanes) = schedule.split(lanes, width);
    const auto ranges = schedule.getRanges();
    const auto *place = llvm::find(ranges, rows);
    if (place[1] != chunks)
      schedule.moveBefore(chunks, place[1]);
    rows = schedule.merge(rows, chunks);
  }
  schedule.setKind(lanes, RangeKind::upcast);
  distributeFill(rows, axes);
}

/// Plans to fill both tiles of a product ahead, where items need not wait for
/// copies. Which lanes of a tile are copied at once is not known yet. \p
/// isOfUnit says that matrix units compute the product.
std::optional<Heuristic::Ahead> Heuristic::planAhead(RangedReduceOp reduce,
                                                     bool isOfUnit,
                                                     int64_t fewestGroups) {
  auto waits = [&](const Twine &why) {
    waiting = why.str();
    return std::nullopt;
  };
  if (!target.asyncCopies)
    return waits("the target has no asynchronous copies");
  if (copiesBySubgroups() && !isOfUnit)
    return waits("copies of subgroups fill tiles of matrix units alone");
  const std::optional<ProductFactors> factors = getFactors(reduce.getValue());
  if (!factors)
    return waits("the sum skips products, or adds up something else");
  Ahead ahead;
  ahead.tiles = {getGroupTile(factors->lhs), getGroupTile(factors->rhs)};
  if (!ahead.tiles[0] || !ahead.tiles[1] || ahead.tiles[0] == ahead.tiles[1])
    return waits("the factors are not in a tile each");
  // The loops around the tiles.
  int64_t positions = 1, bytes = 0;
  for (RangeOp range : getClosedRanges(reduce)) {
    if (range.getKind() != RangeKind::loop ||
        !llvm::any_of(ahead.tiles, [&](StageOp tile) {
          return schedule.dependsOn(tile.getResult(), range);
        }))
      continue;
    if (llvm::MulOverflow(positions, range.getLargestExtent(), positions))
      return waits("the sum has too many positions");
    ahead.loops.push_back(range);
  }
  for (StageOp tile : ahead.tiles)
    bytes += getBufferBytes(tile.getTile().getType());
  // Groups that hide each other's barriers have to fit. So they have to if a
  // group may use much less than a compute unit has.
  auto countGroups = [&](int64_t buffers) {
    const int64_t groups = target.groupBytes / (buffers * bytes);
    if (target.unitSubgroups == 0)
      return groups;
    return std::min(groups,
                    tinygrad::getOccupancy(target, target.subgroupItems,
                                           /*registers=*/0, buffers * bytes)
                        .groups);
  };
  ahead.buffers = std::min(kMostBuffers, positions);
  if (ahead.buffers < 2)
    return waits("tiles hold all positions of the sum");
  while (ahead.buffers > 1 && countGroups(ahead.buffers) < fewestGroups)
    --ahead.buffers;
  if (ahead.buffers < 2)
    return waits("two buffers of " + Twine(bytes) +
                 " bytes leave memory for fewer than " + Twine(fewestGroups) +
                 " groups");
  llvm::sort(ahead.loops,
             [](RangeOp a, RangeOp b) { return a->isBeforeInBlock(b); });
  for (RangeOp range : ahead.loops)
    if (ahead.loops.size() > 1 &&
        (range.getPeel() || (range.isSymbolic() && range != ahead.loops[0])))
      return waits("the loops over several ranges of the sum cannot be merged");
  return ahead;
}

/// Fills tiles as planned. Loops over several ranges of the sum become one. One
/// with positions past the end of the sum stays whole: their copies are masked.
void Heuristic::fillAhead(const std::optional<Ahead> &ahead) {
  if (!ahead)
    return;
  for (StageOp tile : ahead->tiles)
    if (std::optional<StringRef> obstacle = findObstacleToCopy(
            schedule.getKernel(), tile, schedule.getAnalysis())) {
      waiting = obstacle->str();
      return;
    }
  RangeOp loop = ahead->loops.front();
  for (RangeOp inner : ArrayRef(ahead->loops).drop_front()) {
    const auto ranges = schedule.getRanges();
    const auto *place = llvm::find(ranges, loop);
    if (place[1] != inner)
      schedule.moveBefore(inner, place[1]);
    if (!schedule.areMergeable(loop, inner)) {
      waiting = "the loops over several ranges of the sum cannot be merged";
      return;
    }
    report("merge", inner, inner.getLargestExtent());
    loop = schedule.merge(loop, inner);
  }
  report("buffers", loop, ahead->buffers);
  for (StageOp tile : ahead->tiles)
    schedule.setBuffers(tile, ahead->buffers);
}
