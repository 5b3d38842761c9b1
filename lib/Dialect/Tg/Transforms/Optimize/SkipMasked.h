//===- SkipMasked.h - positions that add nothing to a sum -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Leaves out the positions of a sum of products at which a factor is masked.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_SKIPMASKED_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_SKIPMASKED_H

#include "ScheduleSteps.h"

namespace mlir::tg {

/// Where a sum is of products of \p load, and this load's mask bounds a range
/// of the sum for all of \p columns alike (the rows of padding around an
/// image), or the columns together with a range of the sum (the columns of
/// padding), the products outside of these bounds are replaced by zeros, which
/// a loop over the range leaves out, or a branch for the columns at either end:
///
///   sum of load * other  ->  sum of where(bounds, load * other, 0)
///
/// A factor of zero alone does not make a product of floats zero: `other` has
/// to be finite. This is only done if `other` is going to be packed, along
/// \p lanes, and has to be followed by `requireFinite`. Says whether it was
/// done.
bool skipMasked(KernelSchedule &schedule, RangedReduceOp reduce, LoadOp load,
                RangeOp columns, RangeOp lanes);

/// To be called when the other factor is in a tile with \p laneCount lanes:
/// where the tile holds a number that is not finite, no product is left out.
/// This is found out once, when the tile was filled, and becomes part of each
/// bound, since loops and branches take them one by one:
///
///   where(rows and columns, ...)
///     -> where((rows or infinite) and (columns or infinite), ...)
struct FiniteCheck {
  /// The ranges that became lanes.
  SmallVector<RangeOp> lanes;
  /// The reductions that find it out.
  SmallVector<RangedReduceOp> reduces;
};
FiniteCheck requireFinite(KernelSchedule &schedule, RangedReduceOp reduce,
                          RangeOp lanes, int64_t laneCount);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_SKIPMASKED_H
