//===- Interrupt.cpp - stopping computations, and waiting -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The question of each thread.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Interrupt.h"

#include <ctime>

using namespace tinygrad;
using namespace tinygrad::detail;

Interrupted::Interrupted() : Error("interrupted") {}
Interrupted::~Interrupted() = default;

static thread_local Interrupt *currentInterrupt = nullptr;
static std::atomic<AroundWait> aroundWait = nullptr;

Interrupt *Interrupt::current() { return currentInterrupt; }

Interrupt *Interrupt::exchange(Interrupt *interrupt) {
  return std::exchange(currentInterrupt, interrupt);
}

/// A clock that is read in a few nanoseconds, and steps every few milliseconds.
static int64_t readClock() {
#ifdef CLOCK_MONOTONIC_COARSE
  constexpr clockid_t clock = CLOCK_MONOTONIC_COARSE;
#else
  constexpr clockid_t clock = CLOCK_MONOTONIC;
#endif
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

bool Interrupt::isRequested() {
  if (isStopped.load(std::memory_order_relaxed))
    return true;
  if (currentInterrupt != this)
    return false;
  // The first question is not asked at once: most work takes less time.
  constexpr int64_t kBetween = 50'000'000;
  const int64_t now = readClock();
  if (lastAsked == 0)
    lastAsked = now;
  if (now - lastAsked < kBetween)
    return false;
  lastAsked = now;
  if (ask())
    isStopped.store(true, std::memory_order_relaxed);
  return isStopped.load(std::memory_order_relaxed);
}

void tinygrad::setAroundWait(AroundWait function) { aroundWait = function; }

void tinygrad::detail::waitAround(void (*wait)(void *), void *argument) {
  if (const AroundWait around = aroundWait)
    around(wait, argument);
  else
    wait(argument);
}
