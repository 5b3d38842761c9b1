//===- HostMemory.cpp - host memory ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Memory limits from /proc and control groups, and aligned allocation.
///
//===----------------------------------------------------------------------===//

#include "HostMemory.h"
#include "TinyGrad/Runtime/CachingAllocator.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <sys/mman.h>

using namespace tinygrad::detail;

/// Reads a file with one number; "max" and anything else means no limit.
static std::size_t readLimit(const std::string &path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : SIZE_MAX;
}

/// The number after \p key in a file of lines "key value".
static std::size_t readField(const std::string &path, const std::string &key) {
  std::ifstream file(path);
  std::string word;
  while (file >> word)
    if (std::size_t value = 0; word == key && file >> value)
      return value;
  return 0;
}

namespace {
/// The file names of a control group version.
struct GroupFiles {
  const char *most;
  const char *usage;
  const char *cachedFilesKey;
};
} // namespace

static constexpr GroupFiles kVersion1 = {
    "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};
static constexpr GroupFiles kVersion2 = {"/memory.max", "/memory.current",
                                         "inactive_file"};

/// Reduces \p limits to those of one control group.
static void applyGroup(MemoryLimits &limits, const std::string &group,
                       const GroupFiles &files) {
  const std::size_t most = readLimit(group + files.most);
  if (most == SIZE_MAX)
    return;
  limits.total = std::min(limits.total, most);
  std::size_t usage = readLimit(group + files.usage);
  if (usage == SIZE_MAX)
    return;
  // The page cache counts as usage, but can be reclaimed.
  usage -=
      std::min(usage, readField(group + "/memory.stat", files.cachedFilesKey));
  limits.available =
      std::min(limits.available, most > usage ? most - usage : 0);
}

MemoryLimits tinygrad::detail::queryMemoryLimits() {
  MemoryLimits limits;
  const std::string info = "/proc/meminfo";
  const std::size_t swapFree = readField(info, "SwapFree:") << 10;
  limits.total = (readField(info, "MemTotal:") << 10) +
                 (readField(info, "SwapTotal:") << 10);
  limits.available = (readField(info, "MemAvailable:") << 10) + swapFree;
  if (limits.total == 0)
    limits.total = limits.available = SIZE_MAX;

  const std::string root = "/sys/fs/cgroup", memoryRoot = root + "/memory";
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    // "0::/path" is version 2, "4:memory:/path" version 1. In a container, the
    // path may be that outside of the container; then the root is the group
    // itself.
    const std::string path = line.substr(line.rfind(':') + 1);
    if (line.compare(0, 3, "0::") == 0) {
      applyGroup(limits, root + path, kVersion2);
      applyGroup(limits, root, kVersion2);
    } else if (line.find(":memory:") != std::string::npos) {
      applyGroup(limits, memoryRoot + path, kVersion1);
      applyGroup(limits, memoryRoot, kVersion1);
    }
  }
  return limits;
}

static std::string gigabytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f GB", double(bytes) * 1e-9);
  return text;
}

void *HostMemory::allocate(std::size_t bytes, std::string &reason) {
  constexpr std::size_t hugePage = std::size_t(2) << 20;
  // Reading the limits takes about 50 us, little compared with touching so much
  // memory.
  constexpr std::size_t checkFrom = std::size_t(32) << 20;

  const std::size_t others = allocatedBytes.load(std::memory_order_relaxed);
  // Many small requests add up, so they are checked at intervals.
  const bool isDue = others > nextCheck.load(std::memory_order_relaxed);
  if (bytes >= checkFrom || isDue) {
    const MemoryLimits limits = queryMemoryLimits();
    if (bytes > limits.available) {
      reason = gigabytes(limits.available) + " of memory are available";
      return nullptr;
    }
    // Memory that was allocated but not touched still counts as available.
    if (others > limits.total || bytes > limits.total - others) {
      reason = "there are " + gigabytes(limits.total) +
               " of memory, of which " + gigabytes(others) + " are handed out";
      return nullptr;
    }
    nextCheck.store(others + 8 * checkFrom, std::memory_order_relaxed);
  }

  const bool isLarge = bytes >= hugePage;
  void *address = nullptr;
  if (::posix_memalign(&address, isLarge ? hugePage : kMemoryAlignment,
                       bytes) != 0) {
    reason = "the system refused, see ulimit -v";
    return nullptr;
  }
#ifdef MADV_HUGEPAGE
  // The first access costs one page fault per 2 MiB instead of one per 4 KiB.
  if (isLarge)
    ::madvise(address, bytes / hugePage * hugePage, MADV_HUGEPAGE);
#endif
  allocatedBytes.fetch_add(bytes, std::memory_order_relaxed);
  return address;
}

void HostMemory::free(void *address, std::size_t bytes) {
  allocatedBytes.fetch_sub(bytes, std::memory_order_relaxed);
  std::free(address);
}
