//===- Files.cpp - file utilities -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Texts of errors, and the signal for files that are too large.
///
//===----------------------------------------------------------------------===//

#include "Files.h"

#include <cerrno>
#include <system_error>

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
