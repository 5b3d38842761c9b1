//===- DiskCache.cpp - compiled code on disk ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The format of cache files, their checks, and eviction.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/HostJit/DiskCache.h"
#include "../Runtime/Files.h"
#include "TinyGrad/Runtime/AtomicFile.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include "llvm-c/blake3.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tinygrad;
namespace fs = std::filesystem;

//===----------------------------------------------------------------------===//
// Digest
//===----------------------------------------------------------------------===//

Digest Digest::of(const void *data, std::size_t size) {
  Digest digest;
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init(&hasher);
  llvm_blake3_hasher_update(&hasher, data, size);
  llvm_blake3_hasher_finalize(&hasher, digest.bytes.data(),
                              digest.bytes.size());
  return digest;
}

Digest Digest::of(std::string_view text) {
  return of(text.data(), text.size());
}

std::string Digest::hex() const {
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

//===----------------------------------------------------------------------===//
// File format
//===----------------------------------------------------------------------===//

namespace {
/// The header of a cache file, followed by the payload. In host byte order: the
/// files are only for the machine that wrote them; another byte order would
/// make the length invalid.
struct Header {
  char magic[8];
  uint64_t payloadBytes;
  /// Hash of version and key, which detects files that were moved or renamed.
  std::array<uint8_t, 32> key;
  std::array<uint8_t, 32> payloadHash;
};
static_assert(sizeof(Header) == 80, "no padding in the file format");
} // namespace

/// The last two characters are the format version.
static constexpr char kFileMagic[8] = {'T', 'G', 'K', 'E', 'R', 'N', '0', '1'};
static constexpr const char *kFileSuffix = ".kernel";

DiskCache::DiskCache(std::string directory, std::string version,
                     uint64_t maxBytes)
    : version(std::move(version)), maxBytes(maxBytes) {
  if (directory.empty() || maxBytes == 0)
    isEnabled = false;
  else
    folder = directory + "/kernels";
}

void DiskCache::disable(const std::string &reason) {
  if (isEnabled.exchange(false) && debugLevel() >= 1)
    debugPrint("disk cache is off: " + reason);
}

Digest DiskCache::digestOf(std::string_view key) const {
  // The length makes the concatenation unambiguous.
  std::string text = std::to_string(version.size()) + ":" + version;
  text += key;
  return Digest::of(text);
}

std::string DiskCache::pathOf(std::string_view key) const {
  return folder + "/" + digestOf(key).hex() + kFileSuffix;
}

static constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

/// Checks that no other user can write to the folder, or replace it or a
/// directory above it, since its code will be executed. Returns what is wrong,
/// or an empty string.
static std::string checkOwnership(const std::string &folder) {
  std::error_code error;
  fs::path place = fs::canonical(folder, error);
  if (error)
    return folder + ": " + error.message();
  for (bool isFolder = true;; isFolder = false) {
    struct stat status;
    if (::lstat(place.c_str(), &status) != 0)
      return place.string() + ": " + detail::errnoText(errno);
    if (!S_ISDIR(status.st_mode))
      return place.string() + " is not a directory";
    // The owner of a directory can replace its entries; root always can.
    if (status.st_uid != ::geteuid() && (isFolder || status.st_uid != 0))
      return place.string() + " belongs to another user";
    // In a sticky directory, only their owners can replace entries.
    if ((status.st_mode & kWritableByOthers) &&
        (isFolder || !(status.st_mode & S_ISVTX)))
      return place.string() + " can be written by other users";
    if (!place.has_relative_path())
      return "";
    place = place.parent_path();
  }
}

/// Whether the folder exists and may be used. Checked before each use, which
/// takes 1/100 of the time of loading a kernel.
bool DiskCache::checkFolder() {
  struct stat status;
  if (::stat(folder.c_str(), &status) != 0 && errno == ENOENT)
    return false;
  if (std::string problem = checkOwnership(folder); !problem.empty())
    disable(problem);
  return enabled();
}

bool DiskCache::makeFolder() {
  std::error_code error;
  const fs::path parent = fs::path(folder).parent_path();
  fs::create_directories(parent, error);
  if (!error && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    error = std::error_code(errno, std::generic_category());
  if (error) {
    disable("cannot make " + folder + ": " + error.message());
    return false;
  }
  return checkFolder();
}

//===----------------------------------------------------------------------===//
// Load and store
//===----------------------------------------------------------------------===//

namespace {
enum class ReadResult { Ok, Missing, Damaged };

class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
  const int number;
};
} // namespace

static bool readExactly(int descriptor, void *data, std::size_t size) {
  char *next = static_cast<char *>(data);
  while (size != 0) {
    const ssize_t count = ::read(descriptor, next, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    next += count;
    size -= std::size_t(count);
  }
  return true;
}

/// What an error of open() says of a file. Links, sockets and devices without a
/// driver are no cache files. Everything else, such as too many open files or
/// a missing permission, says nothing of its contents.
static ReadResult resultOfOpenError(const std::string &path, int error) {
  if (error == ELOOP || error == ENXIO || error == ENODEV)
    return ReadResult::Damaged;
  if (error != ENOENT && debugLevel() >= 1)
    debugPrint("disk cache: cannot open " + path + ": " +
               detail::errnoText(error));
  return ReadResult::Missing;
}

static ReadResult readFile(const std::string &path, const Digest &key,
                           uint64_t maxBytes, std::vector<char> &payload) {
  // Do not follow symbolic links or wait for pipes.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW |
                                                 O_NONBLOCK | O_NOCTTY));
  if (file.number < 0)
    return resultOfOpenError(path, errno);
  struct stat status;
  if (::fstat(file.number, &status) != 0)
    return ReadResult::Missing;
  Header header;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & kWritableByOthers) ||
      uint64_t(status.st_size) < sizeof(Header) ||
      uint64_t(status.st_size) > maxBytes ||
      !readExactly(file.number, &header, sizeof(Header)))
    return ReadResult::Damaged;
  // Check the size first, so that a damaged length does not cause a huge
  // allocation.
  if (std::memcmp(header.magic, kFileMagic, sizeof(kFileMagic)) != 0 ||
      header.key != key.bytes ||
      header.payloadBytes != uint64_t(status.st_size) - sizeof(Header))
    return ReadResult::Damaged;
  payload.resize(header.payloadBytes);
  if (!readExactly(file.number, payload.data(), payload.size()) ||
      Digest::of(payload.data(), payload.size()).bytes != header.payloadHash)
    return ReadResult::Damaged;

  // Record the last use for eviction, with a resolution of an hour.
  const time_t now = ::time(nullptr);
  if (now - status.st_mtime > 3600)
    ::futimens(file.number, nullptr);
  return ReadResult::Ok;
}

std::optional<std::vector<char>> DiskCache::load(std::string_view key) {
  if (!enabled())
    return std::nullopt;
  const Digest digest = digestOf(key);
  const std::string path = folder + "/" + digest.hex() + kFileSuffix;
  if (!checkFolder())
    return std::nullopt;
  std::vector<char> payload;
  switch (readFile(path, digest, maxBytes, payload)) {
  case ReadResult::Missing:
    return std::nullopt;
  case ReadResult::Damaged:
    if (debugLevel() >= 1)
      debugPrint("disk cache: removing damaged " + path);
    ::unlink(path.c_str());
    return std::nullopt;
  case ReadResult::Ok:
    break;
  }
  return payload;
}

void DiskCache::store(std::string_view key, const void *data,
                      std::size_t size) {
  if (!enabled() || sizeof(Header) + size > maxBytes || !makeFolder())
    return;
  const Digest digest = digestOf(key);
  Header header;
  std::memcpy(header.magic, kFileMagic, sizeof(kFileMagic));
  header.payloadBytes = size;
  header.key = digest.bytes;
  header.payloadHash = Digest::of(data, size).bytes;
  const std::string path = folder + "/" + digest.hex() + kFileSuffix;
  try {
    AtomicFile file(path, AtomicFile::Durability::Process, 0600);
    file.write(&header, sizeof(Header));
    file.write(data, size);
    file.commit();
  } catch (const IoError &error) {
    // The disk may have space again later, but a failing attempt for every
    // kernel would slow down compilation.
    disable(error.what());
    return;
  }

  std::lock_guard<std::mutex> lock(mutex);
  const std::optional<uint64_t> total = addToTotal(sizeof(Header) + size);
  if (!total || *total > maxBytes)
    evict();
}

//===----------------------------------------------------------------------===//
// Eviction
//===----------------------------------------------------------------------===//

// An extra file holds the total size of all files, since listing ten thousand
// of them takes longer than compiling a kernel. If files were removed by
// others, the recorded total is too large; it is corrected when it reaches the
// limit.
namespace {
struct Total {
  uint64_t bytes;
  uint64_t complement; // ~bytes; otherwise the file is damaged

  explicit Total(uint64_t bytes = 0) : bytes(bytes), complement(~bytes) {}
};
} // namespace

static constexpr const char *kTotalName = "/total";

std::optional<uint64_t> DiskCache::addToTotal(uint64_t bytes) {
  const detail::FileSizeSignalBlocker blocker;
  const Descriptor file(::open((folder + kTotalName).c_str(),
                               O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  Total total;
  // Closing the descriptor releases the lock.
  if (file.number < 0 || ::flock(file.number, LOCK_EX) != 0 ||
      ::pread(file.number, &total, sizeof total, 0) != sizeof total ||
      total.complement != ~total.bytes)
    return std::nullopt;
  total = Total(total.bytes + bytes);
  if (::pwrite(file.number, &total, sizeof total, 0) != sizeof total)
    return std::nullopt;
  return total.bytes;
}

void DiskCache::recordTotal(uint64_t bytes) {
  const detail::FileSizeSignalBlocker blocker;
  const Descriptor file(
      ::open((folder + kTotalName).c_str(),
             O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  const Total total(bytes);
  if (file.number < 0 || ::flock(file.number, LOCK_EX) != 0)
    return;
  // A partly written total must not be used.
  if (::pwrite(file.number, &total, sizeof total, 0) != sizeof total)
    ::unlink((folder + kTotalName).c_str());
}

void DiskCache::evict() {
  struct Found {
    fs::path path;
    uint64_t bytes;
    fs::file_time_type lastUse;
  };
  std::vector<Found> files;
  uint64_t total = 0;
  const fs::file_time_type now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    // Another process may remove files at the same time; errors are skipped.
    std::error_code skipped;
    const fs::file_time_type lastUse = it->last_write_time(skipped);
    const uint64_t bytes = skipped ? 0 : it->file_size(skipped);
    if (skipped)
      continue;
    const std::string name = it->path().filename().string();
    if (name.find(detail::kTemporaryMark) != std::string::npos) {
      // A leftover of a process that died while writing.
      if (now - lastUse > std::chrono::hours(1))
        fs::remove(it->path(), skipped);
      continue;
    }
    if (it->path().extension() != kFileSuffix)
      continue;
    files.push_back({it->path(), bytes, lastUse});
    total += bytes;
  }

  if (total > maxBytes) {
    std::sort(files.begin(), files.end(), [](const Found &a, const Found &b) {
      return a.lastUse < b.lastUse;
    });
    // Frees a quarter, so that the next stores need not evict again.
    const uint64_t target = maxBytes - maxBytes / 4;
    for (const Found &file : files) {
      if (total <= target)
        break;
      std::error_code skipped;
      fs::remove(file.path, skipped);
      total -= file.bytes;
    }
  }
  recordTotal(total);
}
