//===- GroupItems.cpp - schedules for targets with groups -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses what the groups and the work items of a GPU compute. There are
/// several ways; the first one that fits the kernel and the device is taken.
/// The items of a group are neighbors in memory, and each accesses as many
/// elements at once as alignment admits.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "TinyGrad/Dialect/Tg/IR/TgGroupOrder.h"
#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"
#include "TinyGrad/Dialect/Tg/Utils/Residency.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Work items of a group: several subgroups hide the latency of memory.
constexpr int64_t kGroupItems = 256;
/// The most items that share a row: with more, each would have 64 registers or
/// fewer, which the elements that it loads at once fill.
constexpr int64_t kMostItems = 512;
/// The fewest items of a group, if more would leave compute units idle.
constexpr int64_t kFewItems = 64;
/// The most accesses of an item along a row that are made at once, without a
/// loop. What reads the row again then has it in registers.
constexpr int64_t kAtOnce = 8;
/// The least accesses of an item along a reduction, and of a group, that make
/// it worth sharing.
constexpr int64_t kMinShared = 8;
/// Where groups are too few, several store parts of one row if each stores this
/// many elements for one of the reductions, which all of them repeat; and the
/// most groups that are made so, for each that the device runs at once.
constexpr double kStoredForReduced = 4, kMostParts = 8;
/// How many times as many parts there may be if their number cannot be chosen.
constexpr double kMostRest = 8;
/// Rows and columns of a square that a group transposes, the items along its
/// shorter side, and the shortest ranges for which that is worth it.
constexpr int64_t kTurned = 32, kTurnedItems = 8, kLeastTurned = 16;
/// The most results of an item along one range, and of all.
constexpr int64_t kTileSide = 4, kTileResults = 16;
/// With at least as many results, a reduction of which no load is contiguous
/// is done by single items.
constexpr int64_t kEnoughResults = 4096;
/// A load counts for the choice of what is contiguous if it reads at least this
/// part of what the load with the most positions does.
constexpr double kHeavy = 1.0 / 16;

bool Heuristic::admits(RangeOp range, RangeKind kind, int64_t band) {
  auto step = StepAttr::get(range.getContext(), StepKind::set_kind, {},
                            {static_cast<int64_t>(range.getId())},
                            static_cast<int64_t>(kind) + band * kBandUnit, {});
  return !schedule.findObstacle(step);
}

bool Heuristic::admitsReverse(RangeOp range) {
  auto step = StepAttr::get(range.getContext(), StepKind::reverse, {},
                            {static_cast<int64_t>(range.getId())}, 0, {});
  return !schedule.findObstacle(step);
}

bool Heuristic::admitsMove(RangeOp range, RangeOp other) {
  auto step = StepAttr::get(range.getContext(), StepKind::move, {},
                            {static_cast<int64_t>(range.getId()),
                             static_cast<int64_t>(other.getId())},
                            0, {});
  return !schedule.findObstacle(step);
}

static double countPositions(ArrayRef<Value> ranges) {
  double positions = 1;
  for (Value range : ranges)
    positions *=
        static_cast<double>(range.getDefiningOp<RangeOp>().getLargestExtent());
  return positions;
}

//===----------------------------------------------------------------------===//
// Vector accesses
//===----------------------------------------------------------------------===//

/// How many elements along the range an item accesses at once: as many of the
/// widest type as one access has bytes, if all accesses that depend on the
/// range are contiguous along it, and begin at a multiple of as many elements.
int64_t Heuristic::countAccessLanes(RangeOp range) {
  if ((hasScan() && !schedule.isScanned(range)) || !schedule.admitsLanes(range))
    return 1;
  IndexAnalysis &analysis = schedule.getAnalysis();
  int64_t lanes = std::min<int64_t>(
      getNumLanes(), llvm::bit_floor(uint64_t(range.getLargestExtent())));
  bool isUsed = false;
  for (Operation &op : schedule.getKernel().getBody().front()) {
    Value index, buffer, mask;
    if (auto load = dyn_cast<LoadOp>(op)) {
      index = load.getIndex();
      buffer = load.getBuffer();
      mask = load.getMask();
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      if (store.getUpdate())
        return 1;
      index = store.getIndex();
      buffer = store.getBuffer();
      mask = store.getMask();
    } else if (isa<StageOp>(op)) {
      return 1;
    }
    if (!index || (!schedule.dependsOn(index, range) &&
                   !(mask && schedule.dependsOn(mask, range))))
      continue;
    isUsed = true;
    LinearForm form = analysis.getLinear(index);
    if (form.saturated || form.getCoefficient(range) != 1)
      return 1;
    form.addTerm(range, -1);
    const Type element = cast<MemRefType>(buffer.getType()).getElementType();
    const int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
    lanes = std::min(lanes, std::min(getAlignment(schedule.getKernel(), buffer),
                                     target.vectorBytes) /
                                bytes);
    auto isDivided = [&](Dim dim) {
      return divideExactly(dim, Dim(form.getContext(), lanes)).has_value();
    };
    while (lanes > 1 && (!isDivided(form.constant) ||
                         !llvm::all_of(form.terms, [&](auto &term) {
                           return isDivided(term.second) &&
                                  !schedule.dependsOn(term.first, range);
                         })))
      lanes /= 2;
    if (lanes <= 1)
      return 1;
  }
  return isUsed ? lanes : 1;
}

/// Splits a range into items, of which each accesses `lanes` elements, and the
/// rest. Returns the rest and the items; the range and null if there are no
/// items.
std::pair<RangeOp, RangeOp> Heuristic::splitItems(RangeOp range, int64_t items,
                                                  int64_t lanes) {
  auto addUpcast = [&](RangeOp inner) {
    report("upcast", inner, lanes);
    schedule.setKind(inner, RangeKind::upcast);
  };
  if (lanes > 1 && isMultiple(range, lanes)) {
    // No access is cut off.
    auto [chunks, inner] = schedule.split(range, lanes);
    addUpcast(inner);
    range = chunks;
  } else if (lanes > 1) {
    auto [rest, block] = schedule.split(range, items * lanes);
    auto [item, inner] = schedule.split(block, lanes);
    addUpcast(inner);
    return {rest, item};
  }
  if (items <= 1)
    return {range, RangeOp()};
  return schedule.split(range, items);
}

//===----------------------------------------------------------------------===//
// Reductions that groups share
//===----------------------------------------------------------------------===//

/// Along which range the loads of a reduction are contiguous: one of its own,
/// or one of the results. Loads of much less than others do not count.
Heuristic::Sharing Heuristic::findSharing(RangedReduceOp reduce) {
  Sharing sharing;
  IndexAnalysis &analysis = schedule.getAnalysis();
  SmallVector<LoadOp> loads;
  double most = 0;
  for (Operation *op : schedule.getSlice(reduce.getValue()))
    if (auto load = dyn_cast<LoadOp>(op)) {
      loads.push_back(load);
      most =
          std::max(most, countPositions(analysis.getRanges(load.getResult())));
    }
  for (LoadOp load : loads) {
    if (countPositions(analysis.getRanges(load.getResult())) < kHeavy * most)
      continue;
    const LinearForm &index = analysis.getLinear(load.getIndex());
    for (RangeOp range : schedule.getRanges())
      if (llvm::AbsoluteValue(index.getCoefficient(range)) == 1 &&
          range.getLargestExtent() > 1) {
        if (namesRange(reduce, range))
          sharing.row = range;
        else if (schedule.isResultRange(range))
          sharing.column = range;
      }
  }
  for (RangeOp range : getClosedRanges(reduce))
    if (!sharing.longest ||
        range.getLargestExtent() > sharing.longest.getLargestExtent())
      sharing.longest = range;
  if (!sharing.row && !sharing.column &&
      countPositions(analysis.getRanges(reduce.getResult())) <
          static_cast<double>(kEnoughResults))
    sharing.row = sharing.longest;
  return sharing;
}

/// The reductions of the results, if groups may share them: none has ranges
/// that another reduction or a tile closes.
SmallVector<RangedReduceOp> Heuristic::findSharedReduces() {
  Block &body = schedule.getKernel().getBody().front();
  if (hasScan() || !body.getOps<StageOp>().empty() ||
      llvm::any_of(body.getOps<StoreOp>(),
                   [](StoreOp store) { return store.getUpdate().has_value(); }))
    return {};
  SmallVector<RangedReduceOp> reduces;
  for (auto reduce : body.getOps<RangedReduceOp>())
    if (!reduce.getRanges().empty() &&
        llvm::all_of(schedule.getAnalysis().getRanges(reduce.getResult()),
                     [&](Value range) {
                       return schedule.isResultRange(
                           range.getDefiningOp<RangeOp>());
                     }))
      reduces.push_back(reduce);
  return reduces;
}

/// Whether each of the reductions has a load that does not depend on a range of
/// its results.
bool Heuristic::isReused(ArrayRef<RangedReduceOp> reduces, RangeOp range) {
  return llvm::all_of(reduces, [&](RangedReduceOp reduce) {
    return schedule.dependsOn(RangedReduceOp(reduce).getResult(), range) &&
           llvm::any_of(schedule.getSlice(RangedReduceOp(reduce).getValue()),
                        [&](Operation *op) {
                          return isa<LoadOp>(op) &&
                                 !schedule.dependsOn(op->getResult(0), range);
                        });
  });
}

/// Gives each reduction of contiguous rows to the items of a group, and what
/// is computed along the rows afterwards to the same items. Short rows are
/// several to a group.
bool Heuristic::shareRows() {
  llvm::SetVector<RangeOp> shared, rows;
  int64_t items = std::min(kGroupItems, target.groupItems);
  for (RangedReduceOp reduce : findSharedReduces()) {
    const Sharing sharing = findSharing(reduce);
    if (!sharing.row || sharing.column)
      return isUnfit("loads are not contiguous along the sums alone");
    if (!admits(sharing.row, RangeKind::loop))
      return false;
    for (Value value : schedule.getAnalysis().getRanges(reduce.getResult()))
      rows.insert(value.getDefiningOp<RangeOp>());
    shared.insert(sharing.row);
  }
  double reduced = 0;
  for (RangedReduceOp reduce : findSharedReduces())
    reduced += countPositions(llvm::to_vector(reduce.getRanges()));
  // More items of a group for fewer groups.
  const double numRows = countPositions(
      llvm::map_to_vector(rows, [](RangeOp range) -> Value { return range; }));
  while (items * 2 <= std::min(kMostItems, target.groupItems) &&
         numRows * static_cast<double>(items * 2) <=
             static_cast<double>(target.parallelItems * kGroupItems))
    items *= 2;
  // Items that have more to store than to reduce are as many as possible.
  double stored = 1;
  for (RangeOp range : schedule.getResultRanges())
    if (!rows.contains(range))
      stored *= static_cast<double>(range.getLargestExtent());
  const bool isShort = stored >= kStoredForReduced * reduced;
  auto countLanes = [&](RangeOp range) {
    return isShort ? 1 : countAccessLanes(range);
  };
  for (RangeOp range : shared) {
    const int64_t accesses =
        llvm::divideCeil(range.getLargestExtent(), countLanes(range));
    if (accesses < kMinShared)
      return isUnfit("rows of " + Twine(range.getLargestExtent()) +
                     " elements are " + Twine(accesses) +
                     " accesses, fewer than " + Twine(kMinShared));
    items = std::min<int64_t>(items, llvm::bit_ceil(uint64_t(accesses)));
  }
  if (items < 2 || shared.empty())
    return false;
  for (RangeOp range : shared) {
    report("group reduce", range, items);
    auto [rest, item] = splitItems(range, items, countLanes(range));
    schedule.setKind(item, RangeKind::group_reduce);
    unrollFew(rest);
  }
  // The elements of a row that are stored.
  distributeRow(rows.getArrayRef(), items);
  RangeOp innermost;
  for (RangeOp range : schedule.getResultRanges())
    if (rows.contains(range) && !range.isSymbolic() &&
        range.getLargestExtent() > 1)
      innermost = range;
  int64_t together = std::min(kGroupItems, target.groupItems) / items;
  while (together > 1 && numRows / static_cast<double>(together) <
                             static_cast<double>(target.parallelItems))
    together /= 2;
  int64_t copies =
      innermost && isReused(findSharedReduces(), innermost) ? kTileSide : 1;
  while (copies > 1 && (!isMultiple(innermost, copies) ||
                        numRows / static_cast<double>(copies) <
                            static_cast<double>(2 * target.parallelItems)))
    copies /= 2;
  if (together == 1)
    copies = takeCopies(copies);
  if (innermost && together > 1) {
    together = std::min<int64_t>(
        together, llvm::bit_floor(uint64_t(innermost.getLargestExtent())));
    report("rows", innermost, together);
    auto [rest, row] = schedule.split(innermost, together);
    schedule.setKind(row, RangeKind::local);
    rows.remove(innermost);
    rows.insert(rest);
  } else if (copies > 1) {
    // What several rows have in common is loaded once.
    report("tile", innermost, copies);
    auto [rest, row] = schedule.split(innermost, copies);
    schedule.setKind(row, RangeKind::unroll);
    rows.remove(innermost);
    rows.insert(rest);
  }
  if (isShort)
    spreadRow(rows.getArrayRef(), stored / (kStoredForReduced * reduced),
              numRows);
  for (RangeOp range : rows)
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  return true;
}

/// Gives up to \p parts of what is stored along each row to several groups,
/// which repeat its reductions, where there are few rows.
void Heuristic::spreadRow(ArrayRef<RangeOp> rows, double parts,
                          double numRows) {
  if (schedule.getKernel().getInPlace() &&
      !llvm::all_of(findSharedReduces(), [&](RangedReduceOp reduce) {
        return readsOwnElements(schedule, reduce);
      }))
    return;
  SmallVector<RangeOp> ranges;
  for (RangeOp range : schedule.getResultRanges())
    if (!llvm::is_contained(rows, range) &&
        range.getKind() == RangeKind::loop && range.getLargestExtent() > 1)
      ranges.push_back(range);
  parts = std::min(
      parts, kMostParts * static_cast<double>(target.parallelItems) / numRows);
  for (RangeOp range : ranges) {
    const auto extent = static_cast<int64_t>(range.getLargestExtent());
    if (parts < 2 || !admits(range, RangeKind::global))
      return;
    if (static_cast<double>(extent) > parts) {
      // The fewest positions of a part that leave no rest.
      const auto least =
          static_cast<int64_t>(std::ceil(static_cast<double>(extent) / parts));
      int64_t inner = least;
      while (inner < 2 * least && !isMultiple(range, inner))
        ++inner;
      if (!range.getPeel() && isMultiple(range, inner) && inner < extent)
        range = schedule.split(range, inner).first;
      else if (static_cast<double>(extent) > kMostRest * parts)
        return;
    }
    report("parts of rows", range, range.getLargestExtent());
    parts /= static_cast<double>(range.getLargestExtent());
    schedule.setKind(range, RangeKind::global);
  }
}

/// Gives what is stored along a row to the `items` that share its reductions.
void Heuristic::distributeRow(ArrayRef<RangeOp> rows, int64_t items) {
  RangeOp along = chooseResultLane(/*shortest=*/INT64_MAX);
  auto isOfRow = [&](RangeOp range) {
    return range && range.getKind() == RangeKind::loop &&
           range.getLargestExtent() > 1 && !llvm::is_contained(rows, range);
  };
  if (!isOfRow(along)) {
    along = RangeOp();
    for (RangeOp range : schedule.getResultRanges())
      if (isOfRow(range))
        along = range;
  }
  if (!along || schedule.isOrdered(along))
    return;
  report("local", along, items);
  // Short rows have fewer elements than the items could store.
  int64_t lanes = countAccessLanes(along);
  while (lanes > 1 && items * lanes >= 2 * along.getLargestExtent())
    lanes /= 2;
  auto [rest, item] = splitItems(along, items, lanes);
  schedule.setKind(item, RangeKind::local);
  unrollFew(rest);
}

/// Unrolls a range of few positions, so that their loads wait together. One
/// with peeled positions stays a loop: masks would divide its vectors
/// everywhere.
void Heuristic::unrollFew(RangeOp range) {
  if (!range.isSymbolic() && !range.getPeel() && range.getLargestExtent() > 1 &&
      range.getLargestExtent() <= kAtOnce && admits(range, RangeKind::unroll))
    schedule.setKind(range, RangeKind::unroll);
}

/// Reductions of columns: the items of a group are neighbors along the
/// results, and divide the rows among them.
bool Heuristic::shareColumns() {
  RangeOp column;
  llvm::SetVector<RangeOp> shared;
  double results = 1;
  for (RangedReduceOp reduce : findSharedReduces()) {
    const Sharing sharing = findSharing(reduce);
    if (!sharing.column || (column && column != sharing.column) ||
        !admits(sharing.longest, RangeKind::loop) ||
        !schedule.dependsOn(reduce.getResult(), sharing.column))
      return false;
    column = sharing.column;
    shared.insert(sharing.longest);
    results = std::max(results, countPositions(schedule.getAnalysis().getRanges(
                                    reduce.getResult())));
  }
  if (!column || column.getKind() != RangeKind::loop)
    return false;
  const int64_t lanes = countAccessLanes(column);
  // A line of memory, or all of a short row.
  const int64_t bytes = target.vectorBytes / getNumLanes();
  const auto allColumns = static_cast<int64_t>(llvm::bit_ceil(
      uint64_t(llvm::divideCeil(column.getLargestExtent(), lanes))));
  int64_t columns = std::min<int64_t>(
      std::max<int64_t>(target.lineBytes / (lanes * bytes), 1), allColumns);
  int64_t depth = INT64_MAX;
  for (RangeOp range : shared)
    depth = std::min(depth, range.getLargestExtent());
  // As many items along the rows as keep the device busy.
  const double wanted = static_cast<double>(target.parallelItems) *
                        static_cast<double>(kGroupItems * lanes) / results;
  const int64_t most =
      std::min(std::min(kGroupItems, target.groupItems) / columns, depth / 4);
  int64_t along = 1;
  while (along * 2 <= most && static_cast<double>(along) < wanted)
    along *= 2;
  if (along < 2)
    return isUnfit(most < 2 ? "columns of " + Twine(depth) +
                                  " elements are too short to be divided"
                            : Twine("there are enough columns for the device"));
  while (columns * along < kFewItems && columns < allColumns)
    columns *= 2;
  report("columns", column, columns);
  RangeOp item = splitItems(column, columns, lanes).second;
  if (item)
    schedule.setKind(item, RangeKind::local);
  for (RangeOp range : shared) {
    report("group reduce", range, along);
    RangeOp part = schedule.split(range, along).second;
    // Outside of the columns: neighbors are those in memory. Not where the
    // kernel overwrites what it reduces.
    if (item && admitsMove(part, item))
      schedule.moveBefore(part, item);
    schedule.setKind(part, RangeKind::group_reduce);
  }
  // Few columns: other results, too.
  int64_t items = columns * along;
  const SmallVector<RangeOp> others = schedule.getResultRanges();
  for (RangeOp range : llvm::reverse(others)) {
    const auto count =
        std::min<int64_t>(std::min(kFewItems, target.groupItems) / items,
                          llvm::bit_ceil(uint64_t(range.getLargestExtent())));
    if (count < 2 || range.getKind() != RangeKind::loop ||
        !admits(range, RangeKind::local))
      continue;
    report("local", range, count);
    schedule.setKind(schedule.split(range, count).second, RangeKind::local);
    items *= count;
  }
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  return true;
}

//===----------------------------------------------------------------------===//
// Transpositions
//===----------------------------------------------------------------------===//

/// A kernel that only moves, and in which rows that are read are short and
/// follow one another along the columns that are written (the window of a
/// convolution, before channels): a group reads the rows of some columns, which
/// are contiguous together, and writes their columns.
bool Heuristic::turnShortRows(RangeOp column) {
  auto loads = schedule.getKernel().getBody().getOps<LoadOp>();
  if (!llvm::hasSingleElement(loads) || column.isSymbolic() ||
      !isMultiple(column, kTurned))
    return false;
  LoadOp load = *loads.begin();
  const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
  RangeOp row;
  for (RangeOp range : schedule.getResultRanges())
    if (index.getCoefficient(range) == 1 &&
        index.getCoefficient(column) == range.getLargestExtent())
      row = range;
  if (!row || load.getMask() || row.isSymbolic() || row.getPeel() ||
      row.getLargestExtent() < 2)
    return false;
  report("turn rows", row, row.getLargestExtent());
  const int64_t side =
      isMultiple(column, target.subgroupItems) ? target.subgroupItems : kTurned;
  RangeOp inColumn = schedule.split(column, side).second;
  schedule.setKind(inColumn, RangeKind::local);
  SmallVector<RangeOp> filled =
      schedule.stage(load.getResult(), {inColumn, row}).second;
  schedule.setKind(filled[0], RangeKind::loop);
  schedule.moveBefore(filled[0], filled[1]);
  auto [part, item] =
      schedule.split(schedule.merge(filled[0], filled[1]), side);
  schedule.setKind(item, RangeKind::local);
  schedule.setKind(part, RangeKind::unroll);
  schedule.setKind(row, RangeKind::unroll);
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  return true;
}

/// Kernels that read along another range than they write along: a group reads
/// squares along what is contiguous there, and writes them from its memory.
bool Heuristic::turnTiles() {
  Block &body = schedule.getKernel().getBody().front();
  if (hasScan() || schedule.getKernel().getInPlace() ||
      !body.getOps<RangedReduceOp>().empty() ||
      !body.getOps<StageOp>().empty() ||
      target.groupItems < kTurned * kTurnedItems)
    return false;
  RangeOp column = chooseResultLane(/*shortest=*/INT64_MAX), row;
  if (!column || column.getLargestExtent() < kLeastTurned)
    return false;
  bool isTurned = false;
  SmallVector<LoadOp> turned;
  for (auto load : body.getOps<LoadOp>()) {
    const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
    if (!schedule.dependsOn(load.getIndex(), column) ||
        llvm::AbsoluteValue(index.getCoefficient(column)) == 1 ||
        !KernelSchedule::fitsTile(load.getType()))
      continue;
    isTurned = true;
    for (RangeOp range : schedule.getResultRanges())
      if (range != column && (!row || range == row) &&
          range.getLargestExtent() >= kLeastTurned &&
          llvm::AbsoluteValue(index.getCoefficient(range)) == 1) {
        row = range;
        turned.push_back(load);
        break;
      }
  }
  if (!row && isTurned && turnShortRows(column))
    return true;
  if (!row)
    return isTurned && isUnfit("no load is contiguous along another range of " +
                               Twine(kLeastTurned) + " or more positions");
  static constexpr int64_t sides[] = {kTurned, kTurned / 2};
  const int64_t side = takeBlock<int64_t>(sides);
  report("turn", row, side);
  RangeOp inColumn = schedule.split(column, side).second;
  RangeOp inRow = schedule.split(row, side).second;
  // The tiles belong to the group, and are filled by items along the rows.
  schedule.setKind(inRow, RangeKind::local);
  SmallVector<RangeOp> filled;
  for (LoadOp load : turned)
    filled.push_back(
        schedule.stage(load.getResult(), {inColumn, inRow}).second.front());
  schedule.setKind(inRow, RangeKind::loop);
  auto divide = [&](RangeOp range) {
    auto [copy, item] = schedule.split(range, kTurnedItems);
    schedule.setKind(item, RangeKind::local);
    schedule.setKind(copy, RangeKind::unroll);
    return item;
  };
  RangeOp item = divide(inRow);
  for (RangeOp range : filled)
    divide(range);
  // They are written by items along the columns.
  schedule.setKind(inColumn, RangeKind::local);
  schedule.moveBefore(item, inColumn);
  for (RangeOp range : schedule.getResultRanges())
    if (range.getKind() == RangeKind::loop && admits(range, RangeKind::global))
      schedule.setKind(range, RangeKind::global);
  return true;
}

//===----------------------------------------------------------------------===//
// Single items
//===----------------------------------------------------------------------===//

/// Lets single items read several elements of their rows at once.
void Heuristic::vectorizeRows() {
  for (RangedReduceOp reduce : findSharedReduces())
    if (RangeOp row = findSharing(reduce).row)
      if (const int64_t lanes = countAccessLanes(row);
          lanes > 1 && isMultiple(row, lanes))
        splitItems(row, /*items=*/1, lanes);
}

/// Lets each item compute several results along ranges that some load of the
/// reductions does not depend on, so that it is used several times. `lanes` are
/// computed along `lane` already.
int64_t Heuristic::tileItems(RangeOp lane, int64_t lanes, double positions) {
  SmallVector<RangedReduceOp> reduces = findSharedReduces();
  int64_t results = lanes;
  if (reduces.empty())
    return results;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range == lane || range.getKind() != RangeKind::loop ||
        !isReused(reduces, range))
      continue;
    int64_t copies = kTileSide;
    while (copies > 1 &&
           (!isMultiple(range, copies) || results * copies > kTileResults ||
            positions / static_cast<double>(results * copies) <
                static_cast<double>(target.parallelItems * kFewItems)))
      copies /= 2;
    if (copies > 1)
      copies = takeCopies(copies);
    if (copies < 2)
      continue;
    report("tile", range, copies);
    RangeOp copy = schedule.split(range, copies).second;
    schedule.setKind(copy, RangeKind::unroll);
    results *= copies;
  }
  return results;
}

/// Whether all scans have \p range as their innermost one.
bool Heuristic::isLastScanned(RangeOp range) {
  return llvm::all_of(
      schedule.getKernel().getBody().getOps<RangedScanOp>(),
      [&](RangedScanOp scan) { return scan.getRanges().back() == range; });
}

/// Makes work items of the result ranges, from the one along which stores are
/// contiguous outward.
bool Heuristic::distribute() {
  partitionUpdates();
  vectorizeRows();
  RangeOp lane = chooseResultLane(/*shortest=*/INT64_MAX);
  int64_t lanes = 1;
  if (lane && schedule.isScanned(lane)) {
    // An item scans a row: what it accesses at once is scanned in registers.
    const int64_t count = countAccessLanes(lane);
    if (count > 1 && isMultiple(lane, count) && isLastScanned(lane))
      splitItems(lane, /*items=*/1, count);
    lane = RangeOp();
  } else if (lane && admits(lane, RangeKind::global)) {
    lanes = countAccessLanes(lane);
  }
  // Those that may be work items: scans and scatters have loops.
  double positions = 1;
  for (RangeOp range : schedule.getResultRanges())
    if (admits(range, RangeKind::global))
      positions *= static_cast<double>(range.getLargestExtent());
  positions /= static_cast<double>(tileItems(lane, lanes, positions));
  int64_t items = std::min(kGroupItems, target.groupItems);
  while (items > kFewItems && positions / static_cast<double>(items) <
                                  static_cast<double>(target.parallelItems))
    items /= 2;
  if (lanes > 1) {
    if (isMultiple(lane, lanes)) {
      lane = splitItems(lane, /*items=*/1, lanes).first;
    } else {
      const int64_t count =
          std::min<int64_t>(items, llvm::bit_ceil(uint64_t(llvm::divideCeil(
                                       lane.getLargestExtent(), lanes))));
      report("local", lane, count);
      auto [rest, item] = splitItems(lane, count, lanes);
      schedule.setKind(item, RangeKind::local);
      items /= count;
      lane = rest;
    }
  }
  SmallVector<RangeOp> ranges = schedule.getResultRanges();
  if (lane)
    std::rotate(llvm::find(ranges, lane), llvm::find(ranges, lane) + 1,
                ranges.end());
  for (RangeOp range : llvm::reverse(ranges)) {
    if (range.getKind() != RangeKind::loop || range.getLargestExtent() < 2 ||
        !admits(range, RangeKind::global))
      continue;
    if (items > 1 && !range.isSymbolic() && range.getLargestExtent() <= items &&
        admits(range, RangeKind::local)) {
      schedule.setKind(range, RangeKind::local);
      items /= static_cast<int64_t>(
          llvm::bit_ceil(uint64_t(range.getLargestExtent())));
      continue;
    }
    // Work items have no copy of the code for the last positions, and a range
    // with one is not divided.
    if (items > 1 && range.getPeel())
      schedule.setKind(range, RangeKind::global);
    if (items > 1) {
      report("local", range, items);
      auto [outer, inner] = schedule.split(range, items);
      schedule.setKind(inner, RangeKind::local);
      items = 1;
      range = outer;
    }
    if (range.getKind() != RangeKind::global)
      schedule.setKind(range, RangeKind::global);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

struct Heuristic::Way {
  StringLiteral name;
  bool (Heuristic::*choose)();
  /// Whether it is better than the next ways even if too few groups are
  /// resident on a compute unit.
  bool mayCrowd = true;
};

ArrayRef<Heuristic::Way> Heuristic::getWays() {
  static constexpr Way ways[] = {
      {"tiles for warpgroups", &Heuristic::contractOnWarpgroups,
       /*mayCrowd=*/false},
      {"tiles for matrix units", &Heuristic::contractProducts},
      {"tiles of products", &Heuristic::tileProducts},
      {"windows shared by groups", &Heuristic::shareWindows},
      {"rows shared by groups", &Heuristic::shareRows},
      {"columns shared by groups", &Heuristic::shareColumns},
      {"transposed tiles", &Heuristic::turnTiles},
      {"single items", &Heuristic::distribute},
  };
  return ways;
}

size_t Heuristic::countWays() { return getWays().size(); }

StringRef Heuristic::getWayName(size_t number) {
  return getWays()[number].name;
}

size_t Heuristic::runForGroups(size_t first) {
  mergeRanges();
  separateReduces();
  const ArrayRef<Way> ways = getWays();
  auto describe = [&](remark::RemarkOpts options) {
    return options.category("tg-optimize-kernels");
  };
  const std::string kernel = schedule.getKernel().getName().str();
  auto emitMissed = [&](StringRef name, const Twine &text) {
    remark::missed(schedule.getKernel().getLoc(),
                   describe(remark::RemarkOpts::name(name)))
        << kernel + ": " + text.str();
  };
  OwningOpRef<KernelOp> copy;
  std::optional<Heuristic> trial;
  for (size_t i = first, numSkipped = 0; i < ways.size();) {
    const Way &way = ways[i];
    // A way that does not apply takes no steps.
    if (!trial || !trial->getSteps().empty()) {
      trial.reset();
      copy = schedule.getKernel().clone();
      trial.emplace(*copy, target);
    }
    trial->unfit.clear();
    trial->waiting.clear();
    trial->numSkipped = static_cast<int64_t>(numSkipped);
    trial->canSkip = false;
    if (!((*trial).*way.choose)()) {
      if (!trial->unfit.empty())
        emitMissed("unfit", "no " + way.name + ": " + trial->unfit);
      ++i;
      numSkipped = 0;
      continue;
    }
    const std::string obstacle =
        trial->schedule.findObstacleToLayout().value_or("");
    std::string crowding;
    if (obstacle.empty())
      crowding =
          findCrowding(getGroupNeeds(*copy, *getGroupLayout(*copy, target)),
                       target)
              .value_or("");
    if ((!obstacle.empty() || !crowding.empty()) && trial->canSkip) {
      emitMissed("smaller", "smaller " + way.name + ": " +
                                (obstacle.empty() ? crowding : obstacle));
      ++numSkipped;
      continue;
    }
    // Code generation reports what the last way asks for.
    if ((!obstacle.empty() || (!crowding.empty() && !way.mayCrowd)) &&
        i + 1 < ways.size()) {
      emitMissed("refused", way.name + " refused: " +
                                (obstacle.empty() ? crowding : obstacle));
      ++i;
      numSkipped = 0;
      continue;
    }
    if (!crowding.empty())
      emitMissed("crowded", way.name + ": " + crowding);
    remark::passed(schedule.getKernel().getLoc(),
                   describe(remark::RemarkOpts::name("way")))
        << kernel + ": " + way.name.str();
    if (!trial->waiting.empty())
      emitMissed("waiting", "tiles are not filled ahead: " + trial->waiting);
    for (const auto &[step, range, amount] : trial->reports)
      emitReport(step, range, amount);
    for (Attribute step : trial->getSteps())
      schedule.apply(cast<StepAttr>(step));
    return i;
  }
  llvm_unreachable("single items fit every kernel");
}
