//===- HostMemory.h - memory of the machine ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the CPU device: how much memory there is, and getting some.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_HOSTMEMORY_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_HOSTMEMORY_H

#include <atomic>
#include <cstddef>
#include <string>

namespace tinygrad::detail {

/// Memory this process may use at all, and could still get, in bytes: what the
/// machine has and what control groups allow.
struct MemoryLimits {
  std::size_t total = 0;
  std::size_t available = 0;
};
MemoryLimits queryMemoryLimits();

/// Memory from the operating system, in huge pages where that pays.
class HostMemory {
public:
  /// Null with the cause in \p reason if there is not enough. Linux hands out
  /// more than there is and kills the process that touches it, so large
  /// requests are compared with what there is.
  void *allocate(std::size_t bytes, std::string &reason);
  void free(void *address, std::size_t bytes);

private:
  std::atomic<std::size_t> handedOut{0};
  /// The limits are looked up when more than this is handed out.
  std::atomic<std::size_t> nextCheck{0};
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_HOSTMEMORY_H
