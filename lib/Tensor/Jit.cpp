//===- Jit.cpp - captured steps -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The calls of a Jit: what is prepared before a capture, and what is checked
/// before a replay.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Jit.h"
#include "Aliasing.h"
#include "CapturedStep.h"
#include "GraphImpl.h"
#include "Recorder.h"
#include "SaveStep.h"
#include "Shards.h"
#include "TinyGrad/Tensor/Training.h"

#include <algorithm>
#include <bit>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
/// What a replay requires of a tensor.
struct TensorSignature {
  std::string name;
  DType dtype;
  Shape shape;
  Device *device;
};

/// Of how many results of the captured step a result consists; 0 for one that
/// is on one device.
struct ResultForm {
  std::size_t numParts = 0;
  std::optional<int64_t> axis;
};
} // namespace

struct JitCore::State {
  /// The first call is over.
  bool hasRun = false;
  /// Tensors from before the last call that it used.
  std::vector<std::weak_ptr<TensorImpl>> used;
  std::unique_ptr<Recorder> recorder;
  std::shared_ptr<GraphImpl> graph;
  /// The tensors of the arguments of the present call.
  std::vector<Tensor> tensors;
  std::vector<CapturedVariable> variables;

  // Of the capture.
  std::unique_ptr<CapturedStep> step;
  std::vector<TensorSignature> signatures;
  std::vector<ResultForm> forms;
  std::vector<SymInt> sizes;
  std::vector<Scalar> numbers;
  std::vector<std::string> sizeNames, numberNames;
  bool isTraining = false, isGradientOff = false, writesArguments = false;

  // Reused by replays.
  std::vector<TensorImpl *> given;
  std::vector<int64_t> values;
  std::vector<bool> isSet;

  void findVariables(const JitArguments &arguments);
  bool separate(TensorImpl &a, TensorImpl &b);
  /// Those of `used` that are arguments of this call. What the step does with
  /// such a tensor cannot be told from what it does with the argument.
  std::vector<std::weak_ptr<TensorImpl>> findUsedArguments() const;
  void prepareUsed();
  void checkTensor(const TensorSignature &signature, TensorImpl &tensor);
  void setVariables(const SymInt &size, const std::string &name);
  void checkNumbers(const JitArguments &arguments);
  void checkDistinct();
};

JitCore::JitCore() : state(std::make_unique<State>()) {}
JitCore::~JitCore() = default;
JitCore::JitCore(JitCore &&) noexcept = default;
JitCore &JitCore::operator=(JitCore &&) noexcept = default;

void JitCore::noteOptimizerStep(const std::vector<Tensor> &parameters) {
  if (Recorder *recorder = Recorder::current())
    recorder->optimizerStepped(parameters);
}

bool JitCore::isInside() { return Recorder::current() != nullptr; }

bool JitCore::isCaptured() const { return state->step != nullptr; }

const CapturedStep *JitCore::getStep() const { return state->step.get(); }

void JitCore::reset() { state = std::make_unique<State>(); }

void JitCore::abandon() {
  state->recorder.reset();
  state->tensors.clear();
}

//===----------------------------------------------------------------------===//
// The first calls
//===----------------------------------------------------------------------===//

static bool overlap(const Buffer &a, const Buffer &b) {
  const char *begin = static_cast<const char *>(a.address());
  const char *other = static_cast<const char *>(b.address());
  return &a.device() == &b.device() && a.size() != 0 && b.size() != 0 &&
         begin < other + b.size() && other < begin + a.size();
}

void JitCore::State::findVariables(const JitArguments &arguments) {
  std::vector<SymVariable> all;
  auto add = [&](const SymInt &size) {
    if (size.isSymbolic())
      addVariables(all, size.expression()->variables);
  };
  for (const Tensor *tensor : arguments.tensors)
    for (const SymInt &size : tensor->shape())
      add(size);
  for (const SymInt &size : arguments.sizes)
    add(size);
  variables.clear();
  for (const SymVariable &variable : all)
    if (variable.value)
      variables.push_back(
          {variable.name, variable.min, variable.max, *variable.value});
}

/// Gives one of two tensors in the same memory, such as a tensor and its copy
/// or two `ones({4})`, memory of its own. Returns false if one is a view of the
/// other, or if both are views.
bool JitCore::State::separate(TensorImpl &a, TensorImpl &b) {
  if ((a.movement && b.movement) || (a.storage && a.storage == b.storage))
    return false;
  moveToOwnMemory(*graph, a.movement ? b : a);
  return true;
}

std::vector<std::weak_ptr<TensorImpl>>
JitCore::State::findUsedArguments() const {
  std::vector<std::weak_ptr<TensorImpl>> found;
  for (const std::weak_ptr<TensorImpl> &weak : used)
    if (const std::shared_ptr<TensorImpl> owner = weak.lock();
        std::any_of(tensors.begin(), tensors.end(), [&](const Tensor &tensor) {
          return &tensor.impl() == owner.get();
        }))
      found.push_back(weak);
  return found;
}

void JitCore::State::prepareUsed() {
  std::vector<Tensor> ready;
  for (const std::weak_ptr<TensorImpl> &weak : used) {
    std::shared_ptr<TensorImpl> owner = weak.lock();
    if (!owner || owner->movement)
      continue;
    Tensor tensor(std::move(owner));
    if (std::any_of(tensors.begin(), tensors.end(), [&](const Tensor &other) {
          return &other.impl() == &tensor.impl();
        }))
      continue;
    // Constants get memory too: they may be assigned to between replays.
    const Buffer memory = tensor.buffer(std::source_location());
    // Such a view would lose its memory if the tensor got another one.
    for (const Tensor &other : tensors)
      if (other.impl().movement && other.impl().storage &&
          other.impl().storage == tensor.impl().storage)
        throw Error("jit: an argument of " + toString(other.shape()) + " " +
                    name(other.dtype()) +
                    " is a view of a tensor that the step uses too; pass the "
                    "whole tensor, and take the view inside");
    auto sharesMemory = [&](const Tensor &other) {
      return overlap(memoryOf(*graph, other.impl()), memory);
    };
    if (std::any_of(tensors.begin(), tensors.end(), sharesMemory) ||
        std::any_of(ready.begin(), ready.end(), sharesMemory))
      moveToOwnMemory(*graph, tensor.impl());
    ready.push_back(std::move(tensor));
  }
}

//===----------------------------------------------------------------------===//
// Tensors on several devices
//===----------------------------------------------------------------------===//

static bool hasShards(const JitArguments &arguments) {
  return std::any_of(arguments.tensors.begin(), arguments.tensors.end(),
                     [](const Tensor *tensor) {
                       return tensor->defined() && isSharded(*tensor);
                     });
}

/// The arguments with what is on each device in place of tensors on several.
static JitArguments flatten(const JitArguments &arguments) {
  JitArguments flat = arguments;
  flat.tensors.clear();
  flat.tensorNames.clear();
  for (std::size_t i = 0; i < arguments.tensors.size(); ++i) {
    const Tensor *tensor = arguments.tensors[i];
    const std::string name =
        arguments.tensorNames.empty() ? "" : arguments.tensorNames[i];
    auto add = [&](const Tensor *part, const std::string &place) {
      flat.tensors.push_back(part);
      if (!arguments.tensorNames.empty())
        flat.tensorNames.push_back(name + place);
    };
    if (!tensor->defined() || !isSharded(*tensor)) {
      add(tensor, "");
      continue;
    }
    for (const Tensor &part : tensor->impl().shards->parts)
      add(&part, " on " + part.device());
  }
  return flat;
}

/// How results on several devices are put together again; empty if there are
/// none.
static std::vector<ResultForm> formsOf(const std::vector<Tensor> &results) {
  std::vector<ResultForm> forms;
  bool isNeeded = false;
  for (const Tensor &result : results) {
    const bool isSplit = isSharded(result);
    forms.push_back({isSplit ? result.shards().size() : 0, result.shardAxis()});
    isNeeded |= isSplit;
  }
  return isNeeded ? forms : std::vector<ResultForm>();
}

static std::vector<Tensor> join(std::vector<Tensor> flat,
                                const std::vector<ResultForm> &forms) {
  if (forms.empty())
    return flat;
  std::vector<Tensor> results;
  auto next = flat.begin();
  for (const ResultForm &form : forms) {
    if (form.numParts == 0) {
      results.push_back(*next++);
      continue;
    }
    const auto end = next + int64_t(form.numParts);
    results.push_back(shards::make({next, end}, form.axis));
    next = end;
  }
  return results;
}

void JitCore::begin(const JitArguments &arguments) {
  if (hasShards(arguments))
    return begin(flatten(arguments));
  State &call = *state;
  call.tensors.clear();
  for (const Tensor *tensor : arguments.tensors)
    call.tensors.push_back(*tensor);
  call.graph = call.tensors.empty() ? Graph::current().impl()
                                    : call.tensors.front().impl().graph;
  for (std::size_t i = 0; i < call.tensors.size(); ++i)
    if (call.tensors[i].impl().graph != call.graph)
      throw Error("jit: arguments " + arguments.tensorNames[0] + " and " +
                  arguments.tensorNames[i] + " are of different graphs");
  call.findVariables(arguments);
  std::lock_guard<GraphMutex> lock(call.graph->mutex);
  for (const Tensor &tensor : call.tensors)
    Storage::leaveIfLoose(*call.graph, tensor.impl());
  // Before anything is computed.
  for (std::size_t i = 0; i < call.tensors.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (&call.tensors[i].impl() == &call.tensors[j].impl())
        throw Error("jit: arguments " + arguments.tensorNames[j] + " and " +
                    arguments.tensorNames[i] +
                    " are the same tensor; pass a copy of one of them, by "
                    "parameter(false)");
  tinygrad::realize(call.tensors, std::source_location());
  for (const Tensor &tensor : call.tensors)
    (void)tensor.buffer(std::source_location()); // also of a constant
  for (std::size_t i = 0; i < call.tensors.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(memoryOf(*call.graph, call.tensors[i].impl()),
                  memoryOf(*call.graph, call.tensors[j].impl())) &&
          !call.separate(call.tensors[i].impl(), call.tensors[j].impl()))
        throw Error("jit: arguments " + arguments.tensorNames[j] + " and " +
                    arguments.tensorNames[i] +
                    " share memory; pass a copy of one of them, by "
                    "parameter(false)");
  call.prepareUsed();
  const bool isCapture = call.hasRun && call.findUsedArguments().empty();
  call.recorder = std::make_unique<Recorder>(isCapture ? Recorder::Mode::Capture
                                                       : Recorder::Mode::Watch,
                                             call.graph, call.tensors);
}

std::vector<Tensor> JitCore::end(const JitArguments &arguments,
                                 const std::vector<Tensor> &results) {
  if (hasShards(arguments))
    return end(flatten(arguments), results);
  if (std::vector<ResultForm> forms = formsOf(results); !forms.empty()) {
    std::vector<Tensor> flat;
    for (const Tensor &result : results)
      for (const Tensor &part : result.shards())
        flat.push_back(part);
    flat = end(arguments, flat);
    state->forms = std::move(forms);
    return join(flat, state->forms);
  }
  State &call = *state;
  call.forms.clear();
  const std::unique_ptr<Recorder> recorder = std::move(call.recorder);
  if (!recorder)
    throw Error("jit: reset() was called by the step itself");
  call.used = call.findUsedArguments();
  for (const std::shared_ptr<TensorImpl> &tensor : recorder->usedTensors())
    call.used.push_back(tensor);
  std::unique_ptr<CapturedStep> step = recorder->finish(results);
  call.hasRun = true;
  if (!step)
    return results;
  for (std::size_t i = 0; i < call.tensors.size(); ++i)
    if (!arguments.tensors[i]->defined() ||
        &arguments.tensors[i]->impl() != &call.tensors[i].impl())
      throw Error("jit: argument " + arguments.tensorNames[i] +
                  " refers to another tensor after the step, which a replay "
                  "would not repeat; use assign()");
  std::lock_guard<GraphMutex> lock(call.graph->mutex);
  for (std::size_t i = 0; i < call.tensors.size(); ++i)
    step->arguments[i].name = arguments.tensorNames[i];
  step->prepare(call.variables);
  // Other handles than the function's, which may keep its own: a replay updates
  // those.
  std::vector<Tensor> made;
  for (std::size_t i = 0; i < results.size(); ++i) {
    TensorImpl &result = results[i].impl();
    const CapturedValue::Kind kind = step->results[i].kind;
    made.push_back(
        kind == CapturedValue::Kind::Argument ||
                kind == CapturedValue::Kind::State
            ? results[i]
            : call.graph->wrap(call.graph->operation(result), result.device));
  }
  call.signatures.clear();
  for (std::size_t i = 0; i < call.tensors.size(); ++i) {
    const TensorImpl &tensor = call.tensors[i].impl();
    call.signatures.push_back(
        {arguments.tensorNames[i], tensor.dtype, tensor.shape, tensor.device});
    step->arguments[i].dtype = tensor.dtype;
    step->arguments[i].shape = tensor.shape;
    step->arguments[i].device = tensor.device;
  }
  call.sizes = arguments.sizes;
  call.numbers = arguments.numbers;
  call.sizeNames = arguments.sizeNames;
  call.numberNames = arguments.numberNames;
  call.isTraining = TrainingScope::isActive();
  call.isGradientOff = NoGradScope::isActive();
  call.writesArguments =
      std::any_of(step->arguments.begin(), step->arguments.end(),
                  [](const CapturedArgument &argument) {
                    return argument.isWritten || argument.after;
                  });
  call.step = std::move(step);
  return made;
}

//===----------------------------------------------------------------------===//
// Replays
//===----------------------------------------------------------------------===//

bool JitCore::matches(const JitArguments &arguments) const {
  if (hasShards(arguments))
    return matches(flatten(arguments));
  return arguments.tensors.size() == state->signatures.size() &&
         arguments.sizes.size() == state->sizes.size() &&
         arguments.numbers.size() == state->numbers.size();
}

void JitCore::throwMismatch(const JitArguments &arguments) const {
  if (hasShards(arguments))
    throwMismatch(flatten(arguments));
  for (const TensorSignature &signature : state->signatures)
    if (std::find(arguments.tensorNames.begin(), arguments.tensorNames.end(),
                  signature.name) == arguments.tensorNames.end())
      throw Error("jit: argument " + signature.name +
                  " is missing, but was given when the step was captured");
  for (const std::string &name : arguments.tensorNames)
    if (std::none_of(
            state->signatures.begin(), state->signatures.end(),
            [&](const TensorSignature &known) { return known.name == name; }))
      throw Error("jit: argument " + name +
                  " is given, but was not when the step was captured");
  throw Error("jit: the arguments differ from those that the step was captured "
              "with");
}

void JitCore::State::setVariables(const SymInt &size, const std::string &name) {
  for (const KnownVariable *variable : size.expression()->variables)
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].name != variable->name)
        continue;
      if (!variable->value)
        throw ShapeError("jit: argument " + name + " has no value for " +
                         "variable " + variable->name +
                         "; bind it to a value in [" +
                         std::to_string(variable->min) + ", " +
                         std::to_string(variable->max) + "]");
      if (isSet[i] && values[i] != *variable->value)
        throw ShapeError(
            "jit: variable " + variable->name + " is bound to " +
            std::to_string(values[i]) + " in one argument and to " +
            std::to_string(*variable->value) + " in argument " + name);
      isSet[i] = true;
      values[i] = *variable->value;
    }
}

void JitCore::State::checkTensor(const TensorSignature &signature,
                                 TensorImpl &tensor) {
  if (tensor.graph != graph)
    throw Error("jit: argument " + signature.name +
                " is of another graph than the captured step");
  if (tensor.dtype != signature.dtype)
    throw DTypeError("jit: argument " + signature.name + " is " +
                     name(tensor.dtype) + ", but was " + name(signature.dtype) +
                     " when the step was captured");
  if (tensor.device != signature.device)
    throw DeviceError("jit: argument " + signature.name + " is on " +
                      tensor.device->name() + ", but was on " +
                      signature.device->name() + " when the step was captured");
  bool isEqual = tensor.shape.size() == signature.shape.size();
  for (std::size_t i = 0; isEqual && i < tensor.shape.size(); ++i) {
    const SymInt &size = tensor.shape[i], &captured = signature.shape[i];
    isEqual = size.isSymbolic() && captured.isSymbolic()
                  ? withoutValues(size.expression()) ==
                        withoutValues(captured.expression())
                  : size == captured;
    if (isEqual && size.isSymbolic())
      setVariables(size, signature.name);
  }
  if (!isEqual)
    throw ShapeError("jit: argument " + signature.name + " has the shape " +
                     toString(tensor.shape) + ", but had " +
                     toString(signature.shape) + " when the step was captured");
}

static bool isSame(const Scalar &a, const Scalar &b) {
  if (a.kind() != b.kind())
    return false;
  if (a.kind() == Scalar::Kind::Float)
    return std::bit_cast<uint64_t>(a.toDouble()) ==
           std::bit_cast<uint64_t>(b.toDouble());
  return a.toBits() == b.toBits() && a.isNegative() == b.isNegative();
}

void JitCore::State::checkNumbers(const JitArguments &arguments) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const SymInt &size = arguments.sizes[i], &captured = sizes[i];
    if (size.isSymbolic() && captured.isSymbolic() &&
        withoutValues(size.expression()) ==
            withoutValues(captured.expression()))
      setVariables(size, sizeNames[i]);
    else if (size != captured)
      throw ShapeError("jit: argument " + sizeNames[i] + " is " + size.str() +
                       ", but was " + captured.str() +
                       " when the step was captured; bind a variable if it "
                       "changes");
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!isSame(numbers[i], arguments.numbers[i]))
      throw Error("jit: argument " + numberNames[i] + " is " +
                  arguments.numbers[i].str() + ", but was " + numbers[i].str() +
                  " when the step was captured; pass a tensor if it changes");
}

void JitCore::State::checkDistinct() {
  std::vector<TensorImpl *> sorted = given;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end())
    return;
  std::string names;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (given[i] == *twice)
      names += (names.empty() ? "" : " and ") + signatures[i].name;
  throw Error("jit: arguments " + names +
              " are the same tensor, and the step assigns to arguments; pass a "
              "copy of one of them");
}

std::vector<Tensor> JitCore::replay(const JitArguments &arguments) {
  if (hasShards(arguments))
    return replay(flatten(arguments));
  State &call = *state;
  if (TrainingScope::isActive() != call.isTraining)
    throw Error(std::string("jit: the step was captured ") +
                (call.isTraining ? "inside" : "outside") +
                " of a TrainingScope, and is called " +
                (call.isTraining ? "outside" : "inside") +
                " of one; use a Jit for each");
  if (NoGradScope::isActive() != call.isGradientOff)
    throw Error(std::string("jit: the step was captured ") +
                (call.isGradientOff ? "inside" : "outside") +
                " of a NoGradScope, and is called " +
                (call.isGradientOff ? "outside" : "inside") +
                " of one; use a Jit for each");
  std::lock_guard<GraphMutex> lock(call.graph->mutex);
  call.values.assign(call.variables.size(), 0);
  call.isSet.assign(call.variables.size(), false);
  call.given.clear();
  // Only a step of damaged bytes has another number than its layout.
  if (arguments.tensors.size() != call.signatures.size())
    throw Error("jit: a step of " + std::to_string(call.signatures.size()) +
                " tensors is called with " +
                std::to_string(arguments.tensors.size()));
  bool isRealized = true;
  for (std::size_t i = 0; i < arguments.tensors.size(); ++i) {
    TensorImpl &tensor = arguments.tensors[i]->impl();
    Storage::leaveIfLoose(*call.graph, tensor);
    call.checkTensor(call.signatures[i], tensor);
    isRealized &= hasMemory(*call.graph, tensor);
    call.given.push_back(&tensor);
  }
  call.checkNumbers(arguments);
  if (call.writesArguments)
    call.checkDistinct();
  if (!isRealized) {
    std::vector<Tensor> tensors;
    for (const Tensor *tensor : arguments.tensors)
      tensors.push_back(*tensor);
    tinygrad::realize(tensors, std::source_location());
    for (const Tensor &tensor : tensors)
      (void)tensor.buffer(std::source_location());
  }
  return join(call.step->replay(call.given, call.values), call.forms);
}

//===----------------------------------------------------------------------===//
// For other processes
//===----------------------------------------------------------------------===//

SavedStep JitCore::save() const {
  if (!state->step)
    throw Error("jit: nothing is captured; call the function twice before it "
                "is saved");
  if (!state->sizes.empty() || !state->numbers.empty())
    throw Error(
        "jit: a captured step with the argument " +
        (state->sizes.empty() ? state->numberNames : state->sizeNames).front() +
        ", which is not a tensor, cannot be saved");
  if (!state->forms.empty())
    throw Error("jit: a captured step with a result on several devices cannot "
                "be saved");
  std::lock_guard<GraphMutex> lock(state->graph->mutex);
  SavedStep saved;
  saved.isTraining = state->isTraining;
  saved.isGradientOff = state->isGradientOff;
  saved.bytes = saveStep(*state->step, saved.tensors);
  return saved;
}

void JitCore::load(const SavedStep &saved) {
  auto loaded = std::make_unique<State>();
  loaded->graph = Graph::current().impl();
  for (const Tensor &tensor : saved.tensors)
    if (tensor.impl().graph != loaded->graph)
      throw Error("jit: the tensors of a saved step are of another graph than "
                  "the current one");
  std::lock_guard<GraphMutex> lock(loaded->graph->mutex);
  loaded->step = loadStep(saved.bytes, saved.tensors, loaded->graph);
  loaded->hasRun = true;
  loaded->isTraining = saved.isTraining;
  loaded->isGradientOff = saved.isGradientOff;
  for (const CapturedArgument &argument : loaded->step->arguments) {
    loaded->signatures.push_back(
        {argument.name, argument.dtype, argument.shape, argument.device});
    loaded->writesArguments |= argument.isWritten || argument.after;
  }
  state = std::move(loaded);
}
