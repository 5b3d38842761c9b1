//===- SafetensorsHeader.h - what a safetensors file holds ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to this library: the header of a .safetensors file.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_STATE_SAFETENSORSHEADER_H
#define TINYGRAD_LIB_STATE_SAFETENSORSHEADER_H

#include "TinyGrad/Runtime/DType.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad::state::detail {

/// A tensor in a file.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::Float32;
  std::vector<int64_t> shape;
  /// Its bytes [begin, end) in the data, which follow the header.
  uint64_t begin = 0, end = 0;

  bool operator==(const SafetensorsEntry &) const = default;
};

struct SafetensorsHeader {
  /// In the order of the file's header.
  std::vector<SafetensorsEntry> tensors;
  std::map<std::string, std::string> metadata;
  /// Where the data begin in the file.
  uint64_t dataOffset = 0;
};

/// Parses and checks the header of a file with these contents. Throws IoError,
/// which begins with \p path.
SafetensorsHeader parseSafetensors(std::string_view file,
                                   const std::string &path);

/// The first bytes of a file, up to the data: in the order of \p
/// header.tensors, whose offsets must be set. Throws Error for names and texts
/// that are not UTF-8 and for the name "__metadata__", and IoError if the
/// header is longer than 100 MB.
std::string formatSafetensors(const SafetensorsHeader &header,
                              const std::string &path);

/// Compares tensors as the reference implementation orders them: by element
/// type, those with the largest elements first, then by name.
bool isBefore(const SafetensorsEntry &a, const SafetensorsEntry &b);

} // namespace tinygrad::state::detail

#endif // TINYGRAD_LIB_STATE_SAFETENSORSHEADER_H
