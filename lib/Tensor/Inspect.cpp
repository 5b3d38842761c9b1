//===- Inspect.cpp - programs of tensors as text --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles the slice of a graph up to a stage, and reads graphs from text.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Inspect.h"
#include "CapturedStep.h"
#include "DiagnosticText.h"
#include "GraphEdit.h"
#include "GraphSlice.h"
#include "NeedsProgram.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Compiler/KernelSummary.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Dialect/Tg/IR/TgVariables.h"
#include "TinyGrad/Dialect/Tg/Transforms/Passes.h"
#include "TinyGrad/Dialect/Tg/Utils/ModuleLevel.h"
#include "TinyGrad/Runtime/CompiledProgram.h"
#include "TinyGrad/Tensor/Jit.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// The operations of tensors of one graph and device, with the graph locked.
struct Group {
  Group(const std::vector<Tensor> &tensors, const char *what)
      : graph(*firstOf(tensors, what).graph),
        device(*firstOf(tensors, what).device), lock(graph.mutex) {
    for (const Tensor &tensor : tensors) {
      TensorImpl &impl = tensor.impl();
      if (impl.graph.get() != &graph)
        throw Error(std::string(what) + ": the tensors are of several graphs");
      if (impl.device != &device)
        throw Error(std::string(what) + ": tensors on " + device.name() +
                    " and on " + impl.device->name() +
                    ", which one program cannot compute");
      ops.insert(graph.operation(impl));
    }
  }

  static TensorImpl &firstOf(const std::vector<Tensor> &tensors,
                             const char *what) {
    if (tensors.empty())
      throw Error(std::string(what) + ": there are no tensors");
    return tensors.front().impl();
  }

  GraphImpl &graph;
  Device &device;
  std::lock_guard<GraphMutex> lock;
  llvm::SmallSetVector<Operation *, 4> ops;
};
} // namespace

template <typename T> static std::string print(T object) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  object->print(stream);
  return text;
}

/// The stages of the code generator for a device, "vector, llvm, asm".
static std::string listStages(const tg::Target &target) {
  std::string text;
  for (const tg::CompileStage &stage : target.getStages())
    text += (text.empty() ? "" : ", ") + stage.name.str();
  return text;
}

std::string tinygrad::printProgram(const std::vector<Tensor> &tensors,
                                   const std::string &stage) {
  const Group group(tensors, "mlir");
  GraphImpl &graph = group.graph;
  const CompileOptions options;
  const tg::Target &target = getTarget(group.device, options);
  const bool isCode =
      llvm::any_of(target.getStages(), [&](const tg::CompileStage &known) {
        return known.name == stage;
      });
  if (!isCode && stage != "graph" && stage != "kernels" && stage != "scheduled")
    throw Error("mlir: there is no stage '" + stage +
                "': it is one of graph, "
                "kernels, scheduled, " +
                listStages(target));
  const GraphSlice slice(graph, group.ops.getArrayRef());
  OwningOpRef<ModuleOp> module =
      slice.clone(graph.location, {}, /*keepsGradientMarks=*/stage == "graph");
  graph.addGarbage(100 + 10 * slice.numOperations());
  if (stage == "graph")
    return print(*module);
  schedule(*module, group.device, options);
  if (stage == "kernels")
    return print(*module);
  optimize(*module, group.device, options);
  if (stage == "scheduled")
    return print(*module);
  tg::StageTexts texts;
  texts[stage];
  generateCode(*module, group.device, options, &texts);
  return texts[stage];
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
/// Describes the steps of a host program.
class StepList {
public:
  StepList(func::FuncOp host, const std::string &device)
      : host(host), device(device) {
    auto results = cast<func::ReturnOp>(host.getBody().front().getTerminator());
    for (auto [i, result] : llvm::enumerate(results.getOperands()))
      outputOf.try_emplace(rootOf(result), unsigned(i));
  }

  StepBuffer describe(Value value, bool isWritten) const {
    StepBuffer buffer;
    auto type = cast<MemRefType>(value.getType());
    buffer.dtype = getDType(type.getElementType());
    buffer.count = type.getNumElements();
    buffer.isWritten = isWritten;
    const Value root = rootOf(value);
    if (auto output = outputOf.find(root); output != outputOf.end())
      buffer.role = "output " + std::to_string(output->second);
    else if (auto input = dyn_cast<BlockArgument>(root))
      buffer.role = "input " + std::to_string(input.getArgNumber());
    else if (root.getDefiningOp<tg::LiteralOp>())
      buffer.role = "constant";
    else
      buffer.role = "scratch";
    return buffer;
  }

  std::vector<ProgramStep> list(ModuleOp module) const {
    std::vector<ProgramStep> steps;
    for (Operation &op : host.getBody().front()) {
      ProgramStep step;
      step.device = device;
      if (auto launch = dyn_cast<tg::LaunchOp>(op)) {
        step.name = launch.getKernel().str();
        auto kernel = module.lookupSymbol<tg::KernelOp>(launch.getKernel());
        for (auto [i, buffer] : llvm::enumerate(launch.getBuffers()))
          step.buffers.push_back(describe(buffer, i < kernel.getOutputs()));
      } else if (auto transfer = dyn_cast<tg::TransferOp>(op)) {
        step.kind = ProgramStep::Kind::Copy;
        step.name = "copy";
        step.buffers = {describe(op.getOperand(1), true),
                        describe(op.getOperand(0), false)};
      } else if (isa<tg::SortOp>(op)) {
        step.kind = ProgramStep::Kind::Sort;
        step.name = "sort";
        step.buffers = {describe(op.getOperand(1), true),
                        describe(op.getOperand(0), false)};
      } else {
        continue;
      }
      steps.push_back(std::move(step));
    }
    return steps;
  }

private:
  static Value rootOf(Value value) {
    while (auto part = value.getDefiningOp<tg::SubbufferOp>())
      value = part.getSource();
    return value;
  }

  mutable func::FuncOp host;
  const std::string &device;
  llvm::DenseMap<Value, unsigned> outputOf;
};
} // namespace

/// The values of variables by name.
using ValueOf = llvm::function_ref<std::optional<int64_t>(StringRef name)>;

static void summarize(ProgramStep &step, tg::KernelOp kernel,
                      const tg::Target &target, ValueOf valueOf) {
  const KernelSummary summary =
      summarizeKernel(kernel, target, [&](tg::VarAttr variable) {
        return valueOf(variable.getName());
      });
  step.description = summary.description;
  step.operations = summary.operations;
  step.bytes = summary.bytes;
  step.ranges = summary.ranges;
  step.parallelExtent = summary.parallelExtent;
  step.groups = summary.groups;
  step.groupSize = summary.groupSize;
  step.sharedBytes = summary.sharedBytes;
}

/// The texts of a scheduled kernel, which is compiled in a module of its own.
static void addTexts(ProgramStep &step, tg::KernelOp kernel, ModuleOp program,
                     Device &device, const CompileOptions &options,
                     const tg::Target &target) {
  step.texts.emplace_back("scheduled", print(kernel));
  if (std::optional<ArrayAttr> scheduled = kernel.getScheduled())
    for (Attribute entry : *scheduled) {
      std::string text;
      llvm::raw_string_ostream(text) << entry;
      step.steps.push_back(text);
    }
  OpBuilder builder(kernel.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder, kernel.getLoc());
  (*module)->setAttrs(program->getAttrDictionary());
  builder.setInsertionPointToEnd(module->getBody());
  builder.clone(*kernel);
  tg::StageTexts texts;
  for (const tg::CompileStage &stage : target.getStages())
    texts[stage.name];
  generateCode(*module, device, options, &texts);
  for (const tg::CompileStage &stage : target.getStages())
    step.texts.emplace_back(stage.name.str(), texts[stage.name]);
}

/// The steps of a graph, which becomes a program.
static std::vector<ProgramStep> inspectModule(ModuleOp module, Device &device,
                                              bool withCode, ValueOf valueOf) {
  const CompileOptions options;
  const tg::Target &target = getTarget(device, options);
  schedule(module, device, options);
  auto host = module.lookupSymbol<func::FuncOp>(options.entry);
  std::vector<ProgramStep> steps = StepList(host, device.name()).list(module);
  auto forEachKernel = [&](auto visit) {
    for (ProgramStep &step : steps)
      if (auto kernel = step.kind == ProgramStep::Kind::Kernel
                            ? module.lookupSymbol<tg::KernelOp>(step.name)
                            : tg::KernelOp())
        visit(step, kernel);
  };
  forEachKernel([&](ProgramStep &step, tg::KernelOp kernel) {
    step.texts.emplace_back("kernel", print(kernel));
    summarize(step, kernel, target, valueOf);
  });
  if (!withCode)
    return steps;
  optimize(module, device, options);
  forEachKernel([&](ProgramStep &step, tg::KernelOp kernel) {
    summarize(step, kernel, target, valueOf);
    addTexts(step, kernel, module, device, options, target);
  });
  return steps;
}

std::vector<ProgramStep>
tinygrad::inspectProgram(const std::vector<Tensor> &tensors, bool withCode) {
  const Group group(tensors, "kernels");
  GraphImpl &graph = group.graph;
  SmallVector<Operation *> wanted;
  for (Operation *op : group.ops)
    if (needsProgram(graph, op, group.device))
      wanted.push_back(op);
  if (wanted.empty())
    return {};
  const GraphSlice slice(graph, wanted, /*keepsProducts=*/true);
  OwningOpRef<ModuleOp> module = slice.clone(graph.location);
  graph.addGarbage(100 + 10 * slice.numOperations());
  return inspectModule(*module, group.device, withCode,
                       [&](StringRef name) -> std::optional<int64_t> {
                         for (const SymVariable &known : slice.variables())
                           if (name == StringRef(known.name))
                             return known.value;
                         return std::nullopt;
                       });
}

std::vector<ProgramStep> tinygrad::inspectStep(const detail::JitCore &step,
                                               bool withCode) {
  const CapturedStep *captured = step.getStep();
  if (!captured)
    return {};
  GraphImpl &graph = *captured->graph;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  std::vector<ProgramStep> steps;
  for (const CapturedAction &action : captured->actions) {
    if (!action.program) {
      const MemoryPart &part = action.inputs.front();
      ProgramStep copy;
      copy.kind = ProgramStep::Kind::Copy;
      copy.name = "copy";
      copy.device = action.target->name();
      const DType dtype = part.dtype.value_or(DType::UInt8);
      const auto count = int64_t(part.bytes / itemSize(dtype));
      copy.buffers = {{"output 0", dtype, count, true},
                      {"input 0", dtype, count, false}};
      steps.push_back(std::move(copy));
      continue;
    }
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        action.source, ParserConfig(&graph.context()));
    graph.addGarbage(100);
    std::vector<ProgramStep> ofProgram = inspectModule(
        *module, action.program->device(), withCode,
        [&](StringRef name) -> std::optional<int64_t> {
          for (auto [known, value] : llvm::zip(action.names, action.values))
            if (name == StringRef(known))
              return value;
          return std::nullopt;
        });
    llvm::append_range(steps, ofProgram);
  }
  return steps;
}

//===----------------------------------------------------------------------===//
// Graphs as text
//===----------------------------------------------------------------------===//

static constexpr const char *kFromMlir = "from_mlir: ";

/// Runs a pipeline of passes, given as text, over a module that holds a graph,
/// and checks that it still holds one.
static void runPasses(ModuleOp module, const std::string &pipeline,
                      DiagnosticText &errors) {
  static std::once_flag once;
  std::call_once(once, [] {
    registerTransformsPasses();
    tg::registerTgPasses();
  });
  std::string text;
  llvm::raw_string_ostream stream(text);
  FailureOr<OpPassManager> passes = parsePassPipeline(pipeline, stream);
  if (succeeded(passes) &&
      passes->getOpAnchorName() != ModuleOp::getOperationName())
    text = "it has to be 'builtin.module(...)'";
  if (!text.empty() || failed(passes))
    throw CompileError("from_mlir: the pass pipeline '" + pipeline +
                       "': " + StringRef(text).trim().str());
  PassManager manager(module.getContext());
  static_cast<OpPassManager &>(manager) = std::move(*passes);
  if (failed(manager.run(module))) {
    if (errors.empty())
      errors.fail(kFromMlir, module.getLoc(), "the pass pipeline failed");
    errors.fail(kFromMlir);
  }
  if (failed(tg::requireLevel(module, tg::ModuleLevel::TensorGraph)))
    errors.fail(kFromMlir);
}

/// Makes variables of the inputs of those that have their names.
static void bindNames(ModuleOp module, ArrayRef<Type> inputs) {
  llvm::StringMap<tg::VarAttr> known;
  AttrTypeWalker walker;
  walker.addWalk(
      [&](tg::VarAttr variable) { known[variable.getName()] = variable; });
  for (Type type : inputs)
    walker.walk(type);
  if (!known.empty())
    tg::replaceVariables(module, [&](tg::VarAttr variable) {
      auto it = known.find(variable.getName());
      return tg::Dim(it == known.end() ? variable : it->second);
    });
}

static std::string describe(GraphImpl &graph, RankedTensorType type) {
  return toString(graph.shapeOf(type)) + " " +
         name(getDType(type.getElementType()));
}

static void checkInputs(GraphImpl &graph, func::FuncOp function,
                        const std::vector<Tensor> &inputs,
                        DiagnosticText &errors) {
  if (function.getNumArguments() != inputs.size())
    errors.fail(kFromMlir, function.getLoc(),
                "'@" + function.getName() + "' takes " +
                    Twine(function.getNumArguments()) + " tensors, not " +
                    Twine(inputs.size()));
  for (auto [i, input] : llvm::enumerate(inputs)) {
    auto type = dyn_cast<RankedTensorType>(function.getArgument(i).getType());
    if (!type)
      errors.fail(kFromMlir, function.getLoc(),
                  "'@" + function.getName() +
                      "' takes arguments that are no "
                      "tensors");
    auto given = cast<RankedTensorType>(
        graph.operation(input.impl())->getResult(0).getType());
    if (type == given)
      continue;
    const std::string what =
        "from_mlir: argument " + std::to_string(i) + " of '@" +
        function.getName().str() + "' is " + describe(graph, type) +
        ", but input " + std::to_string(i) + " is " + describe(graph, given);
    if (type.getElementType() != given.getElementType())
      throw DTypeError(what);
    throw ShapeError(what);
  }
}

/// Puts the operations of a function into an edit, with those of functions that
/// it calls, and returns the results. \p path has the functions that call it.
static SmallVector<Value> inlineBody(func::FuncOp function,
                                     ArrayRef<Value> arguments, GraphEdit &edit,
                                     std::vector<func::FuncOp> &path,
                                     DiagnosticText &errors) {
  if (llvm::is_contained(path, function))
    errors.fail(kFromMlir, function.getLoc(),
                "'@" + function.getName() + "' calls itself");
  auto results =
      function.getBody().hasOneBlock()
          ? dyn_cast<func::ReturnOp>(function.getBody().front().getTerminator())
          : func::ReturnOp();
  if (!results)
    errors.fail(kFromMlir, function.getLoc(),
                "'@" + function.getName() +
                    "' has to have one block, which "
                    "returns tensors");
  path.push_back(function);
  IRMapping mapping;
  mapping.map(function.getArguments(), arguments);
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
          call, call.getCalleeAttr());
      const auto given = llvm::map_to_vector(
          call.getOperands(), [&](Value v) { return mapping.lookup(v); });
      mapping.map(call.getResults(),
                  inlineBody(callee, given, edit, path, errors));
      continue;
    }
    if (!isa<tg::TgDialect>(op.getDialect()) || op.getNumResults() != 1 ||
        isa<tg::BufferOp, tg::AssignOp, tg::AfterOp>(op))
      errors.fail(kFromMlir, op.getLoc(),
                  "'" + op.getName().getStringRef() +
                      "' cannot become part of a graph of "
                      "tensors");
    edit.rewriter().clone(op, mapping);
  }
  path.pop_back();
  return llvm::map_to_vector(results.getOperands(),
                             [&](Value v) { return mapping.lookup(v); });
}

std::vector<Tensor> tinygrad::fromMlir(const std::string &text,
                                       const std::vector<Tensor> &inputs,
                                       const std::string &entry,
                                       const std::string &name,
                                       const std::string &passPipeline) {
  const std::shared_ptr<GraphImpl> owner =
      inputs.empty() ? Graph::current().impl() : inputs.front().impl().graph;
  GraphImpl &graph = *owner;
  std::lock_guard<GraphMutex> lock(graph.mutex);
  Device *device =
      inputs.empty() ? &Device::getDefault() : inputs.front().impl().device;
  SmallVector<Type> types;
  SmallVector<Operation *> operations;
  for (const Tensor &input : inputs) {
    if (input.impl().graph != owner)
      throw Error("from_mlir: the inputs are of several graphs");
    if (input.impl().device != device)
      throw DeviceError("from_mlir: inputs on " + device->name() + " and on " +
                        input.impl().device->name());
    operations.push_back(graph.operation(input.impl()));
    types.push_back(operations.back()->getResult(0).getType());
  }
  DiagnosticText errors(&graph.context());
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&graph.context()), name);
  graph.addGarbage(100);
  if (!module ||
      failed(tg::requireLevel(*module, tg::ModuleLevel::TensorGraph)))
    errors.fail(kFromMlir);
  if (!passPipeline.empty())
    runPasses(*module, passPipeline, errors);
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  if (!function || function.isDeclaration())
    errors.fail(kFromMlir, module->getLoc(),
                "there is no function '@" + entry + "'");
  bindNames(*module, types);
  checkInputs(graph, function, inputs, errors);
  GraphEdit edit(graph);
  std::vector<func::FuncOp> path;
  SmallVector<Value> values;
  for (Operation *input : operations)
    values.push_back(input->getResult(0));
  values = inlineBody(function, values, edit, path, errors);
  return edit.adopt(values, *device);
}
