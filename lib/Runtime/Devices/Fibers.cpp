//===- Fibers.cpp - functions that can be suspended -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Stacks, and switching with the context functions of Boost, which only
/// exchange registers. Sanitizers are told of every switch.
///
//===----------------------------------------------------------------------===//

#include "Fibers.h"
#include "TinyGrad/Runtime/Error.h"

#include <boost/context/detail/fcontext.hpp>

#include <sys/mman.h>

#ifdef TINYGRAD_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef TINYGRAD_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

using namespace tinygrad;
using namespace tinygrad::detail;
namespace context = boost::context::detail;

/// A work item may have many tiles of up to 4 KiB, 64 KiB together, and LLVM
/// keeps as many bytes of values of a long body there.
static constexpr std::size_t kStackBytes = std::size_t(256) << 10;
static constexpr std::size_t kGuardBytes = std::size_t(4) << 10;
static constexpr std::size_t kMappedBytes = kGuardBytes + kStackBytes;

/// The beginnings of stacks are at distances that are no multiple of a page, so
/// that the frames of a group's items do not compete for a few sets of the
/// cache.
static constexpr std::size_t kShiftBytes = 5 * 64, kLargestShift = 4 << 10;

Fiber::Fiber(unsigned number) {
  void *address = ::mmap(nullptr, kMappedBytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw DeviceError("no memory for the stack of a simulated work item");
  if (::mprotect(address, kGuardBytes, PROT_NONE) != 0) {
    ::munmap(address, kMappedBytes);
    throw DeviceError("no memory for the stack of a simulated work item: too "
                      "many mappings, see vm.max_map_count");
  }
  memory = static_cast<char *>(address);
  top = memory + kMappedBytes - number * kShiftBytes % kLargestShift;
}

Fiber::~Fiber() {
  abandon();
  ::munmap(memory, kMappedBytes);
}

/// The first function on a stack. It never returns, but suspends after each
/// function that start() was given.
struct Fiber::Entry {
  [[noreturn]] static void enter(context::transfer_t from) {
    Fiber &fiber = *static_cast<Fiber *>(from.data);
    fiber.callerContext = from.fctx;
#ifdef TINYGRAD_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(nullptr, &fiber.callerStack,
                                    &fiber.callerStackBytes);
#endif
    for (;;) {
      fiber.function(fiber, fiber.argument);
      fiber.function = nullptr;
      fiber.suspend();
    }
  }
};

void Fiber::start(Function newFunction, void *newArgument) {
  function = newFunction;
  argument = newArgument;
  resume();
}

void Fiber::resume() {
  if (!context)
    context =
        context::make_fcontext(top, std::size_t(top - memory), Entry::enter);
#ifdef TINYGRAD_THREAD_SANITIZER
  if (!fiberThread)
    fiberThread = __tsan_create_fiber(0);
  callerThread = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiberThread, 0);
#endif
#ifdef TINYGRAD_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(&callerState, memory + kGuardBytes,
                                 kStackBytes);
#endif
  context = context::jump_fcontext(context, this).fctx;
#ifdef TINYGRAD_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(callerState, nullptr, nullptr);
#endif
}

void Fiber::switchBack(bool isLast) {
#ifdef TINYGRAD_THREAD_SANITIZER
  __tsan_switch_to_fiber(callerThread, 0);
#endif
#ifdef TINYGRAD_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(isLast ? nullptr : &fiberState, callerStack,
                                 callerStackBytes);
#endif
  callerContext = context::jump_fcontext(callerContext, nullptr).fctx;
#ifdef TINYGRAD_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(fiberState, &callerStack, &callerStackBytes);
#endif
}

void Fiber::suspend() {
  switchBack(/*isLast=*/false);
#ifdef TINYGRAD_ADDRESS_SANITIZER
  if (isEnding) {
    // The next function finds a stack without marks of this one.
    __asan_handle_no_return();
    switchBack(/*isLast=*/true);
  }
#endif
}

void Fiber::abandon() {
  if (!context)
    return;
#ifdef TINYGRAD_ADDRESS_SANITIZER
  // Only the fiber itself can end what the sanitizer keeps of it.
  isEnding = true;
  resume();
  isEnding = false;
#endif
#ifdef TINYGRAD_THREAD_SANITIZER
  __tsan_destroy_fiber(fiberThread);
  fiberThread = nullptr;
#endif
  context = nullptr;
  function = nullptr;
}
