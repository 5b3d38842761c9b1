//===- DirectCopies.h - tiles that subgroups copy at once -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which tiles of a group are filled by copies of whole subgroups
/// (AsyncCopies::ofSubgroups): what the first item of a subgroup copies comes
/// first in the tile, and what the others copy follows without gaps.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_DIALECT_TG_UTILS_DIRECTCOPIES_H
#define TINYGRAD_DIALECT_TG_UTILS_DIRECTCOPIES_H

#include "TinyGrad/Dialect/Tg/Utils/GroupLayout.h"

namespace mlir::tg {

/// How subgroups copy a tile.
struct DirectCopy {
  /// Elements that an item copies at once.
  int64_t width;
  /// The ranges of the tile whose positions differ between the items of a
  /// subgroup.
  SmallVector<RangeOp, 2> lanes;
  /// Of a permuted tile, the one of these that numbers the chunks which change
  /// places: an item copies to the place of its own chunk the one that is to be
  /// there. Null if the tile is in its order.
  RangeOp chunks;
};

/// How subgroups copy a tile. Otherwise sets \p obstacle to why they cannot.
std::optional<DirectCopy> getDirectCopy(KernelOp kernel, StageOp tile,
                                        const GroupLayout &layout,
                                        const TargetFacts &target,
                                        IndexAnalysis &analysis,
                                        std::string &obstacle);

} // namespace mlir::tg

#endif // TINYGRAD_DIALECT_TG_UTILS_DIRECTCOPIES_H
