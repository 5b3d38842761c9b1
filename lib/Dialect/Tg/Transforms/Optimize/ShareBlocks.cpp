//===- ShareBlocks.cpp - random numbers of one block together -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A block of random bits has two words, of which a tensor has one in each of
/// its halves. What computes an element of both halves at once computes each
/// block once.
///
//===----------------------------------------------------------------------===//

#include "Heuristic.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tg;

/// Ranges of fewer positions are short anyway.
static constexpr int64_t kMinHalves = 64;

/// Whether all that \p blocks are computed from uses the range as its remainder
/// modulo half of its extent.
static bool isUsedByHalves(KernelSchedule &schedule, RangeOp range,
                           ArrayRef<ThreefryOp> blocks) {
  const int64_t half = range.getLargestExtent() / 2;
  bool isUsed = false;
  for (ThreefryOp block : blocks)
    for (Operation *op : KernelSchedule::getSlice(block)) {
      if (!llvm::is_contained(op->getOperands(), range.getResult()))
        continue;
      APInt divisor;
      if (!isa<FloorModOp>(op) || op->getOperand(0) != range.getResult() ||
          !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
          divisor.getSExtValue() != half)
        return false;
      isUsed = true;
    }
  return isUsed;
}

void Heuristic::shareBlocks() {
  SmallVector<ThreefryOp> blocks;
  for (auto block : schedule.getKernel().getBody().getOps<ThreefryOp>())
    blocks.push_back(block);
  if (blocks.empty())
    return;
  for (RangeOp range : schedule.getResultRanges()) {
    if (range.getKind() != RangeKind::loop || range.isSymbolic() ||
        range.getLargestExtent() < kMinHalves ||
        range.getLargestExtent() % 2 != 0 ||
        !isUsedByHalves(schedule, range, blocks) || !schedule.hasRoomFor(1))
      continue;
    report("halves", range, 2);
    auto [halves, place] = schedule.split(range, range.getLargestExtent() / 2);
    schedule.moveBefore(place, halves);
    schedule.setKind(halves, RangeKind::unroll);
    return;
  }
}
