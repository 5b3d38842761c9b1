//===- GPURuntime.h - devices that a GPU's driver runs ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The device for GPUs of any vendor: one queue (stream) of a driver.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_GPURUNTIME_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_GPURUNTIME_H

#include "GPUDriver.h"
#include "GPUStaging.h"
#include "TinyGrad/Runtime/Device.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace tinygrad::detail {

/// A kernel that the driver has loaded: what Kernel::entry() of a GPU refers
/// to.
struct GPUFunction {
  void *handle = nullptr;
  /// Of a group, as far as the kernel's registers allow it; 0 if not known.
  int maxItems = 0;
  /// Memory of a group that the code declares.
  int staticSharedBytes = 0;
  /// The dynamic shared memory that the driver was told to allow.
  std::atomic<uint32_t> allowedSharedBytes{0};
  /// Whether it computes the same with any number of groups along x.
  bool takesAnyGroups = false;
  /// What it takes after its other arguments.
  std::vector<TensorMap> tensorMaps;
  /// The kernel that takes none, for launches whose maps the GPU refuses; null
  /// if the code has none.
  std::unique_ptr<GPUFunction> withoutMaps;
  /// Whether that one has run, which is said once.
  std::atomic<bool> wasReplaced{false};
};

/// The last kernels that were enqueued and may not have ended, for messages.
class RecentLaunches {
public:
  void add(std::string_view name);
  /// The number of launches so far.
  uint64_t count() const;
  /// The first \p number launches have ended.
  void setEnded(uint64_t number);
  /// "; launched last: a, b"; empty if all have ended.
  std::string describe() const;

private:
  static constexpr std::size_t kMaxNames = 8, kMaxLength = 63;

  mutable std::mutex mutex;
  std::array<std::array<char, kMaxLength + 1>, kMaxNames> names{};
  uint64_t added = 0, ended = 0;
};

class GPUDevice final : public Device {
public:
  GPUDevice(const GPUDriver &driver, GPUPlace place, GPUProperties properties);
  ~GPUDevice() override;

  void copyIn(void *destination, const void *source,
              std::size_t bytes) override;
  void copyOut(void *destination, const void *source,
               std::size_t bytes) override;
  void copy(void *destination, const void *source, std::size_t bytes) override;
  void copyAcross(void *destination, Device &sourceDevice, const void *source,
                  std::size_t bytes) override;
  std::shared_ptr<Program> loadProgram(const void *code, std::size_t bytes,
                                       std::string_view target) override;
  void launch(const Kernel &kernel, void *const *buffers, const int64_t *values,
              const LaunchDims &dims) override;
  std::unique_ptr<CommandList> capture(std::vector<Command> commands) override;
  void synchronize() override;
  std::unique_ptr<Event> record() override;
  double secondsBetween(Event &begin, Event &end) override;

  /// While it exists, calls of the driver by this thread are for this device.
  class Current {
  public:
    /// Throws DeviceError.
    explicit Current(GPUDevice &device);
    /// For code that must not throw: isEntered() tells whether it worked.
    Current(GPUDevice &device, std::nothrow_t);
    ~Current();
    Current(const Current &) = delete;
    Current &operator=(const Current &) = delete;
    bool isEntered() const { return entered; }

  private:
    const GPUDevice &device;
    int previous = 0;
    bool entered = false;
  };

  const GPUDriver &driver() const { return gpu; }
  const GPUPlace &place() const { return location; }
  void *stream() const { return queue; }

  /// Throws DeviceError if an earlier error made the device unusable.
  void throwIfLost() const;
  /// Throws what a failed call means: OutOfMemoryError or DeviceError, with its
  /// name, and that of \p kernel if it is about one.
  void check(GPUResult result, std::string_view kernel = {});
  /// Calls \p function, which returns a GPUResult, once more without cached
  /// memory if the device is out of memory.
  template <typename Function>
  void callOrFlush(Function &&function, std::string_view kernel = {}) {
    GPUResult result = function();
    if (result.status == GPUOutOfMemory) {
      memory().releaseCached();
      result = function();
    }
    check(result, kernel);
  }
  /// Records that the device is lost, if that is what the result says.
  void noteFailure(GPUResult result);

  /// What a launch runs, and its tensor maps: the kernel, or, if the GPU
  /// refuses one of these, the kernel that takes none. Throws DeviceError if
  /// there is no such kernel.
  struct Chosen {
    void *function;
    std::vector<EncodedMap> maps;
  };
  Chosen chooseFunction(const Kernel &kernel, const GPULaunch &launch,
                        void *const *buffers, std::size_t numBuffers);
  /// The sizes of a launch, which the driver is prepared for.
  GPULaunch prepareLaunch(const Kernel &kernel, const LaunchDims &dims,
                          const int64_t *values);
  RecentLaunches &recentLaunches() { return recent; }
  /// Waits for the queue where nothing may be thrown.
  void synchronizeQuietly();

private:
  /// Tells the driver of a function what a launch needs. Throws DeviceError if
  /// the function cannot be launched like that.
  void admitLaunch(GPUFunction &function, const std::string &name,
                   const GPULaunch &launch);
  /// Makes the tensor maps of a launch. Returns why the GPU refuses one; empty
  /// if it takes all of them.
  std::string encodeMaps(const std::string &name,
                         const std::vector<TensorMap> &maps,
                         void *const *buffers, std::size_t numBuffers,
                         std::vector<EncodedMap> &encoded);
  void *allocateRaw(std::size_t bytes, std::string &reason) override;
  void freeRaw(void *address, std::size_t bytes) override;
  void copyFromPeer(void *destination, GPUDevice &peer, const void *source,
                    std::size_t bytes);

  const GPUDriver &gpu;
  const GPUPlace location;
  const std::string chip; ///< for messages
  const GPULimits limits;
  void *queue = nullptr;
  StagingRing uploads;
  StagingPair downloads;
  RecentLaunches recent;
  std::mutex sharedBytesMutex; // guards what the driver is told of functions
  std::mutex peerMutex;        // guards the set
  std::set<const GPUDevice *> peers;
  std::atomic<bool> isLost{false};
  mutable std::mutex lostMutex; // guards the text
  std::string lostReason;
};

/// Opens a device. Throws DeviceError.
std::unique_ptr<Device> openGPU(const GPUDriver &driver, unsigned ordinal);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_GPURUNTIME_H
