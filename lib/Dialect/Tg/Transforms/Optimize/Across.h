//===- Across.h - tiles whose lanes are not stored together -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What tileAcross() works with. TileAcross.cpp chooses the lanes and the tile,
/// AcrossSteps.cpp applies the steps.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_ACROSS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_ACROSS_H

#include "TileAcross.h"

namespace mlir::tg {

/// Chooses a tile and applies its steps.
class Across {
public:
  Across(KernelSchedule &schedule, RangeOp columns, int64_t width,
         int64_t fewestPositions, bool mayTurn, RangeOp passes)
      : schedule(schedule), target(schedule.getTarget()), columns(columns),
        width(width), registers(target.vectorRegisters - 4),
        fewestPositions(fewestPositions), mayTurn(mayTurn), passes(passes) {}

  std::optional<AcrossTile> run();

private:
  /// Maximum size of packed operands, which stay in the L2 cache.
  int64_t getMostPackedBytes() const { return target.l2Bytes * 7 / 8; }
  /// Maximum size of a tile of windows, which shares the L2 cache with packed
  /// operands. A tile that all work items share, so that a thread fills it
  /// once, may be larger.
  int64_t getMostWindowBytes() const { return target.l2Bytes * 5 / 16; }
  int64_t getMostSharedBytes() const { return target.l2Bytes / 2; }

  //===--- Choices (TileAcross.cpp) ---===//
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
  bool skipsColumns();
  bool chooseLane();
  /// The accumulators of a tile, and its operands.
  static int64_t countRegisters(int64_t columns, int64_t vectors) {
    return columns * vectors + columns + vectors;
  }
  SmallVector<RangeOp> findUnrolled(RangedReduceOp reduce, int64_t copies);
  RangeOp findSharingRange(RangedReduceOp reduce, RangeOp along);
  bool isTileRow(RangedReduceOp reduce, RangeOp range);
  void chooseTileRow();
  bool chooseTile();
  std::optional<KernelSchedule::Window>
  findRowWindow(Value value, RangedReduceOp reduce, RangeOp rows,
                const KernelSchedule::Window &inColumns);
  RangeOp shareRows();
  bool isReadAgain(RangeOp images, RangeOp blocks);
  void groupRows();
  void findNeighbours();

  //===--- Steps (AcrossSteps.cpp) ---===//
  void moveOutside();
  RangedReduceOp stageReduce(RangedReduceOp reduce);
  bool isDecided(LoadOp load, RangedReduceOp reduce, RangeOp along);
  bool isDecidedByRow(Value tile, RangeOp rows);
  void stageWindows(RangedReduceOp reduce, RangeOp along);
  bool isStripOf(StageOp stage, RangeOp range, RangeOp lanes, int64_t count);
  void pack(RangedReduceOp reduce);
  void prefetch(Value tile, RangeOp along, int64_t positions);
  void mergeNeighbours(RangedReduceOp reduce);
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
  /// The range of the passes of a divided sum, or null.
  RangeOp passes;
  SmallVector<RangedReduceOp> reduces;
  /// Short reductions that depend on the columns too, but get no tile.
  SmallVector<RangedReduceOp> unsplit;
  /// Lanes and columns of a tile, and the lanes that share windows: those of
  /// one tile or of several.
  int64_t laneCount = 0, columnCount = 0, blockCount = 0;
  AcrossTile result;
  /// The lanes within a reduction, the vectors of a tile if their number is no
  /// power of two, and the tiles of a block if there are several.
  RangeOp inner, vectors, tiles;
  /// Ranges that a reduction unrolls.
  DenseMap<Operation *, SmallVector<RangeOp>> unrolled;
  /// Reductions that skip padding.
  DenseSet<Operation *> skipping;
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_ACROSS_H
