//===- Counters.cpp - process-wide counters -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The counters and their reset.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Counters.h"

using namespace tinygrad;

std::atomic<int64_t> GlobalCounters::kernelCount{0};
std::atomic<int64_t> GlobalCounters::globalOps{0};
std::atomic<int64_t> GlobalCounters::globalMem{0};
std::atomic<double> GlobalCounters::timeSumSeconds{0};
std::atomic<int64_t> GlobalCounters::memUsed{0};
std::atomic<int64_t> GlobalCounters::memPeak{0};
std::atomic<int64_t> GlobalCounters::kernelsCompiled{0};
std::atomic<int64_t> GlobalCounters::memoryCacheHits{0};
std::atomic<int64_t> GlobalCounters::diskCacheHits{0};
std::atomic<int64_t> GlobalCounters::scheduleCacheHits{0};
std::atomic<int64_t> GlobalCounters::schedulesRefused{0};

void GlobalCounters::reset() {
  for (std::atomic<int64_t> *counter :
       {&kernelCount, &globalOps, &globalMem, &kernelsCompiled,
        &memoryCacheHits, &diskCacheHits, &scheduleCacheHits,
        &schedulesRefused})
    counter->store(0);
  timeSumSeconds.store(0);
  memPeak.store(memUsed.load());
}

void GlobalCounters::addMemory(int64_t bytes) {
  const int64_t now =
      memUsed.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t peak = memPeak.load(std::memory_order_relaxed);
  while (now > peak &&
         !memPeak.compare_exchange_weak(peak, now, std::memory_order_relaxed))
    ;
}
