//===- MergeSteps.cpp - one host program for a step -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs are scheduled each for itself, as they were when the step was
/// captured, so that results have the same bits. Then their host programs are
/// put one after the other.
///
//===----------------------------------------------------------------------===//

#include "MergeSteps.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferPart.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Runtime/Error.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

static std::string getProgramName(const LibraryStep &step, size_t action) {
  return step.name + "." + std::to_string(action);
}

void tinygrad::detail::addPrograms(ModuleOp module,
                                   const std::vector<LibraryStep> &steps,
                                   llvm::StringMap<int64_t> &fixed) {
  MLIRContext *context = module.getContext();
  for (const LibraryStep &step : steps)
    for (auto [i, action] : llvm::enumerate(step.actions)) {
      if (action.program.empty())
        continue;
      OwningOpRef<ModuleOp> program =
          parseSourceString<ModuleOp>(action.program, context);
      auto main = program ? program->lookupSymbol<func::FuncOp>("main")
                          : func::FuncOp();
      if (!main)
        throw CompileError("a program of the step '" + step.name +
                           "' cannot be read");
      const std::string name = getProgramName(step, i);
      if (!action.fixed.empty())
        tg::replaceVariables(main, [&](tg::VarAttr variable) {
          StringRef old = variable.getName().getValue();
          auto value = action.fixed.find(old.str());
          if (value == action.fixed.end())
            return tg::Dim(variable);
          const std::string own = name + "." + old.str();
          fixed[own] = value->second;
          return tg::Dim(
              tg::VarAttr::get(context, StringAttr::get(context, own),
                               variable.getMin(), variable.getMax()));
        });
      main.setSymName(name);
      main->remove();
      module.push_back(main);
    }
}

namespace {
class StepMerger {
public:
  StepMerger(ModuleOp module, const LibraryStep &step, StringRef device)
      : module(module), step(step), device(device),
        builder(module.getContext()), loc(module.getLoc()) {}

  void merge();

private:
  using Part = LibraryStep::Part;

  MemRefType getType(const LibraryTensor &tensor) {
    return MemRefType::get(
        {static_cast<int64_t>(tensor.bytes / tinygrad::itemSize(tensor.dtype))},
        getElementType(builder.getContext(), tensor.dtype));
  }
  MemRefType getBytes(std::size_t bytes) {
    return MemRefType::get({static_cast<int64_t>(bytes)}, builder.getI8Type());
  }
  Attribute getElements(const std::string &text);
  Value get(const Part &part, MemRefType type);
  Value copy(const Part &part, MemRefType type);
  Value copy(Value source);
  void addAction(size_t number);
  bool suffices(Value root);
  void setElements();
  bool isTensor(const Part &part) const {
    return step.memories[part.memory].kind == LibraryStep::Memory::Kind::Tensor;
  }

  ModuleOp module;
  const LibraryStep &step;
  StringRef device;
  OpBuilder builder;
  Location loc;
  func::FuncOp function;
  /// The buffer of each piece of memory.
  std::vector<Value> buffers;
  /// What programs are given, and how many bytes of it they rely on.
  SmallVector<std::pair<Value, tg::Dim>> uses;
  /// `tg.elements` of results of programs that have it.
  DenseMap<Value, Attribute> computedElements;
  DenseSet<Value> copies;
};
} // namespace

/// The part as a buffer of the type.
Value StepMerger::get(const Part &part, MemRefType type) {
  Value buffer = buffers[part.memory];
  if (part.offset == 0 && buffer.getType() == type)
    return buffer;
  return tg::SubbufferOp::create(builder, loc, type, buffer,
                                 static_cast<int64_t>(part.offset));
}

/// The contents of the part in new memory.
Value StepMerger::copy(const Part &part, MemRefType type) {
  return copy(get(part, type));
}

Value StepMerger::copy(Value source) {
  Value place = tg::AllocOp::create(builder, loc, source.getType(), device);
  tg::TransferOp::create(builder, loc, source, place);
  copies.insert(place);
  return place;
}

/// The attribute that a text of LibraryStep stands for; null if it is empty.
Attribute StepMerger::getElements(const std::string &text) {
  if (text.empty())
    return {};
  Attribute elements = parseAttribute(text, builder.getContext());
  if (!elements || !tg::Dim::isDim(elements))
    throw CompileError("the step '" + step.name + "' has memory of '" + text +
                       "' elements, which is no dimension");
  return elements;
}

void StepMerger::addAction(size_t number) {
  const LibraryStep::Action &action = step.actions[number];
  if (action.program.empty()) {
    const Part &source = action.inputs.front();
    buffers[action.computed.front().second] =
        copy(source, getBytes(source.bytes));
    return;
  }
  auto program =
      module.lookupSymbol<func::FuncOp>(getProgramName(step, number));
  IRMapping mapping;
  for (auto [argument, part] :
       llvm::zip_equal(program.getArguments(), action.inputs)) {
    Value given = get(part, cast<MemRefType>(argument.getType()));
    mapping.map(argument, given);
    uses.emplace_back(given, tg::getAvailableBytes(argument));
  }
  Block &body = program.getBody().front();
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  Operation *end = body.getTerminator();
  for (auto [result, memory] : action.computed) {
    buffers[memory] = mapping.lookup(end->getOperand(result));
    if (Attribute elements =
            program.getResultAttr(result, tg::elementsAttrName))
      computedElements[buffers[memory]] = elements;
  }
  program.erase();
}

/// Whether programs have as much of the memory as they rely on.
bool StepMerger::suffices(Value root) {
  return llvm::all_of(uses, [&](const auto &use) {
    const auto &[given, needed] = use;
    return tg::getBufferPart(given).root != root ||
           (tg::getAvailableBytes(given) - needed).getMin() >= 0;
  });
}

/// States which arguments and results may be smaller than their largest shape.
void StepMerger::setElements() {
  unsigned number = 0;
  for (const LibraryStep::Memory &memory : step.memories) {
    if (memory.kind != LibraryStep::Memory::Kind::Tensor)
      continue;
    const unsigned argument = number++;
    if (Attribute elements = getElements(memory.elements)) {
      function.setArgAttr(argument, tg::elementsAttrName, elements);
      if (!suffices(function.getArgument(argument)))
        function.removeArgAttr(argument, tg::elementsAttrName);
    }
  }
  Operation *end = function.getBody().front().getTerminator();
  builder.setInsertionPoint(end);
  for (auto [i, result] : llvm::enumerate(step.results)) {
    Attribute elements = getElements(result.elements);
    if (!elements)
      continue;
    function.setResultAttr(static_cast<unsigned>(i), tg::elementsAttrName,
                           elements);
    // Memory that is returned is the caller's from the beginning: neither the
    // program that gives it nor one that takes it may rely on more.
    Value value = end->getOperand(i);
    if (value.getDefiningOp<tg::AllocOp>() &&
        ((!copies.contains(value) &&
          computedElements.lookup(value) != elements) ||
         !suffices(value)))
      end->setOperand(i, copy(value));
  }
}

void StepMerger::merge() {
  SmallVector<Type> types, results;
  for (const LibraryStep::Memory &memory : step.memories)
    if (memory.kind == LibraryStep::Memory::Kind::Tensor)
      types.push_back(getType(memory.tensor));
  for (const LibraryStep::Result &result : step.results)
    results.push_back(getType(result.tensor));
  builder.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(builder, loc, step.name,
                                  builder.getFunctionType(types, results));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  ValueRange arguments = body->getArguments();
  for (const LibraryStep::Memory &memory : step.memories) {
    buffers.emplace_back();
    if (memory.kind == LibraryStep::Memory::Kind::Tensor) {
      buffers.back() = arguments.front();
      arguments = arguments.drop_front();
    } else if (memory.kind == LibraryStep::Memory::Kind::Constant) {
      const MemRefType type = getBytes(memory.contents.size());
      buffers.back() = tg::LiteralOp::create(
          builder, loc, type,
          DenseElementsAttr::getFromRawBuffer(
              RankedTensorType::get(type.getShape(), type.getElementType()),
              memory.contents),
          device);
    }
  }
  for (size_t i = 0; i < step.actions.size(); ++i)
    addAction(i);

  // Results in the memory of tensors that will be updated.
  SmallVector<Value> returned(step.results.size());
  for (auto [value, result] : llvm::zip_equal(returned, step.results))
    if (!result.isUpdated)
      value = isTensor(result.part) ? copy(result.part, getType(result.tensor))
                                    : get(result.part, getType(result.tensor));
  // All are read before the first is written.
  SmallVector<Value> sources;
  for (const auto &[dest, source] : step.updates) {
    const MemRefType type = getBytes(source.bytes);
    sources.push_back(isTensor(source) ? copy(source, type)
                                       : get(source, type));
  }
  for (auto [update, source] : llvm::zip_equal(step.updates, sources))
    tg::TransferOp::create(builder, loc, source,
                           get(update.first, getBytes(update.second.bytes)));
  for (auto [value, result] : llvm::zip_equal(returned, step.results))
    if (result.isUpdated)
      value = copy(result.part, getType(result.tensor));
  func::ReturnOp::create(builder, loc, returned);
  setElements();
}

/// Gives a kernel that is named as a step another name.
static void renameKernels(ModuleOp module,
                          const std::vector<LibraryStep> &steps) {
  SymbolTable symbols(module);
  for (const LibraryStep &step : steps)
    if (Operation *taken = symbols.lookup(step.name))
      (void)symbols.renameToUnique(taken, {});
}

void tinygrad::detail::mergeSteps(ModuleOp module,
                                  const std::vector<LibraryStep> &steps,
                                  StringRef device) {
  renameKernels(module, steps);
  for (const LibraryStep &step : steps)
    StepMerger(module, step, device).merge();
  PassManager manager(module.getContext());
  manager.addNestedPass<func::FuncOp>(tg::createTgPlanMemory());
  if (failed(manager.run(module)))
    throw CompileError("the memory of a step cannot be planned");
}
