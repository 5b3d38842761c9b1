//===- Heuristic.h - the steps of a heuristic schedule ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The heuristic of tg-optimize-kernels. OptimizeKernels.cpp orders the steps;
/// TileResult.cpp makes register tiles, and GroupItems.cpp groups of work
/// items.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_HEURISTIC_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_HEURISTIC_H

#include "KernelSchedule.h"
#include "TinyGrad/Support/AsyncCopies.h"
#include "TinyGrad/Support/Occupancy.h"

namespace tinygrad {
struct MatrixUnit;
} // namespace tinygrad

namespace mlir::tg {

/// Maximum size of a square that is transposed in registers.
inline constexpr int64_t kSquare = 16;

/// Packing an element for lanes across the columns costs about as much as
/// computing this many positions.
inline constexpr int64_t kPackedPositions = 12;

/// The fewest rows of a register tile, unless there are fewer.
inline constexpr int64_t kFewRows = 4;

/// The fewest rows, or tiles of them, that reuse packed columns where register
/// tiles wait for these (16x1024x4096: 1.3 to 1.6 times as fast on a Sapphire
/// Rapids).
inline constexpr int64_t kMinUsesIfSlow = 3;

/// Chooses and applies the steps for one kernel.
class Heuristic {
public:
  explicit Heuristic(KernelOp kernel)
      : schedule(kernel), target(schedule.getTarget()) {}
  /// A trial on a copy of a kernel: remarks are kept in `reports`.
  Heuristic(KernelOp kernel, const TargetFacts &target)
      : schedule(kernel, target), target(target), isTrial(true) {}

  /// Schedules are numbered, from the best one to simpler ones. The last two of
  /// each target are the same: only work items, and no steps.
  static size_t countSchedules(const TargetFacts &target);
  static StringRef getName(size_t number, const TargetFacts &target);
  /// Of those, the ones for targets with groups of work items alone.
  static size_t countWays();
  static StringRef getWayName(size_t number);
  static size_t getWorkItems(const TargetFacts &target) {
    return countSchedules(target) - 2;
  }
  /// Applies the first schedule from number \p first on that fits the kernel,
  /// and returns its number.
  size_t run(size_t first);
  /// The steps, and what is wrong with them: one that the kernel did not admit,
  /// or one that is missing.
  ArrayRef<Attribute> getSteps() const { return schedule.getSteps(); }
  std::optional<std::string> findFault();
  bool hasTooManyPositions();

private:
  void runForProcessor();
  /// With lanes, but without tiles.
  void runWithLanes();
  /// Of several ways for targets with groups of work items, the first one from
  /// number \p first on that fits.
  struct Way;
  static ArrayRef<Way> getWays();
  size_t runForGroups(size_t first);
  void runWithoutOptimization();

  int64_t getNumLanes();
  int64_t countStrided(RangeOp lane, RangedReduceOp within);
  bool isTransposable(LoadOp load, RangedReduceOp reduce, RangeOp lane);
  bool needsManyRegisters(ArrayRef<Operation *> ops);
  bool hasLaneConflict(RangeOp lane) { return schedule.hasLaneConflict(lane); }
  RangeOp chooseResultLane(int64_t shortest = 8);
  bool tileAcrossColumns(RangeOp columns, int64_t fewestPositions,
                         bool mayTurn);
  RangeOp findReadLane(ArrayRef<RangedReduceOp> reduces);
  void readForward();
  void readInOrder();
  void mergeRanges();
  RangedReduceOp findOnlySum();
  RangeOp mergeImages(RangedReduceOp sum, RangeOp columns, int64_t shortest);
  RangeOp chooseColumns(RangedReduceOp sum, int64_t shortest);
  RangeOp chooseDepth(RangedReduceOp reduce, RangeOp columns, int64_t shortest,
                      int64_t longest, int64_t least);
  std::pair<RangeOp, RangeOp> addLanes(RangeOp range, int64_t lanes);
  void unrollWindows(ArrayRef<RangedReduceOp> reduces, int64_t tile);
  int64_t getLeastStage(int64_t stride, int64_t length);
  bool stageColumns(ArrayRef<RangedReduceOp> reduces, RangeOp rows,
                    RangeOp lane, ArrayRef<LoadOp> turned);
  bool rereadsLines(ArrayRef<RangedReduceOp> reduces, RangeOp lane);
  bool slidesAlong(ArrayRef<RangedReduceOp> reduces, RangeOp lane);
  bool isFar(LoadOp load, RangeOp depth, RangeOp lane, int64_t count,
             RangeOp rows);
  RangeOp shareRows(RangeOp rows, RangeOp columns);
  bool prefersNarrowTile(ArrayRef<RangedReduceOp> reduces, RangeOp rows,
                         RangeOp lane, int64_t count);
  bool readsPanels(ArrayRef<RangedReduceOp> reduces, RangeOp rows, RangeOp lane,
                   int64_t count);
  int64_t fitRows(int64_t extent, int64_t usual, int64_t most) const;
  void unrollDepth(ArrayRef<RangedReduceOp> reduces);
  int64_t getShare(RangeOp rows, int64_t items, int64_t unit);
  int64_t countTilesOfBlock(ArrayRef<RangedReduceOp> reduces, RangeOp rows,
                            RangeOp lane, int64_t count, int64_t rowCount);
  void tileBlocks(ArrayRef<RangedReduceOp> reduces, RangeOp rows, RangeOp lane,
                  int64_t count, int64_t rowCount, int64_t tileCount);
  void packBlock(RangedReduceOp reduce, RangeOp tiles, RangeOp lane);
  void prefetchRowTile(RangedReduceOp reduce, RangeOp rows);
  void separateReduces();
  void stageRepeated();
  void vectorizeStages();
  SmallVector<RangedReduceOp> findStoredSums(RangeOp columns);
  bool accumulateRows();
  void divideDepth(RangeOp lane);
  bool waitsForColumns() const;
  int64_t getPositionsToPackFor(RangeOp columns, int64_t width,
                                int64_t depth) const;
  struct Factors;
  std::optional<Factors> findTransposedFactors(RangedReduceOp reduce,
                                               RangeOp columns);
  bool doLinesStay(Factors factors);
  bool hasManyLines(Factors factors, int64_t depth, RangeOp columns);
  bool isDividedForLines(Factors factors, RangeOp columns);
  std::optional<int64_t> getPassAroundItems(RangedReduceOp sum,
                                            RangeOp columns);
  bool tileTransposed(ArrayRef<RangedReduceOp> reduces, RangeOp lane);
  bool tileResult();
  bool tileDepth();
  void vectorizeReduces();
  void vectorizeResult();
  /// Computes the elements of both halves of a random tensor together.
  void shareBlocks();
  RangeOp findTakingTurns(RangeOp turns);
  RangeOp mergeTurns(RangeOp turns);
  RangeOp findTransposed(RangeOp lane);
  RangeOp findTurned(RangedReduceOp reduce, RangeOp lane);
  void addSquares(RangeOp lane, RangeOp across, int64_t size);
  void parallelize(RangeOp end = {}, ArrayRef<RangedReduceOp> repeated = {});
  bool hasScan();
  bool admits(RangeOp range, RangeKind kind, int64_t band = 0);
  bool admitsReverse(RangeOp range);
  bool admitsMove(RangeOp range, RangeOp other);

  // For targets with groups. Those that return a bool apply a whole schedule,
  // or return false and leave the kernel unchanged.
  /// How a group may share a reduction: along the range `row`, or neighboring
  /// results along `column`, along which loads are contiguous. Null if they
  /// are not.
  struct Sharing {
    RangeOp row, column;
    RangeOp longest; ///< of the reduction
  };
  Sharing findSharing(RangedReduceOp reduce);
  SmallVector<RangedReduceOp> findSharedReduces();
  int64_t countAccessLanes(RangeOp range);
  std::pair<RangeOp, RangeOp> splitItems(RangeOp range, int64_t items,
                                         int64_t lanes);
  bool tileProducts();
  bool contractProducts();
  bool contractOnWarpgroups();
  /// The same for a number of copies, a power of two, which is halved.
  int64_t takeCopies(int64_t copies) {
    for (int64_t i = 0; i < numSkipped && copies > 1; ++i)
      copies /= 2;
    canSkip |= copies > 1;
    return copies;
  }
  /// Of blocks from the largest one on, the one that this trial takes: each
  /// trial of a way skips one more, because those would leave too few groups on
  /// a compute unit. The last one is never skipped.
  template <typename Block> Block takeBlock(ArrayRef<Block> blocks) {
    const size_t place =
        std::min(static_cast<size_t>(numSkipped), blocks.size() - 1);
    canSkip = place + 1 < blocks.size();
    return blocks[place];
  }
  /// Why a way does not apply, for a remark. Returns false.
  bool isUnfit(const Twine &why) {
    unfit = why.str();
    return false;
  }
  /// The ranges that fill a tile: one along which the factor is contiguous in
  /// memory, and the other one. Rows of the tile may be along the latter. If
  /// neighbors write pieces of several rows, `isSpread` keeps these rows apart:
  /// where a tile is permuted, pieces of the next rows are in the same banks.
  struct Fill {
    RangeOp contiguous, other;
    bool isTurned = false, isSpread = false;
  };
  bool isContiguous(Value value, RangeOp range);
  int64_t countAligned(LoadOp load, RangeOp range);
  int64_t countContiguous(LoadOp load, RangeOp range);
  int64_t countAtOnce(Value value, RangeOp range, int64_t most);
  RangeOp splitDepth(RangedReduceOp reduce, RangeOp depth, int64_t size);
  void distributeFill(RangeOp range, ArrayRef<int64_t> digits);
  void splitFill(Fill fill, int64_t width, ArrayRef<int64_t> axes,
                 bool mayNarrow = false);
  /// Whether asynchronous copies are those of subgroups.
  bool copiesBySubgroups() const {
    return target.asyncCopies == int64_t(tinygrad::AsyncCopies::ofSubgroups);
  }
  void splitDirectFill(Fill fill, int64_t width, ArrayRef<int64_t> axes);
  /// Two tiles of which several buffers are filled ahead, in the loops of a
  /// sum.
  struct Ahead {
    std::array<StageOp, 2> tiles;
    SmallVector<RangeOp> loops;
    int64_t buffers = 0;
  };
  std::optional<Ahead>
  planAhead(RangedReduceOp reduce, bool isOfUnit = false,
            int64_t fewestGroups = tinygrad::kBlockedGroups);
  bool mayFillDirectly(const tinygrad::MatrixUnit &unit, RangeOp depth,
                       std::array<RangeOp, 2> sides,
                       std::array<Value, 2> factors);
  std::optional<StringRef>
  findObstacleToDirectFills(const tinygrad::MatrixUnit &unit,
                            const Ahead &ahead, ArrayRef<Fill> fills,
                            int64_t width, int64_t items);
  void fillAhead(const std::optional<Ahead> &ahead);
  bool shareWindows();
  bool shareRows();
  void distributeRow(ArrayRef<RangeOp> rows, int64_t items);
  void spreadRow(ArrayRef<RangeOp> rows, double parts, double numRows);
  void unrollFew(RangeOp range);
  bool shareColumns();
  bool turnShortRows(RangeOp column);
  bool turnTiles();
  void vectorizeRows();
  bool isReused(ArrayRef<RangedReduceOp> reduces, RangeOp range);
  int64_t tileItems(RangeOp lane, int64_t lanes, double positions);
  void partitionUpdates();
  bool isLastScanned(RangeOp range);
  bool distribute();

  void report(StringRef step, RangeOp range, int64_t amount);
  void emitReport(StringRef step, int64_t range, int64_t amount);

  struct Report {
    std::string step;
    int64_t range, amount;
  };

  KernelSchedule schedule;
  const TargetFacts &target;
  const bool isTrial = false;
  RangeOp passes;               ///< of a sum whose depth is divided
  bool runsAroundItems = false; ///< whether passes do
  SmallVector<Report> reports;  ///< of a trial
  std::string unfit;            ///< why the last way did not apply, if known
  std::string waiting;          ///< why tiles are not filled ahead, if any are
  /// How many of the blocks that a way would choose are too large, and whether
  /// there is a smaller one than that of the last trial.
  int64_t numSkipped = 0;
  bool canSkip = false;
};

/// Whether a register tile of few rows waits for its columns, which it reads
/// from the second-level cache.
bool waitsForColumns(const TargetFacts &target);

/// Whether the extent is a multiple of \p count, for all values of variables.
bool isMultiple(RangeOp range, int64_t count);

/// Whether a kernel that works in place reads what it overwrites only where it
/// overwrites it, and after the sum. Then it does not matter which item
/// computes which results. What other arguments read may be overwritten memory
/// too; the scheduler lets a kernel read that at the same element alone, and
/// copies the old contents otherwise.
bool readsOwnElements(KernelSchedule &schedule, RangedReduceOp reduce);

/// The number of lanes, a power of two up to `limit`, that takes the fewest
/// registers for \p extent positions; the largest of about equal choices.
int64_t fitLanes(int64_t extent, int64_t limit, int64_t width);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_HEURISTIC_H
