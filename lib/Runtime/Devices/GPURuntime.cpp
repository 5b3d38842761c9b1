//===- GPURuntime.cpp - devices that a GPU's driver runs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Memory, copies, programs, launches and errors of GPUs.
///
//===----------------------------------------------------------------------===//

#include "GPURuntime.h"
#include "GPUGraph.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/GPUChips.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <new>

using namespace tinygrad;
using namespace tinygrad::detail;

/// CUDA's kernels may have this much dynamic shared memory by default.
static constexpr uint32_t kDefaultSharedBytes = 48 << 10;

//===----------------------------------------------------------------------===//
// Names of launches
//===----------------------------------------------------------------------===//

void RecentLaunches::add(std::string_view name) {
  std::lock_guard<std::mutex> lock(mutex);
  auto &slot = names[added++ % kMaxNames];
  const std::size_t length = std::min(name.size(), kMaxLength);
  std::memcpy(slot.data(), name.data(), length);
  slot[length] = '\0';
}

uint64_t RecentLaunches::count() const {
  std::lock_guard<std::mutex> lock(mutex);
  return added;
}

void RecentLaunches::setEnded(uint64_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  ended = std::max(ended, number);
}

std::string RecentLaunches::describe() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::string text;
  for (uint64_t i =
           std::max(ended, added - std::min<uint64_t>(added, kMaxNames));
       i < added; ++i)
    text += (text.empty() ? "; launched last: " : ", ") +
            std::string(names[i % kMaxNames].data());
  return text;
}

//===----------------------------------------------------------------------===//
// Programs and events
//===----------------------------------------------------------------------===//

namespace {
class GPUProgram : public Program {
public:
  GPUProgram(GPUDevice &device, std::vector<char> code)
      : Program(device), gpu(device), code(std::move(code)) {}
  ~GPUProgram() override;

  void load(std::string_view target);

private:
  void *lookup(const std::string &symbol) override;
  /// Asks the driver for a function. Throws CompileError if the code has none
  /// of the name, unless it \p mayBeMissing.
  void *find(const std::string &symbol, bool mayBeMissing);
  /// What the driver and the code say about a function.
  void describe(GPUFunction &function, const std::string &symbol);

  GPUDevice &gpu;
  const std::vector<char> code;
  void *module = nullptr;
  std::mutex mutex; // guards the functions
  std::map<std::string, std::unique_ptr<GPUFunction>> functions;
};

class GPUEvent : public Event {
public:
  explicit GPUEvent(GPUDevice &device) : device(device) {}
  ~GPUEvent() override {
    GPUDevice::Current current(device, std::nothrow);
    if (event && current.isEntered())
      device.driver().entries.destroyEvent(event);
  }

  GPUDevice &device;
  void *event = nullptr;
};
} // namespace

/// What to say of code for NVIDIA's GPUs that are newer than this one.
static std::string explainAge(std::string_view target,
                              const std::string &architecture) {
  const std::size_t begin = target.find(":sm_");
  if (begin == std::string_view::npos || !architecture.starts_with("sm_"))
    return "";
  int64_t own = INT64_MAX;
  std::from_chars(architecture.data() + 3,
                  architecture.data() + architecture.size(), own);
  const std::string_view chip =
      target.substr(begin + 1, target.find(':', begin + 1) - begin - 1);
  const GPUChipData *wanted = findGPUChip(chip);
  if (!wanted || wanted->getCapability() <= own)
    return "";
  return "\ncode for " + std::string(chip) +
         " does not run on older GPUs, as this one, " + architecture;
}

void GPUProgram::load(std::string_view target) {
  auto fail = [&](const std::string &reason) {
    throw CompileError("cannot load code for " + std::string(target) + " on " +
                       gpu.name() + ": " + reason);
  };
  const GPUDriver &driver = gpu.driver();
  if (std::string reason = driver.checkCode(code); !reason.empty())
    fail(reason);
  GPUDevice::Current current(gpu);
  std::string log;
  GPUResult result = driver.loadModule(code, module, log);
  if (result.status == GPUOutOfMemory) {
    gpu.memory().releaseCached();
    log.clear();
    result = driver.loadModule(code, module, log);
  }
  if (result)
    return;
  module = nullptr;
  if (isFatal(result.status) || result.status == GPUOutOfMemory)
    gpu.check(result);
  fail(driver.describe(result) + (log.empty() ? "" : "\n" + log) +
       explainAge(target, gpu.information().architecture));
}

GPUProgram::~GPUProgram() {
  if (!module)
    return;
  // Its kernels may still be in the queue.
  gpu.synchronizeQuietly();
  GPUDevice::Current current(gpu, std::nothrow);
  if (current.isEntered())
    gpu.driver().entries.unloadModule(module);
}

void *GPUProgram::find(const std::string &symbol, bool mayBeMissing) {
  const GPUEntries &entries = gpu.driver().entries;
  void *handle = nullptr;
  // Drivers may load a function when it is first asked for.
  auto ask = [&] {
    return entries.getFunction(&handle, module, symbol.c_str());
  };
  GPUResult result = ask();
  if (result.status == GPUOutOfMemory) {
    gpu.memory().releaseCached();
    result = ask();
  }
  if (!result) {
    if (isFatal(result.status) || result.status == GPUOutOfMemory)
      gpu.check(result, symbol);
    if (mayBeMissing)
      return nullptr;
    throw CompileError("the program has no kernel '" + symbol + "' on " +
                       gpu.name() + ": " + gpu.driver().describe(result));
  }
  return handle;
}

void GPUProgram::describe(GPUFunction &function, const std::string &symbol) {
  const GPUEntries &entries = gpu.driver().entries;
  function.tensorMaps = gpu.driver().findTensorMaps(code, symbol);
  function.takesAnyGroups = gpu.driver().takesAnyGroups(code, symbol);
  if (!entries.getFunctionAttribute)
    return;
  int value = 0;
  if (entries.getFunctionAttribute(&value, GPUMaxItems, function.handle))
    function.maxItems = value;
  if (entries.getFunctionAttribute(&value, GPUStaticSharedBytes,
                                   function.handle))
    function.staticSharedBytes = value;
}

void *GPUProgram::lookup(const std::string &symbol) {
  std::lock_guard<std::mutex> lock(mutex);
  if (auto it = functions.find(symbol); it != functions.end())
    return it->second.get();
  GPUDevice::Current current(gpu);
  auto function = std::make_unique<GPUFunction>();
  function->handle = find(symbol, /*mayBeMissing=*/false);
  describe(*function, symbol);
  if (!function->tensorMaps.empty()) {
    const std::string name = symbol + std::string(kWithoutTensorMapsSuffix);
    if (void *handle = find(name, /*mayBeMissing=*/true)) {
      function->withoutMaps = std::make_unique<GPUFunction>();
      function->withoutMaps->handle = handle;
      describe(*function->withoutMaps, name);
    }
  }
  return (functions[symbol] = std::move(function)).get();
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

static DeviceInfo describe(const GPUDriver &driver, const GPUPlace &place,
                           const GPUProperties &properties) {
  DeviceInfo info;
  info.name = driver.kind();
  if (place.ordinal != 0)
    info.name += ":" + std::to_string(place.ordinal);
  info.architecture = properties.architecture;
  info.target = getGPUTarget(driver.target(), properties.chip);
  info.computeUnits = properties.computeUnits;
  info.totalMemory = properties.totalMemory;
  return info;
}

std::unique_ptr<Device> detail::openGPU(const GPUDriver &driver,
                                        unsigned ordinal) {
  GPUPlace place;
  place.ordinal = int(ordinal);
  GPUProperties properties = driver.getProperties(place.ordinal);
  if (properties.chip.empty())
    throw DeviceError(
        std::string(driver.kind()) + ":" + std::to_string(ordinal) + " (" +
        properties.product + ") is " + properties.architecture +
        ", for which there is no code generator; there is one for" +
        listGPUChips(driver.kind() == "AMD", driver.kind() == "CUDA"));
  if (GPUResult result = driver.open(place); !result)
    throw DeviceError(std::string(driver.kind()) + ":" +
                      std::to_string(ordinal) + " (" + properties.product +
                      ") cannot be opened: " + driver.describe(result));
  return std::make_unique<GPUDevice>(driver, place, std::move(properties));
}

GPUDevice::GPUDevice(const GPUDriver &driver, GPUPlace place,
                     GPUProperties properties)
    : Device(::describe(driver, place, properties)), gpu(driver),
      location(place), chip(properties.product), limits(properties.limits),
      uploads(*this), downloads(*this) {
  try {
    Current current(*this);
    check(gpu.entries.createStream(&queue, kNonBlockingStream));
  } catch (...) {
    gpu.close(location);
    throw;
  }
}

GPUDevice::~GPUDevice() {
  synchronizeQuietly();
  releaseMemory();
  {
    Current current(*this, std::nothrow);
    if (current.isEntered()) {
      uploads.release();
      downloads.release();
      gpu.entries.destroyStream(queue);
    }
  }
  gpu.close(location);
}

GPUDevice::Current::Current(GPUDevice &device) : device(device) {
  device.throwIfLost();
  device.check(device.gpu.enter(device.location, previous));
  entered = true;
}

GPUDevice::Current::Current(GPUDevice &device, std::nothrow_t)
    : device(device) {
  if (!device.isLost)
    entered = bool(device.gpu.enter(device.location, previous));
}

GPUDevice::Current::~Current() {
  if (entered)
    device.gpu.leave(device.location, previous);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void GPUDevice::throwIfLost() const {
  if (!isLost.load(std::memory_order_acquire))
    return;
  std::lock_guard<std::mutex> lock(lostMutex);
  throw DeviceError(lostReason);
}

void GPUDevice::noteFailure(GPUResult result) {
  if (!isFatal(result.status))
    return;
  std::lock_guard<std::mutex> lock(lostMutex);
  if (isLost)
    return;
  lostReason =
      "device " + name() +
      " is lost, and with it the data in its memory: " + gpu.describe(result) +
      recent.describe();
  isLost.store(true, std::memory_order_release);
}

void GPUDevice::check(GPUResult result, std::string_view kernel) {
  if (result)
    return;
  noteFailure(result);
  throwIfLost();
  std::string text = gpu.describe(result);
  if (!kernel.empty())
    text += ", for the kernel " + std::string(kernel);
  if (result.status == GPUOutOfMemory)
    throw OutOfMemoryError(name(), 0, memory().bytesInUse(), text);
  throw DeviceError("device " + name() + ": " + text);
}

void GPUDevice::synchronize() {
  Current current(*this);
  const uint64_t launches = recent.count();
  check(gpu.entries.synchronizeStream(queue));
  recent.setEnded(launches);
}

void GPUDevice::synchronizeQuietly() {
  Current current(*this, std::nothrow);
  if (current.isEntered())
    noteFailure(gpu.entries.synchronizeStream(queue));
}

//===----------------------------------------------------------------------===//
// Memory and copies
//===----------------------------------------------------------------------===//

void *GPUDevice::allocateRaw(std::size_t bytes, std::string &reason) {
  Current current(*this);
  void *address = nullptr;
  const GPUResult result = gpu.entries.allocate(&address, bytes);
  if (result.status == GPUOutOfMemory) {
    reason = gpu.describe(result);
    std::size_t free = 0, total = 0;
    if (gpu.entries.memoryInfo && gpu.entries.memoryInfo(&free, &total))
      reason += ", " + std::to_string(free) + " of " + std::to_string(total) +
                " bytes are free";
    return nullptr;
  }
  check(result);
  return address;
}

void GPUDevice::freeRaw(void *address, std::size_t) {
  // Work in the queue may still use it. The memory of a lost device is gone.
  synchronizeQuietly();
  Current current(*this, std::nothrow);
  if (current.isEntered())
    noteFailure(gpu.entries.free(address));
}

void GPUDevice::copyIn(void *destination, const void *source,
                       std::size_t bytes) {
  Current current(*this);
  if (bytes != 0)
    uploads.copy(destination, source, bytes);
}

void GPUDevice::copyOut(void *destination, const void *source,
                        std::size_t bytes) {
  Current current(*this);
  if (bytes != 0)
    downloads.copy(destination, const_cast<void *>(source), bytes);
}

void GPUDevice::copy(void *destination, const void *source, std::size_t bytes) {
  Current current(*this);
  if (bytes != 0 && destination != source)
    check(gpu.entries.copy(destination, const_cast<void *>(source), bytes,
                           queue));
}

void GPUDevice::copyAcross(void *destination, Device &sourceDevice,
                           const void *source, std::size_t bytes) {
  auto *peer = dynamic_cast<GPUDevice *>(&sourceDevice);
  if (peer == this)
    return copy(destination, source, bytes);
  if (!peer || &peer->gpu != &gpu || !gpu.hasPeerCopies())
    return Device::copyAcross(destination, sourceDevice, source, bytes);
  if (bytes != 0)
    copyFromPeer(destination, *peer, source, bytes);
}

/// The copy is in this device's queue. It waits for what the other queue has,
/// and what comes there later waits for it.
void GPUDevice::copyFromPeer(void *destination, GPUDevice &peer,
                             const void *source, std::size_t bytes) {
  throwIfLost();
  auto createEvent = [](GPUDevice &device, GPUEvent &event) {
    device.check(
        device.gpu.entries.createEvent(&event.event, kEventWithoutTime));
  };
  GPUEvent ready(peer), copied(*this);
  {
    Current current(peer);
    createEvent(peer, ready);
    peer.check(gpu.entries.recordEvent(ready.event, peer.queue));
  }
  {
    Current current(*this);
    {
      std::lock_guard<std::mutex> lock(peerMutex);
      if (peers.insert(&peer).second)
        gpu.enablePeer(location, peer.location);
    }
    createEvent(*this, copied);
    check(gpu.entries.waitForEvent(queue, ready.event, 0));
    check(gpu.copyPeer(destination, location, source, peer.location, bytes,
                       queue));
    check(gpu.entries.recordEvent(copied.event, queue));
  }
  Current current(peer);
  peer.check(gpu.entries.waitForEvent(peer.queue, copied.event, 0));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

std::shared_ptr<Program> GPUDevice::loadProgram(const void *code,
                                                std::size_t bytes,
                                                std::string_view target) {
  throwIfLost();
  const char *begin = static_cast<const char *>(code);
  auto program = std::make_shared<GPUProgram>(
      *this, std::vector<char>(begin, begin + bytes));
  program->load(target);
  return program;
}

GPULaunch GPUDevice::prepareLaunch(const Kernel &kernel, const LaunchDims &dims,
                                   const int64_t *values) {
  GPULaunch launch =
      evaluateLaunch(limits, name(), chip, kernel.name(), dims, values);
  if (launch.isEmpty())
    return launch;
  auto &function = *static_cast<GPUFunction *>(kernel.entry());
  if (function.takesAnyGroups)
    launch.groups[0] = std::min(launch.groups[0], information().computeUnits);
  admitLaunch(function, kernel.name(), launch);
  return launch;
}

void GPUDevice::admitLaunch(GPUFunction &function,
                            const std::string &kernelName,
                            const GPULaunch &launch) {
  auto refuse = [&](const std::string &reason) {
    throw DeviceError("kernel " + kernelName + " cannot be launched on " +
                      name() + ": " + reason);
  };
  const int64_t items =
      int64_t(launch.groupSize[0]) * launch.groupSize[1] * launch.groupSize[2];
  if (function.maxItems > 0 && items > function.maxItems)
    refuse(std::to_string(items) + " items of a group, but its registers " +
           "allow at most " + std::to_string(function.maxItems));
  const int64_t bytes =
      int64_t(launch.sharedBytes) + function.staticSharedBytes;
  if (bytes > limits.sharedBytes)
    refuse(std::to_string(bytes) + " bytes of shared memory, but " + chip +
           " has at most " + std::to_string(limits.sharedBytes));
  if (launch.sharedBytes > kDefaultSharedBytes &&
      launch.sharedBytes > function.allowedSharedBytes) {
    Current current(*this);
    // Of two threads, the one with less must not be the last to tell the
    // driver.
    const std::lock_guard<std::mutex> lock(sharedBytesMutex);
    if (launch.sharedBytes > function.allowedSharedBytes) {
      check(gpu.allowSharedBytes(function.handle, launch.sharedBytes),
            kernelName);
      function.allowedSharedBytes = launch.sharedBytes;
    }
  }
}

std::string GPUDevice::encodeMaps(const std::string &kernelName,
                                  const std::vector<TensorMap> &maps,
                                  void *const *buffers, std::size_t numBuffers,
                                  std::vector<EncodedMap> &encoded) {
  encoded.resize(maps.size());
  auto fail = [&](const std::string &reason) {
    throw DeviceError("kernel " + kernelName + " cannot be launched on " +
                      name() + ": " + reason);
  };
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const TensorMap &map = maps[i];
    const std::string number = std::to_string(map.buffer);
    if (map.buffer >= numBuffers)
      fail("it copies boxes of buffer " + number + ", but has " +
           std::to_string(numBuffers));
    void *address = buffers[map.buffer];
    // Other code for the kernel accesses as many bytes at once.
    if (reinterpret_cast<std::uintptr_t>(address) % kTensorMapAlignment != 0)
      fail("the address of buffer " + number +
           ", of which it copies boxes, "
           "is not a multiple of " +
           std::to_string(kTensorMapAlignment) + " bytes");
    const GPUResult result = gpu.encodeTensorMap(encoded[i], map, address);
    if (isFatal(result.status))
      check(result, kernelName);
    if (!result)
      return "the GPU does not take buffer " + number + " as " +
             std::to_string(map.sizes[1]) + " rows of " +
             std::to_string(map.sizes[0]) + " elements of " +
             std::to_string(map.elementBytes) + " bytes, " +
             std::to_string(map.rowBytes) + " bytes apart, in boxes of " +
             std::to_string(map.box[1]) + "x" + std::to_string(map.box[0]) +
             ": " + gpu.describe(result);
  }
  return "";
}

GPUDevice::Chosen GPUDevice::chooseFunction(const Kernel &kernel,
                                            const GPULaunch &launch,
                                            void *const *buffers,
                                            std::size_t numBuffers) {
  GPUFunction &function = *static_cast<GPUFunction *>(kernel.entry());
  if (function.tensorMaps.empty())
    return {function.handle, {}};
  Current current(*this);
  std::vector<EncodedMap> maps;
  const std::string refusal =
      encodeMaps(kernel.name(), function.tensorMaps, buffers, numBuffers, maps);
  if (refusal.empty())
    return {function.handle, std::move(maps)};
  if (!function.withoutMaps)
    throw DeviceError("kernel " + kernel.name() + " cannot be launched on " +
                      name() + ": " + refusal);
  if (!function.wasReplaced.exchange(true) && debugLevel() >= 1)
    debugPrint(name() + ": kernel " + kernel.name() +
               " runs without copies of boxes: " + refusal);
  admitLaunch(*function.withoutMaps, kernel.name(), launch);
  return {function.withoutMaps->handle, {}};
}

void GPUDevice::launch(const Kernel &kernel, void *const *buffers,
                       const int64_t *values, const LaunchDims &dims) {
  throwIfLost();
  const GPULaunch launch = prepareLaunch(kernel, dims, values);
  if (launch.isEmpty())
    return;
  // On the stack for typical kernels.
  constexpr std::size_t inlineSize = 64;
  void *stack[inlineSize];
  std::unique_ptr<void *[]> heap;
  void **parameters = stack;
  Chosen chosen = chooseFunction(kernel, launch, buffers, dims.numBuffers);
  std::vector<EncodedMap> &maps = chosen.maps;
  const std::size_t numArguments =
      std::size_t(dims.numBuffers) + dims.numValues;
  const std::size_t numParameters = numArguments + maps.size();
  if (numParameters > inlineSize) {
    heap.reset(new void *[numParameters]);
    parameters = heap.get();
  }
  for (std::size_t i = 0; i < dims.numBuffers; ++i)
    parameters[i] = const_cast<void **>(&buffers[i]);
  for (std::size_t i = 0; i < dims.numValues; ++i)
    parameters[dims.numBuffers + i] = const_cast<int64_t *>(&values[i]);
  for (std::size_t i = 0; i < maps.size(); ++i)
    parameters[numArguments + i] = &maps[i];

  Current current(*this);
  recent.add(kernel.name());
  const auto &[x, y, z] = launch.groups;
  const auto &[sizeX, sizeY, sizeZ] = launch.groupSize;
  callOrFlush(
      [&] {
        return gpu.entries.launch(chosen.function, x, y, z, sizeX, sizeY, sizeZ,
                                  launch.sharedBytes, queue, parameters,
                                  nullptr);
      },
      kernel.name());
}

std::unique_ptr<CommandList> GPUDevice::capture(std::vector<Command> commands) {
  std::unique_ptr<CommandList> plain = Device::capture(commands);
  if (!gpu.hasGraphs() || !GPUGraph::isWorthwhile(commands))
    return plain;
  return std::make_unique<GPUGraph>(*this, std::move(commands),
                                    std::move(plain));
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

std::unique_ptr<Event> GPUDevice::record() {
  Current current(*this);
  auto event = std::make_unique<GPUEvent>(*this);
  check(gpu.entries.createEvent(&event->event, 0));
  check(gpu.entries.recordEvent(event->event, queue));
  return event;
}

double GPUDevice::secondsBetween(Event &begin, Event &end) {
  Current current(*this);
  void *first = static_cast<GPUEvent &>(begin).event;
  void *last = static_cast<GPUEvent &>(end).event;
  check(gpu.entries.synchronizeEvent(last));
  float milliseconds = 0;
  check(gpu.entries.elapsedTime(&milliseconds, first, last));
  return double(milliseconds) * 1e-3;
}
