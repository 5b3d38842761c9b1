//===- LoopThreads.cpp - oneTBB's threads in forked processes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What fork() does before and after, in the parent and in the child.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/LoopThreads.h"

#include <oneapi/tbb/global_control.h>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

using namespace tinygrad::detail;

namespace {
/// Of this process. Loops and fork() exclude each other by two flags: a loop
/// counts itself and then looks whether a thread forks; fork() says so and then
/// looks at the count.
class Process {
public:
  static Process &get() {
    // Is never destroyed: threads may run loops at the end of the process.
    static Process *const process = new Process;
    return *process;
  }

  bool areLost() const { return lost; }

  /// Returns false if there are no threads for it.
  bool beginLoop();
  void endLoop() { --loops; }

  void add(const BeforeThreadsEnd *listener) {
    const std::lock_guard lock(mutex);
    listeners.push_back(listener);
  }

  void remove(const BeforeThreadsEnd *listener) {
    const std::lock_guard lock(mutex);
    listeners.erase(std::find(listeners.begin(), listeners.end(), listener));
  }

private:
  Process() {
    pthread_atfork([] { get().beforeFork(); }, [] { get().afterFork(); },
                   [] { get().afterForkInChild(); });
  }

  void beforeFork();
  void afterFork();
  void afterForkInChild();

  std::atomic<int> loops = 0;
  std::atomic<bool> isForking = false;
  /// Whether oneTBB may have threads.
  std::atomic<bool> areStarted = false;
  std::atomic<bool> lost = false;
  /// A thread that forks locks it until afterwards.
  std::mutex mutex;
  std::vector<const BeforeThreadsEnd *> listeners;
};
} // namespace

bool Process::beginLoop() {
  if (lost)
    return false;
  ++loops;
  while (isForking) {
    --loops;
    const std::lock_guard lock(mutex);
    ++loops;
  }
  if (!areStarted)
    areStarted = true;
  return true;
}

void Process::beforeFork() {
  mutex.lock();
  isForking = true;
  if (lost || !areStarted || loops != 0)
    return;
  for (const BeforeThreadsEnd *listener : listeners)
    listener->call();
  tbb::task_scheduler_handle threads{tbb::attach{}};
  if (tbb::finalize(threads, std::nothrow))
    areStarted = false;
}

void Process::afterFork() {
  isForking = false;
  mutex.unlock();
}

void Process::afterForkInChild() {
  if (areStarted)
    lost = true;
  // Loops of other threads do not go on here.
  loops = 0;
  afterFork();
}

LoopThreads::LoopThreads() : isCounted(Process::get().beginLoop()) {}

LoopThreads::~LoopThreads() {
  if (isCounted)
    Process::get().endLoop();
}

bool LoopThreads::areLost() { return Process::get().areLost(); }

BeforeThreadsEnd::BeforeThreadsEnd(std::function<void()> function)
    : function(std::move(function)) {
  Process::get().add(this);
}

BeforeThreadsEnd::~BeforeThreadsEnd() { Process::get().remove(this); }
