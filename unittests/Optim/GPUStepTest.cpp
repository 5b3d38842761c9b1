//===- GPUStepTest.cpp - training steps as graphs of a driver -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// On a GPU, a captured training step is one graph of the driver. The driver is
/// a mock, whose kernels do nothing, so these are tests of what is enqueued,
/// and when.
///
//===----------------------------------------------------------------------===//

#include "../Runtime/DriverMock/MockControl.h"
#include "TinyGrad/Optim/Adam.h"
#include "TinyGrad/Runtime/Counters.h"
#include "TinyGrad/Runtime/Device.h"
#include "TinyGrad/Tensor/Jit.h"
#include "TinyGrad/Tensor/Training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

using namespace tinygrad;

/// Before any test reads the settings.
static const bool isSelected = [] {
  ::setenv("CUDALIB", MOCK_CUDA, 1);
  ::setenv("DEV", "CUDA", 1);
  return true;
}();

namespace {

class GPUStepTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(isSelected);
    // The same library that the runtime opens.
    void *library = ::dlopen(MOCK_CUDA, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto get =
        reinterpret_cast<mock::GetControl *>(::dlsym(library, "mockControl"));
    ASSERT_NE(get, nullptr);
    control = get();
  }

  /// The calls and the work of \p step.
  template <typename Function> void record(Function &&step) {
    Device::get("CUDA").synchronize();
    control->takeLog();
    step();
    Device::get("CUDA").synchronize();
    log = control->takeLog();
  }
  std::size_t count(const std::string &call) const {
    return std::size_t(std::count(log.begin(), log.end(), call));
  }

  mock::Control *control = nullptr;
  std::vector<std::string> log;
};

/// A network with random numbers, whose optimizer counts its steps on the
/// device.
struct Trained {
  Tensor w = Tensor::rand({32, 64}).realize().parameter(),
         v = Tensor::rand({64, 8}).realize().parameter();
  optim::Adam adam{{w, v}};

  Tensor step(const Tensor &x, const Tensor &y) {
    const TrainingScope training;
    const Tensor loss =
        (x.matmul(w).relu().dropout(0.5).matmul(v) - y).square().mean();
    adam.zeroGrad();
    loss.backward();
    adam.step();
    return loss;
  }
};

} // namespace

// The first call launches kernels. All later ones, replays included, launch one
// graph of them.
TEST_F(GPUStepTest, isOneGraph) {
  Trained net;
  Jit step([&](const Tensor &x, const Tensor &y) { return net.step(x, y); });
  const Tensor x = Tensor::rand({16, 32}).realize(),
               y = Tensor::rand({16, 8}).realize();
  std::size_t kernels = 0;
  for (int i = 0; i < 5; ++i) {
    SCOPED_TRACE(i);
    GlobalCounters::reset();
    record([&] { step(x, y); });
    const auto ran = std::size_t(GlobalCounters::kernelCount);
    if (i == 0)
      kernels = ran;
    EXPECT_GT(ran, 0u);
    EXPECT_EQ(ran, kernels);
    EXPECT_EQ(count("cuLaunchKernel"), i == 0 ? kernels : 0);
    EXPECT_EQ(count("cuGraphLaunch"), i == 0 ? 0u : 1u);
    EXPECT_EQ(count("cuGraphInstantiateWithFlags"), i == 1 ? 1u : 0u);
    EXPECT_EQ(count("graph of " + std::to_string(kernels)), i == 0 ? 0u : 1u);
    // No memory is allocated or freed, and nothing is copied to the host.
    if (i >= 3) {
      EXPECT_EQ(count("cuMemAlloc_v2") + count("cuMemFree_v2"), 0u);
      EXPECT_EQ(count("cuMemcpyDtoHAsync_v2"), 0u);
    }
  }
}
