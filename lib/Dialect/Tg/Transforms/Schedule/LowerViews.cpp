//===- LowerViews.cpp - views as index arithmetic -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Maps the indices of a chain of views to indices of the underlying tensor.
/// Linearizing and delinearizing each position is avoided by dividing the axes
/// of a view's space into groups as small as the mask permits: a group of one
/// axis needs no division.
///
//===----------------------------------------------------------------------===//

#include "LowerViews.h"

using namespace mlir;
using namespace mlir::tg;

/// The position in a group of axes.
static Value getPosition(const AxisGroup &group, IndexBuilder &index,
                         ArrayRef<Value> indices) {
  SmallVector<std::pair<Value, Dim>> terms;
  for (auto [coefficient, value] : llvm::zip(group.coefficients, indices))
    if (!coefficient.is(0))
      terms.emplace_back(value, coefficient);
  return index.sum(group.constant, terms);
}

SmallVector<Value> mlir::tg::mapIndices(const ViewChain &chain,
                                        IndexBuilder &index,
                                        ArrayRef<Value> indices, Value &mask) {
  SmallVector<Value> current(indices);
  // Bounds of the positions that the mask of the following view implies.
  SmallVector<std::optional<std::pair<Dim, Dim>>> known(current.size());
  ArrayRef<View> views = chain.getViews();
  for (size_t number = views.size(); number-- > 0;) {
    const View &view = views[number];
    for (size_t axis = 0, e = current.size(); axis < e; ++axis) {
      if (!view.isMasked(axis))
        continue;
      const Span span = view.mask[axis];
      if (!known[axis] || (known[axis]->first - span.begin).getMin() < 0)
        mask =
            index.conjunction(mask, index.atLeast(current[axis], span.begin));
      if (!known[axis] || (span.end - known[axis]->second).getMin() <= 0)
        mask = index.conjunction(mask, index.lessThan(current[axis], span.end));
    }
    ArrayRef<Dim> space =
        number == 0 ? chain.getBaseShape() : ArrayRef(views[number - 1].shape);
    SmallVector<Value> next(space.size());
    known.assign(space.size(), std::nullopt);
    for (const AxisGroup &group : splitPositions(space, view)) {
      Value position = getPosition(group, index, current);
      if (group.end - group.begin == 1) {
        next[group.begin] = position;
        known[group.begin] = {group.min, group.max};
        continue;
      }
      // The first axis of a group needs no modulo.
      size_t first = group.begin;
      while (first + 1 < group.end && space[first].is(1))
        ++first;
      Dim stride(view.getContext(), 1);
      for (size_t axis = group.end; axis-- > group.begin;) {
        if (space[axis].is(1)) {
          next[axis] = index.constant(0);
          continue;
        }
        Value quotient = index.floorDiv(position, stride);
        next[axis] =
            axis == first ? quotient : index.floorMod(quotient, space[axis]);
        stride = stride * space[axis];
      }
    }
    current = std::move(next);
  }
  return current;
}

ViewChain mlir::tg::getTargetChain(AssignOp assign) {
  SmallVector<Operation *> movements;
  Value target = assign.getTarget();
  while (Operation *op = target.getDefiningOp()) {
    movements.push_back(op);
    target = op->getOperand(0);
  }
  ViewChain chain(cast<RankedTensorType>(target.getType()));
  for (Operation *movement : llvm::reverse(movements))
    chain.apply(movement);
  return chain;
}
