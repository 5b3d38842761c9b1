//===- GraphMutex.h - the lock of a graph -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_TENSOR_GRAPHMUTEX_H
#define TINYGRAD_LIB_TENSOR_GRAPHMUTEX_H

#include "TinyGrad/Runtime/Interrupt.h"

#include <mutex>

namespace tinygrad::detail {

/// A recursive mutex, in whose wait other threads of the program's language can
/// run: a thread may hold it for as long as a computation takes.
class GraphMutex {
public:
  void lock() {
    if (!mutex.try_lock())
      waitAround([this] { mutex.lock(); });
  }
  void unlock() { mutex.unlock(); }

private:
  std::recursive_mutex mutex;
};

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_TENSOR_GRAPHMUTEX_H
