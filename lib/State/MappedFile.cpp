//===- MappedFile.cpp - a file as memory ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Maps a file with the functions of the operating system.
///
//===----------------------------------------------------------------------===//

#include "MappedFile.h"
#include "TinyGrad/Runtime/Error.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::state::detail;

/// Maps the open file; returns what went wrong, or an empty text.
static std::string mapFile(int descriptor, char *&start, std::size_t &bytes) {
  auto errorText = [](int number) {
    return "cannot read: " + std::generic_category().message(number);
  };
  struct stat status;
  if (::fstat(descriptor, &status) != 0)
    return errorText(errno);
  if (S_ISDIR(status.st_mode))
    return errorText(EISDIR);
  if (!S_ISREG(status.st_mode))
    return "cannot be mapped into memory: it is not a regular file";
  bytes = std::size_t(status.st_size);
  if (bytes == 0)
    return "";
  // Memory for pages that are written to is not reserved in advance: the file
  // may be larger than the memory of the machine.
  void *memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
  if (memory == MAP_FAILED)
    return errorText(errno);
  start = static_cast<char *>(memory);
  return "";
}

MappedFile::MappedFile(const std::string &path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw IoError(path +
                  ": cannot open: " + std::generic_category().message(errno));
  // The mapping stays when the descriptor is closed.
  const std::string error = mapFile(descriptor, start, bytes);
  ::close(descriptor);
  if (!error.empty())
    throw IoError(path + ": " + error);
}

MappedFile::~MappedFile() {
  if (start)
    ::munmap(start, bytes);
}
