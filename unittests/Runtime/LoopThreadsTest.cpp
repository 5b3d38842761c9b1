//===- LoopThreadsTest.cpp - threads of the runtime and fork() ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostThreads.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace tinygrad::detail;

namespace {
/// Waits until it is called by that many threads, or 30 seconds.
class Meeting {
public:
  explicit Meeting(unsigned number) : number(number) {}

  void join() {
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::seconds(30);
    do {
      {
        const std::lock_guard lock(mutex);
        present.insert(std::this_thread::get_id());
        if (present.size() >= number)
          return;
      }
      std::this_thread::yield();
    } while (std::chrono::steady_clock::now() < end);
  }

  std::size_t size() const { return present.size(); }

private:
  const unsigned number;
  std::mutex mutex;
  std::set<std::thread::id> present;
};

/// The number of threads that run a loop of which each part waits for \p
/// expected threads.
std::size_t countThreads(HostThreads &threads, unsigned expected) {
  Meeting meeting(expected);
  threads.parallel(1 << 10, 1, [&](int64_t, int64_t) { meeting.join(); });
  return meeting.size();
}

/// Whether \p isRight in a child. A child that hangs is stopped by a signal.
testing::AssertionResult inChild(const std::function<bool()> &isRight,
                                 bool runsExitHandlers) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const int status = isRight() ? 0 : 1;
    if (runsExitHandlers)
      std::exit(status);
    _exit(status);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return testing::AssertionFailure() << "signal " << WTERMSIG(status);
  return status == 0 ? testing::AssertionSuccess()
                     : testing::AssertionFailure() << "wrong";
}

class LoopThreadsTest : public testing::TestWithParam<int> {
protected:
  void SetUp() override {
#ifdef TINYGRAD_THREAD_SANITIZER
    GTEST_SKIP() << "the thread sanitizer refuses threads in forked processes";
#endif
  }
};
} // namespace

TEST_P(LoopThreadsTest, parentAndChildHaveThreads) {
  HostThreads threads(GetParam());
  for (int i = 0; i < 20; ++i) {
    EXPECT_GE(countThreads(threads, 2), 2u);
    EXPECT_TRUE(inChild(
        [&] {
          return !LoopThreads::areLost() && countThreads(threads, 2) >= 2;
        },
        i % 2 == 0));
  }
  EXPECT_FALSE(LoopThreads::areLost());
}

TEST_P(LoopThreadsTest, childOfChildHasThreads) {
  HostThreads threads(GetParam());
  countThreads(threads, 2);
  EXPECT_TRUE(inChild(
      [&] {
        return countThreads(threads, 2) >= 2 &&
               inChild([&] { return countThreads(threads, 2) >= 2; }, true);
      },
      true));
}

TEST_P(LoopThreadsTest, childOfALoopRunsOnOneThread) {
  HostThreads threads(GetParam());
  std::atomic<bool> isRunning = false, isEnded = false;
  std::thread other([&] {
    threads.parallel(1 << 10, 1, [&](int64_t, int64_t) {
      isRunning = true;
      while (!isEnded)
        std::this_thread::yield();
    });
  });
  while (!isRunning)
    std::this_thread::yield();
  EXPECT_TRUE(inChild(
      [&] {
        HostThreads more(GetParam() + 1);
        return LoopThreads::areLost() && countThreads(threads, 1) == 1 &&
               countThreads(more, 1) == 1 &&
               inChild([&] { return countThreads(threads, 1) == 1; }, false);
      },
      false));
  EXPECT_FALSE(LoopThreads::areLost());
  isEnded = true;
  other.join();
  EXPECT_GE(countThreads(threads, 2), 2u);
}

TEST_P(LoopThreadsTest, childOfAProcessWithAnotherThreadThatComputed) {
  HostThreads threads(GetParam());
  std::atomic<bool> isDone = false, isEnded = false;
  std::thread other([&] {
    countThreads(threads, 2);
    isDone = true;
    while (!isEnded)
      std::this_thread::yield();
  });
  while (!isDone)
    std::this_thread::yield();
  EXPECT_TRUE(inChild(
      [&] { return LoopThreads::areLost() && countThreads(threads, 1) == 1; },
      false));
  isEnded = true;
  other.join();
}

TEST_P(LoopThreadsTest, threadsForkBesideLoops) {
  HostThreads threads(GetParam());
  std::atomic<bool> isEnded = false;
  std::thread other([&] {
    while (!isEnded)
      countThreads(threads, 1);
  });
  for (int i = 0; i < 50; ++i)
    EXPECT_TRUE(inChild([&] { return countThreads(threads, 1) >= 1; }, false));
  isEnded = true;
  other.join();
}

// The default of oneTBB on machines with two processors, and another one.
INSTANTIATE_TEST_SUITE_P(Threads, LoopThreadsTest, testing::Values(2, 3));
