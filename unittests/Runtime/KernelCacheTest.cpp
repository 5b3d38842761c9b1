//===- KernelCacheTest.cpp - the cache of programs ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Memory and disk levels, single compilation among threads, errors.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/HostJit/KernelCache.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

namespace {
class KernelCacheTest : public ::testing::Test {
protected:
  KernelCacheTest() { GlobalCounters::reset(); }

  std::unique_ptr<KernelCache> newCache(const std::string &version = "v1") {
    return std::make_unique<KernelCache>(
        std::make_unique<DiskCache>(directory.path(), version, 1 << 20));
  }
  KernelCache::Compile compile() {
    return [this] {
      ++numCompiled;
      return cpuTestKernels();
    };
  }
  /// Whether the program computes the expected result.
  static bool works(const std::shared_ptr<Program> &program) {
    int64_t out = 0, in = 40, value = 2;
    void *buffers[] = {&out, &in};
    program->device().launch(Kernel(program, "add_value"), buffers, &value,
                             LaunchDims());
    return out == 42;
  }

  TemporaryDirectory directory;
  Device &cpu = Device::get("CPU");
  std::atomic<int> numCompiled{0};
};
} // namespace

TEST_F(KernelCacheTest, compilesOnceInAProcessAndOnceOnDisk) {
  std::unique_ptr<KernelCache> cache = newCache();
  std::shared_ptr<Program> first = cache->get(cpu, "kernel", compile());
  EXPECT_TRUE(works(first));
  EXPECT_EQ(cache->get(cpu, "kernel", compile()), first);
  EXPECT_EQ(numCompiled, 1);
  EXPECT_EQ(GlobalCounters::kernelsCompiled, 1);
  EXPECT_EQ(GlobalCounters::memoryCacheHits, 1);
  EXPECT_EQ(GlobalCounters::diskCacheHits, 0);

  std::unique_ptr<KernelCache> later = newCache();
  std::shared_ptr<Program> second = later->get(cpu, "kernel", compile());
  EXPECT_NE(second, first);
  EXPECT_TRUE(works(second));
  EXPECT_EQ(numCompiled, 1);
  EXPECT_EQ(GlobalCounters::diskCacheHits, 1);

  later->clearMemory();
  later->get(cpu, "kernel", compile());
  EXPECT_EQ(numCompiled, 1);
  later->get(cpu, "another kernel", compile());
  EXPECT_EQ(numCompiled, 2);
}

TEST_F(KernelCacheTest, anotherCompilerVersionCompilesAgain) {
  newCache("v1")->get(cpu, "kernel", compile());
  newCache("v2")->get(cpu, "kernel", compile());
  EXPECT_EQ(numCompiled, 2);
  newCache("v1")->get(cpu, "kernel", compile());
  newCache("v2")->get(cpu, "kernel", compile());
  EXPECT_EQ(numCompiled, 2);
}

TEST_F(KernelCacheTest, damagedFilesAreCompiledAgain) {
  newCache()->get(cpu, "kernel", compile());
  DiskCache disk(directory.path(), "v1", 1 << 20);
  const std::string path =
      disk.pathOf(cpu.information().architecture + "\nkernel");
  const std::string whole = readFile(path);
  ASSERT_FALSE(whole.empty());
  writeFile(path, whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(works(newCache()->get(cpu, "kernel", compile())));
  EXPECT_EQ(numCompiled, 2);
  EXPECT_EQ(readFile(path), whole);

  // An intact file whose payload is not code.
  disk.store(cpu.information().architecture + "\nkernel", "junk", 4);
  EXPECT_TRUE(works(newCache()->get(cpu, "kernel", compile())));
  EXPECT_EQ(numCompiled, 3);
}

TEST_F(KernelCacheTest, levelsSwitchPartsOff) {
  {
    Context none({{"CACHELEVEL", 0}});
    std::unique_ptr<KernelCache> cache = newCache();
    cache->get(cpu, "kernel", compile());
    cache->get(cpu, "kernel", compile());
    EXPECT_EQ(numCompiled, 2);
  }
  {
    Context memoryOnly({{"CACHELEVEL", 1}});
    std::unique_ptr<KernelCache> cache = newCache();
    cache->get(cpu, "kernel", compile());
    cache->get(cpu, "kernel", compile());
    EXPECT_EQ(numCompiled, 3);
  }
  EXPECT_TRUE(works(newCache()->get(cpu, "kernel", compile())));
  EXPECT_EQ(numCompiled, 4);
  KernelCache withoutDisk(nullptr);
  EXPECT_TRUE(works(withoutDisk.get(cpu, "kernel", compile())));
}

TEST_F(KernelCacheTest, devicesHaveTheirOwnPrograms) {
  std::unique_ptr<KernelCache> cache = newCache();
  Device &other = Device::get("CPU:1");
  std::shared_ptr<Program> here = cache->get(cpu, "kernel", compile());
  std::shared_ptr<Program> there = cache->get(other, "kernel", compile());
  EXPECT_EQ(&here->device(), &cpu);
  EXPECT_EQ(&there->device(), &other);
  // The same code, found on disk.
  EXPECT_EQ(numCompiled, 1);
  cache->get(Device::get("NULL"), "kernel", compile());
  EXPECT_EQ(numCompiled, 2);
}

TEST_F(KernelCacheTest, threadsWaitForOneCompilation) {
  std::unique_ptr<KernelCache> cache = newCache();
  std::atomic<int> numWorking{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      numWorking += works(cache->get(cpu, "kernel", [&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return compile()();
      }));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWorking, 8);
  EXPECT_EQ(numCompiled, 1);
}

TEST_F(KernelCacheTest, threadsCompileDifferentKernelsAtOnce) {
  std::unique_ptr<KernelCache> cache = newCache();
  std::atomic<int> numInside{0};
  std::atomic<bool> wereTogether{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      cache->get(cpu, "kernel " + std::to_string(i), [&] {
        ++numInside;
        // A long timeout, since the machine may be busy.
        for (int wait = 0; wait < 5000 && !wereTogether; ++wait) {
          if (numInside == 2)
            wereTogether = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return compile()();
      });
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_TRUE(wereTogether);
}

TEST_F(KernelCacheTest, failuresReachAllAndAreNotKept) {
  std::unique_ptr<KernelCache> cache = newCache();
  std::atomic<int> numFailed{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      try {
        cache->get(cpu, "kernel", []() -> std::vector<char> {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          throw CompileError("does not compile");
        });
      } catch (const CompileError &) {
        ++numFailed;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numFailed, 4);
  auto junk = [] { return std::vector<char>{'j', 'u', 'n', 'k'}; };
  EXPECT_THAT(messageOf<CompileError>([&] { cache->get(cpu, "kernel", junk); }),
              HasSubstr("CPU"));
  EXPECT_TRUE(works(cache->get(cpu, "kernel", compile())));
  EXPECT_EQ(numCompiled, 1);
  // The invalid code was not stored.
  EXPECT_TRUE(works(newCache()->get(cpu, "kernel", compile())));
}

TEST_F(KernelCacheTest, processesShareTheDisk) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool isOk = true;
      for (int round = 0; round < 10; ++round) {
        std::unique_ptr<KernelCache> cache = newCache();
        for (int key = 0; key < 3; ++key)
          isOk &= cache->get(cpu, std::to_string(key), compile()) != nullptr;
      }
      // After the first round, everything must come from the disk.
      ::_exit(isOk && numCompiled <= 3 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(works(newCache()->get(cpu, "0", compile())));
  EXPECT_EQ(numCompiled, 0);
}

TEST(CompilerStamp, namesWhatCodeDependsOn) {
  EXPECT_THAT(compilerStamp(), HasSubstr("tinygrad "));
  EXPECT_THAT(compilerStamp(), HasSubstr("llvm 22."));
  EXPECT_THAT(compilerStamp(),
              HasSubstr("abi " + std::to_string(kKernelAbiVersion)));
}

//===----------------------------------------------------------------------===//
// Size of the cache
//===----------------------------------------------------------------------===//

TEST_F(KernelCacheTest, unusedProgramsBeyondTheLimitGo) {
  Context few({{"KERNELS", 3}, {"CACHELEVEL", 1}});
  KernelCache cache(nullptr);
  std::weak_ptr<Program> first = cache.get(cpu, "0", compile());
  std::shared_ptr<Program> used = cache.get(cpu, "used", compile());
  cache.get(cpu, "1", compile());
  cache.get(cpu, "0", compile());
  EXPECT_EQ(numCompiled, 3);
  // Of 0 and 1, the latter is the least recently used.
  cache.get(cpu, "2", compile());
  EXPECT_EQ(cache.numPrograms(), 3u);
  EXPECT_FALSE(first.expired());
  cache.get(cpu, "3", compile());
  EXPECT_TRUE(first.expired());
  for (int i = 4; i < 20; ++i)
    cache.get(cpu, std::to_string(i), compile());
  EXPECT_EQ(cache.numPrograms(), 3u);
  EXPECT_EQ(cache.get(cpu, "used", compile()), used);
  EXPECT_EQ(numCompiled, 21);
  cache.get(cpu, "1", compile());
  EXPECT_EQ(numCompiled, 22);
}

TEST_F(KernelCacheTest, droppingKeepsWhatIsUsed) {
  KernelCache cache(nullptr);
  std::shared_ptr<Program> used = cache.get(cpu, "used", compile());
  std::weak_ptr<Program> other = cache.get(cpu, "other", compile());
  cache.dropUnused();
  EXPECT_TRUE(other.expired());
  EXPECT_TRUE(works(used));
  EXPECT_EQ(cache.numPrograms(), 1u);
  EXPECT_EQ(cache.get(cpu, "used", compile()), used);
}

/// The number of mappings of this process.
static int countMappings() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);)
    ++count;
  return count;
}

TEST_F(KernelCacheTest, manyKernelsShareMappings) {
  const std::vector<char> code = cpuTestKernels();
  std::vector<std::shared_ptr<Program>> programs;
  auto load = [&] {
    programs.push_back(cpu.loadProgram(code.data(), code.size(), "cpu"));
    ASSERT_TRUE(works(programs.back()));
  };
  for (int i = 0; i < 10; ++i)
    load();
  const int before = countMappings();
  for (int i = 0; i < 3000; ++i)
    load();
  EXPECT_LT(countMappings(), before + 50);
  // Free ranges are reused: loading again creates no new mappings.
  for (std::size_t i = 0; i < programs.size(); i += 2)
    programs[i] = nullptr;
  for (std::size_t i = 1; i < programs.size(); i += 2)
    ASSERT_TRUE(works(programs[i]));
  const int half = countMappings();
  for (int i = 0; i < 1500; ++i)
    load();
  // The heap may get a few.
  EXPECT_LT(countMappings(), half + 50);
  for (std::size_t i = 1; i < programs.size(); i += 2)
    ASSERT_TRUE(works(programs[i]));
}

/// Runs in a child process: when address space runs out, loading throws, and it
/// works again afterwards.
static void loadWithoutSpace() {
  Device &cpu = Device::get("CPU");
  const std::vector<char> code = cpuTestKernels();
  std::vector<std::shared_ptr<Program>> programs;
  auto load = [&] {
    std::shared_ptr<Program> program =
        cpu.loadProgram(code.data(), code.size(), "cpu");
    Kernel(program, "add_value");
    programs.push_back(std::move(program));
  };
  load();
  // All other memory for loading comes from the heap, which has enough.
  ASSERT_TRUE(mallopt(M_MMAP_THRESHOLD, 32 << 20));
  ASSERT_TRUE(mallopt(M_TRIM_THRESHOLD, 1 << 30));
  std::vector<void *> blocks;
  for (int i = 0; i < 25; ++i)
    blocks.push_back(std::malloc(16 << 20));
  for (void *block : blocks)
    std::free(block);
  rlimit whole{};
  getrlimit(RLIMIT_AS, &whole);
  std::ifstream statm("/proc/self/statm");
  std::size_t pages = 0;
  statm >> pages;
  rlimit limit = whole;
  limit.rlim_cur = pages * std::size_t(sysconf(_SC_PAGESIZE)) + (2 << 20);
  setrlimit(RLIMIT_AS, &limit);
  bool failed = false;
  try {
    while (programs.size() < 20000)
      load();
  } catch (const CompileError &error) {
    failed = std::string(error.what()).find("no memory for code") !=
             std::string::npos;
  }
  setrlimit(RLIMIT_AS, &whole);
  for (int i = 0; i < 100; ++i)
    load();
  int64_t out = 0, in = 40, value = 2;
  void *buffers[] = {&out, &in};
  cpu.launch(Kernel(programs.back(), "add_value"), buffers, &value,
             LaunchDims());
  std::_Exit(failed && out == 42 ? 0 : 1);
}

TEST(KernelCacheDeathTest, aFailedLoadIsAnException) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer's heap ends the process";
#endif
  EXPECT_EXIT(loadWithoutSpace(), ::testing::ExitedWithCode(0), "");
}
