//===- WaitForColumns.cpp - register tiles that wait for their columns ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The steps of tg-optimize-kernels for processors that multiply faster than
/// their second-level cache delivers, or whose scalar instructions take the
/// ports of vectors: the shape of register tiles. The order of additions is the
/// same as on other processors.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"
#include "TileAcross.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Positions of a sum of products that are unrolled where scalar instructions
/// delay arithmetic, if there are at least so many times as many (on a Sapphire
/// Rapids 1.02 to 1.1 times as fast).
constexpr int64_t kDepthCopies = 4, kLeastTimes = 16;
/// Two vectors of columns are preferred if they are at most this large,
/// relative to the first-level cache. On a Sapphire Rapids, 784 columns
/// are 1.07 times as fast with 256 positions, 1.05 times with 512; 1024 columns
/// with as many positions would be 0.95 times as fast.
constexpr int64_t kMostNarrow = 2;
/// The fewest rows for that: pieces of two vectors take longer to pack (64 rows
/// of 256 positions, from memory: 0.7 times as fast).
constexpr int64_t kFewestRowsOfNarrow = 128;

bool tg::waitsForColumns(const TargetFacts &target) {
  return target.l2BytesPerProduct * kFewRows < target.vectorBytes;
}

bool Heuristic::waitsForColumns() const { return tg::waitsForColumns(target); }

/// Whether two vectors of columns are better than the \p count columns of four,
/// since fewer lanes are idle. Tiles have more rows then, and read fewer
/// columns for each product. The columns must not be many, since each row comes
/// from a place of its own, of which the first-level cache holds few.
bool Heuristic::prefersNarrowTile(ArrayRef<RangedReduceOp> reduces,
                                  RangeOp rows, RangeOp lane, int64_t count) {
  const int64_t width = getNumLanes(), narrow = 2 * width,
                extent = lane.getLargestExtent();
  auto countLanes = [&](int64_t lanes) -> int64_t {
    return llvm::divideCeil(extent, lanes) * lanes;
  };
  return waitsForColumns() && !lane.isSymbolic() && count > narrow &&
         rows.getLargestExtent() >= kFewestRowsOfNarrow &&
         countLanes(narrow) < countLanes(count) &&
         llvm::all_of(
             reduces,
             [&](RangedReduceOp reduce) {
               return reduce.getRanges().size() == 1 &&
                      reduce.getValue().getDefiningOp<MulOp>() &&
                      reduce.getRanges()[0]
                                  .getDefiningOp<RangeOp>()
                                  .getLargestExtent() *
                              2 * target.vectorBytes <=
                          kMostNarrow * target.l1Bytes;
             });
}

/// Whether each tile of rows reads the \p count columns from the second-level
/// cache, which takes longer than to compute with few rows.
bool Heuristic::readsPanels(ArrayRef<RangedReduceOp> reduces, RangeOp rows,
                            RangeOp lane, int64_t count) {
  if (rows.isSymbolic() || lane.isSymbolic() || !waitsForColumns())
    return false;
  return llvm::any_of(reduces, [&](RangedReduceOp reduce) {
    if (reduce.getRanges().size() != 1)
      return false;
    auto depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
    return llvm::any_of(
        schedule.getSlice(reduce.getValue()), [&](Operation *op) {
          auto load = dyn_cast<LoadOp>(op);
          return load && !schedule.dependsOn(load.getResult(), rows) &&
                 schedule.dependsOn(load.getResult(), lane) &&
                 depth.getLargestExtent() * count *
                         llvm::divideCeil(
                             load.getType().getIntOrFloatBitWidth(), 8) >
                     target.l1Bytes;
        });
  });
}

/// The rows of a tile, up to \p most, with which \p extent rows take the least
/// time if tiles of few rows wait for their columns. \p usual is taken if it
/// is as good.
int64_t Heuristic::fitRows(int64_t extent, int64_t usual, int64_t most) const {
  const int64_t least =
      llvm::divideCeil(target.vectorBytes, target.l2BytesPerProduct);
  auto getTime = [&](int64_t rows) {
    const int64_t rest = extent % rows;
    return extent / rows * std::max(rows, least) +
           (rest == 0 ? 0 : std::max(rest, least));
  };
  // Columns are packed for at least some tiles of rows.
  auto isPacked = [&](int64_t rows) {
    return llvm::divideCeil(extent, rows) >= kMinUsesIfSlow;
  };
  int64_t best = usual;
  for (int64_t rows = std::min(most, extent); rows >= kFewRows; --rows)
    if (getTime(rows) < getTime(best) && isPacked(rows) >= isPacked(best))
      best = rows;
  return best;
}

/// Unrolls a part of what the sums of register tiles add up, so that there are
/// fewer scalar instructions. The order of additions stays the same.
void Heuristic::unrollDepth(ArrayRef<RangedReduceOp> reduces) {
  if (!target.sharedPorts)
    return;
  for (RangedReduceOp reduce : reduces) {
    if (reduce.getRanges().size() != 1 ||
        !reduce.getValue().getDefiningOp<MulOp>())
      continue;
    auto depth = reduce.getRanges()[0].getDefiningOp<RangeOp>();
    // Conditions on positions bound the loop, which has to be one range for
    // that.
    const bool isPlain =
        llvm::all_of(schedule.getSlice(reduce.getValue()), [&](Operation *op) {
          auto load = dyn_cast<LoadOp>(op);
          return !isa<WhereOp>(op) &&
                 (!load || (isa<Float32Type, Float64Type>(load.getType()) &&
                            !(load.getMask() &&
                              schedule.dependsOn(load.getMask(), depth))));
        });
    if (!isPlain || depth.getKind() != RangeKind::loop || depth.getPeel() ||
        !isMultiple(depth, kDepthCopies) ||
        depth.getLargestExtent() < kDepthCopies * kLeastTimes)
      continue;
    report("unroll", depth, kDepthCopies);
    schedule.setKind(schedule.split(depth, kDepthCopies).second,
                     RangeKind::unroll);
  }
}
