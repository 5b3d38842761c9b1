//===- Files.h - small helpers for files ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the runtime: writing files so that they appear complete or not
/// at all.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_FILES_H
#define TINYGRAD_LIB_RUNTIME_FILES_H

#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>

namespace tinygrad::detail {

struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// The text of an errno value.
std::string errnoText(int number);

/// Bytes to write, one after the other.
struct Chunk {
  const void *data;
  std::size_t size;
};

/// Writes a temporary file beside \p name and renames it to \p name. Returns an
/// error text, empty on success; nothing is left behind on failure. A pipe or
/// device such as /dev/stdout is written in place, and a symbolic link stays:
/// what it leads to is written.
std::string writeFileAtomically(const std::string &name,
                                std::initializer_list<Chunk> chunks);

/// What the names of temporary files contain.
inline constexpr const char *temporaryMark = ".tmp-";

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_FILES_H
