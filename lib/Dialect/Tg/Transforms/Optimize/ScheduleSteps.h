//===- ScheduleSteps.h - steps that schedule a kernel -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of which schedules consist: each is a local rewrite of ranges that
/// keeps what the kernel computes. Heuristics (and later search) choose them.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_SCHEDULESTEPS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_SCHEDULESTEPS_H

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/Utils/IndexAnalysis.h"

namespace mlir::tg {

/// A kernel and its ranges in loop order.
class KernelSchedule {
public:
  explicit KernelSchedule(KernelOp kernel);

  KernelOp getKernel() const { return kernel; }
  /// What the kernel is made for.
  const TargetFacts &getTarget() const { return target; }
  ArrayRef<RangeOp> getRanges() const { return ranges; }
  IndexAnalysis &getAnalysis() { return analysis; }

  /// Whether a scan is over the range, or the stores of an update come to an
  /// element along it several times: its positions have an order.
  bool isOrdered(RangeOp range);
  /// Whether no reduce or stage closes the range: it spans the result.
  bool isResultRange(RangeOp range) const;
  SmallVector<RangeOp> getResultRanges() const;
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
  /// of local memory, row-major. The tile is filled wherever the ranges that
  /// the value depends on beside these are open. Returns the tile and the
  /// ranges that fill it.
  std::pair<Value, SmallVector<RangeOp>> stage(Value value,
                                               ArrayRef<RangeOp> over);

  /// Replaces a value by the element of a tile at \p positions, which run over
  /// the staged ranges' extents.
  void replaceByLoad(Value value, Value tile, ArrayRef<Value> positions,
                     ArrayRef<int64_t> extents);

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

  /// STAGE of windows along one or several ranges, which have no part in
  /// common: a tile over those of \p over that are part of none, and over the
  /// sums of each window, so that windows that overlap are computed once.
  /// Returns the tile and the ranges that fill it, of which the last ones are
  /// those of the sums, in the order of the windows.
  std::pair<Value, SmallVector<RangeOp>>
  stageWindows(Value value, ArrayRef<std::pair<RangeOp, Window>> windows,
               ArrayRef<RangeOp> over);
  /// The sum at the present positions, to load from such a tile.
  Value getWindowPosition(RangeOp columns, const Window &window);

  /// A new range of kind `loop`, in loop order before another one; what uses it
  /// comes after all ranges. `changed` has to follow.
  RangeOp createRange(Dim extent, RangeOp before);
  /// Operations were added by others than this class.
  void changed();

private:
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
};

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_SCHEDULESTEPS_H
