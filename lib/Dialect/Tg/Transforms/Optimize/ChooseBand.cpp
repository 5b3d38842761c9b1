//===- ChooseBand.cpp - the order of the groups of a product --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Chooses how many rows of blocks the groups of a product go through at once.
/// Groups that run at the same time are at about the same position of the
/// depth. What they read there together are the rows of one factor and the
/// columns of the other one that their blocks have: it is least if these are
/// about as many.
///
//===----------------------------------------------------------------------===//

#include "ChooseBand.h"
#include "TinyGrad/Dialect/Tg/IR/TgTarget.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::tg;

/// A gain of less than one part of so many does not count.
static constexpr int64_t kLeastGain = 8;

int64_t tg::countRowsInFlight(const BlockGrid &grid, int64_t band) {
  // One row after the other is a band of one.
  const int64_t height = std::max<int64_t>(band, 1);
  const auto bands = int64_t(
                 llvm::divideCeil(grid.inFlight, height * grid.columns)),
             columns = int64_t(llvm::divideCeil(grid.inFlight, height));
  return std::min(grid.rows, height * bands) * grid.blockRows +
         std::min(grid.columns, columns) * grid.blockColumns;
}

int64_t tg::chooseBand(const BlockGrid &grid, int64_t factorBytes,
                       const TargetFacts &target) {
  if (factorBytes < target.cacheBytes)
    return 0;
  // What bands read at most to be worth it.
  const int64_t limit =
      countRowsInFlight(grid, 0) * (kLeastGain - 1) / kLeastGain;
  int64_t best = 0, least = limit + 1;
  const int64_t most = std::min(grid.rows, grid.inFlight);
  for (int64_t band = 2; band <= most; ++band)
    if (const int64_t count = countRowsInFlight(grid, band); count < least) {
      best = band;
      least = count;
    }
  // A divisor needs fewer instructions, and leaves no band with fewer rows.
  int64_t divisor = 0,
          leastOfDivisors = std::min(limit, least + least / kLeastGain) + 1;
  for (int64_t band = 2; best > 0 && band <= most; ++band)
    if (const int64_t count = countRowsInFlight(grid, band);
        grid.rows % band == 0 && count < leastOfDivisors) {
      divisor = band;
      leastOfDivisors = count;
    }
  return divisor > 0 ? divisor : best;
}
