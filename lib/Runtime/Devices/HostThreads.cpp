//===- HostThreads.cpp - the threads of a device on the host --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Copies and sorting in parallel.
///
//===----------------------------------------------------------------------===//

#include "HostThreads.h"
#include "SortRow.h"

#include <oneapi/tbb/info.h>

#include <cstring>
#include <functional>

using namespace tinygrad;
using namespace tinygrad::detail;

HostThreads::HostThreads(unsigned number) : count(number) {
  const LoopThreads areThere;
  if (!areThere)
    return;
  const int threads = int(number);
  const int usual = tbb::info::default_concurrency();
  if (threads > usual)
    moreThreads = std::make_unique<tbb::global_control>(
        tbb::global_control::max_allowed_parallelism, threads);
  if (threads != usual) {
    arena = std::make_unique<tbb::task_arena>(threads);
    endArena.emplace([this] { arena->terminate(); });
  }
}

HostThreads::~HostThreads() {
  const LoopThreads areThere;
  endArena.reset();
  if (areThere) {
    arena.reset();
    moreThreads.reset();
  } else {
    // Their destructors would call oneTBB.
    static_cast<void>(arena.release());
    static_cast<void>(moreThreads.release());
  }
}

void HostThreads::copy(void *destination, const void *source,
                       std::size_t bytes) {
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

void HostThreads::sort(void *positions, const void *keys,
                       const SortShape &shape, const int64_t *values) {
  const int64_t length = shape.length.evaluate(values);
  if (length <= 0)
    return;
  auto sortRows = [&](int64_t begin, int64_t end, const Parts &parts) {
    for (int64_t row = begin; row < end; ++row)
      sortRow(
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
  const int64_t threads = count;
  const int64_t numParts = std::min(threads, length / minPart);
  if (shape.rows < threads && numParts > 1) {
    Parts parts;
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
