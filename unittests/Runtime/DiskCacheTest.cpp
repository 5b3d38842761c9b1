//===- DiskCacheTest.cpp - the cache on disk ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Damaged files, versions, concurrent writers, eviction, unwritable folders.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/HostJit/DiskCache.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Environment.h"

#include <gmock/gmock.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

static constexpr uint64_t kMegabyte = 1 << 20;

static void store(DiskCache &cache, const std::string &key,
                  const std::string &value) {
  cache.store(key, value.data(), value.size());
}

/// The entry as text, or "miss".
static std::string load(DiskCache &cache, const std::string &key) {
  std::optional<std::vector<char>> value = cache.load(key);
  return value ? std::string(value->begin(), value->end()) : "miss";
}

/// All files except the one that records the total size.
static std::vector<fs::path> filesIn(const std::string &directory) {
  std::vector<fs::path> files;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file() && entry.path().filename() != "total")
      files.push_back(entry.path());
  return files;
}

TEST(Digest, isBlake3) {
  // The published test vector for the empty input.
  EXPECT_EQ(Digest::of("").hex(),
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
  EXPECT_FALSE(Digest::of("a") == Digest::of("b"));
}

TEST(DiskCache, keepsEntriesBetweenObjects) {
  TemporaryDirectory directory;
  DiskCache cache(directory.file("cache"), "v1", kMegabyte);
  EXPECT_EQ(load(cache, "key"), "miss");
  store(cache, "key", "some code");
  store(cache, "empty", "");
  store(cache, std::string("with\0zero", 9), std::string("\0\1\2", 3));
  EXPECT_EQ(load(cache, "key"), "some code");
  DiskCache again(directory.file("cache"), "v1", kMegabyte);
  EXPECT_EQ(load(again, "key"), "some code");
  EXPECT_EQ(load(again, "empty"), "");
  EXPECT_EQ(load(again, std::string("with\0zero", 9)),
            std::string("\0\1\2", 3));
  EXPECT_EQ(load(again, "other"), "miss");
  store(again, "key", "newer code");
  EXPECT_EQ(load(cache, "key"), "newer code");
}

TEST(DiskCache, versionsDoNotSeeEachOther) {
  TemporaryDirectory directory;
  DiskCache old(directory.path(), "v1", kMegabyte);
  store(old, "key", "old code");
  DiskCache recent(directory.path(), "v2", kMegabyte);
  EXPECT_EQ(load(recent, "key"), "miss");
  store(recent, "key", "new code");
  EXPECT_EQ(load(old, "key"), "old code");
  EXPECT_EQ(load(recent, "key"), "new code");
  // Version and key are not simply concatenated.
  DiskCache glued(directory.path(), "v", kMegabyte);
  EXPECT_EQ(load(glued, "1key"), "miss");
}

TEST(DiskCache, anyTruncationIsAMissAndRemoved) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", kMegabyte);
  store(cache, "key", "some code");
  const std::string path = cache.pathOf("key");
  const std::string whole = readFile(path);
  ASSERT_GT(whole.size(), 9u);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    writeFile(path, whole.substr(0, size));
    ASSERT_EQ(load(cache, "key"), "miss") << size;
    ASSERT_FALSE(fs::exists(path)) << size;
  }
  writeFile(path, whole + "x");
  EXPECT_EQ(load(cache, "key"), "miss");
  store(cache, "key", "some code");
  EXPECT_EQ(load(cache, "key"), "some code");
}

TEST(DiskCache, anyDamagedByteIsAMissAndRemoved) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", kMegabyte);
  store(cache, "key", "some code");
  const std::string path = cache.pathOf("key");
  const std::string whole = readFile(path);
  for (std::size_t i = 0; i < whole.size(); ++i)
    for (unsigned char flip : {0x01, 0xff}) {
      std::string damaged = whole;
      damaged[i] = char(damaged[i] ^ flip);
      writeFile(path, damaged);
      ASSERT_EQ(load(cache, "key"), "miss") << i;
      ASSERT_FALSE(fs::exists(path)) << i;
    }
}

TEST(DiskCache, renamedFilesAreNotTakenForOthers) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", kMegabyte);
  store(cache, "key", "some code");
  fs::rename(cache.pathOf("key"), cache.pathOf("other"));
  EXPECT_EQ(load(cache, "other"), "miss");
}

//===----------------------------------------------------------------------===//
// Concurrency
//===----------------------------------------------------------------------===//

/// A value that shows whether it is complete and belongs to the key.
static std::string valueFor(int key, int writer) {
  std::string part = std::to_string(key) + "/" + std::to_string(writer) + ";";
  std::string value;
  for (int i = 0; i < 2000; ++i)
    value += part;
  return value;
}

static bool isValueFor(int key, const std::string &value, int numWriters) {
  for (int writer = 0; writer < numWriters; ++writer)
    if (value == valueFor(key, writer))
      return true;
  return false;
}

/// Writes and reads the same few keys as other processes; false on a wrong
/// value.
static bool hammer(DiskCache &cache, int writer, int numWriters) {
  for (int round = 0; round < 60; ++round)
    for (int key = 0; key < 4; ++key) {
      store(cache, std::to_string(key), valueFor(key, writer));
      const std::string found = load(cache, std::to_string(key));
      if (found != "miss" && !isValueFor(key, found, numWriters))
        return false;
    }
  return true;
}

TEST(DiskCache, threadsMayShareADirectory) {
  TemporaryDirectory directory;
  DiskCache shared(directory.path(), "v1", 100 * kMegabyte);
  std::atomic<int> numWrong{0};
  std::vector<std::thread> threads;
  for (int writer = 0; writer < 4; ++writer)
    threads.emplace_back([&, writer] {
      // Half of the writers also share an object.
      DiskCache own(directory.path(), "v1", 100 * kMegabyte);
      numWrong += !hammer(writer % 2 ? shared : own, writer, 4);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(numWrong, 0);
  for (int key = 0; key < 4; ++key)
    EXPECT_TRUE(isValueFor(key, load(shared, std::to_string(key)), 4));
  EXPECT_EQ(filesIn(directory.path()).size(), 4u);
}

TEST(DiskCache, processesMayShareADirectory) {
  TemporaryDirectory directory;
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer) {
    const pid_t child = ::fork();
    if (child == 0) {
      DiskCache cache(directory.file("made/by/the/first"), "v1",
                      100 * kMegabyte);
      ::_exit(hammer(cache, writer, 4) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  DiskCache cache(directory.file("made/by/the/first"), "v1", 100 * kMegabyte);
  for (int key = 0; key < 4; ++key)
    EXPECT_TRUE(isValueFor(key, load(cache, std::to_string(key)), 4));
  EXPECT_EQ(filesIn(directory.path()).size(), 4u);
}

// A killed writer leaves complete entries and at most its own temporary file.
TEST(DiskCache, killedWritersLeaveNoDamage) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", 100 * kMegabyte);
  for (int round = 0; round < 5; ++round) {
    const pid_t child = ::fork();
    if (child == 0)
      for (;;)
        hammer(cache, 0, 1);
    ::usleep(20000);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    for (int key = 0; key < 4; ++key)
      if (std::string found = load(cache, std::to_string(key)); found != "miss")
        EXPECT_TRUE(isValueFor(key, found, 1));
  }
}

//===----------------------------------------------------------------------===//
// Eviction
//===----------------------------------------------------------------------===//

static uint64_t bytesIn(const std::string &directory) {
  uint64_t total = 0;
  for (const fs::path &file : filesIn(directory))
    total += fs::file_size(file);
  return total;
}

static void setAge(const std::string &path, std::chrono::minutes age) {
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

TEST(DiskCache, removesWhatWasNotUsedForLongest) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", 10000);
  for (int i = 0; i < 8; ++i) {
    store(cache, std::to_string(i), std::string(1000, 'x'));
    setAge(cache.pathOf(std::to_string(i)), std::chrono::minutes(1000 - i));
  }
  // Loading an entry makes it the most recently used one.
  EXPECT_NE(load(cache, "0"), "miss");
  store(cache, "8", std::string(1000, 'x'));
  store(cache, "9", std::string(1000, 'x'));
  EXPECT_LE(bytesIn(directory.path()), 10000u);
  EXPECT_NE(load(cache, "0"), "miss");
  EXPECT_EQ(load(cache, "1"), "miss");
  EXPECT_EQ(load(cache, "2"), "miss");
  EXPECT_NE(load(cache, "9"), "miss");
}

TEST(DiskCache, aFullDirectoryIsCleanedByANewObject) {
  TemporaryDirectory directory;
  {
    DiskCache large(directory.path(), "v1", kMegabyte);
    for (int i = 0; i < 50; ++i) {
      store(large, std::to_string(i), std::string(1000, 'x'));
      setAge(large.pathOf(std::to_string(i)), std::chrono::minutes(1));
    }
  }
  DiskCache small(directory.path(), "v2", 10000);
  store(small, "new", "code");
  EXPECT_LE(bytesIn(directory.path()), 10000u);
  EXPECT_EQ(load(small, "new"), "code");
  store(small, "huge", std::string(20000, 'x'));
  EXPECT_EQ(load(small, "huge"), "miss");
  EXPECT_EQ(load(small, "new"), "code");
}

// Listing all files takes long, so a new object uses the recorded total size
// unless it is missing or damaged.
TEST(DiskCache, aNewObjectGoesByTheNotedSize) {
  TemporaryDirectory directory;
  const std::string total = directory.file("kernels/total");
  auto storeOne = [&](const std::string &key) {
    DiskCache cache(directory.path(), "v1", 10000);
    store(cache, key, std::string(1000, 'x'));
  };
  for (int i = 0; i < 5; ++i)
    storeOne(std::to_string(i));
  // Files that are not part of the total are kept until the limit seems
  // reached.
  const std::string other = directory.file("kernels/other.kernel");
  writeFile(other, std::string(8000, 'x'));
  setAge(other, std::chrono::minutes(10));
  storeOne("5");
  EXPECT_TRUE(fs::exists(other));
  for (const std::string &damaged : {std::string(), std::string(16, 'x')}) {
    writeFile(other, std::string(8000, 'x'));
    setAge(other, std::chrono::minutes(10));
    writeFile(total, damaged);
    storeOne("6");
    EXPECT_FALSE(fs::exists(other));
    EXPECT_EQ(fs::file_size(total), 16u);
  }
  for (int i = 10; i < 20; ++i)
    storeOne(std::to_string(i));
  EXPECT_LE(bytesIn(directory.path()), 10000u);
}

TEST(DiskCache, removesOldTemporaryFilesAndNothingElse) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", kMegabyte);
  const std::string folder = directory.file("kernels");
  fs::create_directory(folder);
  writeFile(folder + "/abc.kernel.tmp-1-1", "left behind");
  writeFile(folder + "/abd.kernel.tmp-1-2", "being written");
  writeFile(folder + "/notes.txt", "somebody's");
  setAge(folder + "/abc.kernel.tmp-1-1", std::chrono::hours(2));
  store(cache, "key", "code");
  EXPECT_FALSE(fs::exists(folder + "/abc.kernel.tmp-1-1"));
  EXPECT_TRUE(fs::exists(folder + "/abd.kernel.tmp-1-2"));
  EXPECT_TRUE(fs::exists(folder + "/notes.txt"));
}

//===----------------------------------------------------------------------===//
// Unusable folders
//===----------------------------------------------------------------------===//

static void expectOff(const std::string &directory, const std::string &reason) {
  std::string printed;
  setDebugSink([&](std::string_view line) { printed += line; });
  {
    Context quiet({{"DEBUG", 0}});
    DiskCache cache(directory, "v1", kMegabyte);
    store(cache, "key", "code");
    EXPECT_EQ(load(cache, "key"), "miss");
    EXPECT_FALSE(cache.enabled());
    EXPECT_EQ(printed, "");
  }
  {
    Context verbose({{"DEBUG", 1}});
    DiskCache cache(directory, "v1", kMegabyte);
    store(cache, "key", "code");
    EXPECT_THAT(printed, HasSubstr(reason));
  }
  setDebugSink(nullptr);
}

TEST(DiskCache, worksWithoutADirectory) {
  TemporaryDirectory directory;
  expectOff("", "");
  DiskCache none(directory.path(), "v1", 0);
  EXPECT_FALSE(none.enabled());
  writeFile(directory.file("file"), "in the way");
  expectOff(directory.file("file/below"), "cannot make");
  expectOff("/proc/no/such/place", "cannot make");
}

TEST(DiskCache, unwritableDirectoriesSwitchItOff) {
  TemporaryDirectory directory;
  fs::create_directories(directory.file("kernels"));
  ::chmod(directory.file("kernels").c_str(), 0500);
  if (::access(directory.file("kernels").c_str(), W_OK) == 0)
    GTEST_SKIP() << "this user may write anywhere";
  expectOff(directory.path(), "cannot write");
}

// A file size limit of zero bytes, which also affects root.
TEST(DiskCache, failedWritesSwitchItOffAndLeaveNothing) {
  TemporaryDirectory directory;
  // What is buffered, a sanitizer would write at the child's end, to a file
  // maybe.
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    // The default action of SIGXFSZ would end the process.
    ::signal(SIGXFSZ, SIG_DFL);
    const rlimit none = {0, 0};
    ::setrlimit(RLIMIT_FSIZE, &none);
    DiskCache cache(directory.path(), "v1", kMegabyte);
    store(cache, "key", "code");
    sigset_t pending, mask;
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    const bool isAsBefore =
        !sigismember(&pending, SIGXFSZ) && !sigismember(&mask, SIGXFSZ);
    ::_exit(!cache.enabled() && filesIn(directory.path()).empty() && isAsBefore
                ? 0
                : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(DiskCache, directoriesThatOthersCanWriteAreNotTrusted) {
  TemporaryDirectory directory;
  DiskCache before(directory.path(), "v1", kMegabyte);
  store(before, "key", "code");
  ::chmod(directory.file("kernels").c_str(), 0777);
  expectOff(directory.path(), "can be written by other users");
}

TEST(DiskCache, isCheckedBeforeEachUse) {
  TemporaryDirectory directory;
  DiskCache cache(directory.file("cache"), "v1", kMegabyte);
  store(cache, "key", "code");
  EXPECT_EQ(load(cache, "key"), "code");
  // The folder may be removed and created again.
  fs::remove_all(directory.file("cache"));
  EXPECT_EQ(load(cache, "key"), "miss");
  store(cache, "key", "code");
  EXPECT_EQ(load(cache, "key"), "code");
  ::chmod(directory.file("cache/kernels").c_str(), 0777);
  EXPECT_EQ(load(cache, "key"), "miss");
  EXPECT_FALSE(cache.enabled());
}

TEST(DiskCache, directoriesAboveThatOthersCanWriteAreNotTrusted) {
  TemporaryDirectory directory;
  const std::string parent = directory.file("parent");
  auto storeAndLoad = [&] {
    DiskCache cache(parent + "/cache", "v1", kMegabyte);
    store(cache, "key", "code");
    return load(cache, "key");
  };
  EXPECT_EQ(storeAndLoad(), "code");
  ::chmod(parent.c_str(), 0777);
  expectOff(parent + "/cache", "parent can be written by other users");
  // As in /tmp, where only owners may replace entries.
  ::chmod(parent.c_str(), 01777);
  EXPECT_EQ(storeAndLoad(), "code");
  ::chmod(parent.c_str(), 0755);
  if (::chown(parent.c_str(), 1, 1) != 0)
    GTEST_SKIP() << "this user may not give files away";
  expectOff(parent + "/cache", "parent belongs to another user");
}

TEST(DiskCache, filesThatOthersCanWriteAreNotTrusted) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", kMegabyte);
  const std::string path = cache.pathOf("key");
  for (mode_t mode : {0620, 0602}) {
    store(cache, "key", "code");
    ::chmod(path.c_str(), mode);
    EXPECT_EQ(load(cache, "key"), "miss");
    EXPECT_FALSE(fs::exists(path));
  }
  store(cache, "key", "code");
  fs::rename(path, directory.file("elsewhere"));
  fs::create_symlink(directory.file("elsewhere"), path);
  EXPECT_EQ(load(cache, "key"), "miss");
  EXPECT_TRUE(fs::exists(directory.file("elsewhere")));
  store(cache, "key", "code");
  EXPECT_EQ(load(cache, "key"), "code");
  if (::chown(path.c_str(), 1, 1) != 0)
    GTEST_SKIP() << "this user may not give files away";
  EXPECT_EQ(load(cache, "key"), "miss");
}

TEST(DiskCache, filesThatCannotBeOpenedAreMissesAndKept) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", kMegabyte);
  store(cache, "key", "code");
  const std::string path = cache.pathOf("key");
  std::string printed;
  setDebugSink([&](std::string_view line) { printed += line; });
  {
    Context verbose({{"DEBUG", 1}});
    // Affects root, too, unlike permissions.
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none = {0, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const std::string found = load(cache, "key"),
                      absent = load(cache, "absent");
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(found, "miss");
    EXPECT_EQ(absent, "miss");
    EXPECT_THAT(printed, HasSubstr("cannot open " + path + ": Too many open"));
  }
  EXPECT_TRUE(cache.enabled());
  EXPECT_EQ(load(cache, "key"), "code");
  ::chmod(path.c_str(), 0);
  if (::access(path.c_str(), R_OK) != 0) {
    EXPECT_EQ(load(cache, "key"), "miss");
    EXPECT_TRUE(fs::exists(path));
    store(cache, "key", "code");
    EXPECT_EQ(load(cache, "key"), "code");
  }
  EXPECT_THAT(printed, Not(HasSubstr("damaged")));
  setDebugSink(nullptr);
}

TEST(DiskCache, otherFilesAreNeitherWaitedForNorRead) {
  TemporaryDirectory directory;
  DiskCache cache(directory.path(), "v1", kMegabyte);
  store(cache, "key", "code");
  const std::string path = cache.pathOf("key"), whole = readFile(path);
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(load(cache, "key"), "miss");
  EXPECT_FALSE(fs::exists(path));
  fs::create_directory(path);
  EXPECT_EQ(load(cache, "key"), "miss");
  fs::remove(path);
  // A sparse file of eight terabytes with a matching header.
  const uint64_t bytes = uint64_t(8) << 40;
  std::string header = whole.substr(0, 80);
  header.replace(8, 8, reinterpret_cast<const char *>(&bytes), 8);
  writeFile(path, header);
  ::chmod(path.c_str(), 0600);
  ASSERT_EQ(::truncate(path.c_str(), off_t(bytes + 80)), 0);
  EXPECT_EQ(load(cache, "key"), "miss");
  EXPECT_FALSE(fs::exists(path));
}
