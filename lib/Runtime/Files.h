//===- Files.h - file utilities ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the runtime: writing files atomically.
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

/// During its lifetime, a write beyond the file size limit of the process
/// (`ulimit -f`) fails with EFBIG on this thread, instead of ending the process
/// by SIGXFSZ.
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

/// Bytes to write; chunks are written in order.
struct Chunk {
  const void *data;
  std::size_t size;
};

/// Writes a temporary file next to \p name and renames it to \p name. Returns
/// an error message, empty on success; a failure leaves no file behind. A pipe
/// or device such as /dev/stdout is written in place. A symbolic link is kept,
/// and the file it refers to is replaced. A new file gets the permissions \p
/// mode without those in the umask.
std::string writeFileAtomically(const std::string &name,
                                std::initializer_list<Chunk> chunks,
                                mode_t mode = 0666);

/// A mark in the names of temporary files.
inline constexpr const char *kTemporaryMark = ".tmp-";

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_FILES_H
