//===- KernelCache.cpp - compiled programs by content ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Looks up code in memory, then on disk, and compiles it otherwise.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/HostJit/KernelCache.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"
#include "TinyGrad/Runtime/Interrupt.h"

#include <chrono>

using namespace tinygrad;

KernelCache::KernelCache(std::unique_ptr<DiskCache> disk)
    : disk(std::move(disk)) {}

KernelCache &KernelCache::global() {
  // Never destroyed: static objects may hold kernels, whose programs must stay
  // loaded.
  static KernelCache *cache = new KernelCache(std::make_unique<DiskCache>(
      cacheDirectory(), compilerStamp(), diskCacheBytes()));
  return *cache;
}

std::shared_ptr<KernelCache> KernelCache::inDirectory(std::string directory,
                                                      uint64_t maxBytes) {
  std::unique_ptr<DiskCache> disk;
  if (!directory.empty())
    disk = std::make_unique<DiskCache>(std::move(directory), compilerStamp(),
                                       maxBytes);
  return std::make_shared<KernelCache>(std::move(disk));
}

void KernelCache::clearMemory() {
  Entries dropped;
  std::lock_guard<std::mutex> lock(mutex);
  dropped.swap(programs);
  recent.clear();
}

void KernelCache::dropUnused() {
  std::vector<Entries::node_type> dropped;
  std::lock_guard<std::mutex> lock(mutex);
  for (auto it = programs.begin(); it != programs.end();) {
    auto entry = it++;
    if (!isUnused(entry->second))
      continue;
    recent.erase(entry->second.place);
    dropped.push_back(programs.extract(entry));
  }
}

std::size_t KernelCache::numPrograms() const {
  std::lock_guard<std::mutex> lock(mutex);
  return programs.size();
}

static bool
isReady(const std::shared_future<std::shared_ptr<Program>> &program) {
  return program.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

bool KernelCache::isUnused(const Entry &entry) {
  return isReady(entry.program) && entry.program.get().use_count() == 1;
}

std::vector<KernelCache::Entries::node_type>
KernelCache::takeExcess(std::size_t limit) {
  std::vector<Entries::node_type> dropped;
  // Programs in use are moved to the front of the list, so that a call visits
  // only a few.
  constexpr unsigned maxVisits = 8;
  for (unsigned i = 0; i < maxVisits && programs.size() > limit; ++i) {
    auto last = programs.find(recent.back());
    if (isUnused(last->second)) {
      recent.pop_back();
      dropped.push_back(programs.extract(last));
    } else {
      recent.splice(recent.begin(), recent, last->second.place);
    }
  }
  return dropped;
}

std::shared_ptr<Program> KernelCache::build(Device &device,
                                            const std::string &fullKey,
                                            const Compile &compile,
                                            bool useDisk,
                                            std::string_view name) {
  std::string target = device.information().architecture;
  if (!name.empty())
    target.append(" (kernel ").append(name).append(")");
  if (useDisk) {
    if (std::optional<std::vector<char>> code = disk->load(fullKey)) {
      try {
        std::shared_ptr<Program> program =
            device.loadProgram(code->data(), code->size(), target);
        ++GlobalCounters::diskCacheHits;
        return program;
      } catch (const CompileError &) {
        // Compiling again fixes whatever is wrong with the file.
      }
    }
  }
  const std::vector<char> code = compile();
  ++GlobalCounters::kernelsCompiled;
  std::shared_ptr<Program> program =
      device.loadProgram(code.data(), code.size(), target);
  // Store code only after it was loaded successfully.
  if (useDisk)
    disk->store(fullKey, code.data(), code.size());
  return program;
}

std::shared_ptr<Program> KernelCache::get(Device &device, std::string_view key,
                                          const Compile &compile,
                                          std::string_view name) {
  const int level = cacheLevel();
  const bool useDisk = level >= 2 && disk && disk->enabled();
  // The code is the same for all devices of one kind and architecture, but a
  // program is loaded into a single device.
  std::string fullKey = device.information().architecture + "\n";
  fullKey += key;
  if (level == 0)
    return build(device, fullKey, compile, false, name);

  const Digest digest = Digest::of(device.name() + "\n" + fullKey);
  const std::size_t limit = kernelLimit();
  std::promise<std::shared_ptr<Program>> promise;
  std::vector<Entries::node_type> dropped;
  {
    std::unique_lock<std::mutex> lock(mutex);
    auto [it, isNew] = programs.try_emplace(digest);
    if (!isNew) {
      recent.splice(recent.begin(), recent, it->second.place);
      const auto program = it->second.program;
      lock.unlock();
      ++GlobalCounters::memoryCacheHits;
      if (!isReady(program))
        detail::waitAround([&] { program.wait(); });
      try {
        return program.get();
      } catch (const Interrupted &) {
        // It was another thread that was to be stopped.
        checkInterrupt();
        return get(device, key, compile, name);
      }
    }
    recent.push_front(digest);
    it->second = {promise.get_future().share(), recent.begin()};
    dropped = takeExcess(limit);
  }
  dropped.clear();
  try {
    std::shared_ptr<Program> program =
        build(device, fullKey, compile, useDisk, name);
    promise.set_value(program);
    return program;
  } catch (...) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (auto it = programs.find(digest); it != programs.end()) {
        recent.erase(it->second.place);
        programs.erase(it);
      }
    }
    promise.set_exception(std::current_exception());
    throw;
  }
}
