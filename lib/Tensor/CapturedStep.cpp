//===- CapturedStep.cpp - replay of a recorded step -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A replay looks up the memory that arguments and states have now, runs the
/// actions, and moves tensors to the memory of their new values.
///
//===----------------------------------------------------------------------===//

#include "CapturedStep.h"
#include "Aliasing.h"
#include "GraphImpl.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"
#include "TinyGrad/Runtime/BufferObserver.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Interrupt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

//===----------------------------------------------------------------------===//
// Memory of tensors
//===----------------------------------------------------------------------===//

bool tinygrad::detail::hasMemory(GraphImpl &graph, TensorImpl &tensor) {
  auto buffer = dyn_cast<tg::BufferOp>(graph.operation(tensor));
  return buffer && (graph.initialValues.empty() ||
                    !graph.initialValues.contains(buffer.getId()));
}

const Buffer &tinygrad::detail::memoryOf(GraphImpl &graph, TensorImpl &tensor) {
  return graph.buffers
      .find(cast<tg::BufferOp>(graph.operation(tensor)).getId())
      ->second;
}

/// Makes \p op the value of a tensor that is not a view.
static void setOperation(GraphImpl &graph, TensorImpl &tensor, Operation *op) {
  if (tensor.storage)
    tensor.storage->assign(op);
  else
    graph.rebind(tensor, op);
}

void tinygrad::detail::moveToOwnMemory(GraphImpl &graph, TensorImpl &tensor) {
  Operation *old = graph.operation(tensor);
  Buffer copy = memoryOf(graph, tensor).copyTo(*tensor.device);
  setOperation(graph, tensor,
               graph.createBuffer(
                   copy, cast<RankedTensorType>(old->getResult(0).getType())));
}

/// Whether anything but \p tensor and its views needs the contents of its
/// memory.
static bool isShared(GraphImpl &graph, TensorImpl &tensor) {
  Operation *op = graph.operation(tensor);
  if (BufferObserver::countUsers(memoryOf(graph, tensor)) != 1)
    return true;
  llvm::DenseMap<Operation *, bool> isUsed;
  for (Operation *user : op->getUsers())
    if ((graph.origins.empty() && graph.numObservers == 0) ||
        graph.isUsed(user, isUsed))
      return true;
  for (Handle *handle = graph.node(op).firstHandle; handle;
       handle = handle->next)
    if (handle != &tensor && !handle->keepsOnly() &&
        (!handle->pinnedBy || handle->pinnedBy != tensor.storage.get()))
      return true;
  return false;
}

bool CapturedState::isDestroyed() const {
  return isRead && !isRevived && tensor.use_count() == 1 &&
         llvm::all_of(views, [](const std::weak_ptr<TensorImpl> &view) {
           return view.expired();
         });
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

void CapturedStep::prepare(std::vector<CapturedVariable> argumentVariables) {
  variables = std::move(argumentVariables);
  std::vector<uint32_t> lastUse(slots.size(), 0);
  std::vector<bool> isKept(slots.size(), false);
  for (uint32_t i = 0; i < actions.size(); ++i) {
    CapturedAction &action = actions[i];
    for (const MemoryPart &input : action.inputs)
      lastUse[input.slot] = i;
    for (auto [output, slot] : action.computed)
      lastUse[slot] = i;
    for (uint32_t value = 0; value < action.names.size(); ++value)
      for (uint32_t variable = 0; variable < variables.size(); ++variable)
        if (variables[variable].name == action.names[value] &&
            variables[variable].value == action.values[value])
          action.variables.emplace_back(value, variable);
    action.names.clear();
  }
  auto keep = [&](const CapturedValue &value) {
    if (value.kind == CapturedValue::Kind::Memory)
      isKept[value.part.slot] = true;
  };
  for (const CapturedArgument &argument : arguments)
    if (argument.after)
      keep(*argument.after);
  for (const CapturedState &state : states)
    if (state.after)
      keep(*state.after);
  for (const CapturedValue &result : results)
    keep(result);
  for (const auto &[tensor, value] : escaped)
    keep(value);
  for (const CapturedGradient &gradient : gradients)
    if (gradient.after)
      keep(*gradient.after);
  for (uint32_t i = 0; i < slots.size(); ++i)
    if (slots[i].kind == CapturedSlot::Kind::Computed && !isKept[i])
      actions[lastUse[i]].lastUsed.push_back(i);
  memory.resize(slots.size());
  for (CapturedSlot &slot : slots)
    if (slot.kind == CapturedSlot::Kind::Frozen)
      memory[std::size_t(&slot - slots.data())] = slot.memory;
}

//===----------------------------------------------------------------------===//
// Before the replay
//===----------------------------------------------------------------------===//

TensorImpl &
CapturedStep::findOwner(const CapturedOwner &owner,
                        const std::vector<TensorImpl *> &given) const {
  return owner.isArgument ? *given[owner.index] : *states[owner.index].tensor;
}

std::vector<TensorImpl *>
CapturedStep::findGradients(const std::vector<TensorImpl *> &given) {
  for (const CapturedGradient &gradient : gradients) {
    TensorImpl &owner = findOwner(gradient.owner, given);
    if (gradient.isAdded && !gradient.hadGradient && owner.grad.defined())
      throw Error("jit: a tensor of " +
                  describe(Tensor(owner.shared_from_this())) +
                  " has a gradient, to which the step would add, but had none "
                  "when the step was captured; remove it before, or inside");
  }
  std::vector<TensorImpl *> made;
  for (CapturedState &state : states) {
    if (!state.gradientOf)
      continue;
    TensorImpl &owner = findOwner(*state.gradientOf, given);
    if (!owner.grad.defined()) {
      owner.grad = Tensor(owner.shared_from_this()).zerosLike();
      made.push_back(&owner);
    }
    state.tensor = owner.grad.impl().shared_from_this();
  }
  return made;
}

void CapturedStep::checkStates(const std::vector<int64_t> &values) {
  std::vector<Tensor> missing;
  for (CapturedState &state : states) {
    if (!state.isRead && !state.isWritten && !state.after)
      continue;
    TensorImpl &tensor = *state.tensor;
    if (state.isDestroyed())
      throw Error(
          "jit: a tensor of " + describe(Tensor(state.tensor)) +
          " that the captured step reads was destroyed, or its variable "
          "refers to another tensor now; call reset() to capture the "
          "step again");
    if (tensor.dtype != state.dtype)
      throw DTypeError(std::string("jit: a tensor that the step uses is ") +
                       name(tensor.dtype) + ", but was " + name(state.dtype) +
                       " when the step was captured");
    if (tensor.shape != state.shape)
      throw ShapeError("jit: a tensor that the step uses has the shape " +
                       toString(tensor.shape) + ", but had " +
                       toString(state.shape) + " when the step was captured");
    if (tensor.device != state.device)
      throw DeviceError("jit: a tensor that the step uses is on " +
                        tensor.device->name() + ", but was on " +
                        state.device->name() + " when the step was captured");
    if (!variables.empty() && isSymbolic(tensor.shape))
      for (const SymInt &size : tensor.shape)
        for (const SymVariable &variable : size.variables())
          for (std::size_t i = 0; i < variables.size(); ++i)
            if (variables[i].name == variable.name &&
                variable.value != values[i])
              throw ShapeError("jit: variable " + variable.name +
                               " is bound to " + std::to_string(values[i]) +
                               " in the arguments, but to " +
                               (variable.value ? std::to_string(*variable.value)
                                               : "nothing") +
                               " in a tensor that the step uses");
    if (!hasMemory(*graph, tensor))
      missing.emplace_back(state.tensor);
  }
  if (missing.empty())
    return;
  tinygrad::realize(missing, std::source_location());
  for (const Tensor &tensor : missing)
    (void)tensor.buffer(); // a constant
}

std::vector<Operation *>
CapturedStep::makeWritable(const std::vector<TensorImpl *> &given) {
  std::vector<Operation *> overwritten;
  auto prepareOne = [&](TensorImpl &tensor) {
    if (tensor.storage) {
      // Views are derived from the new contents.
      tensor.storage->assign(graph->operation(tensor));
    }
    if (isShared(*graph, tensor))
      moveToOwnMemory(*graph, tensor);
    else
      overwritten.push_back(graph->operation(tensor));
  };
  auto checkViews = [&](const TensorImpl &tensor) {
    if (!tensor.storage)
      return;
    for (const TensorImpl *argument : given)
      if (argument->movement && argument->storage == tensor.storage)
        throw Error("jit: an argument of " + toString(argument->shape) + " " +
                    name(argument->dtype) +
                    " is a view of a tensor that the step assigns to; pass the "
                    "whole tensor, and take the view inside");
  };
  auto isChanged = [](const auto &tensor) {
    return tensor.isWritten || tensor.after;
  };
  for (const CapturedState &state : states) {
    for (std::size_t i = 0; i < given.size(); ++i)
      if (given[i] == state.tensor.get() &&
          (isChanged(state) || isChanged(arguments[i])))
        throw Error("jit: argument " + arguments[i].name +
                    " is a tensor that the step also uses by itself, and "
                    "assigns to; pass a copy of it, by parameter(false)");
    if (isChanged(state))
      checkViews(*state.tensor);
  }
  for (std::size_t i = 0; i < given.size(); ++i)
    if (isChanged(arguments[i]))
      checkViews(*given[i]);
  for (const CapturedState &state : states)
    if (state.isWritten)
      prepareOne(*state.tensor);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (arguments[i].isWritten)
      prepareOne(*given[i]);
  return overwritten;
}

void CapturedStep::fillRandom(CapturedSlot &slot, uint32_t number) {
  uint64_t value = slot.value;
  if (!slot.isAbsolute) {
    Device &device = slot.memory.device();
    RandomCounters &counters = graph->randomCounters;
    value = counters.keyOf(device, graph->seed, counters.of(device) + value);
  }
  if (slot.current != value) {
    slot.memory.copyIn(&value, sizeof(value));
    slot.current = value;
  }
  memory[number] = slot.memory;
}

void CapturedStep::fillSlots(const std::vector<TensorImpl *> &given) {
  for (uint32_t i = 0; i < slots.size(); ++i) {
    CapturedSlot &slot = slots[i];
    switch (slot.kind) {
    case CapturedSlot::Kind::Argument:
      memory[i] = detail::memoryOf(*graph, *given[slot.index]);
      break;
    case CapturedSlot::Kind::State: {
      const CapturedState &state = states[slot.index];
      if (state.isRead || state.isWritten || state.after)
        memory[i] = detail::memoryOf(*graph, *state.tensor);
      break;
    }
    case CapturedSlot::Kind::RandomKey:
      fillRandom(slot, i);
      break;
    case CapturedSlot::Kind::Frozen:
    case CapturedSlot::Kind::Computed:
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// The replay
//===----------------------------------------------------------------------===//

Buffer CapturedStep::memoryOf(const MemoryPart &part) const {
  const Buffer &whole = memory[part.slot];
  if (part.offset == 0 && part.bytes == whole.size() &&
      part.dtype == whole.dtype())
    return whole;
  return whole.view(part.offset, part.bytes, part.dtype);
}

void CapturedStep::run(const CapturedAction &action,
                       const std::vector<int64_t> &values) {
  if (!action.program) {
    Buffer source = memoryOf(action.inputs.front());
    if (&source.device() != action.target)
      ++GlobalCounters::kernelCount;
    memory[action.computed.front().second] = source.copyTo(*action.target);
  } else {
    inputs.clear();
    for (const MemoryPart &input : action.inputs)
      inputs.push_back(memoryOf(input));
    std::vector<Buffer> outputs;
    if (action.variables.empty()) {
      outputs = action.program->run(inputs, action.values);
    } else {
      std::vector<int64_t> own = action.values;
      for (auto [value, variable] : action.variables)
        own[value] = values[variable];
      outputs = action.program->run(inputs, own);
    }
    for (auto [output, slot] : action.computed)
      memory[slot] = std::move(outputs[output]);
  }
  inputs.clear();
  for (uint32_t slot : action.lastUsed)
    memory[slot] = Buffer();
}

Shape CapturedStep::shapeFor(const CapturedValue &value,
                             const std::vector<int64_t> &values) const {
  if (variables.empty() || !isSymbolic(value.shape))
    return value.shape;
  Shape shape;
  for (const SymInt &size : value.shape)
    shape.push_back(size.isSymbolic()
                        ? withValues(size.expression(),
                                     [&](const std::string &name) {
                                       std::optional<int64_t> found;
                                       for (std::size_t i = 0;
                                            i < variables.size(); ++i)
                                         if (variables[i].name == name)
                                           found = values[i];
                                       return found;
                                     })
                        : size);
  return shape;
}

Operation *CapturedStep::operationFor(const CapturedValue &value,
                                      const std::vector<int64_t> &values) {
  const auto type = graph->tensorType(value.dtype, shapeFor(value, values));
  if (value.kind != CapturedValue::Kind::Constant)
    return graph->createBuffer(memoryOf(value.part), type);
  Operation *op = graph->operation(value.constant.impl());
  if (op->getResult(0).getType() == type)
    return op;
  return graph->constant(type, cast<tg::ConstOp>(op).getValue());
}

void CapturedStep::updateTensor(TensorImpl &tensor, const CapturedValue &value,
                                const std::vector<int64_t> &values) {
  const Shape shape = shapeFor(value, values);
  Operation *op = operationFor(value, values);
  // A view that the step made, or a tensor that it replaced.
  if (tensor.movement || tensor.dtype != value.dtype || tensor.shape != shape)
    Storage::leave(tensor);
  setOperation(*graph, tensor, op);
  tensor.dtype = value.dtype;
  tensor.shape = shape;
  tensor.device = value.device;
}

Tensor CapturedStep::makeResult(const CapturedValue &value,
                                const std::vector<TensorImpl *> &given,
                                const std::vector<int64_t> &values) {
  switch (value.kind) {
  case CapturedValue::Kind::Argument:
    return Tensor(given[value.index]->shared_from_this());
  case CapturedValue::Kind::State:
    return Tensor(states[value.index].tensor);
  case CapturedValue::Kind::Constant:
  case CapturedValue::Kind::Memory:
    break;
  }
  return graph->wrap(operationFor(value, values), value.device);
}

std::vector<Tensor> CapturedStep::replay(const std::vector<TensorImpl *> &given,
                                         const std::vector<int64_t> &values) {
  const llvm::scope_exit releaseGradients([&] {
    for (CapturedState &state : states)
      if (state.gradientOf)
        state.tensor.reset();
  });
  std::vector<TensorImpl *> madeGradients;
  llvm::scope_exit removeGradients([&] {
    for (TensorImpl *owner : madeGradients)
      owner->grad = Tensor();
  });
  madeGradients = findGradients(given);
  checkStates(values);
  const std::vector<Operation *> overwritten = makeWritable(given);
  // Memory must not be in use twice outside of a replay: assignments would not
  // be in place.
  const llvm::scope_exit release([&] {
    inputs.clear();
    for (uint32_t i = 0; i < slots.size(); ++i)
      if (slots[i].kind != CapturedSlot::Kind::Frozen)
        memory[i] = Buffer();
  });
  llvm::scope_exit restoreRandom(
      [this, oldSeed = graph->seed, oldCounters = graph->randomCounters] {
        graph->seed = oldSeed;
        graph->randomCounters = oldCounters;
      });
  fillSlots(given);
  if (seed) {
    graph->seed = *seed;
    graph->randomCounters.entries = numRandom;
  } else {
    for (const RandomCounters::Entry &entry : numRandom)
      graph->randomCounters.of(*entry.device) += entry.count;
  }
  auto mayWrite = [&](const MemoryPart &part) {
    const CapturedSlot &slot = slots[part.slot];
    return (slot.kind == CapturedSlot::Kind::State &&
            states[slot.index].isWritten) ||
           (slot.kind == CapturedSlot::Kind::Argument &&
            arguments[slot.index].isWritten);
  };
  // A step that is stopped before leaves gradients and nodes of the old
  // contents as they were.
  bool hasWritten = false;
  auto endOldContents = [&] {
    hasWritten = true;
    removeGradients.release();
    for (Operation *op : overwritten) {
      graph->endOrigins(op, GraphImpl::Ending::Assigned);
      graph->endObservers(op);
    }
  };
  // After the first program that assigns, the step is not stopped.
  std::optional<UninterruptedScope> uninterrupted;
  for (const CapturedAction &action : actions) {
    run(action, values);
    if (hasWritten || llvm::none_of(action.inputs, mayWrite))
      continue;
    endOldContents();
    uninterrupted.emplace();
  }
  if (!hasWritten)
    endOldContents();
  restoreRandom.release();
  std::vector<Tensor> made;
  made.reserve(results.size());
  for (const CapturedValue &result : results)
    made.push_back(makeResult(result, given, values));
  for (CapturedState &state : states)
    if (state.after)
      updateTensor(*state.tensor, *state.after, values);
  for (std::size_t i = 0; i < given.size(); ++i)
    if (arguments[i].after)
      updateTensor(*given[i], *arguments[i].after, values);
  // Tensors that no one else holds any more are not updated again.
  std::erase_if(escaped, [](const auto &tensorAndValue) {
    return tensorAndValue.first.use_count() == 1;
  });
  for (auto &[tensor, value] : escaped)
    updateTensor(*tensor, value, values);
  for (CapturedGradient &gradient : gradients)
    findOwner(gradient.owner, given).grad =
        gradient.after ? makeResult(*gradient.after, given, values) : Tensor();
  return made;
}
