//===- HostArray.cpp - an array in host memory ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Sizes and allocation of host arrays.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/HostArray.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

using namespace tinygrad;

std::optional<int64_t>
tinygrad::denseByteSize(DType dtype, const std::vector<int64_t> &shape) {
  int64_t bytes = int64_t(itemSize(dtype));
  bool isEmpty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    isEmpty |= size == 0;
  }
  // If one size is 0, the number of elements is 0 and cannot overflow.
  if (isEmpty)
    return 0;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return std::nullopt;
  return bytes;
}

HostArray tinygrad::makeHostArray(DType dtype, std::vector<int64_t> shape) {
  const std::optional<int64_t> bytes = denseByteSize(dtype, shape);
  if (!bytes) {
    std::string text;
    for (int64_t size : shape)
      text += (text.empty() ? "" : ", ") + std::to_string(size);
    throw ShapeError("(" + text + ") is not the shape of an array in memory");
  }
  HostArray array;
  array.dtype = dtype;
  array.shape = std::move(shape);
  array.data = Buffer::allocate(Device::get("CPU"), std::size_t(*bytes), dtype);
  return array;
}
