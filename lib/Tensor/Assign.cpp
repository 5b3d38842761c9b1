//===- Assign.cpp - other values for tensors ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Assigning to a tensor, or to a view of one.
///
/// In the graph an assignment gives a tensor as a whole other values. One to a
/// view assigns `where(inside, value, old)` to what it is a view of, with the
/// value moved to where the part is and `inside` telling where that is; a
/// program for it then writes the part alone.
///
//===----------------------------------------------------------------------===//

#include "Assign.h"
#include "GraphImpl.h"
#include "Primitives.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Parts of memory
//===----------------------------------------------------------------------===//

/// Movement operations whose results are places in the operand, each once at
/// most. Padding is no place: what is assigned to it is dropped.
static bool isPart(Operation *op) {
  return tg::isMovementOp(op) && !isa<tg::ExpandOp>(op);
}

static std::vector<int64_t> invert(ArrayRef<int64_t> order) {
  std::vector<int64_t> inverse(order.size());
  for (auto [i, axis] : llvm::enumerate(order))
    inverse[std::size_t(axis)] = int64_t(i);
  return inverse;
}

static Shape sizesOf(GraphImpl &graph, ArrayAttr list) {
  Shape sizes;
  for (Attribute attr : list)
    sizes.push_back(graph.size(attr));
  return sizes;
}

static Shape difference(const Shape &a, const Shape &b) {
  Shape result;
  for (std::size_t i = 0; i < a.size(); ++i)
    result.push_back(a[i] - b[i]);
  return result;
}

/// \p x where \p op moved it from: zeros outside of the part.
static Tensor moveBack(GraphImpl &graph, Operation *op, const Tensor &x) {
  const Shape shape =
      graph.shapeOf(cast<RankedTensorType>(op->getOperand(0).getType()));
  if (auto permute = dyn_cast<tg::PermuteOp>(op))
    return prim::permute(x, invert(permute.getOrder()));
  if (auto flip = dyn_cast<tg::FlipOp>(op))
    return prim::flip(x, flip.getAxes());
  if (auto shrink = dyn_cast<tg::ShrinkOp>(op))
    return prim::pad(x, sizesOf(graph, shrink.getFrom()),
                     difference(shape, sizesOf(graph, shrink.getTo())));
  if (auto pad = dyn_cast<tg::PadOp>(op))
    return prim::shrink(x, sizesOf(graph, pad.getLow()),
                        difference(x.shape(), sizesOf(graph, pad.getHigh())));
  return prim::reshape(x, shape);
}

/// What \p op makes of \p x in the place of its operand.
static Tensor move(GraphImpl &graph, Operation *op, const Tensor &x) {
  if (auto permute = dyn_cast<tg::PermuteOp>(op))
    return prim::permute(x, permute.getOrder());
  if (auto flip = dyn_cast<tg::FlipOp>(op))
    return prim::flip(x, flip.getAxes());
  if (auto shrink = dyn_cast<tg::ShrinkOp>(op))
    return prim::shrink(x, sizesOf(graph, shrink.getFrom()),
                        sizesOf(graph, shrink.getTo()));
  if (auto pad = dyn_cast<tg::PadOp>(op))
    return prim::pad(x, sizesOf(graph, pad.getLow()),
                     sizesOf(graph, pad.getHigh()));
  return prim::reshape(
      x, graph.shapeOf(cast<RankedTensorType>(op->getResult(0).getType())));
}

/// The movement operations that make up a view, the last one first; none if the
/// tensor is no view, or no longer.
static SmallVector<Operation *> movementsOf(const TensorImpl &view) {
  SmallVector<Operation *> movements;
  if (!view.origin)
    return movements;
  Operation *op = view.op;
  for (; op != view.origin->op && isPart(op);
       op = op->getOperand(0).getDefiningOp())
    movements.push_back(op);
  return movements;
}

/// The tensor that such a view is of, if there is still a handle on it.
static std::shared_ptr<TensorImpl> wholeOf(const TensorImpl &view,
                                           ArrayRef<Operation *> movements) {
  if (movements.empty())
    return nullptr;
  const Shape shape = view.graph->shapeOf(
      cast<RankedTensorType>(movements.back()->getOperand(0).getType()));
  for (Origin *origin = view.origin.get(); origin; origin = origin->next.get())
    if (std::shared_ptr<TensorImpl> whole = origin->tensor.lock();
        whole && whole->shape == shape && whole->dtype == view.dtype)
      return whole;
  return nullptr;
}

/// Gives a tensor other values; what is in memory keeps it, unless the value is
/// what is there.
static void assignWhole(GraphImpl &graph, TensorImpl &target, Operation *op) {
  Operation *old = target.op;
  if (auto assign = dyn_cast<tg::AssignOp>(old))
    old = assign.getTarget().getDefiningOp();
  if (isa<tg::BufferOp>(old) && op != old)
    op = graph.createAssign(old, op);
  graph.rebind(target, op);
  target.origin.reset();
}

/// Gives the part of \p whole that \p target shows other values.
static void assignPart(GraphImpl &graph, TensorImpl &target, TensorImpl &whole,
                       ArrayRef<Operation *> movements, const Tensor &value) {
  Tensor inside = prim::constant(value, true, DType::Bool, value.shape());
  Tensor moved = value;
  for (Operation *op : movements) {
    inside = moveBack(graph, op, inside);
    moved = moveBack(graph, op, moved);
  }
  assignWhole(
      graph, whole,
      prim::where(inside, moved, graph.wrap(whole.op, whole.device)).impl().op);
  Tensor part = graph.wrap(whole.op, whole.device);
  for (Operation *op : llvm::reverse(movements))
    part = move(graph, op, part);
  graph.rebind(target, part.impl().op);
  // Others may be views of the same.
  target.origin = std::make_shared<Origin>(*target.origin);
  target.origin->op = whole.op;
}

/// The tensor that \p view shows all of, element by element, if there is still
/// a handle on it.
static std::shared_ptr<TensorImpl> shownBy(const TensorImpl &view) {
  Origin *origin = view.origin.get();
  if (!origin || view.op != origin->op)
    return nullptr;
  for (; origin; origin = origin->next.get())
    if (std::shared_ptr<TensorImpl> whole = origin->tensor.lock();
        whole && whole->shape == view.shape && whole->dtype == view.dtype)
      return whole;
  return nullptr;
}

/// Views of numbers are numbers again: nothing tells which part they were.
static bool isPartOfConstant(const TensorImpl &view) {
  if (!isa<tg::ConstOp>(view.op))
    return false;
  for (Origin *origin = view.origin.get(); origin; origin = origin->next.get())
    if (std::shared_ptr<TensorImpl> whole = origin->tensor.lock())
      return whole->op == origin->op && isa<tg::ConstOp>(whole->op);
  return false;
}

/// Gives a tensor, and what it is a view of, other values.
static void assignTo(GraphImpl &graph, TensorImpl &target,
                     const Tensor &source) {
  if (isPartOfConstant(target))
    throw Error("assign: a view of a constant tensor, as zeros() and full() "
                "make them, cannot be assigned to; give the tensor memory with "
                "contiguous() first");
  if (std::shared_ptr<TensorImpl> whole = shownBy(target)) {
    assignTo(graph, *whole, source);
    graph.rebind(target, whole->op);
    target.origin = std::make_shared<Origin>(*target.origin);
    target.origin->op = whole->op;
    return;
  }
  const SmallVector<Operation *> movements = movementsOf(target);
  if (std::shared_ptr<TensorImpl> whole = wholeOf(target, movements))
    assignPart(graph, target, *whole, movements, source);
  else
    assignWhole(graph, target, source.impl().op);
}

Tensor &Tensor::assign(const Operand &value) {
  TensorImpl &target = impl();
  GraphImpl &graph = *target.graph;
  Tensor source;
  if (const Tensor *tensor = value.tensor()) {
    if (tensor->dtype() != dtype())
      throw DTypeError(std::string("assign: a value of ") +
                       name(tensor->dtype()) + " to a tensor of " +
                       name(dtype()) + "; cast it first");
    checkOperands({this, tensor});
    source = broadcastTo(*tensor, shape(), "assign");
  } else {
    checkFits(value.scalar(), dtype(), "assign");
    source = fullLike(value.scalar());
  }
  std::lock_guard<std::recursive_mutex> lock(graph.mutex);
  assignTo(graph, target, source);
  return *this;
}

//===----------------------------------------------------------------------===//
// Programs that write parts
//===----------------------------------------------------------------------===//

/// The part of \p target that \p op, of which it is the result, moved from its
/// operand.
static Value partMovedBy(OpBuilder &builder, Operation *op, Value target) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto permute = dyn_cast<tg::PermuteOp>(op))
    return tg::PermuteOp::create(builder, loc, target,
                                 invert(permute.getOrder()));
  if (auto flip = dyn_cast<tg::FlipOp>(op))
    return tg::FlipOp::create(builder, loc, target, flip.getAxes());
  if (auto pad = dyn_cast<tg::PadOp>(op)) {
    SmallVector<Attribute> to;
    for (auto [low, size] :
         llvm::zip(tg::getDims(pad.getLow()), tg::getDims(type)))
      to.push_back((low + size).getAttr());
    return tg::ShrinkOp::create(builder, loc, target, pad.getLow(),
                                builder.getArrayAttr(to));
  }
  return tg::ReshapeOp::create(builder, loc, type, target);
}

/// Whether both move their operands in the same way.
static bool moveAlike(Operation *a, Operation *b) {
  return a->getName() == b->getName() && isPart(a) && !isa<tg::ShrinkOp>(a) &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         tg::getDims(cast<RankedTensorType>(a->getResult(0).getType())) ==
             tg::getDims(cast<RankedTensorType>(b->getResult(0).getType()));
}

Value tinygrad::detail::emitPartialAssign(OpBuilder &builder, Operation *assign,
                                          Operation *old, IRMapping &mapping) {
  auto choice =
      cast<tg::AssignOp>(assign).getValue().getDefiningOp<tg::WhereOp>();
  if (!choice || old != assign->getOperand(0).getDefiningOp())
    return {};
  Operation *inside = choice.getCondition().getDefiningOp();
  Operation *value = choice.getX().getDefiningOp();
  Value moved = mapping.lookup(choice.getX());
  SmallVector<Operation *> movements;
  while (moveAlike(inside, value)) {
    movements.push_back(value);
    inside = inside->getOperand(0).getDefiningOp();
    value = value->getOperand(0).getDefiningOp();
    moved = moved.getDefiningOp()->getOperand(0);
  }
  // All of it is a constant without the movements.
  auto constant = dyn_cast<tg::ConstOp>(inside);
  if (!constant || movements.empty() ||
      !matchPattern(constant.getValue(), m_One()))
    return {};
  Value memory = mapping.lookup(assign->getOperand(0)), target = memory;
  for (Operation *op : movements)
    target = partMovedBy(builder, op, target);
  auto written = tg::AssignOp::create(builder, assign->getLoc(), target, moved);
  return tg::AfterOp::create(builder, assign->getLoc(), memory, written);
}
