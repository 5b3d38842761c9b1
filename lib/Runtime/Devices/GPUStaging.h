//===- GPUStaging.h - copies between host and GPU ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies through pinned host memory. A GPU copies from and to such memory by
/// itself, while the host goes on; for other memory the driver waits.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_GPUSTAGING_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_GPUSTAGING_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

namespace tinygrad::detail {

class GPUDevice;

/// Pinned memory, allocated when it is first needed.
class PinnedMemory {
public:
  PinnedMemory(GPUDevice &device, std::size_t bytes)
      : device(device), bytes(bytes) {}
  PinnedMemory(const PinnedMemory &) = delete;

  /// Null if the driver has none.
  char *get();
  /// Frees it; nothing may use it any more.
  void release();

private:
  GPUDevice &device;
  const std::size_t bytes;
  char *start = nullptr;
  bool isMissing = false;
};

/// Copies to the device. The source is copied into a ring first, and may be
/// reused at once; the copies of the ring's parts follow in the device's queue.
class StagingRing {
public:
  explicit StagingRing(GPUDevice &device);
  /// Frees everything, after the queue has ended.
  void release();

  void copy(void *to, const void *from, std::size_t bytes);

private:
  /// A part in the queue: up to position `end`, until `event`.
  struct InFlight {
    uint64_t end;
    void *event;
  };

  char *take(char *start, std::size_t bytes);
  void waitForOldest();
  void *takeEvent();

  GPUDevice &device;
  std::mutex mutex; // guards everything below
  PinnedMemory memory;
  // Positions count all bytes since the beginning.
  uint64_t written = 0, freed = 0;
  std::deque<InFlight> inFlight;
  std::vector<void *> events; // not in use
};

/// Copies to the host: the device fills one half while the other one is copied
/// on.
class StagingPair {
public:
  explicit StagingPair(GPUDevice &device);
  void release();

  /// Complete on return.
  void copy(void *to, void *from, std::size_t bytes);

private:
  GPUDevice &device;
  std::mutex mutex; // guards everything below
  PinnedMemory memory;
  std::array<void *, 2> events{};
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_GPUSTAGING_H
