//===- CachingAllocator.h - reuse of freed device memory --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Free lists of device memory by size class. Newly mapped memory is far more
/// expensive than reused memory (page faults on a CPU, a driver call on a GPU),
/// and programs request the same sizes repeatedly.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_CACHINGALLOCATOR_H
#define TINYGRAD_RUNTIME_CACHINGALLOCATOR_H

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tinygrad {

/// Alignment in bytes of the memory that devices allocate.
inline constexpr std::size_t kMemoryAlignment = 64;

/// Where a CachingAllocator gets memory from: a device.
class MemorySource {
public:
  virtual ~MemorySource();

  /// Returns memory of exactly \p bytes (never 0), or null with the cause in
  /// \p reason ("3.1 GB of physical memory are left").
  virtual void *allocateRaw(std::size_t bytes, std::string &reason) = 0;
  /// Frees what allocateRaw returned for \p bytes.
  virtual void freeRaw(void *address, std::size_t bytes) = 0;
};

/// Thread-safe allocator over a MemorySource. A freed block is cached in the
/// free list of its size class. When the source is out of memory, or the
/// MEMLIMIT setting would be exceeded, all cached blocks are returned to it,
/// and the allocation is tried again.
class CachingAllocator {
public:
  /// \p source must outlive the allocator; \p ownerName appears in errors.
  CachingAllocator(MemorySource &source, std::string ownerName);
  ~CachingAllocator();
  CachingAllocator(const CachingAllocator &) = delete;
  CachingAllocator &operator=(const CachingAllocator &) = delete;

  /// Throws OutOfMemoryError. Zero bytes give a valid, unique address.
  void *allocate(std::size_t bytes);
  /// \p bytes is what allocate was called with.
  void free(void *address, std::size_t bytes);

  /// Returns all cached blocks to the source.
  void releaseCached();

  /// Bytes requested by live blocks, and bytes cached in free lists.
  std::size_t bytesInUse() const;
  std::size_t bytesCached() const;

  /// The size a request of \p bytes is rounded up to: 64 bytes at least, then
  /// eight classes per power of two, then multiples of 2 MiB from 64 MiB on.
  /// Returns 0 when the rounded size does not fit std::size_t.
  static std::size_t sizeClass(std::size_t bytes);

private:
  void releaseCachedLocked();
  void *allocateFromSource(std::size_t size, std::string &reason);
  void freeToSource(void *address, std::size_t size);

  MemorySource &source;
  std::string ownerName;
  mutable std::mutex mutex;
  std::map<std::size_t, std::vector<void *>> freeLists;
  std::size_t inUse = 0;
  std::size_t cached = 0;
  std::size_t fromSource = 0; // live and cached blocks, by their size classes
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_CACHINGALLOCATOR_H
