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

#include <signal.h>
#include <sys/types.h>

namespace tinygrad::detail {

struct FileCloser {
  void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// The text of an errno value.
std::string errnoText(int number);

/// While it exists, the thread gets no signal for a file that would grow beyond
/// the limit of the process (`ulimit -f`), which would end the process: the
/// write fails with EFBIG.
class FileSizeSignalBlocker {
public:
  FileSizeSignalBlocker();
  ~FileSizeSignalBlocker();
  FileSizeSignalBlocker(const FileSizeSignalBlocker &) = delete;
  FileSizeSignalBlocker &operator=(const FileSizeSignalBlocker &) = delete;

private:
  sigset_t oldMask;
  bool wasPending;
};

/// Bytes to write, one after the other.
struct Chunk {
  const void *data;
  std::size_t size;
};

/// Writes a temporary file beside \p name and renames it to \p name. Returns an
/// error text, empty on success; nothing is left behind on failure. A pipe or
/// device such as /dev/stdout is written in place, and a symbolic link stays:
/// what it leads to is written. A new file gets the permissions \p mode, less
/// those that the process masks.
std::string writeFileAtomically(const std::string &name,
                                std::initializer_list<Chunk> chunks,
                                mode_t mode = 0666);

/// What the names of temporary files contain.
inline constexpr const char *temporaryMark = ".tmp-";

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_FILES_H
