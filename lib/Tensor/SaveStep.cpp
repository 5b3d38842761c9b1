//===- SaveStep.cpp - captured steps as bytes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One function for each struct visits its members, to write or to read them.
/// Programs are saved as the bytecode of what they were compiled from.
///
//===----------------------------------------------------------------------===//

#include "SaveStep.h"
#include "GraphImpl.h"
#include "TinyGrad/Compiler/Compiler.h"
#include "TinyGrad/Dialect/Tg/IR/Tg.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/xxhash.h"

#include <cstring>
#include <type_traits>

using namespace mlir;
using namespace tinygrad;
using namespace tinygrad::detail;

/// Changes with the format.
static constexpr std::string_view kVersion = "tinygrad captured step 3\n";

namespace {
class Writer {
public:
  static constexpr bool isReading = false;

  explicit Writer(std::vector<Tensor> &tensors) : tensors(tensors) {}

  void raw(const void *from, std::size_t count) {
    data.append(static_cast<const char *>(from), count);
  }
  void text(const std::string &value) {
    uint64_t size = value.size();
    raw(&size, sizeof(size));
    raw(value.data(), value.size());
  }
  void tensor(const Tensor &value) { tensors.push_back(value); }

  std::string data;
  std::vector<Tensor> &tensors;
};

class Reader {
public:
  static constexpr bool isReading = true;

  Reader(std::string_view data, const std::vector<Tensor> &tensors)
      : data(data), tensors(tensors) {}

  void raw(void *to, std::size_t count) {
    if (count > data.size())
      fail();
    std::memcpy(to, data.data(), count);
    data.remove_prefix(count);
  }
  void text(std::string &value) {
    uint64_t size = 0;
    raw(&size, sizeof(size));
    if (size > data.size())
      fail();
    value.assign(data.data(), size);
    data.remove_prefix(size);
  }
  void tensor(Tensor &value) {
    if (next == tensors.size())
      fail();
    value = tensors[next++];
  }
  bool isAtEnd() const { return data.empty() && next == tensors.size(); }
  [[noreturn]] static void fail() {
    throw Error("jit: what was saved of a captured step is torn");
  }

private:
  std::string_view data;
  const std::vector<Tensor> &tensors;
  std::size_t next = 0;
};
// In the namespace of the codecs, so that each finds all others.

template <typename Codec, typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
void visit(Codec &codec, T &value) {
  codec.raw(&value, sizeof(value));
}

template <typename Codec> void visit(Codec &codec, std::string &value) {
  codec.text(value);
}

template <typename Codec, typename T>
void visitList(Codec &codec, std::vector<T> &list) {
  uint64_t size = list.size();
  visit(codec, size);
  if constexpr (Codec::isReading) {
    list.clear();
    for (uint64_t i = 0; i < size; ++i) // a wrong size ends at the bytes' end
      visit(codec, list.emplace_back());
  } else {
    for (T &entry : list)
      visit(codec, entry);
  }
}

template <typename Codec, typename T>
void visitOptional(Codec &codec, std::optional<T> &value) {
  bool has = value.has_value();
  visit(codec, has);
  if constexpr (Codec::isReading)
    has ? (void)value.emplace() : value.reset();
  if (has)
    visit(codec, *value);
}

template <typename Codec, typename A, typename B>
void visit(Codec &codec, std::pair<A, B> &pair) {
  visit(codec, pair.first);
  visit(codec, pair.second);
}

template <typename Codec> void visitDevice(Codec &codec, Device *&device) {
  std::string name = device ? device->name() : "";
  visit(codec, name);
  if constexpr (Codec::isReading)
    device = name.empty() ? nullptr : &Device::get(name);
}

template <typename Codec> void visit(Codec &codec, SymInt &size) {
  if constexpr (Codec::isReading) {
    int64_t number = 0;
    visit(codec, number);
    size = number;
  } else {
    if (size.isSymbolic())
      throw Error("jit: a captured step whose sizes depend on a variable (" +
                  size.str() + ") cannot be saved");
    int64_t number = size.value();
    visit(codec, number);
  }
}

template <typename Codec> void visit(Codec &codec, MemoryPart &part) {
  visit(codec, part.slot);
  visit(codec, part.offset);
  visit(codec, part.bytes);
  visitOptional(codec, part.dtype);
}

template <typename Codec> void visit(Codec &codec, CapturedSlot &slot) {
  visit(codec, slot.kind);
  visit(codec, slot.index);
  visit(codec, slot.value);
  visit(codec, slot.isAbsolute);
  // What the memory of a random state holds is filled in by a replay.
  bool hasMemory = bool(slot.memory);
  visit(codec, hasMemory);
  if (!hasMemory)
    return;
  Device *device = nullptr;
  std::optional<DType> dtype;
  std::string contents;
  if constexpr (!Codec::isReading) {
    device = &slot.memory.device();
    dtype = slot.memory.dtype();
    contents.resize(slot.memory.size());
    if (!contents.empty())
      slot.memory.copyOut(contents.data(), contents.size());
  }
  visitDevice(codec, device);
  visitOptional(codec, dtype);
  visit(codec, contents);
  if constexpr (Codec::isReading)
    slot.memory =
        Buffer::fromHost(*device, contents.data(), contents.size(), dtype);
}

template <typename Codec> void visit(Codec &codec, CapturedAction &action) {
  visit(codec, action.source);
  visitList(codec, action.inputs);
  visitList(codec, action.values);
  visitList(codec, action.computed);
  if constexpr (!Codec::isReading)
    if (action.program) {
      if (action.source.empty())
        throw Error("jit: a program of the captured step cannot be saved");
      action.target = &action.program->device();
    }
  visitDevice(codec, action.target);
}

template <typename Codec> void visit(Codec &codec, CapturedValue &value) {
  visit(codec, value.kind);
  visit(codec, value.index);
  visit(codec, value.part);
  if (value.kind == CapturedValue::Kind::Constant)
    codec.tensor(value.constant);
  visit(codec, value.dtype);
  visitList(codec, value.shape);
  visitDevice(codec, value.device);
}

template <typename Codec> void visit(Codec &codec, CapturedOwner &owner) {
  visit(codec, owner.isArgument);
  visit(codec, owner.index);
}

template <typename Codec> void visit(Codec &codec, CapturedGradient &gradient) {
  visit(codec, gradient.owner);
  visitOptional(codec, gradient.after);
  visit(codec, gradient.hadGradient);
  visit(codec, gradient.isAdded);
}

template <typename Codec> void visit(Codec &codec, CapturedArgument &argument) {
  visit(codec, argument.name);
  visit(codec, argument.dtype);
  visitList(codec, argument.shape);
  visitDevice(codec, argument.device);
  visit(codec, argument.isWritten);
  visitOptional(codec, argument.after);
}

template <typename Codec> void visit(Codec &codec, CapturedState &state) {
  visit(codec, state.dtype);
  visitList(codec, state.shape);
  visitDevice(codec, state.device);
  visit(codec, state.isRead);
  visit(codec, state.isWritten);
  visitOptional(codec, state.gradientOf);
  visitOptional(codec, state.after);
  if (state.gradientOf)
    return; // found anew in each replay
  if constexpr (Codec::isReading) {
    Tensor tensor(false);
    codec.tensor(tensor);
    state.tensor = tensor.impl().shared_from_this();
    // It may be that nothing else refers to it, which is no error then.
    state.isRevived = true;
  } else {
    codec.tensor(Tensor(state.tensor));
  }
}

template <typename Codec>
void visit(Codec &codec, RandomCounters::Entry &entry) {
  visitDevice(codec, entry.device);
  visit(codec, entry.count);
}

template <typename Codec> void visitStep(Codec &codec, CapturedStep &step) {
  visitList(codec, step.slots);
  visitList(codec, step.actions);
  visitList(codec, step.arguments);
  visitList(codec, step.states);
  visitList(codec, step.results);
  visitList(codec, step.gradients);
  visitList(codec, step.numRandom);
  visitOptional(codec, step.seed);
}
} // namespace

std::string tinygrad::detail::saveStep(const CapturedStep &step,
                                       std::vector<Tensor> &tensors) {
  if (!step.variables.empty())
    throw Error("jit: a captured step whose sizes depend on a variable (" +
                step.variables.front().name + ") cannot be saved");
  Writer writer(tensors);
  CapturedStep copy = step; // visitors take what they can change
  visitStep(writer, copy);
  const uint64_t digest = llvm::xxh3_64bits(writer.data);
  std::string bytes(kVersion);
  bytes.append(reinterpret_cast<const char *>(&digest), sizeof(digest));
  return bytes + writer.data;
}

/// Throws where a number of the bytes names no slot, tensor or device.
static void checkNumbers(const CapturedStep &step) {
  auto check = [](bool isRight) {
    if (!isRight)
      Reader::fail();
  };
  auto checkPart = [&](const MemoryPart &part) {
    check(part.slot < step.slots.size());
  };
  auto checkOwner = [&](const CapturedOwner &owner) {
    check(owner.index <
          (owner.isArgument ? step.arguments.size() : step.states.size()));
    check(owner.isArgument || !step.states[owner.index].gradientOf);
  };
  auto checkValue = [&](const CapturedValue &value) {
    check(value.device && value.kind <= CapturedValue::Kind::Constant);
    if (value.kind == CapturedValue::Kind::Memory)
      checkPart(value.part);
    if (value.kind == CapturedValue::Kind::Argument)
      check(value.index < step.arguments.size());
    if (value.kind == CapturedValue::Kind::State)
      check(value.index < step.states.size());
  };
  auto checkAfter = [&](const auto &list) {
    for (const auto &entry : list)
      if (entry.after)
        checkValue(*entry.after);
  };
  for (const CapturedSlot &slot : step.slots) {
    if (slot.kind == CapturedSlot::Kind::Argument)
      check(slot.index < step.arguments.size());
    if (slot.kind == CapturedSlot::Kind::State)
      check(slot.index < step.states.size());
    check(slot.kind <= CapturedSlot::Kind::Computed);
    check(slot.kind != CapturedSlot::Kind::Computed || !step.actions.empty());
  }
  for (const CapturedState &state : step.states)
    if (state.gradientOf)
      checkOwner(*state.gradientOf);
  for (const CapturedGradient &gradient : step.gradients)
    checkOwner(gradient.owner);
  for (const CapturedAction &action : step.actions) {
    for (const MemoryPart &input : action.inputs)
      checkPart(input);
    const std::size_t numOutputs =
        action.program ? action.program->list().outputs.size() : 1;
    for (auto [output, slot] : action.computed)
      check(slot < step.slots.size() && output < numOutputs);
    check(action.target && (action.program || (!action.inputs.empty() &&
                                               !action.computed.empty())));
  }
  for (const CapturedValue &value : step.results)
    checkValue(value);
  checkAfter(step.arguments);
  checkAfter(step.states);
  checkAfter(step.gradients);
}

std::unique_ptr<CapturedStep>
tinygrad::detail::loadStep(std::string_view bytes,
                           const std::vector<Tensor> &tensors,
                           std::shared_ptr<GraphImpl> graph) {
  if (!bytes.starts_with(kVersion))
    throw Error("jit: a captured step was saved by another version of the "
                "library; capture it again");
  auto step = std::make_unique<CapturedStep>();
  step->graph = std::move(graph);
  bytes.remove_prefix(kVersion.size());
  uint64_t digest = 0;
  if (bytes.size() < sizeof(digest))
    Reader::fail();
  std::memcpy(&digest, bytes.data(), sizeof(digest));
  bytes.remove_prefix(sizeof(digest));
  // Bytecode that is damaged is not read: MLIR does not promise to survive it.
  if (llvm::xxh3_64bits(StringRef(bytes)) != digest)
    Reader::fail();
  Reader reader(bytes, tensors);
  visitStep(reader, *step);
  if (!reader.isAtEnd())
    Reader::fail();
  for (CapturedAction &action : step->actions) {
    if (action.source.empty() || !action.target)
      continue;
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        action.source, ParserConfig(&step->graph->context()));
    if (!module)
      Reader::fail();
    action.program = compile(*module, *action.target);
  }
  checkNumbers(*step);
  step->prepare({});
  return step;
}
