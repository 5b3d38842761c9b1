//===- Selection.cpp - values chosen by position --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes the selections by which a graph joins tensors.
///
//===----------------------------------------------------------------------===//

#include "Selection.h"

using namespace mlir;
using namespace mlir::tg;

/// The axis of a tensor of positions; none if positions do not fit its type.
static std::optional<int64_t> getIotaAxis(Value value) {
  auto iota = value.getDefiningOp<IotaOp>();
  if (!iota)
    return std::nullopt;
  RankedTensorType type = iota.getType();
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  const int64_t axis = iota.getAxis();
  if (!integer || !isSignedInteger(integer) || type.isDynamicDim(axis) ||
      !llvm::isIntN(integer.getWidth(), type.getDimSize(axis)))
    return std::nullopt;
  return axis;
}

/// The element of a tensor of equal integers.
static std::optional<int64_t> getSplat(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  if (!constant)
    return std::nullopt;
  Attribute attr = constant.getValue();
  if (auto dense = dyn_cast<DenseElementsAttr>(attr)) {
    if (dense.empty() || !dense.isSplat())
      return std::nullopt;
    attr = dense.getSplatValue<Attribute>();
  }
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer || integer.getValue().getSignificantBits() > 62)
    return std::nullopt;
  return integer.getValue().getSExtValue();
}

std::optional<Selection> mlir::tg::getSelection(Value value) {
  auto where = value.getDefiningOp<WhereOp>();
  if (!where)
    return std::nullopt;
  auto compare = where.getCondition().getDefiningOp<CmpLtOp>();
  if (!compare)
    return std::nullopt;
  if (auto axis = getIotaAxis(compare.getLhs()))
    if (auto bound = getSplat(compare.getRhs()))
      return Selection{*axis, *bound, where.getX(), where.getY()};
  // bound < position is not (position < bound + 1).
  if (auto axis = getIotaAxis(compare.getRhs()))
    if (auto bound = getSplat(compare.getLhs()))
      return Selection{*axis, *bound + 1, where.getY(), where.getX()};
  return std::nullopt;
}

Value mlir::tg::getSelected(Value value, function_ref<bool(Value)> isStored,
                            function_ref<Interval(int64_t)> getPositions) {
  while (auto selection = getSelection(value)) {
    if (isStored(value))
      break;
    // Masks keep positions out that the tensor does not have.
    const int64_t size =
        cast<RankedTensorType>(value.getType()).getDimSize(selection->axis);
    const Interval positions = getPositions(selection->axis);
    if (std::min(positions.hi, size - 1) < selection->bound)
      value = selection->below;
    else if (std::max<int64_t>(positions.lo, 0) >= selection->bound)
      value = selection->above;
    else
      break;
  }
  return value;
}
