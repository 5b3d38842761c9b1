//===- ChooseBand.h - the order of the groups of a product ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How many rows of blocks the groups of a product go through at once
/// (TgGroupOrder.h).
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_CHOOSEBAND_H
#define TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_CHOOSEBAND_H

#include <cstdint>

namespace mlir::tg {
struct TargetFacts;

/// The blocks of a product, of which groups compute one each.
struct BlockGrid {
  int64_t rows, columns; ///< of blocks
  int64_t blockRows, blockColumns;
  int64_t inFlight; ///< groups that run at the same time
};

/// The rows of one factor and the columns of the other one that the first
/// groups of a launch read together, with bands of so many rows of blocks, or
/// without them (0).
int64_t countRowsInFlight(const BlockGrid &grid, int64_t band);

/// The rows of a band; 0 if the factors, of \p factorBytes together, are taken
/// to stay in a cache, or if bands do not save an eighth of what groups read. A
/// divisor of all rows if there is one that is almost as good as the best
/// number.
int64_t chooseBand(const BlockGrid &grid, int64_t factorBytes,
                   const TargetFacts &target);

} // namespace mlir::tg

#endif // TINYGRAD_LIB_DIALECT_TG_TRANSFORMS_OPTIMIZE_CHOOSEBAND_H
