//===- AllocatorTest.cpp - the caching allocator --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Size classes, reuse, behavior at the limit, threads.
///
//===----------------------------------------------------------------------===//

#include "TestKernels.h"
#include "TinyGrad/Runtime/CachingAllocator.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

namespace {
/// A memory source with a limit that checks what is freed.
class BoundedSource : public MemorySource {
public:
  explicit BoundedSource(std::size_t capacity) : capacity(capacity) {}
  ~BoundedSource() override { EXPECT_TRUE(blocks.empty()); }

  void *allocateRaw(std::size_t bytes, std::string &reason) override {
    ++numCalls;
    if (bytes > capacity - used) {
      reason = "the source is full";
      return nullptr;
    }
    used += bytes;
    void *address = std::malloc(bytes);
    blocks[address] = bytes;
    return address;
  }
  void freeRaw(void *address, std::size_t bytes) override {
    auto it = blocks.find(address);
    ASSERT_NE(it, blocks.end());
    EXPECT_EQ(it->second, bytes);
    used -= bytes;
    std::free(address);
    blocks.erase(it);
  }

  std::size_t capacity;
  std::size_t used = 0;
  unsigned numCalls = 0;
  std::map<void *, std::size_t> blocks;
};
} // namespace

TEST(CachingAllocator, sizeClassesWasteLittle) {
  EXPECT_EQ(CachingAllocator::sizeClass(0), 64u);
  EXPECT_EQ(CachingAllocator::sizeClass(64), 64u);
  EXPECT_EQ(CachingAllocator::sizeClass(65), 128u);
  EXPECT_EQ(CachingAllocator::sizeClass(4096), 4096u);
  std::size_t previous = 0;
  for (std::size_t bytes = 1; bytes < (std::size_t(1) << 34);
       bytes += 1 + bytes / 37) {
    const std::size_t size = CachingAllocator::sizeClass(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_GE(size, previous);
    EXPECT_LE(double(size - bytes), std::max(64.0, double(bytes) / 8));
    EXPECT_EQ(CachingAllocator::sizeClass(size), size);
    EXPECT_EQ(size % 64, 0u);
    previous = size;
  }
  EXPECT_EQ(CachingAllocator::sizeClass(SIZE_MAX), 0u);
}

TEST(CachingAllocator, reusesFreedMemory) {
  BoundedSource source(1 << 20);
  CachingAllocator allocator(source, "TEST");
  const int64_t usedBefore = GlobalCounters::memUsed;
  void *first = allocator.allocate(1000);
  EXPECT_EQ(allocator.bytesInUse(), 1000u);
  EXPECT_EQ(GlobalCounters::memUsed, usedBefore + 1000);
  allocator.free(first, 1000);
  EXPECT_EQ(allocator.bytesInUse(), 0u);
  EXPECT_EQ(allocator.bytesCached(), 1024u);
  EXPECT_EQ(GlobalCounters::memUsed, usedBefore);
  // Another size of the same class.
  void *second = allocator.allocate(1020);
  EXPECT_EQ(second, first);
  EXPECT_EQ(source.numCalls, 1u);
  EXPECT_EQ(allocator.bytesCached(), 0u);
  allocator.free(second, 1020);
  allocator.releaseCached();
  EXPECT_EQ(source.used, 0u);
}

TEST(CachingAllocator, zeroBytesGiveUniqueAddresses) {
  BoundedSource source(1 << 20);
  CachingAllocator allocator(source, "TEST");
  void *a = allocator.allocate(0), *b = allocator.allocate(0);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  allocator.free(a, 0);
  allocator.free(b, 0);
  allocator.free(nullptr, 17);
}

TEST(CachingAllocator, canBeSwitchedOff) {
  BoundedSource source(1 << 20);
  CachingAllocator allocator(source, "TEST");
  Context off({{"LRU", 0}});
  allocator.free(allocator.allocate(5000), 5000);
  EXPECT_EQ(source.used, 0u);
  EXPECT_EQ(allocator.bytesCached(), 0u);
}

TEST(CachingAllocator, givesBackBeforeItFails) {
  BoundedSource source(10240);
  CachingAllocator allocator(source, "TEST");
  void *kept = allocator.allocate(1024);
  allocator.free(allocator.allocate(8192), 8192);
  // 9216 of 10240 bytes are allocated, most of them only cached.
  void *other = allocator.allocate(4096);
  EXPECT_EQ(allocator.bytesCached(), 0u);

  const std::string message =
      messageOf<OutOfMemoryError>([&] { allocator.allocate(8000); });
  EXPECT_THAT(message, HasSubstr("TEST"));
  EXPECT_THAT(message, HasSubstr("8000 bytes asked for"));
  EXPECT_THAT(message, HasSubstr("5120 bytes in use"));
  EXPECT_THAT(message, HasSubstr("the source is full"));
  EXPECT_EQ(allocator.bytesInUse(), 5120u);

  try {
    allocator.allocate(SIZE_MAX);
    FAIL();
  } catch (const OutOfMemoryError &error) {
    EXPECT_EQ(error.bytesAsked(), SIZE_MAX);
    EXPECT_EQ(error.bytesInUse(), 5120u);
  }
  // The allocator is still usable.
  void *last = allocator.allocate(5000);
  allocator.free(last, 5000);
  allocator.free(other, 4096);
  allocator.free(kept, 1024);
}

TEST(CachingAllocator, hasALimit) {
  BoundedSource source(std::size_t(1) << 30);
  CachingAllocator allocator(source, "TEST");
  Context limit({{"MEMLIMIT", 2}});
  void *first = allocator.allocate(1 << 20);
  allocator.free(allocator.allocate(1 << 20), 1 << 20);
  // The cached block is returned first, as it counts too.
  void *second = allocator.allocate(1000);
  EXPECT_EQ(allocator.bytesCached(), 0u);
  EXPECT_THAT(messageOf<OutOfMemoryError>([&] { allocator.allocate(1 << 20); }),
              HasSubstr("MEMLIMIT allows 2097152 bytes"));
  allocator.free(second, 1000);
  allocator.free(first, 1 << 20);
}

TEST(CachingAllocator, threadsDoNotShareBlocks) {
  BoundedSource source(std::size_t(1) << 30);
  CachingAllocator allocator(source, "TEST");
  std::vector<std::thread> threads;
  for (unsigned id = 1; id <= 4; ++id)
    threads.emplace_back([&allocator, id] {
      for (int i = 0; i < 3000; ++i) {
        const std::size_t bytes = 8 + std::size_t(i * 37 % 700) * 8;
        void *block = allocator.allocate(bytes);
        std::memset(block, int(id), bytes);
        std::this_thread::yield();
        for (std::size_t j = 0; j < bytes; j += 8)
          ASSERT_EQ(static_cast<unsigned char *>(block)[j], id);
        allocator.free(block, bytes);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(allocator.bytesInUse(), 0u);
}
