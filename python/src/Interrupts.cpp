//===- Interrupts.cpp - work without the interpreter lock -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ctrl-C during a computation, and threads that wait for one another.
///
/// Handlers of signals are Python functions, which could use tensors: they
/// cannot run in the middle of a computation. So that is only asked whether
/// SIGINT has arrived, and stopped if the handler is Python's own, which raises
/// KeyboardInterrupt. Any other handler runs after the computation.
///
//===----------------------------------------------------------------------===//

#include "Interrupts.h"
#include "Convert.h"

#include <csignal>
#include <utility>

using namespace tinygrad;
using namespace tinygrad::python;

/// Whether this thread has released the interpreter lock by Unlocked.
static thread_local bool isUnlocked = false;

/// Set when the module is imported, and never freed.
static unsigned long mainThread;
static PyObject *getHandler, *signalNumber, *usualHandler;

/// Whether Ctrl-C was pressed and is to raise KeyboardInterrupt. Called without
/// the interpreter lock, in the main thread.
static bool isStopRequested() {
  const Locked locked;
  if (!PyOS_InterruptOccurred())
    return false;
  const nb::object handler = nb::steal(
      PyObject_CallFunctionObjArgs(getHandler, signalNumber, nullptr));
  if (!handler.is_valid())
    PyErr_Clear();
  else if (handler.ptr() == usualHandler)
    return true;
  // The handler will run when the interpreter does.
  PyErr_SetInterrupt();
  return false;
}

Unlocked::Unlocked() : wasUnlocked(std::exchange(isUnlocked, true)) {
  if (PyThread_get_thread_ident() == mainThread)
    interrupt.emplace(isStopRequested);
}

Unlocked::~Unlocked() { isUnlocked = wasUnlocked; }

Locked::Locked() : wasUnlocked(std::exchange(isUnlocked, false)) {}
Locked::~Locked() { isUnlocked = wasUnlocked; }

/// AroundWait: the thread that is waited for may need the interpreter lock.
static void waitUnlocked(void (*wait)(void *), void *argument) {
  // A thread that Python does not know holds no lock.
  if (isUnlocked || !PyGILState_GetThisThreadState())
    return wait(argument);
  const Unlocked unlocked;
  wait(argument);
}

void tinygrad::python::bindInterrupts() {
  mainThread = nb::cast<unsigned long>(
      nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  // The functions in C: no code of Python runs in a question.
  const nb::module_ signals = nb::module_::import_("_signal");
  getHandler = nb::object(signals.attr("getsignal")).release().ptr();
  usualHandler =
      nb::object(signals.attr("default_int_handler")).release().ptr();
  signalNumber = nb::int_(SIGINT).release().ptr();
  setAroundWait(waitUnlocked);
}
