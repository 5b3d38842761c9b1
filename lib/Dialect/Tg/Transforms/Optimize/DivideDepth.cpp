//===- DivideDepth.cpp - deep products in passes --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Divides the depth of a matrix product into passes that add to the results in
/// memory, so that what a pass reads again and again stays in a cache.
///
//===----------------------------------------------------------------------===//

#include "DivideDepth.h"
#include "Heuristic.h"

using namespace mlir;
using namespace mlir::tg;

/// The fewest positions of a pass: each pass reads and writes the results.
constexpr int64_t kLeastPass = 256;
/// The positions of a pass are a multiple of this, so that packed squares have
/// no remainder.
constexpr int64_t kUnit = 16;
/// Maximum number of passes that add to one result, as in the blocks of other
/// sums.
constexpr int64_t kMaxPasses = 32;
/// How many times as many lines as the cache holds make passes worth it.
constexpr int64_t kManyLines = 4;
/// The fewest results along either range that use a factor.
constexpr int64_t kLeastUses = 64;
/// The same for a factor that is packed (TileTransposed.cpp).
constexpr int64_t kPackedUses = 128;
/// The same for a factor that is packed though the hardware prefetches it.
constexpr int64_t kManyUses = 256;

std::optional<int64_t> tg::getPassLength(int64_t depth, int64_t longest) {
  if (depth <= longest)
    return std::nullopt;
  int64_t count = llvm::divideCeil(depth, std::max(longest, kLeastPass));
  const int64_t most = std::min(2 * count - 1, kMaxPasses);
  while (count <= most && depth % (count * kUnit) != 0)
    ++count;
  if (count == 1 || count > most || depth / count < kLeastPass)
    return std::nullopt;
  return depth / count;
}

int64_t tg::getLongestForPanel(int64_t depth, const TargetFacts &target) {
  // Beside these columns, the cache holds the rows of a tile and the lines that
  // are packed next.
  const int64_t rowBytes = target.getPanelBytes(1);
  return depth > target.l2Bytes / 2 / rowBytes ? target.l2Bytes / 4 / rowBytes
                                               : depth;
}

bool tg::packsManyLines(const TargetFacts &target) {
  return target.l2BytesPerProduct >= target.vectorBytes;
}

bool tg::hasManyLines(int64_t depth, int64_t stride, int64_t results,
                      const TargetFacts &target) {
  // The hardware prefetches smaller strides. On a Zen 4, 8192 positions of 384
  // rows and columns are 1.6 times as fast with packed lines; 4096 positions of
  // 256, or 16384 of 128, would be 0.85 times as fast.
  if (stride < target.prefetchReach &&
      (!packsManyLines(target) || results < kManyUses ||
       depth * target.lineBytes < target.l2Bytes / 2))
    return false;
  // A pass is to be worth reading and writing the results (lines of 4096 bytes:
  // 768 positions take 1.01, 1024 take 0.8 of the time).
  return depth / kManyLines >= target.countLines(stride);
}

int64_t tg::getLongestForLines(int64_t depth, int64_t stride, int64_t results,
                               const TargetFacts &target) {
  if (!hasManyLines(depth, stride, results, target))
    return depth;
  // Packed rows of f32 are 16 KiB then.
  if (packsManyLines(target) && results >= kPackedUses)
    return kLeastPass;
  return target.countLines(stride) / 2;
}

std::optional<int64_t> tg::getLongestPass(RangedReduceOp sum,
                                          ArrayRef<RangeOp> results,
                                          IndexAnalysis &analysis,
                                          const TargetFacts &target) {
  RangeOp lane = results.back();
  auto depth = sum.getRanges().front().getDefiningOp<RangeOp>();
  auto dependsOn = [&](Value value, RangeOp range) {
    return llvm::is_contained(analysis.getRanges(value), range.getResult());
  };
  SmallVector<LoadOp> loads;
  for (Operation *op : KernelSchedule::getSlice(sum.getValue()))
    if (auto load = dyn_cast<LoadOp>(op))
      loads.push_back(load);
  auto isFactor = [&](LoadOp load) {
    return !load.getMask() && !load.getBuffer().getDefiningOp() &&
           dependsOn(load.getResult(), depth);
  };
  if (target.groupItems > 0 || sum.getRanges().size() != 1 ||
      depth.isSymbolic() || lane.isSymbolic() ||
      lane.getLargestExtent() < kLeastUses || loads.size() != 2 ||
      !llvm::all_of(loads, isFactor) ||
      dependsOn(loads[0].getResult(), lane) ==
          dependsOn(loads[1].getResult(), lane))
    return std::nullopt;
  if (!dependsOn(loads[0].getResult(), lane))
    std::swap(loads[0], loads[1]);
  RangeOp rows;
  for (RangeOp range : results)
    if (dependsOn(loads[1].getResult(), range) &&
        !dependsOn(loads[0].getResult(), range) &&
        range.getLargestExtent() >= kLeastUses)
      rows = range;
  if (!rows)
    return std::nullopt;
  const int64_t extent = depth.getLargestExtent();
  int64_t longest = getLongestForPanel(extent, target);
  // The left factor is transposed.
  if (analysis.getLinear(loads[1].getIndex()).getCoefficient(rows) == 1)
    for (LoadOp load : loads) {
      const int64_t stride =
          analysis.getLinear(load.getIndex()).getCoefficient(depth);
      if (stride < -kMaxBufferSize || stride > kMaxBufferSize)
        return std::nullopt;
      const auto bytes = static_cast<int64_t>(
          llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8));
      longest = std::min(longest,
                         getLongestForLines(extent, std::abs(stride) * bytes,
                                            std::min(lane.getLargestExtent(),
                                                     rows.getLargestExtent()),
                                            target));
    }
  return getPassLength(extent, longest);
}

/// Divides the sum of a deep product into passes: its depth becomes a range of
/// the result, along which the stores add. \p lane is the range along which
/// they are contiguous.
void Heuristic::divideDepth(RangeOp lane) {
  SmallVector<RangedReduceOp> sums = findStoredSums(lane);
  if (sums.size() != 1)
    return;
  SmallVector<RangeOp> results = schedule.getResultRanges();
  results.erase(llvm::find(results, lane));
  results.push_back(lane);
  std::optional<int64_t> length = getPassAroundItems(sums[0], lane);
  runsAroundItems = length.has_value();
  if (!length)
    length = getLongestPass(sums[0], results, schedule.getAnalysis(), target);
  if (!length)
    return;
  auto depth = sums[0].getRanges()[0].getDefiningOp<RangeOp>();
  report("divide", depth, *length);
  RangeOp inPass;
  std::tie(passes, inPass) = schedule.split(depth, *length);
  schedule.accumulate(sums, passes);
}
