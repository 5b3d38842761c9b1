//===- Prepare.cpp - analysis before scheduling ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The analysis by FunctionScheduler: whether a function can be scheduled, the
/// device of each value, the values that are in existing memory, and those that
/// must have a buffer.
///
//===----------------------------------------------------------------------===//

#include "FunctionScheduler.h"
#include "LowerViews.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"

using namespace mlir;
using namespace mlir::tg;

bool mlir::tg::isLiteral(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  if (!constant)
    return false;
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  return dense && !dense.isSplat() && dense.getNumElements() != 0;
}

LogicalResult FunctionScheduler::assignDevices() {
  for (BlockArgument argument : block.getArguments()) {
    auto attr = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  deviceAttrName);
    devices[argument] = attr ? attr.getValue() : defaultDevice;
  }
  for (Operation &op : block.without_terminator()) {
    StringRef device;
    for (Value operand : op.getOperands()) {
      StringRef other = devices.lookup(operand);
      if (!device.empty() && !other.empty() && device != other)
        return op.emitError("operands are on different devices: ")
               << device << " and " << other;
      if (device.empty())
        device = other;
    }
    if (auto copy = dyn_cast<CopyOp>(op))
      device = copy.getDevice();
    devices[op.getResult(0)] = device;
  }
  // A value without inputs is on the device of its users.
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    StringRef &device = devices[op.getResult(0)];
    if (device.empty())
      device = defaultDevice;
    if (isa<CopyOp>(op))
      continue;
    for (Value operand : op.getOperands())
      if (StringRef &other = devices.find(operand)->second; other.empty())
        other = device;
  }
  return success();
}

bool FunctionScheduler::isAcrossDevices(CopyOp copy) {
  return devices.lookup(copy.getX()) != devices.lookup(copy.getResult());
}

BlockArgument mlir::tg::getAssignedArgument(AssignOp assign) {
  Value target = assign.getTarget();
  while (Operation *op = target.getDefiningOp())
    target = op->getOperand(0);
  return cast<BlockArgument>(target);
}

void FunctionScheduler::numberAssigns() {
  for (AssignOp assign : block.getOps<AssignOp>()) {
    Memory &memory = memories[getAssignedArgument(assign)];
    memory.assigns.push_back(assign);
    versions[assign] = memory.assigns.size();
  }
  for (auto &[argument, memory] : memories) {
    memory.steps.resize(memory.assigns.size());
    memory.accesses.resize(memory.assigns.size() + 1);
  }
}

/// The number of assignments before the state that is read.
int64_t FunctionScheduler::getVersion(AfterOp after) {
  return after.getAssign() ? versions.lookup(after.getAssign().getDefiningOp())
                           : 0;
}

/// Whether memory of the type's maximal size is inside the memory of the base
/// at every offset. For a part whose size depends on its position this may
/// fail, although the part itself is always inside.
static bool isInside(const Place &place, Type type) {
  int64_t end;
  return !llvm::AddOverflow(place.offset.getMax(),
                            getBufferSize(cast<RankedTensorType>(type)), end) &&
         end <= getBufferSize(cast<RankedTensorType>(place.base.getType()));
}

/// The location of an operation's result, given those of its operands.
Place FunctionScheduler::locate(Operation *op) {
  const Dim zero(func.getContext(), 0);
  Place own{op->getResult(0), zero};
  auto isLast = [&](BlockArgument argument, int64_t version) {
    auto it = memories.find(argument);
    return it == memories.end() ||
           version == static_cast<int64_t>(it->second.assigns.size());
  };
  if (auto assign = dyn_cast<AssignOp>(op)) {
    // A later assignment would change the memory.
    BlockArgument argument = getAssignedArgument(assign);
    std::optional<Dim> offset = getTargetChain(assign).getContiguousOffset();
    if (!offset || !isLast(argument, versions[assign]))
      return own;
    Place place{argument, *offset};
    return isInside(place, assign.getType()) ? place : own;
  }
  if (auto after = dyn_cast<AfterOp>(op)) {
    auto argument = cast<BlockArgument>(after.getTarget());
    return isLast(argument, getVersion(after)) ? Place{argument, zero} : own;
  }
  if (op->getNumOperands() == 0)
    return own;
  Place place = places.lookup(op->getOperand(0));
  if (auto strided = dyn_cast<StridedOp>(op)) {
    RankedTensorType from = strided.getX().getType();
    std::optional<Dim> offset =
        ViewChain(from, strided.getViews()).getContiguousOffset();
    // If the tensor must be computed, computing only the part is cheaper.
    const bool isWhole =
        getBufferSize(from) == getBufferSize(strided.getType());
    if (!offset || (!isWhole && !isa<BlockArgument>(place.base)))
      return own;
    place.offset = place.offset + *offset;
    return isInside(place, strided.getType()) ? place : own;
  }
  auto copy = dyn_cast<CopyOp>(op);
  if (isa<ContiguousOp>(op) || (copy && !isAcrossDevices(copy)))
    return place;
  return own;
}

/// Whether memory of the elements that a result needs, which a caller may give,
/// is enough for its base, for all sizes.
static bool holds(Value result, Value base) {
  auto getElements = [](Value value) {
    return getNeededElements(cast<RankedTensorType>(value.getType()));
  };
  return result == base ||
         (getElements(result) - getElements(base)).getMin() >= 0;
}

void FunctionScheduler::findStored() {
  for (BlockArgument argument : block.getArguments())
    places[argument] = {argument, Dim(func.getContext(), 0)};
  for (Operation &op : block.without_terminator())
    places[op.getResult(0)] = locate(&op);

  auto isContentsAtATime = [](Value base) {
    return isa_and_nonnull<AssignOp, AfterOp>(base.getDefiningOp());
  };
  auto demand = [&](Value value) {
    Value base = places[value].base;
    auto copy = base.getDefiningOp<CopyOp>();
    if (!isa<BlockArgument>(base) && !isContentsAtATime(base) &&
        !isLiteral(base) && !(copy && isAcrossDevices(copy)))
      stored.insert(base);
  };
  // Copies of contents that will change or must not be overwritten.
  DenseMap<Value, Value> copies;
  auto demandCopy = [&](OpOperand &use) {
    Value value = use.get();
    Value &copy = copies[value];
    if (!copy) {
      OpBuilder builder(func.getContext());
      builder.setInsertionPointAfterValue(value);
      copy = ContiguousOp::create(builder, value.getLoc(), value);
      devices[copy] = devices.lookup(value);
      places[copy] = {copy, Dim(func.getContext(), 0)};
      stored.insert(copy);
    }
    use.set(copy);
  };
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator())) {
    Value result = op.getResult(0);
    if (auto copy = dyn_cast<CopyOp>(op)) {
      if (!isAcrossDevices(copy))
        continue;
      if (isContentsAtATime(places[copy.getX()].base))
        demandCopy(copy.getXMutable());
      else
        demand(copy.getX());
    } else if (auto argsort = dyn_cast<ArgsortOp>(op)) {
      if (isContentsAtATime(places[argsort.getX()].base))
        demandCopy(argsort.getXMutable());
      else
        demand(argsort.getX());
      stored.insert(result);
    } else if (isa<ScanOp, ScatterOp>(op)) {
      stored.insert(result);
    } else if (auto assign = dyn_cast<AssignOp>(op)) {
      if (!updatesTarget(assign))
        continue;
      // Everything read from the old contents must be read before any update.
      auto scatter = assign.getValue().getDefiningOp<ScatterOp>();
      inPlace.insert(scatter);
      stored.erase(scatter.getResult());
      for (OpOperand *use :
           {&scatter.getIndexMutable(), &scatter.getUpdatesMutable()})
        if (readsArgument(use->get(), getAssignedArgument(assign)))
          demandCopy(*use);
    } else if (isa<ContiguousOp>(op) && !stored.contains(result)) {
      demand(result);
    } else if (isLiteral(result)) {
      auto dense = cast<DenseElementsAttr>(cast<ConstOp>(op).getValue());
      buffers[result] = LiteralOp::create(
          host, op.getLoc(),
          getBufferType(dense.getElementType(), dense.getNumElements()), dense,
          devices[result]);
    }
  }
  for (OpOperand &result : block.getTerminator()->getOpOperands()) {
    Value base = places[result.get()].base;
    if (isContentsAtATime(base) || isLiteral(base) ||
        (!isa<BlockArgument>(base) && !holds(result.get(), base)))
      demandCopy(result);
    else
      demand(result.get());
  }
}
