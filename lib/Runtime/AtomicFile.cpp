//===- AtomicFile.cpp - files that are written as a whole -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Atomic writes by means of a temporary file and rename.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/AtomicFile.h"
#include "Files.h"
#include "TinyGrad/Runtime/Error.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tinygrad;

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

static std::string directoryOf(const std::string &path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// A name next to \p path that no other thread or process uses. It may be left
/// over from a process that died.
static std::string temporaryName(const std::string &path) {
  static std::atomic<unsigned> counter{0};
  return path + detail::kTemporaryMark + std::to_string(::getpid()) + "-" +
         std::to_string(counter++);
}

/// The path of an open file without a name.
static std::string pathOf(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

AtomicFile::AtomicFile(std::string name, Durability durability, mode_t mode)
    : path(std::move(name)), durability(durability) {
  // rename() would replace a symbolic link itself.
  target = followLinks(path);
  if (target.empty())
    fail(ELOOP);
  // rename() would replace a device or a pipe by a regular file.
  struct stat existing;
  const bool exists = ::stat(target.c_str(), &existing) == 0;
  if (exists) {
    if (S_ISDIR(existing.st_mode))
      fail(EISDIR);
    isInPlace = !S_ISREG(existing.st_mode);
    mode = existing.st_mode & 0777;
  }
  if (isInPlace)
    descriptor = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
  else if (durability == Durability::Process || !createUnnamed(mode))
    createTemporary(mode);
  if (descriptor < 0)
    fail(errno);
  // Nobody gets at the contents who was kept from the old ones. The umask does
  // not apply. (Some file systems have one mode for all files, and refuse.)
  struct stat created;
  if (exists && !isInPlace &&
      (::fstat(descriptor, &created) != 0 ||
       ((created.st_mode & 0777) != mode && ::fchmod(descriptor, mode) != 0)))
    fail(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor >= 0)
    ::close(descriptor);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

void AtomicFile::fail(int number) {
  throw IoError(path + ": cannot write: " + detail::errnoText(number));
}

void AtomicFile::createTemporary(mode_t mode) {
  do {
    temporary = temporaryName(target);
    descriptor = ::open(temporary.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EEXIST);
  if (descriptor < 0)
    temporary.clear(); // not created
}

/// Large files are written without a name, so that a process that is killed
/// meanwhile leaves nothing behind. Not all file systems can do that.
bool AtomicFile::createUnnamed(mode_t mode) {
  descriptor = ::open(directoryOf(target).c_str(),
                      O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (descriptor < 0)
    return false;
  // The name is given through this path.
  struct stat there;
  if (::stat(pathOf(descriptor).c_str(), &there) == 0)
    return true;
  ::close(descriptor);
  descriptor = -1;
  return false;
}

void AtomicFile::write(const void *data, std::size_t size) {
  const detail::FileSizeSignalBlocker blocker;
  const char *next = static_cast<const char *>(data);
  while (size != 0) {
    const ssize_t written = ::write(descriptor, next, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      fail(errno);
    next += written;
    size -= std::size_t(written);
  }
}

void AtomicFile::giveName() {
  // link() does not replace an existing file, so rename() follows.
  const std::string source = pathOf(descriptor);
  std::string linked;
  do {
    linked = temporaryName(target);
    if (::linkat(AT_FDCWD, source.c_str(), AT_FDCWD, linked.c_str(),
                 AT_SYMLINK_FOLLOW) == 0) {
      temporary = linked;
      return;
    }
  } while (errno == EEXIST);
  fail(errno);
}

void AtomicFile::commit() {
  const detail::FileSizeSignalBlocker blocker;
  const bool isSynced = durability == Durability::Machine && !isInPlace;
  if (isSynced && ::fsync(descriptor) != 0)
    fail(errno);
  if (!isInPlace && temporary.empty())
    giveName();
  if (::close(std::exchange(descriptor, -1)) != 0)
    fail(errno);
  if (isInPlace)
    return;
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    fail(errno);
  temporary.clear();
  if (!isSynced)
    return;
  // The new name is in the directory, a file of its own.
  const int directory =
      ::open(directoryOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0)
    fail(errno);
  const int error = ::fsync(directory) == 0 ? 0 : errno;
  ::close(directory);
  // Some file systems have no such operation.
  if (error != 0 && error != EINVAL && error != EROFS)
    fail(error);
}
