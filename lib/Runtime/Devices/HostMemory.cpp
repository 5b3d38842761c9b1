//===- HostMemory.cpp - memory of the machine -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Limits from /proc and control groups, and aligned allocation.
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

/// Reads a file that holds one number; "max" and anything else is no limit.
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
/// What the files of a control group are called.
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

/// Lowers \p limits to what one control group allows.
static void applyGroup(MemoryLimits &limits, const std::string &group,
                       const GroupFiles &files) {
  const std::size_t most = readLimit(group + files.most);
  if (most == SIZE_MAX)
    return;
  limits.total = std::min(limits.total, most);
  std::size_t usage = readLimit(group + files.usage);
  if (usage == SIZE_MAX)
    return;
  // Cached files count as usage but give way.
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
    // "0::/path" is version 2, "4:memory:/path" version 1. In a container the
    // path can be that of the outside; the root is then the group itself.
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
  // Looking up the limits takes some 50 us, a small part of touching this much.
  constexpr std::size_t checkFrom = std::size_t(32) << 20;

  const std::size_t others = handedOut.load(std::memory_order_relaxed);
  // Many small requests add up, too.
  const bool isDue = others > nextCheck.load(std::memory_order_relaxed);
  if (bytes >= checkFrom || isDue) {
    const MemoryLimits limits = queryMemoryLimits();
    if (bytes > limits.available) {
      reason = gigabytes(limits.available) + " of memory are available";
      return nullptr;
    }
    // What was handed out but not touched yet still looks available.
    if (others > limits.total || bytes > limits.total - others) {
      reason = "there are " + gigabytes(limits.total) +
               " of memory, of which " + gigabytes(others) + " are handed out";
      return nullptr;
    }
    nextCheck.store(others + 8 * checkFrom, std::memory_order_relaxed);
  }

  const bool isLarge = bytes >= hugePage;
  void *address = nullptr;
  if (::posix_memalign(&address, isLarge ? hugePage : memoryAlignment, bytes) !=
      0) {
    reason = "the system refused, see ulimit -v";
    return nullptr;
  }
#ifdef MADV_HUGEPAGE
  // First touch costs a page fault per 2 MiB instead of one per 4 KiB.
  if (isLarge)
    ::madvise(address, bytes / hugePage * hugePage, MADV_HUGEPAGE);
#endif
  handedOut.fetch_add(bytes, std::memory_order_relaxed);
  return address;
}

void HostMemory::free(void *address, std::size_t bytes) {
  handedOut.fetch_sub(bytes, std::memory_order_relaxed);
  std::free(address);
}
