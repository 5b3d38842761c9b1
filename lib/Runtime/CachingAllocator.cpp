//===- CachingAllocator.cpp - reuse of freed device memory ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Size classes and free lists.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/CachingAllocator.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <bit>
#include <cstdint>

using namespace tinygrad;

MemorySource::~MemorySource() = default;

CachingAllocator::CachingAllocator(MemorySource &source, std::string ownerName)
    : source(source), ownerName(std::move(ownerName)) {}

CachingAllocator::~CachingAllocator() { releaseCached(); }

std::size_t CachingAllocator::sizeClass(std::size_t bytes) {
  constexpr std::size_t smallest = kMemoryAlignment;
  constexpr std::size_t exactFrom = std::size_t(64) << 20;
  constexpr std::size_t hugePage = std::size_t(2) << 20;
  if (bytes <= smallest)
    return smallest;
  std::size_t step = hugePage;
  if (bytes < exactFrom) {
    // Eight classes per power of two waste at most a ninth.
    const int log2 = std::bit_width(bytes - 1) - 1;
    step = std::max(smallest, std::size_t(1) << log2 >> 3);
  }
  if (bytes > SIZE_MAX - step)
    return 0;
  return (bytes + step - 1) / step * step;
}

void *CachingAllocator::allocateFromSource(std::size_t size,
                                           std::string &reason) {
  const uint64_t limit = deviceMemoryLimit();
  if (limit != 0 && (size > limit || fromSource > limit - size)) {
    reason = "MEMLIMIT allows " + std::to_string(limit) + " bytes";
    return nullptr;
  }
  void *address = source.allocateRaw(size, reason);
  if (address)
    fromSource += size;
  return address;
}

void CachingAllocator::freeToSource(void *address, std::size_t size) {
  fromSource -= size;
  source.freeRaw(address, size);
}

void *CachingAllocator::allocate(std::size_t bytes) {
  const std::size_t size = sizeClass(bytes);
  std::lock_guard<std::mutex> lock(mutex);
  void *address = nullptr;
  std::string reason = "no machine has that much memory";
  if (size != 0) {
    auto list = freeLists.find(size);
    if (list != freeLists.end() && !list->second.empty()) {
      address = list->second.back();
      list->second.pop_back();
      cached -= size;
    } else {
      address = allocateFromSource(size, reason);
      if (!address && cached != 0) {
        releaseCachedLocked();
        address = allocateFromSource(size, reason);
      }
    }
  }
  if (!address)
    throw OutOfMemoryError(ownerName, bytes, inUse, reason);
  inUse += bytes;
  GlobalCounters::addMemory(int64_t(bytes));
  return address;
}

void CachingAllocator::free(void *address, std::size_t bytes) {
  if (!address)
    return;
  const std::size_t size = sizeClass(bytes);
  const bool keep = cacheFreedMemory();
  std::lock_guard<std::mutex> lock(mutex);
  inUse -= bytes;
  GlobalCounters::addMemory(-int64_t(bytes));
  if (!keep) {
    freeToSource(address, size);
    return;
  }
  freeLists[size].push_back(address);
  cached += size;
}

void CachingAllocator::releaseCached() {
  std::lock_guard<std::mutex> lock(mutex);
  releaseCachedLocked();
}

void CachingAllocator::releaseCachedLocked() {
  for (auto &[size, blocks] : freeLists)
    for (void *address : blocks)
      freeToSource(address, size);
  freeLists.clear();
  cached = 0;
}

std::size_t CachingAllocator::bytesInUse() const {
  std::lock_guard<std::mutex> lock(mutex);
  return inUse;
}

std::size_t CachingAllocator::bytesCached() const {
  std::lock_guard<std::mutex> lock(mutex);
  return cached;
}
