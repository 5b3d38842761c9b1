//===- Buffer.h - reference-counted device memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A handle on memory of a device. Copies of a handle share the memory; views
/// share it too and see a part of it.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_RUNTIME_BUFFER_H
#define TINYGRAD_RUNTIME_BUFFER_H

#include "TinyGrad/Runtime/DType.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

namespace tinygrad {

class Device;

/// Handle on device memory. The handle itself is a value; an object must not be
/// changed by two threads at once, but several handles on the same memory may
/// be used by several threads.
class Buffer {
public:
  /// An empty handle.
  Buffer() = default;

  /// New memory with undefined contents. Throws OutOfMemoryError.
  static Buffer allocate(Device &device, std::size_t bytes,
                         std::optional<DType> dtype = {});
  /// New memory with a copy of \p bytes host bytes at \p data.
  static Buffer fromHost(Device &device, const void *data, std::size_t bytes,
                         std::optional<DType> dtype = {});
  /// Uses host memory as it is. \p release is called once, when the last handle
  /// is gone; it may be empty or just hold an owner alive. Throws DeviceError,
  /// without calling \p release, if \p device cannot use it, or \p data is
  /// null.
  static Buffer external(Device &device, void *data, std::size_t bytes,
                         std::function<void()> release,
                         std::optional<DType> dtype = {});

  explicit operator bool() const { return memory != nullptr; }

  /// The part of \p bytes bytes from \p offset on. Throws IndexError if it does
  /// not lie within this buffer.
  Buffer view(std::size_t offset, std::size_t bytes,
              std::optional<DType> dtype = {}) const;

  Device &device() const;
  /// Address on the device; the host may use it if the device is hostVisible.
  void *address() const { return start; }
  std::size_t size() const { return bytes; }
  const std::optional<DType> &dtype() const { return elementType; }
  /// Offset within the memory that was allocated or imported.
  std::size_t offset() const;
  /// Number of handles, views included, on the same memory.
  long useCount() const { return memory.use_count(); }
  /// Whether both see the same memory, the same or different parts of it.
  bool sharesMemoryWith(const Buffer &other) const {
    return memory && memory == other.memory;
  }

  /// Host to device and back. Throw IndexError if \p count is more than the
  /// buffer has.
  void copyIn(const void *source, std::size_t count);
  void copyOut(void *destination, std::size_t count) const;
  /// A buffer with the same contents on \p target; a fresh one even if that is
  /// the device this one is on.
  Buffer copyTo(Device &target) const;

private:
  struct Memory;

  std::shared_ptr<Memory> memory;
  void *start = nullptr;
  std::size_t bytes = 0;
  std::optional<DType> elementType;
};

} // namespace tinygrad

#endif // TINYGRAD_RUNTIME_BUFFER_H
