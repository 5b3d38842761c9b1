//===- Movement.cpp - movement operations and views -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Movement operations as copies, and the positions that an assignment's target
/// views.
///
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Evaluate.h"

#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgView.h"

using namespace mlir;
using namespace mlir::tg;

SmallVector<int64_t> mlir::tg::getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i > 1; --i)
    strides[i - 2] = strides[i - 1] * shape[i - 1];
  return strides;
}

/// Advances `index` to the next position of `shape` in row-major order.
static void nextIndex(MutableArrayRef<int64_t> index, ArrayRef<int64_t> shape) {
  for (size_t axis = shape.size(); axis > 0; --axis) {
    if (++index[axis - 1] < shape[axis - 1])
      return;
    index[axis - 1] = 0;
  }
}

/// For each position of an axis of the result: what it adds to the position in
/// the operand, kNothing for zeros added by pad.
static std::vector<int64_t> getSources(Operation *op, int64_t axis,
                                       int64_t size, ArrayRef<int64_t> shape,
                                       ArrayRef<int64_t> strides,
                                       ArrayRef<int64_t> offsets) {
  int64_t from = axis;
  if (auto permute = dyn_cast<PermuteOp>(op))
    from = permute.getOrder()[axis];
  const int64_t extent = shape[from];
  const bool isExpanded = isa<ExpandOp>(op) && extent == 1;
  bool isFlipped = false;
  if (auto flip = dyn_cast<FlipOp>(op))
    isFlipped = llvm::is_contained(flip.getAxes(), axis);
  int64_t offset = 0;
  if (isa<PadOp>(op))
    offset = -offsets[axis];
  else if (isa<ShrinkOp>(op))
    offset = offsets[axis];
  std::vector<int64_t> sources(size, kNothing);
  for (int64_t position = 0; position < size; ++position) {
    int64_t source = isExpanded ? 0 : position + offset;
    if (isFlipped)
      source = extent - 1 - position;
    if (source >= 0 && source < extent)
      sources[position] = source * strides[from];
  }
  return sources;
}

/// Evaluates an operation by the views that its interface returns.
static FailureOr<HostTensor> evaluateViews(Operation *op, const HostTensor &x) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  FailureOr<HostTensor> result =
      makeHostTensor(op->getLoc(), type.clone(x.elementType));
  if (failed(result))
    return failure();
  ViewChain chain(cast<RankedTensorType>(op->getOperand(0).getType()));
  // Views are not merged here, since merging is what the interpreter checks.
  if (auto strided = dyn_cast<StridedOp>(op))
    chain = ViewChain(strided.getX().getType(), strided.getViews());
  else
    chain.apply(op);
  std::optional<ViewEvaluator> evaluator = ViewEvaluator::get(chain);
  if (!evaluator)
    return op->emitOpError("the interpreter needs static views");
  SmallVector<int64_t> index(result->shape.size(), 0);
  unsigned size = getElementSize(result->elementType);
  for (int64_t i = 0, e = result->numElements(); i < e; ++i) {
    if (auto position = evaluator->getPosition(index))
      std::memcpy(result->bytes.data() + i * size,
                  x.bytes.data() + *position * size, size);
    nextIndex(index, result->shape);
  }
  return result;
}

FailureOr<HostTensor> mlir::tg::interpretMovement(Operation *op,
                                                  const HostTensor &x) {
  // The six movement operations of `tg` are not evaluated by their views, since
  // the interpreter serves to check these views.
  if (!isa<ReshapeOp, PermuteOp, ExpandOp, PadOp, ShrinkOp, FlipOp>(op))
    return evaluateViews(op, x);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  FailureOr<HostTensor> result =
      makeHostTensor(op->getLoc(), type.clone(x.elementType));
  if (failed(result))
    return failure();
  if (isa<ReshapeOp>(op)) {
    result->bytes = x.bytes;
    return result;
  }
  // Of an empty tensor, other dimensions may be too large to be counted.
  if (result->numElements() == 0)
    return result;
  std::optional<SmallVector<int64_t>> offsets = SmallVector<int64_t>();
  if (auto pad = dyn_cast<PadOp>(op))
    offsets = getStaticDims(pad.getLow());
  if (auto shrink = dyn_cast<ShrinkOp>(op))
    offsets = getStaticDims(shrink.getFrom());
  if (!offsets)
    return op->emitOpError("the interpreter needs static positions");
  SmallVector<int64_t> strides = getStrides(x.shape);
  SmallVector<std::vector<int64_t>> sources;
  for (auto [axis, extent] : llvm::enumerate(result->shape))
    sources.push_back(getSources(op, axis, extent, x.shape, strides, *offsets));
  unsigned size = getElementSize(result->elementType);
  const char *from = x.bytes.data();
  char *to = result->bytes.data();
  forEachSum(sources, [&](int64_t source) {
    if (source != kNothing)
      std::memcpy(to, from + source * size, size);
    to += size;
  });
  return result;
}

FailureOr<std::vector<int64_t>> mlir::tg::getViewedPositions(Value target,
                                                             Value &root) {
  // The movement operations from the target to its root.
  SmallVector<Operation *> movements;
  root = target;
  while (Operation *op = root.getDefiningOp()) {
    if (isMovementOp(op))
      movements.push_back(op);
    else if (!isa<AssignOp>(op))
      break;
    root = op->getOperand(0);
  }
  // Move the positions of the root in the same way as its elements.
  auto type = cast<RankedTensorType>(root.getType());
  Type i64 = IntegerType::get(root.getContext(), 64);
  FailureOr<HostTensor> positions =
      makeHostTensor(root.getLoc(), type.clone(i64));
  if (failed(positions))
    return failure();
  using I64 = PlainElement<int64_t>;
  for (int64_t i = 0, e = positions->numElements(); i < e; ++i)
    I64::store(positions->bytes.data() + 8 * i, i);
  for (Operation *op : llvm::reverse(movements)) {
    positions = interpretMovement(op, *positions);
    if (failed(positions))
      return failure();
  }
  std::vector<int64_t> result(positions->numElements());
  for (auto [i, position] : llvm::enumerate(result))
    position = I64::load(positions->bytes.data() + 8 * i);
  return result;
}
