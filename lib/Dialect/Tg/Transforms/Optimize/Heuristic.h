//===- Heuristic.h - the steps of a heuristic schedule ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What tg-optimize-kernels does to a kernel. OptimizeKernels.cpp has the order
/// of the steps, TileResult.cpp those that make register tiles.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_HEURISTIC_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_HEURISTIC_H

#include "ScheduleSteps.h"

namespace mlir::tg {

/// Rows and columns of a square that is transposed in registers at most.
inline constexpr int64_t kSquare = 16;

/// Chooses and carries out the steps for one kernel.
class Heuristic {
public:
  explicit Heuristic(KernelOp kernel)
      : schedule(kernel), target(schedule.getTarget()),
        stages(kernel.getBody().getOps<StageOp>()) {}

  void run();
  void runWithoutOptimization();
  bool hasTooManyPositions();

private:
  int64_t getNumLanes();
  int64_t countStrided(RangeOp lane, RangedReduceOp within);
  bool isTransposable(LoadOp load, RangedReduceOp reduce, RangeOp lane);
  bool needsManyRegisters(ArrayRef<Operation *> ops);
  bool hasLaneConflict(RangeOp lane);
  RangeOp chooseResultLane(int64_t shortest = 8);
  bool tileAcrossColumns(RangeOp columns, int64_t fewestPositions,
                         bool mayTurn);
  RangeOp findReadLane(ArrayRef<RangedReduceOp> reduces);
  void readForward();
  void readInOrder();
  void mergeRanges();
  std::pair<RangeOp, RangeOp> addLanes(RangeOp range, int64_t lanes);
  void unrollWindows(ArrayRef<RangedReduceOp> reduces, int64_t tile);
  int64_t getLeastStage(int64_t stride, int64_t length);
  void stageColumns(ArrayRef<RangedReduceOp> reduces, RangeOp rows,
                    RangeOp lane, ArrayRef<LoadOp> turned);
  void shareRows(RangeOp columns);
  void separateReduces();
  bool isSameBut(Value value, Value other, Value from, Value to);
  bool isSameBut(Value value, Value other, Value from, Value to,
                 DenseSet<std::pair<Value, Value>> &same);
  void stageRepeated();
  void vectorizeStages();
  SmallVector<RangedReduceOp> findSumsOfRows(RangeOp columns);
  bool accumulateRows();
  void tileResult();
  void vectorizeReduces();
  void vectorizeResult();
  RangeOp findTransposed(RangeOp lane);
  RangeOp findTurned(RangedReduceOp reduce, RangeOp lane);
  void addSquares(RangeOp lane, RangeOp across, int64_t size);
  void parallelize();
  bool hasScan();
  bool mayMeetAlong(RangeOp lane);
  void report(StringRef step, RangeOp range, int64_t amount);

  KernelSchedule schedule;
  const TargetFacts &target;
  /// Ranges whose positions are lanes.
  SmallVector<RangeOp> lanes;
  bool hasSquares = false;
  /// Tiles that the kernel has from the beginning. What a work item writes may
  /// overwrite what such a tile was filled with.
  SmallVector<StageOp> stages;
  /// Reductions that work items may repeat.
  SmallVector<RangedReduceOp> checks;
  /// A range over which a staged tile is used again, if there is one.
  RangeOp stagedBefore;
};

/// How many lanes, a power of two up to `limit`, take the fewest registers in
/// all for \p extent positions; the most lanes of about equal choices.
int64_t fitLanes(int64_t extent, int64_t limit, int64_t width);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_HEURISTIC_H
