//===- Interrupt.h - stopping computations, and waiting ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How a program stops a compilation or a computation that takes too long, and
/// what it does while a thread waits for another one.
///
/// \code
///   const InterruptScope scope([] { return userAskedToStop; });
///   try {
///     tensor.realize();
///   } catch (const Interrupted &) {
///     // The tensor has no values yet; realize() can be called again.
///   }
/// \endcode
///
/// The library asks between the passes over a graph, before each kernel that is
/// compiled, before each launch on a CPU and each program on another device,
/// and between the parts of a kernel of a CPU that is estimated to take more
/// than about 20 ms. Not stopped are: the compilation of one kernel; a kernel
/// without parallel work items; sorts, copies and files; a kernel of a GPU, for
/// which threads wait in the driver.
///
/// A stopped program has changed no values: its tensors remain without them
/// (programs of the same call that ran before it are done), and a program that
/// assigns is not stopped from its first kernel on that writes to memory of a
/// tensor.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_INTERRUPT_H
#define TINYGRAD_RUNTIME_INTERRUPT_H

#include "TinyGrad/Runtime/Error.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace tinygrad {

/// A compilation or a computation was stopped by the question of an
/// InterruptScope.
class Interrupted : public Error {
public:
  Interrupted();
  ~Interrupted() override;
};

namespace detail {
/// The innermost question of a thread. Threads that work for that one read
/// whether the answer was yes.
class Interrupt {
public:
  explicit Interrupt(std::function<bool()> isRequested)
      : ask(std::move(isRequested)) {}

  /// That of this thread; null if there is none, or it is not to be stopped.
  static Interrupt *current();
  /// Makes \p interrupt the one of this thread; returns the one before.
  static Interrupt *exchange(Interrupt *interrupt);

  /// Whether the work is to be stopped. Only the thread whose question it is
  /// asks it, once in a while.
  bool isRequested();
  /// Throws Interrupted if the work is to be stopped.
  void check() {
    if (isRequested())
      throw Interrupted();
  }

private:
  const std::function<bool()> ask;
  std::atomic<bool> isStopped = false;
  int64_t lastAsked = 0; ///< in nanoseconds
};
} // namespace detail

/// Until the end of the scope, what this thread compiles and runs asks whether
/// to stop: at most every 50 ms, on this thread, and with locks of graphs held.
/// The question must not use tensors, and must not throw. Once it was answered
/// by yes, everything in the scope throws Interrupted.
class InterruptScope {
public:
  explicit InterruptScope(std::function<bool()> isRequested)
      : interrupt(std::move(isRequested)),
        outer(detail::Interrupt::exchange(&interrupt)) {}
  ~InterruptScope() { detail::Interrupt::exchange(outer); }
  InterruptScope(const InterruptScope &) = delete;
  InterruptScope &operator=(const InterruptScope &) = delete;

private:
  detail::Interrupt interrupt;
  detail::Interrupt *outer;
};

/// Until the end of the scope, nothing of this thread is stopped.
class UninterruptedScope {
public:
  UninterruptedScope() : outer(detail::Interrupt::exchange(nullptr)) {}
  ~UninterruptedScope() { detail::Interrupt::exchange(outer); }
  UninterruptedScope(const UninterruptedScope &) = delete;
  UninterruptedScope &operator=(const UninterruptedScope &) = delete;

private:
  detail::Interrupt *outer;
};

/// Throws Interrupted if the innermost InterruptScope of this thread is to be
/// stopped.
inline void checkInterrupt() {
  if (detail::Interrupt *interrupt = detail::Interrupt::current())
    interrupt->check();
}

/// What a language whose threads have a lock of their own, such as Python, does
/// when a thread waits until another one is done with a graph or has compiled a
/// kernel: release that lock, call \p wait with \p argument, and take the lock
/// again. Must not throw. The wait is not stopped by an InterruptScope.
using AroundWait = void (*)(void (*wait)(void *), void *argument);
/// Sets it for the process; null for none.
void setAroundWait(AroundWait function);

namespace detail {
/// Calls \p wait as setAroundWait() says.
void waitAround(void (*wait)(void *), void *argument);
template <typename Wait> void waitAround(Wait &&wait) {
  waitAround(
      [](void *argument) {
        (*static_cast<std::remove_reference_t<Wait> *>(argument))();
      },
      &wait);
}
} // namespace detail

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_INTERRUPT_H
