//===- BufferObserver.h - memory that is only looked at ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A look at memory that does not protect its contents.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_BUFFEROBSERVER_H
#define TINYGRAD_RUNTIME_BUFFEROBSERVER_H

#include "TinyGrad/Runtime/Buffer.h"

namespace tinygrad {

/// Keeps memory allocated, but not its contents: assignments and programs write
/// to the memory as if it were not observed. Shows the memory that a tensor is
/// in.
class BufferObserver {
public:
  BufferObserver() = default;
  explicit BufferObserver(Buffer buffer);
  BufferObserver(const BufferObserver &other)
      : BufferObserver(other.observed) {}
  BufferObserver &operator=(const BufferObserver &) = delete;
  ~BufferObserver();

  const Buffer &buffer() const { return observed; }

  /// The number of handles on the memory of \p buffer that are not those of
  /// observers, views included.
  static long countUsers(const Buffer &buffer);

private:
  Buffer observed;
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_BUFFEROBSERVER_H
