//===- Executable.cpp - executable launch lists ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks, replay, and one line per kernel at DEBUG >= 2.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Interrupt.h"
#include "TinyGrad/Runtime/LaunchList.h"
#include "TinyGrad/Runtime/Profile.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>

using namespace tinygrad;

/// The state of one run, reused by later runs.
struct Executable::Run {
  std::vector<void *> addresses;
  std::vector<std::size_t> bytes; // of Input slots, by slot
  std::vector<Buffer> outputs;    // of Output slots, by slot
  Buffer arena;
  void *arenaAddress = nullptr;
};

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

/// An estimate of the time that a step takes on one compute unit, from its
/// bytes and operations. It only has to distinguish small launches from large
/// ones.
static double estimateNanoseconds(const Step &step, const DeviceInfo &info) {
  return std::max(double(step.memBytes.constant()) / info.bytesPerNanosecond,
                  double(step.opCount.constant()) /
                      info.operationsPerNanosecond);
}

/// The values of the step's variables, out of those of the program.
static std::vector<int64_t> chooseValues(const Step &step,
                                         const std::vector<int64_t> &values) {
  std::vector<int64_t> chosen;
  chosen.reserve(step.variables.size());
  for (uint32_t variable : step.variables)
    chosen.push_back(values[variable]);
  return chosen;
}

Executable::Executable(Device &device, LaunchList list)
    : target(device), program(std::move(list)) {
  verify(program);
  verifyDevices();

  for (std::size_t i = 0; i < program.inputs.size(); ++i)
    if (program.slots[program.inputs[i]].isWritten)
      writtenInputs.push_back(i);
  bool staysOnDevice = true, hasShortSteps = false;
  for (uint32_t i = 0; i < program.steps.size(); ++i) {
    Step &step = program.steps[i];
    if (step.opCount.isConstant() && step.memBytes.isConstant()) {
      totalOps += step.opCount.constant();
      totalBytes += step.memBytes.constant();
    } else {
      symbolicSteps.push_back(i);
    }
    if (step.dims.estimatedNanoseconds == 0)
      step.dims.estimatedNanoseconds =
          estimateNanoseconds(step, device.information());
    step.dims.numBuffers = uint32_t(step.slots.size());
    step.dims.numValues = uint32_t(step.variables.size());
    for (uint32_t slot : step.slots)
      staysOnDevice &= &deviceOf(slot) == &target;
    // How much of such memory is copied or sorted is known when it is given.
    if (step.kind != Step::Kind::Launch)
      for (uint32_t slot : step.slots)
        hasShortSteps |= mayBeShort(slot);
  }
  double nanoseconds = 0;
  for (const Step &step : program.steps)
    nanoseconds += step.dims.estimatedNanoseconds;
  // Steps of a GPU are only enqueued here.
  constexpr double kLongNanoseconds = 1e6;
  isLong = target.information().hostVisible && nanoseconds > kLongNanoseconds;
  firstWriter = std::size_t(
      std::find_if(program.steps.begin(), program.steps.end(),
                   [&](const Step &step) { return writesInput(step); }) -
      program.steps.begin());
  if (!staysOnDevice || hasShortSteps)
    return;
  std::vector<Command> captured;
  captured.reserve(program.steps.size());
  for (const Step &step : program.steps) {
    Command command;
    command.kind = step.kind == Step::Kind::Launch ? Command::Kind::Launch
                   : step.kind == Step::Kind::Copy ? Command::Kind::Copy
                                                   : Command::Kind::Sort;
    command.sort = step.sort;
    command.kernel = step.kernel;
    command.buffers = step.slots;
    command.variables = step.variables;
    command.dims = step.dims;
    if (step.kind == Step::Kind::Copy)
      command.bytes = program.slots[step.slots[0]].bytes;
    captured.push_back(std::move(command));
  }
  commands = target.capture(std::move(captured));
}

Executable::~Executable() = default;

Device &Executable::deviceOf(uint32_t slot) const {
  while (program.slots[slot].kind == Slot::Kind::View)
    slot = program.slots[slot].base;
  return program.slots[slot].device ? *program.slots[slot].device : target;
}

/// The slot that owns the memory of \p slot.
static uint32_t rootOf(const LaunchList &list, uint32_t slot) {
  while (list.slots[slot].kind == Slot::Kind::View)
    slot = list.slots[slot].base;
  return slot;
}

bool Executable::mayBeShort(uint32_t slot) const {
  return !program.slots[rootOf(program, slot)].sizes.empty();
}

bool Executable::writesInput(const Step &step) const {
  const std::size_t numWritten =
      step.numWritten ? step.numWritten : step.slots.size();
  return std::any_of(step.slots.begin(),
                     step.slots.begin() + std::ptrdiff_t(numWritten),
                     [&](uint32_t slot) {
                       return program.slots[rootOf(program, slot)].isWritten;
                     });
}

static bool isWithin(std::size_t offset, std::size_t bytes, std::size_t whole) {
  return offset <= whole && bytes <= whole - offset;
}

void Executable::verifyDevices() const {
  for (uint32_t i = 0; i < program.slots.size(); ++i) {
    const Slot &slot = program.slots[i];
    const std::string where = "launch list: slot " + std::to_string(i);
    const bool mayBeElsewhere = slot.kind == Slot::Kind::Input ||
                                slot.kind == Slot::Kind::Output ||
                                slot.kind == Slot::Kind::Constant;
    if (slot.device && slot.device != &target && !mayBeElsewhere)
      throw Error(where + " cannot be on another device");
    if (slot.kind != Slot::Kind::Constant)
      continue;
    if (!slot.constant || slot.constant.size() < slot.bytes)
      throw Error(where + " has no constant of " + std::to_string(slot.bytes) +
                  " bytes");
    if (&slot.constant.device() != (slot.device ? slot.device : &target))
      throw Error(where + " has a constant on " +
                  slot.constant.device().name());
  }
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const Step &step = program.steps[i];
    if (step.kind == Step::Kind::Copy)
      continue;
    const std::string where = "launch list: step " + std::to_string(i) + " (" +
                              step.displayName + ")";
    if (step.kind == Step::Kind::Launch && !step.kernel)
      throw Error(where + " has no kernel");
    if (step.kind == Step::Kind::Launch && &step.kernel.device() != &target)
      throw Error(where + " has a kernel of device " +
                  step.kernel.device().name() + " in a list for " +
                  target.name());
    for (uint32_t slot : step.slots)
      if (&deviceOf(slot) != &target)
        throw Error(where + " uses slot " + std::to_string(slot) +
                    ", which is on " + deviceOf(slot).name());
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void Executable::keepArena(bool keep) {
  std::lock_guard<std::mutex> lock(mutex);
  keepsArena = keep;
  if (!keep)
    for (std::unique_ptr<Run> &run : idleRuns)
      run->arena = Buffer();
}

std::unique_ptr<Executable::Run> Executable::takeRun() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!idleRuns.empty()) {
      std::unique_ptr<Run> run = std::move(idleRuns.back());
      idleRuns.pop_back();
      return run;
    }
  }
  auto run = std::make_unique<Run>();
  run->addresses.resize(program.slots.size());
  run->bytes.resize(program.slots.size());
  run->outputs.resize(program.slots.size());
  for (std::size_t i = 0; i < program.slots.size(); ++i)
    if (program.slots[i].kind == Slot::Kind::Constant)
      run->addresses[i] = program.slots[i].constant.address();
  return run;
}

void Executable::giveBack(std::unique_ptr<Run> run) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!keepsArena)
    run->arena = Buffer();
  idleRuns.push_back(std::move(run));
}

static bool overlap(const Buffer &one, const Buffer &other) {
  if (&one.device() != &other.device())
    return false;
  const char *begin = static_cast<const char *>(one.address());
  const char *otherBegin = static_cast<const char *>(other.address());
  return one.size() != 0 && other.size() != 0 &&
         begin < otherBegin + other.size() && otherBegin < begin + one.size();
}

std::string tinygrad::describeSize(const std::string &what, std::size_t given,
                                   std::size_t largest,
                                   std::optional<DType> dtype,
                                   const std::vector<Expression> &sizes,
                                   const std::vector<int64_t> &values) {
  const std::string text = what + " has " + std::to_string(given) + " bytes";
  Slot slot;
  slot.bytes = largest;
  slot.dtype = dtype;
  slot.sizes = sizes;
  const std::size_t needed = getNeededBytes(slot, values.data());
  if (needed == largest)
    return text + ", not " + std::to_string(largest);
  std::string shape;
  for (const Expression &size : sizes)
    shape += (shape.empty() ? "" : ", ") +
             std::to_string(size.evaluate(values.data()));
  return text + ", not from " + std::to_string(needed) + ", for its shape [" +
         shape + "]" +
         (dtype ? std::string(" of ") + tinygrad::name(*dtype) : "") + ", to " +
         std::to_string(largest) + ", for the largest one";
}

void Executable::checkValues(const std::vector<int64_t> &values) const {
  if (values.size() != program.variables.size())
    throw ShapeError("program takes " +
                     std::to_string(program.variables.size()) +
                     " variable values, not " + std::to_string(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const ProgramVariable &variable = program.variables[i];
        values[i] < variable.min || values[i] > variable.max)
      throw ShapeError("variable " + variable.name + " cannot be " +
                       std::to_string(values[i]) + ", which is not in [" +
                       std::to_string(variable.min) + ", " +
                       std::to_string(variable.max) + "]");
}

void Executable::checkInputs(const std::vector<Buffer> &inputs,
                             const std::vector<int64_t> &values) const {
  if (inputs.size() != program.inputs.size())
    throw ShapeError("program takes " + std::to_string(program.inputs.size()) +
                     " inputs, not " + std::to_string(inputs.size()));
  checkValues(values);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Buffer &input = inputs[i];
    const Slot &slot = program.slots[program.inputs[i]];
    const Device &wanted = slot.device ? *slot.device : target;
    if (!input)
      throw DeviceError("input " + std::to_string(i) + " is an empty buffer");
    if (&input.device() != &wanted)
      throw DeviceError("input " + std::to_string(i) + " is on " +
                        input.device().name() + ", not on " + wanted.name());
    if (input.size() > slot.bytes ||
        (input.size() < slot.bytes &&
         input.size() < getNeededBytes(slot, values.data())))
      throw ShapeError(describeSize("input " + std::to_string(i), input.size(),
                                    slot.bytes, slot.dtype, slot.sizes,
                                    values));
    if (input.dtype() && slot.dtype && *input.dtype() != *slot.dtype)
      throw DTypeError("input " + std::to_string(i) + " is " +
                       tinygrad::name(*input.dtype()) + ", not " +
                       tinygrad::name(*slot.dtype));
    const std::size_t alignment = slot.dtype ? itemSize(*slot.dtype) : 1;
    if (wanted.information().hostVisible &&
        reinterpret_cast<uintptr_t>(input.address()) % alignment != 0)
      throw DeviceError("input " + std::to_string(i) +
                        " is at an address that is not a multiple of the " +
                        std::to_string(alignment) + " bytes of an element of " +
                        tinygrad::name(*slot.dtype));
  }
  if (!writtenInputs.empty())
    checkWritten(inputs);
}

void Executable::checkWritten(const std::vector<Buffer> &inputs) const {
  // Kernels assume that memory that is written belongs to a single input.
  auto refuse = [](std::size_t written, std::size_t other) {
    throw DeviceError("input " + std::to_string(written) +
                      ", which is assigned to, shares memory with input " +
                      std::to_string(other) + ": pass a copy of one of them");
  };
  constexpr std::size_t maxPairs = 64;
  if (writtenInputs.size() * inputs.size() <= maxPairs) {
    for (std::size_t i : writtenInputs)
      for (std::size_t j = 0; j < inputs.size(); ++j)
        if (j != i && overlap(inputs[i], inputs[j]))
          refuse(i, j);
    return;
  }
  // In the order of addresses, it suffices to know how far the inputs before
  // one, and the written ones among these, reach.
  struct Range {
    const Device *device;
    const char *begin, *end;
    std::size_t input;
    bool isWritten;
  };
  static thread_local std::vector<Range> ranges; // keeps its memory
  ranges.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].size() != 0) {
      const char *begin = static_cast<const char *>(inputs[i].address());
      ranges.push_back({&inputs[i].device(), begin, begin + inputs[i].size(), i,
                        program.slots[program.inputs[i]].isWritten});
    }
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) {
    return a.device != b.device ? std::less<>()(a.device, b.device)
                                : a.begin < b.begin;
  });
  const Range *farthest = nullptr, *farthestWritten = nullptr;
  for (const Range &range : ranges) {
    auto reaches = [&](const Range *other) {
      return other && other->device == range.device && range.begin < other->end;
    };
    if (range.isWritten && reaches(farthest))
      refuse(range.input, farthest->input);
    if (reaches(farthestWritten))
      refuse(farthestWritten->input, range.input);
    if (!farthest || farthest->device != range.device ||
        farthest->end < range.end)
      farthest = &range;
    if (range.isWritten &&
        (!farthestWritten || farthestWritten->device != range.device ||
         farthestWritten->end < range.end))
      farthestWritten = &range;
  }
}

std::vector<Buffer> Executable::run(const std::vector<Buffer> &inputs,
                                    const std::vector<int64_t> &values) {
  checkInputs(inputs, values);
  std::unique_ptr<Run> current = takeRun();
  if (program.arenaBytes != 0 && !current->arena)
    current->arena = Buffer::allocate(target, program.arenaBytes);
  // Aligned copies of inputs, by the numbers of these.
  std::vector<std::pair<std::size_t, Buffer>> copies;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Slot &slot = program.slots[program.inputs[i]];
    void *&address = current->addresses[program.inputs[i]];
    address = inputs[i].address();
    current->bytes[program.inputs[i]] = inputs[i].size();
    if (reinterpret_cast<std::uintptr_t>(address) % slot.alignment == 0)
      continue;
    copies.emplace_back(i,
                        Buffer::allocate(target, inputs[i].size(), slot.dtype));
    target.copy(copies.back().second.address(), address, inputs[i].size());
    address = copies.back().second.address();
  }

  void **addresses = current->addresses.data();
  char *arena = static_cast<char *>(current->arena.address());
  for (std::size_t i = 0; i < program.slots.size(); ++i) {
    const Slot &slot = program.slots[i];
    switch (slot.kind) {
    case Slot::Kind::Input:
    case Slot::Kind::Constant:
      break;
    case Slot::Kind::Output:
      current->outputs[i] = Buffer::allocate(
          slot.device ? *slot.device : target, slot.bytes, slot.dtype);
      addresses[i] = current->outputs[i].address();
      break;
    case Slot::Kind::Arena:
      addresses[i] = arena + slot.offset;
      break;
    case Slot::Kind::View: {
      const int64_t offset =
          int64_t(slot.offset) + slot.symbolicOffset.evaluate(values.data());
      if (offset < 0 || !isWithin(std::size_t(offset), slot.bytes,
                                  program.slots[slot.base].bytes))
        throw Error("launch list: slot " + std::to_string(i) +
                    " reaches beyond slot " + std::to_string(slot.base));
      addresses[i] = static_cast<char *>(addresses[slot.base]) + offset;
      break;
    }
    }
  }

  if (program.numbers.empty()) {
    runSteps(*current, values);
  } else {
    std::vector<int64_t> all = values;
    all.insert(all.end(), program.numbers.begin(), program.numbers.end());
    runSteps(*current, all);
  }
  for (const auto &[i, copy] : copies)
    if (const Slot &slot = program.slots[program.inputs[i]]; slot.isWritten)
      target.copy(inputs[i].address(), copy.address(), inputs[i].size());

  std::vector<Buffer> results;
  results.reserve(program.outputs.size());
  for (uint32_t wanted : program.outputs) {
    const Slot &slot = program.slots[wanted];
    const uint32_t root = rootOf(program, wanted);
    Buffer whole;
    if (program.slots[root].kind == Slot::Kind::Output)
      whole = current->outputs[root];
    else if (program.slots[root].kind == Slot::Kind::Constant)
      whole = program.slots[root].constant;
    else
      whole = inputs[std::size_t(
          std::find(program.inputs.begin(), program.inputs.end(), root) -
          program.inputs.begin())];
    const std::size_t offset =
        std::size_t(static_cast<char *>(addresses[wanted]) -
                    static_cast<char *>(addresses[root]));
    if (slot.kind == Slot::Kind::Output)
      results.push_back(std::move(whole));
    else
      // A part of an input that is shorter than its slot may be so, too.
      results.push_back(whole.view(
          std::min(offset, whole.size()),
          std::min(slot.bytes, whole.size() - std::min(offset, whole.size())),
          slot.dtype ? slot.dtype : whole.dtype()));
  }
  for (Buffer &output : current->outputs)
    output = Buffer();
  giveBack(std::move(current));
  return results;
}

void Executable::runSteps(Run &run, const std::vector<int64_t> &values) {
  detail::Interrupt *interrupt = detail::Interrupt::current();
  if (interrupt)
    interrupt->check();
  // Memory of tensors is written completely or not at all.
  std::optional<UninterruptedScope> scope;
  auto forEachStep = [&](auto body) {
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      if (interrupt && i == firstWriter)
        scope.emplace();
      body(program.steps[i]);
    }
  };
  const bool isShown = debugLevel() >= 2;
  if (isShown || profileKernels()) {
    forEachStep(
        [&](const Step &step) { runStepTimed(step, run, values, isShown); });
    return;
  }
  if (commands && isLong && interrupt) {
    forEachStep([&](const Step &step) { runStep(step, run, values); });
  } else if (commands) {
    if (interrupt)
      scope.emplace();
    commands->replay(run.addresses.data(), values.data());
  } else {
    forEachStep([&](const Step &step) { runStep(step, run, values); });
  }
  GlobalCounters::kernelCount.fetch_add(int64_t(program.steps.size()),
                                        std::memory_order_relaxed);
  int64_t ops = totalOps, bytes = totalBytes;
  for (uint32_t i : symbolicSteps) {
    const Step &step = program.steps[i];
    const std::vector<int64_t> chosen = chooseValues(step, values);
    ops += step.opCount.evaluate(chosen.data());
    bytes += step.memBytes.evaluate(chosen.data());
  }
  GlobalCounters::globalOps.fetch_add(ops, std::memory_order_relaxed);
  GlobalCounters::globalMem.fetch_add(bytes, std::memory_order_relaxed);
}

std::size_t Executable::getAvailableBytes(const Run &run, uint32_t slot) const {
  const std::size_t bytes = program.slots[slot].bytes;
  const uint32_t root = rootOf(program, slot);
  if (program.slots[root].sizes.empty())
    return bytes;
  const auto offset = std::size_t(static_cast<char *>(run.addresses[slot]) -
                                  static_cast<char *>(run.addresses[root]));
  return std::min(bytes, run.bytes[root] - std::min(offset, run.bytes[root]));
}

/// Without rows of which memory has none, or not all that is read or written.
SortShape Executable::getSortShape(const Step &step, const Run &run,
                                   const std::vector<int64_t> &values) const {
  SortShape shape = step.sort;
  const int64_t length = shape.length.evaluate(values.data());
  auto limit = [&](uint32_t slot, int64_t elements, DType dtype) {
    const std::size_t row = std::size_t(elements) * itemSize(dtype);
    if (row == 0 || length <= 0 || !mayBeShort(slot))
      return;
    const std::size_t used =
        std::size_t(std::min(elements, length)) * itemSize(dtype);
    const std::size_t bytes = getAvailableBytes(run, slot);
    const std::size_t rows = bytes < used ? 0 : (bytes - used) / row + 1;
    shape.rows = std::min(shape.rows, int64_t(rows));
  };
  limit(step.slots[0], shape.rowPositions, shape.positions);
  limit(step.slots[1], shape.rowElements, shape.keys);
  return shape;
}

void Executable::runStep(const Step &step, Run &run,
                         const std::vector<int64_t> &values) {
  if (step.kind == Step::Kind::Copy) {
    const uint32_t to = step.slots[0], from = step.slots[1];
    const std::size_t bytes =
        std::min(getAvailableBytes(run, to), getAvailableBytes(run, from));
    Device &toDevice = deviceOf(to);
    Device &fromDevice = deviceOf(from);
    if (&toDevice == &fromDevice)
      toDevice.copy(run.addresses[to], run.addresses[from], bytes);
    else
      toDevice.copyAcross(run.addresses[to], fromDevice, run.addresses[from],
                          bytes);
    return;
  }
  std::vector<void *> buffers;
  for (uint32_t slot : step.slots)
    buffers.push_back(run.addresses[slot]);
  const std::vector<int64_t> chosen = chooseValues(step, values);
  if (step.kind == Step::Kind::Sort)
    return target.sort(buffers[0], buffers[1], getSortShape(step, run, chosen),
                       chosen.data());
  target.launch(step.kernel, buffers.data(), chosen.data(), step.dims);
}

void Executable::runStepTimed(const Step &step, Run &run,
                              const std::vector<int64_t> &values,
                              bool isShown) {
  // The device whose queue the step runs in.
  Device &device =
      step.kind == Step::Kind::Copy ? deviceOf(step.slots[0]) : target;
  device.synchronize();
  std::unique_ptr<Event> begin = device.record();
  runStep(step, run, values);
  std::unique_ptr<Event> end = device.record();
  const double seconds = device.secondsBetween(*begin, *end);

  const int64_t index = ++GlobalCounters::kernelCount;
  const std::vector<int64_t> chosen = chooseValues(step, values);
  const int64_t ops = step.opCount.evaluate(chosen.data());
  const int64_t bytes = step.memBytes.evaluate(chosen.data());
  GlobalCounters::globalOps += ops;
  GlobalCounters::globalMem += bytes;
  const double total =
      GlobalCounters::timeSumSeconds.fetch_add(seconds) + seconds;
  if (profileKernels())
    recordStep({step.displayName, step.description, seconds, double(ops),
                double(bytes), device.information().hostVisible});
  if (!isShown)
    return;
  std::string line = formatKernelLine(
      device.name(), index, step.displayName, step.slots.size(),
      double(GlobalCounters::memUsed.load()), seconds, total, double(ops),
      double(bytes));
  if (!step.description.empty())
    line += " " + step.description;
  if (const std::string site = CallSite::describe(); !site.empty())
    line += " at " + site;
  debugPrint(line);
}

//===----------------------------------------------------------------------===//
// One line per kernel
//===----------------------------------------------------------------------===//

/// A time with its unit, in nine columns.
static std::string formatTime(double seconds) {
  char text[32];
  if (seconds > 10)
    std::snprintf(text, sizeof(text), "%9.2fs ", seconds);
  else if (seconds > 10e-3)
    std::snprintf(text, sizeof(text), "%9.2fms", seconds * 1e3);
  else
    std::snprintf(text, sizeof(text), "%9.2fus", seconds * 1e6);
  return text;
}

std::string tinygrad::formatKernelLine(const std::string &deviceName,
                                       int64_t index,
                                       const std::string &displayName,
                                       std::size_t numArguments,
                                       double memUsedBytes, double seconds,
                                       double totalSeconds, double operations,
                                       double bytes) {
  // If the clock is too coarse for the kernel, no rate is printed.
  const double perSecond = seconds > 0 ? 1 / seconds : 0;
  const double flops = operations * perSecond;
  const bool isTera = flops >= 1e14;
  char head[64], tail[160];
  std::snprintf(head, sizeof(head), "*** %-7.7s %4lld ", deviceName.c_str(),
                static_cast<long long>(index));
  std::snprintf(tail, sizeof(tail),
                " arg %2zu mem %6.2f GB tm %s/%9.2fms (%7.*f %s %6.1f GB/s)",
                numArguments, memUsedBytes * 1e-9, formatTime(seconds).c_str(),
                totalSeconds * 1e3, isTera || flops >= 1e12 ? 0 : 1,
                flops * (isTera ? 1e-12 : 1e-9), isTera ? "TFLOPS" : "GFLOPS",
                bytes * perSecond * 1e-9);
  std::string name = displayName;
  if (name.size() < 46)
    name.resize(46, ' ');
  return head + name + tail;
}
