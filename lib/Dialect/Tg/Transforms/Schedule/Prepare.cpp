//===- Prepare.cpp - what is known before scheduling ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// FunctionScheduler's analysis of a function: whether it can be scheduled, on
/// which device each value is, which values are in existing memory, and which
/// get a buffer in any case.
///
//===----------------------------------------------------------------------===//

#include "FunctionScheduler.h"
#include "LowerViews.h"

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
  // What depends on no input is computed where it is needed.
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

/// How many assignments come before what is read.
int64_t FunctionScheduler::getVersion(AfterOp after) {
  return after.getAssign() ? versions.lookup(after.getAssign().getDefiningOp())
                           : 0;
}

/// Whether memory laid out for the type lies inside of that of the base,
/// wherever it begins. That of a part whose size depends on where it begins may
/// not, although the part does.
static bool isInside(const Place &place, Type type) {
  int64_t end;
  return !llvm::AddOverflow(place.offset.getMax(),
                            getBufferSize(cast<RankedTensorType>(type)), end) &&
         end <= getBufferSize(cast<RankedTensorType>(place.base.getType()));
}

/// Where the result of an operation lies, given where its operands do.
Place FunctionScheduler::locate(Operation *op) {
  const Dim zero(func.getContext(), 0);
  Place own{op->getResult(0), zero};
  auto isLast = [&](BlockArgument argument, int64_t version) {
    auto it = memories.find(argument);
    return it == memories.end() ||
           version == static_cast<int64_t>(it->second.assigns.size());
  };
  if (auto assign = dyn_cast<AssignOp>(op)) {
    // Later assignments would change it.
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
    // Of a computed tensor only the part is worth computing.
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
  // Copies of memory that is about to change, or that must not change.
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
      // What is read of the old contents is read before anything is written.
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
    if (isContentsAtATime(base) || isLiteral(base))
      demandCopy(result);
    else
      demand(result.get());
  }
}
