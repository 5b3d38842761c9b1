//===- MapFile.cpp - the bytes of a file as a tensor ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements tensors whose memory is a mapped file.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/MapFile.h"
#include "MappedFile.h"

#include "TinyGrad/Runtime/Buffer.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <algorithm>
#include <cstdint>
#include <memory>

using namespace tinygrad;
using namespace tinygrad::state;
using namespace tinygrad::state::detail;

Tensor state::mapFile(const std::string &path, const MapFileOptions &options) {
  Device &cpu = Device::get("CPU"), &device = Device::get(options.device);
  const DType dtype = options.dtype;
  const auto file = std::make_shared<const MappedFile>(path);
  if (file->size() % itemSize(dtype) != 0)
    throw ShapeError(path + ": " + std::to_string(file->size()) +
                     " bytes are no whole number of elements of type " +
                     name(dtype) + ", which have " +
                     std::to_string(itemSize(dtype)));
  const Shape shape{int64_t(file->size() / itemSize(dtype))};
  if (file->size() == 0)
    return Tensor::empty(shape, TensorOptions(dtype, device.name()));
  Buffer memory =
      Buffer::external(cpu, file->data(), file->size(), [file] {}, dtype);
  if (dtype == DType::Bool) { // kernels require 0 and 1
    memory = memory.copyTo(cpu);
    auto *elements = static_cast<uint8_t *>(memory.address());
    std::transform(elements, elements + file->size(), elements,
                   [](uint8_t byte) { return uint8_t(byte != 0); });
  }
  if (&device != &cpu)
    memory = memory.copyTo(device);
  return Tensor::fromBuffer(memory, shape, dtype);
}
