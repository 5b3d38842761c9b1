//===- InterruptTest.cpp - stopped computations ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyGrad/Runtime/Interrupt.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Runtime/Environment.h"
#include "TinyGrad/Tensor/GraphNode.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Tensor.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

using namespace tinygrad;

namespace {

/// Rows of matrices whose products take longer than a question waits, but not
/// minutes where GPUs are simulated.
int64_t getLength() {
  return Device::getDefault().name() == "SIM" ? 128 : 1024;
}

/// Some work.
Tensor makeLong(int64_t size = getLength()) {
  const Tensor x = Tensor::ones({size, size}).parameter(false).realize();
  return x.matmul(x).matmul(x).matmul(x);
}

TEST(InterruptTest, RunIsStoppedAndCanBeRepeated) {
  const int64_t size = getLength();
  const Tensor x = Tensor::ones({size, size}).parameter(false).realize();
  x.matmul(x).realize(); // compiles
  const int64_t compiled = GlobalCounters::kernelsCompiled;
  Tensor y;
  {
    const InterruptScope scope([] { return true; });
    auto runForever = [&] {
      while (true) {
        y = x.matmul(x);
        y.realize();
      }
    };
    EXPECT_THROW(runForever(), Interrupted);
  }
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
  EXPECT_FALSE(y.isRealized());
  EXPECT_EQ(y.sum().item<float>(), float(size) * size * size);
}

TEST(InterruptTest, CompilationIsStopped) {
  const Context settings({{"CACHELEVEL", 0}});
  std::vector<Tensor> sums;
  for (int64_t i = 2; i < 402; ++i)
    sums.push_back(
        (Tensor::ones({i, i + 1}).parameter(false) * double(i)).sum());
  const int64_t kernels = GlobalCounters::kernelCount;
  const int64_t compiled = GlobalCounters::kernelsCompiled;
  {
    const InterruptScope scope([] { return true; });
    EXPECT_THROW(realize(sums), Interrupted);
  }
  // Between passes: those of so many kernels take longer than a question waits.
  EXPECT_EQ(GlobalCounters::kernelsCompiled, compiled);
  EXPECT_EQ(GlobalCounters::kernelCount, kernels);
  EXPECT_EQ(sums[3].item<float>(), 5.0f * 5 * 6);
}

TEST(InterruptTest, NoMoreKernelsAreCompiled) {
  const Context settings({{"CACHELEVEL", 0}});
  std::vector<Tensor> sums;
  for (int64_t i = 2; i < 102; ++i)
    sums.push_back(
        (Tensor::ones({i, i + 2}).parameter(false) * double(i)).sum());
  const int64_t kernels = GlobalCounters::kernelCount;
  const int64_t compiled = GlobalCounters::kernelsCompiled;
  {
    const InterruptScope scope(
        [&] { return GlobalCounters::kernelsCompiled > compiled; });
    EXPECT_THROW(realize(sums), Interrupted);
  }
  EXPECT_GT(GlobalCounters::kernelsCompiled, compiled);
  EXPECT_LT(GlobalCounters::kernelsCompiled, compiled + 100);
  EXPECT_EQ(GlobalCounters::kernelCount, kernels);
  EXPECT_EQ(sums[3].item<float>(), 5.0f * 5 * 7);
}

TEST(InterruptTest, AssignmentsAreDoneOrNot) {
  Tensor first = Tensor::zeros({4}).parameter(false).realize();
  Tensor second = Tensor::zeros({4}).parameter(false).realize();
  const Tensor number = makeLong().shrink({{0, 4}, {0, 1}}).reshape({4});
  first.assign(first + number * 0 + 1);
  second.assign(second + makeLong().sum() * 0 + 2);
  {
    const InterruptScope scope([] { return true; });
    try {
      realize({first, second});
    } catch (const Interrupted &) {
    }
  }
  // Both, whether the program was stopped or not: never done twice.
  realize({first, second});
  EXPECT_EQ(first.sum().item<float>(), 4.0f);
  EXPECT_EQ(second.sum().item<float>(), 8.0f);
}

TEST(InterruptTest, ReplaysAreDoneOrNot) {
  Tensor count = Tensor::zeros({1}).parameter(false).realize();
  Jit step([&](const Tensor &x) {
    count.assign(count + x.matmul(x).matmul(x).sum() * 0 + 1);
  });
  const Tensor x =
      Tensor::ones({getLength(), getLength()}).parameter(false).realize();
  for (int i = 0; i < 3; ++i)
    step(x);
  ASSERT_EQ(count.item<float>(), 3.0f);
  int done = 3;
  for (int i = 0; i < 3; ++i) {
    const InterruptScope scope([] { return true; });
    try {
      step(x);
      ++done;
    } catch (const Interrupted &) {
    }
  }
  EXPECT_EQ(count.item<float>(), float(done));
  step(x);
  EXPECT_EQ(count.item<float>(), float(done + 1));
}

/// Stops a replay before it has written anything.
template <typename Step> void stop(const Step &step) {
  const InterruptScope scope([] { return true; });
  checkInterrupt(); // the first question is not asked
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_THROW(step(), Interrupted);
}

TEST(InterruptTest, StoppedReplaysEndNothing) {
  Tensor x = Tensor::full({4}, 2.0f).parameter().realize();
  Tensor w = Tensor::full({4}, 3.0f).parameter().realize();
  const Tensor number = Tensor::ones({getLength()}).parameter(false).realize();
  // Adds to a gradient, and assigns.
  Jit step([&](const Tensor &y) {
    const Tensor one = y.reshape({-1, 1}).matmul(y.reshape({1, -1})).max();
    (w * one).sum().backward();
    x.assign((x + w.grad()).detach());
  });
  w.sum().backward();
  w.grad().realize();
  for (int i = 0; i < 3; ++i)
    step(number);
  ASSERT_TRUE(step.isCaptured());
  ASSERT_EQ(x.sum().item<float>(), 4.0f * (2 + 2 + 3 + 4));
  const Tensor square = x.square().realize();
  const GraphNode node(x), user(square * 2);
  w.zeroGrad();
  stop([&] { step(number); });
  EXPECT_FALSE(w.grad().defined());
  EXPECT_FALSE(node.isOverwritten());
  EXPECT_FALSE(user.isOverwritten());
  EXPECT_EQ(square.sum().gradient({x})[0].sum().item<float>(), 4.0f * 22);
  step(number);
  EXPECT_EQ(w.grad().sum().item<float>(), 4.0f);
  EXPECT_TRUE(node.isOverwritten());
  EXPECT_EQ(x.sum().item<float>(), 4.0f * 12);
  EXPECT_THROW(square.sum().gradient({x}), Error);
}

TEST(InterruptTest, UninterruptedScope) {
  const Tensor y = makeLong().sum();
  const InterruptScope scope([] { return true; });
  {
    const UninterruptedScope uninterrupted;
    checkInterrupt();
    EXPECT_EQ(y.item<float>(), std::pow(float(getLength()), 5.0f));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_NO_THROW(checkInterrupt()); // asked for the first time
  std::this_thread::sleep_for(std::chrono::milliseconds(80));
  EXPECT_THROW(checkInterrupt(), Interrupted);
  EXPECT_THROW(checkInterrupt(), Interrupted);
}

TEST(InterruptTest, QuestionsAreRareAndOfTheirThread) {
  int asked = 0;
  const std::thread::id owner = std::this_thread::get_id();
  bool isOwner = true;
  const InterruptScope scope([&] {
    ++asked;
    isOwner &= std::this_thread::get_id() == owner;
    return false;
  });
  const auto begin = std::chrono::steady_clock::now();
  makeLong(getLength() * 3 / 2).realize();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  EXPECT_TRUE(isOwner);
  EXPECT_LE(asked, int(seconds / 0.04) + 1);
}

std::atomic<int> waits = 0;

TEST(InterruptTest, AroundWait) {
  setAroundWait([](void (*wait)(void *), void *argument) {
    ++waits;
    wait(argument);
  });
  // On a busy machine, the other thread may be done before this one goes on.
  for (int attempt = 0; attempt < 50 && waits == 0; ++attempt) {
    const Tensor y = makeLong(getLength() * 3 / 2);
    std::atomic<bool> isRunning = false;
    std::thread other([&] {
      isRunning = true;
      y.realize();
    });
    while (!isRunning)
      std::this_thread::yield();
    while (waits == 0 && !y.isRealized())
      (void)(Tensor::ones({2}) + 1.0); // needs the lock of the graph
    other.join();
  }
  setAroundWait(nullptr);
  EXPECT_GT(waits, 0);
}

} // namespace
