//===- KernelSchedule.h - steps that schedule a kernel ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of a schedule. Each is a local rewrite of ranges that preserves
/// what the kernel computes, and can be written as data (`#tg.step`).
/// Heuristics and searches choose the steps.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_KERNELSCHEDULE_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_KERNELSCHEDULE_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"

namespace mlir::tg {

/// The ranges that an operation names, other than in its indices.
MutableOperandRange getNamedRanges(Operation *op);
bool namesRange(Operation *op, RangeOp range);
/// The ranges that a reduction closes.
SmallVector<RangeOp> getClosedRanges(RangedReduceOp reduce);
/// Whether the value is computed from \p op.
bool isComputedFrom(Value value, Operation *op);

/// A kernel and its ranges in loop order. Each step is recorded.
class KernelSchedule {
public:
  explicit KernelSchedule(KernelOp kernel)
      : KernelSchedule(kernel, getTargetFacts(kernel)) {}
  /// For a kernel that is in no module.
  KernelSchedule(KernelOp kernel, const TargetFacts &target);

  /// Why the step cannot be applied to the kernel as it is; none if it can.
  std::optional<std::string> findObstacle(StepAttr step);
  /// Applies a step that has no obstacle.
  void apply(StepAttr step);
  /// A step that was not applied, or after which groups cannot run the kernel.
  struct Refused {
    StepAttr step;
    std::string reason;
  };
  /// Applies the steps in their order. Groups of the target need not be able to
  /// run the kernel between two steps, only after the last one.
  std::optional<Refused> applyAll(ArrayRef<StepAttr> steps);
  /// Why a group of the target could not run the kernel as it is; none if it
  /// could.
  std::optional<std::string> findObstacleToLayout();
  /// What the steps so far leave unfinished; none if nothing.
  std::optional<std::string> findUnfinished();
  /// The steps so far.
  ArrayRef<Attribute> getSteps() const { return steps; }
  /// From now on, asks of each step whether the kernel admits it before it is
  /// applied, except whether groups can run the kernel after it.
  void checkSteps() { isChecked = true; }
  /// The first step that the kernel did not admit; none if it admitted all.
  const std::optional<Refused> &getRefused() const { return refused; }

  KernelOp getKernel() const { return kernel; }
  /// The target of the kernel.
  const TargetFacts &getTarget() const { return target; }
  ArrayRef<RangeOp> getRanges() const { return ranges; }
  /// Whether a step that is not needed may make as many ranges: the steps after
  /// it make some, too.
  bool hasRoomFor(size_t count) const;
  /// The tiles of a kernel that works in place before any step: the kernel may
  /// overwrite the memory from which such a tile was filled.
  ArrayRef<StageOp> getGivenTiles() const { return givenTiles; }
  IndexAnalysis &getAnalysis() { return analysis; }

  /// Whether a scan is over the range.
  bool isScanned(RangeOp range);
  /// Whether the order of the range's positions matters: a scan runs over it,
  /// or an update reaches an element several times along it.
  bool isOrdered(RangeOp range);
  /// Whether the order of positions matters to some update.
  bool hasOrderedUpdate();
  /// Whether no reduce or stage closes the range: it spans the result.
  bool isResultRange(RangeOp range) const;
  SmallVector<RangeOp> getResultRanges() const;
  /// Whether some operation depends on the range and on another one whose
  /// positions are lanes.
  bool hasLaneConflict(RangeOp lane);
  /// Whether the positions of a loop, or of the inner one after a split by a
  /// power of two, may be lanes.
  bool admitsLanes(RangeOp range);
  /// Whether the positions of a loop may be work items of a processor.
  bool admitsThreads(RangeOp range);
  /// Whether \p other is computed like \p value, but at the positions of \p to
  /// where that is at those of \p from. A value that depends on \p from is not
  /// the same as itself.
  bool isSameBut(Value value, Value other, RangeOp from, RangeOp to);
  /// Whether an update may reach one element at several positions of the range,
  /// as far as the index shows.
  bool mayMeetAlong(RangeOp range);
  /// The reduces that close the range.
  SmallVector<RangedReduceOp> getReduces(RangeOp range) const;
  bool dependsOn(Value value, RangeOp range);
  /// Whether a tile may hold values of the type: conditions and indices are
  /// computed where they are used.
  static bool fitsTile(Type type) {
    return !type.isIndex() && !type.isInteger(1);
  }
  /// Everything that the value is computed from, except inner reduces and
  /// tiles.
  static llvm::SetVector<Operation *> getSlice(Value value);

  /// SPLIT: a range of extent n becomes outer * factor + inner, with n / factor
  /// outer positions, rounded up. If the factor does not divide the extent,
  /// loads, stores and reduced values past the end are masked, and the last
  /// outer position is peeled; for a symbolic extent only if there is a
  /// remainder at run time. Both ranges take the place of the range; returns
  /// (outer, inner).
  std::pair<RangeOp, RangeOp> split(RangeOp range, int64_t factor);

  /// MERGE: two neighboring ranges become one of all their positions. Where an
  /// index does not use them as outer * extent(inner) + inner, they are the
  /// quotient and the remainder of the new range. Requires that the same
  /// operations close both, and that the inner one is static.
  bool areMergeable(RangeOp outer, RangeOp inner);
  /// Whether no index needs a quotient or remainder.
  bool canMerge(RangeOp outer, RangeOp inner);
  /// Whether this one does not.
  bool isEvenIn(Value sum, RangeOp outer, RangeOp inner);
  RangeOp merge(RangeOp outer, RangeOp inner);

  /// REVERSE: the positions of a static result range come in reverse order.
  void reverse(RangeOp range);

  /// SWAP: moves a range before another one in loop order.
  void moveBefore(RangeOp range, RangeOp other);

  /// \p band: groups go through so many positions of the range at once
  /// (TgGroupOrder.h); 0: one after the other.
  void setKind(RangeOp range, RangeKind kind, int64_t band = 0);

  /// UNSHARE: gives the reduce ranges that no other reduce uses, or \p onto,
  /// the ranges that an earlier reduce over the same ones was given. Returns
  /// the ranges.
  SmallVector<RangeOp> unshare(RangedReduceOp reduce,
                               ArrayRef<RangeOp> onto = {});

  /// ACCUMULATE: initializes stores with the identity, and adds the results of
  /// the reduces at each position of \p range, which all of them close, to what
  /// is stored. The range may then move outside of ranges of the result.
  /// Requires that all uses of the reduces are stores without an update.
  void accumulate(ArrayRef<RangedReduceOp> reduces, RangeOp range);

  /// STAGE: computes the value once at all positions of \p over, into a
  /// row-major tile of local memory, and loads it from there. The tile is
  /// filled where the other ranges that the value depends on are open. Its rows
  /// have room for a multiple of \p pad elements, by which the last range must
  /// eventually be split. Returns the tile and the ranges that fill it.
  std::pair<Value, SmallVector<RangeOp>>
  stage(Value value, ArrayRef<RangeOp> over, int64_t pad = 1);
  /// What fills a tile that stage() returned.
  static StageOp getStage(Value tile) {
    return tile.getDefiningOp<BarrierOp>().getTile().getDefiningOp<StageOp>();
  }

  /// REUSE: replaces a value that is computed like that in a tile, but at the
  /// positions \p at, by a load from the tile.
  void reuse(Value value, Value tile, ArrayRef<RangeOp> at);

  /// The ranges of a reduce that all indices of \p value add to \p columns in
  /// the same proportion, as the positions within a window are added to those
  /// of the window: stride * columns + the sum of dilation * range.
  struct Window {
    int64_t stride = 1;
    SmallVector<std::pair<RangeOp, int64_t>> parts;
    /// The number of positions that such a sum can have.
    int64_t extent = 1;
  };
  /// The window along static \p columns of a value that depends on them and on
  /// \p over; none if an index is not a linear form.
  std::optional<Window> findWindow(Value value, RangeOp columns,
                                   ArrayRef<RangeOp> over);

  /// STAGE_WINDOW: like STAGE, for the windows of a value that \p reduce is
  /// computed from, along one or two ranges \p along without a common part. The
  /// tile spans the ranges of the reduce that belong to no window, and the sums
  /// of each window, so that overlapping windows are computed once. Returns the
  /// tile and the ranges that fill it; the last ones are those of the sums, in
  /// the order of \p along.
  std::pair<Value, SmallVector<RangeOp>> stageWindows(Value value,
                                                      RangedReduceOp reduce,
                                                      ArrayRef<RangeOp> along,
                                                      int64_t pad = 1);

  /// SKIP_MASKED (see SkipMasked.cpp): for a sum of products with a masked \p
  /// load, if the mask bounds a range of the sum for all of \p columns alike
  /// (the rows of padding around an image), or one of the columns together with
  /// a range of the sum (the columns of padding). Products out of bounds become
  /// zeros, which a loop over the range skips, or a branch for the columns at
  /// either end:
  ///
  ///   sum of load * other  ->  sum of where(bounds, load * other, 0)
  ///
  /// A factor of zero alone does not make a product of floats zero: `other`
  /// must be finite. Therefore the step requires that `other` will be packed
  /// along \p lanes, and for floats that CHECK_FINITE follows. Returns whether
  /// it was applied.
  bool skipMasked(RangedReduceOp reduce, LoadOp load, ArrayRef<RangeOp> columns,
                  RangeOp lanes);
  /// The conditions of the load's mask that it would use.
  SmallVector<Value> findSkippable(RangedReduceOp reduce, LoadOp load,
                                   ArrayRef<RangeOp> columns, RangeOp lanes);

  /// CHECK_FINITE: with the other factor in a tile with \p laneCount lanes,
  /// ensures that no product is skipped where the tile holds a non-finite
  /// number. The check runs once, after the tile is filled, and becomes part of
  /// each bound, since loops and branches use the bounds one by one:
  ///
  ///   where(rows and columns, ...)
  ///     -> where((rows or infinite) and (columns or infinite), ...)
  ///
  /// Returns the reductions that compute the check.
  SmallVector<RangedReduceOp> checkFinite(RangedReduceOp reduce, RangeOp lanes,
                                          int64_t laneCount);

  /// PREFETCH: prefetches the element \p distance positions ahead.
  void setPrefetch(LoadOp load, int64_t distance);
  void setPrefetch(StoreOp store, int64_t distance);
  /// NONTEMPORAL: the store bypasses the caches.
  void setNontemporal(StoreOp store);

  /// CONTRACT (see Contraction.h): a sum of products of elements of tiles is
  /// computed by the matrix operation at this place of the table. Zeros by
  /// which a split has masked the products are omitted, since the tiles hold
  /// them: what is computed from masked loads is masked itself.
  void contract(RangedReduceOp reduce, int64_t unit);

  /// BUFFER: gives the tile of a group memory for \p count tiles.
  void setBuffers(StageOp stage, int64_t count);
  /// BUFFER: the results go through memory of the group, of which copies of
  /// boxes take them (`as tma`).
  void storeBoxes(StoreOp store);

  /// PARTITION: adds a range of owners of the elements that updates reach.
  /// Each owner goes through all positions, and updates the elements whose
  /// number, modulo \p count, is its own. Returns the range.
  RangeOp partition(int64_t count);
  static constexpr int64_t kMaxOwners = 1 << 20;
  /// The number of the elements that all stores update: the only part of their
  /// indices that is no range. Null if there is no such value.
  Value findKey();
  std::optional<std::string> findObstacleToPartition(int64_t count);

private:
  class Recording;

  /// Creates a range of kind `loop` before another one in loop order. Its users
  /// come after all ranges. Call `changed` afterwards.
  RangeOp createRange(Dim extent, RangeOp before);
  /// To be called after operations were added or erased.
  void changed();
  bool isSameBut(Value value, Value other, RangeOp from, RangeOp to,
                 DenseSet<std::pair<Value, Value>> &same);
  /// Whether a value is computed from memory that the kernel writes in place.
  bool readsOutput(Value value);
  /// Whether the kernel reads an element that one position of the range alone
  /// writes, which the mask of the store selects. The order of ranges then
  /// decides what other positions read.
  bool readsSelectedWrites(RangeOp range);
  bool hasUpdate();
  RangeOp findRange(int64_t id) const;
  Operation *findOp(const StepOperand &operand) const;
  StepOperand getOperand(Operation *op) const;
  /// The packed factor of the skipped products.
  LoadOp findPacked(RangedReduceOp reduce, RangeOp lanes);
  SmallVector<std::pair<RangeOp, Window>>
  findWindows(Value value, RangedReduceOp reduce, ArrayRef<RangeOp> along);
  std::optional<std::string> findObstacleToKind(RangeOp range, RangeKind kind);
  std::optional<std::string> findObstacleToLanes(RangeOp range);
  std::optional<std::string> findObstacleToGroups(RangeOp range,
                                                  RangeKind kind);
  /// Why a group of the target could not run the kernel after the step.
  /// Obstacles other than that groups could not run the kernel.
  std::optional<std::string> findObstacleToStep(StepAttr step);
  std::optional<std::string> findObstacleToLayout(StepAttr step);
  /// What forbids that positions of a result range run as work items.
  std::optional<std::string> findObstacleToWorkItems(RangeOp range);
  std::optional<std::string> findObstacleToMove(RangeOp range, RangeOp other);
  std::optional<std::string>
  findObstacleToStage(Value value, ArrayRef<RangeOp> over, int64_t pad);
  size_t countNewRanges(StepAttr step);
  std::optional<std::string> findObstacleToContract(RangedReduceOp reduce,
                                                    int64_t unit);
  /// The condition that masks a load from which the tile's element that \p load
  /// reads is computed, if it says of this element what \p condition says; else
  /// null.
  Value findMask(LoadOp load, Value condition);
  /// Replaces a value by a load of the tile's element at \p positions, which
  /// run over \p extents.
  void replaceByLoad(Value value, Value tile, ArrayRef<Value> positions,
                     ArrayRef<int64_t> extents);
  /// The sum at the current positions: the index into a tile of windows.
  Value getWindowPosition(RangeOp columns, const Window &window);
  std::pair<Value, SmallVector<RangeOp>>
  createTile(Value value, ArrayRef<RangeOp> ranges, int64_t pad);
  /// Copies of the ranges (or \p onto if given), and the value computed at
  /// their positions.
  std::pair<Value, SmallVector<RangeOp>>
  copyAlong(Value value, ArrayRef<RangeOp> over, ArrayRef<RangeOp> onto = {});
  /// Masks loads, stores and reduced values that depend on `range` by `valid`.
  void guard(RangeOp inner, Value valid);
  void eraseUnused();

  KernelOp kernel;
  const TargetFacts &target;
  SmallVector<RangeOp> ranges;
  IndexAnalysis analysis;
  int64_t nextId = 0;
  SmallVector<StageOp> givenTiles;
  SmallVector<Attribute> steps;
  bool isChecked = false;
  std::optional<Refused> refused;
  /// The outermost step that is being applied, and the ids that it lists.
  Recording *recording = nullptr;
  ArrayRef<int64_t> givenIds;
};

/// Records a step before it is applied, and the ids of the ranges that it
/// creates. Nested steps belong to the outer one.
class KernelSchedule::Recording {
public:
  Recording(KernelSchedule &schedule, StepKind kind, ArrayRef<Operation *> ops,
            ArrayRef<RangeOp> ranges, int64_t amount = 0)
      : schedule(schedule), isOutermost(!schedule.recording), kind(kind),
        amount(amount) {
    if (!isOutermost)
      return;
    schedule.recording = this;
    for (Operation *op : ops)
      operands.push_back(schedule.getOperand(op));
    for (RangeOp range : ranges)
      rangeIds.push_back(static_cast<int64_t>(range.getId()));
    if (schedule.isChecked && !schedule.refused)
      if (StepAttr step = getStep();
          auto obstacle = schedule.findObstacleToStep(step)) {
        schedule.refused = Refused{step, *obstacle};
        isRefused = true;
      }
  }
  ~Recording() {
    if (!isOutermost)
      return;
    schedule.recording = nullptr;
    if (!isCanceled)
      schedule.steps.push_back(getStep());
    else if (isRefused)
      schedule.refused.reset();
  }
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  void add(int64_t id) { newIds.push_back(id); }
  /// Discards the record, since the step did nothing.
  void cancel() { isCanceled = true; }

private:
  StepAttr getStep() const {
    return StepAttr::get(schedule.kernel.getContext(), kind, operands, rangeIds,
                         amount, newIds);
  }

  KernelSchedule &schedule;
  const bool isOutermost;
  bool isCanceled = false, isRefused = false;
  StepKind kind;
  int64_t amount;
  SmallVector<StepOperand> operands;
  SmallVector<int64_t> rangeIds, newIds;
};

/// Obligations that a list of steps must still meet. `padded`, on a tile with
/// padded rows: the id of the range and the factor by which it must be split.
/// `unchecked`, on a condition under which products are skipped: CHECK_FINITE
/// must follow.
inline constexpr llvm::StringLiteral paddedAttrName = "padded";
inline constexpr llvm::StringLiteral uncheckedAttrName = "unchecked";

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_KERNELSCHEDULE_H
