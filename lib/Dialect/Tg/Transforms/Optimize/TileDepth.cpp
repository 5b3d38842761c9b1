//===- TileDepth.cpp - tiles with lanes along what is reduced -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The step of tg-optimize-kernels for sums of products of which each factor is
/// used by few results only: the gradient by the weights of a convolution of
/// few channels. Both factors are read where they are, along what is reduced,
/// and each accumulator is a vector of partial sums:
///
///   for a few output channels at a time                        (in parallel)
///     for each vector of positions
///       sums[channels][window] += gradient[channels] * image[window]
///     result = the sums of the lanes
///
/// Lanes along the output channels (TileAcross.cpp) would transpose the
/// gradient, which takes longer than the few products of each element.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"

using namespace mlir;
using namespace mlir::tg;

/// Ranges of up to this many results are unrolled whole.
constexpr int64_t kMostUnrolled = 8;
/// The fewest accumulators, which hide the latency of the arithmetic units.
constexpr int64_t kFewestAccumulators = 6;
/// The most results of the other factor's range, of which each needs a
/// register for its operand.
constexpr int64_t kMostChannels = 4;
/// Instructions that add up the lanes of an accumulator.
constexpr int64_t kLaneSum = 10;

namespace {
/// The ranges of such a tile.
struct DepthTile {
  RangeOp depth;
  /// Results that share the elements of one factor, and a range of results that
  /// share the other one.
  SmallVector<RangeOp> window;
  RangeOp channels;
  /// How many of the channels.
  int64_t count = 1;
};
} // namespace

/// The product whose sum \p reduce is, if it reads all of both factors
/// contiguously along \p depth.
static MulOp getProductAlong(KernelSchedule &schedule, RangedReduceOp reduce,
                             RangeOp depth) {
  auto product = reduce.getValue().getDefiningOp<MulOp>();
  if (!product || reduce.getKind() != ReduceKind::add ||
      !isa<FloatType>(reduce.getType()))
    return MulOp();
  for (Value factor : {product.getLhs(), product.getRhs()}) {
    // Each of the many copies would need its own mask of lanes.
    auto load = factor.getDefiningOp<LoadOp>();
    if (!load || load.getMask())
      return MulOp();
    const LinearForm &index = schedule.getAnalysis().getLinear(load.getIndex());
    if (index.getCoefficient(depth) != 1)
      return MulOp();
    for (auto [atom, coefficient] : index.terms)
      if (!atom.getDefiningOp<RangeOp>() || !coefficient.isStatic())
        return MulOp();
  }
  return product;
}

static bool isPlainLoop(RangeOp range) {
  return range.getKind() == RangeKind::loop && !range.isSymbolic() &&
         !range.getPeel();
}

static std::optional<DepthTile>
findDepthTile(KernelSchedule &schedule, RangedReduceOp reduce, int64_t lanes) {
  const SmallVector<RangeOp> closed = getClosedRanges(reduce),
                             results = schedule.getResultRanges();
  DepthTile tile;
  tile.depth = closed.back();
  const int64_t extent = tile.depth.getLargestExtent();
  if (!llvm::all_of(closed, isPlainLoop) || extent < lanes / 2 ||
      results.empty())
    return std::nullopt;
  MulOp product = getProductAlong(schedule, reduce, tile.depth);
  if (!product)
    return std::nullopt;
  // The factor of the innermost results has the window.
  Value inside = product.getLhs(), outside = product.getRhs();
  if (!schedule.dependsOn(inside, results.back()))
    std::swap(inside, outside);
  const int64_t registers = schedule.getTarget().vectorRegisters;
  int64_t uses = 1, copies = 1;
  for (RangeOp range : llvm::reverse(results)) {
    const bool isInside = schedule.dependsOn(inside, range),
               isOutside = schedule.dependsOn(outside, range);
    if (!isOutside)
      uses *= range.getLargestExtent();
    if (isInside && !isOutside && !tile.channels && isPlainLoop(range) &&
        range.getLargestExtent() <= kMostUnrolled &&
        copies * range.getLargestExtent() + 2 <= registers) {
      copies *= range.getLargestExtent();
      tile.window.push_back(range);
    } else if (isOutside && !isInside && !tile.channels) {
      tile.channels = range;
    }
  }
  if (tile.window.empty() || tile.window.front() != results.back() ||
      !tile.channels || !isPlainLoop(tile.channels))
    return std::nullopt;
  for (int64_t count = kMostChannels; count > 1; --count)
    if (copies * count + count + 1 <= registers &&
        isMultiple(tile.channels, count)) {
      tile.count = count;
      break;
    }
  if (copies * tile.count < kFewestAccumulators)
    return std::nullopt;
  // Time per element of the factor that lanes across would pack: some lanes are
  // idle, and most loads cross the end of a cache line.
  int64_t depth = 1;
  for (RangeOp range : closed)
    depth *= range.getLargestExtent();
  const double filled = double(llvm::alignTo(extent, lanes)) / double(extent),
               loads =
                   double(copies + tile.count) / double(copies * tile.count),
               sums = double(kLaneSum * lanes) / double(depth);
  if (double(uses) * (filled * (1 + loads) + sums) >=
      double(uses + kPackedPositions))
    return std::nullopt;
  return tile;
}

bool Heuristic::tileDepth() {
  Region &body = schedule.getKernel().getBody();
  SmallVector<RangedReduceOp> reduces(body.getOps<RangedReduceOp>());
  // The order of updates may matter.
  if (reduces.size() != 1 ||
      llvm::any_of(body.getOps<StoreOp>(),
                   [](StoreOp store) { return store.getUpdate().has_value(); }))
    return false;
  const int64_t lanes = getNumLanes();
  std::optional<DepthTile> tile =
      findDepthTile(schedule, reduces.front(), lanes);
  if (!tile || !schedule.admitsLanes(tile->depth))
    return false;
  if (tile->count > 1) {
    report("unroll", tile->channels, tile->count);
    schedule.setKind(schedule.split(tile->channels, tile->count).second,
                     RangeKind::unroll);
  }
  for (RangeOp range : tile->window) {
    report("unroll", range, range.getLargestExtent());
    schedule.setKind(range, RangeKind::unroll);
  }
  addLanes(tile->depth, lanes);
  parallelize();
  return true;
}
