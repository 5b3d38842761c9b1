//===- GraphSlice.cpp - the part of a graph behind values
//----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks are iterative: graphs are deeper than stacks.
///
//===----------------------------------------------------------------------===//

#include "GraphSlice.h"
#include "Assign.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// An operation on the path from a result, and how far its operands are done.
struct Frame {
  Operation *op;
  GraphImpl::Node *node = nullptr;
  unsigned nextOperand = 0;
  /// Operations that have to come before without being operands.
  SmallVector<Operation *, 0> before = {};
  unsigned nextBefore = 0;
};
} // namespace

Operation *GraphSlice::resolve(Operation *op) const {
  while (!isFirstWalk && isa<tg::AssignOp>(op) && !inPlace.contains(op))
    op = op->getOperand(1).getDefiningOp();
  return op;
}

GraphSlice::GraphSlice(GraphImpl &graph, ArrayRef<Operation *> results)
    : graph(graph) {
  resultList.insert(results.begin(), results.end());
  collect(); // finds the assignments
  isFirstWalk = false;
  if (!inPlace.empty())
    collectAgain();
  // Values that tensors got by assignments to parts come to memory with what
  // depends on them.
  if (!graph.pendingParts.empty())
    for (Operation *op : ops)
      if (!isa<tg::AssignOp>(op) && graph.pendingParts.contains(op) &&
          graph.isHeld(op))
        resultList.insert(op);
  // Nothing else has numbered the operations so far.
  for (Operation *op : resultList)
    structure.push_back(numberOf(op));
}

void GraphSlice::collectAgain() {
  const SmallVector<Operation *> assigns(inPlace.begin(), inPlace.end());
  checkAssigns();
  do
    keepWhatStays();
  while (!collect());
  // What is done in place has to take effect in the graph as well. It comes
  // first: replaced later, it might be gone by then.
  llvm::SmallSetVector<Operation *, 8> asked = std::move(resultList);
  resultList = {};
  for (Operation *op : ops)
    if (inPlace.contains(op))
      resultList.insert(op);
  // Others are computed with the rest, not put off: variables have one value
  // now and may have another then.
  for (Operation *op : assigns)
    if (!inPlace.contains(op) && graph.isHeld(op))
      resultList.insert(op);
  resultList.insert(asked.begin(), asked.end());
}

void GraphSlice::checkAssigns() {
  // Of several assignments to one buffer, the last can overwrite it.
  llvm::MapVector<Operation *, Operation *> last;
  for (Operation *op : inPlace) {
    Operation *&assign = last[op->getOperand(0).getDefiningOp()];
    if (!assign || assign->isBeforeInBlock(op))
      assign = op;
  }
  inPlace.clear();
  // Results that are the old contents themselves, or a part of them.
  llvm::DenseSet<Operation *> returned;
  for (Operation *op : resultList) {
    while (tg::isMovementOp(op) ||
           isa<tg::StridedOp, tg::ContiguousOp, tg::DetachOp>(op))
      op = op->getOperand(0).getDefiningOp();
    returned.insert(op);
  }
  for (auto [target, assign] : last) {
    const Buffer &memory = graph.buffers.at(cast<tg::BufferOp>(target).getId());
    if (memory.useCount() == 1 && !returned.contains(target))
      inPlace.insert(assign);
  }
}

void GraphSlice::keepWhatStays() {
  // What is taken out may stay itself then, with all that it reads.
  SmallVector<Operation *> needed;
  do {
    needed.clear();
    llvm::DenseMap<Operation *, bool> known;
    for (Operation *assign : inPlace)
      if (stays(assign->getOperand(0).getDefiningOp(), known))
        needed.push_back(assign);
    for (Operation *assign : needed)
      inPlace.remove(assign);
  } while (!needed.empty());
}

bool GraphSlice::stays(Operation *start,
                       llvm::DenseMap<Operation *, bool> &known) const {
  struct Users {
    Operation *op;
    Operation::user_iterator next;
  };
  SmallVector<Users> path;
  auto enter = [&](Operation *op) {
    if (resultList.contains(op) || inPlace.contains(op))
      known[op] = false;
    else if (graph.isNeeded(op))
      known[op] = true;
    else
      path.push_back({op, op->user_begin()});
  };
  if (!known.contains(start))
    enter(start);
  while (!path.empty()) {
    auto &[op, next] = path.back();
    if (next == op->user_end()) {
      known[op] = false;
      path.pop_back();
      continue;
    }
    auto user = known.find(*next);
    if (user == known.end()) {
      enter(*next);
    } else if (user->second) {
      known[op] = true;
      path.pop_back();
    } else {
      ++next;
    }
  }
  return known.at(start);
}

SmallVector<Operation *, 0> GraphSlice::readersBefore(Operation *assign) const {
  SmallVector<Operation *, 0> readers;
  if (!isFirstWalk && inPlace.contains(assign))
    for (Operation *user : assign->getOperand(0).getUsers())
      if (!isa<tg::AssignOp>(user))
        readers.push_back(user);
  return readers;
}

void GraphSlice::appendStructure(Operation *op) {
  // Attributes, types and names are unique objects of the context.
  auto add = [&](const void *object) {
    structure.push_back(reinterpret_cast<uintptr_t>(object));
  };
  // Values of variables are no part of the structure.
  auto addUnbound = [&](const auto &symbolic) {
    const GraphImpl::Symbols &symbols = graph.symbolsOf(symbolic);
    addVariables(variableList, symbols.variables);
    add(symbols.unbound);
  };
  add(op->getName().getAsOpaquePointer());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getEncoding())
    addUnbound(Type(type));
  else
    add(type.getAsOpaquePointer());
  if (auto buffer = dyn_cast<tg::BufferOp>(op)) {
    add(buffer.getDeviceAttr().getAsOpaquePointer());
    return;
  }
  if (graph.hasSymbols() &&
      isa<tg::DimOp, tg::PadOp, tg::ShrinkOp, tg::StridedOp>(op))
    addUnbound(op->getAttrDictionary());
  else
    add(op->getAttrDictionary().getAsOpaquePointer());
  structure.push_back(op->getNumOperands());
  for (Value operand : op->getOperands())
    structure.push_back(numberOf(operand.getDefiningOp()));
}

bool GraphSlice::collect() {
  ops.clear();
  inputList = {};
  structure.clear();
  variableList.clear();
  constexpr unsigned onPath = ~0u;
  const uint64_t walk = graph.beginWalk();
  unsigned count = 0;
  SmallVector<Frame> path;
  auto enter = [&](Operation *op, GraphImpl::Node &node) {
    node.walk = walk;
    node.number = onPath;
    Frame frame{op, &node};
    if (isa<tg::AssignOp>(op)) {
      if (isFirstWalk)
        inPlace.insert(op);
      frame.before = readersBefore(op);
    }
    path.push_back(std::move(frame));
  };
  for (Operation *result : resultList) {
    Operation *start = resolve(result);
    if (GraphImpl::Node &node = graph.node(start); node.walk != walk)
      enter(start, node);
    while (!path.empty()) {
      Frame &frame = path.back();
      Operation *op = frame.op, *next = nullptr;
      if (frame.nextBefore < frame.before.size())
        next = frame.before[frame.nextBefore++];
      else if (frame.nextOperand < op->getNumOperands())
        next = resolve(op->getOperand(frame.nextOperand++).getDefiningOp());
      if (!next) {
        frame.node->number = count++;
        if (isa<tg::BufferOp>(op))
          inputList.insert(op);
        else
          ops.push_back(op);
        appendStructure(op);
        path.pop_back();
        continue;
      }
      GraphImpl::Node &node = graph.node(next);
      if (node.walk != walk) {
        enter(next, node);
        continue;
      }
      if (node.number != onPath)
        continue;
      // Reading before a write that the read depends on: assignments that are
      // part of the circle get memory of their own.
      while (path.back().op != next) {
        inPlace.remove(path.back().op);
        path.pop_back();
      }
      inPlace.remove(next);
      return false;
    }
  }
  return true;
}

Digest GraphSlice::hash(const Device &device,
                        const CompileOptions &options) const {
  struct {
    Digest structure;
    const Device *device;
    uint64_t settings;
  } all = {Digest::of(structure.data(), structure.size() * sizeof(uint64_t)),
           &device,
           uint64_t(options.noOptimization) +
               2 * uint64_t(options.checkBounds)};
  return Digest::of(&all, sizeof all);
}

Operation *GraphSlice::keptBy(Operation *assign) const {
  auto choice = assign->getOperand(1).getDefiningOp<tg::WhereOp>();
  return choice ? resolve(choice.getY().getDefiningOp()) : nullptr;
}

OwningOpRef<ModuleOp> GraphSlice::clone(Location location) const {
  OpBuilder builder(location.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> argumentTypes, resultTypes;
  for (Operation *op : inputList)
    argumentTypes.push_back(op->getResult(0).getType());
  for (Operation *op : resultList)
    resultTypes.push_back(op->getResult(0).getType());
  auto function =
      func::FuncOp::create(builder, location, "main",
                           builder.getFunctionType(argumentTypes, resultTypes));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  for (auto [op, argument] : llvm::zip(inputList, block->getArguments()))
    mapping.map(op->getResult(0), argument);
  bool hasParts = false;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (Operation *resolved = resolve(producer); resolved != producer)
        mapping.map(operand, mapping.lookup(resolved->getResult(0)));
    }
    if (isa<tg::AssignOp>(op) && inPlace.contains(op)) {
      if (Value after = emitPartialAssign(builder, op, keptBy(op), mapping)) {
        mapping.map(op->getResult(0), after);
        hasParts = true;
        continue;
      }
    }
    builder.clone(*op, mapping);
  }
  SmallVector<Value> results;
  for (Operation *op : resultList)
    results.push_back(mapping.lookup(resolve(op)->getResult(0)));
  func::ReturnOp::create(builder, location, results);
  // The whole of what is assigned in parts.
  if (hasParts)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  if (!variableList.empty())
    tg::eraseBindings(*module);
  return module;
}

SmallVector<Operation *>
GraphSlice::operationsBehind(ArrayRef<Operation *> values,
                             llvm::function_ref<bool(Operation *)> isWanted) {
  SmallVector<Operation *> found;
  llvm::DenseSet<Operation *> seen;
  SmallVector<Frame> path;
  for (Operation *value : values) {
    if (seen.insert(value).second)
      path.push_back({value});
    while (!path.empty()) {
      Frame &frame = path.back();
      if (frame.nextOperand == frame.op->getNumOperands()) {
        if (isWanted(frame.op))
          found.push_back(frame.op);
        path.pop_back();
        continue;
      }
      Operation *next =
          frame.op->getOperand(frame.nextOperand++).getDefiningOp();
      if (seen.insert(next).second)
        path.push_back({next});
    }
  }
  return found;
}
