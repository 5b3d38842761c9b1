//===- Files.h - file utilities ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the runtime: what sources that read and write files share.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_LIB_RUNTIME_FILES_H
#define TINYGRAD_LIB_RUNTIME_FILES_H

#include <cstdio>
#include <memory>
#include <string>

#include <signal.h>

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

/// A mark in the names of temporary files.
inline constexpr const char *kTemporaryMark = ".tmp-";

} // namespace tinygrad::detail

#endif // TINYGRAD_LIB_RUNTIME_FILES_H
