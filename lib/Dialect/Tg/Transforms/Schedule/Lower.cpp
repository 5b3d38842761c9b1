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
                                         ArrayRef<int64_t> from,
                                         ArrayRef<int64_t> to,
                                         ArrayRef<Value> indices) {
  SmallVector<Value> result(from.size());
  size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    size_t fromBegin = i, toBegin = j;
    int64_t fromCount = i < from.size() ? from[i++] : 1;
    int64_t toCount = j < to.size() ? to[j++] : 1;
    while (fromCount != toCount) {
      if (fromCount < toCount)
        fromCount *= from[i++];
      else
        toCount *= to[j++];
    }
    // Trailing axes of size 1 belong to the group, so that none is left alone.
    while (i < from.size() && from[i] == 1)
      ++i;
    while (j < to.size() && to[j] == 1)
      ++j;
    Value position = linearize(index, to.slice(toBegin, j - toBegin),
                               indices.slice(toBegin, j - toBegin));
    int64_t stride = 1;
    int64_t rest = fromCount;
    for (size_t axis = i; axis-- > fromBegin;) {
      if (from[axis] == 1) {
        result[axis] = index.constant(0);
        continue;
      }
      rest /= from[axis];
      Value quotient = index.floorDiv(position, stride);
      result[axis] =
          rest == 1 ? quotient : index.floorMod(quotient, from[axis]);
      stride *= from[axis];
    }
  }
  return result;
}

SmallVector<Value> mlir::tg::mapIndices(Operation *movement,
                                        IndexBuilder &index,
                                        ArrayRef<Value> indices, Value &mask) {
  SmallVector<Value> result(indices);
  ArrayRef<int64_t> from =
      cast<RankedTensorType>(movement->getOperand(0).getType()).getShape();
  if (auto reshape = dyn_cast<ReshapeOp>(movement))
    return reshapeIndices(index, from, reshape.getType().getShape(), indices);
  if (auto permute = dyn_cast<PermuteOp>(movement)) {
    for (auto [i, axis] : llvm::enumerate(permute.getOrder()))
      result[axis] = indices[i];
    return result;
  }
  if (isa<ExpandOp>(movement)) {
    for (auto [axis, size] : llvm::enumerate(from))
      if (size == 1)
        result[axis] = index.constant(0);
    return result;
  }
  if (auto flip = dyn_cast<FlipOp>(movement)) {
    for (int64_t axis : flip.getAxes())
      result[axis] = index.add(index.mul(indices[axis], -1), from[axis] - 1);
    return result;
  }
  if (auto shrink = dyn_cast<ShrinkOp>(movement)) {
    for (auto [axis, start] : llvm::enumerate(*getStaticDims(shrink.getFrom())))
      result[axis] = index.add(indices[axis], start);
    return result;
  }
  auto pad = cast<PadOp>(movement);
  for (auto [axis, low] : llvm::enumerate(*getStaticDims(pad.getLow()))) {
    result[axis] = index.add(indices[axis], -low);
    mask = index.conjunction(mask, index.atLeast(result[axis], 0));
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
  ArrayRef<int64_t> shape = reduce.getX().getType().getShape();
  SmallVector<int64_t> axes, extents;
  for (int64_t axis : reduce.getAxes())
    if (shape[axis] != 1) {
      axes.push_back(axis);
      extents.push_back(shape[axis]);
    }
  if (axes.empty())
    return request(reduce.getX(), access.indices, access.mask, access.scope);
  if (llvm::is_contained(extents, 0))
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
  // Elementwise: the same operation, on scalars.
  OperationState state(kernel.getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(
        request(operand, access.indices, access.mask, access.scope));
  state.addTypes(type);
  state.addAttributes(op->getAttrs());
  return builder.create(state)->getResult(0);
}
