//===- MappedFile.h - a file as memory --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to this library: a file that is mapped into memory.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_STATE_MAPPEDFILE_H
#define TINYGRAD_LIB_STATE_MAPPEDFILE_H

#include <cstddef>
#include <string>
#include <string_view>

namespace tinygrad::state::detail {

/// The bytes of a regular file. The memory is private and may be written to:
/// the file does not change. A file that is replaced by another one stays as
/// it is here; if it is truncated, reading ends the process by SIGBUS.
class MappedFile {
public:
  /// Throws IoError, which names the file.
  explicit MappedFile(const std::string &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  char *data() const { return start; }
  std::size_t size() const { return bytes; }
  std::string_view text() const { return {start, bytes}; }

private:
  char *start = nullptr; ///< null if the file is empty
  std::size_t bytes = 0;
};

} // namespace tinygrad::state::detail

#endif // TINYGRAD_LIB_STATE_MAPPEDFILE_H
