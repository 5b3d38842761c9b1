//===- NpyFormat.h - the format of NumPy arrays -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the runtime: reading and writing the .npy format, in files of its
/// own and in archives.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_NPYFORMAT_H
#define TINYGRAD_LIB_RUNTIME_NPYFORMAT_H

#include "TinyGrad/Runtime/HostArray.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tinygrad::detail {

/// Bytes that are read from front to back.
class ByteSource {
public:
  virtual ~ByteSource();
  /// Reads \p size bytes, fewer at the end only. Throws IoError.
  virtual std::size_t read(void *data, std::size_t size) = 0;
  /// An upper bound of the bytes that can still be read; UINT64_MAX if unknown.
  virtual uint64_t mostBytesLeft() = 0;
};

/// Reads an array with its header. Bytes that follow it are not read. Errors
/// begin with \p name.
HostArray readNpyArray(ByteSource &source, const std::string &name);

/// The bytes of a .npy file in front of the elements. Throws IoError, which
/// begins with \p name, for an array that the format cannot hold.
std::string npyHeader(const HostArray &array, const std::string &name);

/// The elements in memory that the host can read; their number was checked by
/// npyHeader().
Buffer npyElements(const HostArray &array);

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_NPYFORMAT_H
