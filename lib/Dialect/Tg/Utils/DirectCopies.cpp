//===- DirectCopies.cpp - tiles that subgroups copy at once ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks that a tile has the order in which subgroups write it.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/Utils/DirectCopies.h"
#include "TinyGrad/Support/AsyncCopies.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

std::optional<DirectCopy> tg::getDirectCopy(KernelOp kernel, StageOp tile,
                                            const GroupLayout &layout,
                                            const TargetFacts &target,
                                            IndexAnalysis &analysis,
                                            std::string &obstacle) {
  auto isObstacle = [&](const Twine &why) {
    obstacle = why.str();
    return std::nullopt;
  };
  if (std::optional<StringRef> why = findObstacleToCopy(kernel, tile, analysis))
    return isObstacle(*why);
  auto load = tile.getValue().getDefiningOp<LoadOp>();
  if (load.getMask())
    return isObstacle("elements are masked");
  const int64_t bytes =
      llvm::divideCeil(load.getType().getIntOrFloatBitWidth(), 8);
  DirectCopy copy;
  copy.width = tinygrad::kDirectCopyBytes / bytes;
  auto last = tile.getRanges().back().getDefiningOp<RangeOp>();
  if (last.getKind() != RangeKind::upcast ||
      last.getLargestExtent() != copy.width)
    return isObstacle("the innermost range of the tile is not " +
                      Twine(copy.width) + " lanes");
  if (getCopyAlignment(kernel, tile, analysis) % tinygrad::kDirectCopyBytes !=
      0)
    return isObstacle("addresses are not multiples of " +
                      Twine(tinygrad::kDirectCopyBytes) + " bytes");

  const auto *memory = llvm::find_if(
      layout.memories, [&](const auto &entry) { return entry.op == tile; });
  if (memory == layout.memories.end() || memory->pad != 0)
    return isObstacle("the tile has unused elements");
  // Elements between neighbors along each range.
  llvm::SmallDenseMap<Value, int64_t> strides;
  int64_t stride = 1;
  for (Value value : llvm::reverse(tile.getRanges())) {
    auto range = value.getDefiningOp<RangeOp>();
    if (range.getKind() != RangeKind::local &&
        range.getKind() != RangeKind::unroll && range != last)
      return isObstacle("range " + Twine(range.getId()) +
                        " of the tile is a loop");
    strides[value] = stride;
    stride *= range.getLargestExtent();
  }
  // The number of an item in its group has the axes as digits.
  int64_t items = 1;
  for (const GroupLayout::Axis &axis : llvm::reverse(layout.axes)) {
    if (axis.extent == 1)
      continue;
    const auto *found = llvm::find_if(
        axis.ranges, [&](RangeOp range) { return strides.contains(range); });
    if (found == axis.ranges.end())
      return isObstacle("several items would copy the same elements");
    if (items < target.subgroupItems) {
      RangeOp range = *found;
      if (strides.lookup(range) != items * copy.width)
        return isObstacle("the items of a subgroup do not copy to consecutive "
                          "addresses");
      if (items * axis.extent > target.subgroupItems)
        return isObstacle("subgroups are no digits of the number of an item");
      copy.lanes.push_back(range);
    }
    items *= axis.extent;
  }
  if (target.subgroupItems != tinygrad::kDirectCopyItems ||
      items % target.subgroupItems != 0)
    return isObstacle("the items of a group are no multiple of those of a "
                      "subgroup");
  if (memory->order.rowBits == 0)
    return copy;
  if (memory->order.getChunk() % copy.width != 0)
    return isObstacle("a tile is permuted in chunks of other sizes");
  if ((memory->size / int64_t(tile.getBuffers().value_or(1))) %
          int64_t(memory->order.getPeriod()) !=
      0)
    return isObstacle("buffers of the tile are permuted in different ways");
  // It has all bits that are flipped, and none of the number of a row.
  const int64_t flipped =
      int64_t((memory->order.rowMask | memory->order.farMask) + 1)
      << memory->order.chunkBits;
  for (RangeOp range : copy.lanes)
    if (const int64_t elements = copy.width * range.getLargestExtent();
        strides.lookup(range) == copy.width && llvm::isPowerOf2_64(elements) &&
        elements >= flipped && elements <= int64_t(1) << memory->order.rowBits)
      copy.chunks = range;
  if (!copy.chunks)
    return isObstacle("no range numbers the chunks that change places");
  return copy;
}
