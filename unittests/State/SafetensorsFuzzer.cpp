//===- SafetensorsFuzzer.cpp - random safetensors files -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A libFuzzer target for the reader: a file is an error, or its tensors fill
/// the data, and writing its header gives a file of the same tensors.
///
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"

#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/HostArray.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

using namespace tinygrad;
using namespace tinygrad::state::detail;

static void require(bool condition) {
  if (!condition)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char *>(data), size);
  SafetensorsHeader header;
  try {
    header = parseSafetensors(file, "FILE");
  } catch (const IoError &) {
    return 0;
  }
  uint64_t bytes = 0;
  for (const SafetensorsEntry &entry : header.tensors) {
    require(entry.begin <= entry.end && entry.end <= size - header.dataOffset);
    require(denseByteSize(entry.dtype, entry.shape) ==
            int64_t(entry.end - entry.begin));
    bytes += entry.end - entry.begin;
  }
  require(header.dataOffset + bytes == size);
  std::string copy = formatSafetensors(header, "COPY");
  copy += file.substr(std::size_t(header.dataOffset));
  const SafetensorsHeader again = parseSafetensors(copy, "COPY");
  require(again.tensors == header.tensors);
  require(again.metadata == header.metadata);
  return 0;
}
