//===- GraphSlice.cpp - the part of a graph that values need --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All walks are iterative, since graphs may be deeper than the stack.
///
//===----------------------------------------------------------------------===//

#include "GraphSlice.h"
#include "Assign.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Transforms/ComparedSums.h"
#include "TinyGrad/Runtime/BufferObserver.h"
#include "TinyGrad/Tensor/KeptOrigins.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// An operation on the path from a result, and its next operand to visit.
struct Frame {
  Operation *op;
  GraphImpl::Node *node = nullptr;
  unsigned nextOperand = 0;
  /// Operations that must come before without being operands.
  SmallVector<Operation *, 0> before = {};
  unsigned nextBefore = 0;
};
} // namespace

Operation *GraphSlice::resolve(Operation *op) const {
  while (true)
    if (!isFirstWalk && isa<tg::AssignOp>(op) && !inPlace.contains(op))
      op = op->getOperand(1).getDefiningOp();
    else if (auto given = dyn_cast<tg::WithDerivativeOp>(op))
      op = given.getX().getDefiningOp();
    else
      return op;
}

GraphSlice::GraphSlice(GraphImpl &graph, ArrayRef<Operation *> results,
                       bool keepsProducts)
    : graph(graph) {
  resultList.insert(results.begin(), results.end());
  collect(); // finds the assignments
  if (keepsProducts) {
    keepCompared();
    keepProducts();
  }
  isFirstWalk = false;
  if (!inPlace.empty())
    collectAgain();
  // Pending assignments to parts are computed with what depends on them.
  if (!graph.pendingParts.empty())
    for (Operation *op : ops)
      if (!isa<tg::AssignOp>(op) && graph.pendingParts.contains(op) &&
          graph.isHeldByTensor(op))
        resultList.insert(op);
  // The operations still have the numbers that collect() assigned.
  for (Operation *op : resultList)
    structure.push_back(numberOf(op));
}

//===----------------------------------------------------------------------===//
// Additional results
//===----------------------------------------------------------------------===//

static bool isMovementOrCast(Operation *op) {
  return tg::isMovementOp(op) || isa<tg::CastOp, tg::DetachOp>(op);
}

/// Whether \p op is a sum of products of two tensors that are both expanded by
/// movements, possibly with casts: a matrix product or a convolution.
static bool isProduct(Operation *op) {
  while (isMovementOrCast(op))
    op = op->getOperand(0).getDefiningOp();
  auto reduce = dyn_cast<tg::ReduceOp>(op);
  auto product = reduce ? reduce.getX().getDefiningOp<tg::MulOp>() : nullptr;
  if (!product || reduce.getKind() != tg::ReduceKind::add)
    return false;
  return llvm::all_of(product->getOperands(), [](Value operand) {
    Operation *factor = operand.getDefiningOp();
    while (isMovementOrCast(factor) && !isa<tg::ExpandOp>(factor))
      factor = factor->getOperand(0).getDefiningOp();
    // Overlapping windows repeat elements as well.
    return isa<tg::ExpandOp, tg::StridedOp>(factor);
  });
}

bool GraphSlice::isReducedAgain(Operation *start) const {
  // The search is limited to this number of operations.
  constexpr unsigned maxOps = 64;
  llvm::SmallSetVector<Operation *, 16> seen;
  seen.insert(start);
  for (unsigned i = 0; i < seen.size() && i < maxOps; ++i)
    for (Operation *user : seen[i]->getUsers()) {
      if (graph.node(user).walk != walk || isa<tg::AssignOp>(user))
        continue;
      if (isa<tg::ReduceOp>(user))
        return true;
      if (!isa<tg::ContiguousOp, tg::CopyOp>(user))
        seen.insert(user);
    }
  return false;
}

void GraphSlice::keepProducts() {
  // Bounds the memory for results that were not requested.
  std::size_t maxBytes = std::size_t(1) << 20;
  for (Operation *input : inputList)
    maxBytes += graph.buffers.at(cast<tg::BufferOp>(input).getId()).size();
  for (Operation *op : ops) {
    if (!isMovementOrCast(op) && !isa<tg::ReduceOp>(op))
      continue;
    // Gradients do not flow through memory.
    if (resultList.contains(op) || !graph.isHeldByTensor(op) ||
        graph.node(op).isTracked || !isProduct(op))
      continue;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    std::size_t bytes = itemSize(getDType(type.getElementType()));
    for (tg::Dim dim : tg::getDims(type))
      bytes *= std::size_t(dim.getMax());
    if (bytes <= maxBytes && isReducedAgain(op)) {
      resultList.insert(op);
      kept.insert(op);
    }
  }
}

void GraphSlice::keepCompared() {
  const auto isFloat = [](Operation *op) {
    return isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  };
  if (llvm::none_of(ops, [&](Operation *op) {
        auto reduce = dyn_cast<tg::ReduceOp>(op);
        return isFloat(op) && tg::isExtreme(op) &&
               !(reduce && tg::dependsOnOrder(reduce));
      }))
    return;
  llvm::DenseMap<Operation *, bool> known;
  const SmallVector<Operation *> asked(resultList.begin(), resultList.end());
  SmallVector<Operation *> sums;
  for (Operation *result : asked) {
    if (!isFloat(result))
      continue;
    // What a value with gradients was computed from stays as its origin.
    const bool hasOrigin = graph.isTracked(result) || KeptOrigins::areActive();
    for (tg::ReduceOp sum : tg::findSumsOfExtremes(result->getResult(0)))
      if (graph.node(sum).walk == walk &&
          (hasOrigin || isNeededLater(sum, known)))
        sums.push_back(sum);
  }
  for (Operation *sum : sums)
    if (resultList.insert(sum))
      kept.insert(sum);
}

void GraphSlice::collectAgain() {
  const SmallVector<Operation *> assigns(inPlace.begin(), inPlace.end());
  checkAssigns();
  do
    excludeNeededTargets();
  while (!collect());
  // An assignment done in place must be recorded in the graph. It comes first:
  // its operation might be erased before it is replaced otherwise.
  llvm::SmallSetVector<Operation *, 8> asked = std::move(resultList);
  resultList = {};
  for (Operation *op : ops)
    if (inPlace.contains(op))
      resultList.insert(op);
  // Other assignments are computed now as well: later, variables may have other
  // values.
  for (Operation *op : assigns)
    if (!inPlace.contains(op) && graph.isHeldByTensor(op))
      resultList.insert(op);
  resultList.insert(asked.begin(), asked.end());
}

void GraphSlice::checkAssigns() {
  // Only the last assignment to a buffer may overwrite it.
  llvm::MapVector<Operation *, Operation *> last;
  for (Operation *op : inPlace) {
    Operation *&assign = last[op->getOperand(0).getDefiningOp()];
    if (!assign || assign->isBeforeInBlock(op))
      assign = op;
  }
  inPlace.clear();
  // Results that are the old contents of memory or views of them.
  llvm::DenseSet<Operation *> returned;
  for (Operation *op : resultList) {
    while (tg::isMovementOp(op) ||
           isa<tg::StridedOp, tg::ContiguousOp, tg::DetachOp>(op))
      op = op->getOperand(0).getDefiningOp();
    returned.insert(op);
  }
  for (auto [target, assign] : last) {
    const Buffer &memory = graph.buffers.at(cast<tg::BufferOp>(target).getId());
    // A parameter without memory has use count 0.
    if (BufferObserver::countUsers(memory) <= 1 && !returned.contains(target))
      inPlace.insert(assign);
  }
}

void GraphSlice::excludeNeededTargets() {
  // A removed assignment may be needed later itself, with everything it reads.
  SmallVector<Operation *> needed;
  do {
    needed.clear();
    llvm::DenseMap<Operation *, bool> known;
    for (Operation *assign : inPlace)
      if (isNeededLater(assign->getOperand(0).getDefiningOp(), known))
        needed.push_back(assign);
    for (Operation *assign : needed)
      inPlace.remove(assign);
  } while (!needed.empty());
}

bool GraphSlice::isNeededLater(Operation *start,
                               llvm::DenseMap<Operation *, bool> &known) const {
  return decideByUsers(start, known, [&](Operation *op) -> std::optional<bool> {
    if (resultList.contains(op) || inPlace.contains(op))
      return false;
    return graph.isNeeded(op) ? std::optional(true) : std::nullopt;
  });
}

SmallVector<Operation *, 0> GraphSlice::readersBefore(Operation *assign) {
  SmallVector<Operation *, 0> readers;
  if (isFirstWalk || !inPlace.contains(assign))
    return readers;
  const bool hasUnused = !graph.origins.empty() || graph.numObservers != 0;
  // The slice itself is used.
  if (hasUnused && isUsed.empty()) {
    for (Operation *op : inPlace)
      isUsed[op] = true;
    for (Operation *op : resultList)
      isUsed[op] = true;
  }
  for (Operation *user : assign->getOperand(0).getUsers())
    if (!isa<tg::AssignOp>(user) && (!hasUnused || graph.isUsed(user, isUsed)))
      readers.push_back(user);
  return readers;
}

SmallVector<Operation *> GraphSlice::overwritten() const {
  SmallVector<Operation *> targets;
  for (Operation *op : inPlace)
    targets.push_back(op->getOperand(0).getDefiningOp());
  return targets;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

namespace {
/// A number of an operation that may become an operand: each value from `min`
/// to `max` gives a valid operation of the same type.
struct NumberPlace {
  SliceNumber number;
  int64_t min, max;
  unsigned axis; // 0 for constants
};
} // namespace

/// All positions are of this kind; the kind of a number is its element type.
static constexpr uint64_t kPositionKind = 0;

/// A number as sign- or zero-extended bits, with the bounds of its type.
static NumberPlace numberOf(GraphImpl &graph, TypedAttr value) {
  Type type = value.getType();
  const unsigned width = type.getIntOrFloatBitWidth();
  const APInt bits = isa<FloatAttr>(value)
                         ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                         : cast<IntegerAttr>(value).getValue();
  const bool isUnsigned = type.isUnsignedInteger() && width < 64;
  return {{graph.contentOf(type),
           isUnsigned ? int64_t(bits.getZExtValue()) : bits.getSExtValue()},
          isUnsigned ? 0 : llvm::minIntN(width),
          isUnsigned ? int64_t(llvm::maxUIntN(width)) : llvm::maxIntN(width),
          0};
}

/// The numbers of an operation, in order.
static SmallVector<NumberPlace> numbersOf(GraphImpl &graph, Operation *op) {
  SmallVector<NumberPlace> places;
  if (auto constant = dyn_cast<tg::ConstOp>(op)) {
    TypedAttr value = constant.getValue();
    if (isa<FloatAttr, IntegerAttr>(value) && !value.getType().isInteger(1))
      places.push_back(numberOf(graph, value));
    return places;
  }
  auto shrink = dyn_cast<tg::ShrinkOp>(op);
  auto pad = dyn_cast<tg::PadOp>(op);
  if (!shrink && !pad)
    return places;
  // The part is the result of a shrink, but the operand of a pad.
  auto operand = cast<RankedTensorType>(op->getOperand(0).getType());
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType whole = shrink ? operand : result;
  RankedTensorType part = shrink ? result : operand;
  ArrayAttr begins = shrink ? shrink.getFrom() : pad.getLow();
  for (auto [axis, begin] : llvm::enumerate(begins)) {
    auto number = dyn_cast<IntegerAttr>(begin);
    if (!number || whole.isDynamicDim(axis) || part.isDynamicDim(axis))
      continue;
    const int64_t most = whole.getDimSize(axis) - part.getDimSize(axis);
    if (most > 0)
      places.push_back(
          {{kPositionKind, number.getInt()}, 0, most, unsigned(axis)});
  }
  return places;
}

std::string GraphSlice::operandName(int operand) const {
  // A prefix that no variable of the graph has.
  std::string prefix = "~";
  for (const SymVariable &variable : variableList)
    while (StringRef(variable.name).starts_with(prefix))
      prefix += '~';
  return prefix + std::to_string(operand);
}

SmallVector<tg::VarAttr>
GraphSlice::makeVariables(ArrayRef<int> operandOf) const {
  SmallVector<tg::VarAttr> variables;
  if (operandOf.empty())
    return variables;
  // The intersection of the bounds of all numbers given by an operand.
  std::map<int, std::pair<int64_t, int64_t>> bounds;
  unsigned next = 0;
  for (Operation *op : ops)
    for (const NumberPlace &place : numbersOf(graph, op)) {
      auto [it, isNew] =
          bounds.try_emplace(operandOf[next++], place.min, place.max);
      auto &[min, max] = it->second;
      min = std::max(min, place.min);
      max = std::min(max, place.max);
    }
  MLIRContext *context = &graph.context();
  for (int operand : operandOf)
    variables.push_back(
        operand < 0
            ? tg::VarAttr()
            : tg::VarAttr::get(
                  context, StringAttr::get(context, operandName(operand)),
                  bounds.at(operand).first, bounds.at(operand).second));
  return variables;
}

Value GraphSlice::cloneWithOperands(OpBuilder &builder, Operation *op,
                                    IRMapping &mapping,
                                    ArrayRef<tg::VarAttr> variables,
                                    unsigned next) const {
  const SmallVector<NumberPlace> places = numbersOf(graph, op);
  ArrayRef<tg::VarAttr> own = variables.slice(next, places.size());
  if (llvm::none_of(own, [](tg::VarAttr variable) { return variable; }))
    return {};
  Location loc = op->getLoc();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (isa<tg::ConstOp>(op)) {
    Type element = type.getElementType();
    if (isa<IntegerType>(element))
      return tg::DimOp::create(builder, loc, type, own.front());
    // A float is passed as the integer with the same bits.
    Value bits = tg::DimOp::create(
        builder, loc,
        type.clone(builder.getIntegerType(element.getIntOrFloatBitWidth())),
        own.front());
    return tg::BitcastOp::create(builder, loc, type, bits);
  }
  auto replaceBegins = [&](ArrayAttr begins) {
    SmallVector<Attribute> list(begins.begin(), begins.end());
    for (auto [place, variable] : llvm::zip(places, own))
      if (variable)
        list[place.axis] = variable;
    return list;
  };
  Value operand = mapping.lookup(op->getOperand(0));
  auto operandType = cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto shrink = dyn_cast<tg::ShrinkOp>(op)) {
    SmallVector<Attribute> from = replaceBegins(shrink.getFrom());
    SmallVector<Attribute> to(shrink.getTo().begin(), shrink.getTo().end());
    for (auto [place, variable] : llvm::zip(places, own))
      if (variable)
        to[place.axis] =
            (tg::Dim(variable) + tg::getDim(type, place.axis)).getAttr();
    return tg::ShrinkOp::create(builder, loc, operand,
                                builder.getArrayAttr(from),
                                builder.getArrayAttr(to));
  }
  auto pad = cast<tg::PadOp>(op);
  SmallVector<Attribute> low = replaceBegins(pad.getLow());
  SmallVector<Attribute> high(pad.getHigh().begin(), pad.getHigh().end());
  for (auto [place, variable] : llvm::zip(places, own))
    if (variable)
      high[place.axis] =
          (tg::getDim(type, place.axis) - tg::getDim(operandType, place.axis) -
           tg::Dim(variable))
              .getAttr();
  return tg::PadOp::create(builder, loc, operand, builder.getArrayAttr(low),
                           builder.getArrayAttr(high));
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

/// The attributes that a program depends on.
static DictionaryAttr getProgramAttributes(Operation *op) {
  DictionaryAttr all = op->getAttrDictionary();
  if (!all.contains(tg::noGradientAttrName) &&
      !all.contains(tg::gradientAttrName))
    return all;
  NamedAttrList list(all);
  list.erase(tg::noGradientAttrName);
  list.erase(tg::gradientAttrName);
  return list.getDictionary(op->getContext());
}

void GraphSlice::appendStructure(Operation *op) {
  auto add = [&](auto object) { structure.push_back(graph.contentOf(object)); };
  // The structure does not include values of variables.
  auto addUnbound = [&](const auto &symbolic) {
    const GraphImpl::Symbols &symbols = graph.symbolsOf(symbolic);
    addVariables(variableList, symbols.variables);
    structure.push_back(symbols.unbound);
  };
  add(op->getName());
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getEncoding())
    addUnbound(Type(type));
  else
    add(Type(type));
  if (auto buffer = dyn_cast<tg::BufferOp>(op)) {
    add(Attribute(buffer.getDeviceAttr()));
    return;
  }
  const SmallVector<NumberPlace> places = numbersOf(graph, op);
  for (const NumberPlace &place : places) {
    structure.push_back(place.axis);
    numberList.push_back(place.number);
  }
  structure.push_back(places.size());
  // The positions that are not in numbers(). The ends of parts follow from the
  // types.
  auto addBegins = [&](ArrayAttr begins) {
    const auto *place = places.begin();
    for (auto [axis, begin] : llvm::enumerate(begins))
      if (place != places.end() && place->axis == axis)
        ++place;
      else if (isa<IntegerAttr>(begin))
        add(Attribute(begin));
      else
        addUnbound(begin);
  };
  if (auto shrink = dyn_cast<tg::ShrinkOp>(op))
    addBegins(shrink.getFrom());
  else if (auto pad = dyn_cast<tg::PadOp>(op))
    addBegins(pad.getLow());
  else if (graph.hasSymbols() && isa<tg::DimOp, tg::StridedOp>(op))
    addUnbound(Attribute(getProgramAttributes(op)));
  else if (places.empty())
    add(Attribute(getProgramAttributes(op)));
  structure.push_back(op->getNumOperands());
  for (Value operand : op->getOperands())
    structure.push_back(numberOf(operand.getDefiningOp()));
}

bool GraphSlice::collect() {
  ops.clear();
  inputList = {};
  structure.clear();
  variableList.clear();
  numberList.clear();
  constexpr unsigned onPath = ~0u;
  walk = graph.beginWalk();
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
      // A write would have to come before a read that it depends on. The
      // assignments on this cycle get memory of their own.
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
               2 * uint64_t(options.checkBounds) +
               4 * uint64_t(options.flushSubnormals)};
  return Digest::of(&all, sizeof all);
}

Operation *GraphSlice::getKeptContents(Operation *assign) const {
  auto choice = assign->getOperand(1).getDefiningOp<tg::WhereOp>();
  return choice ? resolve(choice.getY().getDefiningOp()) : nullptr;
}

/// The value that \p op, not yet cloned, has in any case if it is a choice
/// between a value and the same one without a gradient.
static Value findOnlyChoice(Operation *op, const IRMapping &mapping) {
  auto choice = dyn_cast<tg::WhereOp>(op);
  if (!choice)
    return {};
  auto withoutDetach = [&](Value operand) {
    Value value = mapping.lookup(operand);
    auto detach = value.getDefiningOp<tg::DetachOp>();
    return detach ? detach.getX() : value;
  };
  Value x = withoutDetach(choice.getX());
  return x == withoutDetach(choice.getY()) ? x : Value();
}

OwningOpRef<ModuleOp> GraphSlice::clone(Location location,
                                        ArrayRef<int> operandOf,
                                        bool keepsGradientMarks) const {
  OpBuilder builder(location.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, location);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> argumentTypes, resultTypes;
  for (Operation *op : inputList)
    argumentTypes.push_back(op->getResult(0).getType());
  llvm::DenseSet<Operation *> returned; // in memory of their own
  for (Operation *op : resultList) {
    resultTypes.push_back(op->getResult(0).getType());
    returned.insert(resolve(op));
  }
  auto function =
      func::FuncOp::create(builder, location, "main",
                           builder.getFunctionType(argumentTypes, resultTypes));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  for (auto [op, argument] : llvm::zip(inputList, block->getArguments()))
    mapping.map(op->getResult(0), argument);
  const SmallVector<tg::VarAttr> numberVariables = makeVariables(operandOf);
  unsigned nextNumber = 0;
  bool hasUnused = false;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (Operation *resolved = resolve(producer); resolved != producer)
        mapping.map(operand, mapping.lookup(resolved->getResult(0)));
    }
    if (!returned.contains(op)) {
      if (Value only = findOnlyChoice(op, mapping)) {
        mapping.map(op->getResult(0), only);
        hasUnused = true;
        continue;
      }
      if (auto detach = dyn_cast<tg::DetachOp>(op);
          detach && !keepsGradientMarks) {
        mapping.map(op->getResult(0), mapping.lookup(detach.getX()));
        continue;
      }
    }
    if (isa<tg::AssignOp>(op) && inPlace.contains(op)) {
      if (Value after =
              emitPartialAssign(builder, op, getKeptContents(op), mapping)) {
        mapping.map(op->getResult(0), after);
        hasUnused = true;
        continue;
      }
    }
    if (!numberVariables.empty()) {
      Value value =
          cloneWithOperands(builder, op, mapping, numberVariables, nextNumber);
      nextNumber += numbersOf(graph, op).size();
      if (value) {
        mapping.map(op->getResult(0), value);
        continue;
      }
    }
    Operation *cloned = builder.clone(*op, mapping);
    if (keepsGradientMarks)
      continue;
    cloned->removeAttr(tg::noGradientAttrName);
    cloned->removeAttr(tg::gradientAttrName);
  }
  SmallVector<Value> results;
  for (Operation *op : resultList)
    results.push_back(mapping.lookup(resolve(op)->getResult(0)));
  func::ReturnOp::create(builder, location, results);
  // Erases the full-size values of assignments that became partial, and
  // conditions of choices.
  if (hasUnused)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  if (!variableList.empty())
    tg::eraseBindings(*module);
  return module;
}

SmallVector<Operation *>
GraphSlice::backwardSlice(ArrayRef<Operation *> values,
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
