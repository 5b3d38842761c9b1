//===- TileAcross.h - tiles whose lanes are not stored together -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reductions whose lanes run along another range than the one along which the
/// result is contiguous.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_TILEACROSS_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_TILEACROSS_H

#include "KernelSchedule.h"

namespace mlir::tg {

/// Tells what a heuristic has done: a remark of the kernel.
void reportStep(KernelSchedule &schedule, StringRef step, RangeOp range,
                int64_t amount);

/// How the reductions of a kernel are computed in tiles of their own.
struct AcrossTile {
  /// The packed operands are used again along this range and those after it; no
  /// work items are made of them. Null: along none.
  RangeOp reusedAlong;
  /// Reductions that cost little, so that work items may repeat them.
  SmallVector<RangedReduceOp> checks;
};

/// The loads of some reductions are strided along \p columns, where the result
/// is contiguous (convolutions of stride 2), or the columns do not fill lanes
/// (those of small images). If there is a range along which
/// one part of the operands does not change, and along `columns` the rest does
/// not (the output channels), that range becomes lanes:
///
///   for lanes of channels                     (in parallel)
///     packed = the weights of these channels, channels innermost
///     for each row                            (in parallel, several at a time)
///       windows = the input that these rows read, without masks
///       for a few columns at a time                     (padding left out)
///         sums[columns][lanes] += windows, broadcast, * packed
///         tile[lanes][columns] = sums, transposed
///       result = what follows the reduction, lanes along the columns
///
/// Every reduction that depends on the columns gets a tile, so that several of
/// them (a convolution and its shortcut) each have the loops that suit it.
/// \p width is how many lanes a register has, \p fewestPositions for how many
/// positions of the result packed operands have to be used; these have to be
/// contiguous along the lanes unless \p mayTurn. Does nothing and returns none
/// where this does not apply.
std::optional<AcrossTile> tileAcross(KernelSchedule &schedule, RangeOp columns,
                                     int64_t width, int64_t fewestPositions,
                                     bool mayTurn = true);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_TILEACROSS_H
