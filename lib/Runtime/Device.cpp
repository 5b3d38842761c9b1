//===- Device.cpp - the registry of devices -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The registry, and the default implementations for devices: copies through
/// the host, and replay of launch lists step by step.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Device.h"
#include "Devices/HostThreads.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <set>
#include <utility>

using namespace tinygrad;

Program::~Program() = default;
CommandList::~CommandList() = default;
Event::~Event() = default;

const std::string &Program::uniqueName(const std::string &symbol) {
  static std::mutex mutex;
  // The number of kernels with each name.
  static std::map<std::string, int64_t> counts;
  std::lock_guard<std::mutex> lock(mutex);
  auto [it, isNew] = names.try_emplace(symbol);
  if (isNew) {
    const int64_t before = counts[symbol]++;
    it->second = symbol;
    if (before != 0)
      it->second += "n" + std::to_string(before);
  }
  return it->second;
}

Kernel::Kernel(std::shared_ptr<Program> program, const std::string &symbol)
    : code(std::move(program)), symbol(symbol),
      entryPoint(code->lookup(symbol)) {}

Device::Device(DeviceInfo description)
    : info(std::move(description)), allocator(*this, info.name) {}

Device::~Device() = default;

void Device::sort(void *positions, const void *keys, const SortShape &shape,
                  const int64_t *values) {
  const int64_t length = shape.length.evaluate(values);
  if (length <= 0 || shape.rows <= 0)
    return;
  // Of the last row, no more than is used: the rest may not be there.
  auto getBytes = [&](int64_t elements, DType dtype) {
    return std::size_t((shape.rows - 1) * elements +
                       std::min(elements, length)) *
           itemSize(dtype);
  };
  const std::size_t keyBytes = getBytes(shape.rowElements, shape.keys);
  const std::size_t positionBytes =
      getBytes(shape.rowPositions, shape.positions);
  std::unique_ptr<char[]> hostKeys(new char[keyBytes]);
  std::unique_ptr<char[]> hostPositions(new char[positionBytes]);
  copyOut(hostKeys.get(), keys, keyBytes);
  // Positions behind the valid ones of a row stay as they are.
  if (length < shape.rowPositions)
    copyOut(hostPositions.get(), positions, positionBytes);
  detail::HostThreads(unsigned(threadCount()))
      .sort(hostPositions.get(), hostKeys.get(), shape, values);
  copyIn(positions, hostPositions.get(), positionBytes);
}

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

// Every file Devices/<Name>Device.cpp defines a function that describes its
// kind of device; the build generates the list of these functions. The linker
// would drop registration objects from a static library.
namespace tinygrad::detail {
#define TINYGRAD_DEVICE(NAME) DeviceKind describe##NAME##Device();
#include "BuiltinDevices.inc"
#undef TINYGRAD_DEVICE
} // namespace tinygrad::detail

namespace {
struct Registry {
  std::mutex mutex;
  std::map<std::string, DeviceKind> kinds;
  std::map<std::string, std::unique_ptr<Device>> devices;
  /// Kinds that getDefault() could not open and does not try again.
  std::set<std::string> unusable;

  Registry() {
    for (DeviceKind kind : {
#define TINYGRAD_DEVICE(NAME) detail::describe##NAME##Device(),
#include "BuiltinDevices.inc"
#undef TINYGRAD_DEVICE
         })
      kinds.emplace(kind.name, kind);
  }
};

struct ParsedName {
  std::string kind;
  unsigned ordinal = 0;
};
} // namespace

/// Never destroyed: static buffers may be freed on a device while the process
/// exits.
static Registry &registry() {
  static Registry *instance = new Registry;
  return *instance;
}

static ParsedName parseName(std::string_view text) {
  ParsedName parsed;
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  bool isValid = !kind.empty();
  for (char c : kind) {
    const bool isLower = c >= 'a' && c <= 'z';
    isValid &=
        isLower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    parsed.kind += isLower ? char(c - 'a' + 'A') : c;
  }
  if (colon != std::string_view::npos) {
    const std::string_view number = text.substr(colon + 1);
    auto [end, error] = std::from_chars(
        number.data(), number.data() + number.size(), parsed.ordinal);
    isValid &= error == std::errc() && end == number.data() + number.size();
  }
  if (!isValid)
    throw DeviceError("'" + std::string(text) +
                      "' is not the name of a device: expected a name like "
                      "CPU or CPU:0");
  return parsed;
}

static std::string nameOf(const ParsedName &parsed) {
  return parsed.ordinal == 0
             ? parsed.kind
             : parsed.kind + ":" + std::to_string(parsed.ordinal);
}

static std::string join(const std::vector<std::string> &names) {
  std::string joined;
  for (const std::string &name : names)
    joined += (joined.empty() ? "" : ", ") + name;
  return joined;
}

DeviceRegistration::DeviceRegistration(DeviceKind kind) {
  if (parseName(kind.name).kind != kind.name)
    throw DeviceError("a device kind is named in upper case: " + kind.name);
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::string name = kind.name;
  if (!all.kinds.emplace(name, std::move(kind)).second)
    throw DeviceError("a device called " + name + " is registered already");
}

std::string Device::canonicalName(std::string_view name) {
  return nameOf(parseName(name));
}

std::vector<std::string> Device::registered() {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<std::string> names;
  for (const auto &[name, kind] : all.kinds)
    names.push_back(name);
  return names;
}

std::vector<std::string> Device::available() {
  Registry &all = registry();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<std::string> names;
  for (const auto &[name, kind] : all.kinds)
    if (kind.count() > 0)
      names.push_back(name);
  return names;
}

/// ": CUDA (NVIDIA H100), CUDA:1 (NVIDIA H100)", where the kind tells what its
/// devices are.
static std::string describePresent(const DeviceKind &kind, unsigned count) {
  if (!kind.describe)
    return "";
  std::vector<std::string> devices;
  for (unsigned ordinal = 0; ordinal < count; ++ordinal)
    devices.push_back(nameOf({kind.name, ordinal}) + " (" +
                      kind.describe(ordinal) + ")");
  return ": " + join(devices);
}

/// A device that other programs call by this name.
static std::string suggest(std::string_view kind) {
  if (kind == "HIP" || kind == "ROCM")
    return "; AMD's GPUs are called AMD";
  if (kind == "GPU" || kind == "NV" || kind == "NVIDIA")
    return "; NVIDIA's GPUs are called CUDA, AMD's are called AMD";
  return "";
}

Device &Device::get(std::string_view text) {
  checkSettings();
  const ParsedName parsed = parseName(text);
  const std::string name = nameOf(parsed);
  Registry &all = registry();
  std::unique_lock<std::mutex> lock(all.mutex);
  if (auto it = all.devices.find(name); it != all.devices.end())
    return *it->second;

  auto kind = all.kinds.find(parsed.kind);
  if (kind == all.kinds.end()) {
    lock.unlock();
    throw DeviceError("there is no device called '" + std::string(text) +
                      "'; registered: " + join(registered()) +
                      suggest(parsed.kind));
  }
  const unsigned count = kind->second.count();
  // If no device is present, opening one throws the reason.
  if (count != 0 && parsed.ordinal >= count)
    throw DeviceError("there is no device " + name + ": " +
                      std::to_string(count) + " of kind " + parsed.kind +
                      " present" + describePresent(kind->second, count));
  std::unique_ptr<Device> device = kind->second.open(parsed.ordinal);
  Device &opened = *device;
  all.devices.emplace(name, std::move(device));
  if (debugLevel() >= 1)
    debugPrint("opened device " + name + " (" +
               opened.information().architecture + ", " +
               std::to_string(opened.information().computeUnits) +
               " compute units)");
  return opened;
}

Device &Device::getDefault() {
  if (std::string wanted = deviceSetting(); !wanted.empty())
    return get(wanted);
  // Highest priority first.
  std::vector<std::pair<int, std::string>> candidates;
  {
    Registry &all = registry();
    std::lock_guard<std::mutex> lock(all.mutex);
    for (const auto &[name, kind] : all.kinds)
      if (kind.priority > 0 && !all.unusable.contains(name))
        candidates.push_back({-kind.priority, name});
  }
  std::sort(candidates.begin(), candidates.end());
  for (const auto &[priority, name] : candidates) {
    try {
      return get(name);
    } catch (const DeviceError &error) {
      // There is no driver or no device, or the device is in use by others or
      // too old for our code.
      if (debugLevel() >= 1)
        debugPrint(name + " is not the default device: " + error.what());
      Registry &all = registry();
      std::lock_guard<std::mutex> lock(all.mutex);
      all.unusable.insert(name);
    }
  }
  return get("CPU");
}

//===----------------------------------------------------------------------===//
// Copies between devices
//===----------------------------------------------------------------------===//

void Device::copyAcross(void *destination, Device &sourceDevice,
                        const void *source, std::size_t bytes) {
  if (&sourceDevice == this) {
    copy(destination, source, bytes);
  } else if (information().hostVisible) {
    synchronize();
    sourceDevice.copyOut(destination, source, bytes);
  } else if (sourceDevice.information().hostVisible) {
    sourceDevice.synchronize();
    copyIn(destination, source, bytes);
  } else {
    std::unique_ptr<char[]> staging(new char[bytes]);
    sourceDevice.copyOut(staging.get(), source, bytes);
    copyIn(destination, staging.get(), bytes);
  }
}

//===----------------------------------------------------------------------===//
// Replay step by step
//===----------------------------------------------------------------------===//

namespace {
class SimpleCommandList : public CommandList {
public:
  SimpleCommandList(Device &device, std::vector<Command> commands)
      : device(device), commands(std::move(commands)) {
    for (const Command &command : this->commands) {
      maxBuffers = std::max(maxBuffers, command.buffers.size());
      maxValues = std::max(maxValues, command.variables.size());
    }
  }

  void replay(void *const *addresses, const int64_t *values) override {
    // On the stack for typical kernels, so that a replay does not allocate.
    constexpr std::size_t inlineSize = 64;
    void *bufferStack[inlineSize];
    int64_t valueStack[inlineSize];
    std::unique_ptr<void *[]> bufferHeap;
    std::unique_ptr<int64_t[]> valueHeap;
    void **buffers = bufferStack;
    int64_t *chosen = valueStack;
    if (maxBuffers > inlineSize) {
      bufferHeap.reset(new void *[maxBuffers]);
      buffers = bufferHeap.get();
    }
    if (maxValues > inlineSize) {
      valueHeap.reset(new int64_t[maxValues]);
      chosen = valueHeap.get();
    }

    for (const Command &command : commands) {
      const std::size_t numBuffers = command.buffers.size();
      for (std::size_t i = 0; i < numBuffers; ++i)
        buffers[i] = addresses[command.buffers[i]];
      if (command.kind == Command::Kind::Copy) {
        device.copy(buffers[0], buffers[1], command.bytes);
        continue;
      }
      const std::size_t numValues = command.variables.size();
      for (std::size_t i = 0; i < numValues; ++i)
        chosen[i] = values[command.variables[i]];
      if (command.kind == Command::Kind::Sort)
        device.sort(buffers[0], buffers[1], command.sort, chosen);
      else
        device.launch(command.kernel, buffers, chosen, command.dims);
    }
  }

private:
  Device &device;
  std::vector<Command> commands;
  std::size_t maxBuffers = 0;
  std::size_t maxValues = 0;
};
} // namespace

std::unique_ptr<CommandList> Device::capture(std::vector<Command> commands) {
  return std::make_unique<SimpleCommandList>(*this, std::move(commands));
}
