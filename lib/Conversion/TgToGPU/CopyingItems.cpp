//===- CopyingItems.cpp - work items that only copy boxes -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Groups with a warpgroup that only begins copies of boxes, beside those that
/// multiply. Each buffer has two mbarriers: a phase of the first one is a
/// filling, and one of the second ends when all warpgroups have read it. The
/// copies of position p wait for the second one of buffer p mod n in the parity
/// of p div n - 1, which is over at once for the first n positions. No barrier
/// is in the loops, and warpgroups may be at different positions. Where groups
/// compute several blocks of results, positions are counted across these.
///
//===----------------------------------------------------------------------===//

#include "GPUEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace mlir::tg;
using namespace mlir::tg::emission;
using namespace mlir::tg::togpu;

/// Registers of an item that only copies beside more than two warpgroups that
/// multiply, and the most that any item has. The hardware changes them in steps
/// of 8.
static constexpr int64_t kFewestRegisters = 24, kMostRegisters = 240,
                         kRegisterStep = 8;

unsigned GPUEmitter::getBoxLoop() {
  auto *found =
      llvm::find_if(layout.contractions, [&](const Contraction &contraction) {
        return contraction.rows.tile == layout.boxTiles.front().first;
      });
  for (Value range : RangedReduceOp(found->op).getRanges()) {
    const unsigned index = rangeIndex.lookup(range);
    if (range.getDefiningOp<RangeOp>() != found->depth &&
        loopSet & setOf(index))
      return index;
  }
  llvm_unreachable("the layout has checked that there is one");
}

void GPUEmitter::setRegisters(bool ofCopyingItems, Location loc) {
  const int64_t items = layout.getGroupItems(),
                others = layout.getRangeItems() / kWarpgroupItems;
  // A group has a unit for itself.
  const int64_t first =
      target.unitRegisters / items / kRegisterStep * kRegisterStep;
  if (first >= kMostRegisters)
    return;
  const int64_t fewest = others > 2 ? kFewestRegisters : kCopyingRegisters;
  const int64_t more =
      (first - fewest) / others / kRegisterStep * kRegisterStep;
  const int64_t count =
      ofCopyingItems ? fewest : std::min(first + more, kMostRegisters);
  NVVM::SetMaxRegisterOp::create(at(top(), loc), uint32_t(count),
                                 ofCopyingItems
                                     ? NVVM::SetMaxRegisterAction::decrease
                                     : NVVM::SetMaxRegisterAction::increase);
}

void GPUEmitter::emitCopyingItems(Location loc) {
  SmallVector<StageOp, 2> tiles;
  for (const auto &[tile, boxes] : layout.boxTiles)
    tiles.push_back(tile);
  const int64_t buffers =
      tiles.empty() ? 0 : int64_t(*StageOp(tiles[0]).getBuffers());
  if (!tiles.empty())
    filling = prepareBoxes(buffers, loc);
  Value number = getNumber(gpu::Dimension(layout.copyingDirection),
                           /*isItem=*/true),
        begin = getIndexConstant(layout.getFirstCopying(), loc);
  Value isCopying = arith::CmpIOp::create(
      at(top(), loc), arith::CmpIPredicate::uge, number, begin);
  emitGuarded(isCopying, loc, [&] {
    setRegisters(/*ofCopyingItems=*/true, loc);
    // Where the others fill the tiles, there is nothing to do.
    if (!filling)
      return;
    Value isBeginner = std::exchange(filling->isBeginner, Value());
    emitGuarded(isBeginner, loc, [&] {
      forEachBlock(loc, [&] {
        SmallVector<Value> none;
        emitPositions(getBoxLoop(), none, loc,
                      [&](Value inBlock, SmallVectorImpl<Value> &) {
                        Value position = countAcrossBlocks(inBlock, loc);
                        waitForPhase(filling->emptied, position, buffers,
                                     /*isOther=*/true, loc);
                        beginBoxes(*filling, position, buffers,
                                   getStarts(tiles, position, loc), loc);
                      });
      });
    });
  });
}

Value GPUEmitter::countAcrossBlocks(Value position, Location loc) {
  return positionsBefore
             ? arith::AddIOp::create(at(top(), loc), position, positionsBefore)
             : position;
}

void GPUEmitter::arrive(Value isFirst, Value next, Location loc) {
  const auto buffers = static_cast<int64_t>(
      *StageOp(layout.boxTiles.front().first).getBuffers());
  Value distance = getIndexConstant(buffers - 1, loc),
        count = getIndexConstant(buffers, loc);
  emitGuarded(isFirst, loc, [&] {
    B &b = at(top(), loc);
    Value number = arith::RemUIOp::create(
        b, arith::AddIOp::create(b, next, distance), count);
    nvgpu::MBarrierArriveOp::create(
        b, nvgpu::MBarrierTokenType::get(b.getContext()), filling->emptied,
        number);
  });
}

void GPUEmitter::emitFilledByOthers(ArrayRef<StageOp> tiles, unsigned loop,
                                    SmallVectorImpl<Value> &sums, Location loc,
                                    Multiply multiply) {
  const auto buffers = static_cast<int64_t>(*StageOp(tiles[0]).getBuffers());
  // The products of a position go on while the next ones begin.
  positionsInFlight = 1;
  // The lanes of a warpgroup are those of the innermost axes.
  const unsigned axes = layout.axes.size();
  Value isFirst = getIsFirst({axes - 3, axes - 2, axes - 1}, top(), loc);
  emitPositions(
      loop, sums, loc, [&](Value inBlock, SmallVectorImpl<Value> &values) {
        Value now = countAcrossBlocks(inBlock, loc);
        waitForBoxes(*filling, now, buffers, loc);
        multiply(getStarts(tiles, now, loc), values);
        // Those of the position before are complete.
        Value zero = getIndexConstant(0, loc);
        B &b = at(top(), loc);
        Value isLater =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, inBlock, zero);
        arrive(arith::AndIOp::create(b, isFirst, isLater), now, loc);
      });
  positionsInFlight = 0;
  NVVM::WgmmaWaitGroupSyncOp::create(at(top(), loc), uint64_t(0));
  // Copies for the next block wait for the last position too.
  if (positionsBefore) {
    Value length = getIndexConstant(ranges[loop].extent, loc);
    Value end = arith::AddIOp::create(at(top(), loc), positionsBefore, length);
    arrive(isFirst, end, loc);
  }
}
