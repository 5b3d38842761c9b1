//===- BoxLayout.cpp - warpgroups and copies of boxes ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of a group's layout that is about operations of warpgroups and
/// copies of boxes: tiles, stores, mbarriers, items that only copy, and blocks
/// of groups that compute several.
///
//===----------------------------------------------------------------------===//

#include "LayoutBuilder.h"
#include "TinyGrad/Support/GPUChips.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// What an mbarrier takes in the memory of a group.
static constexpr int64_t kMbarrierBytes = 8;

LogicalResult LayoutBuilder::checkWarpgroups() {
  for (const Contraction &contraction : layout.contractions) {
    if (!contraction.unit->readsMemory())
      continue;
    for (const Contraction::Factor *factor :
         {&contraction.rows, &contraction.columns}) {
      auto *memory = llvm::find_if(
          layout.memories, [&](const auto &m) { return m.op == factor->tile; });
      const int64_t row = contraction.unit->getRowElements();
      const int64_t size =
          StageOp(factor->tile).getTile().getType().getNumElements();
      if (memory->order.rowBits != llvm::Log2_64(row) ||
          memory->order.rowMask + 1 != tinygrad::kWarpgroupRows ||
          memory->order.chunkBits !=
              llvm::Log2_64(row / tinygrad::kWarpgroupRows) ||
          size % (row * tinygrad::kWarpgroupRows) != 0)
        return StageOp(factor->tile).emitOpError("is not laid out as ")
               << StringRef(contraction.unit->name)
               << " reads it: only such operations may read it, and it has "
                  "multiples of "
               << row * tinygrad::kWarpgroupRows << " elements";
    }
  }
  return success();
}

LogicalResult LayoutBuilder::addBoxTiles() {
  SmallVector<StageOp> tiles;
  for (auto tile : kernel.getBody().getOps<StageOp>())
    if (tile.getAsTma() && !tile.use_empty())
      tiles.push_back(tile);
  // Processors without groups fill them as others.
  if (tiles.empty() || target.groupItems == 0)
    return success();
  llvm::SmallDenseMap<Operation *, TileBoxes> boxesOf;
  for (StageOp tile : tiles) {
    std::string obstacle;
    std::optional<TileBoxes> boxes =
        getTileBoxes(kernel, tile, analysis, obstacle);
    if (!boxes)
      return tile.emitOpError("cannot be filled 'as tma': ") << obstacle;
    boxesOf.try_emplace(tile, std::move(*boxes));
  }
  auto *found =
      llvm::find_if(layout.contractions, [&](const Contraction &contraction) {
        return contraction.unit->readsMemory() &&
               llvm::all_of(tiles, [&](StageOp tile) {
                 return tile == contraction.rows.tile ||
                        tile == contraction.columns.tile;
               });
      });
  if (found == layout.contractions.end() || tiles.size() != 2 ||
      tiles[0].getBuffers() != tiles[1].getBuffers() ||
      isByWarpgroup(tiles[0]) != isByWarpgroup(tiles[1]) ||
      isAcrossBlocks(tiles[0]) != isAcrossBlocks(tiles[1]))
    return tiles.front().emitOpError("is filled 'as tma'")
           << (isByWarpgroup(tiles.front()) ? " 'by warpgroup'" : "")
           << (isAcrossBlocks(tiles.front()) ? " 'across blocks'" : "")
           << ": both factors of one sum on wgmma_* have to be, "
              "and have as many buffers";
  // Phases of mbarriers are counted by the only loop.
  RangedReduceOp sum = found->op;
  unsigned loops = 0;
  for (Value value : sum.getRanges()) {
    auto range = value.getDefiningOp<RangeOp>();
    if (range == found->depth || range.getKind() == RangeKind::unroll)
      continue;
    if (range.isSymbolic() || range.getKind() != RangeKind::loop)
      return sum.emitOpError("reads tiles that are filled 'as tma', but range ")
             << range.getId() << " is not a loop of known length";
    ++loops;
  }
  for (Value value : analysis.getRanges(sum.getResult()))
    if (auto range = value.getDefiningOp<RangeOp>();
        range.getKind() == RangeKind::loop)
      return sum.emitOpError("reads tiles that are filled 'as tma', but is in "
                             "the loop of range ")
             << range.getId();
  if (loops != 1)
    return sum.emitOpError("reads tiles that are filled 'as tma', but has ")
           << loops << " loops";
  for (StageOp tile : {found->rows.tile, found->columns.tile})
    layout.boxTiles.push_back({tile, boxesOf.find(tile)->second});
  return success();
}

LogicalResult LayoutBuilder::addMbarriers() {
  if (layout.boxTiles.empty())
    return success();
  StageOp tile = layout.boxTiles.front().first;
  layout.mbarriers =
      int64_t(*tile.getBuffers()) * (isByWarpgroup(tile) ? 2 : 1);
  layout.groupBytes = llvm::alignTo(layout.groupBytes, kMbarrierBytes) +
                      layout.mbarriers * kMbarrierBytes;
  // If the launch provides the other memory, that begins after mbarriers.
  if (layout.groupBytes + tinygrad::kWarpgroupAlignment > target.groupBytes)
    return kernel.emitError("needs more memory than a group of work items has: "
                            "tiles and mbarriers of ")
           << layout.groupBytes << " bytes; the target has "
           << target.groupBytes << " bytes";
  return success();
}

LogicalResult LayoutBuilder::addBoxStore() {
  SmallVector<StoreOp> stores(kernel.getBody().getOps<StoreOp>());
  auto *found =
      llvm::find_if(stores, [](StoreOp store) { return store.getAsTma(); });
  if (found == stores.end() || target.groupItems == 0)
    return success();
  StoreOp store = *found;
  if (layout.boxTiles.empty())
    return store.emitOpError("cannot be done 'as tma': no sum on wgmma_* has "
                             "tiles that are filled 'as tma'");
  if (stores.size() != 1)
    return store.emitOpError("cannot be done 'as tma': the kernel has ")
           << stores.size() << " stores";
  auto *contraction =
      llvm::find_if(layout.contractions, [&](const Contraction &contraction) {
        return contraction.rows.tile == layout.boxTiles.front().first;
      });
  std::string obstacle;
  std::optional<ResultBoxes> result =
      getResultBoxes(kernel, store, *contraction, analysis, obstacle);
  if (!result)
    return store.emitOpError("cannot be done 'as tma': ") << obstacle;
  int64_t items = 1;
  for (const ResultBoxes::Digit &digit : result->digits)
    if (RangeOp range = digit.range; range.getKind() == RangeKind::local)
      items *= range.getLargestExtent();
  if (items != layout.getGroupItems())
    return store.emitOpError("cannot be done 'as tma': ")
           << items << " of the " << layout.getGroupItems()
           << " work items of a group have results of their own";
  // All products have been added when results are stored.
  const Type element = store.getValue().getType();
  for (const auto &[tile, boxes] : layout.boxTiles) {
    auto *memory = llvm::find_if(
        layout.memories, [&](const auto &memory) { return memory.op == tile; });
    const int64_t size = result->rows * result->columns;
    if (memory->element != element ||
        (memory->size < size && !isAcrossBlocks(tile)))
      continue;
    Operation *own = tile;
    if (isAcrossBlocks(tile)) {
      // In the order that boxes have.
      const Permutation order = memory->order;
      if (failed(
              addMemory(store, element, size, tinygrad::kWarpgroupAlignment)))
        return failure();
      layout.memories.back().order = order;
      own = store;
    }
    layout.boxStore = {store, own, std::move(*result)};
    return success();
  }
  return store.emitOpError("cannot be done 'as tma': no tile of ")
         << element << " has memory for " << result->rows << "x"
         << result->columns << " results";
}

/// A tile of which that holds and that something reads; null if there is none.
static StageOp findTile(KernelOp kernel, bool (*holds)(StageOp)) {
  for (auto tile : kernel.getBody().getOps<StageOp>())
    if (holds(tile) && !tile.use_empty())
      return tile;
  return {};
}

LogicalResult LayoutBuilder::addBlocks() {
  StageOp tile = findTile(kernel, isAcrossBlocks);
  if (!tile || target.groupItems == 0)
    return success();
  std::optional<int64_t> blocks = 1;
  for (const Dim &number : layout.groups)
    if (blocks && (!number.isStatic() ||
                   llvm::MulOverflow(*blocks, *number.getStatic(), *blocks)))
      blocks = std::nullopt;
  if (layout.foldedGroups.getAttr())
    blocks = layout.foldedGroups.getStatic();
  if (!blocks)
    return tile.emitOpError("is filled 'across blocks', but the numbers "
                            "of groups are symbolic, or too large");
  if (*blocks == 0)
    return tile.emitOpError(
        "is filled 'across blocks', but there are no blocks");
  layout.blocks = *blocks;
  layout.foldedGroups = Dim();
  // Each compute unit has two parallel items.
  const Dim one(kernel.getContext(), 1),
      units(kernel.getContext(),
            std::clamp<int64_t>(target.parallelItems / 2, 1, *blocks));
  layout.groups = {units, one, one};
  return success();
}

LogicalResult LayoutBuilder::addCopyingItems() {
  StageOp tile = findTile(kernel, isByWarpgroup);
  if (!tile || target.groupItems == 0)
    return success();
  const int64_t items = layout.getGroupItems();
  if (!layout.hasWarpgroups() || items % kWarpgroupItems != 0)
    return tile.emitOpError("is filled 'by warpgroup', but no sum on wgmma_* "
                            "reads it");
  // Some loads of such a kernel wait for stores of all items.
  if (kernel.getInPlace())
    return tile.emitOpError("is filled 'by warpgroup', but the kernel works in "
                            "place");
  if (items + kWarpgroupItems > target.groupItems)
    return kernel.emitError("has groups of ")
           << items << " work items and " << kWarpgroupItems
           << " that only copy; the target admits " << target.groupItems;
  unsigned &direction = layout.copyingDirection;
  int64_t stride = items;
  for (direction = 2; direction > 0 && layout.groupSize[direction] == 1;)
    --direction;
  stride /= layout.groupSize[direction];
  if (kWarpgroupItems % stride != 0)
    return tile.emitOpError("is filled 'by warpgroup', but the work items of a "
                            "group are not a multiple of ")
           << stride;
  layout.copyingItems = kWarpgroupItems;
  layout.groupSize[direction] += kWarpgroupItems / stride;
  return success();
}
