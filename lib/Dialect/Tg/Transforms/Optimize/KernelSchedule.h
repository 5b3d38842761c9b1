//===- KernelSchedule.h - steps that schedule a kernel ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of which schedules consist: each is a local rewrite of ranges that
/// keeps what the kernel computes, and has a form as data (`#tg.step`).
/// Heuristics and search choose them.
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
/// Whether \p op is among what the value is computed from.
bool isComputedFrom(Value value, Operation *op);

/// A kernel and its ranges in loop order. Each step is recorded.
class KernelSchedule {
public:
  explicit KernelSchedule(KernelOp kernel)
      : KernelSchedule(kernel, getTargetFacts(kernel)) {}
  /// Of a kernel that is in no module.
  KernelSchedule(KernelOp kernel, const TargetFacts &target);

  /// Why the step cannot be applied to the kernel as it is; none if it can.
  std::optional<std::string> findObstacle(StepAttr step);
  /// Applies a step that has no obstacle.
  void apply(StepAttr step);
  /// What the steps so far leave to do; none if nothing.
  std::optional<std::string> findUnfinished();
  /// The steps so far.
  ArrayRef<Attribute> getSteps() const { return steps; }

  KernelOp getKernel() const { return kernel; }
  /// What the kernel is made for.
  const TargetFacts &getTarget() const { return target; }
  ArrayRef<RangeOp> getRanges() const { return ranges; }
  /// The tiles that a kernel which works in place had from the beginning: what
  /// it writes may overwrite what such a tile was filled with.
  ArrayRef<StageOp> getGivenTiles() const { return givenTiles; }
  IndexAnalysis &getAnalysis() { return analysis; }

  /// Whether a scan is over the range, or the stores of an update come to an
  /// element along it several times: its positions have an order.
  bool isOrdered(RangeOp range);
  /// Whether no reduce or stage closes the range: it spans the result.
  bool isResultRange(RangeOp range) const;
  SmallVector<RangeOp> getResultRanges() const;
  /// Whether some value depends on the range and on another one whose
  /// positions are lanes.
  bool hasLaneConflict(RangeOp lane);
  /// Whether two values are computed alike, but for \p from in place of \p to.
  bool isSameBut(Value value, Value other, Value from, Value to);
  /// Whether an update may come to one element at several positions of the
  /// range, as far as the index shows.
  bool mayMeetAlong(RangeOp range);
  /// The reduces that close the range.
  SmallVector<RangedReduceOp> getReduces(RangeOp range) const;
  bool dependsOn(Value value, RangeOp range);
  /// Everything that the value is computed from, inner reduces and tiles left
  /// out.
  static llvm::SetVector<Operation *> getSlice(Value value);

  /// SPLIT: range of extent n -> (outer of n / factor, rounded up) * factor +
  /// inner. Where the factor does not divide the extent, loads, stores and
  /// reduced values past the end are masked, and the last outer position is
  /// peeled; of a symbolic extent only if there is a remainder when the kernel
  /// runs. Both take the place of the range; returns (outer, inner).
  std::pair<RangeOp, RangeOp> split(RangeOp range, int64_t factor);

  /// MERGE: two neighbouring ranges that are only used as
  /// outer * extent(inner) + inner become one range.
  bool canMerge(RangeOp outer, RangeOp inner);
  RangeOp merge(RangeOp outer, RangeOp inner);

  /// REVERSE: the positions of a static result range come in reverse order.
  void reverse(RangeOp range);

  /// SWAP: moves a range before another one in loop order.
  void moveBefore(RangeOp range, RangeOp other);

  void setKind(RangeOp range, RangeKind kind);

  /// UNSHARE: the reduce gets ranges of its own, which other reduces do not
  /// use, or \p onto, the ranges that an earlier reduce over the same ones got.
  /// Returns the ranges.
  SmallVector<RangeOp> unshare(RangedReduceOp reduce,
                               ArrayRef<RangeOp> onto = {});

  /// ACCUMULATE: what the reduces come to at each position of \p range, which
  /// all of them close, is added to what their stores hold, which begins with
  /// the identity. The range may then come before others of the result. All
  /// uses of the reduces are stores without an update.
  void accumulate(ArrayRef<RangedReduceOp> reduces, RangeOp range);

  /// STAGE: the value at all positions of \p over is computed once, into a tile
  /// of local memory, row-major, and loaded from it. The tile is filled
  /// wherever the ranges that the value depends on beside these are open. Its
  /// rows have room for a multiple of \p pad elements, by which the last range
  /// has to be split in the end. Returns the tile and the ranges that fill it.
  std::pair<Value, SmallVector<RangeOp>>
  stage(Value value, ArrayRef<RangeOp> over, int64_t pad = 1);

  /// REUSE: a value that is computed as that in a tile is, but at the positions
  /// of \p at, becomes a load from it.
  void reuse(Value value, Value tile, ArrayRef<RangeOp> at);

  /// The ranges of a reduce whose positions are added up with those of
  /// \p columns in every index that \p value is computed from, always in the
  /// same proportion, as the positions in a window are added up with the
  /// window's own: stride * columns + the sum of dilation * range.
  struct Window {
    int64_t stride = 1;
    SmallVector<std::pair<RangeOp, int64_t>> parts;
    /// How many positions such a sum can have.
    int64_t extent = 1;
  };
  /// The window along static \p columns of a value that depends on these and
  /// on \p over; none if an index is no linear form.
  std::optional<Window> findWindow(Value value, RangeOp columns,
                                   ArrayRef<RangeOp> over);

  /// STAGE_WINDOW: STAGE of the windows of a value that \p reduce is computed
  /// from, along one or two ranges \p along, which have no part in common: a
  /// tile over those ranges of the reduce that are part of none, and over the
  /// sums of each window, so that windows that overlap are computed once.
  /// Returns the tile and the ranges that fill it, of which the last ones are
  /// those of the sums, in the order of \p along.
  std::pair<Value, SmallVector<RangeOp>> stageWindows(Value value,
                                                      RangedReduceOp reduce,
                                                      ArrayRef<RangeOp> along,
                                                      int64_t pad = 1);

  /// SKIP_MASKED, see SkipMasked.cpp: where a sum is of products of \p load,
  /// and this load's mask bounds a range of the sum for all of \p columns alike
  /// (the rows of padding around an image), or the columns together with a
  /// range of the sum (the columns of padding), the products outside of these
  /// bounds are replaced by zeros, which a loop over the range leaves out, or a
  /// branch for the columns at either end:
  ///
  ///   sum of load * other  ->  sum of where(bounds, load * other, 0)
  ///
  /// A factor of zero alone does not make a product of floats zero: `other` has
  /// to be finite. This is only done if `other` is going to be packed, along
  /// \p lanes, and has to be followed by CHECK_FINITE for floats. Says whether
  /// it was done.
  bool skipMasked(RangedReduceOp reduce, LoadOp load, RangeOp columns,
                  RangeOp lanes);

  /// CHECK_FINITE: when the other factor is in a tile with \p laneCount lanes,
  /// no product is left out where the tile holds a number that is not finite.
  /// This is found out once, when the tile was filled, and becomes part of each
  /// bound, since loops and branches take them one by one:
  ///
  ///   where(rows and columns, ...)
  ///     -> where((rows or infinite) and (columns or infinite), ...)
  ///
  /// Returns the reductions that find it out.
  SmallVector<RangedReduceOp> checkFinite(RangedReduceOp reduce, RangeOp lanes,
                                          int64_t laneCount);

  /// PREFETCH: asks for the element \p distance positions on.
  void setPrefetch(LoadOp load, int64_t distance);
  void setPrefetch(StoreOp store, int64_t distance);
  /// NONTEMPORAL: writes past the caches.
  void setNontemporal(StoreOp store);

private:
  class Recording;

  /// A new range of kind `loop`, in loop order before another one; what uses it
  /// comes after all ranges. `changed` has to follow.
  RangeOp createRange(Dim extent, RangeOp before);
  /// Operations were added or erased.
  void changed();
  bool isSameBut(Value value, Value other, Value from, Value to,
                 DenseSet<std::pair<Value, Value>> &same);
  /// Whether a value is computed from what the kernel writes in place.
  bool readsOutput(Value value);
  /// Whether a scan is over the range.
  bool isScanned(RangeOp range);
  /// Whether the positions of some update come in an order that matters.
  bool hasOrderedUpdate();
  RangeOp findRange(int64_t id) const;
  Operation *findOp(const StepOperand &operand) const;
  StepOperand getOperand(Operation *op) const;
  /// The conditions of a load's mask by which products can be left out.
  SmallVector<Value> findSkippable(RangedReduceOp reduce, LoadOp load,
                                   RangeOp columns, RangeOp lanes);
  /// The factor of products that are left out which is in a tile.
  LoadOp findPacked(RangedReduceOp reduce, RangeOp lanes);
  SmallVector<std::pair<RangeOp, Window>>
  findWindows(Value value, RangedReduceOp reduce, ArrayRef<RangeOp> along);
  std::optional<std::string> findObstacleToKind(RangeOp range, RangeKind kind);
  std::optional<std::string> findObstacleToMove(RangeOp range, RangeOp other);
  std::optional<std::string>
  findObstacleToStage(Value value, ArrayRef<RangeOp> over, int64_t pad);
  size_t countNewRanges(StepAttr step);
  /// A load of the element of a tile at \p positions, which run over
  /// \p extents, takes the place of a value.
  void replaceByLoad(Value value, Value tile, ArrayRef<Value> positions,
                     ArrayRef<int64_t> extents);
  /// The sum at the present positions, to load from a tile of windows.
  Value getWindowPosition(RangeOp columns, const Window &window);
  std::pair<Value, SmallVector<RangeOp>>
  createTile(Value value, ArrayRef<RangeOp> ranges, int64_t pad);
  /// Copies of the ranges, or \p onto if given, and the value
  /// computed at their positions.
  std::pair<Value, SmallVector<RangeOp>>
  copyAlong(Value value, ArrayRef<RangeOp> over, ArrayRef<RangeOp> onto = {});
  /// Loads, stores and reduced values that depend on `range` hold only where
  /// `valid` does.
  void guard(RangeOp inner, Value valid);
  void eraseUnused();

  KernelOp kernel;
  const TargetFacts &target;
  SmallVector<RangeOp> ranges;
  IndexAnalysis analysis;
  int64_t nextId = 0;
  SmallVector<StageOp> givenTiles;
  SmallVector<Attribute> steps;
  /// The outermost step that is being applied, and the ids that it says.
  Recording *recording = nullptr;
  ArrayRef<int64_t> givenIds;
};

/// Notes a step before it is applied, and the ids of the ranges that it makes.
/// Steps within a step are part of it.
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
  }
  ~Recording() {
    if (!isOutermost)
      return;
    schedule.recording = nullptr;
    if (!isCanceled)
      schedule.steps.push_back(StepAttr::get(schedule.kernel.getContext(), kind,
                                             operands, rangeIds, amount,
                                             newIds));
  }
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  void add(int64_t id) { newIds.push_back(id); }
  /// Nothing was done.
  void cancel() { isCanceled = true; }

private:
  KernelSchedule &schedule;
  const bool isOutermost;
  bool isCanceled = false;
  StepKind kind;
  int64_t amount;
  SmallVector<StepOperand> operands;
  SmallVector<int64_t> rangeIds, newIds;
};

/// What a list of steps has to finish. Of a tile whose rows are padded: the id
/// of the range, and what it has to be split by. Of a condition for which some
/// products are left out: that it does not hold for infinite factors yet.
inline constexpr llvm::StringLiteral paddedAttrName = "padded";
inline constexpr llvm::StringLiteral uncheckedAttrName = "unchecked";

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_KERNELSCHEDULE_H
