//===- Fibers.h - functions that can be suspended ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the simulator: a stack of its own for each work item that waits.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_DEVICES_FIBERS_H
#define TINYGRAD_LIB_RUNTIME_DEVICES_FIBERS_H

#include "TinyGrad/Runtime/ForkJoin.h"

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TINYGRAD_ADDRESS_SANITIZER 1
#endif
#endif

namespace tinygrad::detail {

/// A stack on which functions run, one at a time. Stays on the thread that
/// began the function until that has returned or was abandoned.
class Fiber {
public:
  using Function = void (*)(Fiber &fiber, void *argument);

  /// Stacks with different numbers use different sets of a cache. Throws
  /// DeviceError if there is no memory.
  explicit Fiber(unsigned number);
  /// Abandons the function.
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Calls function(*this, argument); returns when that suspends or returns.
  void start(Function function, void *argument);
  /// Continues a suspended function; returns when that suspends or returns.
  void resume();
  /// Called on the fiber: returns to the caller of start or resume.
  void suspend();

  /// Whether no function is running or suspended.
  bool isIdle() const { return !function; }
  /// Ends a suspended function without unwinding its frames: code that was
  /// generated has no tables for that. What they own is lost.
  void abandon();

private:
  struct Entry; // where the stack begins

  void switchBack(bool isLast);

  char *memory = nullptr; // the guard page, then the stack
  char *top = nullptr;
  void *context = nullptr;       // null before the stack is used
  void *callerContext = nullptr; // while the fiber runs
  Function function = nullptr;
  void *argument = nullptr;

#ifdef TINYGRAD_ADDRESS_SANITIZER
  bool isEnding = false;
  const void *callerStack = nullptr;
  std::size_t callerStackBytes = 0;
  // What the sanitizer keeps of each of the two while the other one runs.
  void *fiberState = nullptr;
  void *callerState = nullptr;
#endif
#ifdef TINYGRAD_THREAD_SANITIZER
  void *fiberThread = nullptr;
  void *callerThread = nullptr;
#endif
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_DEVICES_FIBERS_H
