//===- EnvironmentTest.cpp - settings and counters ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Contexts, counters, and environment variables (in child processes, since
/// they are read once).
///
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Environment.h"
#include "TestKernels.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Error.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <thread>

#include <unistd.h>

using namespace tinygrad;
using namespace tinygrad::testing;
using ::testing::HasSubstr;

/// Expects \p body to return true in a child process with this setting.
static void expectInChild(const char *variable, const char *value,
                          const std::function<bool()> &body) {
  // The child runs this test from its beginning.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ::setenv(variable, value, 1);
        bool isOk = false;
        try {
          isOk = body();
        } catch (...) {
        }
        ::_exit(isOk ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "")
      << variable << "=" << value;
}

TEST(Environment, numbersAreReadFromTheEnvironment) {
  expectInChild("SPEC", "1", [] { return verifyEveryRewrite(); });
  expectInChild("SPEC", "", [] { return !verifyEveryRewrite(); });
  expectInChild("SPEC", "1", [] { return !checkBounds(); });
  expectInChild("SPEC", "2",
                [] { return checkBounds() && verifyEveryRewrite(); });
  expectInChild("SPEC", "2", [] { return !verifySchedules(); });
  expectInChild("SPEC", "3", [] { return verifySchedules() && checkBounds(); });
  expectInChild("NOOPT", "1", [] { return noOptimization(); });
  expectInChild("FTZ", "", [] { return !flushSubnormals(); });
  expectInChild("FTZ", "1", [] { return flushSubnormals(); });
  expectInChild("FTZ", "2", [] {
    return messageOf<Error>([] {
             Device::get("CPU");
           }).find("FTZ=2 is out of range: expected 0 to 1") !=
           std::string::npos;
  });
  expectInChild("CACHESIZE", "2",
                [] { return diskCacheBytes() == uint64_t(2) << 20; });
}

#if defined(__x86_64__)
TEST(Environment, kernelsAreMadeForTheProcessorThatIsNamed) {
  expectInChild("MCPU", "", [] {
    return Device::get("CPU").information().target == "cpu";
  });
  expectInChild("MCPU", "native", [] {
    return Device::get("CPU").information().target == "cpu:native";
  });
  expectInChild("MCPU", "x86-64", [] {
    return Device::get("CPU").information().target == "cpu:x86-64";
  });
  // The latest processors with the instructions of bdver1 are from 2015.
  for (auto [processor, reason] :
       {std::pair("pdp-11", "MCPU=pdp-11: not an x86-64 processor"),
        std::pair("bdver1", "MCPU=bdver1: this processor lacks ")})
    expectInChild("MCPU", processor, [&] {
      return messageOf<DeviceError>([] { Device::get("CPU"); }).find(reason) !=
             std::string::npos;
    });
}
#endif

TEST(Environment, targetsOfGPUsSayThatTf32IsAllowed) {
  auto isTarget = [](const char *chip, const char *target) {
    Context settings({{"SIMCHIP", chip}});
    return Device::get("SIM").information().target == target;
  };
  expectInChild("ALLOW_TF32", "1", [&] {
    return allowTf32() && isTarget("sm_90", "sim:sm_90:tf32") &&
           // What object code is made for does not change.
           Device::get("SIM").information().architecture == "sim:sm_90";
  });
  // These have no matrix units that round to tf32.
  for (const char *chip : {"sm_75", "gfx942"})
    expectInChild("ALLOW_TF32", "1", [&] {
      return isTarget(chip, (std::string("sim:") + chip).c_str());
    });
  for (const char *value : {"", "0"})
    expectInChild("ALLOW_TF32", value, [&] {
      return !allowTf32() && isTarget("sm_90", "sim:sm_90");
    });
  expectInChild("ALLOW_TF32", "2", [] {
    return messageOf<Error>([] {
             Device::get("SIM");
           }).find("ALLOW_TF32=2 is out of range: expected 0 to 1") !=
           std::string::npos;
  });
}

TEST(Environment, badNumbersNameTheVariable) {
  for (const char *text : {"yes", "4", "1x", "99999999999999999999"})
    expectInChild("SPEC", text, [&] {
      const std::string message = messageOf<Error>([] { checkSettings(); });
      return message.find("SPEC") != std::string::npos &&
             message.find(text) != std::string::npos;
    });
}

// Invalid settings are reported before code that must not throw needs them.
TEST(Environment, allSettingsAreCheckedAtFirstUse) {
  auto isNamed = [](std::function<void()> use) {
    return messageOf<Error>(use).find("LRU=2 is out of range") !=
           std::string::npos;
  };
  expectInChild("LRU", "2", [&] {
    return isNamed([] { Device::get("CPU"); }) &&
           // Every use reports it until it is corrected.
           isNamed([] { Device::get("NULL"); }) &&
           isNamed([] { debugLevel(); });
  });
}

TEST(Environment, cacheDirectoryFollowsXdg) {
  Context none({{"CACHEDIR", ""}});
  expectInChild("XDG_CACHE_HOME", "/x",
                [] { return cacheDirectory() == "/x/tinygrad-mlir"; });
  expectInChild("HOME", "/h", [] {
    ::unsetenv("XDG_CACHE_HOME");
    return cacheDirectory() == "/h/.cache/tinygrad-mlir";
  });
  expectInChild("HOME", "", [] {
    ::unsetenv("XDG_CACHE_HOME");
    return cacheDirectory().empty();
  });
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
