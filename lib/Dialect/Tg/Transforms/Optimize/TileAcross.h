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

/// Reports what a heuristic did, as a remark of the kernel.
void reportStep(KernelSchedule &schedule, StringRef step, RangeOp range,
                int64_t amount);

/// What tileAcross decided for the reductions of a kernel.
struct AcrossTile {
  /// Packed operands are reused along this range and those after it, so these
  /// do not become work items. Null: along none.
  RangeOp reusedAlong;
  /// Cheap reductions, which work items may repeat.
  SmallVector<RangedReduceOp> checks;
};

/// The loads of some reductions are strided along \p columns, where the result
/// is contiguous (convolutions of stride 2), or the columns do not fill the
/// lanes (small images). If one part of the operands is constant along some
/// other range (the output channels), and the rest is constant along `columns`,
/// that range becomes lanes:
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
/// them (a convolution and its shortcut) each have the loops that suit it. \p
/// width is the number of lanes of a register. Packed operands must be reused
/// at \p fewestPositions positions of the result or more, and be contiguous
/// along the lanes unless \p mayTurn. \p passes is the range of the passes of a
/// divided sum, or null. Returns none, with the kernel unchanged, where this
/// does not apply.
std::optional<AcrossTile> tileAcross(KernelSchedule &schedule, RangeOp columns,
                                     int64_t width, int64_t fewestPositions,
                                     bool mayTurn, RangeOp passes);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_TILEACROSS_H
