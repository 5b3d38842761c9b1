//===- CpuDevice.cpp - the CPU as a device --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs kernels on the threads of the host. launch() returns when the launch is
/// complete, so there is no queue.
///
//===----------------------------------------------------------------------===//

#include "BoundsReport.h"
#include "HostMemory.h"
#include "HostProcessor.h"
#include "ObjectLoader.h"
#include "SortRow.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/ForkJoin.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstring>

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace tinygrad;
using Clock = std::chrono::steady_clock;

/// A launch that takes less stays on its thread. Passing half of it to another
/// thread takes 1 to 4 us if that thread is spinning, and 20 us if it sleeps.
static constexpr double kSerialNanoseconds = 10000;

/// Several parts per thread balance delays of single threads; a part costs
/// about 0.1 us.
static constexpr int64_t kPartsPerThread = 4;

namespace {
class CpuProgram : public Program {
public:
  CpuProgram(Device &device, std::unique_ptr<detail::LoadedObject> object)
      : Program(device), object(std::move(object)) {}

private:
  void *lookup(const std::string &symbol) override {
    return object->lookup(symbol);
  }

  std::unique_ptr<detail::LoadedObject> object;
};

class CpuEvent : public Event {
public:
  const Clock::time_point time = Clock::now();
};

class CpuDevice : public Device {
public:
  explicit CpuDevice(unsigned ordinal);
  ~CpuDevice() override { releaseMemory(); }

  void copyIn(void *destination, const void *source,
              std::size_t bytes) override {
    copy(destination, source, bytes);
  }
  void copyOut(void *destination, const void *source,
               std::size_t bytes) override {
    copy(destination, source, bytes);
  }
  void copy(void *destination, const void *source, std::size_t bytes) override;

  std::shared_ptr<Program> loadProgram(const void *code, std::size_t bytes,
                                       std::string_view target) override;
  void launch(const Kernel &kernel, void *const *buffers, const int64_t *values,
              const LaunchDims &dims) override;

  void sort(void *positions, const void *keys, const SortShape &shape,
            const int64_t *values) override;

  void synchronize() override {}
  std::unique_ptr<Event> record() override {
    return std::make_unique<CpuEvent>();
  }
  double secondsBetween(Event &begin, Event &end) override;

private:
  void *allocateRaw(std::size_t bytes, std::string &reason) override {
    return host.allocate(bytes, reason);
  }
  void freeRaw(void *address, std::size_t bytes) override {
    host.free(address, bytes);
  }
  /// Calls body(begin, end) for parts of [0, extent) on all threads.
  template <typename Body>
  void parallel(int64_t extent, int64_t grain, const Body &body);

  detail::HostMemory host;
  /// Allows oneTBB more threads than CPUs if THREADS asks for them.
  std::unique_ptr<tbb::global_control> moreThreads;
  /// Runs launches if THREADS differs from oneTBB's default.
  std::unique_ptr<tbb::task_arena> arena;
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

CpuDevice::CpuDevice(unsigned ordinal) : Device(describeHost(ordinal)) {
  static const bool once = (requestTileRegisters(), true);
  (void)once;
  const int threads = int(information().computeUnits);
  const int usual = tbb::info::default_concurrency();
  if (threads > usual)
    moreThreads = std::make_unique<tbb::global_control>(
        tbb::global_control::max_allowed_parallelism, threads);
  if (threads != usual)
    arena = std::make_unique<tbb::task_arena>(threads);
}

template <typename Body>
void CpuDevice::parallel(int64_t extent, int64_t grain, const Body &body) {
  const int64_t threads = information().computeUnits;
  grain = std::max<int64_t>(grain, 1);
  const int64_t parts = std::min(extent / grain, threads * kPartsPerThread);
  if (threads <= 1 || parts <= 1) {
    body(int64_t(0), extent);
    return;
  }
  auto runPart = [&](int64_t part) {
    // The first `extent % parts` parts have one item more.
    const int64_t size = extent / parts, rest = extent % parts;
    const int64_t begin = part * size + std::min(part, rest);
    body(begin, begin + size + (part < rest));
  };
  detail::ForkJoin loop;
  auto task = loop.wrap(runPart);
  auto run = [&]() TINYGRAD_NO_THREAD_SANITIZER {
    tbb::parallel_for(int64_t(0), parts, task, tbb::simple_partitioner());
  };
  loop.fork();
  if (arena)
    arena->execute(run);
  else
    run();
}

void CpuDevice::copy(void *destination, const void *source, std::size_t bytes) {
  // For large copies, a single thread does not saturate the memory bandwidth.
  constexpr std::size_t block = std::size_t(1) << 20;
  if (bytes < 4 * block) {
    if (bytes != 0)
      std::memcpy(destination, source, bytes);
    return;
  }
  parallel(
      int64_t((bytes + block - 1) / block), 1, [&](int64_t begin, int64_t end) {
        const std::size_t first = std::size_t(begin) * block;
        const std::size_t last = std::min(std::size_t(end) * block, bytes);
        std::memcpy(static_cast<char *>(destination) + first,
                    static_cast<const char *>(source) + first, last - first);
      });
}

std::shared_ptr<Program> CpuDevice::loadProgram(const void *code,
                                                std::size_t bytes,
                                                std::string_view target) {
  try {
    return std::make_shared<CpuProgram>(*this, detail::loadObject(code, bytes));
  } catch (const CompileError &error) {
    throw CompileError("cannot load code for " + std::string(target) + " on " +
                       name() + ": " + error.what());
  }
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
  auto run = [&](int64_t begin, int64_t end) {
    detail::BoundsReport::Scope scope(report);
    function(addresses, values, begin, end);
  };
  if (extent == 1 || isSmall)
    run(0, extent);
  else
    parallel(extent, dims.grain, run);
  report.check(kernel.name());
}

void CpuDevice::sort(void *positions, const void *keys, const SortShape &shape,
                     const int64_t *values) {
  const int64_t length = shape.length.evaluate(values);
  if (length <= 0)
    return;
  auto sortRows = [&](int64_t begin, int64_t end, const detail::Parts &parts) {
    for (int64_t row = begin; row < end; ++row)
      detail::sortRow(
          {static_cast<char *>(positions) +
               row * shape.rowPositions * int64_t(itemSize(shape.positions)),
           shape.positions, shape.rowPositions,
           static_cast<const char *>(keys) +
               row * shape.rowElements * int64_t(itemSize(shape.keys)),
           shape.keys, length, shape.isDescending},
          parts);
  };
  // Fewer rows than threads are sorted one after another, each in parallel
  // parts if the parts are worth a histogram each.
  constexpr int64_t minPart = 1 << 15;
  const int64_t threads = information().computeUnits;
  const int64_t numParts = std::min(threads, length / minPart);
  if (shape.rows < threads && numParts > 1) {
    detail::Parts parts;
    parts.number = std::size_t(numParts);
    parts.run = [&](const std::function<void(std::size_t)> &body) {
      parallel(numParts, 1, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part)
          body(std::size_t(part));
      });
    };
    sortRows(0, shape.rows, parts);
    return;
  }
  // About 4096 elements are worth another thread.
  parallel(shape.rows, 4096 / length,
           [&](int64_t begin, int64_t end) { sortRows(begin, end, {}); });
}

double CpuDevice::secondsBetween(Event &begin, Event &end) {
  const std::chrono::duration<double> time =
      static_cast<CpuEvent &>(end).time - static_cast<CpuEvent &>(begin).time;
  return time.count();
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
