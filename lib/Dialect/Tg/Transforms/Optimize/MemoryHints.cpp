//===- MemoryHints.cpp - prefetches and non-temporal stores ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Marks non-temporal stores and adds prefetches.
///
//===----------------------------------------------------------------------===//

#include "MemoryHints.h"

using namespace mlir;
using namespace mlir::tg;

/// Prefetch distance within a matrix, in bytes.
constexpr int64_t kBytesAhead = 8 << 10;

static bool isLarge(KernelSchedule &schedule, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.hasStaticShape() &&
         getBufferBytes(type) >= schedule.getTarget().cacheBytes;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Whether consecutive vectors are accessed at \p position, within loops over
/// \p ranges: the innermost loop advances by the number of lanes, and a
/// register tile does not access several rows side by side.
static bool isSequential(KernelSchedule &schedule, Value position,
                         ArrayRef<RangeOp> ranges) {
  const LinearForm &index = schedule.getAnalysis().getLinear(position);
  RangeOp loop, lane;
  int64_t step = 0;
  for (RangeOp range : ranges) {
    if (range.getKind() == RangeKind::upcast)
      lane = range;
    else if (range.getKind() != RangeKind::unroll)
      loop = range;
    else
      step = std::max(step, index.getCoefficient(range));
  }
  return loop && lane && step <= lane.getLargestExtent() &&
         index.getCoefficient(loop) == lane.getLargestExtent();
}

/// Whether a register tile writes whole cache lines of each of its rows: the
/// processor need not read them first, nor hold parts of many of them.
static bool writesWholeLines(KernelSchedule &schedule, StoreOp store) {
  const TargetFacts &target = schedule.getTarget();
  // Sums so far are read again in the next pass, from a cache.
  if (!target.nontemporalTiles || store.getUpdate())
    return false;
  const LinearForm &index = schedule.getAnalysis().getLinear(store.getIndex());
  const int64_t line =
      target.lineBytes /
      llvm::divideCeil(store.getValue().getType().getIntOrFloatBitWidth(), 8);
  bool isWhole = false;
  for (RangeOp range : schedule.getResultRanges()) {
    const int64_t step = index.getCoefficient(range);
    const bool isLane = range.getKind() == RangeKind::upcast;
    if (isLane && store.getMask() && schedule.dependsOn(store.getMask(), range))
      return false;
    if (isLane && step == 1)
      isWhole = range.getLargestExtent() % line == 0;
    else if (step % line != 0)
      return false;
  }
  return isWhole;
}

/// Whether squares of the result are transposed in registers: a load is
/// contiguous along unrolled rows and strided along the lanes. Each row of a
/// square is then on a cache line of its own.
static bool hasSquares(KernelSchedule &schedule) {
  SmallVector<RangeOp> ranges = schedule.getResultRanges();
  auto isSquare = [&](RangeOp row, RangeOp lane) {
    if (row.getKind() != RangeKind::unroll ||
        lane.getKind() != RangeKind::upcast ||
        row.getLargestExtent() != lane.getLargestExtent())
      return false;
    auto loads = schedule.getKernel().getBody().getOps<LoadOp>();
    return llvm::any_of(loads, [&](LoadOp load) {
      const LinearForm &index =
          schedule.getAnalysis().getLinear(load.getIndex());
      return index.getCoefficient(row) == 1 &&
             index.getCoefficient(lane) >= lane.getLargestExtent();
    });
  };
  return llvm::any_of(ranges, [&](RangeOp row) {
    return llvm::any_of(ranges,
                        [&](RangeOp lane) { return isSquare(row, lane); });
  });
}

void tg::storeNonTemporally(KernelSchedule &schedule) {
  KernelOp kernel = schedule.getKernel();
  if (kernel.getInPlace())
    return;
  for (auto store : kernel.getBody().getOps<StoreOp>())
    if (isLarge(schedule, store.getBuffer()) &&
        (hasSquares(schedule) ||
         isSequential(schedule, store.getIndex(), schedule.getResultRanges()) ||
         writesWholeLines(schedule, store)))
      schedule.setNontemporal(store);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Whether the load reads each element once, row by row along \p row; the other
/// ranges run within a row. \p stride is the distance between rows.
static bool readsRows(KernelSchedule &schedule, LoadOp load, RangeOp row,
                      int64_t &stride) {
  const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
  stride = index.getCoefficient(row);
  if (stride <= 0)
    return false;
  int64_t length = 1;
  bool isVector = false, mayBeShort = false;
  for (RangeOp range : schedule.getRanges()) {
    if (range == row)
      continue;
    const int64_t step = index.getCoefficient(range);
    if (!schedule.dependsOn(load.getIndex(), range)) {
      // Elements would be read again, from a cache.
      if (schedule.isResultRange(range))
        return false;
      continue;
    }
    if (step <= 0 || range.getLargestExtent() > stride)
      return false;
    length += step * (range.getLargestExtent() - 1);
    mayBeShort |= range.isSymbolic();
    isVector |= range.getKind() == RangeKind::upcast && step == 1;
  }
  const int64_t bytes = llvm::divideCeil(
      length *
          cast<MemRefType>(load.getBuffer().getType()).getElementTypeBitWidth(),
      8);
  // Rows without gaps are one long row. Shorter rows are too close to be
  // prefetched in time. Longer ones would be evicted from the L2 cache before
  // use, and few of them begin anyway.
  const TargetFacts &target = schedule.getTarget();
  return isVector && length <= stride && (mayBeShort || length < stride) &&
         bytes >= target.prefetchReach && bytes <= target.l2Bytes / 16;
}

/// Whether the load fills a tile row by row.
static bool fillsTile(KernelSchedule &schedule, LoadOp load, StageOp stage,
                      RangeOp row, int64_t &stride) {
  const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
  RangeOp lane = stage.getRanges().back().getDefiningOp<RangeOp>();
  stride = index.getCoefficient(row);
  return index.getCoefficient(lane) == 1 && stride > 0 &&
         stage.getRanges().size() == 2;
}

void tg::prefetchRows(KernelSchedule &schedule) {
  if (schedule.getRanges().empty())
    return;
  RangeOp row = schedule.getRanges().front();
  if (row.getKind() != RangeKind::thread)
    return;
  KernelOp kernel = schedule.getKernel();
  DenseMap<Operation *, StageOp> stages;
  for (auto stage : kernel.getBody().getOps<StageOp>())
    for (Operation *op : KernelSchedule::getSlice(stage.getValue()))
      stages.try_emplace(op, stage);
  for (auto load : kernel.getBody().getOps<LoadOp>()) {
    StageOp stage = stages.lookup(load);
    int64_t stride = 0;
    if (isLarge(schedule, load.getBuffer()) &&
        (stage ? schedule.getTarget().prefetchTiles != 0 &&
                     fillsTile(schedule, load, stage, row, stride)
               : readsRows(schedule, load, row, stride)) &&
        stride <= kMaxBufferSize)
      schedule.setPrefetch(load, stride);
  }
}

void tg::prefetchStreams(KernelSchedule &schedule) {
  const TargetFacts &target = schedule.getTarget();
  KernelOp kernel = schedule.getKernel();
  if (target.prefetchAhead == 0)
    return;
  auto isRead = [&](LoadOp load) {
    auto type = cast<MemRefType>(load.getBuffer().getType());
    return !load.getPrefetch() && !load.getMask() &&
           !load.getBuffer().getDefiningOp() && type.hasStaticShape() &&
           getBufferBytes(type) >= target.l2Bytes;
  };
  auto prefetch = [&](LoadOp load, ArrayRef<RangeOp> ranges) {
    if (isRead(load) && isSequential(schedule, load.getIndex(), ranges))
      schedule.setPrefetch(load,
                           target.prefetchAhead * 8 /
                               cast<MemRefType>(load.getBuffer().getType())
                                   .getElementTypeBitWidth());
  };
  auto reduces = llvm::to_vector(kernel.getBody().getOps<RangedReduceOp>());
  if (reduces.empty())
    for (auto load : llvm::to_vector(kernel.getBody().getOps<LoadOp>()))
      prefetch(load, schedule.getResultRanges());
  // A sum alone waits for nothing but memory.
  if (llvm::none_of(kernel.getBody().getOps<StoreOp>(), [&](StoreOp store) {
        return isLarge(schedule, store.getBuffer());
      }))
    return;
  for (RangedReduceOp reduce : reduces) {
    SmallVector<RangeOp> ranges;
    for (Value range : reduce.getRanges())
      ranges.push_back(range.getDefiningOp<RangeOp>());
    for (Operation *op : KernelSchedule::getSlice(reduce.getValue()))
      if (auto load = dyn_cast<LoadOp>(op))
        prefetch(load, ranges);
  }
}

void tg::prefetchColumns(KernelSchedule &schedule) {
  KernelOp kernel = schedule.getKernel();
  for (auto reduce : kernel.getBody().getOps<RangedReduceOp>()) {
    auto row = reduce.getRanges().back().getDefiningOp<RangeOp>();
    if (row.getKind() != RangeKind::loop)
      continue;
    for (Operation *op : KernelSchedule::getSlice(reduce.getValue())) {
      auto load = dyn_cast<LoadOp>(op);
      if (!load || load.getPrefetch() || load.getMask())
        continue;
      auto type = cast<MemRefType>(load.getBuffer().getType());
      const int64_t bits = type.getElementTypeBitWidth();
      const LinearForm &index =
          schedule.getAnalysis().getLinear(load.getIndex());
      const int64_t stride = index.getCoefficient(row);
      if (load.getBuffer().getDefiningOp() || !type.hasStaticShape() ||
          stride <= 0 || stride > kMaxBufferSize / kBytesAhead ||
          getBufferBytes(type) < schedule.getTarget().l2Bytes ||
          stride * bits / 8 < schedule.getTarget().prefetchReach)
        continue;
      // The length of the piece, if each of its elements is read once.
      int64_t piece = bits / 8;
      bool isVector = false, isReused = false;
      for (RangeOp range : schedule.getResultRanges()) {
        if (!schedule.dependsOn(load.getIndex(), range)) {
          // Unrolled positions share one load.
          isReused |= range.getKind() != RangeKind::unroll &&
                      range.getLargestExtent() > 1;
        } else if (range.getKind() == RangeKind::upcast ||
                   range.getKind() == RangeKind::unroll) {
          isVector |= range.getKind() == RangeKind::upcast &&
                      index.getCoefficient(range) == 1;
          piece *= range.getLargestExtent();
        }
      }
      if (isVector && !isReused)
        schedule.setPrefetch(
            load, stride * std::max<int64_t>(kBytesAhead / piece, 2));
    }
  }
}
