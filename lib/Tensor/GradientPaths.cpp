//===- GradientPaths.cpp - what gradients flow through --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientPaths.h"

#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/Error.h"

#include "mlir/IR/Location.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

std::string tinygrad::detail::describe(GraphImpl &graph, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return toString(graph.shapeOf(type)) + " " +
         name(getDType(type.getElementType()));
}

/// For what required a gradient before it was assigned to.
[[noreturn]] static void throwReassigned(GraphImpl &graph, Operation *op,
                                         const char *method) {
  throw Error(std::string(method) + ": a tensor " + describe(graph, op) +
              " that requires a gradient was assigned to after a value was "
              "computed from it; compute gradients before the assignment");
}

void GradientPaths::checkReassigned() const {
  for (Operation *op : seen)
    if (graph.node(op).isLeaf && !graph.findLeaf(op))
      throwReassigned(graph, op, method);
}

void GradientPaths::check(Operation *op) const {
  const GraphImpl::Node &node = graph.node(op);
  const bool isCut = graph.isCut(op);
  if (isCut && node.ending == GraphImpl::Ending::Assigned)
    throw Error(std::string(method) + ": a value " + describe(graph, op) +
                " that depends on tensors which require a gradient was "
                "realized, and something that it was computed from was "
                "assigned to since; compute gradients before the assignment, "
                "or detach() the value if no gradient is to flow through it");
  if (isCut && node.ending == GraphImpl::Ending::Accumulated)
    throw Error(std::string(method) + ": a value " + describe(graph, op) +
                " was computed from a gradient that was realized before "
                "backward() added another one to it; differentiate it before, "
                "or begin a new sum with zeroGrad()");
  if (isCut)
    throw Error(
        std::string(method) + ": a value " + describe(graph, op) +
        " that depends on tensors which require a gradient was realized "
        "before: to select elements by a mask, on the other side of the border "
        "of a captured step, or after something that it was computed from was "
        "assigned to; call gradient() or backward() first, or detach() the "
        "value if no gradient is to flow through it");
  if (node.isLeaf)
    throwReassigned(graph, op, method);
}

void GradientPaths::checkCut(Operation *op, ArrayRef<Operation *> wrt) const {
  // An operation that memory replaced stays as its origin.
  const uint64_t cutBits = isa<tg::BufferOp>(op) ? graph.node(op).cutBits : 0;
  if (cutBits == 0 || graph.findOrigin(op))
    return;
  for (auto [i, other] : llvm::enumerate(wrt))
    if (other != op && (graph.node(other).cutAfter & cutBits) != 0)
      throw Error(std::string(method) + ": a value " + describe(graph, op) +
                  " that depends on tensor " + std::to_string(i) +
                  " of those to differentiate by, " + describe(graph, other) +
                  ", was realized before, by an assignment or along with "
                  "another value; compute gradients first, or detach() the "
                  "value if no gradient is to flow through it");
}

void GradientPaths::checkMemory(ArrayRef<Operation *> memory,
                                ArrayRef<Operation *> wrt) const {
  if (memory.empty())
    return;
  for (Operation *start : wrt) {
    llvm::SmallSetVector<Operation *, 16> sources;
    sources.insert(start);
    for (std::size_t next = 0; next < sources.size(); ++next)
      sources.insert_range(graph.gradientSources(sources[next]));
    for (Operation *op : memory)
      if (op == start || !sources.contains(op))
        check(op);
  }
}

void GradientPaths::follow(Operation *output, ArrayRef<Operation *> wrt) {
  struct Frame {
    Operation *op;
    SmallVector<Operation *> next;
    unsigned i = 0;
    bool reaches = false;
  };
  llvm::DenseMap<Operation *, bool> reaches;
  SmallVector<Frame, 0> path;
  SmallVector<Operation *> memory;
  auto enter = [&](Operation *op) {
    seen.insert(op);
    reaches[op] = false;
    Frame frame{op, {}};
    const bool isLeaf = graph.findLeaf(op);
    if (isLeaf)
      leafOps.insert(op);
    else if (wrt.empty())
      check(op);
    else if (graph.isCut(op))
      memory.push_back(op);
    checkCut(op, wrt);
    frame.reaches = wrt.empty() ? isLeaf : llvm::is_contained(wrt, op);
    if (!isLeaf)
      frame.next = graph.gradientSources(op);
    path.push_back(std::move(frame));
  };
  enter(output);
  while (!path.empty()) {
    Frame &frame = path.back();
    if (frame.i < frame.next.size()) {
      Operation *next = frame.next[frame.i];
      if (!seen.contains(next)) {
        enter(next); // visited again afterwards
        continue;
      }
      frame.reaches |= reaches.at(next);
      ++frame.i;
      continue;
    }
    reaches[frame.op] = frame.reaches;
    // No gradient flows through a leaf, nor through what was one.
    if (frame.reaches && !graph.findLeaf(frame.op) &&
        !llvm::is_contained(wrt, frame.op))
      check(frame.op);
    if (frame.reaches && graph.findCustomGradient(frame.op))
      customOps.push_back(frame.op);
    path.pop_back();
  }
  checkMemory(memory, wrt);
}

/// The method that made an operation, if that is known, and its name in IR.
static std::string nameOf(Operation *op) {
  std::string name = "'" + op->getName().getStringRef().str() + "'";
  if (auto place = dyn_cast<NameLoc>(op->getLoc()))
    return place.getName().str() + " (" + name + ")";
  if (isa<tg::CmpLtOp, tg::CmpEqOp, tg::CmpNeOp>(op))
    return "a comparison (" + name + ")";
  if (isa<tg::CastOp>(op))
    return "a conversion (" + name + ")";
  return name;
}

std::string
tinygrad::detail::explainMissing(GraphImpl &graph, Operation *output,
                                 llvm::function_ref<bool(Operation *)> isTarget,
                                 const char *otherwise) {
  // A path along all operands, and back along it to the last operation that
  // gradients do not flow through.
  llvm::DenseMap<Operation *, Operation *> userOf{{output, nullptr}};
  SmallVector<Operation *> worklist{output};
  Operation *found = nullptr;
  while (!worklist.empty() && !found) {
    Operation *op = worklist.pop_back_val();
    if (isTarget(op)) {
      found = op;
      break;
    }
    auto add = [&](Operation *source) {
      if (userOf.try_emplace(source, op).second)
        worklist.push_back(source);
    };
    if (Operation *origin = graph.findOrigin(op))
      add(origin);
    for (Value operand : op->getOperands())
      add(operand.getDefiningOp());
  }
  for (Operation *op = found; op; op = userOf.at(op)) {
    Operation *user = userOf.at(op);
    if (!user || (isa<FloatType>(getElementTypeOrSelf(user->getResult(0))) &&
                  llvm::is_contained(graph.gradientSources(user), op)))
      continue;
    const std::string value = "; a value " + describe(graph, user);
    if (user->hasAttr(tg::noGradientAttrName))
      return value + " between them was computed in a NoGradScope";
    if (isa<tg::DetachOp>(user))
      return value + " between them was detached or assigned in a NoGradScope";
    return value + " between them, the result of " + nameOf(user) +
           ", has no derivative";
  }
  return otherwise;
}

void tinygrad::detail::checkAssigned(GraphImpl &graph, Operation *output,
                                     ArrayRef<Tensor> wrt,
                                     ArrayRef<Operation *> wrtOps) {
  if (graph.formerValues.empty())
    return;
  llvm::SmallSetVector<Operation *, 16> seen;
  seen.insert(output);
  for (std::size_t next = 0; next < seen.size(); ++next) {
    Operation *op = seen[next];
    if (llvm::is_contained(wrtOps, op))
      continue;
    const bool isFormer = graph.formerValues.contains(op);
    for (auto [i, tensor] : llvm::enumerate(wrt))
      if (isFormer && graph.isFormerValue(op, tensor.impl()))
        throw Error("gradient: tensor " + std::to_string(i) +
                    " of those to differentiate by, " + describe(tensor) +
                    ", was assigned to after a value was computed from it; "
                    "compute gradients before the assignment");
    seen.insert_range(graph.gradientSources(op));
  }
}
