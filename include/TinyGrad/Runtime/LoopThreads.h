//===- LoopThreads.h - oneTBB's threads in forked processes -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A process that forks has one thread in its child. oneTBB's data say that
/// the others exist, and their mutexes may be locked for ever, so that a loop
/// or the end of the child may hang. So fork() first ends oneTBB's threads,
/// which the next loop starts again: in the parent as in the child. They cannot
/// be ended while another thread runs a loop, or as long as another thread
/// lives that ran one; in such a child loops run on the calling thread alone.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_LOOPTHREADS_H
#define TINYGRAD_RUNTIME_LOOPTHREADS_H

#include <functional>

namespace tinygrad::detail {

/// Must exist while a thread runs a loop of oneTBB, from before it until after
/// it. The constructor waits while another thread forks.
class LoopThreads {
public:
  LoopThreads();
  LoopThreads(const LoopThreads &) = delete;
  LoopThreads &operator=(const LoopThreads &) = delete;
  ~LoopThreads();

  /// False if oneTBB must not be called: the threads were lost in a fork.
  explicit operator bool() const { return isCounted; }

  /// Whether this process is a child without the threads of its parent.
  static bool areLost();

private:
  bool isCounted = false;
};

/// Calls a function before oneTBB's threads are ended, when no loop runs.
class BeforeThreadsEnd {
public:
  explicit BeforeThreadsEnd(std::function<void()> function);
  BeforeThreadsEnd(const BeforeThreadsEnd &) = delete;
  BeforeThreadsEnd &operator=(const BeforeThreadsEnd &) = delete;
  ~BeforeThreadsEnd();

  void call() const { function(); }

private:
  const std::function<void()> function;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_RUNTIME_LOOPTHREADS_H
