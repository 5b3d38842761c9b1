//===- Interrupts.h - work without the interpreter lock ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_PYTHON_INTERRUPTS_H
#define TINYGRAD_PYTHON_INTERRUPTS_H

#include "TinyGrad/Runtime/Interrupt.h"

#include <nanobind/nanobind.h>

#include <optional>

namespace tinygrad::python {

/// Releases the interpreter lock until the end of a scope. In the main thread,
/// Ctrl-C stops what is compiled and computed in it by an exception, which
/// becomes a KeyboardInterrupt.
class Unlocked {
public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

private:
  const bool wasUnlocked;
  std::optional<InterruptScope> interrupt;
  nanobind::gil_scoped_release release;
};

/// Takes the interpreter lock until the end of a scope, also inside of
/// Unlocked.
class Locked {
public:
  Locked();
  ~Locked();
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  nanobind::gil_scoped_acquire acquire;
  const bool wasUnlocked;
};

} // namespace tinygrad::python

#endif // TINYGRAD_PYTHON_INTERRUPTS_H
