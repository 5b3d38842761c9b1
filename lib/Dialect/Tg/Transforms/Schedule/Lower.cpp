//===- Lower.cpp - tensor operations at an index position -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Movement operations become index arithmetic and masks, elementwise
/// operations work on scalars, a reduce works over new ranges.
///
//===----------------------------------------------------------------------===//

#include "Lower.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tg;

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

/// Maps positions of a row-major tensor of shape `to` to those of the same
/// elements in shape `from`. The shapes are cut into the smallest groups of
/// axes that hold equally many elements, so that axes which a reshape leaves
/// alone keep their index.
static SmallVector<Value> reshapeIndices(IndexBuilder &index,
                                         ArrayRef<Dim> from, ArrayRef<Dim> to,
                                         ArrayRef<Value> indices) {
  SmallVector<Value> result(from.size());
  for (ReshapeGroup group : getReshapeGroups(from, to)) {
    Value position =
        linearize(index, group.to, indices.take_front(group.to.size()));
    indices = indices.drop_front(group.to.size());
    size_t first = group.from.data() - from.data();
    // The outermost axis of more than one position needs no remainder.
    size_t outermost = 0;
    while (outermost < group.from.size() && group.from[outermost].is(1))
      ++outermost;
    Dim stride(index.getContext(), 1);
    for (size_t axis = group.from.size(); axis-- > 0;) {
      Dim size = group.from[axis];
      if (size.is(1)) {
        result[first + axis] = index.constant(0);
        continue;
      }
      Value quotient = index.floorDiv(position, stride);
      result[first + axis] =
          axis == outermost ? quotient : index.floorMod(quotient, size);
      stride = stride * size;
    }
  }
  return result;
}

SmallVector<Value> mlir::tg::mapIndices(Operation *movement,
                                        IndexBuilder &index,
                                        ArrayRef<Value> indices, Value &mask) {
  SmallVector<Value> result(indices);
  SmallVector<Dim> from =
      getDims(cast<RankedTensorType>(movement->getOperand(0).getType()));
  if (auto reshape = dyn_cast<ReshapeOp>(movement))
    return reshapeIndices(index, from, getDims(reshape.getType()), indices);
  if (auto permute = dyn_cast<PermuteOp>(movement)) {
    for (auto [i, axis] : llvm::enumerate(permute.getOrder()))
      result[axis] = indices[i];
    return result;
  }
  if (isa<ExpandOp>(movement)) {
    for (auto [axis, size] : llvm::enumerate(from))
      if (size.is(1))
        result[axis] = index.constant(0);
    return result;
  }
  if (auto flip = dyn_cast<FlipOp>(movement)) {
    for (int64_t axis : flip.getAxes())
      result[axis] = index.add(index.mul(indices[axis], -1),
                               from[axis] - Dim(index.getContext(), 1));
    return result;
  }
  if (auto shrink = dyn_cast<ShrinkOp>(movement)) {
    for (auto [axis, start] : llvm::enumerate(getDims(shrink.getFrom())))
      result[axis] = index.add(indices[axis], start);
    return result;
  }
  auto pad = cast<PadOp>(movement);
  Dim zero(index.getContext(), 0);
  for (auto [axis, low] : llvm::enumerate(getDims(pad.getLow()))) {
    result[axis] = index.add(indices[axis], zero - low);
    mask = index.conjunction(mask, index.atLeast(result[axis], zero));
    mask = index.conjunction(mask, index.lessThan(result[axis], from[axis]));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Value lowerPad(PadOp pad, Access &access, RequestFn request) {
  KernelBuilder &kernel = *access.kernel;
  OpBuilder &builder = kernel.getBuilder();
  Value inside;
  SmallVector<Value> indices =
      mapIndices(pad, kernel.getIndex(), access.indices, inside);
  Value mask = kernel.getIndex().conjunction(access.mask, inside);
  Value value = request(pad.getX(), indices, mask, access.scope);
  if (!inside)
    return value;
  Value zero =
      ConstOp::create(builder, kernel.getLoc(), value.getType(), int64_t(0));
  return WhereOp::create(builder, kernel.getLoc(), value.getType(), inside,
                         value, zero);
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
  Value value = request(reduce.getX(), indices, access.mask, scope);
  return RangedReduceOp::create(kernel.getBuilder(), kernel.getLoc(),
                                reduce.getKind(), value, ranges);
}

Value mlir::tg::lowerAccess(Operation *op, Access &access, RequestFn request) {
  KernelBuilder &kernel = *access.kernel;
  OpBuilder &builder = kernel.getBuilder();
  Type type =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  if (auto pad = dyn_cast<PadOp>(op))
    return lowerPad(pad, access, request);
  if (isMovementOp(op)) {
    Value mask = access.mask;
    SmallVector<Value> indices =
        mapIndices(op, kernel.getIndex(), access.indices, mask);
    return request(op->getOperand(0), indices, mask, access.scope);
  }
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return lowerReduce(reduce, access, request);
  if (isa<DetachOp, ContiguousOp, CopyOp>(op))
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
    // Floats go through an integer type: index casts only to integers.
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
  // Elementwise: the same operation, on scalars.
  OperationState state(kernel.getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(
        request(operand, access.indices, access.mask, access.scope));
  state.addTypes(type);
  state.addAttributes(op->getAttrs());
  return builder.create(state)->getResult(0);
}
