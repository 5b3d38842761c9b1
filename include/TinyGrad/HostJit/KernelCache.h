//===- KernelCache.h - compiled programs by content -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the loaded program for a piece of kernel source, in memory or on disk,
/// and compiles it when it is in neither.
///
//===----------------------------------------------------------------------===//

#ifndef TINYGRAD_HOSTJIT_KERNELCACHE_H
#define TINYGRAD_HOSTJIT_KERNELCACHE_H

#include "TinyGrad/HostJit/DiskCache.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tinygrad {

class Device;
class Program;

/// Identifies this build of the compiler by project version, a hash of the
/// sources that affect generated code, kernel ABI and LLVM version. Changes
/// whenever the same kernel might compile to different code.
const std::string &compilerStamp();

/// Cache of loaded programs. Thread-safe; several threads that request the same
/// program wait for one compilation. If there are more programs than the
/// KERNELS setting, unused programs are dropped, the least recently used ones
/// first.
class KernelCache {
public:
  /// Generates the object code of a kernel. An exception reaches all callers
  /// that wait for this kernel, and nothing is cached.
  using Compile = std::function<std::vector<char>()>;

  /// The cache of the process; its disk part is set up from the environment
  /// when first used.
  static KernelCache &global();
  /// A cache of its own whose disk part is in \p directory, which is created
  /// when first written to; no disk part if it is empty. DiskCache says which
  /// directories are refused. Above \p maxBytes, the least recently used files
  /// are removed.
  static std::shared_ptr<KernelCache>
  inDirectory(std::string directory, uint64_t maxBytes = uint64_t(1) << 30);
  /// A cache with its own disk part, or with none if that is null.
  explicit KernelCache(std::unique_ptr<DiskCache> disk);

  /// The program for \p key on \p device. The key must contain everything the
  /// code depends on besides the compiler itself: the kernel, the target with
  /// its features, options. The CACHELEVEL setting selects the levels. Errors
  /// of a device that does not load the code have the \p name of the kernel.
  std::shared_ptr<Program> get(Device &device, std::string_view key,
                               const Compile &compile,
                               std::string_view name = {});

  /// Drops all programs from the cache in memory; those in use stay loaded.
  void clearMemory();
  /// Drops the programs that nothing else uses.
  void dropUnused();
  std::size_t numPrograms() const;

private:
  struct Entry {
    std::shared_future<std::shared_ptr<Program>> program;
    std::list<Digest>::iterator place;
  };
  using Entries = std::map<Digest, Entry>;

  /// Whether the program is loaded and only the cache refers to it.
  static bool isUnused(const Entry &entry);
  /// Removes the least recently used programs and returns them, so that they
  /// are destroyed after the lock was released.
  std::vector<Entries::node_type> takeExcess(std::size_t limit);

  std::shared_ptr<Program> build(Device &device, const std::string &fullKey,
                                 const Compile &compile, bool useDisk,
                                 std::string_view name);

  mutable std::mutex mutex;
  Entries programs;
  std::list<Digest> recent; // most recently used first
  std::unique_ptr<DiskCache> disk;
};

} // namespace tinygrad

#endif // TINYGRAD_HOSTJIT_KERNELCACHE_H
