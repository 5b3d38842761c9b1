//===- EnvironmentTest.cpp - settings and counters ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Contexts, environment variables (in child processes, since they are read
/// once), counters.
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Environment.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

/// Whether \p body returns true in a child process with a fresh environment.
/// The settings are read once per process, so this works only for those that no
/// test in this process has read outside of a Context.
static bool inChild(const char *variable, const char *value,
                    const std::function<bool()> &body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv(variable, value, 1);
    bool isOk = false;
    try {
      isOk = body();
    } catch (...) {
    }
    ::_exit(isOk ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Environment, numbersAreReadFromTheEnvironment) {
  EXPECT_TRUE(inChild("SPEC", "1", [] { return verifyEveryRewrite(); }));
  EXPECT_TRUE(inChild("SPEC", "", [] { return !verifyEveryRewrite(); }));
  EXPECT_TRUE(inChild("SPEC", "1", [] { return !checkBounds(); }));
  EXPECT_TRUE(inChild("SPEC", "2",
                      [] { return checkBounds() && verifyEveryRewrite(); }));
  EXPECT_TRUE(inChild("NOOPT", "1", [] { return noOptimization(); }));
  EXPECT_TRUE(inChild("CACHESIZE", "2",
                      [] { return diskCacheBytes() == uint64_t(2) << 20; }));
}

TEST(Environment, badNumbersNameTheVariable) {
  auto isNamed = [](const char *text, std::function<void()> read) {
    return inChild("SPEC", text, [&] {
      const std::string message = messageOf<Error>(read);
      return message.find("SPEC") != std::string::npos &&
             message.find(text) != std::string::npos;
    });
  };
  EXPECT_TRUE(isNamed("yes", [] { verifyEveryRewrite(); }));
  EXPECT_TRUE(isNamed("3", [] { verifyEveryRewrite(); }));
  EXPECT_TRUE(isNamed("1x", [] { verifyEveryRewrite(); }));
  EXPECT_TRUE(isNamed("99999999999999999999", [] { verifyEveryRewrite(); }));
}

TEST(Environment, cacheDirectoryFollowsXdg) {
  Context none({{"CACHEDIR", ""}});
  EXPECT_TRUE(inChild("XDG_CACHE_HOME", "/x",
                      [] { return cacheDirectory() == "/x/tinygrad-mlir"; }));
  EXPECT_TRUE(inChild("HOME", "/h", [] {
    ::unsetenv("XDG_CACHE_HOME");
    return cacheDirectory() == "/h/.cache/tinygrad-mlir";
  }));
  EXPECT_TRUE(inChild("HOME", "", [] {
    ::unsetenv("XDG_CACHE_HOME");
    return cacheDirectory().empty();
  }));
  Context given({{"CACHEDIR", "/some/where"}});
  EXPECT_EQ(cacheDirectory(), "/some/where");
}

TEST(Environment, threadsAreThoseThisProcessMayUse) {
  Context all({{"THREADS", 0}});
  EXPECT_GE(threadCount(), 1);
  EXPECT_LE(threadCount(), int(std::thread::hardware_concurrency()));
  Context three({{"THREADS", 3}});
  EXPECT_EQ(threadCount(), 3);
}

TEST(Environment, contextsNestAndEnd) {
  Context outer({{"DEBUG", 1}, {"DEV", "NULL"}});
  EXPECT_EQ(debugLevel(), 1);
  EXPECT_EQ(deviceSetting(), "NULL");
  {
    Context inner({{"DEBUG", 4}, {"DEBUG", 5}, {"NOOPT", 1}});
    EXPECT_EQ(debugLevel(), 5);
    EXPECT_TRUE(noOptimization());
    EXPECT_EQ(deviceSetting(), "NULL");
  }
  EXPECT_EQ(debugLevel(), 1);
}

TEST(Environment, contextsAreOfTheirThread) {
  Context mine({{"DEBUG", 3}});
  std::thread([] {
    Context other({{"DEBUG", 6}});
    EXPECT_EQ(debugLevel(), 6);
  }).join();
  EXPECT_EQ(debugLevel(), 3);
}

TEST(Environment, badContextsChangeNothing) {
  Context base({{"DEBUG", 1}});
  EXPECT_THAT(
      messageOf<Error>([] { Context bad({{"DEBUG", 2}, {"NONSENSE", 1}}); }),
      HasSubstr("NONSENSE"));
  EXPECT_THAT(messageOf<Error>([] { Context bad({{"DEBUG", 8}}); }),
              HasSubstr("DEBUG=8 is out of range"));
  EXPECT_THAT(messageOf<Error>([] { Context bad({{"DEBUG", "two"}}); }),
              HasSubstr("'two'"));
  EXPECT_THAT(messageOf<Error>([] { Context bad({{"DEV", 1}}); }),
              HasSubstr("DEV takes text"));
  EXPECT_EQ(debugLevel(), 1);
}

TEST(Counters, resetKeepsWhatIsAllocated) {
  const int64_t before = GlobalCounters::memUsed;
  GlobalCounters::addMemory(1000);
  GlobalCounters::addMemory(-400);
  GlobalCounters::kernelCount = 5;
  GlobalCounters::timeSumSeconds = 1.5;
  EXPECT_GE(GlobalCounters::memPeak, before + 1000);
  GlobalCounters::reset();
  EXPECT_EQ(GlobalCounters::kernelCount, 0);
  EXPECT_EQ(GlobalCounters::timeSumSeconds, 0);
  EXPECT_EQ(GlobalCounters::memUsed, before + 600);
  EXPECT_EQ(GlobalCounters::memPeak, before + 600);
  GlobalCounters::addMemory(-600);
}
