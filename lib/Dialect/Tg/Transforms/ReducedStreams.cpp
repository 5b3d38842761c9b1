//===- ReducedStreams.cpp - reductions of tensors in memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds tensors that are read from end to end, and reduces them along one
/// axis.
///
//===----------------------------------------------------------------------===//

#include "ReducedStreams.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::tg;

/// Operands that are repeated at least as often are small beside the others.
constexpr int64_t kLeastRepeated = 16;

Axes tg::getLongAxes(RankedTensorType type) {
  Axes axes;
  for (auto [axis, dim] : llvm::enumerate(getDims(type)))
    axes.push_back(dim.is(1) ? kNoAxis : static_cast<int64_t>(axis));
  return axes;
}

/// Maps the axes to the dimensions of the operand of \p op. Returns false if
/// the reshape changes dimensions other than those of one element.
static bool moveToOperand(ReshapeOp op, Axes &axes) {
  auto hasExtent = [](Dim dim) { return !dim.is(1); };
  SmallVector<Dim> from = getDims(op.getX().getType());
  if (!llvm::equal(llvm::make_filter_range(from, hasExtent),
                   llvm::make_filter_range(getDims(op.getType()), hasExtent)))
    return false;
  Axes moved;
  for (auto [axis, dim] : llvm::zip(axes, getDims(op.getType())))
    if (hasExtent(dim))
      moved.push_back(axis);
  axes.assign(from.size(), kNoAxis);
  for (const auto *next = moved.begin();
       auto [axis, dim] : llvm::zip(axes, from))
    if (hasExtent(dim))
      axis = *next++;
  return true;
}

bool StreamFinder::visit(Value value, Axes axes, int64_t depth) {
  if (depth > 8)
    return false;
  const int64_t size = getBufferSize(cast<RankedTensorType>(value.getType()));
  // Tries the movements of the operand; other reshapes must keep the order.
  bool mayMove = true;
  while (Operation *op = value.getDefiningOp()) {
    if (auto permute = dyn_cast<PermuteOp>(op)) {
      if (!mayMove)
        return false;
      Axes moved(axes.size());
      for (auto [to, from] : llvm::enumerate(permute.getOrder()))
        moved[from] = axes[to];
      axes = moved;
    } else if (auto reshape = dyn_cast<ReshapeOp>(op)) {
      if (mayMove && !moveToOperand(reshape, axes)) {
        llvm::erase(axes, kNoAxis);
        mayMove = false;
      }
    } else if (auto expand = dyn_cast<ExpandOp>(op)) {
      if (mayMove)
        for (auto [axis, dim] :
             llvm::zip(axes, getDims(expand.getX().getType())))
          if (dim.is(1))
            axis = kNoAxis;
    } else {
      break;
    }
    value = op->getOperand(0);
  }
  const auto type = cast<RankedTensorType>(value.getType());
  const int64_t sourceSize = getBufferSize(type);
  const bool isRepeated = sourceSize < size / mostShared;
  if (isRepeated && sourceSize > size / kLeastRepeated)
    return false;
  auto isOfOrder = [&](int64_t bitsOfSource) {
    bits += bitsOfSource;
    llvm::erase(axes, kNoAxis);
    if (!order)
      order = axes;
    return *order == axes;
  };
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ConstOp>(op))
    return true;
  if (!op || isa<ContiguousOp, ReduceOp, AfterOp>(op))
    return isRepeated || isOfOrder(sourceSize * type.getElementTypeBitWidth());
  if (!op->hasTrait<OpTrait::Elementwise>())
    return false;
  if (!isRepeated && mayMove)
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return visit(operand, axes, depth + 1);
    });
  StreamFinder own;
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) {
                        return own.visit(operand, getLongAxes(type), depth + 1);
                      }) &&
         (isRepeated ||
          (own.order && llvm::is_sorted(*own.order) && isOfOrder(own.bits)));
}

ReduceOp tg::mergeReducedAxes(ReduceOp op) {
  RankedTensorType from = op.getX().getType();
  StreamFinder finder;
  const Axes axes = getLongAxes(from);
  if (!from.hasStaticShape() || !finder.visit(op.getX(), axes) ||
      !finder.order ||
      finder.order->size() != axes.size() - llvm::count(axes, kNoAxis))
    return op;
  auto isReduced = [&](int64_t axis) {
    return llvm::is_contained(op.getAxes(), axis);
  };
  const ArrayRef<int64_t> inMemory = *finder.order;
  const auto *begin = llvm::find_if(inMemory, isReduced),
             *end = std::find_if_not(begin, inMemory.end(), isReduced);
  if (end - begin < 2 || std::any_of(end, inMemory.end(), isReduced))
    return op;

  // In memory order, axes of one element first.
  SmallVector<int64_t> order;
  for (auto [dim, along] : llvm::enumerate(axes))
    if (along == kNoAxis)
      order.push_back(static_cast<int64_t>(dim));
  const size_t first = order.size() + (begin - inMemory.begin());
  llvm::append_range(order, inMemory);
  SmallVector<int64_t> merged, result;
  for (auto [place, axis] : llvm::enumerate(order)) {
    const int64_t extent = from.getDimSize(axis);
    result.push_back(isReduced(axis) ? 1 : extent);
    if (place > first && place < first + (end - begin))
      merged.back() *= extent;
    else
      merged.push_back(extent);
  }
  OpBuilder b(op);
  const Location loc = op.getLoc();
  Value x = op.getX();
  const bool isPermuted = !llvm::is_sorted(order);
  if (isPermuted)
    x = PermuteOp::create(b, loc, x, order);
  x = ReshapeOp::create(b, loc, from.clone(merged), x);
  auto sum = ReduceOp::create(b, loc, op.getKind(), x,
                              ArrayRef<int64_t>{static_cast<int64_t>(first)});
  Value all = ReshapeOp::create(b, loc, op.getType().clone(result), sum);
  if (isPermuted)
    all = PermuteOp::create(b, loc, all, invertPermutationVector(order));
  op.replaceAllUsesWith(all);
  op.erase();
  return sum;
}
