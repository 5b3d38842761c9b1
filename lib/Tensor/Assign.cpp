//===- Assign.cpp - assignments to tensors and views ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Assignment to a tensor, or to a view of one.
///
/// In the graph, an assignment replaces the value of a whole tensor. An
/// assignment to a view assigns `where(inside, value, old)` to its root: the
/// value is moved to the position of the view, and `inside` is true there. The
/// program for it writes only that part.
///
//===----------------------------------------------------------------------===//

#include "Assign.h"
#include "Aliasing.h"
#include "GraphImpl.h"
#include "Primitives.h"
#include "Recorder.h"
#include "Shards.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Tensor/Training.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Assignments in the graph
//===----------------------------------------------------------------------===//

/// Adds the variables in the positions of parts that \p movements take.
static std::vector<SymVariable> variablesOf(const Movement *movements) {
  std::vector<SymVariable> variables;
  for (const Movement *step = movements; step; step = step->previous.get())
    for (const Shape *list : {&step->before, &step->after, &step->from,
                              &step->to, &step->low, &step->high})
      for (const SymInt &size : *list)
        if (size.isSymbolic())
          addVariables(variables, size.expression()->variables);
  return variables;
}

/// Whether a variable has different values in the two lists.
static bool haveConflictingValues(ArrayRef<SymVariable> a,
                                  ArrayRef<SymVariable> b) {
  for (const SymVariable &variable : a)
    for (const SymVariable &other : b)
      if (variable.name == other.name && variable.value != other.value)
        return true;
  return false;
}

/// Whether \p value may depend on variables, which may have other values by the
/// time a later program carries out the assignment.
static bool mayHaveVariables(GraphImpl &graph, Operation *value) {
  if (!graph.hasSymbols())
    return false;
  constexpr unsigned maxOps = 64;
  llvm::SmallSetVector<Operation *, 16> seen;
  seen.insert(value);
  for (unsigned i = 0; i < seen.size(); ++i) {
    Operation *op = seen[i];
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Attribute places;
    if (auto shrink = dyn_cast<tg::ShrinkOp>(op))
      places = shrink.getFrom();
    else if (auto pad = dyn_cast<tg::PadOp>(op))
      places = pad.getLow();
    else if (auto strided = dyn_cast<tg::StridedOp>(op))
      places = strided.getViews();
    if (i == maxOps || type.getEncoding() || isa<tg::DimOp>(op) ||
        (places && !graph.symbolsOf(places).variables.empty()))
      return true;
    for (Value operand : op->getOperands())
      seen.insert(operand.getDefiningOp());
  }
  return false;
}

/// The unsigned integers with the bits of a type.
static DType unsignedOf(DType dtype) {
  switch (itemSize(dtype)) {
  case 1:
    return DType::UInt8;
  case 2:
    return DType::UInt16;
  case 4:
    return DType::UInt32;
  default:
    return DType::UInt64;
  }
}

/// Moves back elements that \p step made of one, of which some are assigned to:
/// the last of these is the value of the one.
static void moveBackSome(const Movement &step, Tensor &inside, Tensor &moved) {
  std::vector<int64_t> axes;
  for (std::size_t i = 0; i < step.before.size(); ++i)
    if (step.before[i] != step.after[i])
      axes.push_back(int64_t(i));
  for (int64_t axis : axes) {
    const Tensor position =
        prim::iota(moved, axis, DType::Int64, moved.shape());
    const Tensor assigned = inside.where(position, -1),
                 last = assigned.max(axis, /*keepdim=*/true);
    const Tensor isLast = inside & (position == last);
    // Only one element is not 0; as integers, no bit of it is lost.
    const DType dtype = moved.dtype();
    Tensor bits = dtype == DType::Bool
                      ? moved.cast(DType::UInt8)
                      : prim::bitcast(moved, unsignedOf(dtype));
    bits = isLast.where(bits, 0).max(axis, /*keepdim=*/true);
    moved =
        dtype == DType::Bool ? bits.cast(dtype) : prim::bitcast(bits, dtype);
    inside = last >= 0;
  }
}

/// \p root with the values of \p source in \p part.
static Tensor withPart(const Movement *part, const Tensor &source,
                       const Tensor &root) {
  Tensor inside = prim::constant(source, true, DType::Bool, source.shape());
  // A bitcast commutes with movements.
  Tensor moved = prim::bitcast(source, root.dtype());
  bool isPartial = false;
  for (const Movement *step = part; step; step = step->previous.get()) {
    isPartial |= step->kind == Movement::Kind::Shrink;
    const auto &sizes = step->after;
    if (isPartial && step->kind == Movement::Kind::Expand &&
        std::find(sizes.begin(), sizes.end(), SymInt(0)) == sizes.end()) {
      moveBackSome(*step, inside, moved);
      continue;
    }
    inside = step->moveBack(inside);
    moved = step->moveBack(moved);
  }
  return prim::where(inside, moved, root);
}

/// Throws Error if a gradient should flow from a leaf to an assigned value.
static void checkLeaf(GraphImpl &graph, const TensorImpl &target,
                      const Tensor &source) {
  const bool isLeaf =
      target.storage ? target.storage->requiresGrad() : target.requiresGrad;
  if (!isLeaf || NoGradScope::isActive() ||
      !graph.isTracked(graph.operation(source.impl())))
    return;
  throw Error("assign: a value that depends on a tensor which requires a "
              "gradient, to a " +
              std::string(target.movement ? "part " : "tensor ") +
              toString(target.shape) + " " + name(target.dtype) +
              (target.movement ? " of one" : "") +
              " that requires one itself: no gradient flows through that; "
              "assign in a NoGradScope, or detach() the value");
}

/// Assigns \p source to a tensor. Its root and the other views change with it.
static void assignTo(GraphImpl &graph, TensorImpl &target,
                     const Tensor &source) {
  const std::shared_ptr<Storage> storage = target.storage;
  auto current = [&] {
    return storage ? storage->operation() : graph.operation(target);
  };
  Tensor value = source;
  std::vector<SymVariable> variables;
  bool isPending = false;
  if (target.movement) {
    if (graph.hasSymbols())
      variables = variablesOf(target.movement.get());
    // The assigned root could not be read until the variables have values.
    if (std::string unbound = describeUnbound(variables); !unbound.empty())
      throw ShapeError("assign: the position has no value; " + unbound);
    // A constant that is assigned to in parts is treated as memory.
    isPending = !variables.empty() || isa<tg::ConstOp>(current()) ||
                mayHaveVariables(graph, graph.operation(source.impl()));
    if (auto it = graph.pendingParts.find(current());
        it != graph.pendingParts.end()) {
      isPending = true;
      // A program has one value for each variable.
      if (haveConflictingValues(it->second, variables)) {
        const uint64_t cutBits = graph.beginCut(current());
        graph.wrap(current(), target.device).realize(std::source_location());
        graph.endCut(current(), cutBits);
      } else
        addVariables(variables, it->second);
    }
    value = withPart(target.movement.get(), source,
                     graph.wrap(current(), target.device));
  }
  if (NoGradScope::isActive() && graph.isTracked(graph.operation(value.impl())))
    value = prim::detach(value);
  graph.addFormerValue(target);
  // A tensor in memory stays there, unless its own value is assigned to it.
  Operation *old = current(), *op = graph.operation(value.impl());
  if (auto assign = dyn_cast<tg::AssignOp>(old))
    old = assign.getTarget().getDefiningOp();
  if (isa<tg::BufferOp>(old) && op != old)
    op = graph.createAssign(old, op);
  if (storage)
    storage->assign(op, target.movement.get());
  else
    graph.rebind(target, op);
  if (isPending && !isa<tg::BufferOp, tg::ConstOp>(op))
    graph.pendingParts[op] = std::move(variables);
}

Tensor &Tensor::assign(const Operand &value) {
  TensorImpl &target = impl();
  GraphImpl &graph = *target.graph;
  if (target.shards || (value.tensor() && isSharded(*value.tensor()))) {
    if (value.tensor() && value.tensor()->dtype() != dtype())
      throw DTypeError(std::string("assign: a value of ") +
                       name(value.tensor()->dtype()) + " to a tensor of " +
                       name(dtype()) + "; cast it first");
    shards::assign(*this, value);
    return *this;
  }
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
  std::lock_guard<GraphMutex> lock(graph.mutex);
  checkLeaf(graph, target, source);
  if (Recorder *recorder = Recorder::current())
    recorder->assigned(target);
  assignTo(graph, target, source);
  return *this;
}

//===----------------------------------------------------------------------===//
// Programs that write parts of memory
//===----------------------------------------------------------------------===//

/// The part of \p target that corresponds to the operand of \p op if \p target
/// corresponds to its result.
static Value undoMovement(OpBuilder &builder, Operation *op, Value target) {
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto permute = dyn_cast<tg::PermuteOp>(op))
    return tg::PermuteOp::create(builder, loc, target,
                                 invertPermutationVector(permute.getOrder()));
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

/// Whether both perform the same movement.
static bool isSameMovement(Operation *a, Operation *b) {
  return a->getName() == b->getName() && tg::isMovementOp(a) &&
         !isa<tg::ExpandOp, tg::ShrinkOp>(a) &&
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
  // Compare the operations that are compiled: equal positions in the graph may
  // be different operands of the program.
  Operation *inside = mapping.lookup(choice.getCondition()).getDefiningOp();
  Value moved = mapping.lookup(choice.getX());
  SmallVector<Operation *> movements;
  while (inside && moved.getDefiningOp() &&
         isSameMovement(inside, moved.getDefiningOp())) {
    movements.push_back(moved.getDefiningOp());
    inside = inside->getOperand(0).getDefiningOp();
    moved = moved.getDefiningOp()->getOperand(0);
  }
  // The mask without its movements is constant, since the whole part is
  // assigned.
  auto constant = dyn_cast_if_present<tg::ConstOp>(inside);
  if (!constant || movements.empty() ||
      !matchPattern(constant.getValue(), m_One()))
    return {};
  Value memory = mapping.lookup(assign->getOperand(0)), target = memory;
  for (Operation *op : movements)
    target = undoMovement(builder, op, target);
  auto written = tg::AssignOp::create(builder, assign->getLoc(), target, moved);
  return tg::AfterOp::create(builder, assign->getLoc(), memory, written);
}
