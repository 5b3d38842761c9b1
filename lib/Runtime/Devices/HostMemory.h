//===- HostMemory.h - host memory -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to devices in the host's memory: its limits and allocation.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_HOSTMEMORY_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_HOSTMEMORY_H

#include <atomic>
#include <cstddef>
#include <string>

namespace tinygrad::detail {

/// The memory in bytes that this process may use in total, and that is still
/// available, according to the machine and its control groups.
struct MemoryLimits {
  std::size_t total = 0;
  std::size_t available = 0;
};
MemoryLimits queryMemoryLimits();

/// Allocates memory from the operating system, in huge pages for large
/// requests.
class HostMemory {
public:
  /// Returns null and the cause in \p reason if there is not enough memory.
  /// Linux overcommits and kills a process that touches too much, so large
  /// requests are compared with the available memory first.
  void *allocate(std::size_t bytes, std::string &reason);
  void free(void *address, std::size_t bytes);

private:
  std::atomic<std::size_t> allocatedBytes{0};
  /// The limits are read again when more than this is allocated.
  std::atomic<std::size_t> nextCheck{0};
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_HOSTMEMORY_H
