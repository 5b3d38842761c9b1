//===- Lower.cpp - tensor operations at an index position -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Views become index arithmetic and masks, elementwise operations become
/// scalar operations, and reductions get new ranges.
///
//===----------------------------------------------------------------------===//

#include "Lower.h"
#include "LowerViews.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;

/// Reads the element of the viewed tensor, or zero where there is none.
static Value lowerStrided(StridedOp strided, Access &access,
                          RequestFn request) {
  KernelBuilder &kernel = *access.kernel;
  OpBuilder &builder = kernel.getBuilder();
  auto getZero = [&] {
    return ConstOp::create(builder, kernel.getLoc(),
                           strided.getType().getElementType(), int64_t(0));
  };
  ViewChain chain(strided.getX().getType(), strided.getViews());
  for (const View &view : chain.getViews())
    if (view.isEmpty())
      return getZero();
  Value inside;
  SmallVector<Value> indices =
      mapIndices(chain, kernel.getIndex(), access.indices, inside);
  Value mask = kernel.getIndex().conjunction(access.mask, inside);
  Value value = request(strided.getX(), indices, mask, access.scope);
  if (!inside)
    return value;
  return WhereOp::create(builder, kernel.getLoc(), value.getType(), inside,
                         value, getZero());
}

static Value lowerReduce(ReduceOp reduce, Access &access, RequestFn request) {
  KernelBuilder &kernel = *access.kernel;
  SmallVector<Dim> shape = getDims(reduce.getX().getType()), extents;
  SmallVector<int64_t> axes;
  for (int64_t axis : reduce.getAxes())
    if (!shape[axis].is(1)) {
      axes.push_back(axis);
      extents.push_back(shape[axis]);
    }
  if (axes.empty())
    return request(reduce.getX(), access.indices, access.mask, access.scope);
  if (llvm::any_of(extents, [](Dim extent) { return extent.is(0); }))
    return ConstOp::create(
        kernel.getBuilder(), kernel.getLoc(), reduce.getType().getElementType(),
        getReduceIdentity(reduce.getKind(), reduce.getType().getElementType()));
  SmallVector<Value> used;
  SmallVector<Value> deps(ArrayRef<Value>(access.indices));
  if (access.mask)
    deps.push_back(access.mask);
  for (Value dep : deps)
    llvm::append_range(used, kernel.getIndex().getAnalysis().getRanges(dep));
  SmallVector<Value> ranges = kernel.getReduceRanges(extents, used);
  SmallVector<Value> indices(ArrayRef<Value>(access.indices));
  for (auto [axis, range] : llvm::zip(axes, ranges))
    indices[axis] = range;
  SmallVector<Value> scope(ArrayRef<Value>(access.scope));
  llvm::append_range(scope, ranges);
  Value value = request(reduce.getX(), indices,
                        kernel.maskEmptyRanges(access.mask, ranges), scope);
  return RangedReduceOp::create(kernel.getBuilder(), reduce.getLoc(),
                                reduce.getKind(), value, ranges);
}

Value mlir::tg::lowerAccess(Operation *op, Access &access, RequestFn request) {
  KernelBuilder &kernel = *access.kernel;
  OpBuilder &builder = kernel.getBuilder();
  Type type =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (auto strided = dyn_cast<StridedOp>(op))
    return lowerStrided(strided, access, request);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return lowerReduce(reduce, access, request);
  if (isa<ContiguousOp, CopyOp>(op))
    return request(op->getOperand(0), access.indices, access.mask,
                   access.scope);
  if (auto constant = dyn_cast<ConstOp>(op)) {
    TypedAttr value = constant.getValue();
    if (auto dense = dyn_cast<DenseElementsAttr>(value))
      value = cast<TypedAttr>(dense.getSplatValue<Attribute>());
    return ConstOp::create(builder, kernel.getLoc(), type, value);
  }
  if (auto iota = dyn_cast<IotaOp>(op)) {
    Value position = access.indices[iota.getAxis()];
    // Index casts only convert to integers, so floats are converted via one.
    if (isa<FloatType>(type))
      position = CastOp::create(builder, kernel.getLoc(), builder.getI64Type(),
                                position);
    return CastOp::create(builder, kernel.getLoc(), type, position);
  }
  if (auto dim = dyn_cast<DimOp>(op)) {
    Value value = kernel.getIndex().dim(Dim(dim.getDim()));
    if (isa<FloatType>(type))
      value =
          CastOp::create(builder, kernel.getLoc(), builder.getI64Type(), value);
    return CastOp::create(builder, kernel.getLoc(), type, value);
  }
  // Elementwise: builds the same operation on scalars and keeps its location.
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(
        request(operand, access.indices, access.mask, access.scope));
  state.addTypes(type);
  state.addAttributes(op->getAttrs());
  return builder.create(state)->getResult(0);
}
