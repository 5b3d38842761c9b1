//===- Recorder.cpp - records what a step does ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors from before the step become states; memory is identified by its
/// address, since a reference to it would change which assignments are done in
/// place.
///
//===----------------------------------------------------------------------===//

#include "Recorder.h"
#include "Aliasing.h"
#include "GraphImpl.h"
#include "Shards.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/Profile.h"

#include <atomic>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

static uint64_t nextEpoch() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

/// Whether all sizes have values.
static bool isComputable(const TensorImpl &tensor) {
  return llvm::all_of(tensor.shape,
                      [](const SymInt &size) { return size.hasValue(); });
}

Recorder::Recorder(Mode mode, std::shared_ptr<GraphImpl> graph,
                   const std::vector<Tensor> &arguments)
    : mode(mode), epoch(nextEpoch()), graph(std::move(graph)),
      step(std::make_unique<CapturedStep>()) {
  std::lock_guard<GraphMutex> lock(this->graph->mutex);
  if (active || this->graph->recorder)
    throw Error("jit: another thread runs a step for the first time on the "
                "same graph; give each thread a graph of its own");
  step->graph = this->graph;
  step->arguments.resize(arguments.size());
  for (const Tensor &argument : arguments) {
    TensorImpl &tensor = argument.impl();
    const auto number = uint32_t(argumentTensors.size());
    argumentTensors.push_back(tensor.shared_from_this());
    argumentGradients.push_back(tensor.grad);
    argumentOf[&tensor] = number;
    seen.insert(&tensor);
    CapturedSlot slot;
    slot.kind = CapturedSlot::Kind::Argument;
    slot.index = number;
    addSlot(memoryOf(*this->graph, tensor), slot);
  }
  firstCounters = this->graph->randomCounters;
  this->graph->recorder = this;
  active = this;
}

Recorder::~Recorder() { stop(); }

void Recorder::stop() {
  if (!isActive)
    return;
  std::lock_guard<GraphMutex> lock(graph->mutex);
  active = nullptr;
  graph->recorder = nullptr;
  isActive = false;
  graph->endOriginsOf(epoch);
}

void Recorder::throwHostRead(const char *method) {
  const char *outer = MethodScope::name();
  std::string where = CallSite::describe();
  if (!where.empty())
    where = " at " + where;
  throw Error("jit: " + std::string(outer ? outer : method) + where +
              " reads values on the host, which a captured step cannot do: "
              "return the tensor instead, or compute with tensors");
}

void Recorder::throwSizeRead(const SymInt &size) {
  throw Error("jit: the size " + size.str() +
              " is read as a number, which a captured step would keep; compute "
              "with the size itself");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void Recorder::made(TensorImpl &tensor) {
  if (tensor.graph != graph)
    return;
  tensor.epoch = epoch;
  alive.insert(&tensor);
}

void Recorder::useFromBefore(TensorImpl &tensor) {
  if (!seen.insert(&tensor).second)
    return;
  if (tensor.graph != graph) {
    usesOtherGraph = true;
    return;
  }
  std::lock_guard<GraphMutex> lock(graph->mutex);
  if (!tensor.storage || tensor.storage->isRoot(tensor)) {
    addState(tensor.shared_from_this(), /*isRevived=*/false);
    return;
  }
  // A view is read through the memory of its root, also where it has memory of
  // its own, or is still an operation on what it was assigned.
  if (tensor.op)
    tensor.storage->detach(tensor);
  const bool hasRoot = tensor.storage->hasRoot();
  std::shared_ptr<TensorImpl> root =
      Storage::getOrMakeRoot(tensor.storage, *tensor.device);
  if (!root) { // another thread is destroying it
    isIncomplete = true;
    return;
  }
  if (!hasRoot) {
    alive.erase(root.get());
    root->epoch = 0;
  }
  if (seen.insert(root.get()).second)
    addState(root, !hasRoot);
  // A replay may be given another argument, but uses this tensor.
  isIncomplete |= argumentOf.contains(root.get());
  if (auto it = stateOf.find(root.get()); it != stateOf.end())
    step->states[it->second].views.push_back(tensor.weak_from_this());
}

void Recorder::addState(std::shared_ptr<TensorImpl> root, bool isRevived) {
  // Only facts about such a tensor can be of use.
  if (!isComputable(*root))
    return;
  const auto number = uint32_t(step->states.size());
  CapturedState state;
  state.tensor = std::move(root);
  TensorImpl &tensor = *state.tensor;
  state.dtype = tensor.dtype;
  state.shape = tensor.shape;
  state.device = tensor.device;
  state.isRevived = isRevived;
  stateOf[&tensor] = number;
  step->states.push_back(std::move(state));
  stateGradients.push_back(tensor.grad);
  if (mode == Mode::Watch)
    return;
  if (!hasMemory(*graph, tensor)) {
    isIncomplete = true;
    return;
  }
  const Buffer &memory = memoryOf(*graph, tensor);
  if (std::optional<MemoryPart> part = find(memory)) {
    const CapturedSlot::Kind kind = step->slots[part->slot].kind;
    // Two tensors that share memory now need not do so in a replay.
    if (kind == CapturedSlot::Kind::Argument ||
        kind == CapturedSlot::Kind::State)
      isIncomplete = true;
  }
  CapturedSlot slot;
  slot.kind = CapturedSlot::Kind::State;
  slot.index = number;
  addSlot(memory, slot);
}

void Recorder::assigned(TensorImpl &tensor) {
  if (tensor.storage)
    for (const std::shared_ptr<TensorImpl> &argument : argumentTensors)
      if (argument->movement && argument->storage == tensor.storage)
        throw Error("jit: an argument of " + describe(Tensor(argument)) +
                    " is a view of a tensor that the step assigns to; pass the "
                    "whole tensor, and take the view inside");
  use(tensor);
  if (tensor.storage && tensor.epoch == epoch &&
      !tensor.storage->isRoot(tensor)) {
    // A view made inside, of a tensor from before.
    std::shared_ptr<TensorImpl> root =
        Storage::getOrMakeRoot(tensor.storage, *tensor.device);
    if (root)
      use(*root);
  }
}

void Recorder::replaced(TensorImpl &tensor) {
  if (tensor.epoch != epoch && tensor.movement)
    throw Error("jit: replace() of a view of " +
                describe(Tensor(tensor.weak_from_this().lock())) +
                " that was made before the step; use assign()");
}

std::vector<std::shared_ptr<TensorImpl>> Recorder::usedTensors() const {
  std::vector<std::shared_ptr<TensorImpl>> tensors;
  for (const CapturedState &state : step->states)
    tensors.push_back(state.tensor);
  return tensors;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint32_t Recorder::addSlot(const Buffer &memory, CapturedSlot slot) {
  const auto number = uint32_t(step->slots.size());
  step->slots.push_back(std::move(slot));
  if (memory.size() != 0)
    known.push_back({&memory.device(),
                     static_cast<const char *>(memory.address()), memory.size(),
                     number});
  return number;
}

uint32_t Recorder::addNew(const Buffer &memory, CapturedSlot::Kind kind) {
  const char *begin = static_cast<const char *>(memory.address());
  std::erase_if(known, [&](const Region &region) {
    return region.device == &memory.device() &&
           region.begin < begin + memory.size() &&
           begin < region.begin + region.bytes;
  });
  CapturedSlot slot;
  slot.kind = kind;
  if (kind == CapturedSlot::Kind::Frozen)
    slot.memory = memory;
  return addSlot(memory, std::move(slot));
}

std::optional<MemoryPart> Recorder::find(const Buffer &memory) const {
  if (memory.size() == 0)
    return std::nullopt;
  const char *begin = static_cast<const char *>(memory.address());
  std::optional<MemoryPart> best;
  auto rank = [&](uint32_t slot) {
    switch (step->slots[slot].kind) {
    case CapturedSlot::Kind::Argument:
      return 0;
    case CapturedSlot::Kind::State:
      return 1;
    default:
      return 2;
    }
  };
  for (const Region &region : known)
    if (region.device == &memory.device() && region.begin <= begin &&
        begin + memory.size() <= region.begin + region.bytes &&
        (!best || rank(region.slot) < rank(best->slot)))
      best = MemoryPart{region.slot, std::size_t(begin - region.begin),
                        memory.size(), memory.dtype()};
  return best;
}

MemoryPart Recorder::partOf(const Buffer &memory) {
  if (std::optional<MemoryPart> part = find(memory))
    return *part;
  // Memory of no bytes may come from anywhere.
  isIncomplete |= memory.size() != 0;
  const uint32_t slot = addNew(memory, CapturedSlot::Kind::Frozen);
  return {slot, 0, memory.size(), memory.dtype()};
}

MemoryPart Recorder::useMemory(const Buffer &memory, bool isWritten) {
  const MemoryPart part = partOf(memory);
  const CapturedSlot &slot = step->slots[part.slot];
  switch (slot.kind) {
  case CapturedSlot::Kind::Argument:
    step->arguments[slot.index].isWritten |= isWritten;
    break;
  case CapturedSlot::Kind::State:
    step->states[slot.index].isRead = true;
    step->states[slot.index].isWritten |= isWritten;
    break;
  case CapturedSlot::Kind::Frozen:
  case CapturedSlot::Kind::RandomKey:
    // Assignments are not done in place if there are other references.
    isIncomplete |= isWritten;
    break;
  case CapturedSlot::Kind::Computed:
    break;
  }
  return part;
}

void Recorder::addFrozen(const Buffer &memory) {
  if (mode == Mode::Capture)
    addNew(memory, CapturedSlot::Kind::Frozen);
}

void Recorder::markRandom(const Buffer &memory, uint64_t key,
                          uint64_t counter) {
  if (mode != Mode::Capture)
    return;
  CapturedSlot &slot = step->slots[partOf(memory).slot];
  slot.kind = CapturedSlot::Kind::RandomKey;
  slot.isAbsolute = step->seed.has_value();
  slot.value =
      slot.isAbsolute ? key : counter - firstCounters.countOf(memory.device());
}

void Recorder::seeded(uint64_t seed) { step->seed = seed; }

//===----------------------------------------------------------------------===//
// Actions
//===----------------------------------------------------------------------===//

/// Whether the values of variables determine where an output is in other
/// memory.
static bool hasSymbolicPlace(const LaunchList &list, uint32_t slot) {
  while (list.slots[slot].kind == Slot::Kind::View) {
    if (!list.slots[slot].symbolicOffset.isConstant())
      return true;
    slot = list.slots[slot].base;
  }
  return false;
}

void Recorder::addOutputs(CapturedAction &action,
                          const std::vector<Buffer> &inputs,
                          const std::vector<Buffer> &outputs) {
  const LaunchList &list = action.program->list();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Buffer &output = outputs[i];
    if (hasSymbolicPlace(list, list.outputs[i]))
      continue;
    auto isOutput = [&](const Buffer &other) {
      return other.sharesMemoryWith(output);
    };
    // An input that was written, or a view of one.
    if (std::any_of(inputs.begin(), inputs.end(), isOutput))
      continue;
    // Memory of an earlier result.
    const auto last = outputs.begin() + std::ptrdiff_t(i);
    if (std::any_of(outputs.begin(), last, isOutput)) {
      if (find(output))
        continue;
      CapturedSlot slot;
      slot.kind = CapturedSlot::Kind::Computed;
      action.computed.emplace_back(i, addSlot(output, slot));
      continue;
    }
    action.computed.emplace_back(i,
                                 addNew(output, CapturedSlot::Kind::Computed));
  }
}

void Recorder::addRun(GraphImpl &runGraph,
                      std::shared_ptr<CompiledProgram> program,
                      std::string source, const std::vector<Buffer> &inputs,
                      const std::vector<int64_t> &values,
                      const std::vector<std::string> &names,
                      std::vector<Buffer> &outputs) {
  if (&runGraph != graph.get()) {
    usesOtherGraph = true;
    return;
  }
  const LaunchList &list = program->list();
  CapturedAction action;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    action.inputs.push_back(
        useMemory(inputs[i], list.slots[list.inputs[i]].isWritten));
  action.program = std::move(program);
  action.source = std::move(source);
  action.values = values;
  action.names = names;
  addOutputs(action, inputs, outputs);
  step->actions.push_back(std::move(action));
  const std::size_t run = step->actions.size() - 1;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (hasSymbolicPlace(list, list.outputs[i]))
      outputs[i] = addCopyOfOutput(run, uint32_t(i), outputs[i]);
}

Buffer Recorder::addCopyOfOutput(std::size_t run, uint32_t index,
                                 const Buffer &output) {
  // No region: the address is also that of a part of other memory, which is
  // somewhere else than the output in a replay.
  const auto slot = uint32_t(step->slots.size());
  step->slots.emplace_back().kind = CapturedSlot::Kind::Computed;
  step->actions[run].computed.emplace_back(index, slot);
  Buffer copy = output.copyTo(output.device());
  CapturedAction action;
  action.inputs.push_back({slot, 0, output.size(), output.dtype()});
  action.target = &output.device();
  action.computed.emplace_back(0, addNew(copy, CapturedSlot::Kind::Computed));
  step->actions.push_back(std::move(action));
  return copy;
}

void Recorder::addCopy(const Buffer &source, const Buffer &target) {
  CapturedAction action;
  action.inputs.push_back(useMemory(source, /*isWritten=*/false));
  action.target = &target.device();
  action.computed.emplace_back(0, addNew(target, CapturedSlot::Kind::Computed));
  step->actions.push_back(std::move(action));
}

void Recorder::addConstant(const Buffer &memory) {
  // The step may write to the memory itself.
  const Buffer contents = memory.copyTo(memory.device());
  addNew(contents, CapturedSlot::Kind::Frozen);
  addCopy(contents, memory);
}

//===----------------------------------------------------------------------===//
// The end of the step
//===----------------------------------------------------------------------===//

CapturedValue Recorder::valueOf(TensorImpl &tensor) {
  CapturedValue value;
  value.dtype = tensor.dtype;
  value.shape = tensor.shape;
  value.device = tensor.device;
  Operation *op = graph->operation(tensor);
  if (isa<tg::ConstOp>(op)) {
    value.kind = CapturedValue::Kind::Constant;
    value.constant = graph->wrap(op, tensor.device);
    return value;
  }
  const Buffer &memory = memoryOf(*graph, tensor);
  if (std::optional<MemoryPart> part = find(memory)) {
    value.part = *part;
    return value;
  }
  // No action needs it, so that it is not a mistake that it is not known.
  value.part = {addNew(memory, CapturedSlot::Kind::Frozen), 0, memory.size(),
                memory.dtype()};
  return value;
}

/// A copy of a state has the state's memory until one of them is written to.
static void markRead(CapturedStep &step, const CapturedValue &value) {
  if (value.kind != CapturedValue::Kind::Memory)
    return;
  const CapturedSlot &slot = step.slots[value.part.slot];
  if (slot.kind == CapturedSlot::Kind::State)
    step.states[slot.index].isRead = true;
}

CapturedValue Recorder::findValue(TensorImpl &tensor) {
  CapturedValue value;
  if (auto it = argumentOf.find(&tensor); it != argumentOf.end()) {
    value.kind = CapturedValue::Kind::Argument;
    value.index = it->second;
    return value;
  }
  if (auto it = stateOf.find(&tensor); it != stateOf.end()) {
    value.kind = CapturedValue::Kind::State;
    value.index = it->second;
    return value;
  }
  value = valueOf(tensor);
  markRead(*step, value);
  return value;
}

TensorImpl *Recorder::compareGradients(const CapturedOwner &owner,
                                       TensorImpl &tensor,
                                       const Tensor &before) {
  auto get = [](const Tensor &gradient) {
    return gradient.defined() ? &gradient.impl() : nullptr;
  };
  TensorImpl *old = get(before), *now = get(tensor.grad);
  if (old == now)
    return nullptr;
  CapturedGradient gradient;
  gradient.owner = owner;
  gradient.hadGradient = old;
  gradient.isAdded = now && !withSetGradient.contains(&tensor);
  if (now)
    gradient.after = findValue(*now);
  step->gradients.push_back(std::move(gradient));
  if (auto it = stateOf.find(old); it != stateOf.end())
    step->states[it->second].gradientOf = owner;
  return now;
}

void Recorder::checkDestroyed() const {
  for (const CapturedState &state : step->states)
    if (!state.gradientOf && state.isDestroyed())
      throw Error("jit: the step read a tensor of " +
                  describe(Tensor(state.tensor)) +
                  " that was destroyed before its end, so that a replay would "
                  "read the old values. Change such a tensor with assign() "
                  "instead of making the variable refer to another one");
}

void Recorder::optimizerStepped(const std::vector<Tensor> &parameters) {
  hasOptimizerStep = true;
  for (const Tensor &parameter : parameters) {
    optimized.insert(&parameter.impl());
    if (const auto &shards = parameter.impl().shards)
      for (const Tensor &part : shards->parts)
        optimized.insert(&part.impl());
  }
}

void Recorder::endUnaskedGradients() {
  for (const auto &[address, unasked] : std::exchange(withUnaskedGradient, {}))
    if (const std::shared_ptr<TensorImpl> tensor = unasked.lock();
        tensor && !tensor->requiresGrad && !optimized.contains(address))
      Tensor(tensor).setGrad({});
}

std::unique_ptr<CapturedStep>
Recorder::finish(const std::vector<Tensor> &results) {
  std::lock_guard<GraphMutex> lock(graph->mutex);
  if (hasOptimizerStep)
    endUnaskedGradients();
  std::vector<std::shared_ptr<TensorImpl>> escaped;
  {
    std::vector<Tensor> all = results;
    for (const std::shared_ptr<TensorImpl> &argument : argumentTensors)
      all.emplace_back(argument);
    for (const CapturedState &state : step->states)
      all.emplace_back(state.tensor);
    for (TensorImpl *tensor : alive)
      if (std::shared_ptr<TensorImpl> owner = tensor->weak_from_this().lock();
          owner && !tensor->selection && isComputable(*tensor))
        escaped.push_back(std::move(owner));
    // In an order that does not depend on addresses. Computes the operations of
    // views, which makes tensors.
    llvm::sort(escaped, [&](const auto &a, const auto &b) {
      Operation *first = graph->operation(*a), *second = graph->operation(*b);
      return first != second && first->isBeforeInBlock(second);
    });
    for (const std::shared_ptr<TensorImpl> &tensor : escaped)
      all.emplace_back(tensor);
    tinygrad::realize(all, std::source_location());
  }
  stop();
  if (usesOtherGraph)
    throw Error("jit: the step uses tensors of two graphs");
  if (mode == Mode::Watch || isIncomplete)
    return nullptr;
  std::unordered_set<TensorImpl *> gradients;
  for (uint32_t i = 0; i < argumentTensors.size(); ++i)
    gradients.insert(
        compareGradients({true, i}, *argumentTensors[i], argumentGradients[i]));
  for (uint32_t i = 0; i < step->states.size(); ++i)
    gradients.insert(compareGradients({false, i}, *step->states[i].tensor,
                                      stateGradients[i]));
  checkDestroyed();
  for (std::size_t i = 0; i < argumentTensors.size(); ++i) {
    CapturedValue value = valueOf(*argumentTensors[i]);
    const CapturedSlot &slot = step->slots[value.part.slot];
    if (value.kind != CapturedValue::Kind::Memory ||
        slot.kind != CapturedSlot::Kind::Argument || slot.index != i) {
      markRead(*step, value);
      step->arguments[i].after = std::move(value);
    }
  }
  for (std::size_t i = 0; i < step->states.size(); ++i) {
    CapturedState &state = step->states[i];
    CapturedValue value = valueOf(*state.tensor);
    const CapturedSlot &slot = step->slots[value.part.slot];
    if (value.kind != CapturedValue::Kind::Memory ||
        slot.kind != CapturedSlot::Kind::State || slot.index != i) {
      markRead(*step, value);
      state.after = std::move(value);
    }
  }
  for (const Tensor &result : results)
    step->results.push_back(findValue(result.impl()));
  for (std::shared_ptr<TensorImpl> &tensor : escaped) {
    // A replay gives its owner another tensor, as a call would.
    if (gradients.contains(tensor.get()))
      continue;
    if (CapturedValue value = valueOf(*tensor);
        value.kind == CapturedValue::Kind::Memory) {
      markRead(*step, value);
      step->escaped.emplace_back(std::move(tensor), std::move(value));
    }
  }
  for (RandomCounters::Entry entry : graph->randomCounters.entries) {
    if (!step->seed)
      entry.count -= firstCounters.countOf(*entry.device);
    if (step->seed || entry.count != 0)
      step->numRandom.push_back(entry);
  }
  return std::move(step);
}
