//===- Realize.cpp - computing values -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Takes the slice of the graph for the requested values, finds or compiles its
/// program, runs it, and replaces the values by buffers.
///
//===----------------------------------------------------------------------===//

#include "Aliasing.h"
#include "GraphImpl.h"
#include "GraphSlice.h"
#include "MemoryView.h"
#include "NeedsProgram.h"
#include "Primitives.h"
#include "Recorder.h"
#include "Shards.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/BufferObserver.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/LaunchList.h"
#include "TinyGrad/Runtime/Profile.h"
#include "TinyGrad/Tensor/KeptOrigins.h"
#include "TinyGrad/Tensor/RewriteScope.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/SaveAndRestore.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Values that need no program
//===----------------------------------------------------------------------===//

static bool isValue(Operation *op) {
  return isa<tg::BufferOp, tg::ConstOp>(op);
}

/// The bytes of a tensor with the maximal sizes.
static std::size_t sizeInBytes(RankedTensorType type) {
  std::size_t bytes = itemSize(getDType(type.getElementType()));
  if (!type.getEncoding())
    return bytes * std::size_t(type.getNumElements());
  for (tg::Dim dim : tg::getDims(type))
    bytes *= std::size_t(dim.getMax());
  return bytes;
}

/// The bits of one element in memory.
static uint64_t bitsOf(const APInt &value) { return value.getZExtValue(); }
static uint64_t bitsOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

/// A buffer on \p device filled with a constant.
static Buffer makeConstant(tg::ConstOp op, Device &device) {
  RankedTensorType type = cast<RankedTensorType>(op.getType());
  const DType dtype = getDType(type.getElementType());
  const std::size_t size = itemSize(dtype), bytes = sizeInBytes(type);
  Buffer memory = Buffer::allocate(device, bytes, dtype), staging = memory;
  if (!device.information().hostVisible)
    staging = Buffer::allocate(Device::get("CPU"), bytes, dtype);
  char *data = static_cast<char *>(staging.address());
  Attribute value = op.getValue();
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (dense && dense.isSplat())
    value = dense.getSplatValue<Attribute>();
  // The host is little-endian: the low bytes come first.
  auto put = [&](std::size_t i, uint64_t bits) {
    std::memcpy(data + i * size, &bits, size);
  };
  auto fill = [&](uint64_t bits) {
    if (bytes == 0)
      return;
    put(0, bits);
    // Copies what is there, in pieces that stay in a cache.
    constexpr std::size_t kPiece = 1 << 14;
    for (std::size_t done = size, count; done < bytes; done += count) {
      count = std::min({done, bytes - done, kPiece});
      std::memcpy(data + done, data, count);
    }
  };
  if (auto number = dyn_cast<FloatAttr>(value)) {
    fill(bitsOf(number.getValue()));
  } else if (auto number = dyn_cast<IntegerAttr>(value)) {
    fill(bitsOf(number.getValue()));
  } else if (dense && type.getElementTypeBitWidth() == 8 * size) {
    std::memcpy(data, dense.getRawData().data(), bytes);
  } else if (dense) { // of bools
    for (auto [i, element] : llvm::enumerate(dense.getValues<APInt>()))
      put(i, bitsOf(element));
  } else {
    throw CompileError("a constant holds elements of an unknown kind");
  }
  if (!device.information().hostVisible)
    memory.copyIn(data, bytes);
  if (Recorder *recorder = Recorder::capturing())
    recorder->addConstant(memory);
  return memory;
}

/// A copy of \p memory on \p device.
static Buffer copyMemory(const Buffer &memory, Device &device) {
  Buffer copy = memory.copyTo(device);
  if (Recorder *recorder = Recorder::capturing())
    recorder->addCopy(memory, copy);
  return copy;
}

/// The memory of a value that is a contiguous part of a buffer or empty;
/// otherwise a null handle.
static Buffer findMemory(GraphImpl &graph, Operation *op, Device &device) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  const DType dtype = getDType(type.getElementType());
  if (sizeInBytes(type) == 0)
    return Buffer::allocate(device, 0, dtype);
  // All of the memory in another shape needs no views, which take microseconds.
  Operation *whole = op;
  while (isa<tg::ReshapeOp>(whole) &&
         !cast<RankedTensorType>(whole->getResult(0).getType()).getEncoding())
    whole = whole->getOperand(0).getDefiningOp();
  if (auto buffer = dyn_cast<tg::BufferOp>(whole);
      buffer && !cast<RankedTensorType>(buffer.getType()).getEncoding())
    return graph.buffers.at(buffer.getId()).view(0, sizeInBytes(type), dtype);
  std::optional<MemoryView> view = findMemoryView(op);
  std::optional<tg::Dim> offset =
      view ? view->chain.getContiguousOffset() : std::nullopt;
  std::optional<int64_t> number = offset ? offset->getStatic() : std::nullopt;
  if (!number)
    return Buffer();
  return graph.buffers.at(view->buffer.getId())
      .view(std::size_t(*number) * itemSize(dtype), sizeInBytes(type), dtype);
}

/// "128 B", "4.00 MB"
static std::string formatBytes(std::size_t bytes) {
  if (bytes < 1'000'000)
    return std::to_string(bytes) + " B";
  char text[32];
  std::snprintf(text, sizeof text, "%.2f MB", double(bytes) * 1e-6);
  return text;
}

/// A copy for a tg.copy, which counts as a kernel and has a line at DEBUG=2.
static Buffer copyAcross(const Buffer &memory, Device &target) {
  using Clock = std::chrono::steady_clock;
  const bool isShown = debugLevel() >= 2;
  if (isShown)
    memory.device().synchronize();
  const Clock::time_point begin = Clock::now();
  Buffer copy = copyMemory(memory, target);
  const int64_t index = ++GlobalCounters::kernelCount;
  if (!isShown)
    return copy;
  target.synchronize();
  const double seconds =
      std::chrono::duration<double>(Clock::now() - begin).count();
  const double total =
      GlobalCounters::timeSumSeconds.fetch_add(seconds) + seconds;
  std::string line =
      formatKernelLine(target.name(), index,
                       "copy " + formatBytes(memory.size()) + ", " +
                           target.name() + " <- " + memory.device().name(),
                       2, double(GlobalCounters::memUsed.load()), seconds,
                       total, 0, double(memory.size()));
  if (const std::string site = CallSite::describe(); !site.empty())
    line += " at " + site;
  debugPrint(line);
  return copy;
}

using Endings = llvm::DenseMap<Operation *, GraphImpl::Ending>;

/// Replaces \p op by memory, which keeps it for gradients if these can flow on:
/// see GraphImpl::findEnding().
/// With \p isKept, gradients can flow on also if no tensor requires one: nobody
/// asked for the values. So they can with \p isRead, for KeptOrigins, unless
/// the values go back to more than kMaxOriginDepth that were read.
static void replaceByBuffer(GraphImpl &graph, Operation *op,
                            const Buffer &memory, GraphImpl::Ending ending,
                            bool isKept = false, bool isRead = false) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Operation *buffer = graph.createBuffer(memory, type, op);
  graph.node(buffer).isResult = op->getNumOperands() != 0;
  // Gradients do not flow through integers.
  const bool canFlow = isa<FloatType>(type.getElementType());
  const bool isTracked = graph.isTracked(op);
  unsigned depth = 0;
  if (canFlow && isRead && !isTracked && !graph.gradientSources(op).empty())
    depth = graph.originDepth(op);
  const bool isForgotten = depth > GraphImpl::kMaxOriginDepth;
  const bool isOnPath =
      canFlow && (isTracked || (depth > 0 && !isForgotten) ||
                  (isKept && !graph.gradientSources(op).empty()));
  if (isOnPath && ending != GraphImpl::Ending::None) {
    graph.node(buffer).ending = ending;
  } else if (isOnPath && !graph.findLeaf(op)) {
    // Erases the buffer if memory for the origin runs out.
    const Tensor held = graph.wrap(buffer, &memory.device());
    graph.keepOrigin(op, buffer, depth);
    graph.replace(op, buffer);
    return;
  } else if (isForgotten) {
    graph.node(buffer).ending = GraphImpl::Ending::Forgotten;
    graph.endCut(buffer, graph.beginCut(op));
  }
  graph.replace(op, buffer);
}

static void replaceByBuffer(GraphImpl &graph, Operation *op,
                            const Buffer &memory) {
  Endings known;
  replaceByBuffer(graph, op, memory, graph.findEnding(op, known),
                  /*isKept=*/false, KeptOrigins::areActive());
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static CachedProgram findProgram(GraphImpl &graph, const GraphSlice &slice,
                                 Device &device) {
  CompileOptions options;
  // Operations were built, and thereby checked, by the dialect's builders.
  options.verifyInput = options.verifyEach;
  return graph.programs.get(
      slice.hash(device, options), slice.numbers(), programLimit(),
      [&](const std::vector<int> &operandOf) {
        OwningOpRef<ModuleOp> module = slice.clone(graph.location, operandOf);
        // Compilation creates several times as many attributes.
        graph.addGarbage(100 + 10 * slice.numOperations());
        return compile(*module, device, options);
      });
}

/// The values of the slice's variables, and of those numbers that are operands
/// of the program.
static std::vector<int64_t> valuesFor(const CachedProgram &cached,
                                      const GraphSlice &slice) {
  const std::vector<ProgramVariable> &wanted = cached.program->variables();
  if (wanted.empty())
    return {};
  llvm::StringMap<int64_t> known;
  for (const SymVariable &variable : slice.variables())
    known[variable.name] = *variable.value;
  int next = 0;
  for (auto [operand, number] : llvm::zip(cached.operandOf, slice.numbers()))
    if (operand == next)
      known[slice.operandName(next++)] = number.value;
  std::vector<int64_t> values;
  for (const ProgramVariable &variable : wanted)
    values.push_back(known.at(variable.name));
  return values;
}

/// The variables that the values of valuesFor() belong to; empty for numbers.
static std::vector<std::string> variableNames(const CachedProgram &cached,
                                              const GraphSlice &slice) {
  std::vector<std::string> names;
  for (const ProgramVariable &wanted : cached.program->variables()) {
    const bool isVariable =
        llvm::any_of(slice.variables(), [&](const SymVariable &known) {
          return known.name == wanted.name;
        });
    names.push_back(isVariable ? wanted.name : "");
  }
  return names;
}

/// What the program was compiled from, as bytecode.
static std::string getSource(GraphImpl &graph, const CachedProgram &cached,
                             const GraphSlice &slice) {
  OwningOpRef<ModuleOp> module = slice.clone(graph.location, cached.operandOf);
  std::string code;
  llvm::raw_string_ostream stream(code);
  if (failed(writeBytecodeToFile(*module, stream)))
    code.clear();
  return code;
}

static void realizeSlice(GraphImpl &graph, ArrayRef<Operation *> wanted,
                         Device &device);

/// Carries out the pending assignments to parts that the results depend on.
/// Returns false if there are none.
static bool realizePendingParts(GraphImpl &graph, ArrayRef<Operation *> results,
                                Device &device) {
  if (graph.pendingParts.empty())
    return false;
  std::vector<Tensor> pending;
  for (Operation *op : GraphSlice::backwardSlice(results, [&](Operation *op) {
         return graph.pendingParts.contains(op) &&
                !llvm::is_contained(results, op);
       }))
    pending.push_back(graph.wrap(op, &device));
  for (const Tensor &tensor : pending) {
    const uint64_t cutBits = graph.beginCut(graph.operation(tensor.impl()));
    realizeSlice(graph, graph.operation(tensor.impl()), device);
    graph.endCut(graph.operation(tensor.impl()), cutBits);
  }
  return !pending.empty();
}

/// Adds the tensors of realizeAlong() that share work with \p results.
static void addAlongside(GraphImpl &graph, Device &device,
                         llvm::SmallSetVector<Operation *, 4> &results) {
  // An initial value is not a step: the assignments of one would run before the
  // other parameters that they read have memory.
  if (graph.alongside.empty() || graph.computesParameters)
    return;
  auto isWork = [](Operation *op) {
    return op->getNumOperands() != 0 && !isa<tg::ConstOp>(op);
  };
  const SmallVector<Operation *> own =
      GraphSlice::backwardSlice(results.getArrayRef(), isWork);
  const llvm::DenseSet<Operation *> shared(own.begin(), own.end());
  std::vector<std::weak_ptr<TensorImpl>> later;
  SmallVector<Operation *> added;
  for (const std::weak_ptr<TensorImpl> &weak : graph.alongside) {
    const std::shared_ptr<TensorImpl> tensor = weak.lock();
    Operation *op = tensor ? graph.operation(*tensor) : nullptr;
    if (!op || isValue(op))
      continue;
    // A counter costs nothing.
    constexpr unsigned fewOps = 4;
    bool shares = false, hasCopy = false;
    unsigned numOps = 0;
    GraphSlice::backwardSlice(op, [&](Operation *other) {
      shares |= shared.contains(other);
      hasCopy |= isa<tg::CopyOp>(other);
      numOps += isWork(other);
      return false;
    });
    if ((shares || numOps <= fewOps) && !hasCopy && tensor->device == &device)
      added.push_back(op);
    else
      later.push_back(weak);
  }
  graph.alongside = std::move(later);
  if (added.empty())
    return;
  results.insert(added.begin(), added.end());
  // The initial value of a parameter may be one of the results.
  std::vector<Tensor> held;
  for (Operation *op : results)
    held.push_back(graph.wrap(op, &device));
  computeParameters(graph, added);
  results.clear();
  for (const Tensor &tensor : held)
    if (Operation *op = graph.operation(tensor.impl()); !isValue(op))
      results.insert(op);
}

/// The slice for results that are computed in one program.
static GraphSlice makeSlice(GraphImpl &graph, ArrayRef<Operation *> results,
                            Device &device) {
  try {
    return GraphSlice(graph, results, /*keepsProducts=*/true);
  } catch (const ShapeError &) {
    // A variable has another value in earlier assignments than in the requested
    // results.
    if (!realizePendingParts(graph, results, device))
      throw;
  }
  return GraphSlice(graph, results, /*keepsProducts=*/true);
}

/// Computes the values of operations that do not depend on a copy.
static void realizeSlice(GraphImpl &graph, ArrayRef<Operation *> wanted,
                         Device &device) {
  llvm::SmallSetVector<Operation *, 4> distinct, results;
  distinct.insert(wanted.begin(), wanted.end());
  auto checkBound = [](const std::vector<SymVariable> &variables) {
    if (std::string unbound = describeUnbound(variables); !unbound.empty())
      throw ShapeError("realize: a size has no value; " + unbound);
  };
  for (Operation *op : distinct) {
    // The size must be known even if no program is needed.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (type.getEncoding()) {
      std::vector<SymVariable> variables;
      addVariables(variables, graph.symbolsOf(Type(type)).variables);
      checkBound(variables);
    }
    if (isValue(op))
      continue;
    // Handles keep all wanted operations alive during replacement.
    if (Buffer memory = findMemory(graph, op, device))
      replaceByBuffer(graph, op, memory);
    else
      results.insert(op);
  }
  if (results.empty())
    return;
  checkThread();
  const llvm::SmallDenseSet<Operation *> asked(results.begin(), results.end());
  const bool areKept = KeptOrigins::areActive();
  addAlongside(graph, device, results);
  if (results.empty())
    return;
  const GraphSlice slice = makeSlice(graph, results.getArrayRef(), device);
  checkBound(slice.variables());
  const CachedProgram cached = findProgram(graph, slice, device);
  std::vector<Buffer> inputs;
  for (Operation *input : slice.inputs())
    inputs.push_back(graph.buffers.at(cast<tg::BufferOp>(input).getId()));
  const std::vector<int64_t> values = valuesFor(cached, slice);
  std::vector<Buffer> outputs = cached.program->run(inputs, values);
  if (Recorder *recorder = Recorder::capturing())
    recorder->addRun(graph, cached.program, getSource(graph, cached, slice),
                     inputs, values, variableNames(cached, slice), outputs);
  inputs.clear();
  ArrayRef<Operation *> computed = slice.results();
  SmallVector<Operation *> unasked;
  for (Operation *op : computed)
    if (!results.contains(op))
      unasked.push_back(op);
  const uint64_t cutBits = graph.beginCut(unasked);
  for (Operation *op : unasked)
    graph.endCut(op, cutBits);
  // Gradients cannot flow to what needs the old contents of memory.
  const SmallVector<Operation *> overwritten = slice.overwritten();
  Endings known;
  for (Operation *op : overwritten)
    known[op] = GraphImpl::Ending::Assigned;
  SmallVector<GraphImpl::Ending> endings;
  for (Operation *op : computed)
    endings.push_back(graph.findEnding(op, known));
  // Keeps all results alive while they are replaced one by one, and what was
  // overwritten.
  std::vector<Tensor> held;
  for (Operation *op : computed)
    held.push_back(graph.wrap(op, &device));
  for (Operation *op : overwritten)
    held.push_back(graph.wrap(op, &device));
  for (std::size_t i = 0; i < computed.size(); ++i)
    replaceByBuffer(graph, computed[i], outputs[i], endings[i],
                    slice.isKept(computed[i]),
                    areKept && asked.contains(computed[i]));
  for (Operation *op : overwritten) {
    graph.endOrigins(op, GraphImpl::Ending::Assigned);
    graph.endObservers(op);
  }
}

/// The device of the first buffer or copy that \p op depends on, if there is
/// one.
static Device *findDevice(Operation *op) {
  SmallVector<Operation *> worklist{op};
  llvm::DenseSet<Operation *> seen{op};
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (auto buffer = dyn_cast<tg::BufferOp>(next))
      return &Device::get(buffer.getDevice());
    if (auto copy = dyn_cast<tg::CopyOp>(next))
      return &Device::get(copy.getDevice());
    for (Value operand : next->getOperands())
      if (seen.insert(operand.getDefiningOp()).second)
        worklist.push_back(operand.getDefiningOp());
  }
  return nullptr;
}

/// Carries out all copies between devices that the tensors depend on, in order.
static void realizeCopies(GraphImpl &graph, ArrayRef<Operation *> wanted,
                          Device &device) {
  if (!graph.hasCopies())
    return;
  for (Operation *op : GraphSlice::backwardSlice(
           wanted, [](Operation *op) { return isa<tg::CopyOp>(op); })) {
    graph.endCut(op, graph.beginCut(op));
    auto copy = cast<tg::CopyOp>(op);
    Device &target = Device::get(copy.getDevice());
    Operation *source = copy.getX().getDefiningOp();
    Buffer memory;
    if (auto constant = dyn_cast<tg::ConstOp>(source)) {
      memory = makeConstant(constant, target);
    } else {
      Device *place = findDevice(source);
      // Keeps it alive while it is replaced.
      Tensor held = graph.wrap(source, place ? place : &target);
      if (!isValue(source))
        graph.endCut(source, graph.beginCut(source));
      realizeSlice(graph, source, place ? *place : target);
      // Does not call buffer(): it may move all operations to another context.
      memory = graph.buffers.at(
          cast<tg::BufferOp>(graph.operation(held.impl())).getId());
      if (&memory.device() != &target)
        memory = copyAcross(memory, target);
    }
    replaceByBuffer(graph, op, memory);
  }
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

namespace {
/// Parameters without memory, in levels: each level depends only on those
/// before.
using ParameterLevels = SmallVector<SmallVector<tg::BufferOp>>;
} // namespace

/// Whether the initial value of \p buffer is overwritten before it is read.
static bool isOverwritten(GraphImpl &graph, tg::BufferOp buffer) {
  return !graph.isHeld(buffer) &&
         llvm::all_of(buffer->getUses(), [](OpOperand &use) {
           return isa<tg::AssignOp>(use.getOwner()) &&
                  use.getOperandNumber() == 0;
         });
}

/// The parameters without memory that \p values depend on.
static ParameterLevels findParameters(GraphImpl &graph,
                                      ArrayRef<Operation *> values) {
  struct Frame {
    Operation *op;
    SmallVector<Operation *, 3> producers;
    unsigned next = 0;
    unsigned level = 0;
  };
  ParameterLevels levels;
  llvm::DenseMap<Operation *, unsigned> levelOf;
  SmallVector<Frame, 0> path;
  auto enter = [&](Operation *op) {
    levelOf[op] = 0;
    Frame frame{op, {}};
    for (Value operand : op->getOperands())
      frame.producers.push_back(operand.getDefiningOp());
    if (auto buffer = dyn_cast<tg::BufferOp>(op))
      if (auto it = graph.initialValues.find(buffer.getId());
          it != graph.initialValues.end() && !isOverwritten(graph, buffer))
        frame.producers.push_back(it->second.handle.op);
    path.push_back(std::move(frame));
  };
  for (Operation *value : values) {
    if (!levelOf.contains(value))
      enter(value);
    while (!path.empty()) {
      Frame &frame = path.back();
      if (frame.next < frame.producers.size()) {
        Operation *producer = frame.producers[frame.next];
        auto it = levelOf.find(producer);
        if (it == levelOf.end()) {
          enter(producer); // visited again after its producer
          continue;
        }
        frame.level = std::max(frame.level, it->second);
        ++frame.next;
        continue;
      }
      if (auto buffer = dyn_cast<tg::BufferOp>(frame.op);
          buffer && graph.initialValues.contains(buffer.getId())) {
        if (levels.size() <= frame.level)
          levels.resize(frame.level + 1);
        levels[frame.level++].push_back(buffer);
      }
      levelOf[frame.op] = frame.level;
      path.pop_back();
    }
  }
  return levels;
}

/// Memory of its own with the computed initial value of a parameter.
static Buffer takeInitialValue(GraphImpl &graph, tg::BufferOp parameter) {
  auto &[handle, device] = graph.initialValues.at(parameter.getId());
  auto type = cast<RankedTensorType>(parameter.getType());
  if (isOverwritten(graph, parameter)) {
    Buffer memory = Buffer::allocate(*device, sizeInBytes(type),
                                     getDType(type.getElementType()));
    if (Recorder *recorder = Recorder::capturing())
      recorder->addConstant(memory);
    return memory;
  }
  if (auto constant = dyn_cast<tg::ConstOp>(handle.op))
    return makeConstant(constant, *device);
  const Buffer &memory =
      graph.buffers.at(cast<tg::BufferOp>(handle.op).getId());
  const bool isOnlyHere = handle.op->use_empty() && !handle.next &&
                          !handle.previous &&
                          BufferObserver::countUsers(memory) == 1;
  return isOnlyHere ? memory : copyMemory(memory, *device);
}

void tinygrad::detail::computeParameters(GraphImpl &graph,
                                         ArrayRef<Operation *> values) {
  if (graph.initialValues.empty())
    return;
  const llvm::SaveAndRestore scope(graph.computesParameters, true);
  for (ArrayRef<tg::BufferOp> level : findParameters(graph, values)) {
    // One program for all parameters on a device.
    llvm::MapVector<Device *, SmallVector<tg::BufferOp>> parametersOn;
    for (tg::BufferOp parameter : level)
      parametersOn[graph.initialValues.at(parameter.getId()).device].push_back(
          parameter);
    for (auto &[device, parameters] : parametersOn) {
      auto compute = [&, &device = device](ArrayRef<tg::BufferOp> list) {
        auto operations = [&] {
          SmallVector<Operation *> ops;
          for (tg::BufferOp parameter : list)
            if (!isOverwritten(graph, parameter))
              ops.push_back(
                  graph.initialValues.at(parameter.getId()).handle.op);
          return ops;
        };
        realizeCopies(graph, operations(), *device);
        realizeSlice(graph, operations(), *device);
      };
      try {
        compute(parameters);
      } catch (const ShapeError &) {
        // Two parameters use different values of one variable.
        if (parameters.size() == 1)
          throw;
        for (tg::BufferOp parameter : parameters)
          compute(parameter);
      }
      for (tg::BufferOp parameter : parameters) {
        const int64_t id = parameter.getId();
        Buffer memory = takeInitialValue(graph, parameter);
        graph.buffers.at(id) = std::move(memory);
        graph.release(graph.initialValues.at(id).handle);
        graph.initialValues.erase(id);
      }
    }
  }
}

static void realizeAll(const std::vector<Tensor> &tensors) {
  std::vector<TensorImpl *> rest;
  for (const Tensor &tensor : tensors) {
    TensorImpl &impl = tensor.impl();
    if (!impl.shards)
      rest.push_back(&impl);
    else
      for (const Tensor &part : impl.shards->parts)
        rest.push_back(&part.impl());
  }
  while (!rest.empty()) {
    GraphImpl &graph = *rest.front()->graph;
    Device &device = *rest.front()->device;
    std::vector<TensorImpl *> group, others;
    for (TensorImpl *impl : rest)
      (impl->graph.get() == &graph && impl->device == &device ? group : others)
          .push_back(impl);
    std::lock_guard<GraphMutex> lock(graph.mutex);
    graph.renewContext();
    auto operations = [&] {
      SmallVector<Operation *> ops;
      for (TensorImpl *impl : group)
        ops.push_back(graph.operation(*impl));
      return ops;
    };
    computeParameters(graph, operations());
    realizeCopies(graph, operations(), device);
    realizeSlice(graph, operations(), device);
    rest = std::move(others);
  }
}

bool tinygrad::detail::needsProgram(GraphImpl &graph, Operation *op,
                                    Device &device) {
  return !isValue(op) && !findMemory(graph, op, device);
}

void tinygrad::realize(const std::vector<Tensor> &tensors,
                       std::source_location where) {
  const CallSite site(where.file_name(), where.line());
  if (hasRewriteScope())
    rewriteAndRealize(tensors, [&] { realizeAll(tensors); });
  else
    realizeAll(tensors);
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

bool Tensor::isRealized() const {
  TensorImpl &tensor = impl();
  if (tensor.shards)
    return llvm::all_of(tensor.shards->parts,
                        [](const Tensor &part) { return part.isRealized(); });
  std::lock_guard<GraphMutex> lock(tensor.graph->mutex);
  auto buffer = dyn_cast<tg::BufferOp>(tensor.graph->operation(tensor));
  return buffer && !tensor.graph->initialValues.contains(buffer.getId());
}

void Tensor::realizeAlong() const {
  TensorImpl &tensor = impl();
  if (tensor.shards) {
    for (const Tensor &part : tensor.shards->parts)
      part.realizeAlong();
    return;
  }
  std::lock_guard<GraphMutex> lock(tensor.graph->mutex);
  auto &list = tensor.graph->alongside;
  llvm::erase_if(list, [&](const std::weak_ptr<TensorImpl> &other) {
    return other.expired() || other.lock() == impl_;
  });
  if (!isValue(tensor.graph->operation(tensor)))
    list.push_back(impl_);
}

Buffer Tensor::buffer(std::source_location where) const {
  const CallSite site(where.file_name(), where.line());
  TensorImpl &tensor = impl();
  GraphImpl &graph = *tensor.graph;
  if (tensor.shards) {
    realize(std::source_location());
    return shards::gather(*this, *tensor.device).buffer(std::source_location());
  }
  if (hasRewriteScope()) // which calls the program's function without the lock
    realize(std::source_location());
  // Another thread may assign to the root of this view.
  std::lock_guard<GraphMutex> lock(graph.mutex);
  Recorder::checkHostRead("buffer");
  realize(std::source_location());
  if (auto constant = dyn_cast<tg::ConstOp>(graph.operation(tensor))) {
    // Only this tensor is moved to memory; others still fold the constant.
    Operation *memory =
        graph.createBuffer(makeConstant(constant, *tensor.device),
                           llvm::cast<RankedTensorType>(constant.getType()));
    if (tensor.storage && !tensor.movement)
      tensor.storage->assign(memory);
    else
      graph.rebind(tensor, memory);
  }
  return graph.buffers.at(
      llvm::cast<tg::BufferOp>(graph.operation(tensor)).getId());
}

Tensor &Tensor::replace(const Tensor &value) {
  TensorImpl &target = impl(), &source = value.impl();
  if (target.graph != source.graph)
    throw Error("replace: the tensors are of different graphs");
  if (&target == &source)
    return *this;
  std::lock_guard<GraphMutex> lock(target.graph->mutex);
  if (Recorder *recorder = Recorder::current())
    recorder->replaced(target);
  if (target.shards || source.shards) {
    shards::replace(*this, value);
    return *this;
  }
  Storage::leave(target);
  target.graph->rebind(target, target.graph->operation(source));
  target.dtype = source.dtype;
  target.shape = source.shape;
  target.device = source.device;
  if (source.storage && !source.storage->isRoot(source))
    Storage::add(source.storage, target, source.movement);
  return *this;
}

std::string Tensor::graph() const {
  TensorImpl &tensor = impl();
  std::lock_guard<GraphMutex> lock(tensor.graph->mutex);
  OwningOpRef<ModuleOp> module =
      GraphSlice(*tensor.graph, tensor.graph->operation(tensor))
          .clone(tensor.graph->location, {}, /*keepsGradientMarks=*/true);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}
