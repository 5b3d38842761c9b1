//===- Export.cpp - captured steps as C libraries -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Describes captured steps to the maker of libraries: memory without tensors,
/// and names.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Tensor/Export.h"
#include "CapturedStep.h"
#include "GraphImpl.h"
#include "SymExpr.h"
#include "TinyGrad/Dialect/Tg/IR/TgBufferElements.h"
#include "TinyGrad/Export/Step.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <set>

using namespace tinygrad;
using namespace tinygrad::detail;

namespace {
using Memory = LibraryStep::Memory;

/// The tensors that steps share.
struct StateNames {
  /// The name of a tensor, and the tensor itself, so that no other one gets its
  /// address.
  std::map<const TensorImpl *, std::pair<std::string, Tensor>> given;
  /// The order in which they were given, which is that of the members.
  std::vector<const TensorImpl *> order;
  std::map<const TensorImpl *, std::string> used;
  /// Those that a library contains.
  std::vector<std::pair<LibraryTensor, Tensor>> members;
  std::set<std::string> taken = {"random_seed", "random_counter"};
  bool usesRandom = false;
};
} // namespace

struct Exporter::State {
  std::string name;
  ExportOptions options;
  StateNames names;
  std::vector<LibraryStep> steps;
  std::shared_ptr<GraphImpl> graph;
};

Exporter::Exporter(std::string name, ExportOptions options)
    : state(std::make_unique<State>()) {
  state->name = std::move(name);
  state->options = std::move(options);
}
Exporter::~Exporter() = default;
Exporter::Exporter(Exporter &&) noexcept = default;
Exporter &Exporter::operator=(Exporter &&) noexcept = default;

/// An identifier of C.
static std::string makeName(std::string text) {
  for (char &c : text)
    if (!llvm::isAlnum(c))
      c = '_';
  if (text.empty() || llvm::isDigit(text.front()))
    text = "_" + text;
  return text;
}

void Exporter::nameState(const std::string &name, const Tensor &tensor) {
  if (auto known = state->names.given.find(&tensor.impl());
      known != state->names.given.end() &&
      known->second.first != makeName(name))
    throw Error("export: a tensor of the state has two names, '" +
                known->second.first + "' and '" + name + "'");
  nameMember(name, tensor);
}

void Exporter::nameMember(const std::string &name, const Tensor &tensor) {
  if (name.empty())
    throw Error("export: the name of a tensor of the state is empty; names "
                "become members of the struct NAME_state in C");
  if (!state->steps.empty())
    throw Error("export: name the state before functions are added, not '" +
                name + "' after '" + state->steps.back().name + "'");
  if (state->names.given.insert({&tensor.impl(), {makeName(name), tensor}})
          .second)
    state->names.order.push_back(&tensor.impl());
}

static LibraryTensor describe(const std::string &name, DType dtype,
                              const Shape &shape) {
  LibraryTensor tensor;
  tensor.name = name;
  tensor.dtype = dtype;
  std::size_t count = 1;
  for (const SymInt &size : shape) {
    const int64_t largest = size.max();
    tensor.sizes.push_back(size.isSymbolic()
                               ? SymInt(withoutValues(size.expression())).str()
                               : std::to_string(largest));
    tensor.largestShape.push_back(largest);
    count *= std::size_t(largest);
  }
  tensor.bytes = count * itemSize(dtype);
  return tensor;
}

static Shape withoutValues(const Shape &shape) {
  Shape result;
  for (const SymInt &size : shape)
    result.push_back(
        size.isSymbolic() ? SymInt(withoutValues(size.expression())) : size);
  return result;
}

static std::vector<char> getContents(const Buffer &buffer) {
  std::vector<char> bytes(buffer.size());
  if (!bytes.empty())
    buffer.copyOut(bytes.data(), bytes.size());
  return bytes;
}

namespace {
/// Describes one step.
class StepBuilder {
public:
  StepBuilder(const std::string &name, const CapturedStep &step,
              const ExportNames &names, StateNames &states)
      : step(step), names(names), states(states) {
    result.name = name;
  }

  LibraryStep build();

private:
  using Part = LibraryStep::Part;

  void checkDevice(const Device *device, const std::string &what);
  uint32_t add(Memory memory) {
    result.memories.push_back(std::move(memory));
    return uint32_t(result.memories.size() - 1);
  }
  uint32_t addTensor(LibraryTensor tensor, bool isState) {
    tensor.isState = isState;
    return add({Memory::Kind::Tensor, std::move(tensor), {}});
  }
  uint32_t addConstant(std::vector<char> contents) {
    return add({Memory::Kind::Constant, {}, std::move(contents)});
  }
  uint32_t getState(uint32_t number);
  uint32_t getRandom(const std::string &member);
  uint32_t addRandom(const std::string &body);
  uint32_t addKey(Device &device, uint64_t added);
  uint32_t getMemory(uint32_t slot);
  Part getPart(const MemoryPart &part) {
    return {getMemory(part.slot), part.offset, part.bytes};
  }
  Part getWhole(uint32_t memory, std::size_t bytes) const {
    return {memory, 0, bytes};
  }
  Part getSource(const CapturedValue &value);
  std::pair<DType, const Shape *> getType(const CapturedValue &value) const;
  std::string getElements(DType dtype, const Shape &shape) const;
  void addActions();
  void addUpdate(uint32_t memory, std::size_t bytes,
                 const CapturedValue &value);
  void addUpdates();
  void addResults();

  const CapturedStep &step;
  const ExportNames &names;
  StateNames &states;
  LibraryStep result;
  std::vector<uint32_t> arguments;
  std::map<uint32_t, uint32_t> stateMemory, slotMemory;
  std::map<std::string, uint32_t> randomMemory;
};
} // namespace

void StepBuilder::checkDevice(const Device *device, const std::string &what) {
  // Null for the value of another tensor, which was checked.
  if (device && device != &Device::get("CPU"))
    throw DeviceError("export: " + what + " of the step '" + result.name +
                      "' is on " + device->name() +
                      "; a library computes on the CPU");
}

uint32_t StepBuilder::getState(uint32_t number) {
  if (auto known = stateMemory.find(number); known != stateMemory.end())
    return known->second;
  const CapturedState &captured = step.states[number];
  const TensorImpl *tensor = captured.tensor.get();
  if (!tensor)
    throw Error("export: the step '" + result.name +
                "' uses the gradient of a tensor from before; set gradients to "
                "none before backward()");
  std::string &name = states.used[tensor];
  if (name.empty()) {
    if (auto given = states.given.find(tensor); given != states.given.end()) {
      name = given->second.first;
      if (!states.taken.insert(name).second)
        throw Error("export: two tensors of the state have the name '" + name +
                    "'");
    } else {
      for (std::size_t i = 0; name.empty(); ++i)
        if (std::string free = "state" + std::to_string(i);
            states.taken.insert(free).second)
          name = std::move(free);
    }
    states.members.emplace_back(describe(name, captured.dtype, captured.shape),
                                Tensor(captured.tensor));
  }
  checkDevice(captured.device, "the tensor '" + name + "'");
  const uint32_t memory =
      addTensor(describe(name, captured.dtype, captured.shape),
                /*isState=*/true);
  stateMemory[number] = memory;
  return memory;
}

uint32_t StepBuilder::getRandom(const std::string &member) {
  states.usesRandom = true;
  auto [known, isNew] = randomMemory.try_emplace(member);
  if (isNew)
    known->second = addTensor(describe(member, DType::UInt64, {1}),
                              /*isState=*/true);
  return known->second;
}

/// Memory with a number that a program computes from the state of the random
/// numbers: %s and %c are seed and counter.
uint32_t StepBuilder::addRandom(const std::string &body) {
  const uint32_t memory = add({});
  LibraryStep::Action action;
  action.program = "func.func @main(%s: tensor<1xui64>, %c: tensor<1xui64>) "
                   "-> tensor<1xui64> {\n" +
                   body + "  return %r : tensor<1xui64>\n}\n";
  for (const char *member : {"random_seed", "random_counter"})
    action.inputs.push_back(getWhole(getRandom(member), sizeof(uint64_t)));
  action.computed.emplace_back(0, memory);
  result.actions.push_back(std::move(action));
  return memory;
}

static std::string makeConstant(const std::string &name, uint64_t value) {
  return "  %" + name + " = tg.const(" + std::to_string(value) +
         " : ui64) : tensor<1xui64>\n";
}

/// The key of random numbers \p added after the counter.
uint32_t StepBuilder::addKey(Device &device, uint64_t added) {
  const uint32_t word = step.graph->randomCounters.deviceWord(device);
  return addRandom(makeConstant("n", added) + makeConstant("w", word) +
                   makeConstant("m", uint64_t(1) << 32) +
                   "  %u = tg.mul %s, %m : tensor<1xui64>\n"
                   "  %k = tg.add %u, %w : tensor<1xui64>\n"
                   "  %i = tg.add %c, %n : tensor<1xui64>\n"
                   "  %r = tg.threefry %i, %k : tensor<1xui64>\n");
}

uint32_t StepBuilder::getMemory(uint32_t slot) {
  if (auto known = slotMemory.find(slot); known != slotMemory.end())
    return known->second;
  const CapturedSlot &captured = step.slots[slot];
  auto bytesOf = [](uint64_t value) {
    const char *begin = reinterpret_cast<const char *>(&value);
    return std::vector<char>(begin, begin + sizeof(value));
  };
  uint32_t memory = 0;
  switch (captured.kind) {
  case CapturedSlot::Kind::Argument:
    return arguments[captured.index];
  case CapturedSlot::Kind::State:
    return getState(captured.index);
  case CapturedSlot::Kind::Frozen:
    checkDevice(&captured.memory.device(), "a constant");
    memory = addConstant(getContents(captured.memory));
    break;
  case CapturedSlot::Kind::RandomKey:
    checkDevice(&captured.memory.device(), "random numbers");
    memory = captured.isAbsolute
                 ? addConstant(bytesOf(captured.value))
                 : addKey(captured.memory.device(), captured.value);
    break;
  case CapturedSlot::Kind::Computed:
    memory = add({});
    break;
  }
  slotMemory[slot] = memory;
  return memory;
}

void StepBuilder::addActions() {
  for (const CapturedAction &captured : step.actions) {
    LibraryStep::Action action;
    for (const MemoryPart &input : captured.inputs)
      action.inputs.push_back(getPart(input));
    if (captured.program) {
      if (captured.source.empty())
        throw Error("export: a program of the step '" + result.name +
                    "' cannot be written as bytecode");
      action.program = captured.source;
      // Values that do not come from arguments stay as they are.
      const std::vector<ProgramVariable> &variables =
          captured.program->variables();
      for (std::size_t i = 0; i < variables.size(); ++i)
        action.fixed[variables[i].name] = captured.values[i];
      for (auto [value, variable] : captured.variables)
        action.fixed.erase(variables[value].name);
    } else {
      checkDevice(captured.target, "a copy");
    }
    for (auto [number, slot] : captured.computed)
      action.computed.emplace_back(number, getMemory(slot));
    result.actions.push_back(std::move(action));
  }
}

std::pair<DType, const Shape *>
StepBuilder::getType(const CapturedValue &value) const {
  switch (value.kind) {
  case CapturedValue::Kind::Argument: {
    const CapturedArgument &argument = step.arguments[value.index];
    return {argument.dtype, &argument.shape};
  }
  case CapturedValue::Kind::State: {
    const CapturedState &captured = step.states[value.index];
    return {captured.dtype, &captured.shape};
  }
  case CapturedValue::Kind::Memory:
  case CapturedValue::Kind::Constant:
    break;
  }
  return {value.dtype, &value.shape};
}

/// How many elements the memory of a tensor needs, for LibraryStep.
std::string StepBuilder::getElements(DType dtype, const Shape &shape) const {
  // Other variables than those of arguments always have the same value.
  auto isParameter = [&](const SymVariable &variable) {
    return llvm::any_of(step.variables, [&](const CapturedVariable &known) {
      return known.name == variable.name && known.value == variable.value;
    });
  };
  for (const SymInt &size : shape)
    if (!llvm::all_of(size.variables(), isParameter))
      return "";
  const mlir::tg::Dim elements = mlir::tg::getNeededElements(
      step.graph->tensorType(dtype, withoutValues(shape)));
  std::string text;
  if (!elements.isStatic())
    llvm::raw_string_ostream(text) << elements.getAttr();
  return text;
}

/// Where the value of a tensor is before the updates.
LibraryStep::Part StepBuilder::getSource(const CapturedValue &value) {
  const auto [dtype, shape] = getType(value);
  const LibraryTensor tensor = describe("", dtype, *shape);
  switch (value.kind) {
  case CapturedValue::Kind::Argument:
    return getWhole(arguments[value.index], tensor.bytes);
  case CapturedValue::Kind::State:
    return getWhole(getState(value.index), tensor.bytes);
  case CapturedValue::Kind::Memory:
    return getPart(value.part);
  case CapturedValue::Kind::Constant:
    break;
  }
  return getWhole(addConstant(getContents(value.constant.buffer())),
                  tensor.bytes);
}

void StepBuilder::addUpdate(uint32_t memory, std::size_t bytes,
                            const CapturedValue &value) {
  checkDevice(value.device, "a new value");
  Part source = getSource(value);
  source.bytes = bytes;
  result.updates.push_back({getWhole(memory, bytes), source});
}

void StepBuilder::addUpdates() {
  for (uint32_t i = 0; i < step.arguments.size(); ++i)
    if (const CapturedArgument &argument = step.arguments[i]; argument.after)
      addUpdate(arguments[i],
                describe("", argument.dtype, argument.shape).bytes,
                *argument.after);
  for (uint32_t i = 0; i < step.states.size(); ++i)
    if (const CapturedState &captured = step.states[i];
        captured.after && !captured.gradientOf)
      addUpdate(getState(i), describe("", captured.dtype, captured.shape).bytes,
                *captured.after);
  for (const CapturedGradient &gradient : step.gradients)
    if (gradient.hadGradient && gradient.isAdded)
      throw Error("export: the step '" + result.name +
                  "' adds to gradients from before; set gradients to none "
                  "before backward()");
  // Random numbers go on from where the step leaves them.
  auto setRandom = [&](const std::string &member, uint64_t value) {
    const char *begin = reinterpret_cast<const char *>(&value);
    const uint32_t constant =
        addConstant(std::vector<char>(begin, begin + sizeof(value)));
    result.updates.push_back({getWhole(getRandom(member), sizeof(value)),
                              getWhole(constant, sizeof(value))});
  };
  if (step.seed) {
    setRandom("random_seed", *step.seed);
    setRandom("random_counter",
              step.numRandom.empty() ? 0 : step.numRandom.front().count);
  } else if (!step.numRandom.empty()) {
    const uint32_t next =
        addRandom(makeConstant("n", step.numRandom.front().count) +
                  "  %r = tg.add %c, %n : tensor<1xui64>\n");
    result.updates.push_back(
        {getWhole(getRandom("random_counter"), 8), getWhole(next, 8)});
  }
}

void StepBuilder::addResults() {
  for (std::size_t i = 0; i < step.results.size(); ++i) {
    const CapturedValue &value = step.results[i];
    checkDevice(value.device, "a result");
    LibraryStep::Result entry;
    const auto [dtype, shape] = getType(value);
    entry.tensor = describe(i < names.results.size() ? names.results[i]
                                                     : "y" + std::to_string(i),
                            dtype, *shape);
    entry.elements = getElements(dtype, *shape);
    entry.part = getSource(value);
    entry.part.bytes = entry.tensor.bytes;
    entry.isUpdated = value.kind == CapturedValue::Kind::Argument ||
                      value.kind == CapturedValue::Kind::State;
    result.results.push_back(std::move(entry));
  }
}

LibraryStep StepBuilder::build() {
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const CapturedArgument &argument = step.arguments[i];
    checkDevice(argument.device, "the argument " + argument.name);
    arguments.push_back(addTensor(describe(i < names.arguments.size()
                                               ? names.arguments[i]
                                               : makeName("x" + argument.name),
                                           argument.dtype, argument.shape),
                                  /*isState=*/false));
    result.memories[arguments.back()].elements =
        getElements(argument.dtype, argument.shape);
  }
  addActions();
  addResults();
  addUpdates();
  return std::move(result);
}

void Exporter::addStep(const std::string &name, const JitCore &step,
                       const ExportNames &names) {
  const CapturedStep *captured = step.getStep();
  if (!captured)
    throw Error("export: the step '" + name +
                "' is not captured; call it twice before");
  if (!state->graph)
    state->graph = captured->graph;
  if (state->graph != captured->graph)
    throw Error("export: the step '" + name +
                "' is of another graph than those before");
  if (names.arguments.size() > captured->arguments.size() ||
      names.results.size() > captured->results.size())
    throw Error("export: the step '" + name + "' has " +
                std::to_string(captured->arguments.size()) + " arguments and " +
                std::to_string(captured->results.size()) +
                " results, fewer than the names that are given");
  for (const LibraryStep &other : state->steps)
    if (other.name == name)
      throw Error("export: two functions have the name '" + name + "'");
  std::lock_guard<GraphMutex> lock(captured->graph->mutex);
  state->steps.push_back(
      StepBuilder(name, *captured, names, state->names).build());
}

/// The function that fills the state.
static LibraryStep makeInit(const StateNames &names, const GraphImpl &graph) {
  LibraryStep init;
  init.name = "init";
  auto add = [&](LibraryTensor tensor, std::vector<char> contents) {
    const auto memory = uint32_t(init.memories.size());
    const std::size_t bytes = tensor.bytes;
    tensor.isState = true;
    init.memories.push_back({Memory::Kind::Tensor, std::move(tensor), {}});
    contents.resize(bytes);
    init.memories.push_back({Memory::Kind::Constant, {}, std::move(contents)});
    init.updates.push_back({{memory, 0, bytes}, {memory + 1, 0, bytes}});
  };
  auto placeOf = [&](const Tensor &tensor) {
    return std::find(names.order.begin(), names.order.end(), &tensor.impl());
  };
  auto members = names.members;
  std::stable_sort(members.begin(), members.end(),
                   [&](const auto &a, const auto &b) {
                     return placeOf(a.second) < placeOf(b.second);
                   });
  for (const auto &[tensor, value] : members)
    add(tensor, getContents(value.buffer()));
  auto addNumber = [&](const std::string &name, uint64_t value) {
    const char *begin = reinterpret_cast<const char *>(&value);
    add(describe(name, DType::UInt64, {1}),
        std::vector<char>(begin, begin + sizeof(value)));
  };
  if (names.usesRandom) {
    addNumber("random_seed", graph.seed);
    addNumber("random_counter",
              graph.randomCounters.countOf(Device::get("CPU")));
  }
  return init;
}

void Exporter::write(const std::string &directory) const {
  if (state->steps.empty())
    throw Error("export: the library '" + state->name +
                "' has no functions; add captured steps");
  LibraryOptions options;
  options.name = state->name;
  options.targets = state->options.targets;
  options.threads = state->options.threads;
  options.tbb = state->options.tbb;
  options.staticScratch = state->options.staticScratch;
  options.source = state->options.source;
  options.report = state->options.report;
  const bool hasState =
      !state->names.members.empty() || state->names.usesRandom;
  const ExportWeights weights = state->options.weights;
  options.stateFiles = state->options.stateFiles ||
                       (weights == ExportWeights::Beside && hasState);
  std::vector<LibraryStep> steps = state->steps;
  if (weights == ExportWeights::Inside && hasState)
    steps.insert(steps.begin(), makeInit(state->names, *state->graph));
  Library library = buildLibrary(steps, options);
  if (weights == ExportWeights::Beside && hasState) {
    // Each member, then its contents.
    LibraryStep init = makeInit(state->names, *state->graph);
    std::map<std::string, std::vector<char>> values;
    for (std::size_t i = 0; i < init.memories.size(); i += 2)
      values[init.memories[i].tensor.name] =
          std::move(init.memories[i + 1].contents);
    addStateFile(library, values);
  }
  writeLibrary(library, directory);
}
