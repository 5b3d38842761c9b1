//===- Tiles.cpp - tiles of kernels ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Allocates and fills tiles. One thread runs a work item, so tiles of an item
/// and of its group are placed alike: on the stack, or on the heap if they are
/// large.
///
//===----------------------------------------------------------------------===//

#include "VectorEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::tovector;

/// Maximum stack space for tiles; further ones are on the heap.
static constexpr int64_t kStackLimit = 1 << 20;

Value VectorEmitter::createTile(StageOp op, unsigned depth, bool isKept) {
  Type element = arithmetic.getMemoryType(op.getValue().getType());
  int64_t size = op.getTile().getType().getNumElements();
  auto type = MemRefType::get({size}, element);
  int64_t bytes = llvm::alignTo(size * element.getIntOrFloatBitWidth() / 8, 64);
  // Reuse tiles of closed scopes: their last uses precede this code. A kept
  // tile needs memory of its own, since the next work item reads it again.
  for (unsigned i = 0; i <= depth && !isKept; ++i) {
    Value *found = llvm::find_if(scopes[i].freeTiles, [&](Value tile) {
      return tile.getType() == type;
    });
    if (found == scopes[i].freeTiles.end())
      continue;
    Value tile = *found;
    scopes[i].freeTiles.erase(found);
    scopes[depth].tiles.push_back(tile);
    return tile;
  }
  // Each part fills the tile at its first item, so that all parts can use the
  // same memory; the copies of an unrolled tile in one block cannot.
  Block *block = scopes[depth].anchor->block;
  if (isKept)
    for (KeptTile &kept : keptTiles[op])
      if (kept.memory.getType() == type &&
          !llvm::is_contained(kept.blocks, block)) {
        kept.blocks.push_back(block);
        return kept.memory;
      }
  builder.setInsertionPointToStart(scopes[0].anchor->block);
  builder.setLoc(op.getLoc());
  IntegerAttr alignment = builder.getI64IntegerAttr(kBufferAlignment);
  Value tile;
  if (stackBytes + bytes <= kStackLimit) {
    stackBytes += bytes;
    tile = memref::AllocaOp::create(builder, type, alignment);
  } else {
    tile = memref::AllocOp::create(builder, type, alignment);
    heapTiles.push_back(tile);
  }
  if (isKept)
    keptTiles[op].push_back({tile, {block}});
  else
    scopes[depth].tiles.push_back(tile);
  return tile;
}

Value VectorEmitter::createStage(StageOp op, unsigned depth) {
  Value isNew = createIsNew(op, depth);
  Value tile = createTile(op, depth, /*isKept=*/isNew != nullptr);
  if (!isNew) {
    fillTile(op, tile);
    return tile;
  }
  auto branch = scf::IfOp::create(at(depth, op.getLoc()), isNew,
                                  /*withElseRegion=*/false);
  emitInRegion(branch, branch.thenBlock(), [&] { fillTile(op, tile); });
  return tile;
}

bool VectorEmitter::isRunByAll(Block *block, RangeSet fixed) {
  while (block != threadLoop.getBody()) {
    auto found = partBranches.find(block->getParentOp());
    if (found == partBranches.end() || !(fixed & setOf(found->second)))
      return false;
    block = found->first->getBlock();
  }
  return true;
}

Value VectorEmitter::createIsNew(StageOp op, unsigned depth) {
  // In a kernel that works in place, a work item may overwrite elements that
  // later items read into their tiles. One with passes around its items only
  // adds to results, of which each belongs to one item.
  if (!threadLoop || (kernel.getInPlace() && !passSet))
    return Value();
  // The ranges that change from item to item while the tile stays the same.
  Dim items = getNumber(1);
  RangeSet fixed = parallelSet;
  for (size_t i = ranges.size(); i-- > 0;) {
    if (!(parallelSet & setOf(i)))
      continue;
    if (getDeps(op.getResult()) & setOf(i))
      break;
    items = items * getExtent(ranges[i]);
    fixed &= ~setOf(i);
  }
  if (items.is(1) || !isRunByAll(scopes[depth].anchor->block, fixed))
    return Value();
  Location loc = op.getLoc();
  Value count = getDimValue(items, loc), item = threadLoop.getInductionVar();
  Value zero = getIndexConstant(0, loc);
  B &b = at(depth, loc);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, item,
                                        threadLoop.getLowerBound());
  Value isNext =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            arith::RemUIOp::create(b, item, count), zero);
  return arith::OrIOp::create(b, isFirst, isNext);
}

void VectorEmitter::fillTile(StageOp op, Value tile) {
  Location loc = op.getLoc();
  Access access;
  access.element = op.getValue().getType();
  access.buffer = tile;
  access.width = getStageLanes(op);
  forEachStaged(op, [&](RangeSet unrolled) {
    std::optional<unsigned> square = findWrittenSquare(op, access, unrolled);
    if (square)
      unrolled &= ~setOf(*square);
    forEachPosition(unrolled, [&] {
      if (square)
        return writeSquare(op, access, *square);
      access.index = getTileIndex(op);
      access.lanes = splitLanes(access.index);
      emitWrite(access, get(op.getValue()), loc);
    });
  });
}
