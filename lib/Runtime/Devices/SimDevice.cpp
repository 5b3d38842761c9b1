//===- SimDevice.cpp - a simulated GPU ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs GPU kernels on the threads of the host and checks what they do, see
/// Simulator.h. For testing kernels on machines without a GPU.
///
//===----------------------------------------------------------------------===//

#include "HostDeviceBase.h"
#include "Simulator.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Support/GPUChips.h"

#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

using namespace tinygrad;
using detail::SimChip;

namespace {
class SimDevice : public detail::HostDeviceBase {
public:
  SimDevice(unsigned ordinal, SimChip description)
      : HostDeviceBase(describe(ordinal, description)),
        chip(std::move(description)), simulator(threads) {}
  ~SimDevice() override { releaseMemory(); }

  void copyIn(void *destination, const void *source,
              std::size_t bytes) override {
    threads.copy(hostAddress(destination), source, bytes);
  }
  void copyOut(void *destination, const void *source,
               std::size_t bytes) override {
    threads.copy(destination, hostAddress(source), bytes);
  }
  void copy(void *destination, const void *source, std::size_t bytes) override {
    threads.copy(hostAddress(destination), hostAddress(source), bytes);
  }
  void launch(const Kernel &kernel, void *const *buffers, const int64_t *values,
              const LaunchDims &dims) override;

private:
  static DeviceInfo describe(unsigned ordinal, const SimChip &chip);

  // The device's addresses are in the half of the address space that processes
  // cannot access, so that the host cannot use the memory of the device by
  // mistake.
  static constexpr std::uintptr_t kDeviceBit = std::uintptr_t(1) << 63;
  static void *hostAddress(const void *address) {
    return reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(address) &
                                    ~kDeviceBit);
  }
  void *allocateRaw(std::size_t bytes, std::string &reason) override {
    void *address = HostDeviceBase::allocateRaw(bytes, reason);
    if (!address)
      return nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    blocks.insert(address);
    return reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(address) |
                                    kDeviceBit);
  }
  void freeRaw(void *address, std::size_t bytes) override {
    {
      std::lock_guard<std::mutex> lock(mutex);
      blocks.erase(hostAddress(address));
    }
    HostDeviceBase::freeRaw(hostAddress(address), bytes);
  }

  std::mutex mutex; // guards `blocks`
  /// All memory of the device, by the addresses that leak checkers know.
  std::set<void *> blocks;

  const SimChip chip;
  detail::Simulator simulator;
};
} // namespace

DeviceInfo SimDevice::describe(unsigned ordinal, const SimChip &chip) {
  DeviceInfo info;
  info.name = ordinal == 0 ? "SIM" : "SIM:" + std::to_string(ordinal);
  info.architecture = "sim:" + chip.name;
  info.target = detail::getGPUTarget("sim", chip.name);
  info.computeUnits = unsigned(threadCount());
  info.totalMemory = detail::queryMemoryLimits().total;
  return info;
}

void SimDevice::launch(const Kernel &kernel, void *const *buffers,
                       const int64_t *values, const LaunchDims &dims) {
  const detail::GPULaunch launch = detail::evaluateLaunch(
      chip.limits, name(), chip.name, kernel.name(), dims, values);
  if (launch.isEmpty())
    return;
  const int64_t numGroups =
      int64_t(launch.groups[0]) * launch.groups[1] * launch.groups[2];
  if (numGroups > detail::kMaxSimulatedGroups)
    throw DeviceError("kernel " + kernel.name() + " cannot be launched on " +
                      name() + ": " + std::to_string(numGroups) +
                      " groups are more than the simulator distinguishes");
  std::vector<void *> addresses;
  for (uint32_t i = 0; i < dims.numBuffers; ++i)
    addresses.push_back(hostAddress(buffers[i]));
  const int64_t counted = simulatorCount();
  const detail::SimCounts counts = simulator.launch(
      {kernel.name(), reinterpret_cast<CpuKernelFunction>(kernel.entry()),
       launch.groups, launch.groupSize, chip.subgroupSize, launch.sharedBytes,
       addresses.data(), addresses.size(), values, simulatorSeed(), counted,
       counted > 0 && simulatorSkips(), chip.memory, chip.unitRegisters});
  const int64_t items =
      int64_t(launch.groupSize[0]) * launch.groupSize[1] * launch.groupSize[2];
  if (counted > 0)
    debugPrint("SIM counts " + kernel.name() + ": " +
               counts.scaledTo(numGroups).str() + " of " +
               std::to_string(numGroups) + " with " + std::to_string(items) +
               " items, sectors of " + std::to_string(chip.memory.sectorBytes) +
               " bytes");
}

SimChip detail::describeSimChip(const std::string &name) {
  std::string error;
  const std::optional<GPUChipData> data = parseGPUChip(name, error);
  if (!data)
    throw DeviceError("SIMCHIP=" + name + ": " + error);
  SimChip chip;
  chip.name = name;
  chip.subgroupSize = uint32_t(data->subgroupItems);
  chip.memory = data->memory;
  chip.unitRegisters = data->unitRegisters;
  chip.limits.groups = kMaxGridGroups;
  chip.limits.items = data->groupItems;
  chip.limits.groupSize = {kMaxGroupItems, kMaxGroupItems,
                           data->getMaxItemsInZ()};
  chip.limits.sharedBytes = data->groupBytes;
  return chip;
}

namespace tinygrad::detail {
DeviceKind describeSimDevice() {
  DeviceKind kind;
  kind.name = "SIM";
  kind.priority = -1;
  // Further devices are separate memories, as for the CPU.
  kind.count = [] { return 64u; };
  kind.open = [](unsigned ordinal) -> std::unique_ptr<Device> {
    return std::make_unique<SimDevice>(ordinal,
                                       describeSimChip(simulatedChip()));
  };
  return kind;
}
} // namespace tinygrad::detail
