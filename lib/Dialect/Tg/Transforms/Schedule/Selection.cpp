//===- Selection.cpp - selection by position ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Recognizes the selections by which graphs concatenate tensors.
///
//===----------------------------------------------------------------------===//

#include "Selection.h"

using namespace mlir;
using namespace mlir::tg;

/// The axis of a tensor of positions; none if its type cannot represent them.
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

/// The value of an integer splat.
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
  // bound < position holds from bound + 1 on.
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
    // Only masked positions are outside of the tensor.
    const int64_t size =
        cast<RankedTensorType>(value.getType()).getDimSize(selection->axis);
    const Interval positions = getPositions(selection->axis);
    if (std::min(positions.getMax(), size - 1) < selection->bound)
      value = selection->below;
    else if (std::max<int64_t>(positions.getMin(), 0) >= selection->bound)
      value = selection->above;
    else
      break;
  }
  return value;
}
