//===- TgReifyShapes.cpp - sizes as values --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements ReifyRankedShapedTypeOpInterface. Result types say the sizes; the
/// operands, where their values come from.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Dialect/Tg/IR/TgReifyShapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::tg;

static Value createStep(OpBuilder &builder, Location loc, DimOpKind kind,
                        Value lhs, Value rhs) {
  switch (kind) {
  case DimOpKind::add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case DimOpKind::mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  case DimOpKind::floordiv:
    return arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
  case DimOpKind::mod: {
    // With the sign of the divisor, unlike arith.remsi.
    Value quotient = arith::FloorDivSIOp::create(builder, loc, lhs, rhs);
    return arith::SubIOp::create(
        builder, loc, lhs, arith::MulIOp::create(builder, loc, quotient, rhs));
  }
  case DimOpKind::min:
    return arith::MinSIOp::create(builder, loc, lhs, rhs);
  case DimOpKind::max:
    return arith::MaxSIOp::create(builder, loc, lhs, rhs);
  }
  llvm_unreachable("unknown DimOpKind");
}

Value mlir::tg::createDimValue(OpBuilder &builder, Location loc, Dim dim,
                               function_ref<Value(VarAttr)> getValue) {
  if (std::optional<int64_t> number = dim.getStatic())
    return arith::ConstantIndexOp::create(builder, loc, *number);
  if (auto variable = dyn_cast<VarAttr>(dim.getAttr()))
    return getValue(variable);
  auto expression = cast<DimExprAttr>(dim.getAttr());
  Value value;
  for (Attribute operand : expression.getOperands()) {
    Value next = createDimValue(builder, loc, Dim(operand), getValue);
    if (!next)
      return Value();
    value = value ? createStep(builder, loc, expression.getKind(), value, next)
                  : next;
  }
  return value;
}

/// The operand, and its axis, that has the dimension.
static std::optional<std::pair<Value, int64_t>> findAxis(Operation *op,
                                                         Dim dim) {
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || !hasDims(type))
      continue;
    for (auto [axis, own] : llvm::enumerate(getDims(type)))
      if (own == dim)
        return std::make_pair(operand, static_cast<int64_t>(axis));
  }
  return std::nullopt;
}

static OpFoldResult reify(Operation *op, OpBuilder &builder, Dim dim) {
  if (std::optional<int64_t> number = dim.getStatic())
    return builder.getIndexAttr(*number);
  const Location loc = op->getLoc();
  auto createAxis = [&](Dim known) -> Value {
    if (auto found = findAxis(op, known))
      return tensor::DimOp::create(builder, loc, found->first, found->second);
    return Value();
  };
  if (Value size = createAxis(dim))
    return size;
  // Nothing is built for an expression of which some part is not known.
  bool isKnown = true;
  dim.walk([&](VarAttr variable) {
    isKnown &= findAxis(op, Dim(variable)).has_value();
  });
  if (!isKnown)
    return DimOp::create(builder, loc, builder.getIndexType(), dim.getAttr())
        .getResult();
  return createDimValue(builder, loc, dim, [&](VarAttr variable) {
    return createAxis(Dim(variable));
  });
}

LogicalResult mlir::tg::reifyResultShapes(Operation *op, OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  for (Type type : op->getResultTypes())
    if (!isa<RankedTensorType>(type) || !hasDims(type))
      return failure();
  for (Type type : op->getResultTypes())
    shapes.push_back(
        llvm::map_to_vector(getDims(cast<RankedTensorType>(type)),
                            [&](Dim dim) { return reify(op, builder, dim); }));
  return success();
}

namespace {
/// The types of an operation are all it needs, so that one model is for all.
struct Model : ReifyRankedShapedTypeOpInterface::FallbackModel<Model> {
  LogicalResult reifyResultShapes(Operation *op, OpBuilder &builder,
                                  ReifiedRankedShapedTypeDims &shapes) const {
    return tg::reifyResultShapes(op, builder, shapes);
  }
  FailureOr<SmallVector<OpFoldResult>>
  reifyShapeOfResult(Operation *op, OpBuilder &builder, int result) const {
    ReifiedRankedShapedTypeDims shapes;
    if (failed(tg::reifyResultShapes(op, builder, shapes)))
      return failure();
    return shapes[static_cast<size_t>(result)];
  }
  /// Builds nothing for other sizes.
  FailureOr<OpFoldResult> reifyDimOfResult(Operation *op, OpBuilder &builder,
                                           int result, int axis) const {
    auto type = dyn_cast<RankedTensorType>(
        op->getResult(static_cast<unsigned>(result)).getType());
    if (!type || !hasDims(type) || axis < 0 || axis >= type.getRank())
      return failure();
    return reify(op, builder, getDim(type, axis));
  }
};
} // namespace

void mlir::tg::attachReifiedShapes(TgDialect &dialect) {
  for (RegisteredOperationName name :
       dialect.getContext()->getRegisteredOperations())
    if (&name.getDialect() == &dialect)
      name.attachInterface<Model>();
}
