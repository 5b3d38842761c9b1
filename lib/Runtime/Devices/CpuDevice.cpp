//===- CpuDevice.cpp - the CPU as a device --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs kernels on the threads of the host.
///
//===----------------------------------------------------------------------===//

#include "BoundsReport.h"
#include "HostCode.h"
#include "HostDeviceBase.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Interrupt.h"

#include <cctype>

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace tinygrad;

/// The time that a part of a kernel which can be stopped takes.
static constexpr double kPartNanoseconds = 20e6;

namespace {
class CpuDevice : public detail::HostDeviceBase {
public:
  explicit CpuDevice(unsigned ordinal);

  void launch(const Kernel &kernel, void *const *buffers, const int64_t *values,
              const LaunchDims &dims) override;
  void sort(void *positions, const void *keys, const SortShape &shape,
            const int64_t *values) override {
    threads.sort(positions, keys, shape, values);
  }
};
} // namespace

/// Linux grants the AMX tile registers only on request, once per process. Code
/// for a CPU with AMX relies on it.
static void requestTileRegisters() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long requestPermission = 0x1023, tileData = 18;
  ::syscall(SYS_arch_prctl, requestPermission, tileData);
#endif
}

static DeviceInfo describeHost(unsigned ordinal) {
  DeviceInfo info;
  info.name = ordinal == 0 ? "CPU" : "CPU:" + std::to_string(ordinal);
  info.architecture = detail::hostTriple();
  info.target = "cpu";
  if (std::string processor = processorSetting(); !processor.empty()) {
    // LLVM's names are lower-case.
    for (char &c : processor)
      c = char(std::tolower(static_cast<unsigned char>(c)));
    detail::checkHostRuns(processor);
    info.target += ":" + processor;
  }
  info.computeUnits = unsigned(threadCount());
  info.hostVisible = true;
  info.totalMemory = detail::queryMemoryLimits().total;
  return info;
}

CpuDevice::CpuDevice(unsigned ordinal) : HostDeviceBase(describeHost(ordinal)) {
  static const bool once = (requestTileRegisters(), true);
  (void)once;
}

void CpuDevice::launch(const Kernel &kernel, void *const *buffers,
                       const int64_t *values, const LaunchDims &dims) {
  const auto function = reinterpret_cast<CpuKernelFunction>(kernel.entry());
  void **addresses = const_cast<void **>(buffers);
  const int64_t extent = dims.parallelExtent.evaluate(values);
  if (extent <= 0)
    return;
  double nanoseconds = dims.estimatedNanoseconds;
  if (dims.largestExtent > 0)
    nanoseconds *= double(extent) / double(dims.largestExtent);
  const bool isSmall = nanoseconds > 0 && nanoseconds < kSerialNanoseconds;
  detail::BoundsReport report;
  detail::Interrupt *interrupt = detail::Interrupt::current();
  auto run = [&](int64_t begin, int64_t end) {
    if (interrupt)
      interrupt->check();
    detail::BoundsReport::Scope scope(report);
    function(addresses, values, begin, end);
  };
  if (extent == 1 || isSmall)
    run(0, extent);
  else
    threads.parallel(extent, dims.grain, run,
                     interrupt ? int64_t(nanoseconds / kPartNanoseconds) : 0);
  report.check(kernel.name());
}

namespace tinygrad::detail {
DeviceKind describeCpuDevice() {
  DeviceKind kind;
  kind.name = "CPU";
  kind.priority = 0;
  // The CPUs of a machine are one device. Further CPU devices are separate
  // memories on the same hardware, for testing programs with several devices.
  kind.count = [] { return 64u; };
  kind.open = [](unsigned ordinal) -> std::unique_ptr<Device> {
    return std::make_unique<CpuDevice>(ordinal);
  };
  return kind;
}
} // namespace tinygrad::detail
