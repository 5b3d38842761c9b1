//===- DiskCache.h - compiled code on disk ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A directory of files addressed by the hash of their key. Any number of
/// processes and threads may use one directory at once; a file that is damaged
/// counts as missing and is removed, one that cannot be opened counts as
/// missing and is kept.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_HOSTJIT_DISKCACHE_H
#define TINYGRAD_HOSTJIT_DISKCACHE_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad {

/// A 256-bit hash of contents (BLAKE3).
struct Digest {
  std::array<uint8_t, 32> bytes{};

  static Digest of(std::string_view text);
  static Digest of(const void *data, std::size_t size);
  std::string hex() const;

  bool operator==(const Digest &other) const { return bytes == other.bytes; }
  bool operator<(const Digest &other) const { return bytes < other.bytes; }
};

/// Files in a directory. No operation throws: a cache that cannot be read
/// misses, one that cannot be written keeps nothing; DEBUG >= 1 tells why.
class DiskCache {
public:
  /// Files are kept in a folder of \p directory, created when first written.
  /// Its code is executed, so the cache is disabled if \p directory is empty,
  /// if the folder belongs to another user or others can write to it, or if
  /// others can replace it in a directory above. This is checked before each
  /// use; a file that belongs to another user, that others can write, or that
  /// is not a regular file counts as damaged. \p version is part of every key.
  /// Above \p maxBytes, the least recently used files are removed.
  DiskCache(std::string directory, std::string version, uint64_t maxBytes);

  std::optional<std::vector<char>> load(std::string_view key);
  void store(std::string_view key, const void *data, std::size_t size);

  /// The path of the file for \p key, whether it exists or not.
  std::string pathOf(std::string_view key) const;
  bool enabled() const { return isEnabled.load(std::memory_order_relaxed); }

private:
  Digest digestOf(std::string_view key) const;
  bool checkFolder();
  bool makeFolder();
  /// Adds to the recorded total size and returns it; none if it is not
  /// recorded.
  std::optional<uint64_t> addToTotal(uint64_t bytes);
  void recordTotal(uint64_t bytes);
  void evict();
  void disable(const std::string &reason);

  std::string folder;
  std::string version;
  uint64_t maxBytes;
  std::atomic<bool> isEnabled{true};
  std::mutex mutex; // guards counting and eviction
};

} // namespace tinygrad

#endif // TINYGRAD_HOSTJIT_DISKCACHE_H
