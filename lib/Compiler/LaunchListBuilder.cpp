//===- LaunchListBuilder.cpp - host programs as launch lists --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Converts each buffer to a slot, each launch or transfer to a step.
///
//===----------------------------------------------------------------------===//

#include "LaunchListBuilder.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "TinyGrad/Runtime/Error.h"

using namespace mlir;
using namespace tinygrad;

namespace {
class ListBuilder {
public:
  ListBuilder(func::FuncOp host, StringRef device,
              ArrayRef<tg::VarAttr> variables,
              const llvm::StringMap<KernelLaunch> &kernels)
      : host(host), device(Device::canonicalName(device)), variables(variables),
        kernels(kernels), symbols(host->getParentOp()) {}

  LaunchList build();

private:
  uint32_t addSlot(Value value, Slot::Kind kind);
  void visit(Operation *op);

  /// The canonical name of a device, or nothing for that of the list.
  std::string getPlace(StringRef name) const {
    std::string place = Device::canonicalName(name);
    return place == device ? "" : place;
  }

  func::FuncOp host;
  const std::string device;
  ArrayRef<tg::VarAttr> variables;
  const llvm::StringMap<KernelLaunch> &kernels;
  const SymbolTable symbols;
  LaunchList list;
  llvm::DenseMap<Value, uint32_t> slots;
  llvm::DenseSet<Value> returned;
};
} // namespace

/// Adds the steps that compute a dimension.
static void addSteps(Expression::Builder &builder, tg::Dim dim,
                     ArrayRef<tg::VarAttr> variables) {
  if (std::optional<int64_t> number = dim.getStatic()) {
    builder.number(*number);
    return;
  }
  if (auto variable = dyn_cast<tg::VarAttr>(dim.getAttr())) {
    const auto *found = llvm::find(variables, variable);
    if (found == variables.end())
      throw CompileError("the program has no variable " +
                         variable.getName().str());
    builder.variable(uint32_t(found - variables.begin()));
    return;
  }
  auto expr = cast<tg::DimExprAttr>(dim.getAttr());
  auto getOperator = [](tg::DimOpKind kind) {
    switch (kind) {
    case tg::DimOpKind::add:
      return Expression::Operator::Add;
    case tg::DimOpKind::mul:
      return Expression::Operator::Mul;
    case tg::DimOpKind::floordiv:
      return Expression::Operator::FloorDiv;
    case tg::DimOpKind::mod:
      return Expression::Operator::Mod;
    case tg::DimOpKind::min:
      return Expression::Operator::Min;
    case tg::DimOpKind::max:
      return Expression::Operator::Max;
    }
    llvm_unreachable("unknown DimOpKind");
  };
  for (auto [i, operand] : llvm::enumerate(expr.getOperands())) {
    addSteps(builder, tg::Dim(operand), variables);
    if (i > 0)
      builder.apply(getOperator(expr.getKind()));
  }
}

Expression tinygrad::getExpression(tg::Dim dim,
                                   ArrayRef<tg::VarAttr> variables) {
  Expression::Builder builder;
  addSteps(builder, dim, variables);
  return builder.build();
}

uint32_t ListBuilder::addSlot(Value value, Slot::Kind kind) {
  auto type = cast<MemRefType>(value.getType());
  Slot slot;
  slot.kind = kind;
  slot.bytes = tg::getBufferBytes(type);
  slot.dtype = getDType(type.getElementType());
  uint32_t index = list.slots.size();
  list.slots.push_back(std::move(slot));
  slots[value] = index;
  return index;
}

void ListBuilder::visit(Operation *op) {
  if (auto alloc = dyn_cast<tg::AllocOp>(op)) {
    bool isOutput = returned.contains(alloc);
    std::string place = getPlace(alloc.getDevice());
    if (!isOutput && place.empty()) {
      uint32_t slot = addSlot(alloc, Slot::Kind::Arena);
      list.slots[slot].offset = list.arenaBytes;
      list.arenaBytes +=
          llvm::alignTo(list.slots[slot].bytes, tg::kBufferAlignment);
      return;
    }
    uint32_t slot = addSlot(alloc, Slot::Kind::Output);
    list.slots[slot].deviceName = std::move(place);
  } else if (auto literal = dyn_cast<tg::LiteralOp>(op)) {
    const FailureOr<SmallVector<char>> bytes = tg::getBytes(literal);
    if (failed(bytes))
      throw CompileError("a constant of the program cannot be read");
    uint32_t slot = addSlot(literal, Slot::Kind::Constant);
    list.slots[slot].contents.assign(bytes->begin(), bytes->end());
    list.slots[slot].deviceName = getPlace(literal.getDevice());
  } else if (auto part = dyn_cast<tg::SubbufferOp>(op)) {
    uint32_t slot = addSlot(part, Slot::Kind::View);
    list.slots[slot].base = slots.lookup(part.getSource());
    tg::Dim offset = part.getOffsetDim();
    if (std::optional<int64_t> bytes = offset.getStatic())
      list.slots[slot].offset = *bytes;
    else
      list.slots[slot].symbolicOffset = getExpression(offset, variables);
  } else if (auto launch = dyn_cast<tg::LaunchOp>(op)) {
    const KernelLaunch &kernel = kernels.at(launch.getKernel());
    Step step;
    step.displayName = kernel.name;
    step.description = kernel.description;
    step.symbol = launch.getKernel().str();
    step.dims = kernel.dims;
    for (auto [variable, number] : llvm::zip(kernel.variables, kernel.numberOf))
      step.variables.push_back(
          number < 0
              ? uint32_t(llvm::find(variables, variable) - variables.begin())
              : uint32_t(variables.size() + list.numbers.size()) +
                    uint32_t(number));
    if (std::optional<ArrayRef<int64_t>> numbers = launch.getNumbers())
      llvm::append_range(list.numbers, *numbers);
    step.opCount = kernel.opCount;
    step.memBytes = kernel.memBytes;
    auto definition = symbols.lookup<tg::KernelOp>(launch.getKernel());
    step.numWritten = definition.getOutputs();
    for (auto [i, buffer] : llvm::enumerate(launch.getBuffers())) {
      step.slots.push_back(slots.lookup(buffer));
      uint32_t root = step.slots.back();
      while (list.slots[root].kind == Slot::Kind::View)
        root = list.slots[root].base;
      if (auto alignment = definition.getArgAttrOfType<IntegerAttr>(
              i, tg::alignmentAttrName);
          alignment && list.slots[root].kind == Slot::Kind::Input)
        list.slots[root].alignment = std::max<std::size_t>(
            list.slots[root].alignment, alignment.getInt());
      if (const std::string &place = list.slots[root].deviceName;
          !place.empty())
        throw CompileError("kernel " + step.displayName + " would run on " +
                           place + ", but the program is compiled for " +
                           device + "; copy its operands there first");
    }
    list.steps.push_back(std::move(step));
  } else if (auto transfer = dyn_cast<tg::TransferOp>(op)) {
    Step step;
    step.kind = Step::Kind::Copy;
    step.displayName = "copy";
    step.slots = {slots.lookup(transfer.getDest()),
                  slots.lookup(transfer.getSource())};
    step.numWritten = 1;
    step.memBytes = int64_t(2 * list.slots[step.slots[0]].bytes);
    list.steps.push_back(std::move(step));
  } else if (auto sort = dyn_cast<tg::SortOp>(op)) {
    MemRefType keys = sort.getKeys().getType();
    MemRefType positions = sort.getPositions().getType();
    Step step;
    step.kind = Step::Kind::Sort;
    step.displayName = "sort";
    step.slots = {slots.lookup(sort.getPositions()),
                  slots.lookup(sort.getKeys())};
    step.numWritten = 1;
    step.sort.keys = getDType(keys.getElementType());
    step.sort.positions = getDType(positions.getElementType());
    step.sort.rows = int64_t(sort.getRows());
    step.sort.rowElements = keys.getNumElements() / step.sort.rows;
    step.sort.rowPositions = positions.getNumElements() / step.sort.rows;
    step.sort.isDescending = sort.getDescending();
    // Numbers are expressions over all variables of the program, by index.
    for (size_t i = 0; i < variables.size(); ++i)
      step.variables.push_back(uint32_t(i));
    step.sort.length = getExpression(tg::Dim(sort.getLength()), variables);
    step.memBytes = int64_t(list.slots[step.slots[0]].bytes +
                            list.slots[step.slots[1]].bytes);
    list.steps.push_back(std::move(step));
  } else if (auto result = dyn_cast<func::ReturnOp>(op)) {
    for (Value value : result.getOperands())
      list.outputs.push_back(slots.lookup(value));
  } else {
    throw CompileError("the host program contains '" +
                       op->getName().getStringRef().str() +
                       "', which has no step of a launch list");
  }
}

LaunchList ListBuilder::build() {
  for (tg::VarAttr variable : variables)
    list.variables.push_back(
        {variable.getName().str(), variable.getMin(), variable.getMax()});
  Block &block = host.getBody().front();
  // A returned value, also through tg.subbuffer, is not an intermediate.
  for (Value value : block.getTerminator()->getOperands()) {
    while (auto part = value.getDefiningOp<tg::SubbufferOp>())
      value = part.getSource();
    returned.insert(value);
  }
  llvm::DenseSet<Value> written;
  for (Operation &op : block) {
    SmallVector<Value> targets;
    if (auto transfer = dyn_cast<tg::TransferOp>(op)) {
      targets.push_back(transfer.getDest());
    } else if (auto sort = dyn_cast<tg::SortOp>(op)) {
      targets.push_back(sort.getPositions());
    } else if (auto launch = dyn_cast<tg::LaunchOp>(op)) {
      auto kernel = symbols.lookup<tg::KernelOp>(launch.getKernel());
      llvm::append_range(targets,
                         launch.getBuffers().take_front(kernel.getOutputs()));
    }
    for (Value value : targets) {
      while (auto part = value.getDefiningOp<tg::SubbufferOp>())
        value = part.getSource();
      written.insert(value);
    }
  }
  for (BlockArgument argument : block.getArguments()) {
    uint32_t slot = addSlot(argument, Slot::Kind::Input);
    list.slots[slot].isWritten = written.contains(argument);
    list.inputs.push_back(slot);
    if (Attribute elements =
            host.getArgAttr(argument.getArgNumber(), tg::elementsAttrName))
      list.slots[slot].sizes = {getExpression(tg::Dim(elements), variables)};
    if (auto name = host.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      tg::deviceAttrName))
      list.slots[slot].deviceName = getPlace(name.getValue());
  }
  for (Operation &op : block)
    visit(&op);
  return std::move(list);
}

LaunchList
tinygrad::buildLaunchList(func::FuncOp host, StringRef device,
                          ArrayRef<tg::VarAttr> variables,
                          const llvm::StringMap<KernelLaunch> &kernels) {
  return ListBuilder(host, device, variables, kernels).build();
}
