//===- Files.cpp - file utilities -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Atomic writes by means of a temporary file and rename.
///
//===----------------------------------------------------------------------===//

#include "Files.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tinygrad;

std::string detail::errnoText(int number) {
  return std::generic_category().message(number);
}

detail::FileSizeSignalBlocker::FileSizeSignalBlocker() {
  sigset_t signal, pending;
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  pthread_sigmask(SIG_BLOCK, &signal, &oldMask);
  sigpending(&pending);
  wasPending = sigismember(&pending, SIGXFSZ) == 1;
}

detail::FileSizeSignalBlocker::~FileSizeSignalBlocker() {
  const int savedErrno = errno;
  sigset_t signal;
  sigemptyset(&signal);
  sigaddset(&signal, SIGXFSZ);
  // Consumes a signal that arrived meanwhile, or unblocking would deliver it.
  const timespec now = {0, 0};
  if (!wasPending)
    while (sigtimedwait(&signal, nullptr, &now) < 0 && errno == EINTR) {
    }
  pthread_sigmask(SIG_SETMASK, &oldMask, nullptr);
  errno = savedErrno;
}

static std::string writeAll(int descriptor,
                            std::initializer_list<detail::Chunk> chunks) {
  for (const detail::Chunk &chunk : chunks) {
    const char *next = static_cast<const char *>(chunk.data);
    std::size_t left = chunk.size;
    while (left != 0) {
      const ssize_t written = ::write(descriptor, next, left);
      if (written < 0 && errno == EINTR)
        continue;
      if (written < 0)
        return detail::errnoText(errno);
      next += written;
      left -= std::size_t(written);
    }
  }
  return "";
}

/// Overwrites the existing file, device or pipe \p path.
static std::string writeInPlace(const std::string &path,
                                std::initializer_list<detail::Chunk> chunks) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return detail::errnoText(errno);
  std::string error = writeAll(descriptor, chunks);
  if (::close(descriptor) != 0 && error.empty())
    error = detail::errnoText(errno);
  return error;
}

/// The path that \p path refers to after following symbolic links; it need not
/// exist. Empty if the links form a cycle.
static std::string followLinks(const std::string &path) {
  std::filesystem::path place = path;
  for (int i = 0; i < 40; ++i) {
    std::error_code error;
    std::filesystem::path target = std::filesystem::read_symlink(place, error);
    if (error)
      return place.string();
    place = place.parent_path() / target;
  }
  return "";
}

std::string detail::writeFileAtomically(const std::string &name,
                                        std::initializer_list<Chunk> chunks,
                                        mode_t mode) {
  const FileSizeSignalBlocker blocker;
  // rename() would replace a symbolic link itself.
  const std::string path = followLinks(name);
  if (path.empty())
    return errnoText(ELOOP);
  // rename() would replace a device or a pipe by a regular file.
  struct stat existing;
  if (::stat(path.c_str(), &existing) == 0) {
    if (S_ISDIR(existing.st_mode))
      return errnoText(EISDIR);
    if (!S_ISREG(existing.st_mode))
      return writeInPlace(path, chunks);
  }

  // The counter makes the name unique among threads, the process id among
  // processes. O_EXCL skips names left over by a process that died.
  static std::atomic<unsigned> counter{0};
  std::string temporary;
  int descriptor = -1;
  do {
    temporary = path + kTemporaryMark + std::to_string(::getpid()) + "-" +
                std::to_string(counter++);
    descriptor = ::open(temporary.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0)
    return errnoText(errno);

  std::string error = writeAll(descriptor, chunks);
  if (::close(descriptor) != 0 && error.empty())
    error = errnoText(errno);
  if (error.empty() && ::rename(temporary.c_str(), path.c_str()) != 0)
    error = errnoText(errno);
  if (!error.empty())
    ::unlink(temporary.c_str());
  return error;
}
