//===- AccumulateRows.cpp - sums of rows in the order of memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The step of tg-optimize-kernels for reductions down the columns of a matrix
/// too large for any cache. Accumulators in registers span few columns, so that
/// each row contributes a short piece, each on another page. Accumulators in
/// memory span whole rows: a few rows are read side by side, from end to end,
/// and their sums are added to the results, which stay in a cache.
///
//===----------------------------------------------------------------------===//

#include "../ReducedStreams.h"
#include "Heuristic.h"
#include "MemoryHints.h"

using namespace mlir;
using namespace mlir::tg;

/// Rows that are read side by side in one pass over the accumulators.
constexpr int64_t kMaxRows = 8, kMinRows = 4;
/// Maximum number of passes that add to one accumulator, as in the blocks of
/// other sums.
constexpr int64_t kMaxPasses = 32;
/// Maximum number of pieces of a row.
constexpr int64_t kMaxPieces = 4096;
/// The most vectors of sums that are added to side by side.
constexpr int64_t kMaxSums = 16;
/// With fewer work items, most cores of a large processor would be idle.
constexpr int64_t kMinItems = 16;

/// Whether the load reads each element of a matrix once for all positions of
/// the shared ranges, where rows are far apart and contiguous along the
/// columns.
static bool readsMatrix(KernelSchedule &schedule, LoadOp load, RangeOp rows,
                        RangeOp columns, ArrayRef<RangeOp> shared) {
  auto type = cast<MemRefType>(load.getBuffer().getType());
  const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
  const int64_t stride = index.getCoefficient(rows);
  return !load.getMask() && !load.getBuffer().getDefiningOp() &&
         type.hasStaticShape() &&
         getBufferBytes(type) >= schedule.getTarget().cacheBytes &&
         index.getCoefficient(columns) == 1 && stride > 0 &&
         stride <= kMaxBufferSize / kMaxRows &&
         stride * type.getElementTypeBitWidth() / 8 >=
             schedule.getTarget().prefetchReach &&
         llvm::all_of(schedule.getResultRanges(), [&](RangeOp range) {
           return range.getLargestExtent() == 1 ||
                  schedule.dependsOn(load.getIndex(), range) !=
                      llvm::is_contained(shared, range);
         });
}

/// The matrices that a reduction down their columns reads, provided that all
/// other buffers it reads along the columns stay in a cache.
static SmallVector<LoadOp> findMatrices(KernelSchedule &schedule,
                                        RangedReduceOp reduce, RangeOp columns,
                                        ArrayRef<RangeOp> shared) {
  auto rows = reduce.getRanges().front().getDefiningOp<RangeOp>();
  SmallVector<LoadOp> matrices;
  for (Operation *op : KernelSchedule::getSlice(reduce.getValue())) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || !schedule.dependsOn(load.getResult(), columns))
      continue;
    auto type = cast<MemRefType>(load.getBuffer().getType());
    if (readsMatrix(schedule, load, rows, columns, shared))
      matrices.push_back(load);
    else if (!type.hasStaticShape() ||
             getBufferBytes(type) >= schedule.getTarget().l2Bytes)
      return {};
  }
  return matrices;
}

/// The ranges of a few results that share a matrix: the rows of a narrow left
/// factor. Nothing if they are too many.
static std::optional<SmallVector<RangeOp>>
findShared(KernelSchedule &schedule, RangedReduceOp reduce, RangeOp columns) {
  SmallVector<LoadOp> large;
  for (Operation *op : KernelSchedule::getSlice(reduce.getValue()))
    if (auto load = dyn_cast<LoadOp>(op)) {
      auto type = cast<MemRefType>(load.getBuffer().getType());
      if (type.hasStaticShape() &&
          getBufferBytes(type) >= schedule.getTarget().cacheBytes)
        large.push_back(load);
    }
  SmallVector<RangeOp> shared;
  int64_t positions = 1;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range == columns || range.getLargestExtent() == 1 ||
        llvm::any_of(large, [&](LoadOp load) {
          return schedule.dependsOn(load.getIndex(), range);
        }))
      continue;
    if (range.isSymbolic() || range.getKind() != RangeKind::loop ||
        range.getLargestExtent() > kMostShared / positions)
      return std::nullopt;
    positions *= range.getLargestExtent();
    shared.push_back(range);
  }
  return shared;
}

/// How many vectors of \p bytes make a piece of a row of \p vectors, which is
/// added to \p results rows: as many as
/// leave enough work items, and a divisor of the row if possible. None if
/// pieces would be short or very many.
static std::optional<int64_t> choosePiece(int64_t vectors, int64_t bytes,
                                          int64_t results, int64_t items,
                                          const TargetFacts &target) {
  // The accumulators of the longest piece stay in the L2 cache, most of them in
  // the L1 cache.
  const int64_t shortest = target.prefetchReach,
                longest = 2 * target.l1Bytes / results;
  const int64_t row = vectors * bytes;
  if (row < shortest || row / kMaxPieces > longest)
    return std::nullopt;
  int64_t pieces =
      std::max<int64_t>(llvm::divideCeil(row, longest),
                        llvm::divideCeil(target.parallelItems, items));
  pieces = std::min(pieces, row / shortest);
  for (int64_t more = pieces; more <= 2 * pieces; ++more)
    if (vectors % more == 0 && vectors / more * bytes >= shortest) {
      pieces = more;
      break;
    }
  if (pieces * items < kMinItems)
    return std::nullopt;
  return llvm::divideCeil(vectors, pieces);
}

/// The reductions that the kernel stores, if it does nothing else and they can
/// accumulate in memory.
SmallVector<RangedReduceOp> Heuristic::findStoredSums(RangeOp columns) {
  KernelOp kernel = schedule.getKernel();
  SmallVector<RangedReduceOp> reduces;
  if (kernel.getInPlace())
    return reduces;
  for (auto store : kernel.getBody().getOps<StoreOp>()) {
    auto reduce = store.getValue().getDefiningOp<RangedReduceOp>();
    if (!reduce || !reduce->hasOneUse() || reduce.getRanges().size() != 1 ||
        (!reduces.empty() &&
         reduce.getRanges() != reduces.front().getRanges()) ||
        store.getMask() || store.getUpdate() ||
        schedule.getAnalysis()
                .getLinear(store.getIndex())
                .getCoefficient(columns) != 1 ||
        !isa<IntegerType, Float32Type, Float64Type>(reduce.getType()))
      return {};
    reduces.push_back(reduce);
  }
  auto all = kernel.getBody().getOps<RangedReduceOp>();
  return reduces.size() == static_cast<size_t>(llvm::range_size(all))
             ? reduces
             : SmallVector<RangedReduceOp>();
}

bool Heuristic::accumulateRows() {
  RangeOp columns = chooseResultLane();
  if (!columns || columns.getKind() != RangeKind::loop ||
      columns.isSymbolic() ||
      columns.getLargestExtent() > kMaxBufferSize / kMaxRows)
    return false;
  SmallVector<RangedReduceOp> reduces = findStoredSums(columns);
  if (reduces.empty())
    return false;
  const std::optional<SmallVector<RangeOp>> shared =
      findShared(schedule, reduces.front(), columns);
  if (!shared || llvm::any_of(reduces, [&](RangedReduceOp reduce) {
        return findMatrices(schedule, reduce, columns, *shared).empty();
      }))
    return false;
  auto rows = reduces.front().getRanges().front().getDefiningOp<RangeOp>();
  const int64_t depth = rows.getLargestExtent();
  int64_t rowsInPass = kMaxRows;
  while (rowsInPass >= kMinRows && depth % rowsInPass != 0)
    --rowsInPass;
  if (rows.isSymbolic() || rowsInPass < kMinRows || depth <= rowsInPass ||
      depth > kMaxPasses * rowsInPass)
    return false;

  bool isHeavy = false;
  int64_t bytes = 0, items = 1, results = 1;
  for (RangedReduceOp reduce : reduces) {
    isHeavy |=
        needsManyRegisters(schedule.getSlice(reduce.getValue()).getArrayRef());
    bytes += getBufferBytes(getBufferType(reduce.getType(), 1));
  }
  for (RangeOp range : schedule.getResultRanges())
    if (range != columns)
      (llvm::is_contained(*shared, range) ? results : items) *=
          range.getLargestExtent();
  const int64_t width = getNumLanes(), extent = columns.getLargestExtent(),
                most =
                    isHeavy ? 1 : std::clamp<int64_t>(kMaxSums / results, 1, 4),
                count = fitLanes(extent, most * width, width),
                vectors = llvm::divideCeil(extent, count);
  std::optional<int64_t> piece =
      choosePiece(vectors, count * bytes, results, items, target);
  if (count <= 1 || !piece)
    return false;

  for (RangedReduceOp reduce : reduces)
    for (LoadOp load : findMatrices(schedule, reduce, columns, *shared))
      schedule.setPrefetch(load, rowsInPass * schedule.getAnalysis()
                                                  .getLinear(load.getIndex())
                                                  .getCoefficient(rows));
  report("accumulate", rows, rowsInPass);
  auto [passes, inPass] = schedule.split(rows, rowsInPass);
  schedule.setKind(inPass, RangeKind::unroll);
  schedule.accumulate(reduces, passes);
  if (*piece < vectors) {
    auto [pieces, inPiece] = schedule.split(columns, *piece * count);
    if (!shared->empty())
      schedule.moveBefore(pieces, shared->front());
    columns = inPiece;
  }
  columns = addLanes(columns, count).first;
  if (!shared->empty())
    schedule.moveBefore(columns, shared->front());
  for (RangeOp range : *shared)
    schedule.setKind(range, RangeKind::unroll);
  schedule.moveBefore(passes, columns);
  return true;
}
