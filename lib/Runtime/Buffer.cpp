//===- Buffer.cpp - reference-counted device memory -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ownership of device memory and of imported host memory.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <string>

using namespace tinygrad;

/// State shared by all handles on one piece of memory.
struct Buffer::Memory {
  Device &device;
  void *start;
  std::size_t bytes;
  bool isExternal;
  std::function<void()> release;

  Memory(Device &device, void *start, std::size_t bytes, bool isExternal,
         std::function<void()> release)
      : device(device), start(start), bytes(bytes), isExternal(isExternal),
        release(std::move(release)) {}
  Memory(const Memory &) = delete;
  ~Memory() {
    if (!isExternal)
      device.free(start, bytes);
    else if (release)
      release();
  }
};

Buffer Buffer::allocate(Device &device, std::size_t bytes,
                        std::optional<DType> dtype) {
  void *start = device.allocate(bytes);
  Buffer buffer;
  try {
    buffer.memory =
        std::make_shared<Memory>(device, start, bytes, false, nullptr);
  } catch (...) {
    device.free(start, bytes);
    throw;
  }
  buffer.start = start;
  buffer.bytes = bytes;
  buffer.elementType = dtype;
  return buffer;
}

Buffer Buffer::fromHost(Device &device, const void *data, std::size_t bytes,
                        std::optional<DType> dtype) {
  Buffer buffer = allocate(device, bytes, dtype);
  buffer.copyIn(data, bytes);
  return buffer;
}

Buffer Buffer::external(Device &device, void *data, std::size_t bytes,
                        std::function<void()> release,
                        std::optional<DType> dtype) {
  if (!device.information().hostVisible)
    throw DeviceError("device " + device.name() +
                      " cannot use host memory in place; copy it instead");
  if (!data && bytes != 0)
    throw DeviceError("there are no " + std::to_string(bytes) +
                      " bytes of host memory at a null pointer");
  Buffer buffer;
  buffer.memory =
      std::make_shared<Memory>(device, data, bytes, true, std::move(release));
  buffer.start = data;
  buffer.bytes = bytes;
  buffer.elementType = dtype;
  return buffer;
}

Buffer Buffer::view(std::size_t offset, std::size_t count,
                    std::optional<DType> dtype) const {
  if (offset > bytes || count > bytes - offset)
    throw IndexError("bytes " + std::to_string(offset) + " to " +
                     std::to_string(offset) + "+" + std::to_string(count) +
                     " are not within a buffer of " + std::to_string(bytes) +
                     " bytes");
  Buffer part = *this;
  part.start = static_cast<char *>(start) + offset;
  part.bytes = count;
  part.elementType = dtype;
  return part;
}

Device &Buffer::device() const {
  if (!memory)
    throw DeviceError("an empty buffer is on no device");
  return memory->device;
}

std::size_t Buffer::offset() const {
  return memory ? std::size_t(static_cast<char *>(start) -
                              static_cast<char *>(memory->start))
                : 0;
}

void Buffer::copyIn(const void *source, std::size_t count) {
  if (count > bytes)
    throw IndexError("copying " + std::to_string(count) +
                     " bytes into a buffer of " + std::to_string(bytes));
  if (count != 0)
    device().copyIn(start, source, count);
}

void Buffer::copyOut(void *destination, std::size_t count) const {
  if (count > bytes)
    throw IndexError("copying " + std::to_string(count) +
                     " bytes out of a buffer of " + std::to_string(bytes));
  if (count != 0)
    device().copyOut(destination, start, count);
}

Buffer Buffer::copyTo(Device &target) const {
  Device &source = device();
  Buffer result = allocate(target, bytes, elementType);
  if (bytes != 0)
    target.copyAcross(result.start, source, start, bytes);
  return result;
}
