//===- KernelCache.cpp - compiled programs by content ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Lookup in memory, then on disk, then compilation.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/KernelCache.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

using namespace tinygrad;

KernelCache::KernelCache(std::unique_ptr<DiskCache> disk)
    : disk(std::move(disk)) {}

KernelCache &KernelCache::global() {
  // Never destroyed: programs must not be unloaded while static objects that
  // hold kernels are still there.
  static KernelCache *cache = new KernelCache(std::make_unique<DiskCache>(
      cacheDirectory(), compilerStamp(), diskCacheBytes()));
  return *cache;
}

void KernelCache::clearMemory() {
  std::map<Digest, Entry> dropped;
  std::lock_guard<std::mutex> lock(mutex);
  dropped.swap(programs);
}

std::shared_ptr<Program> KernelCache::build(Device &device,
                                            const std::string &fullKey,
                                            const Compile &compile,
                                            bool useDisk) {
  const std::string &target = device.information().architecture;
  if (useDisk) {
    if (std::optional<std::vector<char>> code = disk->load(fullKey)) {
      try {
        std::shared_ptr<Program> program =
            device.loadProgram(code->data(), code->size(), target);
        ++GlobalCounters::diskCacheHits;
        return program;
      } catch (const CompileError &) {
        // Whatever is wrong with it, compiling again settles it.
      }
    }
  }
  const std::vector<char> code = compile();
  ++GlobalCounters::kernelsCompiled;
  std::shared_ptr<Program> program =
      device.loadProgram(code.data(), code.size(), target);
  // Only code that loads is worth keeping.
  if (useDisk)
    disk->store(fullKey, code.data(), code.size());
  return program;
}

std::shared_ptr<Program> KernelCache::get(Device &device, std::string_view key,
                                          const Compile &compile) {
  const int level = cacheLevel();
  const bool useDisk = level >= 2 && disk && disk->enabled();
  // The code is the same for all devices of one kind and architecture, but a
  // program is loaded into one device.
  std::string fullKey = device.information().architecture + "\n";
  fullKey += key;
  if (level == 0)
    return build(device, fullKey, compile, false);

  const Digest digest = Digest::of(device.name() + "\n" + fullKey);
  std::promise<std::shared_ptr<Program>> promise;
  {
    std::unique_lock<std::mutex> lock(mutex);
    auto [it, isNew] = programs.try_emplace(digest);
    if (!isNew) {
      const Entry entry = it->second;
      lock.unlock();
      ++GlobalCounters::memoryCacheHits;
      return entry.get();
    }
    it->second = promise.get_future().share();
  }
  try {
    std::shared_ptr<Program> program = build(device, fullKey, compile, useDisk);
    promise.set_value(program);
    return program;
  } catch (...) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      programs.erase(digest);
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}
