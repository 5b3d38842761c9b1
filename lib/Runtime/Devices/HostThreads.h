//===- HostThreads.h - the threads of a device on the host ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What devices that compute on the host's processor have in common: parallel
/// loops, copies and sorting.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_HOSTTHREADS_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_HOSTTHREADS_H

#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/ForkJoin.h"
#include "TinyGrad/Runtime/LoopThreads.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tinygrad::detail {

/// A number of oneTBB's threads. Thread-safe.
class HostThreads {
public:
  explicit HostThreads(unsigned number);
  HostThreads(const HostThreads &) = delete;
  HostThreads &operator=(const HostThreads &) = delete;
  ~HostThreads();

  unsigned number() const { return count; }

  /// Calls body(begin, end) for parts of [0, extent) on all threads, for at
  /// least \p grain items each. There are at least \p minParts of them if each
  /// of so many gets \p grain items.
  template <typename Body>
  void parallel(int64_t extent, int64_t grain, const Body &body,
                int64_t minParts = 0);

  void copy(void *destination, const void *source, std::size_t bytes);

  /// Device::sort.
  void sort(void *positions, const void *keys, const SortShape &shape,
            const int64_t *values);

private:
  /// Several parts per thread balance delays of single threads; a part costs
  /// about 0.1 us.
  static constexpr int64_t kPartsPerThread = 4;

  const unsigned count;
  /// Allows oneTBB more threads than CPUs if that many are asked for.
  std::unique_ptr<tbb::global_control> moreThreads;
  /// Runs loops if the number differs from oneTBB's default.
  std::unique_ptr<tbb::task_arena> arena;
  std::optional<BeforeThreadsEnd> endArena;
};

template <typename Body>
void HostThreads::parallel(int64_t extent, int64_t grain, const Body &body,
                           int64_t minParts) {
  const int64_t threads = count;
  grain = std::max<int64_t>(grain, 1);
  const int64_t usual = threads > 1 ? threads * kPartsPerThread : 1;
  const int64_t parts = std::min(extent / grain, std::max(usual, minParts));
  if (parts <= 1) {
    body(int64_t(0), extent);
    return;
  }
  auto runPart = [&](int64_t part) {
    // The first `extent % parts` parts have one item more.
    const int64_t size = extent / parts, rest = extent % parts;
    const int64_t begin = part * size + std::min(part, rest);
    body(begin, begin + size + (part < rest));
  };
  auto runOnThisThread = [&] {
    for (int64_t part = 0; part < parts; ++part)
      runPart(part);
  };
  if (threads <= 1)
    return runOnThisThread();
  const LoopThreads areThere;
  if (!areThere)
    return runOnThisThread();
  ForkJoin loop;
  auto task = loop.wrap(runPart);
  auto run = [&]() TINYGRAD_NO_THREAD_SANITIZER {
    tbb::parallel_for(int64_t(0), parts, task, tbb::simple_partitioner());
  };
  loop.fork();
  if (arena)
    arena->execute(run);
  else
    run();
}

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_HOSTTHREADS_H
