//===- Counters.h - process-wide counters -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Counts what the process has run, compiled and allocated so far.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_COUNTERS_H
#define TINYGRAD_RUNTIME_COUNTERS_H

#include <atomic>
#include <cstdint>

namespace tinygrad {

/// Process-wide counters. Each is exact; reading several while other threads
/// run gives no consistent snapshot.
struct GlobalCounters {
  /// Launched kernels and copies.
  static std::atomic<int64_t> kernelCount;
  /// Estimated arithmetic operations and bytes moved by them.
  static std::atomic<int64_t> globalOps;
  static std::atomic<int64_t> globalMem;
  /// Device time of launches; measured at DEBUG >= 2 only.
  static std::atomic<double> timeSumSeconds;
  /// Bytes held by live buffers on all devices.
  static std::atomic<int64_t> memUsed;
  /// Highest value memUsed has had since the last reset.
  static std::atomic<int64_t> memPeak;

  /// Kernels compiled from scratch, and lookups answered by a cache instead.
  static std::atomic<int64_t> kernelsCompiled;
  static std::atomic<int64_t> memoryCacheHits;
  static std::atomic<int64_t> diskCacheHits;
  static std::atomic<int64_t> scheduleCacheHits;
  /// Schedules of kernels that were not valid, or of which no code could be
  /// made, and that simpler ones replaced. Not zero only if the compiler has a
  /// fault.
  static std::atomic<int64_t> schedulesRefused;

  /// Sets every counter to zero, except memUsed (the buffers still exist) and
  /// memPeak, which restarts at memUsed.
  static void reset();

  /// Book-keeping of buffers: adds \p bytes (may be negative) to memUsed.
  static void addMemory(int64_t bytes);
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_COUNTERS_H
