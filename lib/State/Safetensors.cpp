//===- Safetensors.cpp - tensors in files ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tensors that are views of a mapped file, and files of tensors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/State/Safetensors.h"
#include "MappedFile.h"
#include "SafetensorsFile.h"
#include "SafetensorsHeader.h"
#include "TinyGrad/Runtime/AtomicFile.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Profile.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

using namespace tinygrad;
using namespace tinygrad::state;
using namespace tinygrad::state::detail;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Whether memory of the CPU can be used for a tensor as it is.
static bool isUsable(const char *data, const SafetensorsEntry &entry) {
  if (reinterpret_cast<uintptr_t>(data) % itemSize(entry.dtype) != 0)
    return false;
  // Kernels require 0 and 1; the format does not say what others mean.
  return entry.dtype != DType::Bool ||
         std::all_of(data, data + (entry.end - entry.begin),
                     [](char c) { return uint8_t(c) <= 1; });
}

/// The elements of a tensor on a device.
static Buffer bufferOf(const Buffer &file, const SafetensorsHeader &header,
                       const SafetensorsEntry &entry, Device &device) {
  const std::size_t bytes = std::size_t(entry.end - entry.begin);
  Buffer memory = file.view(std::size_t(header.dataOffset + entry.begin), bytes,
                            entry.dtype);
  if (!isUsable(static_cast<const char *>(memory.address()), entry)) {
    memory =
        Buffer::fromHost(file.device(), memory.address(), bytes, entry.dtype);
    if (entry.dtype == DType::Bool) {
      auto *elements = static_cast<uint8_t *>(memory.address());
      std::transform(elements, elements + bytes, elements,
                     [](uint8_t byte) { return uint8_t(byte != 0); });
    }
  }
  return &device == &file.device()
             ? memory
             : Buffer::fromHost(device, memory.address(), bytes, entry.dtype);
}

SafetensorsContents
state::detail::readSafetensors(const std::string &path,
                               const std::string &deviceName) {
  Device &cpu = Device::get("CPU"), &device = Device::get(deviceName);
  auto file = std::make_shared<const MappedFile>(path);
  SafetensorsHeader header = parseSafetensors(file->text(), path);
  // A malformed file without bytes was an error above.
  const Buffer bytes = Buffer::external(
      cpu, file->data(), file->size(), [file] {}, std::nullopt);
  SafetensorsContents contents;
  for (const SafetensorsEntry &entry : header.tensors) {
    try {
      contents.tensors.insert(
          entry.name, Tensor::fromBuffer(bufferOf(bytes, header, entry, device),
                                         Shape(entry.shape), entry.dtype));
    } catch (const ShapeError &error) {
      throw IoError(path + ": tensor '" + entry.name + "': " + error.what());
    }
  }
  contents.metadata = std::move(header.metadata);
  return contents;
}

StateDict state::safeLoad(const std::string &path,
                          const SafeLoadOptions &options) {
  return readSafetensors(path, options.device).tensors;
}

Metadata state::safeLoadMetadata(const std::string &path) {
  const MappedFile file(path);
  return parseSafetensors(file.text(), path).metadata;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Appends the elements of a realized tensor.
static void writeElements(AtomicFile &file, const Tensor &tensor) {
  if (!tensor.isSymbolic()) {
    const Buffer memory = tensor.buffer();
    if (memory.device().information().hostVisible) {
      memory.device().synchronize();
      file.write(memory.address(), memory.size());
      return;
    }
  }
  const HostArray array = tensor.toHost();
  file.write(array.data.address(),
             std::size_t(array.numElements()) * itemSize(array.dtype));
}

void state::safeSave(const std::string &path, const StateDict &state,
                     const Metadata &metadata, std::source_location where) {
  const CallSite site(where.file_name(), where.line());
  std::vector<std::pair<SafetensorsEntry, Tensor>> sorted;
  std::vector<Tensor> tensors;
  for (const auto &[name, tensor] : state) {
    SafetensorsEntry entry;
    entry.name = name;
    entry.dtype = tensor.dtype();
    entry.shape = tensor.concreteShape();
    entry.end = tensor.nbytes();
    sorted.emplace_back(std::move(entry), tensor);
    tensors.push_back(tensor);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
    return isBefore(a.first, b.first);
  });
  SafetensorsHeader header;
  header.metadata = metadata;
  uint64_t offset = 0;
  for (auto &[entry, tensor] : sorted) {
    entry.begin = offset;
    offset = entry.end += offset;
    header.tensors.push_back(entry);
  }
  const std::string start = formatSafetensors(header, path);
  realize(tensors);
  AtomicFile file(path);
  file.write(start);
  for (const auto &[entry, tensor] : sorted)
    writeElements(file, tensor);
  file.commit();
}
